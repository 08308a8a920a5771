/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collective_form.h - which form of the collectives a program measures and writes rules for: the
 * blocking one, or the nonblocking one, to which persistent requests belong. One form at a time:
 * the command line or a file of saved times sets it.
 */
#ifndef ANYPI_COLLECTIVE_FORM_H_INCLUDED
#define ANYPI_COLLECTIVE_FORM_H_INCLUDED

#include "anyp.h"

void anypi_form_set(bool nonblocking);
bool anypi_form_nonblocking(void);

/* The name of a collective in this form: "allreduce", "iallreduce". */
const char *anypi_form_name(anyp_collective collective);
/* The beginning of the names of AnyP's algorithms in this form: "anyp_", "tsp_anyp_". */
const char *anypi_form_prefix(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * usual_choice.h - the algorithms that MPI libraries usually choose by size, as far as AnyP has
 * them. They are those of R. Thakur, R. Rabenseifner and W. Gropp, Optimization of Collective
 * Communication Operations in MPICH (2005). This is a model: libraries on nodes may choose
 * otherwise.
 */
#ifndef ANYPI_USUAL_CHOICE_H_INCLUDED
#define ANYPI_USUAL_CHOICE_H_INCLUDED

#include "anyp.h"

/* Sets the algorithm that MPI libraries usually choose for the call, and its parameters, settled by
 * the model. Returns the usual name of the algorithm (static text), or NULL if the collective has
 * no model. */
const char *anypi_usual_choice(const anyp_call *call, const anyp_model *model,
                               const anyp_algorithm **algorithm, int *parameters);

#endif

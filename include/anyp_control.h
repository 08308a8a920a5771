/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp_control.h - steering libanyp.so, the plug-in, from inside a program: for tuners and tests.
 * Link with the plug-in (-lanyp). Not to be called while a collective runs in another thread.
 */
#ifndef ANYP_CONTROL_H_INCLUDED
#define ANYP_CONTROL_H_INCLUDED

#include "anyp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* From the next call on it is as if the environment variable ANYP_<name> had this value (NULL:
 * were not set). All ranks that take part in a call must have done the same before it: nothing
 * compares them. anyp_control_set("ALLREDUCE_ALGORITHM", "butterfly", &reason);
 * Which lines of VERBOSE were written is forgotten. ANYP_ERR_ARGUMENT with *reason (valid until the
 * next call) if the environment would be refused with it; then nothing has changed.
 * ANYP_ERR_MEMORY. */
anyp_status anyp_control_set(const char *name, const char *value, const char **reason);

/* What this process's last call of the collective ran: NULL for the library's own. */
const anyp_algorithm *anyp_control_last(anyp_collective collective);

#ifdef __cplusplus
}
#endif

#endif

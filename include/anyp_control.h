/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp_control.h - control of libanyp.so, the plug-in, from inside a program: for tuners and tests.
 * Link with the plug-in (-lanyp). Do not call these while a collective runs in another thread.
 */
#ifndef ANYP_CONTROL_H_INCLUDED
#define ANYP_CONTROL_H_INCLUDED

#include "anyp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Takes effect with the next collective: as if the environment variable ANYP_<name> had this value
 * (NULL: were not set). All ranks of a call must have set the same before it; this is not checked.
 * Example: anyp_control_set("ALLREDUCE_ALGORITHM", "butterfly", &reason);
 * Lines of VERBOSE that were written before are written again. ANYP_ERR_ARGUMENT with *reason
 * (valid until the next call) if this value would be refused in the environment; then nothing
 * changes. ANYP_ERR_MEMORY. */
anyp_status anyp_control_set(const char *name, const char *value, const char **reason);

/* The algorithm of this process's last call of the collective; NULL: the MPI library's own. */
const anyp_algorithm *anyp_control_last(anyp_collective collective);

#ifdef __cplusplus
}
#endif

#endif

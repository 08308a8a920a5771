/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp_control.h - changes the settings of AnyP's plug-in while a program runs, and tells which
 * algorithm ran. For tuners, benchmarks and tests. Link with the plug-in for the program's MPI
 * library (pkg-config anyp-mpich, anyp-openmpi or anyp-abi), or look these functions up by name
 * with dlsym(). Do not call them while another thread is in a collective.
 *
 * The binary interface of the plug-in is these two functions and the MPI functions that it wraps.
 */
#ifndef ANYP_CONTROL_H_INCLUDED
#define ANYP_CONTROL_H_INCLUDED

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the environment variable ANYP_<name> for the next collectives; NULL unsets it. Example:
 * anyp_control_set("ALLREDUCE_ALGORITHM", "butterfly", &reason). All processes of a communicator
 * must set the same values before their next collective there; this is not checked. Lines of
 * ANYP_VERBOSE that were written before are written again.
 *
 * Returns 0. If the environment variable would be refused, or no memory is left, returns another
 * value and changes nothing; *reason is a message then, valid until the next call. */
int anyp_control_set(const char *name, const char *value, const char **reason);

/* Returns the name of the algorithm that ran this process's last call of a collective, such as
 * "allreduce"; NULL if the MPI library's algorithm ran, if this process has not called the
 * collective, or if there is no such collective. The name stays valid. */
const char *anyp_control_last(const char *collective);

#ifdef __cplusplus
}
#endif

#endif

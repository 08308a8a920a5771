/* SPDX-License-Identifier: BSD-3-Clause
 *
 * gentran_types.h - in place of MPICH's header; see mpiimpl.h.
 */
#ifndef STUB_GENTRAN_TYPES_H_INCLUDED
#define STUB_GENTRAN_TYPES_H_INCLUDED

typedef struct MPII_Genutil_sched_t {
    bool is_persistent;
} MPII_Genutil_sched_t;

#endif

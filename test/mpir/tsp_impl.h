/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tsp_impl.h - in place of MPICH's header; see mpiimpl.h.
 */
#ifndef STUB_TSP_IMPL_H_INCLUDED
#define STUB_TSP_IMPL_H_INCLUDED

typedef void *MPIR_TSP_sched_t;
typedef int (*MPIR_TSP_sched_issue_fn)(void *data, int *done);
typedef int (*MPIR_TSP_sched_complete_fn)(void *data, int *done);
typedef int (*MPIR_TSP_sched_free_fn)(void *data);
typedef int (*MPIR_TSP_cb_t)(MPIR_Comm *comm, int tag, void *data);

int MPIR_TSP_sched_new_type(MPIR_TSP_sched_t sched, MPIR_TSP_sched_issue_fn issue,
                            MPIR_TSP_sched_complete_fn complete, MPIR_TSP_sched_free_fn free);
int MPIR_TSP_sched_generic(int type, void *data, MPIR_TSP_sched_t sched, int count, int *after,
                           int *vertex);
#if STUB_NUMVERSION < 40100000
int MPIR_TSP_sched_cb(MPIR_TSP_cb_t function, void *data, MPIR_TSP_sched_t sched, int count,
                      int *after);
#else
int MPIR_TSP_sched_cb(MPIR_TSP_cb_t function, void *data, MPIR_TSP_sched_t sched, int count,
                      int *after, int *vertex);
#endif
int MPIR_TSP_sched_reset(MPIR_TSP_sched_t sched);
int MPIR_TSP_sched_start(MPIR_TSP_sched_t sched, MPIR_Comm *comm, MPIR_Request **request);
int MPIR_TSP_sched_free(MPIR_TSP_sched_t sched);

#endif

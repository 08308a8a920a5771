/* SPDX-License-Identifier: BSD-3-Clause
 *
 * calls.h - calls MPI's function for a collective in each of its forms, for the tuner and the
 * tests. A file that includes this one uses what it needs.
 */
#ifndef ANYPI_CALLS_H_INCLUDED
#define ANYPI_CALLS_H_INCLUDED

#include "schedule/collectives.h"
#include "schedule/argument_shapes.h"

#include <mpi.h>

/* The arguments of any collective. A bcast's buffer is `out`. */
typedef struct anypi_mpi_call {
    anyp_collective collective;
    const void *in;
    void *out;
    int count;                  /* of the whole vector */
    const int *counts;          /* of the blocks, if they have counts */
    MPI_Datatype type;
    int in_count;               /* if blocks are moved: of the rank's block, */
    MPI_Datatype in_type;       /* and its type */
    const int *displs;          /* with counts: where blocks begin in `out`; of scatterv in `in` */
    const int *in_counts;       /* if only sender and receiver know a block's size: of the blocks
                                 * in `in`, */
    const int *in_displs;       /* and where they begin */
    const MPI_Datatype *in_types;       /* of alltoallw: of the blocks in `in`, */
    const MPI_Datatype *types;          /* and of the blocks in `out` */
    MPI_Op op;
    int root;
    MPI_Comm comm;
} anypi_mpi_call;

/* The arguments by MPI's names for them. */
#define ANYPI_GIVE(c, KIND, name, member) ANYPI_GIVE_##name(c),
#define ANYPI_GIVE_buffer(c) (c)->out
#define ANYPI_GIVE_sendbuf(c) (c)->in
#define ANYPI_GIVE_sendcount(c) (c)->in_count
#define ANYPI_GIVE_sendtype(c) (c)->in_type
#define ANYPI_GIVE_sendcounts(c) (c)->in_counts
#define ANYPI_GIVE_sdispls(c) (c)->in_displs
#define ANYPI_GIVE_sendtypes(c) (c)->in_types
#define ANYPI_GIVE_recvbuf(c) (c)->out
#define ANYPI_GIVE_count(c) (c)->count
#define ANYPI_GIVE_recvcount(c) (c)->counts[0]
#define ANYPI_GIVE_recvcounts(c) (c)->counts
#define ANYPI_GIVE_displs(c) (c)->displs
#define ANYPI_GIVE_rdispls(c) (c)->displs
#define ANYPI_GIVE_recvtypes(c) (c)->types
#define ANYPI_GIVE_recvtype(c) (c)->type
#define ANYPI_GIVE_datatype(c) (c)->type
#define ANYPI_GIVE_op(c) (c)->op
#define ANYPI_GIVE_root(c) (c)->root

/* Each returns MPI's error code. A file that defines ANYPI_BLOCKING_NAME as PMPI_##Name, and
 * ANYPI_NONBLOCKING_NAME, calls the library itself, also if the plug-in is there. */
#ifndef ANYPI_BLOCKING_NAME
#define ANYPI_BLOCKING_NAME(Name) MPI_##Name
#endif
#ifndef ANYPI_NONBLOCKING_NAME
#define ANYPI_NONBLOCKING_NAME(name) MPI_I##name
#endif
static inline int anypi_call_blocking(const anypi_mpi_call *c)
{
    switch (c->collective) {
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
        case ANYP_##NAME:                                                                          \
            return ANYPI_BLOCKING_NAME(Name)(                                                      \
                ANYPI_SHAPE_##kind##_##arguments(ANYPI_GIVE, c) c->comm);
#include "schedule/collectives.def"
        case ANYP_COLLECTIVES:
            break;
    }
    return MPI_ERR_ARG;
}

static inline int anypi_call_nonblocking(const anypi_mpi_call *c, MPI_Request *request)
{
    switch (c->collective) {
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
        case ANYP_##NAME:                                                                          \
            return ANYPI_NONBLOCKING_NAME(name)(                                                   \
                ANYPI_SHAPE_##kind##_##arguments(ANYPI_GIVE, c) c->comm, request);
#include "schedule/collectives.def"
        case ANYP_COLLECTIVES:
            break;
    }
    return MPI_ERR_ARG;
}

#if MPI_VERSION >= 4
static inline int anypi_call_persistent(const anypi_mpi_call *c, MPI_Request *request)
{
    switch (c->collective) {
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
        case ANYP_##NAME:                                                                          \
            return MPI_##Name##_init(ANYPI_SHAPE_##kind##_##arguments(ANYPI_GIVE, c) c->comm,      \
                                     MPI_INFO_NULL, request);
#include "schedule/collectives.def"
        case ANYP_COLLECTIVES:
            break;
    }
    return MPI_ERR_ARG;
}
#endif

#endif

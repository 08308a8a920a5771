/* SPDX-License-Identifier: BSD-3-Clause
 *
 * calls.h - MPI's function of a collective in each of its forms, for the tuner and the tests. A
 * file that includes this one uses what it needs.
 */
#ifndef ANYPI_CALLS_H_INCLUDED
#define ANYPI_CALLS_H_INCLUDED

#include "schedule/collectives.h"

#include <mpi.h>

/* The arguments of any collective. A bcast's buffer is `out`. */
typedef struct anypi_mpi_call {
    anyp_collective collective;
    const void *in;
    void *out;
    int count;                  /* of the whole vector */
    const int *counts;          /* of the blocks, if it has any */
    MPI_Datatype type;
    int in_count;               /* where blocks are moved: of the rank's own, */
    MPI_Datatype in_type;       /* of this type; */
    const int *displs;          /* with counts, where blocks begin in `out` */
    MPI_Op op;
    int root;
    MPI_Comm comm;
} anypi_mpi_call;

#define ANYPI_CALL_COUNT c->in, c->out, c->count, c->type, c->op
#define ANYPI_CALL_BLOCK c->in, c->out, c->counts[0], c->type, c->op
#define ANYPI_CALL_ROOTED ANYPI_CALL_COUNT, c->root
#define ANYPI_CALL_COUNTS c->in, c->out, c->counts, c->type, c->op
#define ANYPI_MOVE_BUFFER c->out, c->count, c->type, c->root
#define ANYPI_MOVE_BLOCK c->in, c->in_count, c->in_type, c->out, c->counts[0], c->type
#define ANYPI_MOVE_ROOTED_BLOCK ANYPI_MOVE_BLOCK, c->root
#define ANYPI_MOVE_COUNTS c->in, c->in_count, c->in_type, c->out, c->counts, c->displs, c->type

/* Each returns MPI's error code. */
static inline int anypi_call_blocking(const anypi_mpi_call *c)
{
    switch (c->collective) {
#define ANYP_REDUCTION(NAME, Name, name, input, output, arguments, own)                            \
        case ANYP_##NAME:                                                                          \
            return MPI_##Name(ANYPI_CALL_##arguments, c->comm);
#define ANYP_MOVEMENT(NAME, Name, name, input, output, arguments, forward)                         \
        case ANYP_##NAME:                                                                          \
            return MPI_##Name(ANYPI_MOVE_##arguments, c->comm);
#include "schedule/collectives.def"
        case ANYP_COLLECTIVES:
            break;
    }
    return MPI_ERR_ARG;
}

static inline int anypi_call_nonblocking(const anypi_mpi_call *c, MPI_Request *request)
{
    switch (c->collective) {
#define ANYP_REDUCTION(NAME, Name, name, input, output, arguments, own)                            \
        case ANYP_##NAME:                                                                          \
            return MPI_I##name(ANYPI_CALL_##arguments, c->comm, request);
#define ANYP_MOVEMENT(NAME, Name, name, input, output, arguments, forward)                         \
        case ANYP_##NAME:                                                                          \
            return MPI_I##name(ANYPI_MOVE_##arguments, c->comm, request);
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
#define ANYP_REDUCTION(NAME, Name, name, input, output, arguments, own)                            \
        case ANYP_##NAME:                                                                          \
            return MPI_##Name##_init(ANYPI_CALL_##arguments, c->comm, MPI_INFO_NULL, request);
#define ANYP_MOVEMENT(NAME, Name, name, input, output, arguments, forward)                         \
        case ANYP_##NAME:                                                                          \
            return MPI_##Name##_init(ANYPI_MOVE_##arguments, c->comm, MPI_INFO_NULL, request);
#include "schedule/collectives.def"
        case ANYP_COLLECTIVES:
            break;
    }
    return MPI_ERR_ARG;
}
#endif

#endif

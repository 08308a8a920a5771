/* SPDX-License-Identifier: BSD-3-Clause
 *
 * arguments.h - the arguments of any collective. The types are those of the MPI library whose
 * header is included before this one (mpi.h, or mpiimpl.h inside MPICH). argument_shapes.h lists
 * the arguments of each collective.
 */
#ifndef ANYPI_ARGUMENTS_H_INCLUDED
#define ANYPI_ARGUMENTS_H_INCLUDED

#include "execute/blocks.h"
#include "schedule/collectives.h"
#include "schedule/argument_shapes.h"

#ifndef ANYPI_TYPE_BYTE         /* MPICH 5 uses another name internally (mpir/version.h) */
#define ANYPI_TYPE_BYTE MPI_BYTE
#endif

typedef struct anypi_arguments {
    anyp_collective collective;
    bool in_place;              /* set by anypi_find_significant() */
    const void *sendbuf;
    int64_t sendcount;
    MPI_Datatype sendtype;
    void *recvbuf;
    int64_t count;              /* of the vector or of each block; 0 if there are counts */
    anypi_integers counts, displs;      /* of the parts of recvbuf */
    anypi_integers sendcounts, senddispls;      /* of those of sendbuf */
    MPI_Datatype datatype;      /* of recvbuf */
    const MPI_Datatype *sendtypes, *datatypes;  /* of each part, in an alltoallw */
    MPI_Op op;                  /* of a reduction */
    int root;                   /* 0 if there is none */
    bool nonblocking;           /* or persistent; for the plug-in */
} anypi_arguments;

/* Returns the initializer of a member, for the lists of argument_shapes.h. The argument is a
 * variable with MPI's name, preceded by `of`: a struct and its dot, or nothing. */
#define ANYPI_STORE(of, KIND, name, member) .member = ANYPI_STORE_##KIND(of name),
#define ANYPI_STORE_IN(value) value
#define ANYPI_STORE_OUT(value) value
#define ANYPI_STORE_BOTH(value) value
#define ANYPI_STORE_COUNT(value) value
#define ANYPI_STORE_COUNTS(value) { value, sizeof *(value) }
#define ANYPI_STORE_DISPLS(value) { value, sizeof *(value) }
#define ANYPI_STORE_TYPE(value) value
#define ANYPI_STORE_TYPES(value) value
#define ANYPI_STORE_OP(value) value
#define ANYPI_STORE_ROOT(value) value

/* Replaces the arguments that MPI ignores on this rank, so that all members are valid:
 * - The input of a reduction or a bcast becomes like its output.
 * - In a gather or a scatter, the input or output that this rank does not give becomes like the
 *   other one, with no buffer.
 * - A barrier gets no bytes.
 *
 * An exscan with equal buffers becomes in place. Most ranks could refuse such a call, but rank 0
 * could not, because it ignores its output. `of` is the collective's row. A second call changes
 * nothing. */
static inline void anypi_find_significant(anypi_arguments *its, const anypi_collective *of,
                                          bool at_root)
{
    const bool scatters = of->input == ANYPI_AT_ROOT;
    if (of->output == ANYPI_HAS_BEFORE && its->sendbuf == its->recvbuf)
        its->sendbuf = MPI_IN_PLACE;
    its->in_place = its->in_place ||
        (its->sendbuf == MPI_IN_PLACE && of->arguments != ANYPI_TAKES_BUFFER);
    if (of->arguments == ANYPI_TAKES_NOTHING) {
        its->datatype = its->sendtype = ANYPI_TYPE_BYTE;
    } else if (!of->moves || of->arguments == ANYPI_TAKES_BUFFER) {
        its->sendbuf = of->moves ? its->recvbuf : its->sendbuf;
        its->sendcount = its->count;
        its->sendtype = its->datatype;
    } else if (!anypi_has_rooted_blocks(of)) {
        return;
    } else if (scatters && !at_root) {
        its->in_place = false;
        its->sendbuf = NULL;
        its->sendcount = its->count;
        its->sendtype = its->datatype;
        its->sendcounts.at = its->senddispls.at = NULL;
    } else if (scatters ? its->recvbuf == MPI_IN_PLACE : !at_root) {
        its->in_place = scatters;
        its->recvbuf = NULL;
        its->count = its->sendcount;
        its->datatype = its->sendtype;
        its->counts.at = its->displs.at = NULL;
    }
}

#endif

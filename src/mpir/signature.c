/* SPDX-License-Identifier: BSD-3-Clause
 *
 * signature.c - what MPICH's selection sees of a call is the same on all ranks, and what the rules
 * say of it.
 */
#include "mpir/internal.h"

static MPI_Aint bytes(MPI_Aint count, MPI_Datatype datatype)
{
    MPI_Aint size;
    MPIR_Datatype_get_size_macro(datatype, size);
    return count * size;
}

void anypi_mpir_make_alike(MPIR_Csel_coll_sig_s *sig)
{
    const int rank = sig->comm_ptr->rank;
    if (sig->comm_ptr->comm_kind == MPIR_COMM_KIND__INTERCOMM)
        return;
    switch (sig->coll_type) {
#define GATHER(its)                                                                              \
        (its).sendcount = (its).root == rank ? bytes((its).recvcount, (its).recvtype)            \
            : bytes((its).sendcount, (its).sendtype);                                            \
        (its).sendtype = ANYPI_TYPE_BYTE;                                                        \
        break;
#define SCATTER(its)                                                                             \
        (its).recvcount = (its).root == rank ? bytes((its).sendcount, (its).sendtype)            \
            : bytes((its).recvcount, (its).recvtype);                                            \
        (its).recvtype = ANYPI_TYPE_BYTE;                                                        \
        break;
#define ALLTOALL(its)                                                                            \
        if ((its).sendbuf == MPI_IN_PLACE) {                                                     \
            (its).sendcount = (its).recvcount;                                                   \
            (its).sendtype = (its).recvtype;                                                     \
        }                                                                                        \
        break;
        case MPIR_CSEL_COLL_TYPE__IREDUCE_SCATTER_BLOCK:
            sig->u.ireduce_scatter_block.recvcount =
                bytes(sig->u.ireduce_scatter_block.recvcount,
                      sig->u.ireduce_scatter_block.datatype);
            sig->u.ireduce_scatter_block.datatype = ANYPI_TYPE_BYTE;
            break;
        case MPIR_CSEL_COLL_TYPE__GATHER:
            GATHER(sig->u.gather)
        case MPIR_CSEL_COLL_TYPE__IGATHER:
            GATHER(sig->u.igather)
        case MPIR_CSEL_COLL_TYPE__SCATTER:
            SCATTER(sig->u.scatter)
        case MPIR_CSEL_COLL_TYPE__ISCATTER:
            SCATTER(sig->u.iscatter)
        case MPIR_CSEL_COLL_TYPE__ALLTOALL:
            ALLTOALL(sig->u.alltoall)
        case MPIR_CSEL_COLL_TYPE__IALLTOALL:
            ALLTOALL(sig->u.ialltoall)
        default:
            break;
    }
}

int anypi_mpir_mean_ppn(const MPIR_Comm *comm)
{
    const int nodes = ANYPI_NODES(comm);
    return nodes > 0 ? comm->local_size / nodes + (comm->local_size % nodes != 0) : INT_MAX;
}

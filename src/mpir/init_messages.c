/* SPDX-License-Identifier: BSD-3-Clause
 *
 * init_messages.c - messages between ranks in MPI_Init, with a tag that no collective of MPICH
 * uses.
 */
#include "mpir/internal.h"

#include <time.h>

#define REPORT_TAG MPIR_LOCALCOPY_TAG

int anypi_mpir_exchange(const void *out, int to, void *in, int from, MPI_Aint size,
                        MPIR_Comm *world, const char *impatient)
{
    int mpi_errno = MPI_SUCCESS;
    MPIR_Request *receive = NULL, *send = NULL;
    ANYPI_ERRFLAG_OWN errflag = ANYPI_ERRFLAG_NONE;
    const time_t begin = time(NULL);

    mpi_errno = MPIC_Irecv(in, size, ANYPI_TYPE_BYTE, from, REPORT_TAG, world, &receive);
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = MPIC_Isend(out, size, ANYPI_TYPE_BYTE, to, REPORT_TAG, world, &send,
                           ANYPI_ERRFLAG_PASS(errflag));
    MPIR_ERR_CHECK(mpi_errno);
    while (impatient && !MPIR_Request_is_complete(receive) && time(NULL) - begin < ANYPI_PATIENCE) {
        mpi_errno = MPID_Progress_test(NULL);
        MPIR_ERR_CHECK(mpi_errno);
        MPL_sched_yield();
    }
    if (impatient && !MPIR_Request_is_complete(receive))
        fprintf(stderr, "anyp: rank %d waits in MPI_Init for rank %d, to compare their settings. "
                "Rank %d has %s; rank %d probably has no file or variable: give all ranks the same "
                "file and variables\n", world->rank, from, world->rank, impatient, from);
    mpi_errno = ANYPI_WAIT(receive, ANYPI_ERRFLAG_PASS(errflag));
    if (!mpi_errno)
        mpi_errno = receive->status.MPI_ERROR;
    MPIR_ERR_CHECK(mpi_errno);
    mpi_errno = ANYPI_WAIT(send, ANYPI_ERRFLAG_PASS(errflag));

  fn_exit:
    if (receive)
        MPIR_Request_free(receive);
    if (send)
        MPIR_Request_free(send);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * session - MPI without MPI_Init: a session, a communicator of all processes from it, an allreduce.
 */
#include <mpi.h>

#include <stdio.h>

int main(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int rank, p, one = 1, sum = 0;
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) != MPI_SUCCESS) {
        fputs("session: no session\n", stderr);
        return 1;
    }
    MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "anyp", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &p);
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    if (rank == 0)
        printf("session: p=%d: %s\n", p, sum == p ? "passed" : "FAILED");
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    return sum != p;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: after the last session is finalized, a new session with a communicator cannot be made.
 * MPI 4 allows it any number of times.
 *
 * Releases: 4.0.2, measured; later releases were not examined
 *
 *   mpiexec -n 2 ./sessions-again
 */
#include "fault.h"

#if MPI_VERSION >= 4
/* Begins a session, sums in it over all processes, and ends it; the sum, or -1. */
static int one_session(void)
{
    MPI_Session session;
    MPI_Group group;
    MPI_Comm comm;
    int sum = -1, one = 1;
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session))
        return -1;
    if (!MPI_Group_from_session_pset(session, "mpi://WORLD", &group) &&
        !MPI_Comm_create_from_group(group, "fault", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm)) {
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
        MPI_Comm_rank(comm, &rank);
        MPI_Comm_free(&comm);
        MPI_Group_free(&group);
    }
    MPI_Session_finalize(&session);
    return sum;
}
#endif

int main(void)
{
#if MPI_VERSION >= 4
    const int first = one_session();
    if (first < 1)
        cannot_run("not even one session works");
    expect_crash();
    const int wrong = one_session() != first || one_session() != first;
    decided = 1;
    if (wrong)
        printf("shows: rank %d: a later session does not work\n", rank);
    else if (rank == 0)
        puts("right: a later session works");
    fflush(stdout);
    _exit(wrong ? SHOWS : RIGHT);
#else
    cannot_run("sessions begin with MPI 4");
#endif
}

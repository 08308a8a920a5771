/* SPDX-License-Identifier: BSD-3-Clause
 *
 * sessions - MPI without MPI_Init, by a session; with --world, the world begins and ends during the
 * session, and a second session begins in it and outlives it. The reductions are right each
 * time. (MPICH 4.0.2 cannot begin again after its last session.)
 */
#include "calls.h"

#include <stdio.h>
#include <string.h>

static int wrong, rank;

static void check(MPI_Comm comm)
{
    for (int count = 1; count < 10000; count *= 30)
        wrong += call_all(comm, count) != MPI_SUCCESS;
}

static MPI_Comm open_session(MPI_Session *session)
{
    MPI_Group group;
    MPI_Comm comm;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session);
    MPI_Group_from_session_pset(*session, "mpi://WORLD", &group);
    MPI_Comm_create_from_group(group, "anyp", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
    MPI_Group_free(&group);
    return comm;
}

int main(int argc, char **argv)
{
    MPI_Session session, second;
    MPI_Comm copy, later, comm = open_session(&session);
    MPI_Comm_rank(comm, &rank);
    check(comm);
    MPI_Comm_dup(comm, &copy);
    check(copy);
    MPI_Comm_free(&copy);
    if (argc > 1 && !strcmp(argv[1], "--world")) {
        MPI_Init(NULL, NULL);
        check(MPI_COMM_WORLD);
        check(comm);
        later = open_session(&second);
        check(later);
        MPI_Finalize();
        check(later);
        MPI_Comm_free(&later);
        MPI_Session_finalize(&second);
    }
    check(comm);
    MPI_Comm_free(&comm);
    MPI_Session_finalize(&session);
    if (wrong || rank == 0)
        printf("sessions: %s, %s ran\n", wrong ? "wrong" : "right", what_ran(ANYP_ALLREDUCE));
    return wrong != 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH: where no more communicators can be made, MPI_Comm_dup calls the error handler, and then
 * returns MPI_SUCCESS.
 *
 * Releases: 5.0.2, measured
 *
 *   mpiexec -n 1 ./communicators-end
 *
 * The program makes up to 70,000 communicators.
 */
#include "fault.h"

enum { MOST = 70000 };

static int called;

static void handler(MPI_Comm *comm, int *error, ...)
{
    (void) comm;
    (void) error;
    called = 1;
}

int main(void)
{
    static MPI_Comm comms[MOST];
    MPI_Errhandler own;
    int made = 0, error = MPI_SUCCESS;
    begin(1);
    MPI_Comm_create_errhandler(handler, &own);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, own);
    while (made < MOST && !called &&
           !(error = MPI_Comm_dup(made % 2 ? comms[made - 1] : MPI_COMM_WORLD, &comms[made])))
        made++;
    if (made == MOST)
        cannot_run("there are more communicators than the program makes");
    for (int i = 0; i < made && !called; i++)
        MPI_Comm_free(&comms[i]);
    verdict(called && error == MPI_SUCCESS, "MPI_Comm_dup called the error handler, and succeeded");
}

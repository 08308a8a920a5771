/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI 6: MPI_Reduce_local crashes after MPI_Finalize, although a session still exists.
 *
 * Releases: 6.0.0rc2, measured
 *
 *   mpiexec -n 1 ./session-reduce-local
 */
#include "fault.h"

int main(void)
{
#if MPI_VERSION >= 4
    MPI_Session session;
    int from = 2, to = 3;
    if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session))
        cannot_run("no session can be made");
    MPI_Init(NULL, NULL);
    MPI_Finalize();
    expect_crash();
    const int error = MPI_Reduce_local(&from, &to, 1, MPI_INT, MPI_SUM);
    decided = 1;
    puts(error || to != 5 ? "shows: MPI_Reduce_local: an error or a wrong sum"
                          : "right: the result is as expected");
    fflush(stdout);
    MPI_Session_finalize(&session);
    _exit(error || to != 5 ? SHOWS : RIGHT);
#else
    cannot_run("sessions begin with MPI 4");
#endif
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI: a message that is longer than the receive buffer is written behind the buffer, if the
 * kernel copies it between the processes (CMA). MPI_Recv does return MPI_ERR_TRUNCATE.
 *
 * The program is erroneous on purpose. MPI has an error class for a message that is too long, so
 * that a program with MPI_ERRORS_RETURN may expect that the memory behind the buffer is unchanged.
 * But MPI does not promise it: this is a question of quality.
 *
 * Releases: 4.1.4, measured; later releases were not examined
 *
 *   mpiexec -n 2 ./truncated-receive
 *
 * The system must permit such copies (process_vm_readv); containers often do not.
 * OMPI_MCA_btl_vader_single_copy_mechanism=none avoids the fault.
 */
#include "fault.h"

enum { LONG = 1 << 20, SHORT = 1 << 18 };

int main(void)
{
    static char buffer[LONG];
    int wrong = 0;
    begin(2);
    memset(buffer, rank == 0 ? 'x' : '-', sizeof buffer);
    if (rank == 0)
        MPI_Send(buffer, LONG, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    if (rank == 1) {
        MPI_Recv(buffer, SHORT, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        wrong = memchr(buffer + SHORT, 'x', LONG - SHORT) != NULL;
    }
    verdict(wrong, "MPI_Recv wrote behind the buffer, which is shorter than the message");
}

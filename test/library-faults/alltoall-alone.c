/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPICH with a device of ch4: MPI_Alltoall of one process does not return, if a receive for any
 * source and any tag is pending on the communicator.
 *
 * The queues for messages of a process to itself compare the communicator's context, without what
 * distinguishes collectives from other messages. So the pending receive gets the message of the
 * alltoall. Devices of ch3 are right.
 *
 * Releases: 4.0.2 with ch4, measured; 4.1 to 5.0.1 and main of 2026-08-20, by their sources
 *
 *   mpiexec -n 1 ./alltoall-alone
 */
#include "fault.h"

int main(void)
{
    int in[2] = { 7, 8 }, out[2] = { 0, 0 }, message = 9, got = 0, wrong = 0;
    MPI_Request request;
    begin(1);
    expect_crash();
    for (int form = 0; form < 3; form++) {
        const int two = 2, zero = 0;
        const MPI_Datatype type = MPI_INT;
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        memset(out, 0, sizeof out);
        MPI_Irecv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &request);
        if (form == 0)
            MPI_Alltoall(in, 2, MPI_INT, out, 2, MPI_INT, comm);
        else if (form == 1)
            MPI_Alltoallv(in, &two, &zero, MPI_INT, out, &two, &zero, MPI_INT, comm);
        else
            MPI_Alltoallw(in, &two, &zero, &type, out, &two, &zero, &type, comm);
        MPI_Send(&message, 1, MPI_INT, 0, 3, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        wrong |= out[0] != 7 || out[1] != 8 || got != 9;
        MPI_Comm_free(&comm);
    }
    verdict(wrong, "MPI_Alltoall: wrong data");
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * operation_wait.c - lets a process that waits for operations leave the processor to others.
 */
#include "mpi/operation.h"

#include <sched.h>

static anypi_operations *const all = &anypi_all_operations;

enum { AWAITED = 64 };          /* messages at a time */

/* Lists the messages of the library for which operations wait. Returns their number; 0: there are
 * none or too many, or some operation waits for something else. */
static int list_missing(anypi_transport **of, MPI_Request *missing)
{
    int count = 0;
    for (anypi_operation *it = all->oldest; it; it = it->later) {
        if (!it->begun)
            continue;           /* it waits for another operation */
        if (!it->transport.missing || it->transport.missing_parcel || count == AWAITED)
            return 0;
        of[count] = &it->transport;
        missing[count++] = *it->transport.missing;
    }
    return count;
}

/* Waits in the library for one of the messages that operations need. */
static void wait_for_message(void)
{
    anypi_transport *of[AWAITED];
    MPI_Request missing[AWAITED];
    int index, error;
    const int listed = list_missing(of, missing);
    if (!listed)
        return;
    all->moving = true;         /* the messages are those of the list */
    if (listed == 1)            /* MPICH's MPI_Waitany does not leave the processor to others */
        error = anypi_mpi.Wait(missing, MPI_STATUS_IGNORE);
    else
        error = anypi_mpi.Waitany(listed, missing, &index, MPI_STATUS_IGNORE);
    all->moving = false;
    /* those with errors may all be freed */
    for (int i = 0; i < listed; i++)
        if (missing[i] == MPI_REQUEST_NULL) {
            *of[i]->missing = MPI_REQUEST_NULL;
            record(of[i], error);
        }
}

/* Returns whether all operations under way wait for messages over lanes. */
static bool wait_for_lanes(void)
{
    const anypi_operation *it = all->oldest;
    while (it && (!it->begun || it->transport.missing_parcel))
        it = it->later;
    return !it;
}

/* Returns whether the program waits for operations only: other requests may need tests by the
 * library to progress. */
static bool waits_for_operations(const MPI_Request *requests, int count)
{
    bool any = false;
    for (int i = 0; i < count; i++) {
        if (requests[i] == MPI_REQUEST_NULL)
            continue;
        const anypi_operation *it = i < AWAITED ? anypi_operation_of(requests[i]) : NULL;
        if (!it)
            return false;
        any = any || it->active;
    }
    return any;
}

void anypi_operations_idle(const MPI_Request *requests, int count, int *turns)
{
    if (all->threads)
        sched_yield();          /* another thread may complete any of the messages */
    else if (anypi_my_node.lanes)
        anypi_lanes_idle(anypi_my_node.lanes, turns,
                         wait_for_lanes() && waits_for_operations(requests, count));
    else if (!all->moving && waits_for_operations(requests, count))
        wait_for_message();
}

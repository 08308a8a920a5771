/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shared_file.c - reads the decision file, on rank 0 for all ranks, because a million processes
 * that open one file overload a file system. The other ranks receive the rules as numbers. If the
 * rules are wrong, or rank 0 does not find the file, no rank has rules, and agree.c writes the
 * message of rank 0, the first one.
 *
 * The numbers travel in pieces, each along a binomial tree. So a rank without memory for all of
 * them still forwards them, and agree.c then reports this rank. A rank receives each piece once and
 * sends it at most ceil(log2 p) times.
 */
#include "mpir/internal.h"

enum { PIECE = 4096 };          /* in numbers */

/* Sends the numbers from rank 0 to all ranks. `numbers` may be NULL, except on rank 0. Returns an
 * MPI error code. */
static int spread(int32_t *numbers, int count, MPIR_Comm *world)
{
    int32_t piece[PIECE];
    ANYPI_ERRFLAG_OWN errflag = ANYPI_ERRFLAG_NONE;
    for (int begin = 0; begin < count; begin += PIECE) {
        const size_t length = (size_t) (count - begin < PIECE ? count - begin : PIECE);
        const MPI_Aint size = (MPI_Aint) (length * sizeof *piece);
        const int error = MPIR_Bcast_intra_binomial(numbers ? numbers + begin : piece, size,
                                                    ANYPI_TYPE_BYTE, 0, world,
                                                    ANYPI_ERRFLAG_PASS(errflag));
        if (error)
            return error;
    }
    return MPI_SUCCESS;
}

/* Sends the rules of rank 0 to the other ranks, or tells them that rank 0 has none. Returns an MPI
 * error code. */
static int share(anyp_status *status, anypi_decision **decision, MPIR_Comm *world)
{
    const bool reads = world->rank == 0;
    int32_t count = 0, *numbers = NULL;
    if (reads && *status == ANYP_SUCCESS && !(numbers = anypi_decision_pack(*decision, &count)))
        *status = ANYP_ERR_MEMORY;
    count = numbers ? count : 0;
    int error = spread(&count, 1, world);
    if (!reads && count > 0)
        numbers = anypi_realloc(NULL, (size_t) count * sizeof *numbers);
    if (!error)
        error = spread(numbers, count, world);
    if (!reads && !error)
        *status = count == 0 ? ANYP_ERR_FILE : !numbers ? ANYP_ERR_MEMORY
            : anypi_decision_unpack(numbers, count, decision);
    anypi_free(numbers);
    return error;
}

int anypi_mpir_read_rules(MPIR_Comm *world)
{
    anypi_diagnosis diagnosis = { .errors = 0 };
    anypi_decision *decision = NULL;
    anyp_status status = ANYP_SUCCESS;
    int error = MPI_SUCCESS;
    if (!world || world->rank == 0)
        status = anypi_decision_read(anypi_mpir_decision_file(), &decision, &diagnosis);
    if (status != ANYP_SUCCESS)
        decision = NULL;
    if (world)
        error = share(&status, &decision, world);
    if (!error)
        return anypi_mpir_take_rules(status, decision, &diagnosis);
    anypi_decision_free(decision);
    return error;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shared_file.c - reads the decision file, on rank 0 for all ranks, because a million processes
 * that open one file overload a file system. The other ranks receive its text. If the rules are
 * wrong, or rank 0 does not find the file, no rank has rules, and agree.c writes the message of
 * rank 0, the first one.
 *
 * The text travels in pieces, each along a binomial tree. So a rank without memory for the whole
 * text still forwards it, and agree.c then reports this rank. A rank receives each piece once and
 * sends it at most ceil(log2 p) times.
 */
#include "mpir/internal.h"

enum { PIECE = 16384 };         /* in bytes */

/* Sends bytes from rank 0 to all ranks. `bytes` may be NULL, except on rank 0. Returns an MPI error
 * code. */
static int spread(char *bytes, uint32_t length, MPIR_Comm *world)
{
    char piece[PIECE];
    ANYPI_ERRFLAG_OWN errflag = ANYPI_ERRFLAG_NONE;
    for (uint32_t begin = 0; begin < length; begin += PIECE) {
        const MPI_Aint size = length - begin < PIECE ? length - begin : PIECE;
        const int error = MPIR_Bcast_intra_binomial(bytes ? bytes + begin : piece, size,
                                                    ANYPI_TYPE_BYTE, 0, world,
                                                    ANYPI_ERRFLAG_PASS(errflag));
        if (error)
            return error;
    }
    return MPI_SUCCESS;
}

/* Sends the text of rank 0 to the other ranks, or tells them that rank 0 has none (NULL), and lets
 * them parse it. Returns an MPI error code. */
static int share(char *text, anyp_status *status, anypi_decision **decision,
                 anypi_diagnosis *diagnosis, MPIR_Comm *world)
{
    const bool reads = world->rank == 0;
    uint32_t length = text ? (uint32_t) strlen(text) : 0;       /* at most 16 MiB */
    int error = spread((char *) &length, sizeof length, world);
    char *received = reads || length == 0 ? NULL : anypi_realloc(NULL, length);
    if (!error)
        error = spread(reads ? text : received, length, world);
    if (!reads && !error)
        *status = length == 0 ? ANYP_ERR_FILE : !received ? ANYP_ERR_MEMORY
            : anypi_decision_parse(received, length, anypi_mpir_decision_file(), decision,
                                   diagnosis);
    anypi_free(received);
    return error;
}

int anypi_mpir_read_rules(MPIR_Comm *world)
{
    anypi_diagnosis diagnosis = { .errors = 0 };
    anypi_decision *decision = NULL;
    char *text = NULL;
    anyp_status status = ANYP_SUCCESS;
    int error = MPI_SUCCESS;
    if (!world || world->rank == 0)
        status = anypi_decision_read_text(anypi_mpir_decision_file(), &decision, &text,
                                          &diagnosis);
    if (world)
        error = share(text, &status, &decision, &diagnosis, world);
    anypi_free(text);
    if (!error)
        return anypi_mpir_take_rules(status, status == ANYP_SUCCESS ? decision : NULL,
                                     &diagnosis);
    anypi_decision_free(decision);
    return error;
}

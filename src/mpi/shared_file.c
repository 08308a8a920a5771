/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shared_file.c - in MPI_Init, rank 0 reads the decision file for all ranks, since a million
 * processes that open one file bring a file system down. The others take its rules as numbers, or
 * the message about a wrong file. A rank whose ANYP_TUNING_FILE is not that of rank 0, or whose
 * settings have been read before, receives the numbers, too, but reads its own file: agree.c
 * reports the difference, if there is one.
 *
 * A world of p ranks pays for it, besides the allreduce of agree.c: a broadcast of 32 bytes; and if
 * rank 0 has a file, an allreduce of 4 bytes, and the rules, of which each rank receives one
 * message and sends at most ceil(log2 p).
 */
#include "mpi/internal.h"

#include "schedule/memory.h"
#include "select/mpich.h"
#include "select/text.h"

#include <stdio.h>
#include <string.h>

/* What rank 0 says of its file: a hash of its name (0: there is none), anypi_decision_format(), how
 * many numbers its rules are, and how many letters the message about it has. */
enum { NAME, FORMAT, NUMBERS, LETTERS, ALL };

typedef struct shared {
    uint64_t head[ALL];
    anypi_decision *decision;
    int32_t *numbers;
    char wrong[ANYPI_WRONG_SIZE];       /* "": nothing is */
} shared;

static uint64_t hash_of_name(const char *file)
{
    return file ? anypi_hash_text(ANYPI_HASH, file) | 1 : 0;
}

static void say_no_memory(shared *its, const char *file)
{
    anypi_decision_free(its->decision);
    its->decision = NULL;
    snprintf(its->wrong, sizeof its->wrong, "%s: %s", file, anyp_status_text(ANYP_ERR_MEMORY));
}

/* Rank 0 reads its file. */
static void read_for_all(shared *its, const char *file)
{
    int count = 0;
    if (!anypi_settings_read_rules(file, &its->decision, its->wrong) ||
        (its->decision && !(its->numbers = anypi_decision_pack(its->decision, &count))))
        say_no_memory(its, file);
    its->head[NAME] = hash_of_name(file);
    its->head[FORMAT] = anypi_decision_format();
    its->head[NUMBERS] = (uint64_t) count;
    its->head[LETTERS] = *its->wrong ? strlen(its->wrong) + 1 : 0;
}

/* From rank 0 to all, along a binomial tree: a library's own broadcast of long vectors may have p
 * messages a rank. No message of the application can be under way: no rank leaves MPI_Init before
 * all are in the allreduce of agree.c. MPI error code. */
static int spread(int32_t *numbers, int count, int rank, int p)
{
    int distance = 1, error = MPI_SUCCESS;
    while (distance < p && !(rank & distance))
        distance *= 2;
    if (rank != 0)
        error = anypi_mpi.Recv(numbers, count, MPI_INT32_T, rank - distance, 0, MPI_COMM_WORLD,
                               MPI_STATUS_IGNORE);
    while (!error && (distance /= 2) > 0)
        if (rank + distance < p)
            error = anypi_mpi.Send(numbers, count, MPI_INT32_T, rank + distance, 0,
                                   MPI_COMM_WORLD);
    return error;
}

/* All ranks get rank 0's numbers; but if one has no memory for them, none gets any, and the file is
 * wrong on all. MPI error code. */
static int pass_numbers(shared *its, int rank, int p, const char *file)
{
    const int count = (int) its->head[NUMBERS];
    if (rank != 0)
        its->numbers = anypi_realloc(NULL, (size_t) count * sizeof *its->numbers);
    int own = its->numbers != NULL, all = 0;
    const int error = anypi_mpi.Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (error)
        return error;
    if (all)
        return spread(its->numbers, count, rank, p);
    say_no_memory(its, file ? file : "");
    return MPI_SUCCESS;
}

/* MPI error code. */
static int pass(shared *its, int rank, int p, const char *file)
{
    const int error = anypi_mpi.Bcast(its->head, ALL, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    if (error || !its->head[NAME])
        return error;
    return its->head[LETTERS]
        ? anypi_mpi.Bcast(its->wrong, (int) its->head[LETTERS], MPI_CHAR, 0, MPI_COMM_WORLD)
        : pass_numbers(its, rank, p, file);
}

int anypi_share_file(void)
{
    const char *const file = anypi_settings_file_ahead();
    shared its = { .numbers = NULL };
    int rank, p, error;
    if ((error = anypi_mpi.Comm_rank(MPI_COMM_WORLD, &rank)) ||
        (error = anypi_mpi.Comm_size(MPI_COMM_WORLD, &p)) || p == 1)
        return error;
    if (rank == 0 && file)
        read_for_all(&its, file);
    error = pass(&its, rank, p, file);
    if (its.head[NAME])
        anypi_mpich_use_any();  /* as rank 0 has read the file */
    if (error || !file || its.head[NAME] != hash_of_name(file) ||
        its.head[FORMAT] != anypi_decision_format()) {
        anypi_decision_free(its.decision);
    } else {
        const anyp_status status = *its.wrong || its.decision ? ANYP_SUCCESS
            : anypi_decision_unpack(its.numbers, (int) its.head[NUMBERS], &its.decision);
        if (status != ANYP_SUCCESS)
            snprintf(its.wrong, sizeof its.wrong, "%s, as rank 0 has read it: %s", file,
                     anyp_status_text(status));
        anypi_settings_take_rules(its.decision, its.wrong);
    }
    anypi_free(its.numbers);
    return error;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shared_file.c - in MPI_Init, lets rank 0 read files for all ranks, because a million processes
 * that open one file overload a file system.
 *
 * The other ranks receive the rules of the decision file as numbers, or the message about a wrong
 * file. A rank reads a file itself if its ANYP_TUNING_FILE differs from that of rank 0, or if its
 * settings have been read before. It also receives the numbers, but does not use them. If the
 * settings then differ, agree.c reports this. Each rank receives its line of the file of
 * coordinates; a rank that names another file reads that file itself.
 *
 * This costs a world of p ranks, in addition to the allreduce of agree.c:
 *
 * - a broadcast of 48 bytes
 * - if rank 0 has a decision file, an allreduce of 4 bytes, and the rules: each rank receives one
 *   message and sends at most ceil(log2 p)
 * - if rank 0 has coordinates, a scatter of 24 bytes for each rank
 */
#include "mpi/internal.h"

#include "schedule/memory.h"
#include "select/mpich.h"
#include "select/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The data that rank 0 sends about its files. Of the decision file: a hash of the name (0: there
 * is no file), anypi_decision_format(), the number of numbers of the rules, and the length of the
 * message. Of the file of coordinates: a hash of the name, and the length of the message. */
enum { NAME, FORMAT, NUMBERS, LETTERS, PLACES, PLACES_LETTERS, ALL };

typedef struct shared {
    uint64_t head[ALL];
    anypi_decision *decision;
    int32_t *numbers;
    char wrong[ANYPI_WRONG_SIZE];       /* the error, or "" */
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

/* Sends numbers from rank 0 to all ranks, along a binomial tree. An MPI library's broadcast of long
 * vectors may send p messages from each rank. No message of the application can be under way,
 * because no rank leaves MPI_Init before all ranks are in the allreduce of agree.c. Returns an MPI
 * error code. */
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

/* Sends rank 0's numbers to all ranks. If one rank has no memory for them, no rank receives them,
 * and the file counts as wrong on all ranks. Returns an MPI error code. */
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

/* Sends the rules or the message to all ranks. Returns an MPI error code. */
static int pass_rules(shared *its, int rank, int p, const char *file)
{
    if (!its->head[NAME])
        return MPI_SUCCESS;
    return its->head[LETTERS]
        ? anypi_mpi.Bcast(its->wrong, (int) its->head[LETTERS], MPI_CHAR, 0, MPI_COMM_WORLD)
        : pass_numbers(its, rank, p, file);
}

/* Gives the settings the rules that rank 0 has read, if this rank has the same file. */
static void take_rules(shared *its, const char *file)
{
    if (its->head[NAME])
        anypi_mpich_use_any();  /* like rank 0, which has read the file */
    if (!file || its->head[NAME] != hash_of_name(file) ||
        its->head[FORMAT] != anypi_decision_format()) {
        anypi_decision_free(its->decision);
        return;
    }
    const anyp_status status = *its->wrong || its->decision ? ANYP_SUCCESS
        : anypi_decision_unpack(its->numbers, (int) its->head[NUMBERS], &its->decision);
    if (status != ANYP_SUCCESS)
        snprintf(its->wrong, sizeof its->wrong, "%s, as rank 0 has read it: %s", file,
                 anyp_status_text(status));
    anypi_settings_take_rules(its->decision, its->wrong);
}

/* ---- coordinates ---- */

/* This rank's line of the file that rank 0 has read. */
static struct {
    uint64_t name;              /* hash of the file's name; 0: no file */
    anypi_coordinates own;
    char fault[ANYPI_LOCATION_FAULT];   /* of the file, or "" */
} places;

/* Returns the file of coordinates that will be used. */
static const char *coordinates_file(void)
{
    const char *file = getenv("ANYP_COORDINATES_FILE"), *nodes = getenv("ANYP_NODES");
    return file && *file && !(nodes && *nodes) ? file : NULL;
}

/* Returns the coordinates that rank 0 has read, or NULL if the file is wrong. Without memory, each
 * rank reads the file when it needs it. */
static anypi_coordinates *read_coordinates(shared *its, const char *file, int p)
{
    anypi_coordinates *all = anypi_realloc(NULL, (size_t) p * sizeof *all);
    if (!all)
        return NULL;
    its->head[PLACES] = hash_of_name(file);
    if (anypi_coordinates_read(file, p, all, places.fault))
        return all;
    its->head[PLACES_LETTERS] = strlen(places.fault) + 1;
    anypi_free(all);
    return NULL;
}

/* Sends each rank its line. Returns an MPI error code. */
static int pass_coordinates(const shared *its, const anypi_coordinates *all)
{
    enum { EACH = sizeof *all / sizeof(int64_t) };
    if (!its->head[PLACES])
        return MPI_SUCCESS;
    places.name = its->head[PLACES];
    return its->head[PLACES_LETTERS]
        ? anypi_mpi.Bcast(places.fault, (int) its->head[PLACES_LETTERS], MPI_CHAR, 0,
                          MPI_COMM_WORLD)
        : anypi_mpi.Scatter((void *) all, EACH, MPI_INT64_T, &places.own, EACH, MPI_INT64_T, 0,
                            MPI_COMM_WORLD);
}

bool anypi_shared_place(const char *file, int rank, anypi_location *levels)
{
    if (!places.name || places.name != hash_of_name(file))
        return false;
    anypi_location_of_coordinates(levels, file, rank, &places.own);
    if (*places.fault)
        memcpy(levels->fault, places.fault, sizeof places.fault);
    return true;
}

/* ---- both ---- */

int anypi_share_files(void)
{
    const char *const file = anypi_settings_file_ahead(), *const map = coordinates_file();
    shared its = { .numbers = NULL };
    anypi_coordinates *all = NULL;
    int rank, p, error;
    if ((error = anypi_mpi.Comm_rank(MPI_COMM_WORLD, &rank)) ||
        (error = anypi_mpi.Comm_size(MPI_COMM_WORLD, &p)) || p == 1)
        return error;
    if (rank == 0 && file)
        read_for_all(&its, file);
    if (rank == 0 && map)
        all = read_coordinates(&its, map, p);
    error = anypi_mpi.Bcast(its.head, ALL, MPI_UINT64_T, 0, MPI_COMM_WORLD);
    error = error ? error : pass_coordinates(&its, all);
    error = error ? error : pass_rules(&its, rank, p, file);
    if (error)
        anypi_decision_free(its.decision);
    else
        take_rules(&its, file);
    anypi_free(its.numbers);
    anypi_free(all);
    return error;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * shared_file.c - in MPI_Init, lets rank 0 read files for all ranks, because a million processes
 * that open one file overload a file system.
 *
 * The other ranks receive the text of the decision file, or the message about a wrong file. A rank
 * reads a file itself if its ANYP_TUNING_FILE differs from that of rank 0, or if its settings have
 * been read before. It also receives the text, but does not use it. If the settings then differ,
 * agree.c reports this. Each rank receives its line of the file of coordinates; a rank that names
 * another file reads that file itself.
 *
 * This costs a world of p ranks, in addition to the allreduce of agree.c:
 *
 * - a broadcast of 40 bytes
 * - if rank 0 has a decision file, broadcasts of its text in pieces
 * - if rank 0 has coordinates, a scatter of 24 bytes for each rank
 */
#include "mpi/internal.h"

#include "schedule/memory.h"
#include "select/mpich.h"
#include "select/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The data that rank 0 sends about its files. Of the decision file: a hash of the name (0: there is
 * no file), the length of the text (0: the file is wrong), and that of the message. Of the file of
 * coordinates: a hash of the name, and the length of the message. */
enum { NAME, LENGTH, LETTERS, PLACES, PLACES_LETTERS, ALL };

/* Bytes that are broadcast together. MPI libraries broadcast so few along a tree; for a long
 * vector, a rank may send p messages. */
enum { PIECE = 8192 };

typedef struct shared {
    uint64_t head[ALL];
    char *text;                 /* of the decision file */
    char wrong[ANYPI_WRONG_SIZE];       /* the error, or "" */
} shared;

/* Rank 0 reads its file. */
static void read_for_all(shared *its, const char *file)
{
    anypi_settings_read_ahead(file, &its->text, its->wrong);
    its->head[NAME] = anypi_hash_file(file);
    its->head[LENGTH] = its->text ? strlen(its->text) : 0;
    its->head[LETTERS] = *its->wrong ? strlen(its->wrong) + 1 : 0;
}

/* Sends the text of rank 0 to all ranks. A rank without memory for the whole text forwards it, and
 * agree.c reports this rank. Returns an MPI error code. */
static int pass_text(shared *its, int rank)
{
    char piece[PIECE];
    const size_t length = its->head[LENGTH];
    int error = MPI_SUCCESS;
    if (rank != 0)
        its->text = anypi_realloc(NULL, length);
    if (!its->text)
        snprintf(its->wrong, sizeof its->wrong, "no memory for the decision file of rank 0");
    for (size_t begin = 0; begin < length && !error; begin += PIECE)
        error = anypi_mpi.Bcast(its->text ? its->text + begin : piece,
                                length - begin < PIECE ? (int) (length - begin) : PIECE, MPI_CHAR,
                                0, MPI_COMM_WORLD);
    return error;
}

/* Sends the rules or the message to all ranks. Returns an MPI error code. */
static int pass_rules(shared *its, int rank)
{
    if (!its->head[NAME])
        return MPI_SUCCESS;
    return its->head[LETTERS]
        ? anypi_mpi.Bcast(its->wrong, (int) its->head[LETTERS], MPI_CHAR, 0, MPI_COMM_WORLD)
        : pass_text(its, rank);
}

/* Gives the settings the text that rank 0 has read, if this rank has the same file. */
static void take_rules(const shared *its, const char *file)
{
    if (its->head[NAME])
        anypi_mpich_use_any();  /* like rank 0, which has read the file */
    if (file && its->head[NAME] == anypi_hash_file(file))
        anypi_settings_take_text(file, its->text, its->head[LENGTH], its->wrong);
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
    its->head[PLACES] = anypi_hash_file(file);
    if (anypi_coordinates_read(file, p, 0, p, all, places.fault))
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
    if (!places.name || places.name != anypi_hash_file(file))
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
    shared its = { .text = NULL };
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
    error = error ? error : pass_rules(&its, rank);
    if (!error && rank != 0)
        take_rules(&its, file);
    anypi_free(its.text);
    anypi_free(all);
    return error;
}

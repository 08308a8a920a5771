/* SPDX-License-Identifier: BSD-3-Clause
 *
 * recorder_file.c - adds up the tables of all ranks, and writes the file.
 */
#include "mpi/recorder_table.h"
#include "schedule/memory.h"
#include "settings/variables.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_BETWEEN_FILES = 60, TAG = 0x5243, PIECE = 16384 };

static struct {
    char name[4096];
    bool failed;                /* the file cannot be written, which was reported */
} file;

/* ---- the file ---- */

static bool write_whole(const char *name, const anypi_record *record)
{
    FILE *stream = fopen(name, "w");
    if (!stream)
        return false;
    const bool good = anypi_record_write(record, stream);
    return fclose(stream) == 0 && good;
}

/* Replaces the file as a whole, so that a reader never sees half a file, and a full disk leaves
 * none. A pipe or a device is written directly. */
static bool replace(const anypi_record *record)
{
    struct stat its;
    char part[sizeof file.name + 8];
    if (!stat(file.name, &its) && !S_ISREG(its.st_mode))
        return write_whole(file.name, record);
    snprintf(part, sizeof part, "%s.part", file.name);
    if (write_whole(part, record) && !rename(part, file.name))
        return true;
    const int error = errno;
    unlink(part);
    errno = error;
    return false;
}

static void write_record(const anypi_record *record)
{
    if (!replace(record)) {
        if (!file.failed)
            fprintf(stderr, "anyp: ANYP_RECORD=%s: the record cannot be written: %s; the program "
                    "continues\n", file.name, strerror(errno));
        file.failed = true;
    }
    anypi_recorder_all.next_file = file.failed ? INFINITY
        : anypi_note_seconds() + SECONDS_BETWEEN_FILES;
}

/* Sets the seconds of the run, and the extremes of the only rank that the record has so far. */
static void sum_up(anypi_recorder *all)
{
    all->record.seconds = anypi_note_seconds() - all->begin;
    for (int i = 0; i < all->record.count; i++) {
        anypi_calls *kind = &all->record.kinds[i];
        kind->least_seconds = kind->largest_seconds = kind->seconds;
        kind->least_gap = kind->largest_gap = kind->gap;
    }
    for (int i = 0; i < all->record.sites_count; i++) {
        anypi_site *site = &all->record.sites[i];
        site->least_seconds = site->largest_seconds = site->seconds;
    }
}

/* Sets the text to the words of the command, separated by blanks. */
static void read_command(char *text, size_t size)
{
    FILE *stream = fopen("/proc/self/cmdline", "r");
    const size_t length = stream ? fread(text, 1, size - 1, stream) : 0;
    if (stream)
        fclose(stream);
    for (size_t i = 0; i + 1 < length; i++)
        if (!text[i])
            text[i] = ' ';
    text[length] = '\0';
}

void anypi_recorder_open(const anypi_settings *settings)
{
    anypi_record *record = &anypi_recorder_all.record;
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0;
    const time_t now = time(NULL);
    struct tm date;
    const char *name = anypi_variable_value("RECORD");
    snprintf(file.name, sizeof file.name, "%s", name);
    snprintf(record->version, sizeof record->version, "%s", PACKAGE_VERSION);
    if (!anypi_mpi.Get_library_version(library, &length))
        library[strcspn(library, "\n,")] = '\0';
    for (char *at = library; *at; at++)
        *at = *at == '\t' ? ' ' : *at;
    snprintf(record->library, sizeof record->library, "%.90s", library);
    read_command(record->command, sizeof record->command);
    if (gmtime_r(&now, &date))
        strftime(record->begun, sizeof record->begun, "%Y-%m-%dT%H:%M:%SZ", &date);
    if (settings->quiet)
        snprintf(record->decided, sizeof record->decided, "the MPI library");
    else
        anypi_settings_describe(settings, record->decided, sizeof record->decided);
    write_record(record);
}

void anypi_recorder_look(double now)
{
    anypi_recorder *all = &anypi_recorder_all;
    if (now < all->next_file)
        return;
    anypi_recorder_lock();
    if (now >= all->next_file) {        /* another thread may have written it */
        sum_up(all);
        write_record(&all->record);
    }
    anypi_recorder_unlock();
}

/* ---- all ranks ---- */

/* Sends the table in pieces, so that a rank without memory can receive it. Sends no bytes if there
 * is no memory. */
static void send_table(const anypi_channel *channel, int to)
{
    int bytes = 0;
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    const bool good = stream && anypi_record_write(&anypi_recorder_all.record, stream);
    if (stream && fclose(stream) == 0 && good)
        bytes = (int) length;
    anypi_mpi.Send(&bytes, 1, MPI_INT, to, channel->tag, channel->comm);
    for (int at = 0; at < bytes; at += PIECE)
        anypi_mpi.Send(text + at, bytes - at < PIECE ? bytes - at : PIECE, MPI_CHAR, to,
                       channel->tag, channel->comm);
    free(text);
}

/* Returns the table of a rank and of those that it received from, as text. NULL: no memory. */
static char *receive_text(const anypi_channel *channel, int from)
{
    char piece[PIECE];
    int bytes = 0;
    anypi_mpi.Recv(&bytes, 1, MPI_INT, from, channel->tag, channel->comm,
                   MPI_STATUS_IGNORE);
    char *text = anypi_realloc(NULL, (size_t) bytes + 1);
    for (int at = 0; at < bytes; at += PIECE) {
        const int length = bytes - at < PIECE ? bytes - at : PIECE;
        anypi_mpi.Recv(piece, length, MPI_CHAR, from, channel->tag, channel->comm,
                       MPI_STATUS_IGNORE);
        if (text)
            memcpy(text + at, piece, (size_t) length);
    }
    if (text)
        text[bytes] = '\0';
    return text;
}

/* Receives such a table and adds it. Returns false if some ranks are lost. */
static bool receive_table(const anypi_channel *channel, int from)
{
    anypi_record other = { 0 };
    char message[256];
    char *text = receive_text(channel, from);
    const bool good = text &&
        anypi_record_parse(&other, text, message, sizeof message) == ANYP_SUCCESS &&
        anypi_record_add(&anypi_recorder_all.record, &other) == ANYP_SUCCESS;
    anypi_record_free(&other);
    anypi_free(text);
    return good;
}

void anypi_recorder_finish(void)
{
    anypi_recorder *all = &anypi_recorder_all;
    anypi_record *record = &all->record;
    const int p = all->world->p, rank = all->world->rank;
    anypi_channel_need(&all->world->channel, all->world->user);
    anypi_channel channel = all->world->channel;
    if (channel.missing) {
        channel.comm = all->world->user;
        channel.tag = TAG;
    }
    bool good = true;
    sum_up(all);
    anypi_record_join(record, ANYPI_RECORD_KINDS);
    for (int bit = 1; bit < p; bit *= 2) {
        if (rank & bit) {
            send_table(&channel, rank - bit);
            return;
        }
        if (rank + bit < p) {
            good = receive_table(&channel, rank + bit) && good;
            anypi_record_join(record, ANYPI_RECORD_KINDS);
        }
    }
    if (!good)
        fprintf(stderr, "anyp: ANYP_RECORD=%s: some ranks had no memory for their calls; the "
                "record lacks these calls\n", file.name);
    record->complete = true;
    if (!file.failed)
        write_record(record);
}

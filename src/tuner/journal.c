/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/journal.h"

#include "tuner/text_file.h"
#include "schedule/memory.h"
#include "select/jsonc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct record {
    struct json_object *line;
    bool taken;
} record;

struct anypi_journal {
    char name[PATH_MAX];
    int file;
    record *records;            /* of the run that is continued */
    int count, room;
    int found;                  /* the record that anypi_journal_find() found */
    int bad;                    /* number of bad lines */
};

static bool is_record(const struct json_object *line)
{
    struct json_object *at;
    return anypi_json_member(line, "of", json_type_string) &&
        anypi_json_member(line, "got", json_type_object) &&
        json_object_object_get_ex(line, "at", &at) &&
        (json_object_is_type(at, json_type_double) || json_object_is_type(at, json_type_int));
}

/* May the two runs differ in this? Yes in the date. Yes in hosts: a batch job runs on other hosts
 * each time, which are of the same kind if all else is equal. Yes in the clock: some MPI libraries
 * do not always describe it in the same way. */
static bool may_differ(const char *key)
{
    static const char *const may[] = { "date", "host names", "kernel", "clock" };
    for (size_t i = 0; i < sizeof may / sizeof *may; i++)
        if (!strcmp(key, may[i]))
            return true;
    return false;
}

/* Writes into a message what differs between the old run and this one; false if nothing does. */
static bool differs(const char *name, struct json_object *old, struct json_object *run,
                    char *message, size_t size)
{
    json_object_object_foreach(run, key, value) {
        const char *now = json_object_get_string(value);
        struct json_object *member = anypi_json_member(old, key, json_type_string);
        const char *before = member ? json_object_get_string(member) : "";
        if (strcmp(before, now) && !may_differ(key)) {
            snprintf(message, size, "%s is of another run: %s was \"%s\" and is now \"%s\"; repeat "
                     "the first command, or remove the file", name, key, before, now);
            return true;
        }
    }
    return false;
}

/* Reads a whole line. The first one says to which run the journal belongs. */
static bool read_line(anypi_journal *j, const char *text, bool first, struct json_object *run,
                      char *message, size_t size)
{
    struct json_object *line = json_tokener_parse(text);
    if (first) {
        struct json_object *old = anypi_json_member(line, "run", json_type_object);
        const bool good = old && !differs(j->name, old, run, message, size);
        if (!old)
            snprintf(message, size, "%s is not what anyp-tune --save writes while it measures; "
                     "give another name", j->name);
        json_object_put(line);
        return good;
    }
    if (!is_record(line)) {
        j->bad++;
        json_object_put(line);
        return true;
    }
    record *records = anypi_grow(j->records, &j->room, j->count, sizeof *records);
    if (!records) {
        snprintf(message, size, "no memory");
        json_object_put(line);
        return false;
    }
    j->records = records;
    records[j->count++] = (record) { line, false };
    return true;
}

/* Reads what the old run has written, and truncates the file after its last whole line. */
static bool read_all(anypi_journal *j, struct json_object *run, char *message, size_t size)
{
    const char *reason;
    char *text = anypi_file_read(j->name, &reason);
    if (!text) {
        snprintf(message, size, "cannot read %s: %s", j->name, reason);
        return false;
    }
    bool good = true, first = true;
    char *line = text;
    for (char *end; good && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        good = read_line(j, line, first, run, message, size);
        first = false;
    }
    j->bad += *line != '\0';
    if (good && first) {
        snprintf(message, size, "%s contains no complete line; remove it", j->name);
        good = false;
    }
    if (good && ftruncate(j->file, line - text)) {
        snprintf(message, size, "cannot write %s: %s", j->name, strerror(errno));
        good = false;
    }
    if (good && j->bad)
        snprintf(message, size, "%d of the lines of %s are damaged and left out", j->bad, j->name);
    free(text);
    return good;
}

static bool write_line(const anypi_journal *j, struct json_object *line)
{
    const char *text = line ? json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN) : NULL;
    char *whole;
    if (!text || asprintf(&whole, "%s\n", text) < 0)
        return false;
    const bool written = anypi_file_put(j->file, whole);
    const int error = errno;
    free(whole);
    errno = error;
    return written;
}

static bool begin(const anypi_journal *j, struct json_object *run)
{
    struct json_object *line = json_object_new_object();
    if (line) {
        json_object_object_add(line, "anyp-tune-journal", json_object_new_int(1));
        json_object_object_add(line, "run", json_object_get(run));
    }
    const bool written = write_line(j, line);
    json_object_put(line);
    return written;
}

/* Locks the file, so that no other run uses it while this one lives. A lock of fcntl() is valid on
 * all nodes of a shared file system. A lock of an open file, unlike one of a process, lasts until
 * this file is closed. A file system without locks is no reason to refuse. */
static bool lock(const anypi_journal *j, char *message, size_t size)
{
    struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    if (!fcntl(j->file, F_OFD_SETLK, &whole) || (errno != EAGAIN && errno != EACCES))
        return true;
    snprintf(message, size, "%s is in use by another run of anyp-tune: wait until that run has "
             "ended, or give another name with --save", j->name);
    return false;
}

/* Opens and locks the file; creates it if the run does not continue an old one. */
static bool open_file(anypi_journal *j, const char *file, bool resume, char *message, size_t size)
{
    const int flags = O_RDWR | O_APPEND | O_CLOEXEC;
    j->file = open(j->name, flags | (resume ? 0 : O_CREAT | O_EXCL), 0666);
    const int error = errno;
    const bool exists = j->file < 0 && error == EEXIST;
    if (exists)
        j->file = open(j->name, flags);         /* to see whether the other run lives */
    if (j->file >= 0 && !lock(j, message, size))
        return false;
    if (exists)
        snprintf(message, size, "%s contains the times of a run that did not end: continue with "
                 "--resume %s, or remove it", j->name, file);
    else if (j->file < 0)
        snprintf(message, size, "cannot open %s: %s", j->name, strerror(error));
    return j->file >= 0 && !exists;
}

anypi_journal *anypi_journal_open(const char *file, struct json_object *run, bool resume,
                                  char *message, size_t size)
{
    anypi_journal *j = calloc(1, sizeof *j);
    snprintf(message, size, "%s", j && run ? "" : "no memory");
    bool good = j && run;
    if (j)
        j->file = -1;
    if (good && snprintf(j->name, sizeof j->name, "%s.part", file) >= (int) sizeof j->name) {
        snprintf(message, size, "the name of the file to write is too long: --save");
        good = false;
    }
    good = good && open_file(j, file, resume, message, size);
    if (good && resume) {
        good = read_all(j, run, message, size);
    } else if (good && !begin(j, run)) {
        snprintf(message, size, "cannot write %s: %s", j->name, strerror(errno));
        unlink(j->name);                /* nothing in it can be continued */
        good = false;
    }
    json_object_put(run);
    if (good)
        return j;
    anypi_journal_close(j, false);
    return NULL;
}

struct json_object *anypi_journal_find(anypi_journal *j, const char *of)
{
    for (j->found = 0; j->found < j->count; j->found++) {
        const record *one = &j->records[j->found];
        if (!one->taken &&
            !strcmp(json_object_get_string(anypi_json_member(one->line, "of", json_type_string)),
                    of))
            return anypi_json_member(one->line, "got", json_type_object);
    }
    return NULL;
}

bool anypi_journal_read(struct json_object *got, const char *name, double *result, int *outcome)
{
    struct json_object *pair = anypi_json_member(got, name, json_type_array);
    if (!pair || json_object_array_length(pair) != 2)
        return false;
    *result = json_object_get_double(json_object_array_get_idx(pair, 0));
    *outcome = json_object_get_int(json_object_array_get_idx(pair, 1));
    return true;
}

double anypi_journal_take(anypi_journal *journal, double *clock)
{
    record *one = &journal->records[journal->found];
    struct json_object *at = NULL;
    one->taken = true;
    json_object_object_get_ex(one->line, "clock", &at);
    *clock = json_object_get_double(at);
    json_object_object_get_ex(one->line, "at", &at);
    return json_object_get_double(at);
}

void anypi_journal_put(struct json_object *got, const char *name, double result, int outcome)
{
    struct json_object *pair = json_object_new_array();
    char digits[40];
    snprintf(digits, sizeof digits, "%.17g", result);
    json_object_array_add(pair, json_object_new_double_s(result, digits));
    json_object_array_add(pair, json_object_new_int(outcome));
    json_object_object_add(got, name, pair);
}

bool anypi_journal_append(anypi_journal *journal, const char *of, double at,
                          double clock, struct json_object *got)
{
    struct json_object *line = json_object_new_object();
    json_object_object_add(line, "of", json_object_new_string(of));
    json_object_object_add(line, "at", json_object_new_double(at));
    json_object_object_add(line, "clock", json_object_new_double(clock));
    json_object_object_add(line, "got", got);
    const bool written = write_line(journal, line);
    json_object_put(line);
    return written;
}

void anypi_journal_close(anypi_journal *journal, bool done)
{
    if (!journal)
        return;
    if (journal->file >= 0)
        close(journal->file);
    if (done)
        unlink(journal->name);
    for (int i = 0; i < journal->count; i++)
        json_object_put(journal->records[i].line);
    anypi_free(journal->records);
    free(journal);
}

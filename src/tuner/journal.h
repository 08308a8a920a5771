/* SPDX-License-Identifier: BSD-3-Clause
 *
 * journal.h - what a run of anyp-tune has measured so far, in a file beside that of --save: a line
 * is appended for each measurement as soon as it is known. A run that was killed is done again by
 * --resume, with the old results as long as it asks for the same: so it comes to the same choices.
 *
 *   {"anyp-tune-journal": 1, "run": {"MPI": "...", "processes": "...", ...}}
 *   {"of": "time, 8 calls: p=13, allreduce, sum, 1024 bytes", "at": 12.5,
 *    "clock": 1234.5, "got": {"anyp_ring ports=1": [0.00012, 0], ...}}
 *
 * "at" is the time that the run had used, in seconds, and "clock" what the caller's clock said; the
 * two numbers are a result and an outcome, whose meaning is the caller's.
 */
#ifndef ANYPI_JOURNAL_H_INCLUDED
#define ANYPI_JOURNAL_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

struct json_object;

typedef struct anypi_journal anypi_journal;

/* Begins the journal FILE.part of the times FILE, or goes on with it. `run` says what must be the
 * same in both runs but for dates, names of hosts, kernel and clock, a text for each name; becomes
 * the journal's. Bad lines are left out, and *message says how many there were; otherwise it is
 * empty. NULL and a message (one line) if the file cannot be written or read, is of another run, is
 * used by a run that lives or, if a new one begins, exists. */
anypi_journal *anypi_journal_open(const char *file, struct json_object *run, bool resume,
                                  char *message, size_t size);
/* The "got" of the first record of `of` that was not taken; NULL: there is none. */
struct json_object *anypi_journal_find(anypi_journal *journal, const char *of);
/* Reads a result in it; false if there is no such name. */
bool anypi_journal_read(struct json_object *got, const char *name, double *result, int *outcome);
/* Takes the record that was found last. Returns its "at", and its "clock". */
double anypi_journal_take(anypi_journal *journal, double *clock);
/* Adds a result to the "got" of a new record. */
void anypi_journal_put(struct json_object *got, const char *name, double result, int outcome);
/* Appends a record; `got` becomes the journal's. False: it could not be written. */
bool anypi_journal_append(anypi_journal *journal, const char *of, double at,
                          double clock, struct json_object *got);
/* Closes the journal; done: removes it, since the times are in their file. NULL: nothing. */
void anypi_journal_close(anypi_journal *journal, bool done);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * journal.h - the measurements of a run of anyp-tune so far, in a file beside that of --save. Each
 * measurement is appended as a line as soon as it is known. After a run was killed, --resume runs
 * it again. As long as the new run requests the same measurements, it receives the old results. So
 * it comes to the same choices.
 *
 *   {"anyp-tune-journal": 1, "run": {"MPI": "...", "processes": "...", ...}}
 *   {"of": "time, 8 calls: p=13, allreduce, sum, 1024 bytes", "at": 12.5,
 *    "clock": 1234.5, "got": {"anyp_ring ports=1": [0.00012, 0], ...}}
 *
 * "at" is the time that the run had used, in seconds, and "clock" the value of the caller's clock.
 * The two numbers are a result and an outcome, whose meaning is the caller's.
 */
#ifndef ANYPI_JOURNAL_H_INCLUDED
#define ANYPI_JOURNAL_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

struct json_object;

typedef struct anypi_journal anypi_journal;

/* Starts the journal FILE.part of the timing file FILE, or continues it. `run` contains a text for
 * each name and becomes the journal's. Both runs must agree in it, except in dates, names of hosts,
 * kernel and clock. Bad lines are left out, and *message says how many there were; otherwise it is
 * empty. Returns NULL and a message (one line) if the file cannot be written or read, belongs to
 * another run, is used by a living run or, if a new one is to be started, exists. */
anypi_journal *anypi_journal_open(const char *file, struct json_object *run, bool resume,
                                  char *message, size_t size);
/* Returns the "got" of the first record of `of` that was not taken; NULL: there is none. */
struct json_object *anypi_journal_find(anypi_journal *journal, const char *of);
/* Reads a result in "got"; false if there is no such name. */
bool anypi_journal_read(struct json_object *got, const char *name, double *result, int *outcome);
/* Takes the record that was found last. Returns its "at", and sets *clock to its "clock". */
double anypi_journal_take(anypi_journal *journal, double *clock);
/* Adds a result to the "got" of a new record. */
void anypi_journal_put(struct json_object *got, const char *name, double result, int outcome);
/* Appends a record; `got` becomes the journal's. False: it could not be written. */
bool anypi_journal_append(anypi_journal *journal, const char *of, double at,
                          double clock, struct json_object *got);
/* Closes the journal. `done`: also removes it, since the timing file is complete. NULL is
 * allowed. */
void anypi_journal_close(anypi_journal *journal, bool done);

#endif

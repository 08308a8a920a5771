/* SPDX-License-Identifier: BSD-3-Clause
 *
 * files.h - the files that the tuner writes and reads.
 */
#ifndef ANYPI_FILES_H_INCLUDED
#define ANYPI_FILES_H_INCLUDED

#include "tuner/choose.h"

struct json_object;

/* ---- decision_file.c ---- */

/* The text of the decision file; `origin` (where and when; lines) becomes a comment at its head.
 * Free it with free(); NULL if there is no memory. The file has no rules where the library's choice
 * is best, and for reduce_scatters whose blocks differ, since only equal ones are measured. */
char *anypi_write_decision(const anypi_plan *plan, const anypi_regions *regions,
                           const char *origin);

/* ---- saved_times.c ---- */

/* The times of anypi_plan_saves() as text, for a later join; `run`: what describes the machine and
 * the run (machine.c), or NULL; `origin`: the same for people. Free it with free(); NULL if there
 * is no memory. */
char *anypi_times_write(const anypi_plan *plan, struct json_object *run, const char *origin);
/* Reads the collective, operator kind and bytes of a cell in JSON; false if one is missing. */
bool anypi_cell_read(struct json_object *object, anypi_cell *cell);
/* Reads `count` >= 1 such files and fills an empty plan as anypi_times_join() does. Returns their
 * texts, to be freed with anypi_times_free(), and notes in the message, as there; NULL and a
 * message (one line) if that fails. Free the plan with anypi_plan_free() in any case. */
char **anypi_times_read(anypi_plan *plan, const char *const *files, int count, bool mixed,
                        char *message, size_t size);
void anypi_times_free(char **texts, int count);
/* The origin in such a text, to be freed with free(). */
char *anypi_times_origin(const char *text);
/* Fills an empty plan from `count` >= 1 such texts; a cell in several of them comes from the last.
 * files[] are their names, for messages. False and a message (one line) if they cannot be joined:
 * one is something else or of another kind of machine (unless `mixed`), or none of its cells can be
 * read. True: the message has notes, about cells that were left out for example, a line each, or
 * nothing. Free the plan with anypi_plan_free() in any case. */
bool anypi_times_join(anypi_plan *plan, const char *const *texts, const char *const *files,
                      int count, bool mixed, char *message, size_t size);

/* ---- machine.c ---- */

/* Do two runs describe the same kind of machine, so that their times can be compared? If not, *text
 * (one line) names what differs; if they do, what is worth a note, or nothing. Times are exact in a
 * simulator, where only the software counts. */
bool anypi_machine_same(struct json_object *one, bool exact, struct json_object *other,
                        bool other_exact, char *text, size_t size);

/* ---- text_file.c: files that are written completely or not at all ---- */

/* The whole of a regular file as text, to be freed with free(); NULL with *reason. A byte order
 * mark is left out, as editors may add one. Does not wait for a writer of a named pipe. */
char *anypi_file_read(const char *name, const char **reason);
/* Do two names mean the same file, also one that is not there yet? */
bool anypi_file_same(const char *one, const char *other);
/* Can the file, the value of `option`, be written? Otherwise false and a message (one line). */
bool anypi_file_writable(const char *name, const char *option, char *message, size_t size);
/* Replaces the file by the text, atomically: an interruption leaves the old file. Of a link, the
 * file that it means. The mode stays. False and a message (one line) if that fails. */
bool anypi_file_replace(const char *name, const char *option, const char *text, char *message,
                        size_t size);

#endif

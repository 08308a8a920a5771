/* SPDX-License-Identifier: BSD-3-Clause
 *
 * files.h - the files that the tuner writes and reads.
 */
#ifndef ANYPI_FILES_H_INCLUDED
#define ANYPI_FILES_H_INCLUDED

#include "plan/plan.h"

/* ---- decision_file.c ---- */

/* The decision file's text; `origin` (where and when; lines) becomes a comment at its head. Free it
 * with free(); NULL if there is no memory. A p between two that were measured follows the nearer
 * one (the smaller if both are as near), a size likewise by ratio. Beyond the largest p, below half
 * of the smallest, and where the library's choice was best, the file says nothing. */
char *anypi_write_decision(const anypi_plan *plan, const char *origin);

/* ---- saved_times.c ---- */

/* What was measured of the complete p, for a later join; `origin` says where. Free it with free();
 * NULL if there is no memory. */
char *anypi_times_write(const anypi_plan *plan, const char *origin);
/* What such a text says of where and when; free() it. */
char *anypi_times_origin(const char *text);
/* Makes an empty plan of `count` >= 1 such texts: of a cell that is in several, the last. files[]
 * are their names, for the message (one line) if one of them is something else. Free the plan with
 * anypi_plan_free() in any case. */
bool anypi_times_join(anypi_plan *plan, const char *const *texts, const char *const *files,
                      int count, char *message, size_t size);

/* ---- text_file.c: a file that is there whole or not at all ---- */

/* The whole file as text, free() it; NULL (errno says why). */
char *anypi_file_read(const char *name);
/* The path of share/anyp/`name` in the tree that this program is installed in; returns path. */
char *anypi_file_installed(const char *name, char *path, size_t size);
/* Can a file of that name be written, which `option` gave? Otherwise false and a message (one
 * line). */
bool anypi_file_writable(const char *name, const char *option, char *message, size_t size);
/* Puts the text in place of the file in one step; an interruption leaves the old file and nothing
 * else. False and a message (one line) if that fails. */
bool anypi_file_replace(const char *name, const char *option, const char *text, char *message,
                        size_t size);

#endif

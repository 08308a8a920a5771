/* SPDX-License-Identifier: BSD-3-Clause
 *
 * timing_file.h - writes the times of a run to a timing file (--save), reads the file of a run that
 * is to be continued (--resume), and reads several timing files as one plan (--join). FORMAT: one
 * line for the head and one for each cell, so damage affects only its own line (the lines here are
 * broken):
 *
 *   {"anyp-tune": 2, "run": {"date": "...", "MPI": "...", ...}, "measured": "...",
 *    "only-anyp": false, "exact": false, "nonblocking": false,
 *    "networks": ["1000,500,12500,0", ...], "cells": 40}
 *   {"collective": "allreduce", "commutative": true, "p": 13, "nodes": "2x5,3", "bytes": 1024,
 *    "times": {"auto": [seconds, ...], "anyp_butterfly threshold=auto ...": [...]}}
 *
 * - "run" says where, when and how (measure/describe_run.c): texts by names. A join compares them,
 *   since times of different machines do not belong into one decision file. "complete": "yes" is
 *   present if the run has measured everything.
 * - "measured" is the same for people.
 * - "cells" is their number; it shows whether a file is cut off.
 * - "networks" are the constants of the machine (algorithms/network.h): of one node, of nodes whose
 *   ranks are consecutive, and of others; each for operators that commute and that do not. Of
 *   several files, the first one with constants counts.
 * - A time that was not measured in a round is null.
 * - "stake" and "program calls" are present if a cell was measured for a program (cells.h),
 *   "arrivals": [late, early, chance, latest] (arrivals.h) if the program's ranks arrive apart,
 *   "uneven": "ramp" (analysis/uneven.h) if its blocks differ. "nodes" is present if nodes matter.
 * Only cells that were measured are saved. Files of nonblocking collectives ("iallreduce") are
 * joined only with each other.
 */
#ifndef ANYPI_TIMING_FILE_H_INCLUDED
#define ANYPI_TIMING_FILE_H_INCLUDED

#include "tuner/cells.h"

struct json_object;

enum { ANYPI_TIMES_VERSION = 2 };

/* Returns the times of all cells that were measured as text, for a later join. `run` describes the
 * machine and the run (above), or is NULL; `origin` is the same for people. Free the text with
 * free(); NULL if there is no memory. */
char *anypi_times_write(const anypi_plan *plan, struct json_object *run, const char *origin);
enum { ANYPI_MOST_RANKS = 1 << 24 };            /* of a job; a larger number is damage */
/* Reads the collective, operator kind and bytes of a cell in JSON; false if one is missing, or if
 * no vector has as many bytes. */
bool anypi_cell_read(struct json_object *object, anypi_cell *cell);
/* Reads the timing file of an earlier run that `run` continues, as anypi_times_join() does. The two
 * must agree (anypi_same_run()). */
bool anypi_times_resume(anypi_plan *plan, const char *file, struct json_object *run, char *message,
                        size_t size);
/* Returns the origin in a head; "" if it has none. */
const char *anypi_times_origin(struct json_object *head);
/* Fills an empty plan from `count` >= 1 timing files, or from their texts (NULL: reads the files).
 * If several contain a cell, the last one counts. Returns false and a message (one line) if they
 * cannot be joined: one is no timing file or belongs to another kind of machine (unless `mixed`),
 * or none of its cells can be read. Otherwise sets *heads (NULL: not wanted) to an array of their
 * heads, to be freed with json_object_put(). Then the message contains notes, for example about
 * cells that were left out, a line each, or is empty. Free the plan with anypi_plan_free() in any
 * case. */
bool anypi_times_join(anypi_plan *plan, const char *const *texts, const char *const *files,
                      int count, bool mixed, struct json_object **heads, char *message,
                      size_t size);

/* ---- same_run.c ---- */

/* Do two runs describe the same kind of machine, so that their times can be compared? Jobs of
 * several sizes, on different hosts of one cluster, do. Equal must be the kind of the hosts, the
 * software, and whether ranks are bound. If they are not, *text (one line) names the difference;
 * otherwise *text is a note, or empty. In a simulator, whose times are exact, only the software
 * counts. */
bool anypi_same_machine(struct json_object *one, bool exact, struct json_object *other,
                        bool other_exact, char *text, size_t size);
/* Does a run measure the same calls on the same kind of machine as an older one? If not, *text (one
 * line) names the first difference. Hosts may differ: a batch job runs on others each time. */
bool anypi_same_run(struct json_object *old, struct json_object *run, char *text, size_t size);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * timing_file.h - the times of a run as a file (--save), and several such files as one plan
 * (--join). FORMAT: a line for the head and a line for each cell, so that damage costs its own line
 * only (here broken):
 *
 *   {"anyp-tune": 2, "run": {"date": "...", "MPI": "...", ...}, "measured": "...",
 *    "only-anyp": false, "exact": false, "nonblocking": false,
 *    "networks": ["1000,500,12500,0", ...], "cells": 40}
 *   {"collective": "allreduce", "commutative": true, "p": 13, "nodes": "2x5,3", "bytes": 1024,
 *    "times": {"auto": [seconds, ...], "anyp_butterfly threshold=0 ...": [...]},
 *    "same": {"anyp_butterfly threshold=1024 ...": "anyp_butterfly threshold=0 ..."}}
 *
 * The run says where, when and how (measure/records.c): texts by names, which a join compares,
 * since times of different machines do not belong into one decision file. "measured" is the same
 * for people. "cells" is their number, by which a file is known to be cut off. Networks are the
 * constants of the machine (algorithms/network.h) of one node, of nodes whose ranks are
 * consecutive, and of others, each for operators that commute and that do not; of several files,
 * the first that has some gives them. "disturbed": true is for readers: see noise.h. A time that
 * was not measured in a round is null. "stake" is there if a cell was measured for a program
 * (cells.h), "arrivals": [late, early, chance, latest] (arrivals.h) if its ranks come apart, and
 * "uneven": "ramp" (analysis/uneven.h) if its blocks differ. Nodes are there if they matter. Only
 * complete numbers of processes are saved, and after a signal of the last one the collectives that
 * were measured at all sizes. Files of nonblocking collectives ("iallreduce") are joined by
 * themselves.
 */
#ifndef ANYPI_TIMING_FILE_H_INCLUDED
#define ANYPI_TIMING_FILE_H_INCLUDED

#include "tuner/cells.h"

struct json_object;

enum { ANYPI_TIMES_VERSION = 2 };

/* The times of anypi_plan_saves() as text, for a later join; `run`: what describes the machine and
 * the run (above), or NULL; `origin`: the same for people. Free it with free(); NULL if
 * there is no memory. */
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

#endif

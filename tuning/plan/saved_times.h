/* SPDX-License-Identifier: BSD-3-Clause
 *
 * saved_times.h - what was measured as a file (--save), and several of them as one plan (--join):
 *
 *   {"anyp-tune": 1, "measured": "...", "only-anyp": false, "exact": false,
 *    "cells": [{"collective": "allreduce", "commutative": true, "p": 13, "bytes": 1024,
 *               "times": {"auto": [seconds, ...], "anyp_butterfly threshold=0 ...": [...]},
 *               "same": {"anyp_butterfly threshold=1024 ...": "anyp_butterfly threshold=0 ..."}}]}
 *
 * A time that was not taken in a round is null. Only complete numbers of processes are kept.
 */
#ifndef ANYPI_SAVED_TIMES_H_INCLUDED
#define ANYPI_SAVED_TIMES_H_INCLUDED

#include "plan/plan.h"

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

#endif

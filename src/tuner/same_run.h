/* SPDX-License-Identifier: BSD-3-Clause
 *
 * same_run.h - decides whether the times of two runs can be compared, and whether a run
 * continues another.
 */
#ifndef ANYPI_SAME_RUN_H_INCLUDED
#define ANYPI_SAME_RUN_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

struct json_object;

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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * same_machine.h - whether the times of two runs can be compared.
 */
#ifndef ANYPI_SAME_MACHINE_H_INCLUDED
#define ANYPI_SAME_MACHINE_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

struct json_object;

/* Do two runs describe the same kind of machine, so that their times can be compared? Jobs of
 * several sizes, on different hosts of one cluster, do: what must be equal is the kind of the
 * hosts, the software, and whether ranks are bound. If not, *text (one line) names what differs; if
 * they do, what is worth a note, or nothing. Times are exact in a simulator, where only the
 * software counts. */
bool anypi_same_machine(struct json_object *one, bool exact, struct json_object *other,
                        bool other_exact, char *text, size_t size);

#endif

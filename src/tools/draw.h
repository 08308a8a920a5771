/* SPDX-License-Identifier: BSD-3-Clause
 *
 * draw.h - a set of schedules as a picture: ranks from top to bottom, time from left to right.
 *
 * Every message takes one unit of time, whatever its size (alpha = 1, beta = gamma = 0), and begins
 * when both its ends are in the rounds that have it. An arrow is a message. A text at its tail
 * names its blocks, and a bar at its head is the vector with these blocks filled. If no message has
 * more than one block, colours distinguish blocks; else they distinguish what is reduced from what
 * is passed on. A rank's line is dashed between sending all its data and receiving again, and ends
 * with a dot where the rank has its result. (As in the figures of Rabenseifner & Träff 2004 and
 * Lowery & Langou 2013.) In a barrier there are no blocks and no results: only ranks, messages and
 * time.
 */
#ifndef ANYPI_TOOL_DRAW_H_INCLUDED
#define ANYPI_TOOL_DRAW_H_INCLUDED

#include "tools/described_calls.h"

/* A picture with more messages is refused. */
enum { DRAW_MAX_MESSAGES = 20000 };

/* Writes the set of `call` to `file` as SVG, with a title. ANYP_ERR_MEMORY; ANYP_ERR_ARGUMENT if
 * there are too many messages; ANYP_ERR_SCHEDULE if the set is wrong. Then nothing is written.
 * Errors of the file are left in ferror(). */
anyp_status anypi_draw(const anyp_schedule *set, const anyp_call *call, const char *title,
                       FILE *file);

/* anyp schedule --svg: draws the schedules of `call` into the file of the option. A file that
 * exists is replaced when the new picture is complete, and otherwise kept. Returns TOOL_GOOD, or
 * another status after an error message. */
int anypi_tool_picture(const tool_options *options, const tool_call *call);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * draw_svg.h - draws a set of schedules: ranks from top to bottom, time from left to right.
 *
 * Every message takes one unit of time, whatever its size (alpha = 1, beta = gamma = 0). It begins
 * when both its ends are in the rounds that contain it.
 * - An arrow is a message. The bar behind its head is the vector, with the message's blocks filled.
 *   If there is room, a text at the arrow's tail names the blocks.
 * - If no message has more than one block, colours distinguish blocks. Otherwise they distinguish
 *   messages that are reduced from messages that are forwarded.
 * - A rank's line is dashed from sending all its data until receiving again. It ends with a dot if
 *   the rank has its result.
 * (As in the figures of Rabenseifner & Träff 2004 and Lowery & Langou 2013.) A barrier has no
 * blocks and no results: its picture shows only ranks, messages and time.
 */
#ifndef ANYPI_TOOL_DRAW_SVG_H_INCLUDED
#define ANYPI_TOOL_DRAW_SVG_H_INCLUDED

#include "tools/described_calls.h"

/* A picture with more messages is refused. */
enum { DRAW_MAX_MESSAGES = 20000 };

/* Draws the set of `call` into `file` as SVG, with a title. ANYP_ERR_MEMORY; ANYP_ERR_ARGUMENT if
 * there are too many messages; ANYP_ERR_SCHEDULE if the set is wrong. After these errors nothing
 * has been written. Errors of the file are left in ferror(). */
anyp_status anypi_draw(const anyp_schedule *set, const anyp_call *call, const char *title,
                       FILE *file);

/* For anyp schedule --svg: draws the schedules of `call` into the file of the option. An existing
 * file is only replaced when the new picture is complete. Returns TOOL_GOOD, or another status
 * after an error message. */
int anypi_tool_picture(const tool_options *options, const tool_call *call);

#endif

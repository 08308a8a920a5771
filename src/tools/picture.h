/* SPDX-License-Identifier: BSD-3-Clause
 *
 * picture.h - `anyp schedule --svg`: the picture of all ranks, into a file.
 */
#ifndef ANYPI_TOOL_PICTURE_H_INCLUDED
#define ANYPI_TOOL_PICTURE_H_INCLUDED

#include "tools/calls.h"

/* Draws the schedules of `call` into the file of --svg. A file that is there already is replaced
 * when the new picture is complete, and otherwise kept. Returns TOOL_GOOD, or another status after
 * a complaint. */
int anypi_tool_picture(const tool_options *options, const tool_call *call);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * loader.h - what the dynamic loader says of a program's shared libraries. The program is not run.
 * A file may be anything: what it says is checked before it is used.
 */
#ifndef ANYPI_TOOL_LOADER_H_INCLUDED
#define ANYPI_TOOL_LOADER_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

/* Why nothing can be preloaded into a program. */
typedef enum tool_obstacle {
    OBSTACLE_NONE,              /* it can, or this is no program */
    OBSTACLE_FOREIGN,           /* it is for another kind of processor than this program */
    OBSTACLE_STATIC             /* the dynamic loader does not see it */
} tool_obstacle;

/* Asks the loader of the program, or for a library the loader of this program, which libraries the
 * file asks for, directly and through each other. What the loader prints goes into text, cut to its
 * size: their names are words of it, nearest first, also those that are not found. Text is "" if
 * the file has no such loader. */
tool_obstacle anypi_loader_ask(const char *path, char *text, size_t size);

/* Is the file a shared library for this kind of processor? */
bool anypi_loader_is_library(const char *path);

/* Has a library that LD_PRELOAD names so, for this process as well, that function itself? */
bool anypi_loader_preloads(const char *name, const char *function);

#endif

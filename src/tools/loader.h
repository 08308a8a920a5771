/* SPDX-License-Identifier: BSD-3-Clause
 *
 * loader.h - asks the dynamic loader for a program's shared libraries. The program is not run. The
 * file may have any content: it is checked before it is used.
 */
#ifndef ANYPI_TOOL_LOADER_H_INCLUDED
#define ANYPI_TOOL_LOADER_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

/* Why nothing can be preloaded into a program. */
typedef enum tool_obstacle {
    OBSTACLE_NONE,              /* it can, or the file is no program */
    OBSTACLE_FOREIGN,           /* the program is for another kind of processor than this one */
    OBSTACLE_STATIC             /* it does not use the dynamic loader */
} tool_obstacle;

/* Asks the loader of the program, or for a library the loader of this program, which libraries the
 * file needs, directly and through each other. The loader's output is stored in text, cut to its
 * size: the names are words of it, nearest first, also those that are not found. Text is "" if the
 * file has no such loader. */
tool_obstacle anypi_loader_ask(const char *path, char *text, size_t size);

/* Is the file a shared library for this kind of processor? */
bool anypi_loader_is_library(const char *path);

/* Does the library of this name in LD_PRELOAD, which this process has loaded, too, define that
 * function itself? */
bool anypi_loader_preloads(const char *name, const char *function);

#endif

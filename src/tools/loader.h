/* SPDX-License-Identifier: BSD-3-Clause
 *
 * loader.h - asks the dynamic loader which shared libraries a program needs. The program is not
 * run. The file may have any content: it is checked before it is used.
 */
#ifndef ANYPI_TOOL_LOADER_H_INCLUDED
#define ANYPI_TOOL_LOADER_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

/* The reason why nothing can be preloaded into a program. */
typedef enum tool_obstacle {
    OBSTACLE_NONE,              /* it is possible, or the file is no program */
    OBSTACLE_FOREIGN,           /* the program is for another kind of processor than this one */
    OBSTACLE_STATIC             /* it does not use the dynamic loader */
} tool_obstacle;

/* Asks a loader which libraries the file needs, directly and through each other: the loader of the
 * program, or, for a library, the loader of this program. Stores the loader's output in text, cut
 * to its size. The names are words of it, nearest first, including libraries that are not found.
 * Text is "" if there is no such loader. */
tool_obstacle anypi_loader_ask(const char *path, char *text, size_t size);

/* Is the file a shared library for this kind of processor? */
bool anypi_loader_is_library(const char *path);

/* Does the library with this name in LD_PRELOAD define the function itself? This process has also
 * loaded the library. */
bool anypi_loader_preloads(const char *name, const char *function);

#endif

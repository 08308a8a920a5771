/* SPDX-License-Identifier: BSD-3-Clause
 *
 * loader.h - asks this program's dynamic loader which shared libraries a program needs. Neither the
 * program nor the loader that it names is run. The file may have any content.
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

/* Asks the loader which libraries the file needs, directly and through each other. Stores its
 * output in text, cut to its size. The names are words of it, nearest first, including libraries
 * that are not found. Text is "", or a message, if the file is no dynamic program or library. */
tool_obstacle anypi_loader_ask(const char *path, char *text, size_t size);

/* Is the file a shared library for this kind of processor? */
bool anypi_loader_is_library(const char *path);

/* Does the library with this name in LD_PRELOAD define the function itself? This process has also
 * loaded the library. */
bool anypi_loader_preloads(const char *name, const char *function);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plugin.h - where libanyp.so of a family of MPIs lies, and what puts it in front of a program.
 */
#ifndef ANYPI_TOOL_PLUGIN_H_INCLUDED
#define ANYPI_TOOL_PLUGIN_H_INCLUDED

#include "tools/mpi.h"
#include "tools/options.h"

#include <limits.h>

/* The absolute path of --plugin, or else of the family's libanyp.so: of the build tree that the
 * tool is run from, or where both were installed. Returns TOOL_GOOD, or another status after a
 * complaint. */
int anypi_plugin_find(const tool_options *options, tool_family family, char path[PATH_MAX]);

/* LD_PRELOAD's new value, to be freed: what it had, and the plug-in behind it; other libanyp.so go.
 * Who was there first goes on to see every call. Those that it makes with PMPI functions, as tools
 * do, do not get to the plug-in: warns of libraries that have an MPI_Allreduce. NULL if there is no
 * memory. */
char *anypi_plugin_preload(const tool_options *options, const char *before, const char *plugin);

#endif

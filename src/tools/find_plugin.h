/* SPDX-License-Identifier: BSD-3-Clause
 *
 * find_plugin.h - finds the plug-in for a family of MPI libraries, and sets LD_PRELOAD to load it.
 */
#ifndef ANYPI_TOOL_PLUGIN_H_INCLUDED
#define ANYPI_TOOL_PLUGIN_H_INCLUDED

#include "tools/mpi_library.h"
#include "tools/tool_options.h"

#include <limits.h>

/* Sets the absolute path of --plugin; without it, of the family's plug-in, in the build tree of
 * this program or installed. Returns TOOL_GOOD, or another status after an error message. */
int anypi_plugin_find(const tool_options *options, tool_family family, char path[PATH_MAX]);

/* Returns the new value of LD_PRELOAD, to be freed: the old value without AnyP's plug-ins, and this
 * plug-in at the end. Libraries of the old value still receive every call first. If they continue
 * with PMPI functions, as tools do, the plug-in receives no calls. So it warns of libraries that
 * define MPI_Allreduce. NULL if there is no memory. */
char *anypi_plugin_preload(const tool_options *options, const char *before, const char *plugin);

#endif

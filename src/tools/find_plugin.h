/* SPDX-License-Identifier: BSD-3-Clause
 *
 * find_plugin.h - the path of the plug-in for a family of MPIs, and LD_PRELOAD, which loads it.
 */
#ifndef ANYPI_TOOL_PLUGIN_H_INCLUDED
#define ANYPI_TOOL_PLUGIN_H_INCLUDED

#include "tools/mpi_library.h"
#include "tools/tool_options.h"

#include <limits.h>

/* The absolute path of --plugin, or else of the family's plug-in: that of the build tree of this
 * program, or the installed one. Returns TOOL_GOOD, or another status after an error message. */
int anypi_plugin_find(const tool_options *options, tool_family family, char path[PATH_MAX]);

/* The new value of LD_PRELOAD, to be freed: the old one without AnyP's plug-ins, and this one.
 * Libraries of the old value still get every call first. If they continue with PMPI functions, as
 * tools do, the plug-in gets no calls: warns of libraries that have an MPI_Allreduce. NULL if there
 * is no memory. */
char *anypi_plugin_preload(const tool_options *options, const char *before, const char *plugin);

#endif

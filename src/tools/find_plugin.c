/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/find_plugin.h"

#include "tools/tool.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The characters that end a path in LD_PRELOAD. */
static const char separators[] = " :";

/* How users can install a family's library. */
static const char *const remedies[FAMILIES] = {
    "install AnyP's package libanyp-mpich, or configure AnyP with MPICH_MPICC=/path/to/mpicc of an "
    "MPICH (Debian: libmpich-dev), then make install. An MPICH with AnyP inside needs none: see "
    "anyp-variables(7)",
    "install AnyP's package libanyp-openmpi, or configure AnyP with OPENMPI_MPICC=/path/to/mpicc "
    "of an Open MPI (Debian: libopenmpi-dev), then make install",
    "configure AnyP with ABI_MPICC=/path/to/mpicc_abi of an MPI library that has the standard ABI "
    "(MPICH 5, Open MPI 6), then make install",
};

/* Sets the folder of the running program. */
static bool own_folder(char folder[PATH_MAX])
{
    if (!realpath("/proc/self/exe", folder))
        return false;
    *strrchr(folder, '/') = '\0';
    return true;
}

/* Sets the folder of installed plug-ins if this program was installed to `folder`. It has the same
 * path relative to `folder` as in configure, since a tree may have been installed with DESTDIR, or
 * moved. */
static bool installed_folder(const char *folder, char plugins[PATH_MAX])
{
    static const char programs[] = ANYP_BINDIR;
    static const char configured[] = ANYP_LIBDIR;
    size_t common = 0;
    for (size_t i = 0; programs[i] && programs[i] == configured[i]; i++)
        if (programs[i] == '/')
            common = i;
    const char *rest = programs + common;       /* "/bin" */
    const size_t length = strlen(folder), width = strlen(rest);
    if (length < width || strcmp(folder + length - width, rest))
        return false;
    return snprintf(plugins, PATH_MAX, "%.*s%s", (int) (length - width), folder,
                    configured + common) < PATH_MAX;
}

/* Does the folder contain the family's library? If so, sets its real path. */
static bool find_in(const char *folder, tool_family family, char path[PATH_MAX])
{
    char name[PATH_MAX];
    return snprintf(name, sizeof name, "%s/libanyp-%s.so.1", folder, anypi_family_names[family]) <
        PATH_MAX && realpath(name, path);
}

static int check(const tool_options *options, const char *path)
{
    if (!anypi_loader_is_library(path))
        return anypi_tool_complain(options, TOOL_BAD, "%s is no shared library for this kind of "
                                   "processor", path);
    if (strpbrk(path, separators))
        return anypi_tool_complain(options, TOOL_BAD, "%s: LD_PRELOAD takes no path with blanks or "
                                   "colons; name a link to it with --plugin", path);
    return TOOL_GOOD;
}

int anypi_plugin_find(const tool_options *options, tool_family family, char path[PATH_MAX])
{
    const char *named = options->word[OPTION_PLUGIN];
    char folder[PATH_MAX], plugins[PATH_MAX];
    while (named && !strncmp(named, "./", 2))
        named += 2;
    if (named) {
        /* links are not resolved: the path of the file behind them may contain a blank */
        const bool whole = *named == '/';
        if ((!whole && !getcwd(folder, sizeof folder)) ||
            snprintf(path, PATH_MAX, "%s%s%s", whole ? "" : folder, whole ? "" : "/", named) >=
            PATH_MAX)
            return anypi_tool_complain(options, TOOL_BAD, "--plugin %s: its path is too long",
                                       named);
        if (access(path, R_OK))
            return anypi_tool_complain(options, TOOL_BAD, "--plugin %s: %s", named,
                                       strerror(errno));
        return check(options, path);
    }
    const bool known = own_folder(folder);
    if ((known && snprintf(plugins, sizeof plugins, "%s/plugin/%s", folder,
                           anypi_family_names[family]) < PATH_MAX &&
         find_in(plugins, family, path)) ||
        (known && installed_folder(folder, plugins) && find_in(plugins, family, path)) ||
        find_in(ANYP_LIBDIR, family, path))
        return check(options, path);
    return anypi_tool_complain(options, TOOL_BAD, "there is no %s/libanyp-%s.so.1 for %s: %s; or "
                               "name the file with --plugin", ANYP_LIBDIR,
                               anypi_family_names[family], anypi_family_titles[family],
                               remedies[family]);
}

/* Is an entry of LD_PRELOAD a plug-in of AnyP? */
static bool is_plugin(const char *entry)
{
    static const char any[] = "libanyp-";
    const char *slash = strrchr(entry, '/');
    return !strncmp(slash ? slash + 1 : entry, any, sizeof any - 1);
}

char *anypi_plugin_preload(const tool_options *options, const char *before, const char *plugin)
{
    char *entries = strdup(before);
    char *value = malloc(strlen(before) + strlen(plugin) + 2);
    char *end = value, *rest;
    for (char *entry = entries && value ? strtok_r(entries, separators, &rest) : NULL; entry;
         entry = strtok_r(NULL, separators, &rest)) {
        if (is_plugin(entry))
            continue;
        end = stpcpy(stpcpy(end, entry), ":");
        if (anypi_loader_preloads(entry, "MPI_Allreduce"))
            anypi_tool_complain(options, 0, "warning: %s in LD_PRELOAD also has an MPI_Allreduce, "
                                "and receives every call first; if it calls PMPI_Allreduce, as "
                                "tools do, AnyP receives none: remove it to run AnyP", entry);
    }
    if (entries && value)
        strcpy(end, plugin);
    free(entries);
    return entries ? value : NULL;
}

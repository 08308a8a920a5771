/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp run - runs a command with the plug-in in front of its MPI library: finds out which library
 * that is, sets LD_PRELOAD and AnyP's variables, and executes the command.
 */
#include "tools/plugin_settings.h"
#include "tools/tool.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOT_RUNNABLE = 126, NOT_FOUND = 127 };   /* as in sh and env */

static const char plain_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";

/* Prints a blank and a word, quoted for a shell. */
static void print_word(const char *word)
{
    putchar(' ');
    if (*word && !word[strspn(word, plain_letters)]) {
        printf("%s", word);
        return;
    }
    putchar('\'');
    for (; *word; word++)
        printf(*word == '\'' ? "'\\''" : "%c", *word);
    putchar('\'');
}

static void print_command(const tool_settings *settings, char *const *words)
{
    printf("env");
    for (int i = 0; i < settings->count; i++)
        print_word(settings->text[i]);
    for (int i = 0; words[i]; i++)
        print_word(words[i]);
    putchar('\n');
}

static int cannot_run(const tool_options *options, const char *word, int error)
{
    return anypi_tool_complain(options, error == ENOENT ? NOT_FOUND : NOT_RUNNABLE, "%s: %s", word,
                               strerror(error));
}

/* Reports why no family was found. */
static int complain(const tool_options *options, const tool_mpi *mpi)
{
    char *const *words = options->operands;
    if (!mpi->runnable)
        return cannot_run(options, *words, !strchr(*words, '/') || access(*words, F_OK) ? ENOENT :
                          EACCES);
    static const char link[] = "build it with AnyP: mpicc ... $(pkg-config --libs anyp-mpich), or "
        "anyp-openmpi, anyp-abi";
    if (mpi->program == FAMILY_OTHER && strstr(mpi->library, "ilp64"))
        return anypi_tool_complain(options, TOOL_BAD, "%s needs %s, whose functions take 64-bit "
                                   "integers and bypass AnyP; build the program with 32-bit "
                                   "integers for MPI (LP64)",
                                   words[mpi->program_word], mpi->library);
    if (mpi->program == FAMILY_OTHER)
        return anypi_tool_complain(options, TOOL_BAD, "%s needs %s, an MPI library that AnyP does "
                                   "not know; if it has the ABI of MPICH (libmpi.so.12), of Open "
                                   "MPI (libmpi.so.40) or of the MPI standard (libmpi_abi.so.1), "
                                   "name this ABI with --mpi",
                                   words[mpi->program_word], mpi->library);
    if (mpi->obstacle_word >= 0 && mpi->obstacle == OBSTACLE_STATIC)
        return anypi_tool_complain(options, TOOL_BAD, "%s is linked statically, so the plug-in "
                                   "cannot be loaded in front of its MPI; link it dynamically, or "
                                   "%s",
                                   words[mpi->obstacle_word], link);
    if (mpi->obstacle_word >= 0)
        return anypi_tool_complain(options, TOOL_BAD, "%s is for another kind of processor than "
                                   "anyp; use an AnyP that was built for it",
                                   words[mpi->obstacle_word]);
    return anypi_tool_complain(options, TOOL_BAD, "no MPI found: no word of the command is a "
                               "program that needs an MPI library%s; name the MPI with --mpi "
                               "mpich, --mpi openmpi or --mpi abi. (If the program contains a "
                               "static MPI, link it dynamically, or %s)",
                               mpi->launcher_word < 0 ? "" :
                               ", and the launcher is not known", link);
}

/* Warns of what is probably wrong. */
static void warn(const tool_options *options, const tool_mpi *mpi, tool_family family)
{
    char *const *words = options->operands;
    if (mpi->launcher < FAMILIES && mpi->program < FAMILIES && mpi->launcher != mpi->program &&
        mpi->program != FAMILY_ABI)     /* the standard ABI works with any launcher */
        anypi_tool_complain(options, 0, "warning: %s is for %s, but %s is the launcher of %s: "
                            "every process may run alone", words[mpi->program_word],
                            anypi_family_titles[mpi->program], words[mpi->launcher_word],
                            anypi_family_titles[mpi->launcher]);
    else if (mpi->program == FAMILY_UNKNOWN && mpi->obstacle_word > mpi->launcher_word &&
             mpi->obstacle == OBSTACLE_STATIC)
        anypi_tool_complain(options, 0, "warning: %s is linked statically, so AnyP does not run "
                            "in it; if it is the MPI program, link it with $(pkg-config --libs "
                            "anyp-%s)", words[mpi->obstacle_word], anypi_family_names[family]);
    for (int i = 0; words[i]; i++)
        if (!strncmp(words[i], "LD_PRELOAD=", 11))
            anypi_tool_complain(options, 0, "warning: the command sets LD_PRELOAD itself, which "
                                "may remove the plug-in");
}

/* Sets the family of the command's MPI, and how it was found. */
static int find_family(const tool_options *options, const tool_mpi *mpi, tool_family *family,
                       char *how, size_t size)
{
    const char *named = options->word[OPTION_MPI];
    char *const *words = options->operands;
    if (named) {
        *family = anypi_family_find(named);
        snprintf(how, size, "--mpi");
        if (*family == FAMILY_UNKNOWN)
            return anypi_tool_misuse(options, "--mpi %s: expected mpich, openmpi or abi", named);
        if (mpi->program < FAMILIES && mpi->program != *family)
            return anypi_tool_complain(options, TOOL_BAD, "--mpi %s: but %s needs %s, which is %s; "
                                       "write --mpi %s, or omit --mpi", named,
                                       words[mpi->program_word], mpi->library,
                                       anypi_family_titles[mpi->program],
                                       anypi_family_names[mpi->program]);
        return TOOL_GOOD;
    }
    if (mpi->program < FAMILIES) {
        *family = mpi->program;
        snprintf(how, size, "%s needs %s", words[mpi->program_word], mpi->library);
    } else if (mpi->program == FAMILY_UNKNOWN && mpi->launcher < FAMILIES) {
        *family = mpi->launcher;
        snprintf(how, size, "%s is its launcher", words[mpi->launcher_word]);
    } else {
        return complain(options, mpi);
    }
    return TOOL_GOOD;
}

/* ---- the plug-in ---- */

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

static int check_plugin(const tool_options *options, const char *path)
{
    if (!anypi_loader_is_library(path))
        return anypi_tool_complain(options, TOOL_BAD, "%s is no shared library for this kind of "
                                   "processor", path);
    if (strpbrk(path, separators))
        return anypi_tool_complain(options, TOOL_BAD, "%s: LD_PRELOAD takes no path with blanks or "
                                   "colons; name a link to it with --plugin", path);
    return TOOL_GOOD;
}

/* Sets the absolute path of --plugin; without it, of the family's plug-in, in the build tree of
 * this program or installed. Returns TOOL_GOOD, or another status after an error message. */
static int find_plugin(const tool_options *options, tool_family family, char path[PATH_MAX])
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
        return check_plugin(options, path);
    }
    const bool known = anypi_tool_folder(folder);
    if ((known && snprintf(plugins, sizeof plugins, "%s/plugin/%s", folder,
                           anypi_family_names[family]) < PATH_MAX &&
         find_in(plugins, family, path)) ||
        (known && installed_folder(folder, plugins) && find_in(plugins, family, path)) ||
        find_in(ANYP_LIBDIR, family, path))
        return check_plugin(options, path);
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

/* Returns the new value of LD_PRELOAD, to be freed: the old value without AnyP's plug-ins, and this
 * plug-in at the end. Libraries of the old value still receive every call first. If they continue
 * with PMPI functions, as tools do, the plug-in receives no calls. So it warns of libraries that
 * define MPI_Allreduce. NULL if there is no memory. */
static char *preload_with(const tool_options *options, const char *before, const char *plugin)
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

/* ---- the command ---- */

static int prepare(const tool_options *options, tool_settings *settings, char ***words)
{
    tool_mpi mpi;
    tool_family family = FAMILY_UNKNOWN;
    char how[PATH_MAX], plugin[PATH_MAX];
    anypi_mpi_of(options->operands, &mpi);
    const char *first = options->operands[0];
    if (options->given[OPTION_VERBOSE] && !mpi.runnable && *first >= '0' && *first <= '9' &&
        !first[1])
        return anypi_tool_misuse(options, "%s is no command; write the level of --verbose as "
                                 "--verbose=2", first);
    int status = find_family(options, &mpi, &family, how, sizeof how);
    if (status == TOOL_GOOD)
        status = anypi_tool_settings_read(options, settings);
    if (status == TOOL_GOOD)
        status = anypi_tool_settings_check(options);
    if (status == TOOL_GOOD)
        status = find_plugin(options, family, plugin);
    if (status != TOOL_GOOD)
        return status;
    const char *before = getenv("LD_PRELOAD");
    char *preload = preload_with(options, before ? before : "", plugin);
    status = anypi_tool_settings_set(options, settings, "LD_PRELOAD", preload);
    free(preload);
    if (status == TOOL_GOOD)
        status = anypi_tool_settings_forward(options, settings, &mpi, words);
    if (status == TOOL_GOOD) {
        warn(options, &mpi, family);
        anypi_tool_settings_warn(options, family);
        if (options->given[OPTION_DRY_RUN])
            printf("# %s: %s\n", anypi_family_titles[family], how);
    }
    return status;
}

static int run(const tool_options *options)
{
    tool_settings settings = { .count = 0 };
    char **words = NULL;
    const int status = prepare(options, &settings, &words);
    if (status != TOOL_GOOD)
        return status;
    if (options->given[OPTION_DRY_RUN]) {
        print_command(&settings, words);
        return TOOL_GOOD;
    }
    execvp(words[0], words);
    return cannot_run(options, words[0], errno);
}

const tool_command anypi_tool_run = {
    .name = "run",
    .summary = "run an MPI program with AnyP in front of its MPI library",
    .operands = "[--] COMMAND [ARGUMENT]...",
    .operands_minimum = 1,
    .operands_maximum = INT32_MAX,
    .executes = true,
    .accepts = OPTION_BIT(MPI) | OPTION_BIT(PLUGIN) | OPTION_BIT(TUNING_FILE) |
        OPTION_BIT(ALGORITHM) | OPTION_BIT(NETWORK) | OPTION_BIT(RECORD) | OPTION_BIT(VERBOSE) |
        OPTION_BIT(STRICT) | OPTION_BIT(REPRODUCIBLE) | OPTION_BIT(DRY_RUN),
    .description =
        "COMMAND is an MPI program, or a launcher with its options and the program. anyp run\n"
        "loads AnyP's plug-in in front of the program's MPI library: it appends the file\n"
        "libanyp-FAMILY.so.1 to LD_PRELOAD.\n\n"
        "The family of MPI libraries (mpich, openmpi or abi) is found from the libraries that\n"
        "the first MPI program in COMMAND needs, directly or through others. If there is no\n"
        "such program (a script, Python), the launcher decides. Nothing is run to find it.\n"
        "--mpi names the family.\n\n"
        "The options set variables of the plug-in; see libanyp(7). All variables are checked\n"
        "before COMMAND is run. If nothing chooses an algorithm, a line on stderr says so,\n"
        "and the MPI library's algorithms run.\n\n"
        "Open MPI's launcher forwards the variables to other nodes by\n"
        "OMPI_MCA_mca_base_env_list, or by -x options if COMMAND has some. Launchers of\n"
        "MPICH's kind, and srun, forward all variables.\n\n"
        "--record works with any algorithms, also those of the MPI library. To see the record:\n"
        "`anyp report FILE`.\n",
    .examples = "  anyp run --tuning-file tuned.json -- mpiexec -n 13 ./program\n"
        "  anyp run --algorithm allreduce=butterfly:threshold=0 -- mpirun -n 13 ./program\n"
        "  mpiexec -n 13 anyp run --tuning-file tuned.json --verbose -- ./program\n"
        "  anyp run --record calls.json -- mpiexec -n 13 ./program\n"
        "  anyp run --reproducible -- mpirun -n 13 ./program\n"
        "  anyp run --mpi openmpi --tuning-file tuned.json -- srun -n 13 python3 program.py\n",
    .statuses = "that of COMMAND; 127 COMMAND is not found; 126 COMMAND cannot be run; 1 no\n"
        "plug-in for its MPI, or a wrong file; 2 wrong command line",
    .run = run,
};

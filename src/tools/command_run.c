/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp run - runs a command with the plug-in in front of its MPI library: finds out which library
 * that is, sets LD_PRELOAD and AnyP's variables, and executes the command.
 */
#include "tools/find_plugin.h"
#include "tools/plugin_settings.h"
#include "tools/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOT_RUNNABLE = 126, NOT_FOUND = 127 };   /* as in sh and env */

static const char plain_letters[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";

/* Prints a word, quoted for a shell. */
static void print_word(const char *word)
{
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
    for (int i = 0; i < settings->count; i++) {
        putchar(' ');
        print_word(settings->text[i]);
    }
    for (int i = 0; words[i]; i++) {
        putchar(' ');
        print_word(words[i]);
    }
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
        return *family != FAMILY_UNKNOWN ? TOOL_GOOD
            : anypi_tool_misuse(options, "--mpi %s: expected mpich, openmpi or abi", named);
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

static int prepare(const tool_options *options, tool_settings *settings, char ***words)
{
    tool_mpi mpi;
    tool_family family;
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
        status = anypi_plugin_find(options, family, plugin);
    if (status != TOOL_GOOD)
        return status;
    const char *before = getenv("LD_PRELOAD");
    char *preload = anypi_plugin_preload(options, before ? before : "", plugin);
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
    .accepts = OPTION_BIT(OPTION_MPI) | OPTION_BIT(OPTION_PLUGIN) |
        OPTION_BIT(OPTION_TUNING_FILE) | OPTION_BIT(OPTION_ALGORITHM) |
        OPTION_BIT(OPTION_NETWORK) | OPTION_BIT(OPTION_RECORD) |
        OPTION_BIT(OPTION_VERBOSE) | OPTION_BIT(OPTION_STRICT) | OPTION_BIT(OPTION_REPRODUCIBLE) |
        OPTION_BIT(OPTION_DRY_RUN),
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

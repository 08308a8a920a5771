/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp run - a command with libanyp.so in front of its MPI: finds out which MPI that is, sets
 * LD_PRELOAD and AnyP's variables, and becomes the command.
 */
#include "tools/plugin.h"
#include "tools/settings.h"
#include "tools/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOT_RUNNABLE = 126, NOT_FOUND = 127 };   /* as sh and env have it */

static const char usual[] =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";

/* A word as a shell reads it back. */
static void print_word(const char *word)
{
    if (*word && !word[strspn(word, usual)]) {
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

/* Why there is no family. */
static int complain(const tool_options *options, const tool_mpi *mpi)
{
    char *const *words = options->operands;
    if (!mpi->runnable)
        return cannot_run(options, *words, !strchr(*words, '/') || access(*words, F_OK) ? ENOENT :
                          EACCES);
    static const char link[] = "with AnyP: mpicc ... $(pkg-config --libs anyp-mpich), or "
        "anyp-openmpi, anyp-abi";
    if (mpi->program == FAMILY_OTHER && strstr(mpi->library, "ilp64"))
        return anypi_tool_complain(options, TOOL_BAD, "%s asks for %s, whose functions take 64-bit "
                                   "integers and call past AnyP; build it with 32-bit integers for "
                                   "MPI (LP64)", words[mpi->program_word], mpi->library);
    if (mpi->program == FAMILY_OTHER)
        return anypi_tool_complain(options, TOOL_BAD, "%s asks for %s, the library of an MPI that "
                                   "AnyP has no build for; if you know that it has the ABI of "
                                   "MPICH (libmpi.so.12) or Open MPI (libmpi.so.40), or the "
                                   "standard's (libmpi_abi.so.1), say so with --mpi",
                                   words[mpi->program_word], mpi->library);
    if (mpi->odd_word >= 0 && mpi->odd == OBSTACLE_STATIC)
        return anypi_tool_complain(options, TOOL_BAD, "%s is linked statically: nothing can be put "
                                   "in front of its MPI; link it dynamically, or %s",
                                   words[mpi->odd_word], link);
    if (mpi->odd_word >= 0)
        return anypi_tool_complain(options, TOOL_BAD, "%s is for another kind of processor than "
                                   "anyp, and so needs another AnyP", words[mpi->odd_word]);
    return anypi_tool_complain(options, TOOL_BAD, "no MPI found: no word of the command is a "
                               "program that asks for an MPI library%s; say which with --mpi mpich, "
                               "--mpi openmpi or --mpi abi. (If MPI is inside the program, link "
                               "it dynamically, or %s)", mpi->launcher_word < 0 ? "" :
                               ", and the launcher is not known", link);
}

/* What looks wrong, but may be meant. */
static void warn(const tool_options *options, const tool_mpi *mpi, tool_family family)
{
    char *const *words = options->operands;
    if (mpi->launcher < FAMILIES && mpi->program < FAMILIES && mpi->launcher != mpi->program &&
        mpi->program != FAMILY_ABI)     /* whose library may be any launcher's */
        anypi_tool_complain(options, 0, "warning: %s is for %s, but %s is the launcher of %s, so "
                            "that every process may be alone", words[mpi->program_word],
                            anypi_family_titles[mpi->program], words[mpi->launcher_word],
                            anypi_family_titles[mpi->launcher]);
    else if (mpi->program == FAMILY_UNKNOWN && mpi->odd_word > mpi->launcher_word &&
             mpi->odd == OBSTACLE_STATIC)
        anypi_tool_complain(options, 0, "warning: %s is linked statically, and so does not get "
                            "AnyP; if it is the MPI program, link it with $(pkg-config --libs "
                            "anyp-%s)", words[mpi->odd_word], anypi_family_names[family]);
    for (int i = 0; words[i]; i++)
        if (!strncmp(words[i], "LD_PRELOAD=", 11))
            anypi_tool_complain(options, 0, "warning: the command sets LD_PRELOAD itself, and so "
                                "may lose AnyP's");
}

/* The command's family, and how it was found. */
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
        snprintf(how, size, "%s asks for %s", words[mpi->program_word], mpi->library);
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
        return anypi_tool_misuse(options, "%s is no command; the level of --verbose stands behind "
                                 "'=', as --verbose=2", first);
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
        status = anypi_tool_settings_hand_on(options, settings, &mpi, words);
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
    .sentence = "run a command with libanyp.so in front of its MPI",
    .operands = "[--] COMMAND [ARGUMENT]...",
    .operands_least = 1,
    .operands_most = INT32_MAX,
    .executes = true,
    .accepts = OPTION_BIT(OPTION_MPI) | OPTION_BIT(OPTION_PLUGIN) |
        OPTION_BIT(OPTION_TUNING_FILE) | OPTION_BIT(OPTION_ALGORITHM) |
        OPTION_BIT(OPTION_VERBOSE) | OPTION_BIT(OPTION_STRICT) | OPTION_BIT(OPTION_DRY_RUN),
    .description =
        "COMMAND is an MPI program, or a launcher with its options and the program. Which\n"
        "MPI it is, the libraries say that the first MPI program among the words asks for,\n"
        "directly or through others; if there is none (a script, Python), the launcher says\n"
        "it. No program is run to find out; the dynamic loader lists its libraries. LD_PRELOAD\n"
        "gets the libanyp.so for that MPI, behind what it has. So that other nodes get the\n"
        "variables, too, Open MPI's launcher is told by OMPI_MCA_mca_base_env_list, or by more\n"
        "-x options if the command has some.\n"
        "Launchers of MPICH's kind, and srun, hand on all variables by themselves.\n"
        "The options set variables of libanyp.so, which its manual explains. They and those\n"
        "that are set already are checked before the command is run. Where neither chooses an\n"
        "algorithm, nothing changes but for a line on stderr, which says so.\n",
    .examples = "  anyp run --tuning-file tuned.json -- mpiexec -n 13 ./program\n"
        "  anyp run --algorithm allreduce=butterfly:threshold=0 -- mpirun -n 13 ./program\n"
        "  mpiexec -n 13 anyp run --tuning-file tuned.json --verbose -- ./program\n"
        "  anyp run --mpi openmpi --tuning-file tuned.json -- srun -n 13 python3 program.py\n",
    .statuses = "the command's; 127 it is not found, 126 it cannot be run; 1 nothing to\n"
        "preload, or a bad file; 2 wrong command line",
    .run = run,
};

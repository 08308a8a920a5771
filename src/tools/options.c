/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/options.h"

#include "select/text.h"
#include "tools/tool.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* A LEVEL is an optional number, the minimum if it is left out. A REPEATED option may be given
 * several times. */
typedef enum kind { FLAG, NUMBER, LEVEL, SIZE, REAL, WORD, REPEATED } kind;

/* Largest number of processes. The memory limits the schedules that commands build (calls.h). */
#define MAX_P 1000000
#define MAX_BYTES (INT64_C(1) << 52)  /* exact in a double, and sums of them in 64 bits */
#define MAX_REAL 1e100         /* times bytes and rounds, and still finite */

static const struct {
    const char *name;
    char letter;                /* 0: none */
    kind kind;
    int64_t minimum, maximum, default_value;      /* NUMBER, LEVEL and SIZE */
    const char *argument;
    const char *help;
} table[TOOL_OPTIONS] = {
    [OPTION_PROCESSES] = { "processes", 'p', NUMBER, 1, MAX_P, 0, "P", "number of processes" },
    [OPTION_MAX_P] = { "max-p", 0, NUMBER, 1, MAX_P, 64, "P",
                       "every number of processes from 1 to P" },
    [OPTION_RANK] = { "rank", 'r', NUMBER, 0, MAX_P - 1, 0, "R", "only this rank" },
    [OPTION_ROOT] = { "root", 0, NUMBER, 0, MAX_P - 1, 0, "R", "the root of reduce" },
    [OPTION_PARAM] = { "param", 'P', REPEATED, 0, 0, 0, "NAME=VALUE",
                       "a parameter of the algorithm; may be repeated" },
    [OPTION_COUNT] = { "count", 'c', SIZE, 0, MAX_BYTES, 0, "N",
                       "elements of the whole vector (K, M, G: times 1024, ...)" },
    [OPTION_TYPE_SIZE] = { "type-size", 't', NUMBER, 1, INT32_MAX, 1, "B", "bytes of one element" },
    [OPTION_BYTES] = { "bytes", 'm', SIZE, 0, MAX_BYTES, 0, "M",
                       "bytes of the whole vector (K, M, G: times 1024, ...)" },
    [OPTION_IN_PLACE] = { "in-place", 0, FLAG, 0, 0, 0, NULL,
                          "the call is in place (MPI_IN_PLACE)" },
    [OPTION_NON_COMMUTATIVE] = { "non-commutative", 0, FLAG, 0, 0, 0, NULL,
                                 "the operator does not commute" },
    [OPTION_USER_OP] = { "user-op", 0, FLAG, 0, 0, 0, NULL, "the operator is the user's own" },
    [OPTION_ALPHA] = { "alpha", 0, REAL, 0, 0, 0, "A", "time to start a message" },
    [OPTION_BETA] = { "beta", 0, REAL, 0, 0, 0, "B", "time to send a byte" },
    [OPTION_GAMMA] = { "gamma", 0, REAL, 0, 0, 0, "G", "time to reduce a byte" },
    [OPTION_OVERHEAD] = { "overhead", 0, REAL, 0, 0, 0, "O",
                          "time of a message at each of its ends" },
    [OPTION_EAGER] = { "eager", 0, FLAG, 0, 0, 0, NULL,
                       "messages are sent at once, and share ports" },
    [OPTION_SKEW] = { "skew", 0, REAL, 0, 0, 0, "S",
                      "time over which the entries of the ranks are spread" },
    [OPTION_HIERARCHY] = { "hierarchy", 0, WORD, 0, 0, 0, "KIND",
                           "the communicator: flat, parent, node or node_roots" },
    [OPTION_PPN] = { "ppn", 0, NUMBER, 1, MAX_P, 1, "N",
                     "processes per node (default: all on one node)" },
    [OPTION_IRREGULAR] = { "irregular", 0, FLAG, 0, 0, 0, NULL,
                           "blocks of different sizes (reduce_scatter)" },
    [OPTION_SCATTERED] = { "scattered", 0, FLAG, 0, 0, 0, NULL,
                           "the ranks of a node do not follow each other" },
    [OPTION_THREADS] = { "threads", 0, FLAG, 0, 0, 0, NULL, "MPI_THREAD_MULTIPLE is in force" },
    [OPTION_INTER] = { "inter", 0, FLAG, 0, 0, 0, NULL, "an intercommunicator" },
    [OPTION_BEST] = { "best", 0, FLAG, 0, 0, 0, NULL,
                      "the fastest algorithm and its best parameters" },
    [OPTION_ALL] = { "all", 'a', FLAG, 0, 0, 0, NULL, "every algorithm" },
    [OPTION_JOBS] = { "jobs", 0, NUMBER, 1, 1024, 0, "N",
                      "processes that work (default: one per processor)" },
    [OPTION_PROGRESS] = { "progress", 0, FLAG, 0, 0, 0, NULL,
                          "progress every second even if stderr is no terminal" },
    [OPTION_JSON] = { "json", 'j', FLAG, 0, 0, 0, NULL, "answer in JSON" },
    [OPTION_SVG] = { "svg", 0, WORD, 0, 0, 0, "FILE", "draw a picture into FILE ('-': stdout)" },
    [OPTION_MPICH] = { "mpich", 0, WORD, 0, 0, 0, "WHICH",
                       "names of this MPICH: the prefix of one with AnyP inside, its "
                       "share/anyp/mpich.json, or a release like 5.0 (default: the one that anyp is "
                       "installed with, else 4.0)" },
    [OPTION_MPI] = { "mpi", 0, WORD, 0, 0, 0, "FAMILY",
                     "the family of the MPI, mpich, openmpi or abi, instead of finding it out" },
    [OPTION_PLUGIN] = { "plugin", 0, WORD, 0, 0, 0, "FILE",
                        "this libanyp.so instead of the installed one" },
    [OPTION_TUNING_FILE] = { "tuning-file", 0, WORD, 0, 0, 0, "FILE",
                             "choose algorithms by this decision file (ANYP_TUNING_FILE)" },
    [OPTION_ALGORITHM] = { "algorithm", 0, REPEATED, 0, 0, 0, "COLLECTIVE=NAME",
                           "this algorithm for all calls of the collective; parameters may follow "
                           "as :PARAMETER=VALUE; may be repeated (ANYP_<COLLECTIVE>_ALGORITHM)" },
    [OPTION_VERBOSE] = { "verbose", 'v', LEVEL, 1, 2, 0, "LEVEL",
                         "log which algorithm runs, and why; 2: also a summary (ANYP_VERBOSE)" },
    [OPTION_STRICT] = { "strict", 0, FLAG, 0, 0, 0, NULL,
                        "a wrong file or variable is an error (ANYP_STRICT)" },
    [OPTION_DRY_RUN] = { "dry-run", 'n', FLAG, 0, 0, 0, NULL,
                         "print the command with its settings, for a shell, and do not run it" },
};

enum { CODE_HELP = 'h', CODE_FIRST = 256 };

/* The options of a command in the two forms of getopt. */
typedef struct getopt_tables {
    struct option long_options[TOOL_OPTIONS + 2];
    char letters[2 * TOOL_OPTIONS + 5];
} getopt_tables;

static void describe(const tool_command *command, getopt_tables *accepted)
{
    struct option *out = accepted->long_options;
    char *letters = accepted->letters;
    if (command->executes)
        *letters++ = '+';       /* options end at the first operand */
    *letters++ = ':';           /* distinguishes a missing argument from an unknown option */
    *letters++ = 'h';
    for (int i = 0; i < TOOL_OPTIONS; i++) {
        if (!(command->accepts & OPTION_BIT(i)))
            continue;
        *out++ = (struct option) { table[i].name,
                                   table[i].kind == FLAG ? no_argument :
                                   table[i].kind == LEVEL ? optional_argument : required_argument,
                                   NULL, CODE_FIRST + i };
        if (table[i].letter) {
            *letters++ = table[i].letter;
            if (table[i].kind != FLAG && table[i].kind != LEVEL)
                *letters++ = ':';
        }
    }
    *out++ = (struct option) { "help", no_argument, NULL, CODE_HELP };
    *out = (struct option) { 0 };
    *letters = '\0';
}

/* The option of a code that getopt returned (or left in optopt), or -1. */
static int option_of(int code)
{
    if (code >= CODE_FIRST)
        return code - CODE_FIRST;
    for (int i = 0; i < TOOL_OPTIONS; i++)
        if (code && table[i].letter == code)
            return i;
    return -1;
}

/* The whole of `text` as a number in [minimum, maximum], followed by K, M or G if `units`. */
static bool read_number(const char *text, bool units, int64_t minimum, int64_t maximum,
                        int64_t *number)
{
    char *rest;
    if (*text != '-' && *text != '+' && (*text < '0' || *text > '9'))
        return false;           /* strtoll would skip blanks */
    errno = 0;
    const long long value = strtoll(text, &rest, 10);
    if (errno || rest == text)
        return false;
    int64_t unit = 1;
    if (units && *rest && strchr("KMG", *rest)) {
        unit = *rest == 'K' ? 1 << 10 : *rest == 'M' ? 1 << 20 : 1 << 30;
        rest++;
    }
    if (*rest || value < minimum / unit || value > maximum / unit)
        return false;
    *number = value * unit;
    return true;
}

static bool read_real(const char *text, double *real)
{
    char *rest;
    if (*text != '.' && (*text < '0' || *text > '9'))
        return false;           /* no sign, blank, "inf" or "nan" */
    *real = strtod(text, &rest);
    return rest != text && !*rest && *real <= MAX_REAL;
}

static int take(tool_options *options, int option, const char *text)
{
    options->given[option] = true;
    switch (table[option].kind) {
    case FLAG:
        return TOOL_GOOD;
    case LEVEL:
        if (!text) {
            options->number[option] = table[option].minimum;
            return TOOL_GOOD;
        }
        /* fall through */
    case NUMBER:
    case SIZE:
        if (read_number(text, table[option].kind == SIZE, table[option].minimum,
                        table[option].maximum, &options->number[option]))
            return TOOL_GOOD;
        return anypi_tool_misuse(options, "--%s: '%s' is not a whole number from %lld to %lld%s",
                                 table[option].name, text, (long long) table[option].minimum,
                                 (long long) table[option].maximum, table[option].kind == SIZE
                                 ? ", or one followed by K, M or G" : "");
    case REAL:
        if (read_real(text, &options->real[option]))
            return TOOL_GOOD;
        return anypi_tool_misuse(options, "--%s: '%s' is not a number from 0 to %g",
                                 table[option].name, text, MAX_REAL);
    case WORD:
        options->word[option] = text;
        return TOOL_GOOD;
    case REPEATED:
        if (options->params_count == TOOL_MAX_PARAMS)
            return anypi_tool_misuse(options, "more than %d --%s", TOOL_MAX_PARAMS,
                                     table[option].name);
        options->params[options->params_count++] = text;
        return TOOL_GOOD;
    }
    return TOOL_GOOD;
}

/* Reports an option that the command does not accept. */
static int refuse(const tool_options *options, const char *word)
{
    if (optopt == CODE_HELP || option_of(optopt) >= 0)
        return anypi_tool_misuse(options, "'%s' takes no value", word);
    if (optopt >= '0' && optopt <= '9' && (options->command->accepts & OPTION_BIT(OPTION_VERBOSE)))
        return anypi_tool_misuse(options, "unknown option '-%c'; a level is given as "
                                 "--verbose=2", optopt);
    if (optopt)
        return anypi_tool_misuse(options, "unknown option '-%c'", optopt);
    char name[64];
    anypi_nearest nearest;
    snprintf(name, sizeof name, "%.*s", (int) strcspn(word + 2, "="), word + 2);
    anypi_nearest_init(&nearest, name);
    for (int i = 0; i < TOOL_OPTIONS; i++)
        if (options->command->accepts & OPTION_BIT(i))
            anypi_nearest_try(&nearest, table[i].name);
    return anypi_tool_misuse(options, "unknown or ambiguous option '%s'%s%s%s", word,
                             *nearest.text ? "; did you mean --" : "", nearest.text,
                             *nearest.text ? "?" : "");
}

int anypi_tool_options_read(tool_options *options, const tool_command *command, int argc,
                            char **argv)
{
    *options = (tool_options) { .command = command };
    for (int i = 0; i < TOOL_OPTIONS; i++)
        options->number[i] = table[i].default_value;

    getopt_tables accepted;
    describe(command, &accepted);
    opterr = 0;
    for (;;) {
        const int code = getopt_long(argc, argv, accepted.letters, accepted.long_options, NULL);
        if (code == -1)
            break;
        if (code == CODE_HELP)
            return -1;
        if (code == ':')
            return anypi_tool_misuse(options, "'%s' needs a value", argv[optind - 1]);
        if (code == '?')
            return refuse(options, argv[optind - 1]);
        const int status = take(options, option_of(code), optarg);
        if (status != TOOL_GOOD)
            return status;
    }
    options->operands = argv + optind;
    options->operands_count = argc - optind;

    for (int i = 0; i < TOOL_OPTIONS; i++)
        if ((command->needs & OPTION_BIT(i)) && !options->given[i])
            return anypi_tool_misuse(options, "--%s is missing: %s", table[i].name,
                                     table[i].help);
    if (options->operands_count < command->operands_minimum)
        return anypi_tool_misuse(options, "%s expected", command->operands);
    if (options->operands_count > command->operands_maximum)
        return anypi_tool_misuse(options, "'%s' is too much",
                                 options->operands[command->operands_maximum]);
    return TOOL_GOOD;
}

tool_option_text anypi_tool_option_text(tool_option option)
{
    return (tool_option_text) { table[option].name, table[option].letter, table[option].argument,
                                table[option].kind == LEVEL, table[option].help };
}

enum { HELP_LEFT = 26, HELP_WIDTH = 100 };

/* Writes the line of an option; a long help continues below. */
static void help_line(FILE *file, const char *left, const char *help)
{
    fprintf(file, "  %-*s", HELP_LEFT, left);
    if (strlen(left) > HELP_LEFT)
        fprintf(file, "\n%*s", 2 + HELP_LEFT, "");
    int column = 2 + HELP_LEFT;
    for (const char *word = help; *word;) {
        const int width = (int) strcspn(word, " ");
        if (column + 1 + width > HELP_WIDTH) {
            fprintf(file, "\n%*s", 2 + HELP_LEFT, "");
            column = 2 + HELP_LEFT;
        }
        fprintf(file, " %.*s", width, word);
        column += 1 + width;
        word += width + strspn(word + width, " ");
    }
    fputc('\n', file);
}

void anypi_tool_help(const tool_command *command, FILE *file)
{
    fprintf(file, "anyp %s - %s\n\nUsage: anyp %s [OPTION]...%s%s\n\n%s\nOptions:\n", command->name,
            command->summary, command->name, *command->operands ? " " : "", command->operands,
            command->description);
    for (int i = 0; i < TOOL_OPTIONS; i++) {
        if (!(command->accepts & OPTION_BIT(i)))
            continue;
        char left[64], help[512];
        const tool_option_text text = anypi_tool_option_text((tool_option) i);
        const char letter[] = { '-', text.letter, ',', ' ', '\0' };
        snprintf(left, sizeof left, "%s--%s%s%s%s", text.letter ? letter : "    ", text.name,
                 !text.argument ? "" : text.is_optional ? "[=" : " ",
                 text.argument ? text.argument : "", text.is_optional ? "]" : "");
        snprintf(help, sizeof help, "%s%s", text.help,
                 command->needs & OPTION_BIT(i) ? " (needed)" : "");
        help_line(file, left, help);
    }
    help_line(file, "-h, --help", "print this text");
    fprintf(file, "\nExit status: %s.\n\nExamples:\n%s",
            command->statuses ? command->statuses : TOOL_STATUSES, command->examples);
}

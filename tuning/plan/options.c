/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/options.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char anypi_usage_synopsis[] = "mpiexec -n P anyp-tune [OPTION]...";

const char anypi_usage_description[] =
    "Measures AnyP's and the MPI library's algorithms on 2..P processes of this machine, checks\n"
    "their results, and writes a decision file: which algorithm serves which number of processes,\n"
    "operator and size. Run it as your jobs run: same nodes, same processes per node. (In a\n"
    "simulator it measures each time once.)\n";

const char anypi_usage_notes[] =
    "A p that was not measured follows the nearest one. Beyond the largest p, below half of the\n"
    "smallest, and where nothing is clearly faster, the MPI library keeps its choice. Decision\n"
    "files in the environment or installed are not used while measuring.\n";

const char anypi_usage_statuses[] =
    "0; 1 if something failed or a result was wrong; 2 for a wrong command line";

#define DEFAULT_OUTPUT "anyp-tuned.json"
#define DEFAULT_BUDGET "180"
#define DEFAULT_SIZES "16,256,2K,16K,128K,1M"

const anypi_option_row anypi_option_rows[] = {
    { 'o', "output", "FILE",
      "the decision file (default: " DEFAULT_OUTPUT "), replaced at the end" },
    { 'b', "budget", "SECONDS", "the maximum time to measure (default: " DEFAULT_BUDGET ")" },
    { 'c', "collectives", "LIST", "of allreduce, reduce, reduce_scatter, reduce_scatter_block "
      "(default: all that AnyP has an algorithm for)" },
    { 'p', "procs", "LIST", "numbers of processes, like 2-8,13 (default: all up to 8, then some "
      "between the powers of two, and P)" },
    { 's', "sizes", "LIST", "bytes of the vector, like 16,2K,1M (default: " DEFAULT_SIZES ")" },
    { 'O', "operators", "LIST", "of sum, matrix: operators that commute, that do not (default: "
      "both)" },
    { 'a', "only-anyp", NULL, "choose an algorithm of AnyP's wherever one serves, by the shortest "
      "time, and do not measure the MPI library's" },
    { 'A', "all", NULL, "measure all settings of all algorithms, also reference algorithms and "
      "those that the model calls hopeless: hundreds, to validate the model" },
    { 'S', "save", "FILE", "also save the times, for --join" },
    { 'j', "join", NULL, "do not measure: make one decision file of the files that other runs have "
      "saved, which follow the options" },
    { 'i', "most-messages", "N", "leave out algorithms with more than N messages in flight at "
      "once, of all ranks, for which a simulator may need minutes (default: any number)" },
    { 'k', "check-bytes", "BYTES", "in a simulator, check only the results of vectors up to this "
      "size, since that takes real time (default: all)" },
    { 'v', "cvars", "FILE", "with AnyP inside MPICH: its table of control variables (default: "
      "cvars.json in ../share/anyp beside the program)" },
    { 'm', "mpich", "WHICH", "the names of this MPICH's algorithms: the prefix of one with AnyP "
      "inside, its share/anyp/mpich.json, or a release like 5.0 (default: the one that anyp-tune "
      "is installed with, else 4.0)" },
    { 'V', "verbose", NULL, "print all times" },
    { 'h', "help", NULL, "print this" },
    { 0, NULL, NULL, NULL }
};

enum { MAX_OPTIONS = 31 };     /* of a program; there are fewer */

/* Writes an option's help from column 22 on, in lines of 100. */
static void print_help(FILE *file, const char *help)
{
    int column = 22;
    for (const char *word = help; *word;) {
        const int width = (int) strcspn(word, " ");
        if (word != help && column + 1 + width > 100) {
            fprintf(file, "\n%*s", 22, "");
            column = 22;
        } else if (word != help) {
            fputc(' ', file);
            column++;
        }
        fprintf(file, "%.*s", width, word);
        column += width;
        word += width + strspn(word + width, " ");
    }
    fputc('\n', file);
}

void anypi_option_help(const anypi_option_row *rows, FILE *file)
{
    for (const anypi_option_row *row = rows; row->name; row++) {
        char left[32];
        snprintf(left, sizeof left, "--%s %s", row->name, row->argument ? row->argument : "");
        fprintf(file, "  %-20s", left);
        print_help(file, row->help);
    }
}

void anypi_usage(FILE *file)
{
    fprintf(file, "usage: %s\n\n%s\n", anypi_usage_synopsis, anypi_usage_description);
    anypi_option_help(anypi_option_rows, file);
    fprintf(file, "\n%sExit status: %s.\n", anypi_usage_notes, anypi_usage_statuses);
}

int anypi_option_next(int argc, char **argv, const anypi_option_row *rows, char *message,
                      size_t size)
{
    struct option names[MAX_OPTIONS + 1] = { { 0 } };
    for (int i = 0; i < MAX_OPTIONS && rows[i].name; i++)
        names[i] = (struct option) { rows[i].name,
                                     rows[i].argument ? required_argument : no_argument, NULL,
                                     rows[i].code };
    opterr = 0;
    const int option = getopt_long(argc, argv, "h", names, NULL);
    if (option == '?')
        snprintf(message, size, "%s is no option or lacks its value; see --help", argv[optind - 1]);
    return option;
}

/* Reads a number with an optional K, M or G; -1 if there is none. */
static int64_t parse_number(const char **text)
{
    char *rest;
    if (!isdigit((unsigned char) **text))
        return -1;
    errno = 0;
    long long number = strtoll(*text, &rest, 10);
    const char *unit = *rest ? strchr("KMG", toupper((unsigned char) *rest)) : NULL;
    for (int power = unit ? (int) (unit - "KMG") + 1 : 0; unit && power > 0; power--)
        number = number > INT64_MAX / 1024 ? INT64_MAX : number * 1024;
    *text = unit ? rest + 1 : rest;
    return errno ? INT64_MAX : number;
}

/* Inserts a number into an ascending list; false if the list is full. */
static bool insert(int64_t *list, int *count, int64_t number)
{
    int index = 0;
    while (index < *count && list[index] < number)
        index++;
    if (index < *count && list[index] == number)
        return true;
    if (*count == ANYPI_MAX_LIST)
        return false;
    memmove(&list[index + 1], &list[index], (size_t) (*count - index) * sizeof *list);
    list[index] = number;
    (*count)++;
    return true;
}

int anypi_parse_list(const char *text, int64_t min, int64_t max, int64_t list[ANYPI_MAX_LIST],
                     const char **reason)
{
    int count = 0;
    for (;;) {
        const int64_t first = parse_number(&text);
        int64_t last = first;
        if (first >= 0 && *text == '-') {
            text++;
            last = parse_number(&text);
        }
        if (first < 0 || last < first || (*text && *text != ',')) {
            *reason = "not numbers and ranges with commas between them, like 2,3,5-8";
            return 0;
        }
        if (first < min || last > max) {
            *reason = "a number is out of range";
            return 0;
        }
        for (int64_t number = first; number <= last; number++)
            if (!insert(list, &count, number)) {
                *reason = "more than 64 numbers";
                return 0;
            }
        if (!*text)
            return count;
        text++;
    }
}

static bool read_procs(const char *text, int max, anypi_plan *plan, char *message, size_t size)
{
    const char *reason;
    int64_t list[ANYPI_MAX_LIST];
    if (!text) {
        plan->procs_count = anypi_default_procs(max, plan->procs);
        return true;
    }
    plan->procs_count = anypi_parse_list(text, 2, max, list, &reason);
    for (int i = 0; i < plan->procs_count; i++)
        plan->procs[i] = (int) list[i];
    if (!plan->procs_count)
        snprintf(message, size, "--procs %s: %s; the range is 2 to %d, mpiexec's -n", text, reason,
                 max);
    return plan->procs_count;
}

static bool read_sizes(const char *text, anypi_plan *plan, char *message, size_t size)
{
    const char *reason;
    plan->sizes_count = anypi_parse_list(text, 1, 1 << 30, plan->sizes, &reason);
    if (!plan->sizes_count)
        snprintf(message, size, "--sizes %s: %s; the range is 1 to 1G", text, reason);
    return plan->sizes_count;
}

/* Reads one number >= 0 that may end in K, M or G. */
static bool read_number(const char *option, const char *text, int64_t otherwise, int64_t *number,
                        char *message, size_t size)
{
    const char *rest = text;
    *number = text ? parse_number(&rest) : otherwise;
    if (text && (*number < 0 || *rest))
        snprintf(message, size, "%s %s: not a number, which may end in K, M or G", option, text);
    return !text || (*number >= 0 && !*rest);
}

/* Sets given[] for the words in a list; all of them without a list. */
static bool read_words(const char *option, const char *text, const char *const *words, int count,
                       bool *given, char *message, size_t size)
{
    for (int i = 0; i < count; i++)
        given[i] = !text;
    while (text && *text) {
        const size_t length = strcspn(text, ",");
        int i = 0;
        while (i < count && (strlen(words[i]) != length || strncmp(text, words[i], length)))
            i++;
        if (i == count) {
            int used = snprintf(message, size, "%s: there is no %.*s; name some of", option,
                                (int) (length < 60 ? length : 60), text);
            for (i = 0; i < count && used < (int) size; i++)
                used += snprintf(message + used, size - (size_t) used, "%s %s", i ? "," : "",
                                 words[i]);
            return false;
        }
        given[i] = true;
        text += length + (text[length] == ',');
    }
    return true;
}

static bool read_collectives(const char *text, anypi_plan *plan, char *message, size_t size)
{
    const char *names[ANYP_COLLECTIVES];
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        names[i] = anyp_collective_name((anyp_collective) i);
    return read_words("--collectives", text, names, ANYP_COLLECTIVES, plan->wanted, message, size);
}

static bool read_operators(const char *text, anypi_plan *plan, char *message, size_t size)
{
    static const char *const names[] = { "sum", "matrix" };
    bool given[2];
    const bool right = read_words("--operators", text, names, 2, given, message, size);
    for (int i = 0; i < 2; i++)
        plan->unwanted[i] = !given[i];
    return right;
}

static bool read_budget(const char *text, double *budget, char *message, size_t size)
{
    char *rest;
    *budget = strtod(text, &rest);
    if (rest != text && !*rest && *budget >= 1 && *budget <= 1e6)
        return true;
    snprintf(message, size, "--budget %s: not a number of seconds from 1 to 1000000", text);
    return false;
}

bool anypi_options_read(int argc, char **argv, int max, anypi_options *options, anypi_plan *plan,
                        char *message, size_t size)
{
    const char *procs = NULL, *sizes = DEFAULT_SIZES, *collectives = NULL, *budget = DEFAULT_BUDGET;
    const char *operators = NULL, *messages = NULL, *checked = NULL;
    bool join = false;
    *options = (anypi_options) { .output = DEFAULT_OUTPUT };
    for (int option; (option = anypi_option_next(argc, argv, anypi_option_rows, message, size))
         != -1;) {
        switch (option) {
        case 'o': options->output = optarg; break;
        case 'b': budget = optarg; break;
        case 'c': collectives = optarg; break;
        case 'p': procs = optarg; break;
        case 's': sizes = optarg; break;
        case 'v': options->cvars = optarg; break;
        case 'O': operators = optarg; break;
        case 'a': plan->only_anyp = true; break;
        case 'A': options->all = plan->reference = true; break;
        case 'S': options->save = optarg; break;
        case 'j': join = true; break;
        case 'm': options->mpich = optarg; break;
        case 'i': messages = optarg; break;
        case 'k': checked = optarg; break;
        case 'V': options->verbose = true; break;
        case 'h': options->help = true; return true;
        default: return false;
        }
    }
    options->join = join ? &argv[optind] : NULL;
    options->join_count = argc - optind;
    if (join && optind == argc) {
        snprintf(message, size, "--join: which files? name those that --save has written");
        return false;
    }
    if (!join && optind < argc) {
        snprintf(message, size, "%s is not an option; see --help", argv[optind]);
        return false;
    }
    return read_budget(budget, &options->budget, message, size) &&
        read_sizes(sizes, plan, message, size) &&
        read_collectives(collectives, plan, message, size) &&
        read_operators(operators, plan, message, size) &&
        read_number("--most-messages", messages, 0, &plan->max_messages, message, size) &&
        read_number("--check-bytes", checked, INT64_MAX, &plan->max_checked, message, size) &&
        (max < 2 || read_procs(procs, max, plan, message, size));
}

bool anypi_names_open(const char *which, char *message, size_t size)
{
    char reason[512];
    const anyp_status status = anypi_mpich_open(which, reason, sizeof reason);
    if (status != ANYP_SUCCESS)
        snprintf(message, size, "%s%s", which ? "--mpich: " : "",
                 status == ANYP_ERR_FILE ? reason : anyp_status_text(status));
    return status == ANYP_SUCCESS;
}

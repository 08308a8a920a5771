/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/tuner_options.h"

#include "tuner/candidates.h"
#include "options/text_file.h"
#include "schedule/argument_shapes.h"
#include "schedule/collectives.h"
#include "select/mpich.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_OUTPUT "anyp-tuned.json"
#define DEFAULT_BUDGET 180
#define DEFAULT_SIZES "8,16,32,64,128,256,512,1K,2K,4K,8K,16K,32K,64K,128K,256K,512K,1M,2M"
#define MAX_NUMBER 0x1p52      /* exact in a double */

enum {
    OUTPUT, BUDGET, COLLECTIVES, NONBLOCKING, PROCS, SIZES, OPERATORS, ONLY_ANYP, ALL, CALLS, SAVE,
    RESUME, JOIN, MIXED, VALIDATE, MEND, CLOSED_FORMS, GENERIC, MOST_MESSAGES, CHECK_BYTES,
    MPICH, VERBOSE, HELP
};

const char anypi_collectives_help[] =
    "some of"
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    ANYPI_COMMON_##arguments(" " #name ",")
#include "schedule/collectives.def"
    " separated by commas (default: allreduce, reduce, reduce_scatter, reduce_scatter_block, "
    "bcast, allgather and alltoall)";

static const anypi_option rows[] = {
    [OUTPUT] = { "output", 0, ANYPI_WORD, 0, 0, "FILE",
                 "write the decision file to FILE, repeatedly while measuring (default: "
                 DEFAULT_OUTPUT ")" },
    [BUDGET] = { "budget", 0, ANYPI_SECONDS, 1, 1e6, "SECONDS",
                 "end within this time, such as 180, 90s, 10m or 1h (default: 180)" },
    [COLLECTIVES] = { "collectives", 0, ANYPI_WORD, 0, 0, "LIST",
                      anypi_collectives_help },
    [NONBLOCKING] = { "nonblocking", 0, ANYPI_FLAG, 0, 0, NULL,
                      "measure nonblocking collectives, such as MPI_Iallreduce with MPI_Wait, and "
                      "write rules for them" },
    [PROCS] = { "procs", 0, ANYPI_WORD, 0, 0, "LIST",
                "measure these numbers of processes, such as 2-8,13. Default: 2 to 4, "
                "6, 8, 12, 16, 24, ... and P. On several nodes, the default follows this scheme "
                "twice: for the processes on one node, and for the number of nodes, with all their "
                "processes" },
    [SIZES] = { "sizes", 0, ANYPI_WORD, 0, 0, "LIST",
                "measure vectors of these sizes in bytes, such as 16,2K,1M. Default: 8, 128, 2K, "
                "32K, 512K; and the powers of two between them and up to 2M, where the MPI library "
                "seems to lose at a neighbour. A barrier has no size" },
    [OPERATORS] = { "operators", 0, ANYPI_WORD, 0, 0, "LIST",
                    "measure reductions with sum (operators that commute), matrix (operators that "
                    "do not commute) or sum,matrix (default: both)" },
    [ONLY_ANYP] = { "only-anyp", 0, ANYPI_FLAG, 0, 0, NULL,
                    "do not measure the MPI library: choose the fastest algorithm of AnyP, "
                    "wherever one supports the call" },
    [ALL] = { "all", 0, ANYPI_FLAG, 0, 0, NULL,
              "measure all algorithms of AnyP that serve a call, also those that closed forms "
              "expect to be slow, and the reference algorithms of 'anyp list'" },
    [CALLS] = { "calls", 0, ANYPI_WORD, 0, 0, "FILE",
                "measure only the calls in this record of a program, which anyp run --record "
                "wrote; first those in which the program spends most time. Name further records "
                "after FILE: --calls A.json B.json. Nonblocking and persistent calls count as "
                "blocking ones; with --nonblocking, only nonblocking and persistent calls are "
                "measured" },
    [SAVE] = { "save", 0, ANYPI_WORD, 0, 0, "FILE",
               "also save the times in FILE, for --join and --resume. It is written each time a "
               "number of processes is complete, and at the end. A FILE of a run that --resume can "
               "continue is not replaced" },
    [RESUME] = { "resume", 0, ANYPI_WORD, 0, 0, "FILE",
                 "continue a run with --save FILE that did not end: use the times in FILE, measure "
                 "the rest and save all in FILE; --budget is the time of the new run" },
    [JOIN] = { "join", 0, ANYPI_FLAG, 0, 0, NULL,
               "do not measure: make one decision file of the files that other runs have saved; "
               "name them after the options" },
    [MIXED] = { "mixed", 0, ANYPI_FLAG, 0, 0, NULL,
                "with --join: accept times of different machines, MPI libraries or process "
                "bindings" },
    [VALIDATE] = { "validate", 0, ANYPI_WORD, 0, 0, "FILE",
                   "do not tune: compare the algorithms of this decision file with the MPI "
                   "library's, and print a table (default: at the sizes and numbers of processes "
                   "that are tuned by default, and at others between and beyond them)" },
    [MEND] = { "mend", 0, ANYPI_FLAG, 0, 0, NULL,
               "with --validate: remove rules where they are slower or wrong, and replace FILE, or "
               "write the file of --output" },
    [CLOSED_FORMS] = { "closed-forms", 0, ANYPI_FLAG, 0, 0, NULL,
                       "also write rules that were not measured: by closed forms for other "
                       "collectives and operators, and beyond the measured sizes and numbers of "
                       "processes and of ranks on a node" },
    [GENERIC] = { "generic", 0, ANYPI_FLAG, 0, 0, NULL,
                  "do not measure: write the decision file for machines that were not tuned, which "
                  "is installed as share/anyp/generic.json" },
    [MOST_MESSAGES] = { "most-messages", 0, ANYPI_SIZE, 0, MAX_NUMBER, "N",
                        "skip algorithms in which all ranks together have more than N messages in "
                        "flight: a simulator may need minutes for them (default: no limit)" },
    [CHECK_BYTES] = { "check-bytes", 0, ANYPI_SIZE, 0, MAX_NUMBER, "BYTES",
                      "in a simulator, check only results of vectors up to this size; this saves "
                      "computing time (default: check all)" },
    [MPICH] = { "mpich", 0, ANYPI_WORD, 0, 0, "WHICH",
                "use the algorithm names of this MPICH: the prefix of an MPICH with AnyP inside, "
                "its share/anyp/mpich.json, or a release such as 5.0 (default: the MPICH that "
                "anyp-tune is installed with, else 4.0)" },
    [VERBOSE] = { "verbose", 0, ANYPI_FLAG, 0, 0, NULL, "print all times" },
    [HELP] = { "help", 'h', ANYPI_FLAG, 0, 0, NULL, "print this help" },
    { 0 }
};

const anypi_help anypi_tuner_help = {
    .synopsis = "mpiexec -n P anyp-tune [OPTION]...",
    .description =
    "Measures collectives with AnyP's algorithms and as the MPI library runs them, on 2 to P\n"
    "processes, and writes a decision file that names AnyP's fastest algorithm, or leaves calls\n"
    "to the library where AnyP is not faster. Run it once on a machine, as you run your jobs: on\n"
    "the same nodes, with the same processes per node. By default it measures the collectives\n"
    "that programs use most, for at most 180 seconds, and writes anyp-tuned.json.\n",
    .notes =
    "Closed forms, with constants that it measures first, select the few algorithms of AnyP that\n"
    "it compares with the MPI library's choice. Where AnyP is not clearly faster, and where there\n"
    "was no time to measure, the library's choice stays. While measuring, installed decision\n"
    "files and those named by variables are ignored. In a simulator, each time is measured once,\n"
    "because times repeat exactly.\n",
    .statuses =
    "- 0: success\n"
    "- 1: something failed, a result was wrong, or --validate found a WRONG point\n"
    "- 2: the command line is wrong\n"
    "- 3: --validate found a SLOWER point, and its rule was not removed\n"
    "- 4: the budget was too short: nothing was measured, or --validate gives a\n"
    "  point the verdict 'no time' or 'suspect'\n"
    "- 128 + N: signal N ended the run\n",
    .options = rows,
};

int anypi_parse_list(const char *text, int64_t min, int64_t max, int64_t list[ANYPI_MAX_LIST],
                     const char **reason)
{
    int count = 0;
    for (;;) {
        const int64_t first = anypi_number_read(&text, true);
        int64_t last = first;
        if (first >= 0 && *text == '-') {
            text++;
            last = anypi_number_read(&text, true);
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
            if (!anypi_list_insert(list, &count, number)) {
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

/* Sets given[] for the words in a list; without a list, for all. */
static bool read_words(const char *option, const char *text, const char *const *words, int count,
                       bool *given, char *message, size_t size)
{
    for (int i = 0; i < count; i++)
        given[i] = !text;
    if (text && !*text) {
        snprintf(message, size, "%s: nothing is named; leave it out for the default", option);
        return false;
    }
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

/* By default the collectives that programs use most; the help also names them. Collectives whose
 * ranks know only the sizes of their own blocks are not measured. */
bool anypi_collectives_read(const char *text, bool wanted[ANYP_COLLECTIVES], char *message,
                            size_t size)
{
    const char *names[ANYP_COLLECTIVES];
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        names[i] = anyp_collective_name((anyp_collective) i);
        wanted[i] = i < ANYP_REDUCTIONS && !anypi_is_prefix((anyp_collective) i);
    }
    wanted[ANYP_BCAST] = wanted[ANYP_ALLGATHER] = wanted[ANYP_ALLTOALL] = true;
    if (text && !read_words("--collectives", text, names, ANYP_COLLECTIVES, wanted, message, size))
        return false;
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        if (wanted[i] && anypi_has_local_sizes((anyp_collective) i)) {
            snprintf(message, size, "--collectives: %s is not measured, because only the program "
                     "knows the sizes of its blocks; --closed-forms writes rules for it", names[i]);
            return false;
        }
    return true;
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

/* By default all collectives for which a file that is validated has rules, or that are recorded. */
static bool read_collectives(const anypi_options *options, const char *text, bool *wanted,
                             char *message, size_t size)
{
    if (text || (!options->validate && !options->calls_count))
        return anypi_collectives_read(text, wanted, message, size);
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        wanted[i] = true;
    return true;
}

/* Returns the first fault of the options; NULL: there is none. `output`, `resume`: their arguments,
 * or NULL. */
static const char *fault_of(const anypi_options *options, const char *output, const char *resume,
                            bool only_anyp)
{
    const struct {
        bool wrong;
        const char *text;
    } faults[] = {
        { resume && (options->save || options->join || options->generic),
          "--resume FILE also names the file to save; leave out --save, --join and --generic" },
        { options->mend && !options->validate, "--mend needs --validate FILE" },
        { options->validate && !*options->validate, "--validate: the name of a file is missing" },
        { options->validate && (options->save || resume || options->join || options->generic ||
                                options->all || only_anyp || options->closed_forms),
          "--validate does not tune: leave out --save, --resume, --join, --generic, --all, "
          "--only-anyp and --closed-forms" },
        { options->validate && output && !options->mend,
          "--validate writes a file only with --mend" },
        { !*options->output, "--output: the name of a file is missing" },
        { (options->save && !*options->save) || (resume && !*resume),
          "--save: the name of a file is missing" },
        { options->calls_count && (options->sizes || options->procs || options->join ||
                                   options->generic || options->validate),
          "--calls: the records give sizes and numbers of processes; leave out --sizes, --procs, "
          "--join, --generic and --validate" },
        { options->mixed && !options->join, "--mixed needs --join" },
        { options->join && !options->join_count,
          "--join: which files? name those that --save has written" },
    };
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        if (faults[i].wrong)
            return faults[i].text;
    return NULL;
}

/* Adds a file of --calls. */
static bool add_record(anypi_options *options, const char *file, char *message, size_t size)
{
    if (!*file)
        snprintf(message, size, "--calls: the name of a file is missing");
    else if (options->calls_count == ANYPI_MAX_RECORDS)
        snprintf(message, size, "--calls: more than %d files; measure some of them in another run, "
                 "and join the times", ANYPI_MAX_RECORDS);
    else {
        options->calls[options->calls_count++] = file;
        return true;
    }
    return false;
}

bool anypi_options_read(int argc, char **argv, int max, anypi_options *options, anypi_plan *plan,
                        char *message, size_t size)
{
    const char *procs = NULL, *sizes = NULL, *collectives = NULL, *operators = NULL;
    anypi_command_line line = { .options = rows, .accepted = UINT64_MAX, .argc = argc,
                                .argv = argv };
    const char *output = NULL, *resume = NULL;
    bool join = false;
    *options = (anypi_options) { .budget = DEFAULT_BUDGET };
    plan->max_messages = 0;
    plan->max_checked = INT64_MAX;
    for (int option; (option = anypi_option_next(&line)) != ANYPI_OPTIONS_END;) {
        switch (option) {
        case OUTPUT: output = line.word; break;
        case BUDGET: options->budget = line.real; break;
        case COLLECTIVES: collectives = line.word; break;
        case NONBLOCKING: anypi_form_set(true); break;
        case PROCS: procs = line.word; break;
        case SIZES: sizes = line.word; break;
        case OPERATORS: operators = line.word; break;
        case ONLY_ANYP: plan->only_anyp = true; break;
        case CALLS:
            if (!add_record(options, line.word, message, size))
                return false;
            break;
        case ALL: options->all = plan->reference = true; break;
        case SAVE: options->save = line.word; break;
        case RESUME: resume = line.word; break;
        case JOIN: join = true; break;
        case MIXED: options->mixed = true; break;
        case VALIDATE: options->validate = line.word; break;
        case MEND: options->mend = true; break;
        case CLOSED_FORMS: options->closed_forms = true; break;
        case GENERIC: options->generic = true; break;
        case MOST_MESSAGES: plan->max_messages = line.number; break;
        case CHECK_BYTES: plan->max_checked = line.number; break;
        case MPICH: options->mpich = line.word; break;
        case VERBOSE: options->verbose = true; break;
        case HELP: options->help = true; return true;
        default: snprintf(message, size, "%s", line.message); return false;
        }
    }
    options->output = output ? output : options->validate ? options->validate : DEFAULT_OUTPUT;
    options->join = join ? &argv[optind] : NULL;
    options->join_count = argc - optind;
    for (; options->calls_count && optind < argc; optind++)
        if (!add_record(options, argv[optind], message, size))
            return false;
    options->procs = procs != NULL;
    options->sizes = sizes != NULL;
    const char *fault = fault_of(options, output, resume, plan->only_anyp);
    if (fault || (!join && optind < argc)) {
        snprintf(message, size, fault ? "%s" : "'%s' is not an option",
                 fault ? fault : argv[optind]);
        return false;
    }
    options->resume = resume != NULL;
    options->save = resume ? resume : options->save;
    plan->reference |= options->validate != NULL;       /* the file may name them */
    return read_sizes(sizes ? sizes : DEFAULT_SIZES, plan, message, size) &&
        read_collectives(options, collectives, plan->wanted, message, size) &&
        read_operators(operators, plan, message, size) &&
        (max < 2 || read_procs(procs, max, plan, message, size));
}

bool anypi_options_apart(const anypi_options *options, char *message, size_t size)
{
    const char *const save = options->join ? NULL : options->save;      /* otherwise not saved */
    const struct {
        const char *options, *one, *other;
    } pairs[] = {
        { "--output and --save", options->output, save },
        { "--output and --mpich", options->output, options->mpich },
        { "--save and --mpich", save, options->mpich },
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i].one && pairs[i].other && anypi_file_same(pairs[i].one, pairs[i].other)) {
            snprintf(message, size, "%s are the same file, %s; give two names", pairs[i].options,
                     pairs[i].other);
            return false;
        }
    for (int i = 0; options->join && i < options->join_count; i++)
        if (anypi_file_same(options->output, options->join[i])) {
            snprintf(message, size, "--output: %s would replace the times in it; give another name",
                     options->join[i]);
            return false;
        }
    return true;
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

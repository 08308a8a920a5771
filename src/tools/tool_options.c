/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/tool_options.h"

#include "schedule/shape.h"
#include "tools/tool.h"

#include <getopt.h>

/* Largest number of processes. If a command builds schedules, the memory limits p further
 * (described_calls.h). */
#define MAX_P (1 << 20)
#define MAX_BYTES (INT64_C(1) << 52)  /* exact in a double; sums of them fit 64 bits */
#define MAX_REAL 1e100         /* still finite when multiplied by bytes and rounds */

const anypi_option anypi_tool_options[TOOL_OPTIONS + 1] = {
    [OPTION_PROCESSES] = { "processes", 'p', ANYPI_NUMBER, 1, MAX_P, "P", "number of processes" },
    [OPTION_MAX_P] = { "max-p", 0, ANYPI_NUMBER, 1, MAX_P, "P",
                       "verify every number of processes from 1 to P (default: 64)" },
    [OPTION_RANK] = { "rank", 'r', ANYPI_NUMBER, 0, MAX_P - 1, "R", "print only this rank" },
    [OPTION_ROOT] = { "root", 0, ANYPI_NUMBER, 0, MAX_P - 1, "R",
                      "root of the collective (default: 0)" },
    [OPTION_PARAM] = { "param", 'P', ANYPI_WORD, 0, 0, "NAME=VALUE",
                       "set a parameter of the algorithm, see 'anyp list'; may be repeated" },
    [OPTION_COUNT] = { "count", 'c', ANYPI_SIZE, 0, MAX_BYTES, "N",
                       "elements of the whole vector; K, M or G: times 1024, 1024^2 or 1024^3" },
    [OPTION_TYPE_SIZE] = { "type-size", 't', ANYPI_NUMBER, 1, INT32_MAX, "B",
                           "bytes of an element (default: 1)" },
    [OPTION_BYTES] = { "bytes", 'm', ANYPI_SIZE, 0, MAX_BYTES, "M",
                       "bytes of the whole vector; K, M or G as for --count. For "
                       "reduce_scatter_block rounded up to P equal blocks; for alltoallv, "
                       "alltoallw, gatherv and scatterv the mean of a block" },
    [OPTION_UNEVEN] = { "uneven", 0, ANYPI_WORD, 0, 0, "SHAPE",
                        "make the ranks' blocks differ. reduce_scatter, allgatherv: half (rank "
                        "P/2 has half of the vector), linear (rank i has i times as much as "
                        "rank 1), ramp (i + 1 times as much as rank 0), powers (each rank has "
                        "half as much as the one before) or one (rank P/2 has all). alltoallv, "
                        "alltoallw, gatherv, scatterv: even, uniform (0 to twice the mean), "
                        "powers (1/2 of the blocks have 1/4 of the mean, 1/4 have 1/2 of it, 1/8 "
                        "have the mean, and so on) or sparse (1 block in 20 is not empty)" },
    [OPTION_IN_PLACE] = { "in-place", 0, ANYPI_FLAG, 0, 0, NULL, "call in place (MPI_IN_PLACE)" },
    [OPTION_GAPS] = { "gaps", 0, ANYPI_FLAG, 0, 0, NULL,
                      "use input and output with gaps in memory, so that they are copied; only for "
                      "collectives that move data, such as bcast" },
    [OPTION_NON_COMMUTATIVE] = { "non-commutative", 0, ANYPI_FLAG, 0, 0, NULL,
                                 "use an operator that does not commute" },
    [OPTION_REPRODUCIBLE] = { "reproducible", 0, ANYPI_FLAG, 0, 0, NULL,
                              "request reproducible results: their bracketing depends only on "
                              "the number of processes (anyp run: ANYP_REPRODUCIBLE)" },
    [OPTION_USER_OP] = { "user-op", 0, ANYPI_FLAG, 0, 0, NULL, "use an operator of the user" },
    [OPTION_ALPHA] = { "alpha", 0, ANYPI_REAL, 0, MAX_REAL, "A", "time to start a message" },
    [OPTION_BETA] = { "beta", 0, ANYPI_REAL, 0, MAX_REAL, "B", "time to send a byte" },
    [OPTION_GAMMA] = { "gamma", 0, ANYPI_REAL, 0, MAX_REAL, "G", "time to reduce a byte" },
    [OPTION_OVERHEAD] = { "overhead", 0, ANYPI_REAL, 0, MAX_REAL, "O",
                          "time of a message at each of its ends" },
    [OPTION_EAGER] = { "eager", 0, ANYPI_FLAG, 0, 0, NULL,
                       "send messages before the receiver is ready; they share ports" },
    [OPTION_SKEW] = { "skew", 0, ANYPI_REAL, 0, MAX_REAL, "S",
                      "spread the entries of the ranks over this time (default: 0)" },
    [OPTION_NODES] = { "nodes", 0, ANYPI_WORD, 0, 0, "SHAPE",
                       "nodes of the processes, which also give P. 13x8: 13 nodes of 8; 8,8,5: "
                       "nodes of these sizes; 2x3:cyclic: ranks are dealt round robin. "
                       "Parentheses are switches: 2x(8x4),(5x4); outer parentheses are groups of "
                       "switches" },
    [OPTION_CARDS] = { "cards", 0, ANYPI_NUMBER, 1, 1024, "N",
                       "network cards of a node, used by its ranks in turn (default: 1)" },
    [OPTION_INSIDE_ALPHA] = { "inside-alpha", 0, ANYPI_REAL, 0, MAX_REAL, "A",
                              "time to start a message inside a node (default: --alpha)" },
    [OPTION_INSIDE_BETA] = { "inside-beta", 0, ANYPI_REAL, 0, MAX_REAL, "B",
                             "time to send a byte inside a node (default: --beta)" },
    [OPTION_LEAF] = { "leaf", 0, ANYPI_NUMBER, 1, MAX_P, "N",
                      "ranks at each leaf switch. Messages to other switches share one link in "
                      "each direction (default: no switches)" },
    [OPTION_TAPER] = { "taper", 0, ANYPI_REAL, 0, MAX_REAL, "T",
                       "oversubscription of switches (default: 1). With --leaf, a link has the "
                       "rate of N/T ports. With switches in --nodes, it has the rate of an "
                       "average switch's cards divided by T" },
    [OPTION_ABOVE] = { "above", 0, ANYPI_WORD, 0, 0, "A:B,...",
                       "constants for each height of switches in --nodes, the lowest first. A: "
                       "time to start a message between two switches or groups (default: as "
                       "at the height below; at the lowest: --alpha). B: time of a byte on the "
                       "link of a switch, which its messages share (default: by --taper)" },
    [OPTION_HIERARCHY] = { "hierarchy", 0, ANYPI_WORD, 0, 0, "KIND",
                           "kind of communicator: flat, parent, node or node_roots" },
    [OPTION_PPN] = { "ppn", 0, ANYPI_NUMBER, 1, MAX_P, "N",
                     "processes of each node; the last node has the rest (default: all on one "
                     "node)" },
    [OPTION_IRREGULAR] = { "irregular", 0, ANYPI_FLAG, 0, 0, NULL,
                           "use blocks of different sizes (reduce_scatter)" },
    [OPTION_SCATTERED] = { "scattered", 0, ANYPI_FLAG, 0, 0, NULL,
                           "with --ppn: deal the ranks to the nodes round robin" },
    [OPTION_THREADS] = { "threads", 0, ANYPI_FLAG, 0, 0, NULL, "assume MPI_THREAD_MULTIPLE" },
    [OPTION_INTER] = { "inter", 0, ANYPI_FLAG, 0, 0, NULL, "use an intercommunicator" },
    [OPTION_CALLS] = { "calls", 0, ANYPI_WORD, 0, 0, "FILE",
                       "estimate all calls in this record of anyp run --record" },
    [OPTION_SCALING] = { "scaling", 0, ANYPI_WORD, 0, 0, "HOW",
                         "with --calls: bytes of vectors at P processes. fixed: as recorded "
                         "(default). strong: divided by the growth of p. weak: multiplied by it, "
                         "if a vector has a block for each process, as in an allgather; otherwise "
                         "as recorded" },
    [OPTION_BEST] = { "best", 0, ANYPI_FLAG, 0, 0, NULL,
                      "list algorithms with their best parameters, the fastest first" },
    [OPTION_EXACT] = { "exact", 0, ANYPI_FLAG, 0, 0, NULL,
                       "simulate all ranks, however long it takes" },
    [OPTION_SAMPLE] = { "sample", 0, ANYPI_NUMBER, 1, MAX_P, "N",
                        "check N ranks of one call, and their messages, instead of all" },
    [OPTION_ALL] = { "all", 'a', ANYPI_FLAG, 0, 0, NULL, "verify all algorithms" },
    [OPTION_JOBS] = { "jobs", 0, ANYPI_NUMBER, 1, 1024, "N",
                      "number of worker processes (default: one for each processor)" },
    [OPTION_PROGRESS] = { "progress", 0, ANYPI_FLAG, 0, 0, NULL,
                          "print progress every second, even if stderr is no terminal" },
    [OPTION_JSON] = { "json", 'j', ANYPI_FLAG, 0, 0, NULL, "print JSON" },
    [OPTION_SVG] = { "svg", 0, ANYPI_WORD, 0, 0, "FILE", "write a picture to FILE ('-': stdout)" },
    [OPTION_OUTPUT] = { "output", 'o', ANYPI_WORD, 0, 0, "FILE",
                        "write the page to FILE ('-': stdout; default: report.html). An "
                        "existing file is replaced when the page is complete" },
    [OPTION_MPICH] = { "mpich", 0, ANYPI_WORD, 0, 0, "WHICH",
                       "use the names of this MPICH: the prefix of an MPICH with AnyP inside, "
                       "its share/anyp/mpich.json, or a release such as 5.0 (default: the one "
                       "that anyp is installed with, otherwise 4.0)" },
    [OPTION_MPI] = { "mpi", 0, ANYPI_WORD, 0, 0, "FAMILY",
                     "family of the MPI library: mpich, openmpi or abi (default: found from "
                     "COMMAND)" },
    [OPTION_PLUGIN] = { "plugin", 0, ANYPI_WORD, 0, 0, "FILE",
                        "use this plug-in (default: the installed libanyp-FAMILY.so.1)" },
    [OPTION_TUNING_FILE] = { "tuning-file", 0, ANYPI_WORD, 0, 0, "FILE",
                             "choose algorithms by this decision file; generic: the installed "
                             "file for machines that were not tuned (ANYP_TUNING_FILE)" },
    [OPTION_ALGORITHM] = { "algorithm", 0, ANYPI_WORD, 0, 0, "COLLECTIVE=NAME",
                           "use this algorithm for all calls of the collective. Parameters may "
                           "follow as :PARAMETER=VALUE. May be repeated "
                           "(ANYP_<COLLECTIVE>_ALGORITHM)" },
    [OPTION_NETWORK] = { "network", 0, ANYPI_WORD, 0, 0, "LIST",
                         "constants of the machine, such as its latency; see ANYP_NETWORK in "
                         "anyp-variables(7). anyp run computes auto parameters from them, unless "
                         "the rule of a decision file contains constants. "
                         "anyp cost uses them with --calls" },
    [OPTION_RECORD] = { "record", 0, ANYPI_WORD, 0, 0, "FILE",
                        "write the record of the program's collectives to FILE; see "
                        "anyp-record(5) (ANYP_RECORD)" },
    [OPTION_VERBOSE] = { "verbose", 'v', ANYPI_LEVEL, 1, 2, "LEVEL",
                         "log which algorithm runs, and why; 2: also a summary (ANYP_VERBOSE)" },
    [OPTION_STRICT] = { "strict", 0, ANYPI_FLAG, 0, 0, NULL,
                        "fail if a file or variable is wrong (ANYP_STRICT)" },
    [OPTION_DRY_RUN] = { "dry-run", 'n', ANYPI_FLAG, 0, 0, NULL,
                         "print the command with its settings, for a shell, but do not run it" },
    [OPTION_MIXED] = { "mixed", 0, ANYPI_FLAG, 0, 0, NULL,
                       "also join timing files of different machines" },
    [OPTION_HELP] = { "help", 'h', ANYPI_FLAG, 0, 0, NULL, "print this text" },
};

/* Makes the nodes that --nodes describes, or that --ppn and --scattered describe. */
static int read_nodes(tool_options *options)
{
    const char *reason, *shape = options->word[OPTION_NODES];
    const int p = (int) options->number[OPTION_PROCESSES];
    const int ppn = (int) options->number[OPTION_PPN];
    const bool scattered = options->given[OPTION_SCATTERED];
    char text[64];
    if (shape && (options->given[OPTION_PPN] || scattered))
        return anypi_tool_misuse(options, "--ppn and --scattered cannot be combined with --nodes, "
                                 "which describes the nodes");
    if (scattered && !options->given[OPTION_PPN])
        return anypi_tool_misuse(options, "--scattered needs --ppn: by default, all ranks are on "
                                 "one node");
    if (options->given[OPTION_PPN] && p > 0) {
        const int full = p / ppn, rest = p % ppn;
        int length = full ? snprintf(text, sizeof text, "%dx%d", full, ppn) : 0;
        if (rest)
            length += snprintf(text + length, sizeof text - (size_t) length, "%s%d",
                               full ? "," : "", rest);
        snprintf(text + length, sizeof text - (size_t) length, scattered ? ":cyclic" : "");
        shape = text;
    }
    if (!shape)
        return TOOL_GOOD;
    options->nodes = anypi_shape_read(shape, p, &reason);
    if (!options->nodes)
        return anypi_tool_misuse(options, "--nodes %s: %s", shape, reason);
    options->given[OPTION_PROCESSES] = true;
    options->number[OPTION_PROCESSES] = anypi_shape_ranks(options->nodes);
    return TOOL_GOOD;
}

/* Reads --above, and refuses values that do not fit the nodes. */
static int read_heights(tool_options *options)
{
    const char *text = options->word[OPTION_ABOVE];
    const int heights = options->nodes ? anypi_shape_length(options->nodes) - 1 : 0;
    if (options->given[OPTION_LEAF] && options->nodes)
        return anypi_tool_misuse(options, "--leaf cannot be combined with --nodes; write switches "
                                 "in --nodes as parentheses, such as 2x(8x4),(5x4)");
    if (options->given[OPTION_TAPER] && !options->given[OPTION_LEAF] && heights == 0)
        return anypi_tool_misuse(options, "--taper needs --leaf, the ranks at a leaf switch, or "
                                 "--nodes with switches, such as 2x(8x4),(5x4)");
    if (text && heights == 0)
        return anypi_tool_misuse(options, "--above needs --nodes with switches, such as "
                                 "2x(8x4),(5x4)");
    if (text && options->real[OPTION_BETA] == 0)
        return anypi_tool_misuse(options, "--above needs --beta, the time of a byte at a card");
    for (bool more = text; more; text++) {
        double *pair = options->above[options->above_count++];
        int length = 0;
        if (options->above_count > heights)
            return anypi_tool_misuse(options, "--above %s: too many pairs; the heights of "
                                     "switches in --nodes are %d",
                                     options->word[OPTION_ABOVE], heights);
        if (sscanf(text, "%lf:%lf%n", &pair[0], &pair[1], &length) != 2 ||
            !(pair[0] >= 0 && pair[0] <= MAX_REAL && pair[1] >= 0 && pair[1] <= MAX_REAL) ||
            (text[length] && text[length] != ','))
            return anypi_tool_misuse(options, "--above %s: expected pairs of numbers of at least "
                                     "0, such as 1.5:4e-5,2:1e-5", options->word[OPTION_ABOVE]);
        text += length;
        more = *text == ',';
    }
    return TOOL_GOOD;
}

int anypi_tool_options_read(tool_options *options, const tool_command *command, int argc,
                            char **argv)
{
    anypi_command_line line = { .options = anypi_tool_options, .executes = command->executes,
                                .accepted = command->accepts | OPTION_BIT(OPTION_HELP),
                                .argc = argc, .argv = argv };
    *options = (tool_options) {
        .command = command,
        .number = { [OPTION_MAX_P] = 64, [OPTION_TYPE_SIZE] = 1, [OPTION_PPN] = 1,
                    [OPTION_CARDS] = 1 },
    };
    for (int option; (option = anypi_option_next(&line)) != ANYPI_OPTIONS_END;) {
        if (option == ANYPI_OPTION_WRONG)
            return anypi_tool_misuse(options, "%s", line.message);
        if (option == OPTION_HELP)
            return -1;
        options->given[option] = true;
        options->number[option] = line.number;
        options->real[option] = line.real;
        options->word[option] = line.word;
        if (option != OPTION_PARAM && option != OPTION_ALGORITHM)
            continue;
        if (options->params_count == TOOL_MAX_PARAMS)
            return anypi_tool_misuse(options, "more than %d options --%s", TOOL_MAX_PARAMS,
                                     anypi_tool_options[option].name);
        options->params[options->params_count++] = line.word;
    }
    options->operands = argv + optind;
    options->operands_count = argc - optind;

    int status = read_nodes(options);
    if (status == TOOL_GOOD)
        status = read_heights(options);
    if (status != TOOL_GOOD)
        return status;
    for (int i = 0; i < TOOL_OPTIONS; i++)
        if ((command->needs & OPTION_BIT(i)) && !options->given[i] &&
            !options->given[OPTION_CALLS])      /* a record contains all that is needed */
            return anypi_tool_misuse(options, "--%s is missing: %s", anypi_tool_options[i].name,
                                     anypi_tool_options[i].help);
    if (options->operands_count < command->operands_minimum)
        return anypi_tool_misuse(options, "missing argument: %s", command->operands);
    if (options->operands_count > command->operands_maximum)
        return anypi_tool_misuse(options, "unexpected argument '%s'",
                                 options->operands[command->operands_maximum]);
    return TOOL_GOOD;
}

void anypi_tool_help(const tool_command *command, FILE *file)
{
    fprintf(file, "anyp %s - %s\n\nUsage: anyp %s [OPTION]...%s%s\n\n%s\nOptions:\n", command->name,
            command->summary, command->name, *command->operands ? " " : "", command->operands,
            command->description);
    anypi_option_help(anypi_tool_options, command->accepts | OPTION_BIT(OPTION_HELP),
                      command->needs, file);
    fprintf(file, "\nExit status: %s.\n\nExamples:\n%s",
            command->statuses ? command->statuses : TOOL_STATUSES, command->examples);
}

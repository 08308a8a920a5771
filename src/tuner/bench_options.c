/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/bench_options.h"

#include "tuner/tuner_options.h"

#include "schedule/argument_shapes.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

enum { COLLECTIVES, UNEVEN, SECONDS, SAVE, AGAIN, AGAINST, DECISIONS, NAMES, HELP };

static const anypi_option rows[] = {
    [COLLECTIVES] = { "collectives", 0, ANYPI_WORD, 0, 0, "LIST", anypi_collectives_help },
    [UNEVEN] = { "uneven", 0, ANYPI_WORD, 0, 0, "SHAPE", "time reduce_scatter and allgatherv with "
      "blocks of different sizes: half (one process has half of the vector), linear (in "
      "proportion to the rank), powers (each half as large as the one before), one (one process "
      "has all) or ramp (in proportion to the rank + 1). For blocks of different sizes, AnyP may "
      "choose another algorithm than the decision file" },
    [SECONDS] = { "seconds", 0, ANYPI_SECONDS, 1, 1e6, "S", "start no new round after this time; "
      "three rounds are always run (default: 15)" },
    [SAVE] = { "save", 0, ANYPI_WORD, 0, 0, "FILE", "also write the times to FILE" },
    [AGAIN] = { "again", 0, ANYPI_FLAG, 0, 0, NULL, "with --save: add the new times to those "
      "in FILE" },
    [AGAINST] = { "against", 0, ANYPI_WORD, 0, 0, "FILE", "compare with the times that an earlier "
      "run has saved: print both times, their ratio, and a 95 % interval of the ratio or "
      "'within noise'" },
    [DECISIONS] = { "file", 0, ANYPI_WORD, 0, 0, "DECISIONS", "name in the table the "
      "algorithms that this decision file chooses; this does not change which algorithms run "
      "(default: the file in use: with the plug-in, ANYP_TUNING_FILE; inside MPICH, "
      "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE or the installed file)" },
    [NAMES] = { "mpich", 0, ANYPI_WORD, 0, 0, "WHICH", "read the decision file with the algorithm "
      "names of this MPICH: the prefix of an MPICH with AnyP inside, its share/anyp/mpich.json, or "
      "a release such as 5.0 (default: the MPICH that anyp-bench is installed with, else 4.0; with "
      "the plug-in, names of any release are accepted)" },
    [HELP] = { "help", 'h', ANYPI_FLAG, 0, 0, NULL, "print this help" },
    { 0 }
};

const anypi_help anypi_bench_help = {
    .synopsis = "mpiexec -n P anyp-bench [OPTION]...",
    .description =
    "Checks the results of MPI collectives, times them on all P processes, and prints a table.\n"
    "Use it to compare collectives with and without a decision file. By default it times seven\n"
    "collectives that programs use most (see --collectives) for 15 seconds. Reductions are timed\n"
    "with MPI_SUM and with a 2x2 matrix product, which does not commute.\n",
    .notes = "",
    .statuses =
    "- 0: success\n"
    "- 1: a result was wrong, or a file cannot be used\n"
    "- 2: the command line is wrong\n",
    .options = rows,
};

static bool read_shape(const char *name, anypi_bench_options *options, char *message, size_t size)
{
    options->shape = name ? anypi_uneven_find(name) : ANYPI_EVEN;
    if (options->shape != ANYPI_UNEVENS && !(name && options->shape == ANYPI_EVEN))
        return true;
    snprintf(message, size, "--uneven: '%s' is not one of half, linear, powers, one, ramp", name);
    return false;
}

/* With a shape: do all collectives have blocks with counts? */
static bool all_uneven(const anypi_bench_options *options, char *message, size_t size)
{
    for (int i = 0; i < ANYP_COLLECTIVES && options->shape != ANYPI_EVEN; i++) {
        const anyp_call call = { .collective = (anyp_collective) i };
        if (!options->collectives[i] || anypi_has_counts(&call))
            continue;
        snprintf(message, size, "--uneven: the blocks of %s have no counts of their own; name "
                 "reduce_scatter or allgatherv", anyp_collective_name(call.collective));
        return false;
    }
    return true;
}

bool anypi_bench_options_read(int argc, char **argv, anypi_bench_options *options, char *message,
                              size_t size)
{
    anypi_command_line line = { .options = rows, .accepted = UINT64_MAX, .argc = argc,
                                .argv = argv };
    const char *collectives = NULL, *shape = NULL;
    memset(options, 0, sizeof *options);
    options->seconds = 15;
    for (int option; (option = anypi_option_next(&line)) != ANYPI_OPTIONS_END;) {
        switch (option) {
        case COLLECTIVES: collectives = line.word; break;
        case UNEVEN: shape = line.word; break;
        case SECONDS: options->seconds = line.real; break;
        case SAVE: options->save = line.word; break;
        case AGAIN: options->again = true; break;
        case AGAINST: options->against = line.word; break;
        case DECISIONS: options->file = line.word; break;
        case NAMES: options->mpich = line.word; break;
        case HELP: options->help = true; break;
        default: snprintf(message, size, "%s", line.message); return false;
        }
    }
    if (optind < argc)
        snprintf(message, size, "'%s' is not an option", argv[optind]);
    else if (options->again && !options->save)
        snprintf(message, size, "--again needs --save");
    else
        return read_shape(shape, options, message, size) &&
            anypi_collectives_read(shape && !collectives ? "reduce_scatter,allgatherv"
                                   : collectives, options->collectives, message, size) &&
            all_uneven(options, message, size);
    return false;
}

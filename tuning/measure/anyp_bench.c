/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp-bench - times collectives on all processes, called as in any program, to compare runs with
 * and without a decision file. It checks the results before it times the calls.
 */
#include "measure/steer.h"
#include "measure/workload.h"
#include "measure/world.h"
#include "tuner/bench_options.h"
#include "tuner/bench_table.h"
#include "tuner/candidates.h"
#include "tuner/tuner_options.h"
#include "options/text_file.h"

#include "schedule/collectives.h"
#include "schedule/shape.h"
#include "select/mpich.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const double min_seconds = 0.005;        /* a shorter time is noise */
enum { MIN_ROUNDS = 3, MAX_ROUNDS = 51, MAX_CALLS = 16 };

/* Returns the slowest rank's time of `calls` calls, per call; on rank 0. */
static double time_once(anypi_work *work, const anypi_cell *cell, int calls)
{
    double own, slowest = 0;
    anypi_work_fill(work, cell, MPI_COMM_WORLD);
    own = anypi_work_time(work, cell, calls, calls > 1, MPI_COMM_WORLD);
    MPI_Reduce(&own, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    return slowest;
}

static int choose_calls(anypi_work *work, const anypi_cell *cell)
{
    const double wanted = min_seconds / fmax(time_once(work, cell, 1), 1e-9);
    int calls = wanted < 1 ? 1 : wanted > MAX_CALLS ? MAX_CALLS : (int) wanted;
    MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return calls;
}

/* Checks all results. Returns false, with messages of rank 0, if a result of any rank is wrong. */
static bool check_all(const anypi_bench *bench, anypi_work *work, int rank)
{
    bool right = true;
    for (int i = 0; i < bench->count; i++) {
        const anypi_cell *cell = &bench->rows[i].cell;
        const bool shaped = bench->shape != ANYPI_EVEN;
        int worst, own = (int) anypi_work_check(work, cell, MPI_COMM_WORLD, shaped);
        MPI_Allreduce(&own, &worst, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        if (worst == ANYPI_RIGHT)
            continue;
        right = false;
        if (!rank)
            fprintf(stderr, "anyp-bench: ERROR: %s, %s, %lld bytes on %d processes gives %s; run "
                    "with %s=1 to see which algorithm it was\n",
                    anypi_form_name(cell->collective),
                    anypi_operator(cell->collective, cell->commutative),
                    (long long) cell->bytes, cell->p,
                    worst == ANYPI_WRONG ? "a wrong result" : "an error", anypi_steer.verbose);
    }
    return right;
}

/* Measures in rounds over all cells, so that a disturbance of the machine affects all of them. */
static void time_all(anypi_bench *bench, double seconds, anypi_work *work)
{
    int calls[ANYPI_BENCH_CELLS], more = 1;
    const double begin = MPI_Wtime();
    for (int i = 0; i < bench->count; i++)
        calls[i] = choose_calls(work, &bench->rows[i].cell);
    for (int rounds = 1; more; rounds++) {
        for (int i = 0; i < bench->count; i++)
            bench->rows[i].times[bench->rows[i].count++] =
                time_once(work, &bench->rows[i].cell, calls[i]);
        more = rounds < MIN_ROUNDS || (rounds < MAX_ROUNDS && MPI_Wtime() - begin < seconds);
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

/* Reads the times that an earlier run on p processes, with such blocks, has saved. */
static bool read_times(const char *name, int p, anypi_uneven shape, anypi_bench *times,
                       char *message, size_t size)
{
    const char *reason;
    char *text = anypi_file_read(name, &reason);
    if (!text) {
        snprintf(message, size, "cannot read %s: %s; write it with --save", name, reason);
        return false;
    }
    const bool read = anypi_bench_parse(text, name, times, message, size);
    free(text);
    if (read && times->p != p)
        snprintf(message, size, "%s was measured on %d processes; run on as many, not on %d", name,
                 times->p, p);
    else if (read && times->shape != shape)
        snprintf(message, size, "%s was measured with blocks of another shape: give the same "
                 "--uneven%s%s", name, times->shape == ANYPI_EVEN ? ", none" : " ",
                 times->shape == ANYPI_EVEN ? "" : anypi_uneven_name(times->shape));
    return read && times->p == p && times->shape == shape;
}

/* Rank 0 reads all input of the table before anything is timed. */
static bool read_inputs(const anypi_bench_options *options, int p, anypi_bench *before,
                        anypi_bench *earlier, anypi_decision **decision, char *message, size_t size)
{
    char path[PATH_MAX];
    const char *file = options->file ? options->file : anypi_steer_file(path, sizeof path);
    anypi_diagnosis diagnosis = { .text = "no memory" };
    if (options->save && file && anypi_file_same(options->save, file)) {
        snprintf(message, size, "--save: %s would replace the decision file; give another name",
                 options->save);
        return false;
    }
    if (options->save && !anypi_file_writable(options->save, "--save", message, size))
        return false;
    if (options->again && !read_times(options->save, p, options->shape, earlier, message, size))
        return false;
    if (options->against && !read_times(options->against, p, options->shape, before, message, size))
        return false;
    if (!options->mpich && !anypi_steer.inside)
        anypi_mpich_use_any();          /* rules may contain names of another library */
    else if (!anypi_names_open(options->mpich, message, size))
        return false;
    if (file && anypi_decision_read(file, decision, &diagnosis) != ANYP_SUCCESS) {
        snprintf(message, size, "%s", diagnosis.text);
        return false;
    }
    return true;
}

/* Prints the table and saves the times, on rank 0. */
static bool print_results(const anypi_bench_options *options, anypi_bench *bench,
                          const anypi_bench *before, const anypi_decision *decision,
                          char *message, size_t size)
{
    anypi_bench_choose(bench, decision);
    anypi_bench_print(bench, options->against ? before : NULL);
    if (!options->save)
        return true;
    char *text = anypi_bench_text(bench);
    snprintf(message, size, "no memory");
    const bool saved = text && anypi_file_replace(options->save, "--save", text, message, size);
    free(text);
    return saved;
}

static int run_bench(const anypi_bench_options *options, int rank, int p)
{
    static anypi_bench bench, before, earlier;
    anypi_decision *decision = NULL;
    anypi_work work;
    char message[1024] = "";
    bool given;
    int ready = rank || read_inputs(options, p, &before, &earlier, &decision, message,
                                    sizeof message);
    MPI_Bcast(&ready, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (ready) {
        anyp_shape *nodes = anypi_world_nodes(MPI_COMM_WORLD, &given);
        int64_t longest = 1;
        anypi_bench_cells(&bench, options->collectives, p, nodes);
        bench.shape = options->shape;
        for (int i = 0; i < bench.count; i++) {
            bench.rows[i].cell.blocks = options->shape;
            longest = bench.rows[i].cell.bytes > longest ? bench.rows[i].cell.bytes : longest;
        }
        ready = anypi_all(MPI_COMM_WORLD, anypi_work_init(&work, longest, p) && nodes);
        snprintf(message, sizeof message, !ready ? "no memory" : bench.count ? "nothing was timed"
                 : "the vectors are too short for so many processes; name other --collectives");
        ready = ready && bench.count && check_all(&bench, &work, rank);
        if (ready) {
            time_all(&bench, options->seconds, &work);
            if (options->again)
                anypi_bench_merge(&bench, &earlier);
            ready = rank || print_results(options, &bench, &before, decision, message,
                                          sizeof message);
        }
        anypi_work_free(&work);
        anypi_shape_free(nodes);
    }
    if (!ready && !rank)
        anypi_complain("anyp-bench", "%s", message);
    anypi_decision_free(decision);
    return ready ? 0 : 1;
}

int main(int argc, char **argv)
{
    anypi_bench_options options;
    char message[512];
    int rank, p, status = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (!anypi_bench_options_read(argc, argv, &options, message, sizeof message)) {
        if (!rank) {
            anypi_complain("anyp-bench", "%s", message);
            fprintf(stderr, "See: anyp-bench --help\n");
        }
        status = 2;
    } else if (options.help) {
        if (!rank)
            anypi_help_write(&anypi_bench_help, stdout);
    } else {
        status = run_bench(&options, rank, p);
    }
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return status;
}

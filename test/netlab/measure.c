/* SPDX-License-Identifier: BSD-3-Clause
 *
 * measure.c - times the bench's collectives, from a common start time of all ranks until the last
 * one is done. One run measures MPICH's own choice and each of its algorithms, or a decision file.
 * Runs alternate, and the script that starts them collects the samples.
 *
 * Prints a line for each sample: collective,operator,p,bytes,who,seconds,what; "wrong: ..." for
 * each of MPICH's algorithms whose result is wrong in a cell; and at the end "late: N of M", the
 * samples in which a rank began late at every try.
 */
#include "together.h"

#include "tuner/bench_table.h"
#include "options/text_file.h"
#include "rivals.h"
#include "measure/steer.h"
#include "measure/workload.h"
#include "tuner/tuner_options.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/shape.h"

#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sample for which a rank began late is taken again, but not forever. */
static const double late_part = 0.02, late_latency = 0.25;
/* Seconds: compared with these, the extra time of a first call is negligible. */
static const double long_call = 0.1;
/* An algorithm of MPICH's that takes this many times as long as the best so far is not the best:
 * one sample is enough. The first calls of short vectors vary more. */
static const double hopeless_long = 1.3, hopeless_short = 2;
/* From that many bytes on, an algorithm that is slower by that factor is not tried with longer
 * vectors. Such calls take seconds; and ring, which improves most from one size to the next, is
 * close enough to the best there. */
enum { SETTLED_BYTES = 256 << 10 };
enum { QUEUED_BYTES = 16 << 10 };       /* of a block; the messages of 23 ranks fill any queue */
enum { MOST_TRIES = 3, MOST_RANKS = 64, LINE_SIZE = 256 };

static const char usage[] =
    "usage: mpiexec -n P netlab enter measure --latency US [--procs LIST] [--others LIST]\n"
    "                                         [--quick] [--moves | --queues]\n"
    "                                         [--mpich WHICH]\n"
    "                                         [--file DECISIONS] [--single] [--tree TYPE]\n"
    "                                         [--skip FILE] [--repeats N] [--node-ranks N]\n\n"
    "  --latency US      the network's\n"
    "  --procs LIST      numbers of processes, at most P (default: P)\n"
    "  --others LIST     those of them where other collectives than allreduce are timed, too\n"
    "                    (default: all)\n"
    "  --quick           a third of the cells\n"
    "  --moves           what moves data, instead of reductions\n"
    "  --queues          only alltoall of 16 KiB to each rank\n"
    "  --mpich WHICH     the library's prefix, or its share/anyp/mpich.json\n"
    "  --file DECISIONS  this file is in force: the samples are AnyP's; else MPICH's own choice\n"
    "  --single          each of MPICH's own algorithms, too, where it fits, those with a\n"
    "                    parameter k for some of its values; half of the samples, one if it is\n"
    "                    clearly slower than the best so far, and none with longer vectors then,\n"
    "                    from 256 KiB on\n"
    "  --tree TYPE       the tree_type with which the library was started (default: knomial_1)\n"
    "  --skip FILE       not those in this file's lines: collective,operator,p,bytes,single:NAME\n"
    "  --repeats N       samples of each; half where they take long (default: 4)\n"
    "  --node-ranks N    ranks of a node (default: 1); then p is a shape in the output\n";

/* The cells that test/bench/targets.py has targets for. */
static const struct {
    anyp_collective collective;
    bool commutative, quick;
    int64_t bytes;
} cells[] = {
    { ANYP_ALLREDUCE, true, true, 8 },
    { ANYP_ALLREDUCE, true, false, 1 << 10 },
    { ANYP_ALLREDUCE, true, false, 8 << 10 },
    { ANYP_ALLREDUCE, true, false, 64 << 10 },
    { ANYP_ALLREDUCE, true, true, 128 << 10 },
    { ANYP_ALLREDUCE, true, false, 256 << 10 },
    { ANYP_ALLREDUCE, true, true, 1 << 20 },
    { ANYP_ALLREDUCE, false, false, 8 },
    { ANYP_ALLREDUCE, false, false, 1 << 10 },
    { ANYP_ALLREDUCE, false, false, 8 << 10 },
    { ANYP_ALLREDUCE, false, false, 64 << 10 },
    { ANYP_ALLREDUCE, false, false, 256 << 10 },
    { ANYP_ALLREDUCE, false, true, 1 << 20 },
    { ANYP_REDUCE_SCATTER_BLOCK, true, true, 128 << 10 },
    { ANYP_REDUCE, true, true, 1 << 20 },
    { ANYP_BCAST, true, true, 8 },
    { ANYP_BCAST, true, false, 8 << 10 },
    { ANYP_BCAST, true, true, 64 << 10 },
    { ANYP_BCAST, true, false, 256 << 10 },
    { ANYP_BCAST, true, true, 1 << 20 },
    { ANYP_ALLGATHER, true, true, 8 },
    { ANYP_ALLGATHER, true, false, 8 << 10 },
    { ANYP_ALLGATHER, true, true, 64 << 10 },
    { ANYP_ALLGATHER, true, false, 256 << 10 },
    { ANYP_ALLGATHER, true, true, 1 << 20 },
    { ANYP_ALLTOALL, true, true, 8 },
    { ANYP_ALLTOALL, true, false, 8 << 10 },
    { ANYP_ALLTOALL, true, true, 64 << 10 },
    { ANYP_ALLTOALL, true, false, 256 << 10 },
    { ANYP_ALLTOALL, true, true, 1 << 20 },
};

typedef struct bench {
    double latency;
    int64_t procs[ANYPI_MAX_LIST], others[ANYPI_MAX_LIST];
    int procs_count, others_count;
    const char *file, *mpich, *tree;
    char *skip;                         /* the text of the file of --skip, or NULL */
    bool single, quick, moves, queues;
    int repeats, node_ranks;
    int samples, late;                  /* taken, and of them with a rank that began late */
    int rank;
    anypi_cvars *names;
    anypi_cell before;                  /* the last cell; seconds there, INFINITY: none */
    double least_before, seconds_before[NETLAB_MOST_RIVALS];
    anypi_decision *decision;
    anypi_work work;
} bench;

typedef struct sample {
    double seconds;                     /* until the last rank is done */
    double late;                        /* the latest beginning */
    double verdict;                     /* the worst anypi_outcome of any rank */
} sample;

/* One call, whose result is checked if `checked`. All ranks get the same outcome. The bench's own
 * messages use other collectives than those whose algorithm may be forced. */
static sample call_once(bench *b, const anypi_cell *cell, MPI_Comm comm, bool checked)
{
    sample own = { 0 }, all[MOST_RANKS], most = { 0 };
    if (checked)
        anypi_work_prepare(&b->work, cell, comm);
    const double begin = netlab_together(comm, b->latency, &own.late);
    const int error = anypi_work_call(&b->work, cell, comm);
    own.seconds = netlab_clock() - begin;
    own.verdict = error ? ANYPI_REFUSED
        : checked ? anypi_work_verify(&b->work, cell, comm) : ANYPI_RIGHT;
    MPI_Gather(&own, 3, MPI_DOUBLE, all, 3, MPI_DOUBLE, 0, comm);
    for (int i = 0; !b->rank && i < cell->p; i++) {
        most.seconds = fmax(most.seconds, all[i].seconds);
        most.late = fmax(most.late, all[i].late);
        most.verdict = fmax(most.verdict, all[i].verdict);
    }
    MPI_Bcast(&most, 3, MPI_DOUBLE, 0, comm);
    return most;
}

static bool is_late(const bench *b, const sample *s)
{
    return s->late > fmax(late_part * s->seconds, late_latency * b->latency);
}

/* "13"; on nodes "3x4", "3x4;1". */
static char *procs_text(const anypi_cell *cell, char *text, size_t size)
{
    char *shape = cell->nodes ? anypi_shape_text(cell->nodes) : NULL;
    snprintf(text, size, "%d", cell->p);
    if (shape)
        snprintf(text, size, "%s", shape);
    for (char *c = text; *c; c++)
        *c = *c == ',' ? ';' : *c;
    anypi_free(shape);
    return text;
}

static const char *operator_text(const anypi_cell *cell)
{
    return anypi_moves(cell->collective) ? "none" : cell->commutative ? "sum" : "matrix";
}

/* The columns in front of a time. */
static char *cell_text(const anypi_cell *cell, const char *who, char *text, size_t size)
{
    char procs[64];
    snprintf(text, size, "%s,%s,%s,%lld,%.128s", anyp_collective_name(cell->collective),
             operator_text(cell), procs_text(cell, procs, sizeof procs), (long long) cell->bytes,
             who);
    return text;
}

static void keep_sample(bench *b, const anypi_cell *cell, const char *who, const sample *kept)
{
    char what[3 * ANYPI_NAME_SIZE] = "", text[LINE_SIZE];
    b->samples++;
    b->late += is_late(b, kept);
    if (b->rank)
        return;
    if (b->decision)
        anypi_bench_chosen(b->decision, cell, true, what, sizeof what);
    for (char *c = what; *c; c++)
        *c = *c == ',' ? ';' : *c;
    printf("%s,%.7f,%s\n", cell_text(cell, who, text, sizeof text), kept->seconds, what);
    fflush(stdout);
}

/* Samples, each taken again while a rank begins late. */
static void take_samples(bench *b, const anypi_cell *cell, MPI_Comm comm, int count,
                         const char *who)
{
    for (int i = 0; i < count; i++) {
        sample taken = { .late = INFINITY };
        for (int attempt = 0; is_late(b, &taken) && attempt < MOST_TRIES; attempt++)
            taken = call_once(b, cell, comm, false);
        keep_sample(b, cell, who, &taken);
    }
}

/* The first call with the settings in force, which is checked. A wrong result ends the program, but
 * one of a forced algorithm (`single`) only removes this algorithm. */
static sample first_call(bench *b, const anypi_cell *cell, MPI_Comm comm, bool single,
                         const char *who)
{
    char procs[64];
    const sample first = call_once(b, cell, comm, true);
    if (first.verdict == ANYPI_RIGHT || (single && first.verdict == ANYPI_REFUSED))
        return first;
    if (!b->rank)
        printf("wrong: %s %s %s p=%s: %lld bytes\n", who, anyp_collective_name(cell->collective),
               operator_text(cell), procs_text(cell, procs, sizeof procs),
               (long long) cell->bytes);
    fflush(stdout);
    if (!single)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return first;
}

/* Times the library's own choice, or that of the decision file. If calls are long, the first one is
 * a sample, unless a rank was late. Returns its seconds. */
static double time_choice(bench *b, const anypi_cell *cell, MPI_Comm comm, const char *who)
{
    const sample first = first_call(b, cell, comm, false, who);
    const bool is_long = first.seconds >= long_call, counts = is_long && !is_late(b, &first);
    if (counts)
        keep_sample(b, cell, who, &first);
    take_samples(b, cell, comm, (is_long ? (b->repeats + 1) / 2 : b->repeats) - counts, who);
    return first.seconds;
}

/* Times an algorithm of MPICH's. `best`: seconds of the fastest first call so far. Returns its own;
 * INFINITY if it does not serve such calls. */
static double time_rival(bench *b, const anypi_cell *cell, MPI_Comm comm, double best,
                         const char *who)
{
    const sample first = first_call(b, cell, comm, true, who);
    if (first.verdict != ANYPI_RIGHT)
        return INFINITY;
    const bool is_long = first.seconds >= long_call;
    const bool slow = first.seconds > (is_long ? hopeless_long : hopeless_short) * best;
    const bool counts = slow || (is_long && !is_late(b, &first));
    const int repeats = slow ? 1 : is_long ? (b->repeats + 3) / 4 : (b->repeats + 1) / 2;
    if (counts)
        keep_sample(b, cell, who, &first);
    take_samples(b, cell, comm, repeats - counts, who);
    return first.seconds;
}

/* Is algorithm i too slow to be tried, by the cell before? */
static bool is_settled(const bench *b, const anypi_cell *cell, int i)
{
    const anypi_cell *before = &b->before;
    return before->collective == cell->collective && before->commutative == cell->commutative &&
        before->p == cell->p && before->bytes >= SETTLED_BYTES && before->bytes < cell->bytes &&
        b->seconds_before[i] > hopeless_long * b->least_before;
}

/* Is it in a line of the file of --skip? */
static bool is_skipped(const bench *b, const anypi_cell *cell, const char *who)
{
    char line[LINE_SIZE];
    cell_text(cell, who, line, sizeof line);
    const size_t length = strlen(line);
    for (const char *at = b->skip; at && (at = strstr(at, line)); at += length)
        if ((at == b->skip || at[-1] == '\n') && at[length] == '\n')
            return true;
    return false;
}

/* All algorithms of MPICH's. `best`: as in time_rival(). */
static void time_rivals(bench *b, const anypi_cell *cell, MPI_Comm comm, double best)
{
    netlab_rival rivals[NETLAB_MOST_RIVALS];
    const int count = netlab_rivals(cell->collective, cell->commutative, b->tree, b->names, rivals);
    for (int i = 0; i < count; i++) {
        const bool settled = is_settled(b, cell, i);
        b->seconds_before[i] = INFINITY;
        if (settled || is_skipped(b, cell, rivals[i].name))
            continue;
        if (netlab_swap(cell->collective, &rivals[i]))
            b->seconds_before[i] = time_rival(b, cell, comm, best, rivals[i].name);
        best = fmin(best, b->seconds_before[i]);
        netlab_swap(cell->collective, &rivals[i]);
    }
    b->least_before = best;
    b->before = *cell;
}

static void time_cell(bench *b, const anypi_cell *cell, MPI_Comm comm)
{
    const double own = time_choice(b, cell, comm, b->file ? "anyp" : "peer:mpich");
    if (b->single)
        time_rivals(b, cell, comm, own);
}

static bool other_collectives(const bench *b, int p)
{
    bool any = !b->others_count;
    for (int i = 0; i < b->others_count; i++)
        any = any || b->others[i] == p;
    return any;
}

/* Of p ranks; NULL if each is a node of its own. */
static anyp_shape *nodes_of(const bench *b, int p)
{
    int node_of_rank[MOST_RANKS];
    for (int i = 0; i < p; i++)
        node_of_rank[i] = i / b->node_ranks;
    anyp_shape *nodes = b->node_ranks > 1 ? anypi_shape_make(node_of_rank, 1, p) : NULL;
    if (b->node_ranks > 1 && !nodes)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return nodes;
}

static void time_all(bench *b)
{
    for (int i = 0; i < b->procs_count; i++) {
        MPI_Comm comm;
        const int p = (int) b->procs[i];
        anyp_shape *nodes = nodes_of(b, p);
        MPI_Comm_split(MPI_COMM_WORLD, b->rank < p ? 0 : MPI_UNDEFINED, b->rank, &comm);
        if (comm == MPI_COMM_NULL) {
            anypi_shape_free(nodes);
            continue;
        }
        MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
        const anypi_cell blocks = { .collective = ANYP_ALLTOALL, .p = p, .commutative = true,
                                    .nodes = nodes, .bytes = (int64_t) p * QUEUED_BYTES };
        if (b->queues)
            time_cell(b, &blocks, comm);
        for (size_t k = 0; !b->queues && k < sizeof cells / sizeof *cells; k++) {
            const bool moves = anypi_moves(cells[k].collective);
            if ((b->quick && !cells[k].quick) || moves != b->moves ||
                (!moves && cells[k].collective != ANYP_ALLREDUCE && !other_collectives(b, p)))
                continue;
            const anypi_cell cell = { .collective = cells[k].collective, .p = p,
                                      .commutative = cells[k].commutative, .nodes = nodes,
                                      .bytes = cells[k].bytes };
            time_cell(b, &cell, comm);
        }
        MPI_Comm_free(&comm);
        anypi_shape_free(nodes);
    }
}

static bool read_options(bench *b, int argc, char **argv, int p)
{
    static const struct option names[] = {
        { "latency", 1, NULL, 'l' }, { "procs", 1, NULL, 'p' }, { "file", 1, NULL, 'f' },
        { "single", 0, NULL, 's' }, { "repeats", 1, NULL, 'r' },
        { "quick", 0, NULL, 'q' }, { "others", 1, NULL, 'o' }, { "mpich", 1, NULL, 'm' },
        { "tree", 1, NULL, 't' }, { "skip", 1, NULL, 'k' }, { "node-ranks", 1, NULL, 'n' },
        { "moves", 0, NULL, 'v' }, { "queues", 0, NULL, 'u' },
        { NULL, 0, NULL, 0 }
    };
    const char *reason;
    b->procs[0] = p;
    b->tree = "knomial_1";
    b->repeats = 4;
    b->node_ranks = 1;
    b->procs_count = 1;
    for (int option; (option = getopt_long(argc, argv, "", names, NULL)) != -1;) {
        switch (option) {
        case 'l': b->latency = 1e-6 * atof(optarg); break;
        case 'p': b->procs_count = anypi_parse_list(optarg, 2, p, b->procs, &reason); break;
        case 'o':
            b->others_count = anypi_parse_list(optarg, 2, p, b->others, &reason);
            if (!b->others_count)
                return false;
            break;
        case 'f': b->file = optarg; break;
        case 'm': b->mpich = optarg; break;
        case 't': b->tree = optarg; break;
        case 'k':
            b->skip = anypi_file_read(optarg, &reason);
            if (!b->skip)
                return false;
            break;
        case 's': b->single = true; break;
        case 'q': b->quick = true; break;
        case 'v': b->moves = true; break;
        case 'u': b->queues = true; break;
        case 'r': b->repeats = atoi(optarg); break;
        case 'n': b->node_ranks = atoi(optarg); break;
        default: return false;
        }
    }
    return optind == argc && b->latency > 0 && b->procs_count && b->repeats > 0 &&
        b->node_ranks > 0 && p <= MOST_RANKS;
}

/* Everything that may fail, before anything is timed. */
static bool prepare(bench *b, int p, char *message, size_t size)
{
    anypi_diagnosis diagnosis = { .text = "no memory" };
    int before;
    if (anypi_mpich_open(b->mpich, message, size) != ANYP_SUCCESS ||
        !anypi_steer_open(MPI_COMM_WORLD, &b->names, message, size))
        return false;
    snprintf(message, size, "this library cannot be measured: it is not MPICH with AnyP inside");
    if (b->single &&            /* an error if an algorithm does not fit the call */
        !anypi_steer_write("MPIR_CVAR_COLLECTIVE_FALLBACK", 0, &before))
        return false;
    if (b->file && anypi_decision_read(b->file, &b->decision, &diagnosis) != ANYP_SUCCESS) {
        snprintf(message, size, "%s", diagnosis.text);
        return false;
    }
    return anypi_work_init(&b->work, 1 << 20, p);
}

/* Connections are made on first use, which must not be in a sample. */
static bool connect_all(int p)
{
    char *from = calloc((size_t) p, 1), *to = calloc((size_t) p, 1);
    if (from && to)
        MPI_Alltoall(from, 1, MPI_CHAR, to, 1, MPI_CHAR, MPI_COMM_WORLD);
    const bool done = from && to;
    free(from);
    free(to);
    return done;
}

int main(int argc, char **argv)
{
    static bench b;
    char message[1024] = "no memory";
    int p;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &b.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (!read_options(&b, argc, argv, p)) {
        if (!b.rank)
            fputs(usage, stderr);
        MPI_Finalize();
        return 2;
    }
    int own = prepare(&b, p, message, sizeof message) && connect_all(p), all;
    MPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (all)
        time_all(&b);
    else if (!b.rank)
        fprintf(stderr, "measure: %s\n", message);
    if (all && !b.rank)
        printf("late: %d of %d\n", b.late, b.samples);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return !all;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * time - how long collectives take in the simulated network: sums of doubles, or products of
 * matrices, which do not commute, over all ranks, or the lower ones in scans, or the same data
 * moved, from a common moment to the moment when the last rank is done. With late ranks: from the
 * moment when the last rank begins, the mean of some calls.
 * Run under smpirun by test/sim/bench.
 *
 * Every result is checked on every rank. For sums, element i of rank r is w(r) a(i) + b(i), small
 * whole numbers, so that sums are exact in any order. A matrix is 2 x 2 whole numbers modulo 2^16,
 * 8 bytes like a double, with an odd determinant: no product loses information. Only PERIOD
 * different ones follow each other on a rank, so that few products must be known. The first call of
 * each kind is not timed: it makes communicators that are kept. In that of a barrier some ranks are
 * late, and none may leave before the last one has come.
 *
 * Where only the two ends of a block know its size, pairs.c has the calls. Each size has a new
 * communicator, since AnyP learns from its earlier calls; TIME_CALLS says which calls are timed.
 *
 * Linked without the plug-in, it times SMPI's own collectives, and those of scan_peers.c and
 * pair_peers.c.
 */
#include "anyp_control.h"
#include "measure/calls.h"
#include "meet.h"
#include "pairs.h"
#include "analysis/uneven.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#pragma weak anyp_control_set
#pragma weak anyp_control_last

static const char usage[] =
    "usage: time SECONDS MEMORY OPERATOR LATE WHAT:BYTES,BYTES,...[...]\n"
    "Under smpirun: for each WHAT and size a line \"WHAT BYTES MICROSECONDS\"; or, instead of a\n"
    "time, \"wrong\" and what is wrong. WHAT is a COLLECTIVE, or for an algorithm of AnyP's\n"
    "COLLECTIVE/ALGORITHM/PARAMETER=VALUE/... After COLLECTIVE may follow @SHAPE, how blocks\n"
    "with counts differ in size: half, linear, powers, one or ramp (src/analysis/uneven.h).\n"
    "Of alltoallv, gatherv and scatterv, BYTES are the mean of a pair, and SHAPE is even,\n"
    "uniform, powers or sparse (src/analysis/sizes.h); the mean time of some calls is printed, by\n"
    "default the second one alone. The variable TIME_CALLS names others: FIRST-LAST.\n"
    "OPERATOR is sum or matrix. Ranks begin at one\n"
    "moment, or up to LATE microseconds later. If a size needs more than SECONDS of\n"
    "computing, SIGXCPU ends the program; more than MEMORY bytes are refused.\n"
    "Exit status: 0 if everything was printed, 2 for a wrong command line.\n";

enum {
    PERIOD = 61,                /* matrices repeat after this many */
    LATE_CALLS = 5              /* calls whose mean is printed where ranks are late */
};

typedef union element {
    double number;
    uint16_t matrix[4];
    uint64_t bits;
} element;

static const double checked_late = 20e-6;       /* seconds, of a barrier's first call */

static int p, rank;
static rlim_t limit;            /* seconds of computing for a size */
static double late;             /* seconds that a rank begins later, at most */
static bool matrices;
static MPI_Datatype type;
static MPI_Op op;
static int64_t filled;          /* elements of the vector in memory */
static element *input, *output;
static anypi_uneven shape;      /* of blocks with counts of their own */
static int *counts, *displs;    /* of the blocks */
static element products[PERIOD];        /* of the matrices of the first `multiplied` ranks */
static int multiplied;

static double factor(int64_t i)
{
    return (double) ((uint32_t) i * UINT32_C(2654435769) >> 20);
}

static double offset(int64_t i)
{
    return (double) (((uint32_t) i + 77) * UINT32_C(2246822519) >> 20);
}

static double weight(int r)
{
    return (double) (((uint32_t) r + 1) * UINT32_C(3266489917) >> 20);
}

static uint32_t mixed(uint32_t number)
{
    number = (number ^ number >> 16) * UINT32_C(2246822519);
    number = (number ^ number >> 13) * UINT32_C(3266489917);
    return number ^ number >> 16;
}

static void multiply(void *in, void *inout, int *count, MPI_Datatype *unused)
{
    const uint16_t *left = in;
    uint16_t *right = inout;
    (void) unused;
    for (int i = 0; i < *count; i++, left += 4, right += 4) {
        const uint32_t l[4] = { left[0], left[1], left[2], left[3] };
        const uint32_t r[4] = { right[0], right[1], right[2], right[3] };
        right[0] = (uint16_t) (l[0] * r[0] + l[1] * r[2]);
        right[1] = (uint16_t) (l[0] * r[1] + l[1] * r[3]);
        right[2] = (uint16_t) (l[2] * r[0] + l[3] * r[2]);
        right[3] = (uint16_t) (l[2] * r[1] + l[3] * r[3]);
    }
}

/* Element i of a rank's vector. */
static element given(int r, int64_t i)
{
    element value = { .bits = 0 };
    if (matrices) {
        const uint32_t key = (uint32_t) r * PERIOD + (uint32_t) (i % PERIOD);
        const uint32_t one = mixed(2 * key), two = mixed(2 * key + 1);
        value.matrix[0] = (uint16_t) (one | 1);
        value.matrix[1] = (uint16_t) (one >> 16);
        value.matrix[2] = (uint16_t) (two >> 16 & ~UINT32_C(1));
        value.matrix[3] = (uint16_t) (two | 1);
    } else {
        value.number = weight(r) * factor(i) + offset(i);
    }
    return value;
}

static void choose_operator(const char *name)
{
    matrices = !strcmp(name, "matrix");
    type = MPI_DOUBLE;
    op = MPI_SUM;
    if (!matrices)
        return;
    MPI_Type_contiguous(4, MPI_UINT16_T, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(multiply, 0, &op);
}

/* Sets products to those of the first `ranks` ranks. */
static void multiply_first(int ranks)
{
    for (int i = 0; i < PERIOD && multiplied != ranks; i++) {
        products[i] = given(ranks - 1, i);
        for (int r = ranks - 2; r >= 0; r--) {
            element left = given(r, i);
            multiply(&left, &products[i], &(int) { 1 }, NULL);
        }
    }
    multiplied = ranks;
}

/* The vector has at least `count` elements, and `output` room for one more. */
static void provide(int64_t count)
{
    if (count > filled) {
        free(output);
        input = realloc(input, (size_t) count * sizeof *input);
        output = malloc((size_t) (count + 1) * sizeof *output);
        if (!input || !output) {
            fprintf(stderr, "time: no memory on rank %d\n", rank);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        for (; filled < count; filled++)
            input[filled] = given(rank, filled);
    }
}

static void cut(int64_t count)
{
    for (int r = 0; r < p; r++) {
        displs[r] = (int) anypi_uneven_start(shape, p, r, count);
        counts[r] = (int) anypi_uneven_start(shape, p, r + 1, count) - displs[r];
    }
}

static int call(anyp_collective collective, int count)
{
    const bool own = anypi_collectives[collective].input == ANYPI_HAS_OWN;
    const anypi_mpi_call one = { .collective = collective,
                                 .in = own ? input + displs[rank] : input, .out = output,
                                 .count = count, .counts = counts, .type = type, .op = op,
                                 .in_count = counts[rank], .in_type = type, .displs = displs,
                                 .comm = MPI_COMM_WORLD };
    return anypi_call_blocking(&one);
}

/* Is what was moved right: these elements of the vector, `mine` from `first` on? The root is rank
 * 0. */
static bool moved_right(const anypi_collective *its, int64_t first, int64_t mine)
{
    bool same = true;
    int owner = 0;
    for (int64_t i = first; i < first + mine; i++) {
        while (i >= displs[owner] + counts[owner])
            owner++;
        const int from = its->input == ANYPI_AT_ROOT ? 0 : owner;
        /* with all blocks on all ranks, this rank gets the one with its number */
        const element value = given(from, its->input == ANYPI_HAS_ALL ?
                                    displs[rank] + i - displs[owner] : i);
        same &= output[i - first].bits == value.bits;
    }
    return same;
}

/* Are this rank's elements of the result right, and is the one after them unchanged? */
static bool right(anyp_collective collective, int64_t count)
{
    const anyp_call of_rank = { .collective = collective, .p = p };
    const int64_t mine = anypi_scatters(&of_rank) ? counts[rank] : count;
    const int64_t first = anypi_scatters(&of_rank) ? displs[rank] : 0;
    const int ranks = anypi_prefix_end(&of_rank, rank);
    double weights = 0;
    if (!anypi_has_result(&of_rank, rank))
        return ranks > 0 || output[0].number == -1;
    bool same = output[mine].number == -1;
    if (anypi_moves(collective))
        return moved_right(&anypi_collectives[collective], first, mine) && same;
    for (int r = 0; r < ranks; r++)
        weights += weight(r);
    if (matrices)
        multiply_first(ranks);
    for (int64_t i = 0; i < mine && !matrices; i++)
        same &= output[i].number == weights * factor(first + i) + ranks * offset(first + i);
    for (int64_t i = 0; i < mine && matrices; i++)
        same &= output[i].bits == products[(first + i) % PERIOD].bits;
    return same;
}

/* The process may compute `limit` seconds from now on. All ranks are in one process. */
static void allow(void)
{
    struct rusage used;
    struct rlimit most;
    if (rank != 0 || getrusage(RUSAGE_SELF, &used) || getrlimit(RLIMIT_CPU, &most))
        return;
    most.rlim_cur = (rlim_t) (used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1) + limit;
    setrlimit(RLIMIT_CPU, &most);
}

/* How many seconds later a rank begins; the same in all runs. */
static double delay(int r, int64_t count, int number)
{
    const uint32_t key = mixed(mixed((uint32_t) r) + (uint32_t) count + (uint32_t) number);
    return late * key / UINT32_MAX;
}

/* Did the algorithm that was asked for not run? */
static bool not_served(anyp_collective collective, const char *algorithm)
{
    static const char *const names[ANYP_COLLECTIVES] = {
#define ANYP_COLLECTIVE(NAME, Name, name, ...) [ANYP_##NAME] = #name,
#include "schedule/collectives.def"
    };
    const char *last = anyp_control_last ? anyp_control_last(names[collective]) : NULL;
    return algorithm && p > 1 && (!last || strcmp(last, algorithm));
}

/* Makes a call; returns its error, or NULL. Sets *longest to its seconds. Collective. */
static const char *timed(anyp_collective collective, const char *algorithm, int64_t count,
                         int number, double *longest)
{
    double last_begin = 0;
    for (int64_t i = 0; i <= count; i++)
        output[i].number = -1;
    if (collective == ANYP_BCAST && rank == 0)
        memcpy(output, input, (size_t) count * sizeof *output);
    for (int r = 0; r < p; r++)
        last_begin = fmax(last_begin, delay(r, count, number));
    const double begin = meet() + last_begin;
    if (late > 0)
        sg_actor_sleep_for(delay(rank, count, number));
    const int error = call(collective, (int) count);
    const double took = simgrid_get_clock() - begin;
    *longest = meet_greatest(took);
    return error ? "an error is returned" : !right(collective, count) ? "a wrong result" :
        anypi_has_no_data(collective) && took < -1e-9 ? "left before the last rank came" :
        not_served(collective, algorithm) ? "not served" : NULL;
}

/* The lowest rank with a fault, or else rank 0, writes a line. Collective. */
static void print(const char *what, int64_t bytes, const char *fault, double seconds)
{
    const int blamed = -(int) meet_greatest(fault ? -rank : -p);
    if (blamed == rank)
        printf("%s %lld wrong %s on rank %d\n", what, (long long) bytes, fault, rank);
    else if (blamed == p && rank == 0)
        printf("%s %lld %.4f\n", what, (long long) bytes, seconds * 1e6);
    fflush(stdout);
}

/* Times a vector of that many bytes, where equal blocks are rounded up to whole elements. */
static void measure(const char *what, anyp_collective collective, const char *algorithm,
                    int64_t bytes, bool first)
{
    int64_t count = (bytes + 7) / 8;
    const int calls = late > 0 ? LATE_CALLS : 1;
    double longest, sum = 0;
    allow();
    if (anypi_has_blocks(collective) && shape == ANYPI_EVEN)
        count = (count + p - 1) / p * p;
    provide(count > 0 ? count : 1);
    cut(count);
    const double usual = late;
    if (anypi_has_no_data(collective))  /* it is right if all wait for the last rank */
        late = fmax(late, checked_late);
    const char *fault = first ? timed(collective, algorithm, count, 0, &longest) : NULL;
    late = usual;
    for (int number = 0; number < calls; number++) {
        const char *seen = timed(collective, algorithm, count, number, &longest);
        fault = fault ? fault : seen;
        sum += longest;
    }
    print(what, bytes, fault, sum / calls);
}

/* Times calls in which each pair of ranks has its own bytes; `mean` of them. */
static void measure_pairs(const char *what, anyp_collective collective, anypi_sizes kind,
                          const char *algorithm, int64_t mean)
{
    const char *numbers = getenv("TIME_CALLS"), *fault = NULL;
    int first = 2, last = 2, one = 1, sum;
    double timed = 0;
    MPI_Comm comm;
    if (numbers)
        sscanf(numbers, "%d-%d", &first, &last);
    allow();
    pairs_prepare(collective, kind, mean);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    /* the plug-in makes its own communicators in this call */
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    for (int number = 1; number <= last; number++) {
        pairs_fill();
        const double begin = meet();
        const int error = pairs_call(comm);
        const double longest = meet_greatest(simgrid_get_clock() - begin);
        const char *seen = error ? "an error is returned" : !pairs_right() ? "a wrong result" :
            not_served(collective, algorithm) ? "not served" : NULL;
        fault = fault ? fault : seen;
        timed += number >= first ? longest : 0;
    }
    print(what, mean, fault, timed / (last - first + 1));
    MPI_Comm_free(&comm);
}

/* Limits the memory to that many bytes more than now, since other simulations need theirs. */
static void allow_memory(rlim_t bytes)
{
    struct rlimit most;
    unsigned long long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (rank == 0 && file && fscanf(file, "%llu", &pages) == 1 && !getrlimit(RLIMIT_AS, &most)) {
        most.rlim_cur = (rlim_t) pages * (rlim_t) sysconf(_SC_PAGESIZE) + bytes;
        setrlimit(RLIMIT_AS, &most);
    }
    if (file)
        fclose(file);
}

/* ---- command line ---- */

static void fail(const char *message, const char *what)
{
    if (rank == 0)
        fprintf(stderr, "time: %s%s\n%s", message, what, usage);
    MPI_Finalize();
    exit(2);
}

/* Sets ANYP_<COLLECTIVE>_<NAME>; NULL: unsets it. */
static void set(const char *collective, const char *name, const char *value)
{
    char full[200];
    const char *reason = "the program is linked without the plug-in";
    snprintf(full, sizeof full, "%s_%s", collective, name);
    for (char *c = full; *c; c++)
        *c = (char) toupper((unsigned char) *c);
    if (!anyp_control_set || anyp_control_set(full, value, &reason))
        fail(reason, "");
}

/* WHAT:BYTES,BYTES,... Restores the settings afterwards. */
static void times(const char *argument)
{
    char *what = strdup(argument), *sizes = strchr(what, ':');
    if (!sizes)
        fail("which sizes? ", what);
    *sizes++ = 0;
    char *words = strdup(what), *save = NULL, *parameters[8];
    const char *name = strtok_r(words, "/", &save), *algorithm = strtok_r(NULL, "/", &save);
    char *at = name ? strchr(name, '@') : NULL;
    anyp_collective collective = 0;
    int set_count = 0;
    if (at)
        *at++ = 0;
    while (collective < ANYP_COLLECTIVES &&
           strcmp(name ? name : "", anypi_collectives[collective].name))
        collective++;
    if (collective == ANYP_COLLECTIVES)
        fail("which collective is ", what);
    const bool of_pairs = anypi_has_local_sizes(collective);
    const anypi_sizes kind = at && of_pairs ? anypi_sizes_find(at) : ANYPI_SIZES_EVEN;
    shape = at && !of_pairs ? anypi_uneven_find(at) : ANYPI_EVEN;
    if (shape == ANYPI_UNEVENS || kind == ANYPI_SIZES_KINDS)
        fail("which shape has ", what);
    if (shape != ANYPI_EVEN && anypi_collectives[collective].arguments != ANYPI_TAKES_COUNTS)
        fail("its blocks have no counts: ", what);
    if (algorithm)
        set(name, "algorithm", algorithm);
    for (char *word = strtok_r(NULL, "/", &save); word; word = strtok_r(NULL, "/", &save)) {
        char *equal = strchr(word, '=');
        if (!equal || set_count == 8)
            fail("which value has ", word);
        *equal = 0;
        set(name, word, equal + 1);
        parameters[set_count++] = word;
    }
    for (char *size = strtok_r(sizes, ",", &save); size; size = strtok_r(NULL, ",", &save))
        if (of_pairs)
            measure_pairs(what, collective, kind, algorithm, atoll(size));
        else
            measure(what, collective, algorithm, atoll(size), size == sizes);
    while (set_count > 0)
        set(name, parameters[--set_count], NULL);
    if (algorithm)
        set(name, "algorithm", NULL);
    free(words);
    free(what);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 6 || atoll(argv[1]) < 1 || atoll(argv[2]) < 1 || atof(argv[4]) < 0)
        fail("how many seconds and bytes, which operator, how late, and what?", "");
    if (strcmp(argv[3], "sum") && strcmp(argv[3], "matrix"))
        fail("which operator is ", argv[3]);
    counts = malloc((size_t) p * sizeof *counts);
    displs = malloc((size_t) p * sizeof *displs);
    if (!counts || !displs)
        MPI_Abort(MPI_COMM_WORLD, 1);
    limit = (rlim_t) atoll(argv[1]);
    allow_memory((rlim_t) atoll(argv[2]));
    choose_operator(argv[3]);
    late = atof(argv[4]) * 1e-6;
    for (int i = 5; i < argc; i++)
        times(argv[i]);
    if (matrices) {
        MPI_Op_free(&op);
        MPI_Type_free(&type);
    }
    free(counts);
    free(displs);
    free(input);
    free(output);
    MPI_Finalize();
    return 0;
}

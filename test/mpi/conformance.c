/* SPDX-License-Identifier: BSD-3-Clause
 *
 * conformance - every algorithm of AnyP inside MPICH, or in the plug-in, against a plain reference.
 *
 * For all collectives, algorithms of the registry, choices of their parameters, kinds of operator
 * and type, counts, in place or not, roots: the algorithm is forced by control.h, every rank
 * computes the expected result from the input of all ranks, and all bytes of the buffers are
 * compared, gaps and margins included. The library's own verbose line, and the plug-in after every
 * call, says whether the algorithm ran: it must run exactly where it serves the call. Run under
 * mpiexec by test/mpi/run and test/plugin/conformance.
 *
 * Default parameters are run with everything. To bound the time, other choices are run with some
 * kinds and counts only, and all roots of a reduce with one count only. --sample runs a twelfth of
 * the pairs of kind and count of each algorithm, and of its other choices.
 */
#include "call.h"
#include "cases.h"
#include "choices.h"
#include "control.h"
#include "library.h"

#include "schedule/collectives.h"
#include "schedule/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Command line. */
static struct {
    const char *table, *collective, *algorithm, *kind, *shape;
    test_form form;
    long long count;            /* -1: a spread */
    long long sample;           /* which twelfth of kinds, counts and choices; -1: all */
    bool one;                   /* the sample has one of the collectives */
    bool automatic;             /* force nothing */
    bool reproducible;          /* results must be, by the environment */
} options = { .count = -1, .sample = -1 };

/* Of options.shape; NULL: the ranks of each node are consecutive. */
static anyp_shape *nodes;

/* ---- did the algorithm run? ---- */

/* The name of the algorithm that must run if there is something to do; NULL: the library's own. */
static const char *must_run(const test_call *t)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    candidate other;
    test_call replaced = *t;
    replaced.candidate = &other;
    if (call_is_served(t))
        return t->candidate->algorithm->name;
    for (int i = 0; i < count && options.reproducible; i++) {
        other.algorithm = &algorithms[i];
        anyp_parameters_default(other.algorithm, other.parameters);
        if (call_is_served(&replaced))
            return other.algorithm->name;
    }
    return NULL;
}

/* Makes the call; where the library reports it on every rank, the algorithm must have run if it
 * serves the call and there is something to do, and else the library's own. */
static void run_and_ask(const test_call *t)
{
    const char *ran;
    run_call(t);
    if (options.automatic || !control_last(t->collective, &ran))
        return;
    const bool works = t->p > 1 && (t->count > 0 || anypi_has_no_data(t->collective));
    const char *wanted = works ? must_run(t) : NULL;
    if (!ran != !wanted || (ran && strcmp(ran, wanted)))
        failed(t, "%s ran, not %s", ran ? ran : "the library's own",
               wanted ? wanted : "the library's own");
    tally.asked++;
}

static void check_ran(test_call *t)
{
    char text[4096] = "", wanted[128];
    const char *const must = must_run(t);
    const MPI_Comm comm = t->comm;
    if (!control_listen()) {
        run_and_ask(t);
        return;
    }
    MPI_Comm_dup(comm, &t->comm);       /* a communicator reports everything once */
    control_verbose(true);
    run_and_ask(t);
    control_heard(text, sizeof text);
    control_verbose(false);
    MPI_Comm_free(&t->comm);
    t->comm = comm;

    snprintf(wanted, sizeof wanted, "anyp: %s%s p=%d bytes=%lld%s%s%s -> anyp_%s",
             t->form == BLOCKING ? "" : "i", anyp_collective_name(t->collective), t->p,
             (long long) t->count * 4 * t->kind->words,
             anypi_moves(t->collective) ? "" : " op=",
             anypi_moves(t->collective) ? "" : !t->kind->commutative ? "non-commutative" :
             t->kind->user ? "commutative-user" : "commutative",
             t->form == PERSISTENT ? " persistent" : "",
             must ? must : t->candidate->algorithm->name);
    if (t->rank != 0 && *text)
        failed(t, "a rank other than 0 says: %.100s", text);
    else if (t->rank == 0 && must && !strstr(text, wanted))
        failed(t, "%s did not run: %.100s", must, *text ? text : "nothing said");
    else if (t->rank == 0 && !must && strstr(text, wanted))
        failed(t, "it ran though it does not serve the call");
    tally.checks++;
}

/* ---- spreads ---- */

/* All shapes or roots, in place and not, of a count. */
static void run_count(test_call *t, int64_t count, bool check, const uint32_t *expected)
{
    const anyp_call of = { .collective = t->collective };
    const bool has_blocks = anypi_has_blocks(t->collective);
    const bool has_one = anypi_has_one_buffer(&of) || anypi_has_no_data(t->collective);
    const int roots[] = { 0, t->p / 2, t->p - 1 };
    const bool all_roots = t->p < 3 || (check && t->candidate->choice == 0);
    const int variants = !anypi_has_root(&of) ? 1 : all_roots ? t->p : 3;
    int *counts = malloc((size_t) t->p * sizeof *counts);
    int *displs = malloc((size_t) t->p * sizeof *displs);
    t->expected = expected;
    t->counts = t->displs = NULL;
    t->shape = "";
    t->count = anypi_has_no_data(t->collective) ? 0 : count;
    const bool shapes = has_blocks && !anypi_has_root(&of);
    for (int shape = 0; shapes || shape < variants; shape++) {
        t->root = !anypi_has_root(&of) ? 0 : all_roots ? shape : roots[shape];
        if (has_blocks) {
            t->shape = block_counts(t, shape, count, counts);
            if (!t->shape)
                break;
            t->counts = counts;
            t->count = total(counts, t->p);
        }
        if (anypi_moves(t->collective) && anypi_has_counts(&of)) {
            set_places(t, shape, displs);
            t->displs = displs;
        }
        for (int in_place = 0; in_place < (has_one ? 1 : 2); in_place++) {
            t->in_place = in_place;
            if (library_goes_wrong(t))
                tally.left_out++;
            else if (check && shape == 0 && !in_place && t->candidate->algorithm && t->p > 1)
                check_ran(t);       /* alone, MPI itself copies */
            else
                run_and_ask(t);
        }
    }
    free(counts);
    free(displs);
}

static void force(anyp_collective collective, const candidate *c)
{
    control_algorithm(collective, c->algorithm);
    for (int i = 0; i < c->algorithm->parameters_count; i++)
        control_parameter(collective, &c->algorithm->parameters[i], c->parameters[i]);
}

/* Calls `run` for the automatic choice and for the choices of every algorithm of the registry that
 * does the collective. With the plug-in, the automatic choice is the library's, whose nonblocking
 * forms have more faults than listed. */
static void for_candidates(void (*run)(test_call *, const void *), test_call *t,
                           const void *argument)
{
    int count;
    const anyp_collective collective = t->collective;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    candidate c = { .algorithm = NULL };
    t->candidate = &c;
    if (!options.automatic)
        control_algorithm(collective, NULL);
    if (!options.algorithm && (options.form == BLOCKING || control_needs_file))
        run(t, argument);
    for (int a = 0; a < count && !options.automatic; a++) {
        c.algorithm = &algorithms[a];
        if (!(c.algorithm->collectives & ANYP_IN_SET(collective)) ||
            (options.algorithm && strcmp(options.algorithm, c.algorithm->name)))
            continue;
        for (int i = 0; choice_get(c.algorithm, i, c.parameters); i++) {
            c.choice = i;
            force(collective, &c);
            run(t, argument);
        }
        c.choice = 0;
        choice_get(c.algorithm, 0, c.parameters);
        force(collective, &c);          /* other algorithms share the variables */
    }
    if (!options.automatic)
        control_algorithm(collective, NULL);
    t->candidate = NULL;
}

typedef struct size_case {
    int index;                  /* neighbouring kinds and counts have different ones */
    int64_t count;
    bool check;                 /* check whether the algorithm ran */
    bool all_choices;           /* not only default parameters */
    const uint32_t *expected;
} size_case;

/* Does the sample have the size for the candidate? */
static bool in_sample(const size_case *size, const candidate *c)
{
    int count;
    const long long index = c->algorithm ? c->algorithm - anyp_algorithms(&count) : 0;
    return options.sample < 0 || (size->index + index + c->choice + options.sample) % 12 == 0;
}

static void run_size(test_call *t, const void *argument)
{
    const size_case *size = argument;
    if (in_sample(size, t->candidate) && (t->candidate->choice == 0 || size->all_choices))
        run_count(t, size->count, size->check, size->expected);
}

/* Two kinds whose bits show the order of operands: a sum of MPI's, and a user's operator that does
 * not commute, on a type with gaps that begins below its address. */
static bool shows_order(const kind *k)
{
    return !k->exact || k->low < 0;
}

/* Reproducible results differ from others in some kinds only; and one kind never has them. */
static bool is_used(const kind *k)
{
    if (options.kind)
        return !strcmp(options.kind, k->name);
    return options.reproducible ? k->wild || k->overlaps || shows_order(k) : !k->wild;
}

/* Everything on a communicator; `small` leaves out the large count and parameters' choices. */
static void run_all(MPI_Comm comm, bool small)
{
    test_call t = { .comm = comm, .form = options.form, .reproducible = options.reproducible,
                    .nodes = nodes };
    MPI_Comm_size(comm, &t.p);
    MPI_Comm_rank(comm, &t.rank);
    const int64_t spread[] = { 0, 1, t.p - 1, t.p, t.p + 1, 1000, 65537 };
    const int spread_count = small ? 6 : 7;
    for (const kind *k = kinds; k < kinds + kinds_count; k++) {
        if (!is_used(k))
            continue;
        t.moved = k;
        for (int i = 0; i < (options.count < 0 ? spread_count : 1); i++) {
            const int64_t count = options.count < 0 ? spread[i] : options.count;
            const bool check = count == 1000 || options.count >= 0;
            size_case size = { (int) (k - kinds) + i, count, check,
                               !small && shows_order(k) && (check || count == t.p + 1), NULL };
            for (anyp_collective c = 0; c < ANYP_COLLECTIVES; c++) {
                if (anypi_has_local_sizes(c))       /* test/soak is for these */
                    continue;
                const bool moves = anypi_moves((anyp_collective) c);
                if ((options.collective && strcmp(options.collective, anyp_collective_name(c))) ||
                    (moves && (!kind_moves(k) || options.reproducible)))
                    continue;
                if (anypi_has_no_data(c) && !check)
                    continue;
                t.collective = c;
                t.kind = moves ? kind_in_turn(k, t.rank) : k;
                t.in_kind = moves ? kind_in_turn(k, t.rank + 1) : k;
                uint32_t *expected = moves ? NULL : expected_of(&t, count + t.p);
                size.expected = expected;
                for_candidates(run_size, &t, &size);
                free(expected);
            }
        }
    }
}

/* ---- the program ---- */

static const char usage[] =
    "usage: mpiexec -n P conformance [--mpich FILE] [--collective NAME] [--algorithm NAME]\n"
    "                                [--kind NAME] [--count N] [--automatic] [--nodes SHAPE]\n"
    "                                [--form blocking|nonblocking|persistent] [--reproducible]\n"
    "                                [--sample N [--one]]\n"
    "Runs AnyP's algorithms against a reference: in the plug-in, or in an MPICH with AnyP inside,\n"
    "whose PREFIX/share/anyp/mpich.json is FILE. Without other options: everything. --automatic\n"
    "forces nothing. --kind matrix: the non-commutative 2x2 product. --nodes: AnyP finds the\n"
    "ranks on these nodes, like 8,8,5 or 4x2:cyclic. --form: how collectives are called, by\n"
    "default blocking. --reproducible: MPIR_CVAR_ANYP_REPRODUCIBLE or ANYP_REPRODUCIBLE is set,\n"
    "so that all results have the same bits. --sample: a twelfth of kinds, counts and\n"
    "parameters for each algorithm, another one for each N modulo 12. --one: one collective\n"
    "only, another for each N.\n"
    "Exit status: 0 all passed, 1 something failed, 2 it could not run.\n";

static bool parse_form(const char *value)
{
    for (int form = 0; form < FORMS; form++)
        if (!strcmp(value, form_names[form])) {
            options.form = (test_form) form;
            return form != PERSISTENT || MPI_VERSION >= 4;
        }
    return false;
}

/* Of the collectives that are called here, the name of one, which follows from `sample`. */
static const char *one_in_turn(long long sample)
{
    anyp_collective called[ANYP_COLLECTIVES];
    int count = 0;
    for (int c = 0; c < ANYP_COLLECTIVES; c++)
        if (!anypi_has_local_sizes((anyp_collective) c))
            called[count++] = (anyp_collective) c;
    return anyp_collective_name(called[sample % count]);
}

static bool parse(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        char *end = NULL;
        if (!strcmp(argv[i], "--automatic")) {
            options.automatic = true;
            continue;
        }
        if (!strcmp(argv[i], "--reproducible")) {
            options.reproducible = true;
            continue;
        }
        if (!strcmp(argv[i], "--one")) {
            options.one = true;
            continue;
        }
        if (!value)
            return false;
        if (!strcmp(argv[i], "--mpich"))
            options.table = value;
        else if (!strcmp(argv[i], "--collective"))
            options.collective = value;
        else if (!strcmp(argv[i], "--algorithm"))
            options.algorithm = value;
        else if (!strcmp(argv[i], "--kind"))
            options.kind = value;
        else if (!strcmp(argv[i], "--nodes"))
            options.shape = value;
        else if (!strcmp(argv[i], "--form")) {
            if (!parse_form(value))
                return false;
        }
        else if (!strcmp(argv[i], "--count")) {
            options.count = strtoll(value, &end, 10);
            if (options.count < 0 || options.count > KIND_MOST_ELEMENTS - 1000)
                return false;
        }
        else if (!strcmp(argv[i], "--sample")) {
            options.sample = strtoll(value, &end, 10);
            if (options.sample < 0)
                return false;
        }
        else
            return false;
        if (end && *end)
            return false;
        i++;
    }
    if (options.one) {
        if (options.sample < 0 || options.collective)
            return false;
        options.collective = one_in_turn(options.sample);
    }
    return options.automatic || !options.table == !control_needs_file;
}

int main(int argc, char **argv)
{
    int rank, p;
    long mine[5], all[5];
    if (argc == 2 && !strcmp(argv[1], "--help")) {
        fputs(usage, stdout);
        return 0;
    }
    if (!parse(argc, argv)) {
        fputs(usage, stderr);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &p);
    if (!options.automatic) {
        control_open(options.table);
        if (!control_nonblocking(options.form != BLOCKING))
            control_fail("AnyP's algorithms are only for blocking calls here");
    }
    kinds_open();
    if (options.shape) {
        const char *reason;
        nodes = anypi_shape_read(options.shape, p, &reason);
        if (!nodes) {
            fprintf(stderr, "conformance: --nodes %s: %s\n", options.shape, reason);
            MPI_Abort(MPI_COMM_WORLD, 2);
        }
    }

    run_all(MPI_COMM_WORLD, false);
    if (p >= 3 && options.count < 0 && !nodes) {  /* two halves, ranks reversed, at the same time */
        MPI_Comm half;
        MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
        run_all(half, true);
        MPI_Comm_free(&half);
    }

    kinds_close();
    anypi_shape_free(nodes);
    if (!options.automatic)
        control_close();
    mine[0] = tally.calls;
    mine[1] = tally.checks;
    mine[2] = tally.left_out;
    mine[3] = tally.failures;
    mine[4] = tally.asked;
    MPI_Reduce(mine, all, 5, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Bcast(all, 5, MPI_LONG, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("p=%d: %ld %s calls right, %ld of them seen to run what they should, "
               "%ld left out where the library's own go wrong: %s\n",
               p, all[0] / p, form_names[options.form], (all[4] ? all[4] : all[1]) / p, all[2] / p,
               all[3] || !all[0] ? "FAILED" : "passed");
    MPI_Finalize();
    return all[3] > 0 || all[0] == 0;
}

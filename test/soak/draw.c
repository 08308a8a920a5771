/* SPDX-License-Identifier: BSD-3-Clause */
#include "soak.h"

#include "../mpi/cases.h"
#include "../mpi/control.h"

#include "algorithms/network.h"
#include "schedule/collectives.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers: splitmix64 ---- */

static uint64_t next(soak_random *r)
{
    uint64_t x = r->state += 0x9E3779B97F4A7C15u;
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

soak_random random_of(long number, int purpose)
{
    soak_random r = { options.seed };
    r.state = next(&r) ^ (uint64_t) number * 0xD1B54A32D192ED03u;
    r.state = next(&r) + (uint64_t) purpose;
    return r;
}

int draw(soak_random *r, int n)
{
    return (int) (next(r) % (uint64_t) n);
}

bool once_in(soak_random *r, int n)
{
    return draw(r, n) == 0;
}

/* ---- algorithms ---- */

static int draw_parameter(soak_random *r, const anyp_parameter *parameter)
{
    const int64_t values = (int64_t) parameter->maximum - parameter->minimum + 1;
    const int which = draw(r, 4);
    const int64_t low = parameter->values ? draw(r, (int) values) : draw(r, 8);
    const int64_t any = (int64_t) (next(r) % (1u << draw(r, 31)));
    if (which < 2)
        return parameter->default_value;
    const int64_t over = which == 2 || parameter->values ? low : any;
    return parameter->minimum + (int) (over < values ? over : values - 1);
}

void draw_candidate(soak_random *r, anyp_collective collective, candidate *c)
{
    int count, fit = 0;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    c->algorithm = NULL;
    for (int i = 0; i < count; i++)
        fit += !!(algorithms[i].collectives & ANYP_IN_SET(collective));
    int wanted = draw(r, fit + 1) - 1;          /* -1: automatic */
    for (int i = 0; i < count && wanted >= 0; i++)
        if (algorithms[i].collectives & ANYP_IN_SET(collective) && wanted-- == 0)
            c->algorithm = &algorithms[i];
    for (int i = 0; c->algorithm && i < c->algorithm->parameters_count; i++) {
        const anyp_parameter *one = &c->algorithm->parameters[i];
        c->parameters[i] = draw_parameter(r, one);
        /* on nodes, communicators with the ranks in another order refuse some groups */
        if (!strcmp(one->name, "groups") && getenv("ANYP_NODES"))
            c->parameters[i] = one->default_value;
    }
}

void force(anyp_collective collective, bool blocking, candidate *c)
{
    if (!control_nonblocking(!blocking)) {
        c->algorithm = NULL;
        return;
    }
    control_algorithm(collective, c->algorithm);
    for (int i = 0; c->algorithm && i < c->algorithm->parameters_count; i++)
        control_parameter(collective, &c->algorithm->parameters[i], c->parameters[i]);
}

/* ---- calls ---- */

static int draw_count(soak_random *r, int p, int most)
{
    static const int limits[] = { 1, 8, 8, 100, 100, 100, 2000, 2000, 2000, 20000 };
    const int limit = once_in(r, 50) ? SOAK_MOST_COUNT
        : once_in(r, 10) ? p + 2 : limits[draw(r, sizeof limits / sizeof limits[0])];
    const int count = draw(r, limit + 1);
    return count < most ? count : count % (most + 1);
}

static const kind *draw_kind(soak_random *r, bool moves)
{
    if (once_in(r, 8) && moves && kind_of_fortran())
        return kind_of_fortran();
    for (;;) {
        const kind *k = &kinds[draw(r, kinds_count)];
        if (moves ? kind_moves(k) : !k->wild || options.reproducible)
            return k;
    }
}

/* Block sizes, and where blocks are, by the shapes of the other tests. */
static void draw_blocks(soak_random *r, int count, soak_call *c)
{
    test_call *t = &c->call;
    const anyp_call of = { .collective = t->collective };
    int shapes = 1;
    const char *name = "";
    const int any = draw(r, 12);
    t->count = count;
    c->shape[strcspn(c->shape, " ")] = '\0';
    if (anypi_has_local_sizes(t->collective)) {
        snprintf(c->shape + strlen(c->shape), sizeof c->shape - strlen(c->shape), " sizes=%u",
                 t->seed);
        return;
    }
    if (anypi_has_blocks(t->collective)) {
        while (!anypi_has_root(&of) && block_counts(t, shapes, count, c->counts))
            shapes++;
        name = block_counts(t, any % shapes, count, c->counts);
        t->counts = c->counts;
        t->count = total(c->counts, t->p);
    }
    if (anypi_moves(t->collective) && anypi_has_counts(&of)) {
        set_places(t, any % shapes, c->displs);
        t->displs = c->displs;
    }
    snprintf(c->shape + strlen(c->shape), sizeof c->shape - strlen(c->shape), " %s", name);
}

/* Unusual places and handles that are freed, where AnyP runs the call. */
static void draw_place(soak_random *r, soak_call *c)
{
    test_call *t = &c->call;
    const bool moves = anypi_moves(t->collective) && !anypi_has_no_data(t->collective);
    const bool gathers =
        t->collective == ANYP_ALLGATHER || t->collective == ANYP_ALLGATHERV;
    const int any = draw(r, 6), offset = draw(r, 3);
    /* MPICH 4.0.2 loses bytes of types that are made of MPI_DOUBLE_INT */
    const bool can = t->p > 1 && !anypi_has_local_sizes(t->collective) && call_is_served(t) &&
        t->kind->words != 3;
    t->place = PLACE_ORDINARY;
    t->in_kind = moves ? kind_in_turn(t->moved, t->rank + c->turn + 1) : t->kind;
    t->frees = can && any == 0 && (moves || t->kind->user);
    if (any == 1 && can && moves && !t->in_place)
        t->place = PLACE_ABSOLUTE;
    /* overlapping elements have room for all blocks once */
    if (any > 3 && can && gathers && !t->in_place && (t->rank + offset) % 3 == 0 &&
        (!t->kind->overlaps || t->count < KIND_MOST_ELEMENTS / 2)) {
        t->place = PLACE_SHARED;
        t->in_kind = t->kind;
        for (int i = 0; t->displs && i < t->p; i++)
            c->displs[i] += t->counts[t->rank];
    }
}

bool draw_sizes(soak_random *r, int most, soak_call *c)
{
    test_call *t = &c->call;
    const anyp_call of = { .collective = t->collective };
    const bool local = anypi_has_local_sizes(t->collective);
    const bool no_data = anypi_has_no_data(t->collective);
    int count = local ? 1 + draw(r, once_in(r, 6) ? 4000 : once_in(r, 2) ? 100 : 4)
        : no_data ? 0 : draw_count(r, t->p, most);
    t->in_place = once_in(r, 3) && !anypi_has_one_buffer(&of) && !no_data;
    if (anypi_has_root(&of) && once_in(r, 2))
        t->root = draw(r, t->p);
    if (c->passed_on) {         /* the library's own forms have more faults than listed */
        t->in_place = false;
        count %= 1000;
    }
    t->seed = (uint32_t) draw(r, 1 << 30);
    draw_blocks(r, count, c);
    draw_place(r, c);
    return !library_goes_wrong(t);
}

bool draw_call(soak_random *r, long number, int most, MPI_Comm comm, int p, int rank,
               const soak_forced *forced, soak_call *c)
{
    test_call *t = &c->call;
    *c = (soak_call) { .call = { .comm = comm, .p = p, .rank = rank, .shape = c->shape,
                                 .candidate = &c->candidate,
                                 .reproducible = options.reproducible } };
    t->collective = (anyp_collective) draw(r, ANYP_COLLECTIVES);
    const bool local = anypi_has_local_sizes(t->collective);
    t->form = (test_form) draw(r, MPI_VERSION >= 4 ? 4 : 3) % FORMS;
    if (MPI_VERSION < 4 && t->form == PERSISTENT)
        t->form = BLOCKING;
    const bool moves = anypi_moves(t->collective);
    c->passed_on = !control_nonblocking(t->form != BLOCKING);
    if (c->passed_on && local) {
        c->passed_on = !control_nonblocking(false);
        t->form = BLOCKING;
    }
    const kind *k = draw_kind(r, moves);
    c->turn = draw(r, 4);
    const int root = draw(r, CALL_MOST_RANKS);
    if (forced) {
        c->candidate = forced->candidates[t->collective][t->form != BLOCKING];
    } else {
        draw_candidate(r, t->collective, &c->candidate);
        force(t->collective, t->form == BLOCKING, &c->candidate);
    }
    if (!control_needs_file && t->form != BLOCKING && !c->candidate.algorithm) {
        /* the plug-in forwards the call, see library_goes_wrong() */
        c->passed_on = !local;
        t->form = local ? BLOCKING : t->form;
    }
    if (p == 0)
        return false;
    t->moved = c->passed_on ? kind_of_words() : local ? kind_of_local(0) : k;
    t->kind = moves && !local ? kind_in_turn(t->moved, rank + c->turn) : t->moved;
    const anyp_call of = { .collective = t->collective };
    t->root = anypi_has_root(&of) ? root % p : 0;
    snprintf(c->shape, sizeof c->shape, "call=%ld", number);
    return draw_sizes(r, most, c);
}

void call_prepare(soak_call *c)
{
    if (!anypi_moves(c->call.collective))
        c->expected = expected_of(&c->call, c->call.count);
    c->call.expected = c->expected;
}

void call_free(soak_call *c)
{
    free(c->expected);
    c->expected = NULL;
}

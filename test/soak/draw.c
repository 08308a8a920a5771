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
    c->standard = false;
    for (int i = 0; i < count; i++)
        fit += !!(algorithms[i].collectives & ANYP_IN_SET(collective));
    int wanted = draw(r, fit + 1) - 1;          /* -1: automatic */
    for (int i = 0; i < count && wanted >= 0; i++)
        if (algorithms[i].collectives & ANYP_IN_SET(collective) && wanted-- == 0)
            c->algorithm = &algorithms[i];
    for (int i = 0; c->algorithm && i < c->algorithm->parameters_count; i++)
        c->parameters[i] = draw_parameter(r, &c->algorithm->parameters[i]);
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

bool draw_call(soak_random *r, long number, int most, MPI_Comm comm, int p, int rank,
               const soak_forced *forced, soak_call *c)
{
    test_call *t = &c->call;
    *c = (soak_call) { .call = { .comm = comm, .p = p, .rank = rank, .shape = c->shape,
                                 .candidate = &c->candidate,
                                 .reproducible = options.reproducible } };
    do                          /* test/mpi/pairs is for the others */
        t->collective = (anyp_collective) draw(r, ANYP_COLLECTIVES);
    while (anypi_has_local_sizes(t->collective));
    t->form = (test_form) draw(r, MPI_VERSION >= 4 ? 4 : 3) % FORMS;
    if (MPI_VERSION < 4 && t->form == PERSISTENT)
        t->form = BLOCKING;
    const bool moves = anypi_moves(t->collective);
    const bool passed_on = !control_nonblocking(t->form != BLOCKING);
    const kind *k = draw_kind(r, moves);
    const int turn = draw(r, 4), root = draw(r, SOAK_MOST_RANKS);
    int count = draw_count(r, p, most);
    const anyp_call of = { .collective = t->collective };
    t->in_place = once_in(r, 3) && !anypi_has_one_buffer(&of);
    if (anypi_has_no_data(t->collective)) {
        t->in_place = false;
        count = 0;
    }
    if (forced) {
        c->candidate = forced->candidates[t->collective][t->form != BLOCKING];
    } else {
        draw_candidate(r, t->collective, &c->candidate);
        force(t->collective, t->form == BLOCKING, &c->candidate);
    }
    if (p == 0)
        return false;
    if (passed_on) {            /* the library's own forms have more faults than listed */
        k = &kinds[0];
        t->in_place = false;
        count %= 1000;
    }
    t->moved = k;
    t->kind = moves ? kind_in_turn(k, rank + turn) : k;
    t->in_kind = moves ? kind_in_turn(k, rank + turn + 1) : k;
    t->root = anypi_has_root(&of) ? root % p : 0;
    snprintf(c->shape, sizeof c->shape, "call=%ld", number);
    draw_blocks(r, count, c);
    return !library_goes_wrong(t);
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

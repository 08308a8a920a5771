/* SPDX-License-Identifier: BSD-3-Clause
 *
 * schedule.c - calls of any algorithm with any parameters: the schedules of all ranks are proved,
 * and executed on data. Then some of their steps are changed: the verifier must refuse every set
 * that gives a wrong result, never ends, or touches other memory.
 */
#include "fuzz/fuzz.h"

#include "algorithms/backwards.h"
#include "algorithms/settle.h"
#include "analysis/sweep.h"
#include "analysis/verify.h"
#include "schedule/collectives.h"
#include "schedule/shape.h"
#include "schedule/set.h"
#include "unit/world.h"

enum { MOST_RANKS = 17, MOST_COUNT = 240, MOST_BLOCKS = 1500, MOST_STEPS = 20000 };

/* What is left of the input. */
typedef struct source {
    const uint8_t *data;
    size_t size;
} source;

/* A number from 0 to n-1, n <= 65536; 0 at the input's end. */
static int below(source *from, int n)
{
    int value = 0;
    for (int bytes = 0; bytes < 2 && (bytes == 0 || n > 256); bytes++) {
        value = 256 * value + (from->size ? *from->data : 0);
        from->data += from->size > 0;
        from->size -= from->size > 0;
    }
    return value % n;
}

static bool yes(source *from)
{
    return below(from, 2);
}

/* ---- a call ---- */

/* A call whose tables are here, too. */
typedef struct one_case {
    anypi_case its;
    int64_t starts[MOST_RANKS + 1];
    anyp_shape *nodes;
} one_case;

static void draw_nodes(source *from, one_case *c)
{
    int node_of_rank[MOST_RANKS];
    const int p = c->its.call.p, nodes = 1 + below(from, p);
    const int way = below(from, 3);
    for (int rank = 0; rank < p; rank++)
        node_of_rank[rank] = way == 0 ? rank * nodes / p : way == 1 ? rank % nodes
            : below(from, nodes);
    c->nodes = anypi_shape_make(node_of_rank, 1, p);
    FUZZ_CHECK(c->nodes, "no memory");
    c->its.call.nodes = c->nodes;
}

/* Blocks with counts of their own. */
static void draw_starts(source *from, one_case *c)
{
    anyp_call *call = &c->its.call;
    call->count = call->largest = c->starts[0] = 0;
    for (int i = 0; i < call->p; i++) {
        const int block = yes(from) ? below(from, 1 + MOST_COUNT / MOST_RANKS) : 0;
        call->count = c->starts[i + 1] = c->starts[i] + block;
        call->largest = block > call->largest ? block : call->largest;
    }
    call->starts = c->starts;
    if (call->largest * call->p == call->count) {   /* they are equal */
        call->starts = NULL;
        call->largest = 0;
    }
}

static void draw_parameters(source *from, one_case *c)
{
    const anyp_algorithm *algorithm = c->its.algorithm;
    anyp_parameters_default(algorithm, c->its.parameters);
    for (int i = 0; i < algorithm->parameters_count; i++) {
        const anyp_parameter *its = &algorithm->parameters[i];
        const int64_t range = (int64_t) its->maximum - its->minimum + 1;
        const char *reason;
        switch (below(from, 5)) {
            case 0:
                c->its.parameters[i] = its->minimum + below(from, range < 16 ? (int) range : 16);
                break;
            case 1:
                c->its.parameters[i] =
                    its->minimum + below(from, range < 65536 ? (int) range : 65536);
                break;
            case 2:
                c->its.parameters[i] = its->maximum;
                break;
            case 3:
                if (its->list)
                    FUZZ_CHECK(!anyp_parameter_set(algorithm, c->its.parameters, its->name,
                                                   its->list, &reason), "%s", reason);
                break;
        }
    }
}

static void draw_case(source *from, one_case *c)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    anyp_call *call = &c->its.call;
    *c = (one_case) { .its = { .algorithm = &algorithms[below(from, count)] } };
    int collective = below(from, ANYP_COLLECTIVES);
    while (!(c->its.algorithm->collectives & ANYP_IN_SET(collective)) ||
           anypi_has_local_sizes((anyp_collective) collective))     /* they have another's routes */
        collective = (collective + 1) % ANYP_COLLECTIVES;
    static const int sizes[] = { 8, 0, 1, 4, 1000, 100000, 16 };
    *call = (anyp_call) {
        .collective = (anyp_collective) collective, .p = 1 + below(from, MOST_RANKS),
        .count = below(from, MOST_COUNT), .type_size = sizes[below(from, 7)],
        .commutative = true, .in_place = yes(from),
    };
    if (anypi_has_root(call))
        call->root = below(from, call->p);
    if (anypi_has_counts(call) && yes(from))
        draw_starts(from, c);
    else if (anypi_has_equal_blocks(call))
        call->count -= call->count % call->p;
    if (anypi_moves(call->collective)) {
        call->gaps_in = yes(from);
        call->gaps_out = yes(from);
    } else {
        call->reproducible = below(from, 4) == 3;
        call->commutative = !call->reproducible && yes(from);
    }
    if (below(from, 3) == 2)
        draw_nodes(from, c);
    draw_parameters(from, c);
}

/* ---- changes ---- */

static void change_slice(source *from, anyp_slice *slice, int blocks)
{
    switch (below(from, 5)) {
        case 0:
            slice->buffer = below(from, ANYP_BUFFERS + 2) - 1;
            break;
        case 1:
            slice->first += below(from, 5) - 2;
            break;
        case 2:
            slice->end += below(from, 5) - 2;
            break;
        case 3: {                       /* other blocks */
            const int by = below(from, 9) - 4;
            slice->first += by;
            slice->end += by;
            break;
        }
        case 4:                         /* another copy of the vector */
            slice->first += blocks;
            slice->end += blocks;
            break;
    }
}

static void change_step(source *from, anyp_schedule *s)
{
    const int i = below(from, s->steps_count), k = below(from, s->steps_count);
    anyp_step *step = &s->steps[i], before = *step;
    switch (below(from, 9)) {
        case 0:
            step->kind = (anyp_step_kind) below(from, 5);
            break;
        case 1:
            step->peer = below(from, s->p + 2) - 1;
            break;
        case 2:
        case 3:
            change_slice(from, &step->from, s->blocks);
            break;
        case 4:
        case 5:
            change_slice(from, &step->to, s->blocks);
            break;
        case 6:
            *step = s->steps[k];
            s->steps[k] = before;
            break;
        case 7:
            *step = s->steps[k];
            break;
        case 8:                         /* the step is left out */
            memmove(step, step + 1, (size_t) (s->steps_count - i - 1) * sizeof *step);
            s->steps_count--;
            for (int round = 0; round <= s->rounds; round++)
                s->round_start[round] -= s->round_start[round] > i;
            break;
    }
}

static void change(source *from, anyp_schedule *set, int p)
{
    anyp_schedule *s = &set[below(from, p)];
    if (s->steps_count > 0 && below(from, 4)) {
        change_step(from, s);
        return;
    }
    const int k = below(from, ANYP_MAX_SCRATCH), round = below(from, s->rounds + 1);
    switch (below(from, 10)) {
        case 0:
            s->round_start[round] += below(from, 5) - 2;
            break;
        case 1:                         /* two rounds become one */
            if (s->rounds > 0 && round < s->rounds) {
                memmove(&s->round_start[round], &s->round_start[round + 1],
                        (size_t) (s->rounds - round) * sizeof *s->round_start);
                s->rounds--;
                s->round_start[0] = 0;
            }
            break;
        case 2:
            s->overlap = below(from, ANYP_MAX_OVERLAP + 3) - 1;
            break;
        case 3:
            s->scratch[k].first += below(from, 5) - 2;
            break;
        case 4:
            s->scratch[k].end += below(from, 5) - 2;
            break;
        case 5:
            s->scratch[k].window_first += below(from, 5) - 2;
            break;
        case 6:
            s->scratch[k].window_end += below(from, 5) - 2;
            break;
        case 7:
            s->scratch_count += below(from, 3) - 1;
            break;
        case 8:
            s->rank = below(from, p + 1);
            break;
        case 9:                         /* on all ranks, in the same way */
            for (int rank = 0; s->order && s->blocks > 1 && rank < p; rank++) {
                int *order = (int *) (uintptr_t) set[rank].order;
                const int first = order[0];
                order[0] = order[1];
                order[1] = first;
            }
            break;
    }
}

/* ---- */

static void execute(const one_case *c, const anyp_schedule *set, const char *what)
{
    anyp_call calls[MOST_RANKS];
    char fault[200], text[400];
    uint64_t random = 1;
    for (int rank = 0; rank < c->its.call.p; rank++)
        calls[rank] = world_call(&c->its.call, rank);
    FUZZ_CHECK(world_run(set, calls, c->its.algorithm->properties, &random, fault, sizeof fault),
               "%s %s: %s", what, anypi_case_text(&c->its, text, sizeof text), fault);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static anyp_schedule *set;          /* its memory is used again */
    static int capacity;
    source from = { data, size };
    one_case c;
    const char *reason;
    char fault[400], text[400];
    draw_case(&from, &c);
    const anyp_algorithm *algorithm = c.its.algorithm;
    const anyp_call *call = &c.its.call;
    anypi_case_text(&c.its, text, sizeof text);
    if (anyp_applicable(algorithm, call, c.its.parameters, &reason) == ANYP_SUCCESS &&
        anypi_blocks_of(algorithm, call, c.its.parameters) <= MOST_BLOCKS) {
        FUZZ_CHECK(!anypi_set_generate_again(algorithm, call, c.its.parameters, &set, &capacity),
                   "%s", text);
        int64_t steps = 0;
        for (int rank = 0; rank < call->p; rank++)
            steps += set[rank].steps_count;
        if (steps <= MOST_STEPS) {
            FUZZ_CHECK(!anypi_verify(set, call, algorithm->properties, fault, sizeof fault),
                       "%s: %s", text, fault);
            execute(&c, set, "right");
            for (int changes = 1 + below(&from, 4); changes > 0; changes--)
                change(&from, set, call->p);
            if (!anypi_verify(set, call, algorithm->properties, fault, sizeof fault))
                execute(&c, set, "changed");
        }
    }
    anypi_shape_free(c.nodes);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit/common.h"

#include "analysis/expression.h"
#include "analysis/verify.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_of(const char *name, TCase **tests)
{
    Suite *suite = suite_create(name);
    *tests = tcase_create(name);
    suite_add_tcase(suite, *tests);
    return suite;
}

int max_p(int standard)
{
    const char *text = getenv("ANYP_MAX_P");
    const int p = text ? atoi(text) : 0;
    return p > 0 ? p : standard;
}

int slice_number(void)
{
    const char *slice = getenv("ANYP_SLICE");
    return slice ? atoi(slice) : 0;
}

bool is_tried(int p, int standard)
{
    const char *slice = getenv("ANYP_SLICE");
    if (!slice || !*slice)
        return p <= max_p(standard);
    if (p > max_p(standard))
        return p % 59 == slice_number() % 59;
    return p <= ALWAYS_P || p % 3 == slice_number() % 3;
}

bool is_fast(void)
{
    return max_p(INT_MAX) < 20;
}

/* ---- sets of schedules as text ---- */

static int read_number(const char **text)
{
    char *rest;
    const long number = strtol(*text, &rest, 10);
    ck_assert_msg(rest != *text, "a number is missing at \"%s\"", *text);
    *text = rest;
    return (int) number;
}

static anyp_slice read_slice(const char **text)
{
    static const char buffers[] = "IOABCD";
    anyp_slice slice;
    *text += strspn(*text, " ");
    const char *buffer = **text ? strchr(buffers, **text) : NULL;
    ck_assert_msg(buffer != NULL, "a slice is missing at \"%s\"", *text);
    slice.buffer = (int) (buffer - buffers);
    ++*text;
    slice.first = read_number(text);
    ck_assert_int_eq(**text, '-');
    ++*text;
    slice.end = read_number(text);
    return slice;
}

static void read_schedule(anyp_schedule *schedule, const char *text)
{
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        const char kind = *text++;
        anyp_slice from;
        int peer;
        switch (kind) {
            case '@':
                for (int i = 0, *order = anypi_schedule_order(schedule); i < schedule->blocks; i++)
                    order[i] = read_number(&text);
                break;
            case '#': {
                const anyp_slice window = read_slice(&text);
                anypi_scratch_window(schedule, window.buffer, window.first, window.end);
                break;
            }
            case '|':
                anypi_round(schedule);
                break;
            case '>':
                peer = read_number(&text);
                anypi_send(schedule, peer, read_slice(&text));
                break;
            case '<':
                peer = read_number(&text);
                anypi_recv(schedule, peer, read_slice(&text));
                break;
            case '+':
                from = read_slice(&text);
                anypi_reduce(schedule, from, read_slice(&text));
                break;
            case '=':
                from = read_slice(&text);
                anypi_copy(schedule, from, read_slice(&text));
                break;
            default:
                ck_abort_msg("no step begins with '%c'", kind);
        }
    }
}

anyp_schedule *set_from_text(int p, int blocks, const char *const *texts)
{
    anyp_schedule *set = anypi_realloc(NULL, (size_t) p * sizeof *set);
    ck_assert_ptr_nonnull(set);
    for (int rank = 0; rank < p; rank++) {
        anyp_schedule_init(&set[rank]);
        anypi_schedule_begin(&set[rank], p, rank, blocks);
        read_schedule(&set[rank], texts[rank]);
        ck_assert_int_eq(anypi_schedule_end(&set[rank]), ANYP_SUCCESS);
    }
    return set;
}

/* ---- all that the algorithms claim ---- */

typedef struct caller {
    variant_function function;
    void *state;
    bool all_kinds;
    int called, of[ANYP_COLLECTIVES];
} caller;

static anyp_status call_function(const variant *choice, void *state)
{
    caller *c = state;
    variant v = *choice;
    const int kinds = c->all_kinds ? anypi_kinds(v.algorithm, &v.call) : 1;
    for (int kind = 0; kind < kinds; kind++) {
        if (c->all_kinds)
            anypi_set_kind(v.algorithm, &v.call, kind);
        c->function(&v, c->state);
    }
    c->called += kinds;
    c->of[v.call.collective] += kinds;
    return ANYP_SUCCESS;
}

int each_parameters(const anyp_algorithm *algorithm, const anyp_call *call,
                    variant_function function, void *state)
{
    anypi_sweep sweep = { .collectives = ~0u };
    caller c = { .function = function, .state = state };
    ck_assert_int_eq(anypi_sweep_parameters(&sweep, algorithm, call, call_function, &c),
                     ANYP_SUCCESS);
    return c.called;
}

int each_variant(const anyp_algorithm *algorithm, int p, variant_function function, void *state)
{
    anypi_sweep sweep = { .collectives = ~0u };
    caller c = { .function = function, .state = state, .all_kinds = true };
    ck_assert_int_eq(anypi_sweep_choices(&sweep, algorithm, p, call_function, &c), ANYP_SUCCESS);
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        if (algorithm->collectives & ANYP_IN_SET(i) && !anypi_has_local_sizes((anyp_collective) i))
            ck_assert_msg(c.of[i] > 0, "%s serves no %s for p=%d", algorithm->name,
                          anyp_collective_name((anyp_collective) i), p);
    return c.called;
}

const char *variant_text(const variant *v)
{
    static char text[400];
    return anypi_case_text(v, text, sizeof text);
}

anyp_schedule *variant_set_again(const variant *v, kept_set *kept)
{
    const anyp_status status = anypi_set_generate_again(v->algorithm, &v->call, v->parameters,
                                                        &kept->set, &kept->capacity);
    assert_often(status == ANYP_SUCCESS, "%s: %s", variant_text(v), anyp_status_text(status));
    return kept->set;
}

void kept_set_free(kept_set *kept)
{
    anypi_set_free(kept->set, kept->capacity);
}

anyp_schedule *variant_set(const variant *v)
{
    kept_set kept = { NULL, 0 };
    return variant_set_again(v, &kept);
}

void assert_verified(const variant *v, const anyp_schedule *set)
{
    char reason[300];
    const anyp_status status =
        anypi_verify(set, &v->call, v->algorithm->properties, reason, sizeof reason);
    ck_assert_msg(status == ANYP_SUCCESS, "%s: %s: %s", variant_text(v), anyp_status_text(status),
                  reason);
}

anypi_simulation simulate_variant(const variant *v, anyp_model model)
{
    anyp_schedule *set = variant_set(v);
    const anypi_partition partition = anypi_partition_for(&v->call, set[0].blocks);
    anypi_simulation simulation;
    ck_assert_int_eq(anypi_simulate(set, v->call.p, &partition, v->call.type_size, &model,
                                    &simulation), ANYP_SUCCESS);
    anypi_set_free(set, v->call.p);
    return simulation;
}

anypi_counts count_schedule(const anyp_schedule *schedule, const anypi_layout *layout,
                            int64_t type_size)
{
    anypi_peer_marks peers;
    ck_assert(anypi_peers_begin(&peers, schedule->p));
    const anypi_counts counts = anypi_count_with(&peers, schedule, layout, type_size);
    anypi_peers_end(&peers);
    return counts;
}

anyp_status set_expression(const anyp_schedule *set, const anyp_call *call, int rank, int block,
                           char **text)
{
    *text = NULL;
    anypi_verifier *v = anypi_verifier_new();
    anyp_status status = v ? anypi_verifier_replay(v, set, call, NULL, 0) : ANYP_ERR_MEMORY;
    if (status == ANYP_SUCCESS)
        status = anypi_expression_of(v, call->p, rank, block, text);
    anypi_verifier_free(v);
    return status;
}

void assert_sum_is(const variant *v, int rank, int block, const char *sum)
{
    anyp_schedule *set = variant_set(v);
    char *text;
    ck_assert_int_eq(set_expression(set, &v->call, rank, block, &text), ANYP_SUCCESS);
    ck_assert_msg(!strcmp(text, sum), "%s: block %d of rank %d is %s, not %s", variant_text(v),
                  block, rank, text, sum);
    anypi_free(text);
    anypi_set_free(set, v->call.p);
}

int log2_floor(int p)
{
    return 31 - __builtin_clz((unsigned) p);
}

bool is_power(int p)
{
    return (p & (p - 1)) == 0;
}

int rounds_of_radix(int p, int radix)
{
    int rounds = 0;
    for (long reached = 1; reached < p; reached *= radix)
        rounds++;
    return rounds;
}

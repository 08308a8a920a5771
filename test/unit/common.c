/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit/common.h"

#include "core/memory.h"
#include "core/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

Suite *suite_of(const char *name, TCase **tests)
{
    Suite *suite = suite_create(name);
    *tests = tcase_create(name);
    tcase_set_timeout(*tests, 0);
    suite_add_tcase(suite, *tests);
    return suite;
}

int max_p(int standard)
{
    const char *text = getenv("ANYP_MAX_P");
    const int p = text ? atoi(text) : 0;
    return p > 0 ? p : standard;
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

enum { MOST_CHOICES = 64 };

static void add_choice(const anyp_parameter *parameter, int64_t value, int *values, int *count)
{
    if (value < parameter->least || value > parameter->most || *count == MOST_CHOICES)
        return;
    for (int i = 0; i < *count; i++)
        if (values[i] == value)
            return;
    values[(*count)++] = (int) value;
}

/* The values of a parameter that are worth a test. */
static int choices(const anyp_parameter *parameter, const anyp_call *call, int *values)
{
    int count = 0;
    add_choice(parameter, parameter->standard, values, &count);
    if (parameter->values) {
        for (int value = parameter->least; value <= parameter->most; value++)
            add_choice(parameter, value, values, &count);
        return count;
    }
    add_choice(parameter, parameter->least, values, &count);
    add_choice(parameter, (int64_t) parameter->least + 1, values, &count);
    add_choice(parameter, parameter->most, values, &count);
    add_choice(parameter, (int64_t) parameter->most - 1, values, &count);
    for (int64_t bytes = call->count * call->type_size; bytes > 0; bytes /= 2)
        add_choice(parameter, bytes, values, &count);
    return count;
}

/* Chooses parameters `place` and later in all ways. */
static int choose_from(variant *v, int place, variant_function function, void *state)
{
    const char *reason;
    if (place == v->algorithm->parameters_count) {
        if (anyp_applicable(v->algorithm, &v->call, v->parameters, &reason) != ANYP_SUCCESS)
            return 0;
        function(v, state);
        return 1;
    }
    int values[MOST_CHOICES], called = 0;
    const int count = choices(&v->algorithm->parameters[place], &v->call, values);
    for (int i = 0; i < count; i++) {
        v->parameters[place] = values[i];
        called += choose_from(v, place + 1, function, state);
    }
    return called;
}

int each_parameters(const anyp_algorithm *algorithm, const anyp_call *call,
                    variant_function function, void *state)
{
    variant v = { .algorithm = algorithm, .call = *call };
    return choose_from(&v, 0, function, state);
}

/* All parameters, in place or not, operators that commute or not. */
static int each_kind(const anyp_algorithm *algorithm, anyp_call call, variant_function function,
                     void *state)
{
    int called = 0;
    for (int kind = 0; kind < 4; kind++) {
        call.in_place = kind & 1;
        call.commutative = !(kind & 2);
        if (!call.commutative && !(algorithm->properties & ANYP_CANONICAL))
            continue;
        const int more = each_parameters(algorithm, &call, function, state);
        ck_assert_msg(more > 0, "%s serves no %s p=%d root=%d count=%d%s%s", algorithm->name,
                      anyp_collective_name(call.collective), call.p, call.root, (int) call.count,
                      call.in_place ? " in place" : "", call.commutative ? "" : " in order");
        called += more;
    }
    return called;
}

int each_variant(const anyp_algorithm *algorithm, int p, variant_function function, void *state)
{
    const int counts[] = { 0, 1, p - 1, p, p + 1, 1000, 65537 };
    const int roots[] = { 0, 1, p / 2, p - 1 };
    int called = 0;
    for (int collective = 0; collective < ANYP_COLLECTIVES; collective++) {
        if (!(algorithm->collectives & ANYP_IN_SET(collective)))
            continue;
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            anyp_call call = { .collective = (anyp_collective) collective, .p = p,
                               .count = counts[i], .type_size = 8 };
            if (collective == ANYP_REDUCE_SCATTER_BLOCK)
                call.count = (counts[i] + p - 1) / p * p;
            for (size_t k = 0; k < sizeof roots / sizeof *roots; k++) {
                call.root = roots[k];
                const bool new_root = k == 0 || (roots[k] > roots[k - 1] && roots[k] < p);
                if (new_root && (k == 0 || collective == ANYP_REDUCE))
                    called += each_kind(algorithm, call, function, state);
            }
        }
    }
    return called;
}

const char *variant_text(const variant *v)
{
    static char text[400];
    char value[64];
    const anyp_call *call = &v->call;
    size_t used = (size_t) snprintf(text, sizeof text, "%s %s p=%d root=%d count=%lld%s%s",
                                    v->algorithm->name, anyp_collective_name(call->collective),
                                    call->p, call->root, (long long) call->count,
                                    call->in_place ? " in place" : "",
                                    call->commutative ? "" : " in order");
    for (int i = 0; i < v->algorithm->parameters_count && used < sizeof text; i++) {
        const anyp_parameter *parameter = &v->algorithm->parameters[i];
        used += (size_t) snprintf(text + used, sizeof text - used, " %s=%s", parameter->name,
                                  anyp_parameter_text(parameter, v->parameters[i], value,
                                                      sizeof value));
    }
    return text;
}

anyp_schedule *variant_set(const variant *v)
{
    anyp_schedule *set;
    const anyp_status status = anypi_set_generate(v->algorithm, &v->call, v->parameters, &set);
    ck_assert_msg(status == ANYP_SUCCESS, "%s: %s", variant_text(v), anyp_status_text(status));
    return set;
}

void assert_verified(const variant *v, const anyp_schedule *set)
{
    char reason[300];
    const anyp_status status =
        anypi_verify(set, &v->call, v->algorithm->properties, reason, sizeof reason);
    ck_assert_msg(status == ANYP_SUCCESS, "%s: %s: %s", variant_text(v), anyp_status_text(status),
                  reason);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/network.h"

#include "algorithms/shared/lists.h"
#include "schedule/ranks.h"
#include "schedule/shape.h"
#include "schedule/threads.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LATENCY, OVERHEAD, LINK, REDUCTION, FLAT, INSIDE_LATENCY = FLAT, INSIDE_LINK, CARDS, ALL,
       MOST = ALL + 2 * ANYP_MODEL_HEIGHTS, MOST_CARDS = 1024 };

static const int ordinary[ALL] = { 1500, 500, 12500, 5000, 300, 10000, 1 };

/* Links of switches whose rate is not given are oversubscribed. So are those of leaf switches where
 * these are unknown, with neighbouring ranks, on nodes of their own, at each. In SimGrid, settings
 * by 32 and 4 lose 0.2 % in a flat network, and gain 2 to 5 % (10 % at 1 MiB) in fat trees of 8 and
 * 16 ranks at a switch, 4:1; 8 and 4 lose 2 % in a flat one. */
enum { LEAF = 32, TAPER = 4 };

/* The list that a variable gives: its index, or -1. */
static anypi_atomic given = ANYPI_ATOMIC(-1);

const char *anypi_network_fault(const int *numbers, int count)
{
    if (count != FLAT && (count < ALL || count > MOST || (count - ALL) % 2 != 0))
        return "it needs 4 numbers, or 7 with those inside nodes, and 2 more for each height above";
    bool zero = numbers[LINK] == 0 || (count >= ALL && numbers[INSIDE_LINK] == 0);
    for (int i = ALL + 1; i < count; i += 2)
        zero = zero || numbers[i] == 0;
    if (zero)
        return "a rate must not be 0";
    if (numbers[LATENCY] == 0 && numbers[OVERHEAD] == 0)
        return "a message takes time: latency and overhead must not both be 0";
    if (count >= ALL && (numbers[CARDS] == 0 || numbers[CARDS] > MOST_CARDS))
        return "a node has 1 to 1024 network cards";
    return NULL;
}

const char *anypi_network_set(const char *text)
{
    int numbers[ANYPI_MAXIMUM_LIST], count, list = -1;
    const char *fault = text ? anypi_list_read(text, numbers, &count) : NULL;
    if (text && !fault)
        fault = anypi_network_fault(numbers, count);
    if (text && !fault && anypi_list_add(numbers, count, &list) != ANYP_SUCCESS)
        fault = "no memory";
    if (!fault)
        anypi_atomic_store(&given, list);
    return fault;
}

char *anypi_network_text(char *text, size_t size)
{
    const int list = anypi_atomic_load(&given);
    if (list < 0)
        snprintf(text, size, "%s", ANYPI_NETWORK_DEFAULT);
    else
        anypi_list_text(list, text, size);
    return text;
}

bool anypi_parameter_is_network(const anyp_parameter *parameter)
{
    return parameter->list && !strcmp(parameter->name, "network");
}

void anypi_network_taper(anyp_model *model, int first, double taper)
{
    if (!model->nodes)
        return;
    const int cards = anypi_min(model->cards, anypi_shape_mean(model->nodes));
    const double all = (double) model->nodes->count * cards;
    const anyp_shape *above = model->nodes->above;
    for (int h = 0; above && h < ANYP_MODEL_HEIGHTS; h++, above = above->above)
        if (h >= first) {
            model->above[h].alpha = h > 0 ? model->above[h - 1].alpha : model->alpha;
            model->above[h].beta = model->beta * taper * above->count / all;
        }
}

/* Does each rank have cards of its own, and are no switches known? */
static bool is_flat(const anyp_call *call)
{
    return !call->nodes || (call->nodes->count == call->p && !call->nodes->above);
}

static anyp_model model_of(const int *n, int count, const anyp_call *call)
{
    const bool inside = count >= ALL;
    const anyp_shape *nodes = call->nodes;
    anyp_model model = {
        .alpha = 1e-9 * n[LATENCY], .overhead = 1e-9 * n[OVERHEAD], .beta = 1e-6 / n[LINK],
        .gamma = n[REDUCTION] ? 1e-6 / n[REDUCTION] : 0,
        .inside_alpha = 1e-9 * n[inside ? INSIDE_LATENCY : LATENCY],
        .inside_beta = 1e-6 / n[inside ? INSIDE_LINK : LINK], .cards = inside ? n[CARDS] : 1,
    };
    if (nodes && nodes->count == 1) {
        model.alpha = model.inside_alpha;
        model.beta = model.inside_beta;
    } else if (!is_flat(call)) {
        const int pairs = inside ? (count - ALL) / 2 : 0;
        model.nodes = nodes;
        model.eager = true;
        for (int h = 0; h < pairs; h++) {
            model.above[h].alpha = 1e-9 * n[ALL + 2 * h];
            model.above[h].beta = 1e-6 / n[ALL + 2 * h + 1];
        }
        anypi_network_taper(&model, pairs, TAPER);
    }
    return model;
}

anyp_model anypi_network_ordinary(const anyp_call *call)
{
    anyp_model model = model_of(ordinary, ALL, call);
    if (is_flat(call)) {
        model.group = LEAF;
        model.taper = TAPER;
    }
    return model;
}

anyp_model anypi_network_model(const anyp_parameter *parameter, int value, const anyp_call *call)
{
    int count = ALL;
    const int list = value > parameter->maximum ? value - parameter->maximum - 1
        : anypi_atomic_load(&given);
    const int *n = list >= 0 ? anypi_list_at(list, &count) : NULL;
    return n ? model_of(n, count, call) : anypi_network_ordinary(call);
}

bool anypi_network_read(const char *text, const anyp_call *call, anyp_model *model)
{
    int numbers[ANYPI_MAXIMUM_LIST], count;
    if (anypi_list_read(text, numbers, &count) || anypi_network_fault(numbers, count))
        return false;
    *model = model_of(numbers, count, call);
    return true;
}

static int whole(double number, int minimum)
{
    return number < minimum ? minimum : number > INT_MAX / 2 ? INT_MAX / 2 : (int) (number + 0.5);
}

/* MB/s of a time per byte. */
static int rate(double beta)
{
    return beta > 0 ? whole(1e-6 / beta, 1) : INT_MAX / 2;
}

char *anypi_network_of_model(const anyp_model *model, char *text, size_t size)
{
    const int heights = model->nodes ? anypi_shape_length(model->nodes) - 1 : 0;
    int n[MOST] = { whole(1e9 * model->alpha, 1), whole(1e9 * model->overhead, 0),
                    rate(model->beta), model->gamma > 0 ? rate(model->gamma) : 0 };
    int count = FLAT;
    size_t used = 0;
    if (model->nodes) {
        n[count++] = whole(1e9 * model->inside_alpha, 0);
        n[count++] = rate(model->inside_beta);
        n[count++] = model->cards;
    }
    for (int h = 0; h < heights; h++) {
        n[count++] = whole(1e9 * model->above[h].alpha, 0);
        n[count++] = rate(model->above[h].beta);
    }
    for (int i = 0; i < count && used < size; i++)
        used += (size_t) snprintf(text + used, size - used, "%s%d", i > 0 ? "," : "", n[i]);
    return text;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/network.h"

#include "algorithms/shared/lists.h"
#include "schedule/threads.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { LATENCY, OVERHEAD, LINK, REDUCTION, FLAT, INSIDE_LATENCY = FLAT, INSIDE_LINK, CARDS, ALL,
       MOST_CARDS = 1024 };

static const int ordinary[ALL] = { 1500, 500, 12500, 5000, 300, 10000, 1 };

/* Its ranks on nodes of their own share the links of leaf switches. In SimGrid, settings by 32 and
 * 4 lose 0.2 % in a flat network, and gain 2 to 5 % (10 % at 1 MiB) in fat trees of 8 and 16 ranks
 * at a switch, 4:1; 8 and 4 lose 2 % in a flat one. */
enum { LEAF = 32, TAPER = 4 };

/* The list that a variable gives: its index, or -1. */
static anypi_atomic given = ANYPI_ATOMIC(-1);

const char *anypi_network_fault(const int *numbers, int count)
{
    if (count != FLAT && count != ALL)
        return "it needs 4 numbers, or 7 with those inside nodes";
    if (numbers[LINK] == 0 || (count == ALL && numbers[INSIDE_LINK] == 0))
        return "a rate must not be 0";
    if (numbers[LATENCY] == 0 && numbers[OVERHEAD] == 0)
        return "a message takes time: latency and overhead must not both be 0";
    if (count == ALL && (numbers[CARDS] == 0 || numbers[CARDS] > MOST_CARDS))
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

static anyp_model model_of(const int *n, int count, const anyp_call *call)
{
    const bool inside = count == ALL;
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
    } else if (nodes && nodes->count < call->p) {
        model.nodes = nodes;
        model.eager = true;
    }
    return model;
}

anyp_model anypi_network_model(const anyp_parameter *parameter, int value, const anyp_call *call)
{
    int count = ALL;
    const int list = value > parameter->maximum ? value - parameter->maximum - 1
        : anypi_atomic_load(&given);
    const int *n = list >= 0 ? anypi_list_at(list, &count) : NULL;
    anyp_model model = model_of(n ? n : ordinary, count, call);
    if (!n && (!call->nodes || call->nodes->count == call->p)) {
        model.group = LEAF;
        model.taper = TAPER;
    }
    return model;
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

char *anypi_network_of_model(const anyp_model *model, char *text, size_t size)
{
    const int beta = model->beta > 0 ? whole(1e-6 / model->beta, 1) : INT_MAX / 2;
    const int gamma = model->gamma > 0 ? whole(1e-6 / model->gamma, 1) : 0;
    const int used = snprintf(text, size, "%d,%d,%d,%d", whole(1e9 * model->alpha, 1),
                              whole(1e9 * model->overhead, 0), beta, gamma);
    if (model->nodes && used > 0 && (size_t) used < size)
        snprintf(text + used, size - (size_t) used, ",%d,%d,%d",
                 whole(1e9 * model->inside_alpha, 0),
                 model->inside_beta > 0 ? whole(1e-6 / model->inside_beta, 1) : INT_MAX / 2,
                 model->cards);
    return text;
}

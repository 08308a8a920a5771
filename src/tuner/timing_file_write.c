/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/timing_file.h"

#include "schedule/memory.h"
#include "schedule/shape.h"
#include "select/jsonc.h"
#include "tuner/noise.h"
#include "tuner/candidates.h"
#include "options/text_file.h"

#include <stdio.h>
#include <stdlib.h>

static struct json_object *times_of(const anypi_cell *cell, const anypi_trial *trial)
{
    struct json_object *list = json_object_new_array();
    for (int round = 0; round < cell->rounds; round++) {
        char digits[40];
        const double time = trial->times[round];
        snprintf(digits, sizeof digits, "%.9g", time);
        json_object_array_add(list, round >= trial->count ? NULL
                              : json_object_new_double_s(time, digits));
    }
    return list;
}

static struct json_object *arrivals_array(const anypi_arrivals *arrivals)
{
    const double parts[] = { arrivals->late, arrivals->early, arrivals->chance };
    struct json_object *list = json_object_new_array();
    for (int i = 0; i < 3; i++) {
        char digits[40];
        snprintf(digits, sizeof digits, "%.6g", parts[i]);
        json_object_array_add(list, json_object_new_double_s(parts[i], digits));
    }
    json_object_array_add(list, json_object_new_int(arrivals->latest));
    return list;
}

static struct json_object *cell_object(const anypi_plan *plan, const anypi_cell *cell)
{
    struct json_object *object = json_object_new_object(), *times = json_object_new_object();
    json_object_object_add(object, "collective",
                           json_object_new_string(anypi_form_name(cell->collective)));
    json_object_object_add(object, "commutative", json_object_new_boolean(cell->commutative));
    json_object_object_add(object, "p", json_object_new_int(cell->p));
    char *nodes = cell->nodes ? anypi_shape_text(cell->nodes) : NULL;
    if (nodes)
        json_object_object_add(object, "nodes", json_object_new_string(nodes));
    anypi_free(nodes);
    json_object_object_add(object, "bytes", json_object_new_int64(cell->bytes));
    if (cell->stake > 0)
        json_object_object_add(object, "stake", json_object_new_double(cell->stake));
    if (cell->program_calls > 0)
        json_object_object_add(object, "program calls",
                               json_object_new_double(cell->program_calls));
    if (anypi_arrivals_apart(&cell->arrivals))
        json_object_object_add(object, "arrivals", arrivals_array(&cell->arrivals));
    if (cell->blocks != ANYPI_EVEN)
        json_object_object_add(object, "uneven",
                               json_object_new_string(anypi_uneven_name(cell->blocks)));
    for (int c = 0; c < cell->candidates; c++)
        if (cell->trials[c].count)
            json_object_object_add(times,
                                   anypi_candidate_text(anypi_candidate_of(plan, cell, c)).text,
                                   times_of(cell, &cell->trials[c]));
    json_object_object_add(object, "times", times);
    return object;
}

static struct json_object *networks_array(const anypi_plan *plan)
{
    struct json_object *list = json_object_new_array();
    for (int kind = 0; kind < ANYPI_NODES_KINDS; kind++)
        for (int operators = 0; operators < 2; operators++)
            json_object_array_add(list, json_object_new_string(plan->networks[kind][operators]));
    return list;
}

static void write_line(FILE *file, struct json_object *line)
{
    fprintf(file, "%s\n", json_object_to_json_string_ext(line, JSON_C_TO_STRING_PLAIN));
    json_object_put(line);
}

char *anypi_times_write(const anypi_plan *plan, struct json_object *run, const char *origin)
{
    char *text = NULL;
    size_t size;
    int cells = 0;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    for (int i = 0; i < plan->cells_count; i++)
        cells += plan->cells[i].rounds > 0;
    struct json_object *head = json_object_new_object();
    json_object_object_add(head, "anyp-tune", json_object_new_int(ANYPI_TIMES_VERSION));
    if (run)
        json_object_object_add(head, "run", json_object_get(run));
    json_object_object_add(head, "measured", json_object_new_string(origin));
    json_object_object_add(head, "only-anyp", json_object_new_boolean(plan->only_anyp));
    json_object_object_add(head, "exact", json_object_new_boolean(plan->exact));
    json_object_object_add(head, "nonblocking", json_object_new_boolean(anypi_form_nonblocking()));
    json_object_object_add(head, "networks", networks_array(plan));
    json_object_object_add(head, "cells", json_object_new_int(cells));
    write_line(file, head);
    for (int i = 0; i < plan->cells_count; i++)
        if (plan->cells[i].rounds > 0)
            write_line(file, cell_object(plan, &plan->cells[i]));
    return anypi_text_end(file, &text);
}

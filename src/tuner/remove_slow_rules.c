/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/validation.h"

#include "tuner/node_shapes.h"
#include "options/text_file.h"

#include <stdlib.h>
#include <string.h>

typedef struct mending {
    const anypi_validation *validation;
    anypi_decision *decision;
} mending;

static const anypi_cell *cell_of(const mending *its, const anypi_point *point)
{
    return &its->validation->plan->cells[point->cell];
}

static bool loses(const mending *its, const anypi_point *point)
{
    const anypi_verdict verdict = anypi_validation_verdict(its->validation, point);
    return verdict == ANYPI_SLOWER || verdict == ANYPI_BAD;
}

static bool wins(const mending *its, const anypi_point *point)
{
    const anypi_verdict verdict = anypi_validation_verdict(its->validation, point);
    return verdict == ANYPI_FASTER || verdict == ANYPI_UNCLEAR;
}

/* Do two points belong to one rule, for operators of the same kind? */
static bool of_one_rule(const mending *its, const anypi_point *one, const anypi_point *other)
{
    const anypi_cell *a = cell_of(its, one), *b = cell_of(its, other);
    return a->collective == b->collective && a->commutative == b->commutative &&
        anypi_nodes_kind(a->nodes) == anypi_nodes_kind(b->nodes) && !strcmp(one->rule, other->rule);
}

/* Returns the nearest size, down (direction -1) or up, at which the rule of a point is good. */
static const anypi_point *by_size(const mending *its, const anypi_point *point, int direction)
{
    const anypi_point *end = its->validation->points + its->validation->count;
    for (const anypi_point *other = point + direction; other >= its->validation->points &&
         other < end && anypi_cell_alike(cell_of(its, other), cell_of(its, point)) &&
         of_one_rule(its, other, point); other += direction)
        if (wins(its, other))
            return other;
    return NULL;
}

/* Is the rule of a point good at all sizes with p processes? */
static bool good_at(const mending *its, const anypi_point *point, int p)
{
    bool any = false;
    for (int i = 0; i < its->validation->count; i++) {
        const anypi_point *other = &its->validation->points[i];
        if (cell_of(its, other)->p != p || !of_one_rule(its, other, point))
            continue;
        if (loses(its, other))
            return false;
        any = any || wins(its, other);
    }
    return any;
}

/* Returns the nearest number of processes, down or up, at which the rule of a point is good. */
static const anypi_point *by_procs(const mending *its, const anypi_point *point, int direction)
{
    const anypi_point *nearest = NULL;
    const int p = cell_of(its, point)->p;
    for (int i = 0; i < its->validation->count; i++) {
        const anypi_point *other = &its->validation->points[i];
        const int distance = direction * (cell_of(its, other)->p - p);
        if (distance > 0 && of_one_rule(its, other, point) &&
            (!nearest || distance < direction * (cell_of(its, nearest)->p - p)) &&
            good_at(its, point, cell_of(its, other)->p))
            nearest = other;
    }
    return nearest;
}

/* Removes the rule of a point, unless it is gone already. */
static void take_out(const mending *its, const anypi_point *point)
{
    const anypi_signature at = anypi_cell_signature(cell_of(its, point), true);
    const anypi_point *const near[] = { by_procs(its, point, -1), by_procs(its, point, 1),
                                        by_size(its, point, -1), by_size(its, point, 1) };
    anypi_signature calls[4];
    anypi_neighbours keep = { .fewer = NULL };
    const anypi_signature **const ends[] = { &keep.fewer, &keep.more, &keep.shorter,
                                             &keep.longer };
    for (int i = 0; i < 4; i++)
        if (near[i]) {
            calls[i] = anypi_cell_signature(cell_of(its, near[i]), true);
            *ends[i] = &calls[i];
        }
    const bool bad = anypi_validation_verdict(its->validation, point) == ANYPI_BAD;
    anypi_decision_remove(its->decision, &at, bad ? NULL : &keep);
}

int anypi_mend(const anypi_validation *validation, anypi_decision *decision)
{
    const mending its = { validation, decision };
    int points = 0;
    /* first rules with wrong results, of which no part may stay */
    for (int bad = 1; bad >= 0; bad--)
        for (int i = 0; i < validation->count; i++) {
            const anypi_point *point = &validation->points[i];
            if (!loses(&its, point) ||
                bad != (anypi_validation_verdict(validation, point) == ANYPI_BAD))
                continue;
            take_out(&its, point);
            points++;
        }
    return points;
}

/* Returns the length of the comments and blanks at the head of a decision file. */
static size_t comments(const char *text)
{
    size_t length = 0;
    for (;;) {
        length += strspn(text + length, " \t\r\n");
        const char *end = strncmp(text + length, "/*", 2) ? NULL : strstr(text + length + 2, "*/");
        if (!end)
            return length;
        length = (size_t) (end + strlen("*/") - text);
    }
}

char *anypi_mend_text(const anypi_decision *decision, const char *before, const char *comment)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    if (!file)
        return NULL;
    fprintf(file, "%.*s/* %s */\n", (int) comments(before), before, comment);
    anypi_decision_write(decision, true, file);
    fprintf(file, "\n");
    return anypi_text_end(file, &text);
}

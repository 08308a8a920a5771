/* SPDX-License-Identifier: BSD-3-Clause */
#include "cases.h"
#include "control.h"
#include "library.h"

#include "schedule/collectives.h"

#include <string.h>

bool call_is_served(const test_call *t)
{
    const candidate *c = t->candidate;
    const bool moves = anypi_moves(t->collective);
    const int size = 4 * t->kind->words;
    const anyp_call call = { .collective = t->collective, .p = t->p, .rank = t->rank,
                             .root = t->root, .count = t->count * (moves ? size : 1),
                             .type_size = moves ? 1 : size,
                             .commutative = t->kind->commutative && !t->reproducible,
                             .reproducible = t->reproducible, .nodes = t->nodes };
    const char *reason;
    return c->algorithm && (moves || !t->kind->overlaps) &&
        !anyp_applicable(c->algorithm, &call, c->parameters, &reason);
}

bool library_goes_wrong(const test_call *t)
{
    const anyp_call of = { .collective = t->collective };
    if (library_is("SMPI") && anypi_is_prefix(t->collective) && !t->kind->commutative)
        return !call_is_served(t);      /* it adds in any order */
    if (is_open_mpi() && t->collective == ANYP_ALLTOALLW && t->p == 1)
        return true;            /* test/library-faults/alltoallw-alone.c */
    if (is_open_mpi())
        return t->collective == ANYP_ALLREDUCE && !call_is_served(t) && t->count >= 250 &&
            t->kind->extent != 4 * t->kind->words;
    /* persistent calls do not keep handles that the program frees; the plug-in forwards empty
     * vectors, and calls of one process */
    if (t->form == PERSISTENT && !control_needs_file &&
        (!call_is_served(t) || t->p == 1 || (t->count == 0 && !anypi_has_no_data(t->collective))))
        return true;
    if (!t->counts || call_is_served(t))
        return false;
    if (t->form == PERSISTENT && anypi_moves(t->collective))
        return true;
    if (anypi_moves(t->collective) && t->p == 1)
        return false;
    if (anypi_moves(t->collective))
        return anypi_has_root(&of) || (t->in_place && anypi_transposes(t->collective))
            ? !!strcmp(t->moved->name, "int-sum") : t->displs && kind_is_mixed(t->moved);
    int64_t first = 0;
    for (int i = 0; i < t->p; i++) {
        if (t->in_place && i > 0 && t->counts[i] > first)
            return true;
        first += t->counts[i];
    }
    return !t->kind->commutative && t->kind->low != 0 && (t->p & (t->p - 1)) == 0;
}

const char *block_counts(const test_call *t, int shape, int64_t count, int *counts)
{
    const int p = t->p;
    const anyp_call of = { .collective = t->collective };
    if (anypi_has_equal_blocks(&of)) {
        for (int i = 0; i < p; i++)
            counts[i] = (int) ((count + p - 1) / p);
        return shape == 0 || anypi_has_root(&of) ? "equal" : NULL;
    }
    int64_t rest = count;
    switch (shape) {
        case 0:
            for (int i = 0; i < p; i++)
                counts[i] = (int) (count / p + (i < count % p));
            return "balanced";
        case 1:
            for (int i = 0; i < p; i++) {       /* a mixture: 0, small or half of the rest */
                const int64_t next = i % 3 == 1 ? 0 : i % 3 == 2 ? rest / 2 : rest / (p + 1);
                counts[i] = (int) (i == p - 1 ? rest : next);
                rest -= counts[i];
            }
            return "uneven";
        case 2:
            for (int i = 0; i < p; i++)
                counts[i] = i == (int) (count % p) ? (int) count : 0;
            return "one block";
        case 3:                 /* see set_places() */
            for (int i = 0; i < p; i++)
                counts[i] = (int) (count / p + (i < count % p));
            return anypi_moves(t->collective) ? "places in another order" : NULL;
        default:
            return NULL;
    }
}

void set_places(const test_call *t, int shape, int *displs)
{
    const bool other = shape == 3 && t->rank % 3 != 1;
    int place = 0;
    for (int i = 0; i < t->p; i++) {
        const int block = other ? t->p - 1 - i : i;
        displs[block] = place;
        place += t->counts[block] + other;
    }
}

int64_t total(const int *counts, int p)
{
    int64_t sum = 0;
    for (int i = 0; i < p; i++)
        sum += counts[i];
    return sum;
}

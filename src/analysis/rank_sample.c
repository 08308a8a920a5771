/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/rank_sample.h"

#include "analysis/bits.h"
#include "schedule/memory.h"
#include "schedule/schedule.h"
#include "schedule/set.h"
#include "schedule/shape.h"

#include <math.h>
#include <string.h>

/* ---- which ranks ---- */

/* Adds a rank if it exists, is new, and the sample has fewer than `limit`. */
static void add(anypi_rank_sample *s, int64_t rank, int limit)
{
    if (rank < 0 || rank >= s->call->p || s->count >= limit ||
        anypi_bits_any(s->listed, (size_t) rank, (size_t) rank + 1))
        return;
    anypi_bits_set(s->listed, (size_t) rank, (size_t) rank + 1);
    s->ranks[s->count++] = (int) rank;
}

void anypi_sample_add(anypi_rank_sample *s, int rank)
{
    add(s, rank, s->wanted);
}

int anypi_sample_draw(anypi_rank_sample *s, int end)
{
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int) ((s->random >> 33) % (uint64_t) end);
}

/* Adds the ends of some nodes; or all their ranks, if there is room. */
static void add_nodes(anypi_rank_sample *s, bool whole, int limit)
{
    enum { CHOSEN = 7, RANDOM = 4 };
    const anyp_shape *nodes = s->call->nodes;
    const int count = nodes->count;
    int root = 0, largest = 0, smallest = 0;
    const int position = anypi_shape_position(nodes, s->call->root);
    for (int i = 1; i < count; i++) {
        const int size = anypi_shape_size(nodes, i);
        root = anypi_shape_first(nodes, i) <= position ? i : root;
        largest = size > anypi_shape_size(nodes, largest) ? i : largest;
        smallest = size < anypi_shape_size(nodes, smallest) ? i : smallest;
    }
    const int chosen[CHOSEN] = { root, 0, count - 1, count / 2, largest, smallest, 1 % count };
    for (int i = 0; i < CHOSEN + RANDOM; i++) {
        const int node = i < CHOSEN ? chosen[i] : anypi_sample_draw(s, count);
        const int first = anypi_shape_first(nodes, node), size = anypi_shape_size(nodes, node);
        const int step = whole ? 1 : size > 1 ? size - 1 : 1;
        for (int k = 0; k < size && (!whole || size <= limit - s->count); k += step)
            add(s, anypi_shape_rank(nodes, first + k), limit);
    }
}

/* Adds the ranks with which the sample begins, up to a limit. */
static void fill(anypi_rank_sample *s, int limit)
{
    const int p = s->call->p;
    const int ends[] = { 0, s->call->root, p - 1, p / 2, 1, p - 2, p / 2 - 1, p / 2 + 1 };
    static const int nearby[] = { 0, -1, 1 };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        add(s, ends[i], limit);
    if (s->call->nodes)
        add_nodes(s, false, limit / 4 * 3);
    for (size_t i = 0; i < sizeof nearby / sizeof *nearby; i++)
        for (int64_t power = 1; power < p; power *= 2) {
            add(s, power + nearby[i], limit / 2);
            add(s, p - power + nearby[i], limit / 2);
        }
    if (s->call->nodes)
        add_nodes(s, true, limit / 4 * 3);
    for (int i = 0; i < 2 * limit; i++)
        add(s, anypi_sample_draw(s, p), limit);
    for (int rank = 0; rank < p && s->count < limit; rank++)
        add(s, rank, limit);
}

anyp_status anypi_sample_begin(anypi_rank_sample *s, const anyp_algorithm *algorithm,
                               const anyp_call *call, const int *parameters, int wanted, int added,
                               double seconds)
{
    const size_t words = anypi_bits_words((size_t) call->p);
    *s = (anypi_rank_sample) { .algorithm = algorithm, .call = call, .parameters = parameters,
                               .wanted = wanted < call->p ? wanted : call->p, .seconds = seconds,
                               .random = 1, .begin = clock() };
    anyp_schedule_init(&s->schedule);
    anyp_schedule_init(&s->other);
    s->ranks = anypi_realloc(NULL, (size_t) s->wanted * sizeof *s->ranks);
    s->listed = anypi_realloc(NULL, words * sizeof *s->listed);
    if (!s->ranks || !s->listed)
        return ANYP_ERR_MEMORY;
    memset(s->listed, 0, words * sizeof *s->listed);
    fill(s, s->wanted == call->p ? call->p : s->wanted - added);
    return ANYP_SUCCESS;
}

void anypi_sample_free(anypi_rank_sample *s)
{
    anyp_schedule_free(&s->other);
    anyp_schedule_free(&s->schedule);
    anypi_free(s->listed);
    anypi_free(s->ranks);
}

/* ---- their schedules ---- */

static const anyp_schedule *schedule_of(anypi_rank_sample *s, int rank, anyp_schedule *schedule,
                                        anyp_status *status)
{
    anyp_call own = *s->call;
    *status = ANYP_SUCCESS;
    if (s->planted)
        return s->planted(s->state, rank);
    own.rank = rank;
    own.in_place = anypi_set_in_place(s->call, rank);
    *status = anyp_generate(s->algorithm, &own, s->parameters, schedule);
    return *status == ANYP_SUCCESS ? schedule : NULL;
}

bool anypi_sample_used(const anypi_rank_sample *s, double part)
{
    return (double) (clock() - s->begin) > part * s->seconds * CLOCKS_PER_SEC;
}

const anyp_schedule *anypi_sample_next(anypi_rank_sample *s, anyp_status *status)
{
    *status = ANYP_SUCCESS;
    while (s->taken == s->count && s->count < s->wanted)
        anypi_sample_add(s, anypi_sample_draw(s, s->call->p));
    if (s->taken == s->count || (s->taken > 0 && anypi_sample_used(s, 1)))
        return NULL;
    return schedule_of(s, s->ranks[s->taken++], &s->schedule, status);
}

const anyp_schedule *anypi_sample_other(anypi_rank_sample *s, int rank, anyp_status *status)
{
    return schedule_of(s, rank, &s->other, status);
}

uint64_t anypi_sample_hash(const anyp_algorithm *algorithm, anyp_call call, const int *parameters)
{
    enum { RANKS = 16 };
    anypi_rank_sample s;
    const anyp_schedule *schedule;
    uint64_t hash = 1;
    anyp_status status = anypi_sample_begin(&s, algorithm, &call, parameters, RANKS, 0, INFINITY);
    while (status == ANYP_SUCCESS && (schedule = anypi_sample_next(&s, &status)))
        hash = anypi_schedule_hash(hash, schedule);
    anypi_sample_free(&s);
    return status == ANYP_SUCCESS ? hash : 0;
}

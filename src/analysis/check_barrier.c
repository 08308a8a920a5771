/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/check_barrier.h"

#include "analysis/bits.h"
#include "analysis/replay.h"
#include "schedule/memory.h"

#include <string.h>

/* For each rank, the ranks of which it has heard: bits, `words` words per rank. */
typedef struct ears {
    size_t words;
    uint64_t *known, *coming;   /* before its round; and what the messages of the round add */
} ears;

static void add(const ears *e, uint64_t *to, const uint64_t *from)
{
    for (size_t i = 0; i < e->words; i++)
        to[i] |= from[i];
}

static anyp_status moved(void *state, const anypi_message *message)
{
    const ears *e = state;
    add(e, e->coming + (size_t) message->to * e->words,
        e->known + (size_t) message->from * e->words);
    return ANYP_SUCCESS;
}

static anyp_status finished(void *state, int rank, int round)
{
    const ears *e = state;
    const size_t first = (size_t) rank * e->words;
    (void) round;
    add(e, e->known + first, e->coming + first);
    return ANYP_SUCCESS;
}

/* Returns the first of p ranks of which a rank has not heard; p or more: it has heard of all. */
static size_t first_unknown(const ears *e, int rank, int p)
{
    const uint64_t *known = e->known + (size_t) rank * e->words;
    size_t other = 0;
    while (other < (size_t) p && known[other / 64] == UINT64_MAX)
        other += 64;
    while (other < (size_t) p && known[other / 64] >> other % 64 & 1)
        other++;
    return other;
}

static anyp_status listen(anypi_set_checker *c, const anyp_schedule *set, ears *e)
{
    const anypi_visitor visitor = { e, moved, finished };
    const int p = c->call->p;
    const anyp_status status = anypi_replay(set, p, &visitor, c->reason, c->size);
    for (int rank = 0; rank < p && status == ANYP_SUCCESS; rank++) {
        const size_t other = first_unknown(e, rank, p);
        if (other < (size_t) p)
            return anypi_wrong_rank(c, rank, "may end before rank %d has begun", (int) other);
    }
    return status;
}

anyp_status anypi_check_barrier(anypi_set_checker *c, const anyp_schedule *set)
{
    const size_t p = (size_t) c->call->p;
    ears e = { .words = anypi_bits_words(p) };
    const size_t bytes = p * e.words * sizeof *e.known;
    e.known = anypi_realloc(NULL, 2 * bytes);
    if (!e.known)
        return ANYP_ERR_MEMORY;
    memset(e.known, 0, 2 * bytes);
    e.coming = e.known + p * e.words;
    for (size_t rank = 0; rank < p; rank++)
        anypi_bits_set(e.known + rank * e.words, rank, rank + 1);
    const anyp_status status = listen(c, set, &e);
    anypi_free(e.known);
    return status;
}

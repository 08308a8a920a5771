/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diagnose.c - matches all messages of the set together, by sorting.
 */
#include "analysis/diagnose.h"

#include "schedule/memory.h"

#include <stdio.h>
#include <stdlib.h>

/* A SEND or RECV step: one end of a message. */
typedef struct end {
    int from, to;               /* ranks */
    bool receives;
    int round, step;            /* in the schedule of the rank at this end */
} end;

typedef struct diagnosis {
    const int *round;           /* per rank: the round in which it is stuck */
    char *reason;
    size_t size;
    const end *waiting, *missing;       /* the ends of a message that keeps a rank waiting */
} diagnosis;

static inline int rank_of(const end *one)
{
    return one->receives ? one->to : one->from;
}

static inline int peer_of(const end *one)
{
    return one->receives ? one->from : one->to;
}

/* Sorts the messages between two ranks in one direction together: first their sends, in order, then
 * their receives. */
static int by_message(const void *one, const void *other)
{
    const end *a = one, *b = other;
    return a->from != b->from ? a->from - b->from : a->to != b->to ? a->to - b->to :
        a->receives != b->receives ? a->receives - b->receives : a->step - b->step;
}

/* Writes the ends of all messages into ends[]. */
static anyp_status collect(diagnosis *d, const anyp_schedule *set, int p, end *ends, size_t *count)
{
    for (int rank = 0; rank < p; rank++) {
        const anyp_schedule *schedule = &set[rank];
        for (int i = 0, round = 0; i < schedule->steps_count; i++) {
            const anyp_step *step = &schedule->steps[i];
            const bool receives = step->kind == ANYP_RECV;
            while (i == schedule->round_start[round + 1])
                round++;
            if (step->kind != ANYP_SEND && !receives)
                continue;
            if (step->peer < 0 || step->peer >= p || step->peer == rank) {
                snprintf(d->reason, d->size, "rank %d, step %d: its peer %d is no other rank",
                         rank, i, step->peer);
                return ANYP_ERR_SCHEDULE;
            }
            ends[(*count)++] = (end) { receives ? step->peer : rank, receives ? rank : step->peer,
                                       receives, round, i };
        }
    }
    return ANYP_SUCCESS;
}

/* Notes a message that keeps a rank waiting. Of several messages, one of the lowest rank is
 * kept. */
static void note_waiting(diagnosis *d, const end *one, const end *other)
{
    if (one->round == d->round[rank_of(one)] && d->round[rank_of(other)] < other->round &&
        (!d->waiting || rank_of(one) < rank_of(d->waiting))) {
        d->waiting = one;
        d->missing = other;
    }
}

/* Matches `sent` sends and `received` receives, which follow them, of two ranks in one
 * direction. */
static anyp_status match(diagnosis *d, const end *sends, int sent, int received)
{
    const end *receives = sends + sent;
    for (int i = 0; i < sent || i < received; i++) {
        const end *send = &sends[i], *receive = &receives[i];
        if (i >= sent || i >= received) {
            const end *lonely = i < sent ? send : receive;
            snprintf(d->reason, d->size, "rank %d, round %d, step %d: rank %d never %s this "
                     "message", rank_of(lonely), lonely->round, lonely->step, peer_of(lonely),
                     i < sent ? "receives" : "sends");
            return ANYP_ERR_SCHEDULE;
        }
        /* both ends must agree on whether this is another piece of the message before it */
        const bool sent_together = i && send[-1].round == send->round;
        if (sent_together != (i && receive[-1].round == receive->round)) {
            snprintf(d->reason, d->size, "rank %d, round %d, step %d: the message to rank %d has "
                     "%s pieces than its receiver expects in round %d", send->from, send->round,
                     send->step, send->to, sent_together ? "more" : "fewer", receive->round);
            return ANYP_ERR_SCHEDULE;
        }
        note_waiting(d, send, receive);
        note_waiting(d, receive, send);
    }
    return ANYP_SUCCESS;
}

static anyp_status match_all(diagnosis *d, const end *ends, size_t count)
{
    anyp_status status = ANYP_SUCCESS;
    for (size_t i = 0; i < count && status == ANYP_SUCCESS;) {
        const end *sends = &ends[i];
        int numbers[2] = { 0 };
        for (; i < count && ends[i].from == sends->from && ends[i].to == sends->to; i++)
            numbers[ends[i].receives]++;
        status = match(d, sends, numbers[0], numbers[1]);
    }
    if (status != ANYP_SUCCESS)
        return status;
    const end *one = d->waiting, *other = d->missing;
    snprintf(d->reason, d->size, "deadlock: rank %d, round %d, step %d: waits for rank %d, which "
             "does not get from its round %d to round %d", rank_of(one), one->round, one->step,
             rank_of(other), d->round[rank_of(other)], other->round);
    return ANYP_ERR_SCHEDULE;
}

anyp_status anypi_diagnose(const anyp_schedule *set, int p, const int *round, char *reason,
                           size_t size)
{
    diagnosis d = { .round = round, .reason = reason, .size = size };
    size_t steps = 0, count = 0;
    for (int rank = 0; rank < p; rank++)
        steps += (size_t) set[rank].steps_count;
    end *ends = anypi_realloc(NULL, steps * sizeof *ends);
    anyp_status status = ends ? collect(&d, set, p, ends, &count) : ANYP_ERR_MEMORY;
    if (status == ANYP_SUCCESS) {
        qsort(ends, count, sizeof *ends, by_message);
        status = match_all(&d, ends, count);
    }
    anypi_free(ends);
    return status;
}

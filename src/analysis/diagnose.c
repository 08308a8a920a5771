/* SPDX-License-Identifier: BSD-3-Clause
 *
 * diagnose.c - matches all messages of the set at once, by sorting.
 */
#include "analysis/diagnose.h"

#include "schedule/memory.h"

#include <stdio.h>
#include <string.h>

/* A RECV step whose SEND is not known yet. */
typedef struct arrival {
    int rank, round, step;
} arrival;

/* A SEND and the RECV that it belongs to. */
typedef struct pair {
    int from, to;               /* ranks */
    int from_round, to_round;
    int from_step, to_step;     /* indices into their steps */
} pair;

typedef struct diagnosis {
    const anyp_schedule *set;
    int p;
    const int *round;           /* per rank: the round that it is stuck in */
    char *reason;
    size_t size;

    pair *messages;             /* by receiver, then sender, then order: piece follows piece */
    size_t *first_step;         /* per rank: where its steps begin in message_of */
    size_t *message_of;         /* the message of a SEND or RECV step */
} diagnosis;

static inline bool is_message(const anyp_step *step)
{
    return step->kind == ANYP_SEND || step->kind == ANYP_RECV;
}

/* An array of `count` zeros; NULL if there is no memory. */
static void *zeros(size_t count, size_t size)
{
    void *array = anypi_realloc(NULL, count * size);
    if (array)
        memset(array, 0, count * size);
    return array;
}

/* Turns counts[0 .. p-1] into the starts of p groups of these sizes. */
static size_t starts_from_counts(size_t *counts, int p)
{
    size_t start = 0;
    for (int i = 0; i < p; i++) {
        const size_t count = counts[i];
        counts[i] = start;
        start += count;
    }
    return start;
}

static anyp_status unmatched(diagnosis *d, const anyp_schedule *schedule, int round, int step)
{
    const anyp_step *lonely = &schedule->steps[step];
    snprintf(d->reason, d->size, lonely->kind == ANYP_SEND ?
             "rank %d, round %d, step %d: rank %d never receives this message" :
             "rank %d, round %d, step %d: rank %d never sends this message",
             schedule->rank, round, step, lonely->peer);
    return ANYP_ERR_SCHEDULE;
}

/* Counts the messages by sender and by receiver, and numbers all steps. */
static anyp_status count_messages(diagnosis *d, size_t *sent_to, size_t *received_from)
{
    size_t steps = 0;
    for (int rank = 0; rank < d->p; rank++) {
        const anyp_schedule *schedule = &d->set[rank];
        d->first_step[rank] = steps;
        steps += (size_t) schedule->steps_count;
        for (int i = 0; i < schedule->steps_count; i++) {
            const anyp_step *step = &schedule->steps[i];
            if (!is_message(step))
                continue;
            if (step->peer < 0 || step->peer >= d->p || step->peer == rank) {
                snprintf(d->reason, d->size, "rank %d, step %d: its peer %d is no other rank",
                         rank, i, step->peer);
                return ANYP_ERR_SCHEDULE;
            }
            (step->kind == ANYP_SEND ? sent_to : received_from)[step->peer]++;
        }
    }
    d->message_of = anypi_realloc(NULL, steps * sizeof *d->message_of);
    return d->message_of ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
}

/* All SENDs into d->messages, grouped by receiver; start[receiver] becomes its group's end. All
 * RECVs into `arrivals`, grouped by sender. Ranks are visited in order, so groups are sorted. */
static void sort_messages(diagnosis *d, size_t *start, arrival *arrivals, size_t *arrival_start)
{
    for (int rank = 0; rank < d->p; rank++) {
        const anyp_schedule *schedule = &d->set[rank];
        for (int round = 0; round < schedule->rounds; round++) {
            for (int i = schedule->round_start[round]; i < schedule->round_start[round + 1]; i++) {
                const anyp_step *step = &schedule->steps[i];
                if (step->kind == ANYP_SEND) {
                    const size_t id = start[step->peer]++;
                    d->messages[id] = (pair) {
                        .from = rank, .to = step->peer, .from_round = round, .from_step = i };
                    d->message_of[d->first_step[rank] + (size_t) i] = id;
                } else if (step->kind == ANYP_RECV) {
                    arrivals[arrival_start[step->peer]++] = (arrival) { rank, round, i };
                }
            }
        }
    }
}

/* Is this a further piece of the message before it? Both ends must say the same. */
static anyp_status check_piece(diagnosis *d, size_t id)
{
    const pair *message = &d->messages[id];
    const pair *before = id > 0 ? &d->messages[id - 1] : NULL;
    if (!before || before->from != message->from || before->to != message->to)
        return ANYP_SUCCESS;
    const bool sent_together = before->from_round == message->from_round;
    const bool received_together = before->to_round == message->to_round;
    if (sent_together != received_together) {
        snprintf(d->reason, d->size, "rank %d, round %d, step %d: the message to rank %d has %s "
                 "pieces than its receiver expects in round %d", message->from,
                 message->from_round, message->from_step, message->to,
                 sent_together ? "more" : "fewer", message->to_round);
        return ANYP_ERR_SCHEDULE;
    }
    return ANYP_SUCCESS;
}

/* Gives each arrival the next message of its group. Both are sorted by sender, so where they differ
 * the smaller sender's message has no counterpart. end[] are the ends of the groups. */
static anyp_status join_ends(diagnosis *d, const size_t *end, size_t *next,
                             const arrival *arrivals, const size_t *arrival_end)
{
    const arrival *a = arrivals;
    for (int from = 0; from < d->p; from++) {
        for (; a < arrivals + arrival_end[from]; a++) {
            const size_t id = next[a->rank];
            pair *message = &d->messages[id];
            if (id == end[a->rank] || message->from > from)
                return unmatched(d, &d->set[a->rank], a->round, a->step);
            if (message->from < from)
                return unmatched(d, &d->set[message->from], message->from_round,
                                 message->from_step);
            next[a->rank]++;
            message->to_round = a->round;
            message->to_step = a->step;
            d->message_of[d->first_step[a->rank] + (size_t) a->step] = id;
            const anyp_status status = check_piece(d, id);
            if (status != ANYP_SUCCESS)
                return status;
        }
    }
    for (int rank = 0; rank < d->p; rank++) {
        if (next[rank] < end[rank]) {
            const pair *message = &d->messages[next[rank]];
            return unmatched(d, &d->set[message->from], message->from_round, message->from_step);
        }
    }
    return ANYP_SUCCESS;
}

/* Finds both ends of every message by sorting into buckets: O(p + steps). */
static anyp_status match(diagnosis *d)
{
    anyp_status status = ANYP_ERR_MEMORY;
    arrival *arrivals = NULL;
    size_t *start = zeros((size_t) d->p, sizeof *start);
    size_t *next = zeros((size_t) d->p, sizeof *next);
    size_t *arrival_start = zeros((size_t) d->p, sizeof *arrival_start);
    if (!start || !next || !arrival_start)
        goto done;
    status = count_messages(d, start, arrival_start);
    if (status != ANYP_SUCCESS)
        goto done;

    status = ANYP_ERR_MEMORY;
    const size_t messages_count = starts_from_counts(start, d->p);
    const size_t arrivals_count = starts_from_counts(arrival_start, d->p);
    d->messages = anypi_realloc(NULL, messages_count * sizeof *d->messages);
    arrivals = anypi_realloc(NULL, arrivals_count * sizeof *arrivals);
    if (!d->messages || !arrivals)
        goto done;
    memcpy(next, start, (size_t) d->p * sizeof *next);
    sort_messages(d, start, arrivals, arrival_start);
    status = join_ends(d, start, next, arrivals, arrival_start);

  done:
    anypi_free(arrivals);
    anypi_free(arrival_start);
    anypi_free(next);
    anypi_free(start);
    return status;
}

/* Names one rank that waits, and for whom. */
static anyp_status deadlock(const diagnosis *d)
{
    int rank = 0;
    while (d->round[rank] == d->set[rank].rounds)
        rank++;
    const anyp_schedule *schedule = &d->set[rank];
    const int round = d->round[rank];
    int i = schedule->round_start[round];
    const pair *message = NULL;
    bool waits = false;
    for (; !waits; i++) {       /* a stuck rank has a message that has not moved */
        if (!is_message(&schedule->steps[i]))
            continue;
        message = &d->messages[d->message_of[d->first_step[rank] + (size_t) i]];
        waits = message->from == rank ? d->round[message->to] < message->to_round :
            d->round[message->from] < message->from_round;
    }
    const bool sends = message->from == rank;
    const int peer = sends ? message->to : message->from;
    snprintf(d->reason, d->size, "deadlock: rank %d, round %d, step %d: waits for rank %d, which "
             "does not get from its round %d to round %d", rank, round, i - 1, peer,
             d->round[peer], sends ? message->to_round : message->from_round);
    return ANYP_ERR_SCHEDULE;
}

anyp_status anypi_diagnose(const anyp_schedule *set, int p, const int *round, char *reason,
                           size_t size)
{
    diagnosis d = { .set = set, .p = p, .round = round, .reason = reason, .size = size };
    d.first_step = zeros((size_t) p, sizeof *d.first_step);
    anyp_status status = d.first_step ? match(&d) : ANYP_ERR_MEMORY;
    if (status == ANYP_SUCCESS)
        status = deadlock(&d);
    anypi_free(d.message_of);
    anypi_free(d.first_step);
    anypi_free(d.messages);
    return status;
}

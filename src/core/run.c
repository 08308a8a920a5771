/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/run.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* A RECV step that looks for its SEND. */
typedef struct arrival {
    int rank, round, step;
} arrival;

/* A message, while it waits for its ends. */
typedef struct entry {
    anypi_message message;
    bool one_end_there;         /* one of its ends is in its round */
} entry;

typedef struct engine {
    const anyp_schedule *set;
    int p;
    const anypi_visitor *visitor;
    char *reason;
    size_t size;

    entry *messages;            /* by receiver, then sender, then order: piece follows piece */
    size_t *first_step;         /* per rank: where its steps begin in message_of */
    size_t *message_of;         /* which message a SEND or RECV step is an end of */

    int *round;                 /* per rank: the round that it is in */
    int *unmoved;               /* per rank: messages of this round that have not moved */
    int *able;                  /* stack of the ranks whose messages have all moved */
    int able_count;
    int done;                   /* ranks behind their last round */
} engine;

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

/* Turns counts[0 .. p-1] into the places where p groups of these sizes begin. */
static size_t places_from_counts(size_t *counts, int p)
{
    size_t place = 0;
    for (int i = 0; i < p; i++) {
        const size_t count = counts[i];
        counts[i] = place;
        place += count;
    }
    return place;
}

static anyp_status unmatched(engine *e, const anyp_schedule *schedule, int round, int step)
{
    const anyp_step *lonely = &schedule->steps[step];
    snprintf(e->reason, e->size, lonely->kind == ANYP_SEND ?
             "rank %d, round %d, step %d: rank %d never receives this message" :
             "rank %d, round %d, step %d: rank %d never sends this message",
             schedule->rank, round, step, lonely->peer);
    return ANYP_ERR_SCHEDULE;
}

/* Counts the messages by sender and by receiver, and numbers all steps. */
static anyp_status count_messages(engine *e, size_t *sent_to, size_t *received_from)
{
    size_t steps = 0;
    for (int rank = 0; rank < e->p; rank++) {
        const anyp_schedule *schedule = &e->set[rank];
        e->first_step[rank] = steps;
        steps += (size_t) schedule->steps_count;
        for (int i = 0; i < schedule->steps_count; i++) {
            const anyp_step *step = &schedule->steps[i];
            if (!is_message(step))
                continue;
            if (step->peer < 0 || step->peer >= e->p || step->peer == rank) {
                snprintf(e->reason, e->size, "rank %d, step %d: its peer %d is no other rank",
                         rank, i, step->peer);
                return ANYP_ERR_SCHEDULE;
            }
            (step->kind == ANYP_SEND ? sent_to : received_from)[step->peer]++;
        }
    }
    e->message_of = anypi_realloc(NULL, steps * sizeof *e->message_of);
    return e->message_of ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
}

/* All SENDs into e->messages, grouped by receiver; place[receiver] moves on to its group's end. All
 * RECVs into `arrivals`, grouped by sender. Ranks are visited in order, so groups are sorted. */
static void sort_messages(engine *e, size_t *place, arrival *arrivals, size_t *arrival_place)
{
    for (int rank = 0; rank < e->p; rank++) {
        const anyp_schedule *schedule = &e->set[rank];
        for (int round = 0; round < schedule->rounds; round++) {
            for (int i = schedule->round_start[round]; i < schedule->round_start[round + 1]; i++) {
                const anyp_step *step = &schedule->steps[i];
                if (step->kind == ANYP_SEND) {
                    const size_t id = place[step->peer]++;
                    e->messages[id].one_end_there = false;
                    e->messages[id].message = (anypi_message) {
                        .from = rank, .to = step->peer, .from_round = round, .from_step = i };
                    e->message_of[e->first_step[rank] + (size_t) i] = id;
                } else if (step->kind == ANYP_RECV) {
                    arrivals[arrival_place[step->peer]++] = (arrival) { rank, round, i };
                }
            }
        }
    }
}

/* Is this a further piece of the message before it? Both ends must say the same. */
static anyp_status find_piece(engine *e, size_t id)
{
    anypi_message *message = &e->messages[id].message;
    const anypi_message *before = id > 0 ? &e->messages[id - 1].message : NULL;
    if (!before || before->from != message->from || before->to != message->to)
        return ANYP_SUCCESS;
    const bool sent_together = before->from_round == message->from_round;
    const bool received_together = before->to_round == message->to_round;
    if (sent_together != received_together) {
        snprintf(e->reason, e->size, "rank %d, round %d, step %d: the message to rank %d has %s "
                 "pieces than its receiver expects in round %d", message->from,
                 message->from_round, message->from_step, message->to,
                 sent_together ? "more" : "fewer", message->to_round);
        return ANYP_ERR_SCHEDULE;
    }
    if (sent_together)
        message->piece = before->piece + 1;
    return ANYP_SUCCESS;
}

/* Gives each arrival the next message of its group. Both are sorted by sender, so where they differ
 * the smaller sender's message has no counterpart. place[] are the ends of the groups. */
static anyp_status join_ends(engine *e, const size_t *place, size_t *next, const arrival *arrivals,
                             const size_t *arrival_end)
{
    const arrival *a = arrivals;
    for (int from = 0; from < e->p; from++) {
        for (; a < arrivals + arrival_end[from]; a++) {
            const size_t id = next[a->rank];
            anypi_message *message = &e->messages[id].message;
            if (id == place[a->rank] || message->from > from)
                return unmatched(e, &e->set[a->rank], a->round, a->step);
            if (message->from < from)
                return unmatched(e, &e->set[message->from], message->from_round,
                                 message->from_step);
            next[a->rank]++;
            message->to_round = a->round;
            message->to_step = a->step;
            e->message_of[e->first_step[a->rank] + (size_t) a->step] = id;
            const anyp_status status = find_piece(e, id);
            if (status != ANYP_SUCCESS)
                return status;
        }
    }
    for (int rank = 0; rank < e->p; rank++) {
        if (next[rank] < place[rank]) {
            const anypi_message *message = &e->messages[next[rank]].message;
            return unmatched(e, &e->set[message->from], message->from_round, message->from_step);
        }
    }
    return ANYP_SUCCESS;
}

/* Finds both ends of every message by sorting into buckets: O(p + steps). */
static anyp_status match(engine *e)
{
    anyp_status status = ANYP_ERR_MEMORY;
    arrival *arrivals = NULL;
    size_t *place = zeros((size_t) e->p, sizeof *place);
    size_t *next = zeros((size_t) e->p, sizeof *next);
    size_t *arrival_place = zeros((size_t) e->p, sizeof *arrival_place);
    if (!place || !next || !arrival_place)
        goto done;
    status = count_messages(e, place, arrival_place);
    if (status != ANYP_SUCCESS)
        goto done;

    status = ANYP_ERR_MEMORY;
    const size_t messages_count = places_from_counts(place, e->p);
    const size_t arrivals_count = places_from_counts(arrival_place, e->p);
    e->messages = anypi_realloc(NULL, messages_count * sizeof *e->messages);
    arrivals = anypi_realloc(NULL, arrivals_count * sizeof *arrivals);
    if (!e->messages || !arrivals)
        goto done;
    memcpy(next, place, (size_t) e->p * sizeof *next);
    sort_messages(e, place, arrivals, arrival_place);
    status = join_ends(e, place, next, arrivals, arrival_place);

  done:
    anypi_free(arrivals);
    anypi_free(arrival_place);
    anypi_free(next);
    anypi_free(place);
    return status;
}

static void one_less(engine *e, int rank)
{
    if (--e->unmoved[rank] == 0)
        e->able[e->able_count++] = rank;
}

/* The rank comes to its next round: messages whose other end is there already move. */
static anyp_status enter(engine *e, int rank)
{
    const anyp_schedule *schedule = &e->set[rank];
    const int round = e->round[rank];
    if (round == schedule->rounds) {
        e->done++;
        return ANYP_SUCCESS;
    }
    const int first = schedule->round_start[round], end = schedule->round_start[round + 1];
    e->unmoved[rank] = 1;       /* the rank itself, until it has looked at all */
    for (int i = first; i < end; i++)
        e->unmoved[rank] += is_message(&schedule->steps[i]);
    for (int i = first; i < end; i++) {
        if (!is_message(&schedule->steps[i]))
            continue;
        entry *found = &e->messages[e->message_of[e->first_step[rank] + (size_t) i]];
        if (!found->one_end_there) {
            found->one_end_there = true;
            continue;
        }
        const anyp_status status = e->visitor->moved(e->visitor->state, &found->message);
        if (status != ANYP_SUCCESS)
            return status;
        one_less(e, found->message.from);
        one_less(e, found->message.to);
    }
    one_less(e, rank);
    return ANYP_SUCCESS;
}

/* Names one rank that waits, and for whom. */
static anyp_status deadlock(engine *e)
{
    int rank = 0;
    while (e->round[rank] == e->set[rank].rounds)
        rank++;
    const anyp_schedule *schedule = &e->set[rank];
    const int round = e->round[rank];
    int i = schedule->round_start[round];
    const anypi_message *message = NULL;
    bool waits = false;
    for (; !waits; i++) {       /* a stuck rank has a message that has not moved */
        if (!is_message(&schedule->steps[i]))
            continue;
        message = &e->messages[e->message_of[e->first_step[rank] + (size_t) i]].message;
        waits = message->from == rank ? e->round[message->to] < message->to_round :
            e->round[message->from] < message->from_round;
    }
    const bool sends = message->from == rank;
    const int peer = sends ? message->to : message->from;
    snprintf(e->reason, e->size, "deadlock: rank %d, round %d, step %d: waits for rank %d, which "
             "does not get from its round %d to round %d", rank, round, i - 1, peer,
             e->round[peer], sends ? message->to_round : message->from_round);
    return ANYP_ERR_SCHEDULE;
}

static anyp_status play(engine *e)
{
    e->round = zeros((size_t) e->p, sizeof *e->round);
    e->unmoved = zeros((size_t) e->p, sizeof *e->unmoved);
    e->able = zeros((size_t) e->p, sizeof *e->able);
    if (!e->round || !e->unmoved || !e->able)
        return ANYP_ERR_MEMORY;

    anyp_status status = ANYP_SUCCESS;
    for (int rank = 0; rank < e->p && status == ANYP_SUCCESS; rank++)
        status = enter(e, rank);
    while (e->able_count > 0 && status == ANYP_SUCCESS) {
        const int rank = e->able[--e->able_count];
        status = e->visitor->finished(e->visitor->state, rank, e->round[rank]);
        if (status == ANYP_SUCCESS) {
            e->round[rank]++;
            status = enter(e, rank);
        }
    }
    if (status == ANYP_SUCCESS && e->done < e->p)
        return deadlock(e);
    return status;
}

anyp_status anypi_run(const anyp_schedule *set, int p, const anypi_visitor *visitor, char *reason,
                      size_t size)
{
    engine e = { .set = set, .p = p, .visitor = visitor, .reason = reason, .size = size };
    if (size > 0)
        *reason = '\0';
    e.first_step = zeros((size_t) p, sizeof *e.first_step);
    anyp_status status = e.first_step ? match(&e) : ANYP_ERR_MEMORY;
    if (status == ANYP_SUCCESS)
        status = play(&e);

    anypi_free(e.able);
    anypi_free(e.unmoved);
    anypi_free(e.round);
    anypi_free(e.message_of);
    anypi_free(e.first_step);
    anypi_free(e.messages);
    return status;
}

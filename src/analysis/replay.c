/* SPDX-License-Identifier: BSD-3-Clause
 *
 * replay.c - the engine.
 *
 * An end of a message waits for the other end in a hash table. The k-th SEND from one rank to
 * another belongs to the k-th RECV there. So the waiting ends of a pair of ranks are all SENDs or
 * all RECVs. They form a queue, whose first end is in the table.
 *
 * If not all ranks come to their ends, all messages are posted again, rank by rank and without
 * waiting. So both ends of every message meet that has two, and the others are left in the table.
 */
#include "analysis/replay.h"

#include "schedule/memory.h"

#include <stdio.h>
#include <string.h>

/* An end of a message that waits for the other end. */
typedef struct end {
    uint64_t pair;              /* sender and receiver */
    bool sends;
    int round, step, piece;
    anyp_slice slice;
    int next;                   /* of the first ends of its chain, or of the free ones, or NONE */
    int later;                  /* the next end of its pair, or NONE */
    int last;                   /* in the first end of a pair: the last one */
} end;

enum { NONE = -1 };

/* The progress of a rank. */
typedef struct process {
    const anyp_step *steps;
    const int *round_start;
    int rounds;
    int round;                  /* the current one */
    int unmoved;                /* messages of this round that have not moved */
} process;

/* The number of messages to or from a rank, so far, in the visited round. */
typedef struct pieces {
    unsigned visit;             /* to which `count` belongs */
    int count;
} pieces;

/* Why the ranks did not come to their ends. Both messages are the first of their kind by sender,
 * receiver and step. */
typedef struct diagnosis {
    const int *round;           /* per rank: the round in which it is stuck */
    end faulty, its_other;      /* a message with other pieces at its ends */
    end waiting, missing;       /* one that keeps a rank waiting, the lowest such rank */
} diagnosis;

typedef struct engine {
    const anyp_schedule *set;
    int p;
    const anypi_visitor *visitor;
    process *processes;
    pieces *sent, *received;    /* per peer */
    unsigned visits;            /* to rounds */
    int *runnable;              /* stack of the ranks whose messages have all moved */
    int runnable_count;
    int done;                   /* ranks that have run all rounds */
    bool stuck;                 /* a peer or a piece is wrong */
    diagnosis *diagnosis;       /* NULL: messages really move */
    char *reason;               /* receives the error */
    size_t size;

    end *ends;                  /* in chains by hash; those that no longer wait are free */
    int ends_count, free_end;
    int *chains;                /* their first ends */
    int chains_count;           /* a power of two, and the capacity of `ends` */
} engine;

static int *chain_of(engine *e, uint64_t pair)
{
    return &e->chains[pair * 0x9e3779b97f4a7c15u >> 32 & (uint64_t) (e->chains_count - 1)];
}

/* Makes room for `count` ends, a power of two. */
static anyp_status grow(engine *e, int count)
{
    end *ends = anypi_realloc(e->ends, (size_t) count * sizeof *ends);
    if (!ends)
        return ANYP_ERR_MEMORY;
    e->ends = ends;
    int *chains = anypi_realloc(NULL, (size_t) count * sizeof *chains);
    if (!chains)
        return ANYP_ERR_MEMORY;
    int *old = e->chains;
    const int old_count = e->chains_count;
    e->chains = chains;
    e->chains_count = count;
    memset(chains, 0xff, (size_t) count * sizeof *chains);
    for (int i = 0; i < old_count; i++) {
        for (int this = old[i], next; this != NONE; this = next) {
            next = ends[this].next;
            int *chain = chain_of(e, ends[this].pair);
            ends[this].next = *chain;
            *chain = this;
        }
    }
    anypi_free(old);
    return ANYP_SUCCESS;
}

/* Returns the index of a free end; there must be one. */
static int new_end(engine *e)
{
    const int index = e->free_end;
    if (index == NONE)
        return e->ends_count++;
    e->free_end = e->ends[index].next;
    return index;
}

static void one_less(engine *e, int rank)
{
    if (--e->processes[rank].unmoved == 0)
        e->runnable[e->runnable_count++] = rank;
}

/* Returns which piece of its message a SEND or RECV of the visited round is. */
static int piece_of(engine *e, const anyp_step *step)
{
    pieces *p = &(step->kind == ANYP_SEND ? e->sent : e->received)[step->peer];
    if (p->visit != e->visits)
        *p = (pieces) { .visit = e->visits };
    return p->count++;
}

/* Returns the rank of an end, or of the other end. */
static int rank_of(const end *one, bool other)
{
    return (int) (one->sends != other ? one->pair >> 32 : one->pair & UINT32_MAX);
}

/* Notes a message that keeps the rank at one of its ends waiting. */
static void note_waiting(diagnosis *d, const end *one, const end *other)
{
    const int rank = rank_of(one, false), lowest = rank_of(&d->waiting, false);
    if (one->round == d->round[rank] && d->round[rank_of(other, false)] < other->round &&
        (rank < lowest || (rank == lowest && one->pair < d->waiting.pair))) {
        d->waiting = *one;
        d->missing = *other;
    }
}

/* Moves the message. `other` is the end that has waited, `here` is the end of `rank`. */
static anyp_status move(engine *e, int rank, int peer, const end *here, const end *other)
{
    const end *from = here->sends ? here : other, *to = here->sends ? other : here;
    diagnosis *d = e->diagnosis;
    if (d) {
        if (from->piece != to->piece && from->pair < d->faulty.pair) {
            d->faulty = *from;
            d->its_other = *to;
        }
        note_waiting(d, from, to);
        note_waiting(d, to, from);
        one_less(e, peer);
        return ANYP_SUCCESS;
    }
    if (here->piece != other->piece) {
        e->stuck = true;
        return ANYP_SUCCESS;
    }
    const anypi_message message = {
        .from = here->sends ? rank : peer, .to = here->sends ? peer : rank,
        .from_round = from->round, .to_round = to->round,
        .from_step = from->step, .to_step = to->step,
        .sent = from->slice, .received = to->slice, .piece = here->piece };
    const anyp_status status = e->visitor->moved(e->visitor->state, &message);
    one_less(e, peer);
    return status;
}

/* Returns where the table refers to the first waiting end of a pair; it contains NONE without
 * one. */
static int *first_of(engine *e, uint64_t pair)
{
    int *link = chain_of(e, pair);
    while (*link != NONE && e->ends[*link].pair != pair)
        link = &e->ends[*link].next;
    return link;
}

/* Removes the first end of a pair, which no longer waits. */
static void take_first(engine *e, int *link)
{
    const int index = *link;
    end *first = &e->ends[index];
    if (first->later == NONE) {
        *link = first->next;
    } else {
        *link = first->later;
        e->ends[*link].next = first->next;
        e->ends[*link].last = first->last;
    }
    first->next = e->free_end;
    e->free_end = index;
}

/* Makes `here` wait, after the others of its pair. */
static anyp_status wait_after(engine *e, const end *here, int *link)
{
    if (e->free_end == NONE && e->ends_count == e->chains_count) {
        if (grow(e, 2 * e->chains_count) != ANYP_SUCCESS)
            return ANYP_ERR_MEMORY;
        link = first_of(e, here->pair);
    }
    const int index = new_end(e);
    e->ends[index] = *here;
    if (*link == NONE)
        *link = index;
    else
        e->ends[e->ends[*link].last].later = index;
    e->ends[*link].last = index;
    return ANYP_SUCCESS;
}

/* For a SEND or RECV of the rank's round: finds its other end, or makes it wait. */
static anyp_status post(engine *e, int rank, int i, const anyp_step *step)
{
    if ((unsigned) step->peer >= (unsigned) e->p || step->peer == rank) {
        if (e->diagnosis)
            snprintf(e->reason, e->size, "rank %d, step %d: its peer %d is no other rank", rank, i,
                     step->peer);
        e->stuck = true;
        return ANYP_SUCCESS;
    }
    const bool sends = step->kind == ANYP_SEND;
    const uint64_t from = (uint64_t) (sends ? rank : step->peer);
    const uint64_t to = (uint64_t) (sends ? step->peer : rank);
    const end here = { .pair = from << 32 | to, .sends = sends, .step = i,
                       .round = e->processes[rank].round, .piece = piece_of(e, step),
                       .slice = sends ? step->from : step->to, .next = NONE, .later = NONE };
    int *link = first_of(e, here.pair);
    if (*link != NONE && e->ends[*link].sends != sends) {
        const end other = e->ends[*link];
        take_first(e, link);
        return move(e, rank, step->peer, &here, &other);
    }
    if (wait_after(e, &here, link) != ANYP_SUCCESS)
        return ANYP_ERR_MEMORY;
    e->processes[rank].unmoved++;
    return ANYP_SUCCESS;
}

/* Posts the messages of the rank's round, up to a wrong one. */
static anyp_status post_round(engine *e, int rank)
{
    const process *here = &e->processes[rank];
    const int end_step = here->round_start[here->round + 1];
    anyp_status status = ANYP_SUCCESS;
    e->visits++;
    for (int i = here->round_start[here->round];
         i < end_step && status == ANYP_SUCCESS && !e->stuck; i++)
        if (here->steps[i].kind == ANYP_SEND || here->steps[i].kind == ANYP_RECV)
            status = post(e, rank, i, &here->steps[i]);
    return status;
}

/* The rank enters its next round. Messages whose other end waits move. */
static anyp_status enter(engine *e, int rank)
{
    process *here = &e->processes[rank];
    if (here->round == here->rounds) {
        e->done++;
        return ANYP_SUCCESS;
    }
    const int end_step = here->round_start[here->round + 1];
    /* ranks alternate, so the hardware does not predict their next steps */
    __builtin_prefetch(&here->steps[end_step]);
    __builtin_prefetch(&here->steps[end_step] + 2);
    here->unmoved = 1;          /* the rank itself, until all steps are posted */
    const anyp_status status = post_round(e, rank);
    one_less(e, rank);
    return status;
}

static anyp_status replay(engine *e)
{
    anyp_status status = ANYP_SUCCESS;
    for (int rank = 0; rank < e->p && status == ANYP_SUCCESS && !e->stuck; rank++)
        status = enter(e, rank);
    while (e->runnable_count > 0 && status == ANYP_SUCCESS && !e->stuck) {
        const int rank = e->runnable[--e->runnable_count];
        if (e->visitor->finished)
            status = e->visitor->finished(e->visitor->state, rank, e->processes[rank].round);
        if (status == ANYP_SUCCESS) {
            e->processes[rank].round++;
            status = enter(e, rank);
        }
    }
    return status;
}

static anyp_status allocate(engine *e)
{
    const size_t p = (size_t) e->p;
    e->processes = anypi_realloc(NULL, p * sizeof *e->processes);
    e->sent = anypi_realloc(NULL, p * sizeof *e->sent);
    e->received = anypi_realloc(NULL, p * sizeof *e->received);
    e->runnable = anypi_realloc(NULL, p * sizeof *e->runnable);
    if (!e->processes || !e->sent || !e->received || !e->runnable)
        return ANYP_ERR_MEMORY;
    for (int rank = 0; rank < e->p; rank++) {
        const anyp_schedule *schedule = &e->set[rank];
        e->processes[rank] = (process) { .steps = schedule->steps, .rounds = schedule->rounds,
                                         .round_start = schedule->round_start };
        e->sent[rank] = e->received[rank] = (pieces) { 0 };
    }
    e->free_end = NONE;
    int ends = 64;
    while (ends < e->p)
        ends *= 2;
    return grow(e, ends);
}

/* Forgets the waiting ends, and posts all messages of all ranks. The stack keeps the rounds in
 * which the ranks are stuck. */
static anyp_status post_all(engine *e)
{
    anyp_status status = ANYP_SUCCESS;
    e->ends_count = 0;
    e->free_end = NONE;
    e->stuck = false;
    memset(e->chains, 0xff, (size_t) e->chains_count * sizeof *e->chains);
    for (int rank = 0; rank < e->p; rank++) {
        e->runnable[rank] = e->processes[rank].round;
        e->processes[rank].unmoved = 1;     /* so that no rank becomes runnable */
    }
    for (int rank = 0; rank < e->p && !e->stuck; rank++) {
        process *here = &e->processes[rank];
        for (here->round = 0; here->round < here->rounds && status == ANYP_SUCCESS; here->round++)
            status = post_round(e, rank);
    }
    return e->stuck ? ANYP_ERR_SCHEDULE : status;
}

/* Finds the reason: a peer that does not exist; or else a message, anywhere in the set, without
 * counterpart or with another number of pieces there; or else a deadlock. */
static anyp_status diagnose(engine *e)
{
    const anyp_status status = post_all(e);
    if (status != ANYP_SUCCESS)
        return status;
    const diagnosis *d = e->diagnosis;
    const end *lonely = NULL, *one = &d->faulty;
    for (int i = 0; i < e->chains_count; i++)
        for (int k = e->chains[i]; k != NONE; k = e->ends[k].next)
            if (e->ends[k].pair < (lonely ? lonely->pair : d->faulty.pair))
                lonely = &e->ends[k];
    if (lonely)
        snprintf(e->reason, e->size, "rank %d, round %d, step %d: rank %d never %s this message",
                 rank_of(lonely, false), lonely->round, lonely->step, rank_of(lonely, true),
                 lonely->sends ? "receives" : "sends");
    else if (one->pair != UINT64_MAX)
        snprintf(e->reason, e->size, "rank %d, round %d, step %d: the message to rank %d has %s "
                 "pieces than its receiver expects in round %d", rank_of(one, false), one->round,
                 one->step, rank_of(one, true), one->piece ? "more" : "fewer",
                 d->its_other.round);
    else
        snprintf(e->reason, e->size, "deadlock: rank %d, round %d, step %d: waits for rank %d, "
                 "which does not get from its round %d to round %d", rank_of(&d->waiting, false),
                 d->waiting.round, d->waiting.step, rank_of(&d->missing, false),
                 d->round[rank_of(&d->missing, false)], d->missing.round);
    return ANYP_ERR_SCHEDULE;
}

anyp_status anypi_replay(const anyp_schedule *set, int p, const anypi_visitor *visitor,
                         char *reason, size_t size)
{
    engine e = { .set = set, .p = p, .visitor = visitor, .reason = reason, .size = size };
    if (size > 0)
        *reason = '\0';
    anyp_status status = allocate(&e);
    if (status == ANYP_SUCCESS)
        status = replay(&e);
    if (status == ANYP_SUCCESS && e.done < p) {
        diagnosis d = { .round = e.runnable, .faulty.pair = UINT64_MAX, .waiting.pair = INT32_MAX };
        e.diagnosis = &d;
        status = diagnose(&e);
    }

    anypi_free(e.chains);
    anypi_free(e.ends);
    anypi_free(e.runnable);
    anypi_free(e.received);
    anypi_free(e.sent);
    anypi_free(e.processes);
    return status;
}

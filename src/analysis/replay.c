/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run.c - the engine.
 *
 * One end of a message waits for the other in a hash table, so what is kept is what is under way.
 * The k-th SEND from one rank to another belongs to the k-th RECV there; the ends that wait of one
 * pair of ranks are all SENDs or all RECVs.
 */
#include "analysis/replay.h"

#include "analysis/diagnose.h"
#include "schedule/memory.h"

#include <string.h>

/* An end of a message that waits for the other one. */
typedef struct end {
    uint64_t pair;              /* sender and receiver */
    bool sends;
    int round, step, piece;
    anyp_slice slice;
    int next;                   /* of its chain, or of the free ones; NONE: the last */
} end;

enum { NONE = -1 };

/* A rank on its way. */
typedef struct process {
    const anyp_step *steps;
    const int *round_start;
    int rounds;
    int round;                  /* in which it is */
    int unmoved;                /* messages of this round that have not moved */
} process;

/* How many messages of the round that is looked at there were before, to or from a rank. */
typedef struct pieces {
    unsigned look;              /* which look at a round `count` is of */
    int count;
} pieces;

typedef struct engine {
    const anyp_schedule *set;
    int p;
    const anypi_visitor *visitor;
    process *processes;
    pieces *sent, *received;    /* per peer */
    unsigned looks;
    int *able;                  /* stack of the ranks whose messages have all moved */
    int able_count;
    int done;                   /* ranks behind their last round */
    bool stuck;                 /* a peer or a piece does not fit */

    end *ends;                  /* in chains by hash; those that no longer wait are free */
    int ends_count, free_end;
    int *chains;                /* their first ends */
    int chains_count;           /* a power of two; `ends` has as much room */
} engine;

static int *chain_of(engine *e, uint64_t pair)
{
    return &e->chains[pair * 0x9e3779b97f4a7c15u >> 32 & (uint64_t) (e->chains_count - 1)];
}

/* Makes room for `count` ends, a power of two. Ends of one pair keep their order. */
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
            int *last = chain_of(e, ends[this].pair);
            while (*last != NONE)
                last = &ends[*last].next;
            ends[this].next = NONE;
            *last = this;
        }
    }
    anypi_free(old);
    return ANYP_SUCCESS;
}

/* A place for one more end; there is room. */
static int new_end(engine *e)
{
    const int place = e->free_end;
    if (place == NONE)
        return e->ends_count++;
    e->free_end = e->ends[place].next;
    return place;
}

static void one_less(engine *e, int rank)
{
    if (--e->processes[rank].unmoved == 0)
        e->able[e->able_count++] = rank;
}

/* Which piece of its message a SEND or RECV of the round that is looked at is. */
static int piece_of(engine *e, const anyp_step *step)
{
    pieces *p = &(step->kind == ANYP_SEND ? e->sent : e->received)[step->peer];
    if (p->look != e->looks)
        *p = (pieces) { .look = e->looks };
    return p->count++;
}

/* The message moves: `other` is the end that has waited, `here` is that of `rank`. */
static anyp_status move(engine *e, int rank, int peer, const end *here, const end *other)
{
    const end *from = here->sends ? here : other, *to = here->sends ? other : here;
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

/* A SEND or RECV of the rank's round finds its other end, or waits for it. */
static anyp_status post(engine *e, int rank, int i, const anyp_step *step)
{
    if ((unsigned) step->peer >= (unsigned) e->p || step->peer == rank) {
        e->stuck = true;
        return ANYP_SUCCESS;
    }
    const bool sends = step->kind == ANYP_SEND;
    const uint64_t from = (uint64_t) (sends ? rank : step->peer);
    const uint64_t to = (uint64_t) (sends ? step->peer : rank);
    const end here = { .pair = from << 32 | to, .sends = sends, .step = i,
                       .round = e->processes[rank].round, .piece = piece_of(e, step),
                       .slice = sends ? step->from : step->to, .next = NONE };
    int *link = chain_of(e, here.pair);
    for (; *link != NONE; link = &e->ends[*link].next) {
        end *other = &e->ends[*link];
        if (other->pair != here.pair || other->sends == sends)
            continue;
        const int place = *link;
        const anyp_status status = move(e, rank, step->peer, &here, other);
        *link = other->next;
        other->next = e->free_end;
        e->free_end = place;
        return status;
    }
    if (e->free_end == NONE && e->ends_count == e->chains_count) {
        if (grow(e, 2 * e->chains_count) != ANYP_SUCCESS)
            return ANYP_ERR_MEMORY;
        for (link = chain_of(e, here.pair); *link != NONE; link = &e->ends[*link].next)
            continue;
    }
    const int place = new_end(e);
    e->ends[place] = here;
    *link = place;
    e->processes[rank].unmoved++;
    return ANYP_SUCCESS;
}

/* The rank comes to its next round: messages whose other end is there already move. */
static anyp_status enter(engine *e, int rank)
{
    process *here = &e->processes[rank];
    if (here->round == here->rounds) {
        e->done++;
        return ANYP_SUCCESS;
    }
    const int behind = here->round_start[here->round + 1];
    /* many ranks take turns: no hardware sees which of their steps come next */
    __builtin_prefetch(&here->steps[behind]);
    __builtin_prefetch(&here->steps[behind] + 2);
    here->unmoved = 1;          /* the rank itself, until it has looked at all */
    e->looks++;
    anyp_status status = ANYP_SUCCESS;
    for (int i = here->round_start[here->round]; i < behind && status == ANYP_SUCCESS && !e->stuck;
         i++)
        if (here->steps[i].kind == ANYP_SEND || here->steps[i].kind == ANYP_RECV)
            status = post(e, rank, i, &here->steps[i]);
    one_less(e, rank);
    return status;
}

static anyp_status play(engine *e)
{
    anyp_status status = ANYP_SUCCESS;
    for (int rank = 0; rank < e->p && status == ANYP_SUCCESS && !e->stuck; rank++)
        status = enter(e, rank);
    while (e->able_count > 0 && status == ANYP_SUCCESS && !e->stuck) {
        const int rank = e->able[--e->able_count];
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
    e->able = anypi_realloc(NULL, p * sizeof *e->able);
    if (!e->processes || !e->sent || !e->received || !e->able)
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

/* Where all ranks are, for the diagnosis; the stack is no longer needed. */
static anyp_status diagnose(const engine *e, char *reason, size_t size)
{
    for (int rank = 0; rank < e->p; rank++)
        e->able[rank] = e->processes[rank].round;
    return anypi_diagnose(e->set, e->p, e->able, reason, size);
}

anyp_status anypi_replay(const anyp_schedule *set, int p, const anypi_visitor *visitor,
                         char *reason, size_t size)
{
    engine e = { .set = set, .p = p, .visitor = visitor };
    if (size > 0)
        *reason = '\0';
    anyp_status status = allocate(&e);
    if (status == ANYP_SUCCESS)
        status = play(&e);
    if (status == ANYP_SUCCESS && e.done < p)
        status = diagnose(&e, reason, size);

    anypi_free(e.chains);
    anypi_free(e.ends);
    anypi_free(e.able);
    anypi_free(e.received);
    anypi_free(e.sent);
    anypi_free(e.processes);
    return status;
}

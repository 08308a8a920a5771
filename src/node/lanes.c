/* SPDX-License-Identifier: BSD-3-Clause */
#include "node/lanes.h"

#include "node/outbox.h"
#include "node/waiter.h"
#include "schedule/memory.h"
#include "schedule/threads.h"

#include <sched.h>
#include <string.h>

/* More slots are not faster; two are slower. */
enum { LINE = 64, SLOTS = 4 };
/* Fruitless turns before a process takes the last measures. If there are more processes than cores,
 * it yields in each turn. */
enum { SPINS = 2000, YIELDS = 16 };

/* The word of a slot: the low 8 bits of the fragment's number (before it arrives, the slot has that
 * of fragment number - SLOTS), the context, whether the sender has failed, the bytes in the slot,
 * whether the data are in the outbox, and whether this is the message's last fragment. */
enum { LAST = 1, IN_OUTBOX = 2, BYTES_SHIFT = 2, FAILED = 256, CONTEXT_SHIFT = 9,
       NUMBER_SHIFT = CONTEXT_SHIFT + ANYPI_CONTEXT_BITS };
#define CONTEXT_MASK ((UINT64_C(1) << ANYPI_CONTEXT_BITS) - 1)

typedef struct slot {
    anypi_shared word;
    union {
        char data[ANYPI_SLOT_BYTES];
        struct {
            uint64_t offset, bytes;     /* in the sender's segment */
        } at;
    };
} slot;

_Static_assert(sizeof(slot) == LINE, "a slot is a cache line");

/* A fragment that was taken before its message was wanted. */
typedef struct early {
    struct early *next;
    uint64_t word;
    int64_t bytes;
    char data[];
} early;

struct anypi_lane {
    const char *peer;           /* its segment */
    slot *out;                  /* to the peer, in the own segment */
    const slot *in;             /* from the peer, in its segment */
    anypi_shared *taken;        /* fragments of `in`, in the own segment */
    const anypi_shared *peer_taken;     /* fragments of `out`, in the peer's segment */
    const anypi_shared *peer_sleeps;    /* in the peer's segment */
    uint64_t sent, known, received;     /* fragments; `known`: the last value of *peer_taken */
    anypi_parcel *sends, *last_send, *receives, *last_receive;
    early *early, *last_early;  /* in the order of the lane */
};

struct anypi_lanes {
    int processes, own;
    bool crowded;               /* more processes than cores */
    char *segment;              /* of this process */
    anypi_waiter waiter;        /* used if crowded */
    void (*poll)(void);
    anypi_parcel *first, *last; /* of those under way, in the order in which they began */
    bool narrow;                /* the outbox has been full for some time: use slots */
    anypi_outbox outbox;
    anypi_lane lanes[];
};

/* ---- the memory: slots of lanes to each process, counters of lanes from each, the outbox. The
 * process's own counter, which no lane uses, tells whether it sleeps. ---- */

static size_t slots_at(int process)
{
    return (size_t) process * SLOTS * LINE;
}

static anypi_shared *counter_of(char *segment, int processes, int process)
{
    return (anypi_shared *) (void *) (segment + slots_at(processes) + (size_t) process * LINE);
}

static size_t outbox_at(int processes)
{
    return slots_at(processes) + (size_t) processes * LINE;
}

size_t anypi_lanes_size(int processes)
{
    return outbox_at(processes) + ANYPI_OUTBOX_SIZE;
}

anypi_lanes *anypi_lanes_open(int processes, int own, char *const *segments, int cores,
                              void (*poll)(void))
{
    anypi_lanes *lanes = anypi_realloc(NULL, sizeof *lanes +
                                       (size_t) processes * sizeof *lanes->lanes);
    if (!lanes)
        return NULL;
    *lanes = (anypi_lanes) { .processes = processes, .own = own, .segment = segments[own],
                             .crowded = processes > cores, .poll = poll,
                             .waiter.sleeps = counter_of(segments[own], processes, own) };
    anypi_outbox_init(&lanes->outbox, segments[own] + outbox_at(processes));
    for (int i = 0; i < processes; i++)
        lanes->lanes[i] = (anypi_lane) {
            .peer = segments[i],
            .out = (slot *) (void *) (segments[own] + slots_at(i)),
            .in = (const slot *) (void *) (segments[i] + slots_at(own)),
            .taken = counter_of(segments[own], processes, i),
            .peer_taken = counter_of(segments[i], processes, own),
            .peer_sleeps = counter_of(segments[i], processes, i),
        };
    return lanes;
}

void anypi_lanes_close(anypi_lanes *lanes)
{
    for (int i = 0; lanes && i < lanes->processes; i++)
        for (early *one; (one = lanes->lanes[i].early);) {
            lanes->lanes[i].early = one->next;
            anypi_free(one);
        }
    anypi_free(lanes);
}

anypi_lane *anypi_lane_of(anypi_lanes *lanes, int i)
{
    return &lanes->lanes[i];
}

/* ---- sending ---- */

/* Has the peer taken so many fragments of the lane? */
static bool has_taken(anypi_lane *lane, uint64_t number)
{
    if (lane->known < number)
        lane->known = anypi_shared_load(lane->peer_taken);
    return lane->known >= number;
}

static void publish(const anypi_lanes *lanes, slot *one, const anypi_parcel *parcel, unsigned flags)
{
    anypi_lane *lane = parcel->lane;
    anypi_shared_store(&one->word, ++lane->sent << NUMBER_SHIFT |
                       (parcel->context & CONTEXT_MASK) << CONTEXT_SHIFT |
                       (parcel->failed ? FAILED : 0) | flags);
    if (lanes->crowded)
        anypi_wake(lane->peer_sleeps);
}

/* Returns `size` rounded down to whole elements, unless none fits. */
static int64_t whole(int64_t size, int64_t unit)
{
    return unit < size ? size / unit * unit : size;
}

/* Publishes a fragment in a free slot. Returns its bytes; -1: the outbox is full. */
static int64_t publish_one(anypi_lanes *lanes, anypi_parcel *parcel, slot *free_slot)
{
    anypi_lane *lane = parcel->lane;
    const char *from = parcel->address + parcel->done;
    const int64_t rest = parcel->bytes - parcel->done;
    if (rest <= ANYPI_SLOT_BYTES || lanes->narrow) {
        const int64_t size = rest <= ANYPI_SLOT_BYTES ? rest
            : whole(ANYPI_SLOT_BYTES, parcel->unit);
        if (parcel->address)
            memcpy(free_slot->data, from, (size_t) size);
        publish(lanes, free_slot, parcel,
                (unsigned) size << BYTES_SHIFT | (size == rest ? LAST : 0));
        return size;
    }
    const int64_t size = rest <= ANYPI_CHUNK ? rest : whole(ANYPI_CHUNK, parcel->unit);
    const char *chunk = anypi_outbox_put(&lanes->outbox, parcel->address ? from : NULL, size,
                                         (anypi_reader) { lane->peer_taken, lane->sent + 1, -1 });
    if (!chunk)
        return -1;
    free_slot->at.offset = (uint64_t) (chunk - lanes->segment);
    free_slot->at.bytes = (uint64_t) size;
    publish(lanes, free_slot, parcel, IN_OUTBOX | (size == rest ? LAST : 0));
    return size;
}

/* Publishes fragments of the first send of its lane. Returns whether there were any. */
static bool push(anypi_lanes *lanes, anypi_parcel *parcel)
{
    anypi_lane *lane = parcel->lane;
    bool moved = false;
    while (!parcel->over) {
        if (lane->sent >= SLOTS && !has_taken(lane, lane->sent - SLOTS + 1))
            return moved;
        const int64_t size = publish_one(lanes, parcel, &lane->out[lane->sent % SLOTS]);
        if (size < 0)
            return moved;
        parcel->done += size;
        parcel->over = parcel->done == parcel->bytes;
        moved = true;
    }
    return true;
}

/* ---- receiving ---- */

static void took(const anypi_lanes *lanes, anypi_lane *lane)
{
    anypi_shared_store(lane->taken, ++lane->received);
    if (lanes->crowded)
        anypi_wake(lane->peer_sleeps);
}

static uint64_t context_of(uint64_t word)
{
    return word >> CONTEXT_SHIFT & CONTEXT_MASK;
}

/* Returns the slot of the lane's next fragment, and its word; NULL: it has not arrived. */
static const slot *arrived(const anypi_lane *lane, uint64_t *word)
{
    const slot *one = &lane->in[lane->received % SLOTS];
    *word = anypi_shared_load(&one->word);
    return *word >> NUMBER_SHIFT == ((lane->received + 1) << NUMBER_SHIFT) >> NUMBER_SHIFT
        ? one : NULL;
}

/* Returns the receive that gets the next fragment of a context, or NULL. */
static anypi_parcel *receiver_of(const anypi_lane *lane, uint64_t context)
{
    anypi_parcel *one = lane->receives;
    while (one && (one->over || one->context != context))
        one = one->behind;
    return one;
}

static const char *data_of(const anypi_lane *lane, const slot *one, uint64_t word, int64_t *bytes)
{
    *bytes = word & IN_OUTBOX ? (int64_t) one->at.bytes : (int64_t) (word >> BYTES_SHIFT & 63);
    return word & IN_OUTBOX ? lane->peer + one->at.offset : one->data;
}

/* Gives a fragment to its receive. */
static void deliver(anypi_parcel *parcel, const char *data, int64_t bytes, uint64_t word)
{
    const int64_t room = parcel->bytes - parcel->done;
    parcel->truncated |= bytes > room;
    bytes = bytes < room ? bytes : room;
    if (parcel->address && bytes > 0)
        memcpy(parcel->address + parcel->done, data, (size_t) bytes);
    parcel->done += bytes;
    parcel->failed |= (word & FAILED) != 0;
    parcel->over = word & LAST;
}

/* Keeps a fragment that no receive wants yet, since another one may wait for those behind it.
 * Returns whether there is memory. */
static bool keep_early(anypi_lane *lane, const char *data, int64_t bytes, uint64_t word)
{
    early *one = anypi_realloc(NULL, sizeof *one + (size_t) bytes);
    if (!one)
        return false;
    *one = (early) { .word = word, .bytes = bytes };
    memcpy(one->data, data, (size_t) bytes);
    if (lane->early)
        lane->last_early->next = one;
    else
        lane->early = one;
    lane->last_early = one;
    return true;
}

/* Gives early fragments to a new receive. */
static void take_early(anypi_parcel *parcel)
{
    anypi_lane *lane = parcel->lane;
    early *before = NULL, *next;
    for (early *one = lane->early; one && !parcel->over; one = next) {
        next = one->next;
        if (context_of(one->word) != parcel->context) {
            before = one;
            continue;
        }
        deliver(parcel, one->data, one->bytes, one->word);
        *(before ? &before->next : &lane->early) = next;
        if (lane->last_early == one)
            lane->last_early = before;
        anypi_free(one);
    }
}

/* Takes fragments of a receive, and those before them that no receive wants. Returns whether there
 * were any. */
static bool pull(const anypi_lanes *lanes, anypi_parcel *parcel)
{
    anypi_lane *lane = parcel->lane;
    const slot *one;
    uint64_t word;
    int64_t bytes;
    bool moved = false;
    while (!parcel->over && (one = arrived(lane, &word))) {
        const char *data = data_of(lane, one, word, &bytes);
        const anypi_parcel *its = receiver_of(lane, context_of(word));
        if (its ? its != parcel || parcel->held : !keep_early(lane, data, bytes, word))
            break;
        if (its)
            deliver(parcel, data, bytes, word);
        took(lanes, lane);
        moved = true;
    }
    return moved;
}

/* ---- parcels ---- */

static void begin(anypi_lanes *lanes, anypi_parcel *parcel)
{
    anypi_lane *lane = parcel->lane;
    anypi_parcel **first = parcel->sends ? &lane->sends : &lane->receives;
    anypi_parcel **last = parcel->sends ? &lane->last_send : &lane->last_receive;
    if (*first)
        (*last)->behind = parcel;
    else
        *first = parcel;
    *last = parcel;
    if (lanes->first)
        lanes->last->next = parcel;
    else
        lanes->first = parcel;
    lanes->last = parcel;
}

/* Takes a parcel from its lane. */
static void end(anypi_parcel *parcel)
{
    anypi_lane *lane = parcel->lane;
    anypi_parcel **link = parcel->sends ? &lane->sends : &lane->receives;
    anypi_parcel **last = parcel->sends ? &lane->last_send : &lane->last_receive, *before = NULL;
    for (; *link != parcel; link = &before->behind)
        before = *link;
    *link = parcel->behind;
    if (*last == parcel)
        *last = before;
}

void anypi_lane_send(anypi_lanes *lanes, anypi_lane *lane, uint64_t context, const char *address,
                     int64_t bytes, int64_t unit, bool failed, anypi_parcel *parcel)
{
    *parcel = (anypi_parcel) { .lane = lane, .address = (char *) address, .bytes = bytes,
                               .unit = unit, .context = context, .sends = true,
                               .failed = failed };
    if (!lane->sends)
        push(lanes, parcel);
    if (!parcel->over)
        begin(lanes, parcel);
}

void anypi_lane_receive(anypi_lanes *lanes, anypi_lane *lane, uint64_t context, char *address,
                        int64_t bytes, int64_t unit, anypi_parcel *parcel)
{
    *parcel = (anypi_parcel) { .lane = lane, .address = address, .bytes = bytes, .unit = unit,
                               .context = context };
    take_early(parcel);
    if (!parcel->over)
        begin(lanes, parcel);
}

void anypi_lanes_changed(anypi_lanes *lanes)
{
    lanes->outbox.age++;
    lanes->waiter.since = 0;
}

bool anypi_lanes_busy(const anypi_lanes *lanes)
{
    return lanes->first;
}

bool anypi_lanes_move(anypi_lanes *lanes)
{
    bool moved = false;
    anypi_parcel *before = NULL, *next;
    for (anypi_parcel *one = lanes->first; one; one = next) {
        if (!one->over && (!one->sends || one == one->lane->sends))
            moved |= one->sends ? push(lanes, one) : pull(lanes, one);
        next = one->next;
        if (!one->over) {
            before = one;
            continue;
        }
        end(one);
        *(before ? &before->next : &lanes->first) = next;
        if (lanes->last == one)
            lanes->last = before;
    }
    if (moved)
        lanes->waiter.since = 0;
    return moved;
}

void anypi_lane_wants(anypi_parcel *parcel)
{
    for (anypi_parcel *one = parcel->lane->receives; one && one != parcel; one = one->behind)
        one->held = false;
}

void anypi_lanes_release(anypi_lanes *lanes)
{
    for (anypi_parcel *one = lanes->first; one; one = one->next)
        one->held = false;
}

void anypi_lanes_idle(anypi_lanes *lanes, int *turns, bool waits)
{
    const bool tired = lanes->crowded && anypi_waiter_is_tired(&lanes->waiter, waits);
    if (++*turns < (lanes->crowded ? YIELDS : SPINS) && !tired) {
        if (lanes->crowded)
            anypi_waiter_yield(&lanes->waiter);
        else
            anypi_pause();
        return;
    }
    *turns = 0;
    anypi_lanes_release(lanes);
    lanes->narrow = true;
    const bool moved = anypi_lanes_move(lanes);
    lanes->narrow = false;
    if (!moved && tired) {
        anypi_waiter_announce(&lanes->waiter);
        anypi_waiter_sleep(&lanes->waiter, !anypi_lanes_move(lanes));
    } else if (!moved) {
        sched_yield();
    }
    lanes->poll();
}

/* ---- held parcels ---- */

/* Returns the data of a held parcel's next elements, in the sender's memory, and sets their bytes.
 * NULL: there are none yet, or they cannot be reduced there, and the parcel is held no longer. */
static const char *peek(anypi_parcel *parcel, int64_t *bytes, bool *last)
{
    uint64_t word;
    const slot *one = parcel->held ? arrived(parcel->lane, &word) : NULL;
    if (!one || receiver_of(parcel->lane, context_of(word)) != parcel)
        return NULL;
    const char *data = data_of(parcel->lane, one, word, bytes);
    const bool aligned = (uintptr_t) data % (2 * sizeof word) == 0 ||
        parcel->unit <= (int64_t) sizeof word;
    *last = word & LAST;
    parcel->failed |= (word & FAILED) != 0;
    parcel->held = aligned && *bytes <= parcel->bytes - parcel->done &&
        *bytes % parcel->unit == 0;
    return parcel->held ? data : NULL;
}

/* Moves parcels; if nothing moves, waits a moment. */
static void move_or_idle(anypi_lanes *lanes, int *turns)
{
    if (anypi_lanes_move(lanes))
        *turns = 0;
    else
        anypi_lanes_idle(lanes, turns, true);
}

bool anypi_lane_reduce(anypi_lanes *lanes, anypi_parcel *parcel, bool right, const char *from,
                       char *to, anypi_combine combine, void *context, bool waits)
{
    int64_t bytes;
    int turns = 0;
    while (parcel->reduced < parcel->bytes) {
        const int64_t at = parcel->reduced, copied = (parcel->done - at) / parcel->unit;
        const char *data = NULL;
        bool last;
        if (copied > 0) {
            combine(context, from + at, to + at, to + at, copied);
            parcel->reduced += copied * parcel->unit;
        } else if (parcel->over) {
            break;              /* the message was shorter than this rank expected */
        } else if (parcel->done == at && (data = peek(parcel, &bytes, &last))) {
            combine(context, right ? from + at : data, right ? data : to + at, to + at,
                    bytes / parcel->unit);
            parcel->done = parcel->reduced += bytes;
            parcel->over = last;
            took(lanes, parcel->lane);
            anypi_lanes_move(lanes);    /* removes it if it is over */
            turns = 0;
        } else if (!waits) {
            return false;
        } else {
            anypi_lane_wants(parcel);
            move_or_idle(lanes, &turns);
        }
    }
    for (parcel->held = false; !parcel->over && waits; move_or_idle(lanes, &turns))
        anypi_lane_wants(parcel);       /* the sender's message is longer */
    return parcel->over;
}

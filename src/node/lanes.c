/* SPDX-License-Identifier: BSD-3-Clause */
#include "node/lanes.h"

#include "node/outbox.h"
#include "schedule/memory.h"
#include "schedule/threads.h"

#include <sched.h>
#include <string.h>

/* More slots are not faster; two are slower. */
enum { LINE = 64, SLOTS = 4 };
/* Fruitless turns before a process takes the last measures. If there are more processes than cores,
 * it yields in each turn. Its measures are rarer than yields: a poll of the MPI library may yield,
 * too. With 4 processes on 2 cores, an allreduce of 8 bytes took 24 us with a poll for each yield,
 * and takes 14 us. */
enum { SPINS = 2000, YIELDS = 16 };
/* Contexts of failed calls that are remembered. */
enum { FORGOTTEN = 64 };

/* The word of a slot: the low 32 bits of the fragment's number, the context, whether the sender has
 * failed, the bytes in the slot, whether the data are in the outbox, and whether this is the
 * message's last fragment. */
enum { LAST = 1, IN_OUTBOX = 2, BYTES_SHIFT = 2, FAILED = 256, CONTEXT_SHIFT = 9,
       NUMBER_SHIFT = 32 };
enum { CONTEXT_MASK = 0x7fffff };

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

struct anypi_lane {
    const char *peer;           /* its segment */
    slot *out;                  /* to the peer, in the own segment */
    const slot *in;             /* from the peer, in its segment */
    anypi_shared *taken;        /* fragments of `in`, in the own segment */
    const anypi_shared *peer_taken;     /* fragments of `out`, in the peer's segment */
    uint64_t sent, known, received;     /* fragments; `known`: the last value of *peer_taken */
    anypi_parcel *sends, *last_send, *receives, *last_receive;
};

struct anypi_lanes {
    int processes, own;
    bool crowded;               /* more processes than cores */
    char *segment;              /* of this process */
    void (*poll)(void);
    anypi_parcel *first;        /* of those under way */
    bool narrow;                /* the outbox has been full for some time: use slots */
    uint32_t forgotten[FORGOTTEN];
    int forgotten_count;
    anypi_outbox outbox;
    anypi_lane lanes[];
};

/* ---- the memory: slots of lanes to each process, counters of lanes from each, the outbox ---- */

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
                             .crowded = processes > cores, .poll = poll };
    anypi_outbox_init(&lanes->outbox, segments[own] + outbox_at(processes));
    for (int i = 0; i < processes; i++)
        lanes->lanes[i] = (anypi_lane) {
            .peer = segments[i],
            .out = (slot *) (void *) (segments[own] + slots_at(i)),
            .in = (const slot *) (void *) (segments[i] + slots_at(own)),
            .taken = counter_of(segments[own], processes, i),
            .peer_taken = counter_of(segments[i], processes, own),
        };
    return lanes;
}

void anypi_lanes_close(anypi_lanes *lanes)
{
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

static void publish(anypi_lane *lane, slot *one, const anypi_parcel *parcel, unsigned flags)
{
    const uint64_t number = (uint32_t) ++lane->sent;
    anypi_shared_store(&one->word, number << NUMBER_SHIFT |
                       (uint64_t) parcel->context << CONTEXT_SHIFT |
                       (parcel->failed ? FAILED : 0) | flags);
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
        publish(lane, free_slot, parcel,
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
    publish(lane, free_slot, parcel, IN_OUTBOX | (size == rest ? LAST : 0));
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

static bool is_forgotten(const anypi_lanes *lanes, uint32_t context)
{
    for (int i = 0; i < lanes->forgotten_count && i < FORGOTTEN; i++)
        if (lanes->forgotten[i] == context)
            return true;
    return false;
}

void anypi_lanes_forget(anypi_lanes *lanes, uint32_t context)
{
    if (!is_forgotten(lanes, context))
        lanes->forgotten[lanes->forgotten_count++ % FORGOTTEN] = context;
}

static void took(anypi_lane *lane)
{
    anypi_shared_store(lane->taken, ++lane->received);
}

static uint32_t context_of(uint64_t word)
{
    return word >> CONTEXT_SHIFT & CONTEXT_MASK;
}

/* Returns the slot of the lane's next fragment, and its word. NULL: it is not there, or belongs to
 * another context; the word is then 0 or that fragment's. */
static const slot *arrived(const anypi_lane *lane, uint32_t context, uint64_t *word)
{
    const slot *one = &lane->in[lane->received % SLOTS];
    *word = anypi_shared_load(&one->word);
    if (*word >> NUMBER_SHIFT != (uint32_t) (lane->received + 1))
        *word = 0;
    return *word && context_of(*word) == context ? one : NULL;
}

static const char *data_of(const anypi_lane *lane, const slot *one, uint64_t word, int64_t *bytes)
{
    *bytes = word & IN_OUTBOX ? (int64_t) one->at.bytes : (int64_t) (word >> BYTES_SHIFT & 63);
    return word & IN_OUTBOX ? lane->peer + one->at.offset : one->data;
}

/* Takes fragments of the first receive of its lane. Returns whether there were any. */
static bool pull(const anypi_lanes *lanes, anypi_parcel *parcel)
{
    anypi_lane *lane = parcel->lane;
    uint64_t word;
    bool moved = false;
    while (!parcel->over) {
        int64_t bytes;
        const slot *one = arrived(lane, parcel->context, &word);
        if (!one && !(word && is_forgotten(lanes, context_of(word))))
            return moved;
        moved = true;
        if (!one) {             /* of a failed call */
            took(lane);
            continue;
        }
        const char *data = data_of(lane, one, word, &bytes);
        const int64_t room = parcel->bytes - parcel->done;
        parcel->truncated |= bytes > room;
        bytes = bytes < room ? bytes : room;
        if (parcel->address && bytes > 0)
            memcpy(parcel->address + parcel->done, data, (size_t) bytes);
        parcel->done += bytes;
        parcel->failed |= (word & FAILED) != 0;
        took(lane);
        parcel->over = word & LAST;
    }
    return true;
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
    parcel->next = lanes->first;
    lanes->first = parcel;
}

void anypi_lane_send(anypi_lanes *lanes, anypi_lane *lane, uint32_t context, const char *address,
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

void anypi_lane_receive(anypi_lanes *lanes, anypi_lane *lane, uint32_t context, char *address,
                        int64_t bytes, int64_t unit, anypi_parcel *parcel)
{
    *parcel = (anypi_parcel) { .lane = lane, .address = address, .bytes = bytes, .unit = unit,
                               .context = context };
    begin(lanes, parcel);
}

void anypi_lanes_changed(anypi_lanes *lanes)
{
    lanes->outbox.age++;
}

bool anypi_lanes_busy(const anypi_lanes *lanes)
{
    return lanes->first;
}

bool anypi_lanes_move(anypi_lanes *lanes)
{
    bool moved = false;
    for (anypi_parcel **link = &lanes->first, *one; (one = *link);) {
        anypi_parcel **first = one->sends ? &one->lane->sends : &one->lane->receives;
        if (one == *first && !one->over && !one->held)
            moved |= one->sends ? push(lanes, one) : pull(lanes, one);
        if (!one->over) {
            link = &one->next;
            continue;
        }
        *first = one->behind;
        *link = one->next;
    }
    return moved;
}

void anypi_lane_wants(anypi_parcel *parcel)
{
    for (anypi_parcel *one = parcel->lane->receives; one && one != parcel; one = one->behind)
        one->held = false;
}

void anypi_lanes_idle(anypi_lanes *lanes, int *turns)
{
    if (++*turns < (lanes->crowded ? YIELDS : SPINS)) {
        if (lanes->crowded)
            sched_yield();
        else
            anypi_pause();
        return;
    }
    *turns = 0;
    for (anypi_parcel *one = lanes->first; one; one = one->next)
        one->held = false;
    lanes->narrow = true;
    const bool moved = anypi_lanes_move(lanes);
    lanes->narrow = false;
    lanes->poll();
    if (!moved)
        sched_yield();
}

/* ---- held parcels ---- */

/* Returns the data of a held parcel's next elements, in the sender's memory, and sets their bytes.
 * NULL: there are none yet, or they cannot be reduced there, and the parcel is held no longer. */
static const char *peek(anypi_parcel *parcel, int64_t *bytes, bool *last)
{
    uint64_t word;
    const slot *one = parcel->held && parcel->lane->receives == parcel
        ? arrived(parcel->lane, parcel->context, &word) : NULL;
    if (!one)
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
        anypi_lanes_idle(lanes, turns);
}

void anypi_lane_reduce(anypi_lanes *lanes, anypi_parcel *parcel, bool right, const char *from,
                       char *to, anypi_combine combine, void *context)
{
    int64_t reduced = 0, bytes;
    int turns = 0;
    while (reduced < parcel->bytes) {
        const int64_t copied = (parcel->done - reduced) / parcel->unit;
        const char *data = NULL;
        bool last;
        if (copied > 0) {
            combine(context, from + reduced, to + reduced, to + reduced, copied);
            reduced += copied * parcel->unit;
        } else if (parcel->over) {
            break;              /* the message was shorter than this rank expected */
        } else if (parcel->done == reduced && (data = peek(parcel, &bytes, &last))) {
            combine(context, right ? from + reduced : data, right ? data : to + reduced,
                    to + reduced, bytes / parcel->unit);
            reduced += bytes;
            parcel->done = reduced;
            parcel->over = last;
            took(parcel->lane);
            anypi_lanes_move(lanes);    /* removes it if it is over */
            turns = 0;
        } else {
            anypi_lane_wants(parcel);
            move_or_idle(lanes, &turns);
        }
    }
    for (parcel->held = false; !parcel->over; move_or_idle(lanes, &turns))
        anypi_lane_wants(parcel);       /* the sender's message is longer */
}

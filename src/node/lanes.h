/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lanes.h - messages between the processes of a node, over memory that they share.
 *
 * A process writes only its own segment, and reads those of the others. So nothing needs a lock or
 * an atomic addition. A segment contains, for each other process, a lane to it: a ring of slots, of
 * one cache line each. A message is a sequence of fragments, each of which takes a slot. The first
 * word of a slot tells the number of the fragment in its lane; it is written last. A slot has room
 * for ANYPI_SLOT_BYTES. More data are in the sender's outbox, as chunks: the slot tells where. If a
 * rank sends a slice to several processes, it copies the slice to the outbox once. For each lane to
 * this process the segment contains a counter of the fragments that it has taken.
 *
 * A send is over when its fragments are published. Messages of a lane with the same context, those
 * of one call or of blocking calls on one communicator, are received in their order. While a
 * process waits, it moves all its parcels. If it waits for a message behind fragments of other
 * contexts, for which there is no receive yet, it copies these to memory of its own, until there is
 * one.
 *
 * Nothing waits that would not wait with MPI's synchronous sends:
 *
 * - If the outbox is full of chunks that nobody takes yet, fragments go through slots. Slots become
 *   free whenever the receiver waits for this message.
 * - A held parcel is not copied by its receiver: a reduction reads the sender's memory. If the
 *   process has waited for some time, or waits for a later message of the lane or for its own
 *   sends, it copies the parcel after all.
 * - If it has waited for some time, it calls poll(), in which the MPI library moves the messages of
 *   the program.
 *
 * Only one thread of a process may be in these functions. This file does not use MPI.
 */
#ifndef ANYPI_LANES_H_INCLUDED
#define ANYPI_LANES_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ANYPI_SLOT_BYTES = 56, ANYPI_CONTEXT_BITS = 47 };

typedef struct anypi_lane anypi_lane;
typedef struct anypi_lanes anypi_lanes;

/* A message under way. */
typedef struct anypi_parcel {
    anypi_lane *lane;
    char *address;              /* of the data; NULL: they are dropped */
    int64_t bytes, done;        /* of the data; published or taken */
    int64_t reduced;            /* by anypi_lane_reduce() */
    int64_t unit;               /* bytes of an element: fragments contain whole ones if they can */
    struct anypi_parcel *behind;        /* the next one of the same lane and direction */
    struct anypi_parcel *next;  /* of all parcels under way */
    uint64_t context;           /* of ANYPI_CONTEXT_BITS bits */
    bool sends, over;
    bool held;                  /* not to be copied now */
    bool truncated;             /* the sender's message was longer than the data */
    bool failed;                /* the sender's data are not those of its program */
} anypi_parcel;

/* Returns the bytes of a segment, if `processes` share memory on the node. */
size_t anypi_lanes_size(int processes);

/* Returns the lanes of this process, number `own` on the node, or NULL if there is no memory.
 * segments[i] is the segment of process i, zero at first; this process may write only its own.
 * `cores`: how many the processes may use. poll(): see above. Free it with anypi_lanes_close(). */
anypi_lanes *anypi_lanes_open(int processes, int own, char *const *segments, int cores,
                              void (*poll)(void));
void anypi_lanes_close(anypi_lanes *lanes);

/* Returns the lane to and from process i of the node. */
anypi_lane *anypi_lane_of(anypi_lanes *lanes, int i);

/* Begins a message of `bytes` from or to `address`, whose elements have `unit` bytes. `failed`: the
 * receiver is to know that the sender had an error. */
void anypi_lane_send(anypi_lanes *lanes, anypi_lane *lane, uint64_t context, const char *address,
                     int64_t bytes, int64_t unit, bool failed, anypi_parcel *parcel);
void anypi_lane_receive(anypi_lanes *lanes, anypi_lane *lane, uint64_t context, char *address,
                        int64_t bytes, int64_t unit, anypi_parcel *parcel);

/* Call this when data that were sent may change: from now on a slice is copied again. */
void anypi_lanes_changed(anypi_lanes *lanes);

/* Moves all parcels as far as possible. Returns whether any fragment was published or taken. */
bool anypi_lanes_move(anypi_lanes *lanes);

/* Returns whether parcels are under way. */
bool anypi_lanes_busy(const anypi_lanes *lanes);

/* Call this whenever anypi_lanes_move() has moved nothing, with a counter that is 0 at first and
 * after each move. Waits a moment; if there are more processes than cores, yields, or sleeps
 * (waiter.h) until another process moves a parcel. After many turns it copies held parcels, sends
 * through slots if the outbox is full, calls poll(), and sets the counter to 0. `waits`: the
 * process has nothing else to do. */
void anypi_lanes_idle(anypi_lanes *lanes, int *turns, bool waits);

/* Call this while a process waits for a parcel: earlier ones of its lane must not be held. */
void anypi_lane_wants(anypi_parcel *parcel);

/* out = left (+) right, where `out` may be `right`. */
typedef void (*anypi_combine)(void *context, const char *left, const char *right, char *out,
                              int64_t elements);

/* to = from (+) to, where the data of a parcel that was held are still under way to `from`, or if
 * `right` to `to`. Reads them where the sender has them. Elements that were copied after all are in
 * their place. Returns whether the parcel is over. If `waits`, it is; otherwise call this again
 * after anypi_lanes_move(), to continue. */
bool anypi_lane_reduce(anypi_lanes *lanes, anypi_parcel *parcel, bool right, const char *from,
                       char *to, anypi_combine combine, void *context, bool waits);

/* Holds no parcel any longer. */
void anypi_lanes_release(anypi_lanes *lanes);

#endif

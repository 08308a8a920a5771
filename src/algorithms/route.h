/* SPDX-License-Identifier: BSD-3-Clause
 *
 * route.h - sends blocks of any sizes along the route of a schedule for equal ones. In alltoallv,
 * alltoallw, gatherv and scatterv, only sender and receiver know a block's size (local sizes). Such
 * a call takes the route of an alltoall, a gather or a scatter: the same rounds and peers, and the
 * same blocks in each message.
 *
 * A message begins with the sizes of its blocks, and the blocks follow each other. So its length is
 * known only to the sender. The receiver makes room for blocks of `limit` bytes, reads the sizes,
 * and then knows the lengths of the messages by which it forwards these blocks. Larger blocks are
 * not in the message, only their sizes, as ANYPI_GOES_DIRECTLY. The rank's own block stays.
 *
 *   alltoallv, p = 4, rank 0; route of radix 2; bytes of a block from i to j: 10 i + j + 1
 *
 *   round 0   to rank 2: |3 4| blocks from 0 to 2 and 3     from rank 2: |21 22| to 0 and 1
 *   round 1   to rank 1: |2 22| blocks from 0 and 2 to 1    from rank 3: |31 11| from 3 and 1
 *
 * A walk along a route calls the functions of a walker for each local step, round by round: the
 * executor makes operations of them (execute/local_sizes.c), the analysis a schedule
 * (analysis/local_stages.c). Scratch is bytes. Its first part is for the messages that a round
 * sends; messages that have arrived stay behind it, since later rounds may forward their blocks.
 */
#ifndef ANYPI_ROUTE_H_INCLUDED
#define ANYPI_ROUTE_H_INCLUDED

#include "anyp.h"

/* The bytes of each block on the route of a call with local sizes, by which algorithms choose
 * parameters, if the count of the call is 0: nothing is known of the sizes of earlier calls. */
enum { ANYPI_NOMINAL_BYTES = 128 };

/* Returns the call whose schedules are the route of a call with local sizes: with equal blocks, not
 * in place, and without gaps, since the route names IN and OUT only as blocks. For another call
 * returns the call itself. */
anyp_call anypi_route_call(const anyp_call *call);

/* The size of a block in a message: its bytes, or ANYPI_GOES_DIRECTLY. */
typedef uint16_t anypi_size;
#define ANYPI_GOES_DIRECTLY UINT16_MAX

/* Sizes on a route. */
typedef struct anypi_route_sizes {
    const int64_t *given;       /* p: bytes of each block of this rank's input */
    int limit;                  /* the largest block on the route, < ANYPI_GOES_DIRECTLY */
    int head;                   /* bytes at the beginning of a message, and after them */
    int each;                   /* bytes for each of its blocks */
    bool in_place;              /* the input is in the output buffer: it is packed first */
} anypi_route_sizes;

/* The numbers of blocks and messages of a rank on a route, which bound its scratch. */
typedef struct anypi_route_counts {
    int64_t received_blocks, received_messages;
    int64_t sent_blocks, sent_messages;         /* the maximum of a round */
    int64_t messages;                           /* of a round, both ways */
} anypi_route_counts;

anypi_route_counts anypi_route_count(const anyp_schedule *route);
/* Returns the bytes of scratch that a walk needs; in_place, p blocks of input are added. */
int64_t anypi_route_scratch(const anypi_route_counts *counts, const anypi_route_sizes *sizes,
                            int p);

/* A message of the present round: bytes of scratch. */
typedef struct anypi_route_message {
    int peer;
    int64_t first, end;         /* of a message that is received, the maximum */
    const anypi_size *sizes;    /* of the blocks of a message that is sent, */
    int blocks;                 /* and their number */
    int step;                   /* of the route */
} anypi_route_message;

/* What a walk calls. Offsets are those of scratch. */
typedef struct anypi_walker {
    /* copies block i of IN to scratch */
    void (*pack)(void *state, int i, int64_t to, int bytes);
    /* copies a block inside scratch */
    void (*copy)(void *state, int64_t from, int64_t to, int bytes);
    /* block i of OUT has arrived, or its size: if that says so, its bytes are at `from` */
    void (*deliver)(void *state, int i, int64_t from, anypi_size size);
} anypi_walker;

typedef struct anypi_walk anypi_walk;

/* Begins a walk; `sizes` is copied, but not its array. NULL: no memory. */
anypi_walk *anypi_walk_new(const anyp_schedule *route, const anypi_route_sizes *sizes,
                           const anypi_walker *walker, void *state);
/* Begins the next round. Sets *received to the messages that it receives, valid until the next
 * round, and *count to their number. Returns false after the last round. */
bool anypi_walk_round(anypi_walk *walk, const anypi_route_message **received, int *count);
/* Copies the blocks of the messages that the round sends to scratch. Returns these messages, valid
 * until the next round; their sizes are to be written behind their heads. Sets *count. */
const anypi_route_message *anypi_walk_fill(anypi_walk *walk, int *count);
/* The k-th message of the round has arrived, with these sizes. `sizes` need not be aligned. */
void anypi_walk_arrived(anypi_walk *walk, int k, const void *sizes);
/* All messages of the round have arrived: delivers blocks that the route copies to OUT. */
void anypi_walk_end_round(anypi_walk *walk);
void anypi_walk_free(anypi_walk *walk);

#endif

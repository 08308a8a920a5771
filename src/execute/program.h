/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program.h - a program: a schedule compiled for vectors of one size. It lists messages and local
 * steps in the order in which they begin, with all offsets and sizes computed. Only the addresses
 * of a call's buffers are missing. So equal calls share all of this work, and a call is a loop over
 * the operations (execute.h).
 *
 * Several small pieces for one peer, of up to ANYPI_JOINED_BYTES each, are sent as one message. The
 * sender copies them to scratch memory one after the other, and the receiver copies them from
 * there. Both ends know the sizes and join the same pieces. A larger piece is a message by itself,
 * without a copy.
 */
#ifndef ANYPI_PROGRAM_H_INCLUDED
#define ANYPI_PROGRAM_H_INCLUDED

#include "anyp.h"
#include "schedule/layout.h"
#include "schedule/threads.h"

typedef enum anypi_op_kind {
    ANYPI_OP_RECEIVE,           /* prepare a message as request `first` */
    ANYPI_OP_SEND,
    ANYPI_OP_START,             /* start `count` requests, beginning with request `first` */
    ANYPI_OP_WAIT,              /* wait for these; start those not yet started */
    ANYPI_OP_REDUCE,
    ANYPI_OP_COPY,
    ANYPI_OP_PACK,              /* copy the whole input, which has gaps */
    ANYPI_OP_UNPACK,            /* copy blocks first .. first + count - 1 to OUT, where they have
                                 * gaps */
    /* Of local_sizes.h, where IN and OUT are the caller's blocks: */
    ANYPI_OP_RECEIVE_BLOCK,     /* as RECEIVE, of block `count` of OUT */
    ANYPI_OP_SEND_BLOCK,        /* as SEND, of block `count` of IN */
    ANYPI_OP_PACK_BLOCK,        /* copy block `first` of IN to scratch */
    ANYPI_OP_UNPACK_BLOCK,      /* copy scratch to block `first` of OUT */
    ANYPI_OP_COPY_BLOCK,        /* copy block `first` of IN to block `first` of OUT */
    /* Of hold.h: */
    ANYPI_OP_HOLD,              /* as RECEIVE, but the data may stay with the sender */
    ANYPI_OP_WAIT_RECEIVED,     /* as WAIT, but not for sends and held receives */
    ANYPI_OP_REDUCE_LEFT,       /* as REDUCE; the left, */
    ANYPI_OP_REDUCE_RIGHT       /* or the right operand is that of the held request `first` */
} anypi_op_kind;

/* The base of an offset: a buffer of the caller, or the memory of all scratch buffers. */
typedef enum anypi_area {
    ANYPI_AREA_IN,
    ANYPI_AREA_OUT,
    ANYPI_AREA_SCRATCH,
    ANYPI_AREAS
} anypi_area;

typedef struct anypi_op {
    unsigned char kind, from_area, to_area;
    int peer;
    int first, count;           /* of requests; of an UNPACK: of ranks' blocks */
    int64_t elements;           /* of a message or a local step: > 0 */
    int64_t from, to;           /* bytes from the beginning of the area */
} anypi_op;

typedef struct anypi_program {
    anypi_atomic holders;       /* see anypi_program_hold() */
    anypi_op *ops;
    int count;
    int requests;               /* maximum that are active at the same time */
    int64_t scratch;            /* bytes of ANYPI_AREA_SCRATCH; -1: more than addresses can
                                 * express */
    int64_t extent;             /* of an element */
    int room;
} anypi_program;

/* A vector, and the caller's buffers in it. */
typedef struct anypi_placement {
    anypi_partition partition;
    anypi_element element;
    int parts;                  /* number of the schedule's blocks in one rank's block; 0 means 1 */
    int64_t joined;             /* pieces of up to this many elements are joined, and pieces without
                                 * elements are omitted; -1: the call has no data, and nothing is
                                 * omitted */
    int64_t in, out;            /* index in the vector of the first element of IN and of OUT */
    bool overlaid;              /* OUT is part of IN, but at another block */
    bool gaps_in, gaps_out;     /* as in anyp_call */
} anypi_placement;

/* The alignment of ANYPI_AREA_SCRATCH, which malloc guarantees, and of each buffer in it. */
enum { ANYPI_SCRATCH_ALIGNMENT = 16 };

/* Makes the program empty. */
void anypi_program_init(anypi_program *program);
void anypi_program_free(anypi_program *program);

/* Returns the bytes of the operations' memory. */
size_t anypi_program_size(const anypi_program *program);

/* Programs with a count of their holders. A nonblocking call holds the program of a cache entry
 * until the call is freed, even if the entry is replaced. The cache has no lock, because the calls
 * that use it follow each other. But a call may be freed by any thread that completes it, so the
 * count is atomic. A program with several holders is never written. */
/* Returns a new, empty program with one holder. NULL: no memory. */
anypi_program *anypi_program_new(void);
/* Adds a holder and returns the program. */
anypi_program *anypi_program_hold(anypi_program *program);
/* Removes a holder. Frees the program if it was the last one. NULL is allowed. */
void anypi_program_release(anypi_program *program);
/* Replaces *program by a new one if it is NULL or has other holders, so that the caller may fill
 * it. Only for the holder from which the other holders received it. Returns false if there is no
 * memory; *program is NULL then. */
bool anypi_program_own(anypi_program **program);

/* Returns the vector of a call whose schedule has this number of blocks. */
anypi_placement anypi_placement_of(const anyp_call *call, int blocks, anypi_element element);

/* Makes the program of a schedule; reuses the memory of an earlier one. ANYP_ERR_MEMORY: there is
 * no memory, and the program is empty. */
anyp_status anypi_program_make(anypi_program *program, const anyp_schedule *schedule,
                               const anypi_placement *vector);

#endif

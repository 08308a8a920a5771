/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program.h - a schedule compiled for vectors of one size: its messages and local steps in the
 * order in which they begin, with all offsets and sizes computed. Only the addresses of a call's
 * buffers are missing. So the work that equal calls share is done once, and a call is a loop over
 * operations: execute.h.
 *
 * Several small pieces of a message, of up to ANYPI_JOINED_BYTES each, travel as one: its sender
 * copies them to scratch memory one after the other, its receiver from there. Both ends know the
 * sizes and do the same; larger pieces are messages of their own, from where they are.
 */
#ifndef ANYPI_PROGRAM_H_INCLUDED
#define ANYPI_PROGRAM_H_INCLUDED

#include "anyp.h"
#include "schedule/layout.h"
#include "schedule/threads.h"

typedef enum anypi_op_kind {
    ANYPI_OP_RECEIVE,           /* prepare a message as request `first` */
    ANYPI_OP_SEND,
    ANYPI_OP_START,             /* start `count` requests from `first` on */
    ANYPI_OP_WAIT,              /* wait for them; start those not yet started */
    ANYPI_OP_REDUCE,
    ANYPI_OP_COPY,
    ANYPI_OP_PACK,              /* copy the whole input, which has gaps */
    ANYPI_OP_UNPACK,            /* copy blocks first .. first + count - 1 to where they have gaps */
    /* where IN and OUT are the caller's blocks: */
    ANYPI_OP_RECEIVE_BLOCK,     /* as RECEIVE, block `count` of OUT */
    ANYPI_OP_SEND_BLOCK,        /* as SEND, that of IN */
    ANYPI_OP_PACK_BLOCK,        /* copy block `first` of IN to scratch */
    ANYPI_OP_UNPACK_BLOCK,      /* copy from scratch to block `first` of OUT */
    ANYPI_OP_COPY_BLOCK         /* copy block `first` of IN to that of OUT */
} anypi_op_kind;

/* What offsets are relative to: the caller's buffers, and the memory of all scratch buffers. */
typedef enum anypi_area {
    ANYPI_AREA_IN,
    ANYPI_AREA_OUT,
    ANYPI_AREA_SCRATCH,
    ANYPI_AREAS
} anypi_area;

typedef struct anypi_op {
    unsigned char kind, from_area, to_area;
    int peer;
    int first, count;           /* requests; of an UNPACK, blocks of ranks */
    int64_t elements;           /* of a message or a local step: > 0 */
    int64_t from, to;           /* bytes from the beginning of the area */
} anypi_op;

typedef struct anypi_program {
    anypi_atomic holders;       /* see anypi_program_new() */
    anypi_op *ops;
    int count;
    int requests;               /* maximum at a time */
    int64_t scratch;            /* bytes of the third area; -1: too many for an address */
    int64_t extent;             /* of an element */
    int room;
} anypi_program;

/* A vector, and the caller's buffers in it. */
typedef struct anypi_shape {
    anypi_partition vector;
    anypi_element element;
    int parts;                  /* blocks of the schedule in one of a rank; 0: as 1 */
    int64_t joined;             /* pieces of up to this many elements are joined, those of none left
                                 * out; -1: the call has no data */
    int64_t in, out;            /* the elements that IN and OUT begin with */
    bool overlaid;              /* OUT is in IN, but not at the same block */
    bool gaps_in, gaps_out;     /* as in anyp_call */
    bool blocks;                /* IN and OUT are blocks of the caller, whose sizes and places only
                                 * the back end knows, each a step of its own (route.h) */
} anypi_shape;

/* The alignment of the third area, which malloc guarantees, and of the buffers in it. */
enum { ANYPI_SCRATCH_ALIGNMENT = 16 };

/* An empty one. */
void anypi_program_init(anypi_program *program);
void anypi_program_free(anypi_program *program);

/* Bytes of its memory. */
size_t anypi_program_size(const anypi_program *program);

/* The same with a count of its holders: a nonblocking call holds the program of a cache entry until
 * it is freed, even if the entry is replaced. The cache has no lock, since the calls that look at
 * it follow each other. But a call is freed by the thread that completes it, so the count is
 * atomic, and a program with several holders is never written. */
/* A new, empty program with one holder. NULL: no memory. */
anypi_program *anypi_program_new(void);
/* Adds a holder; returns the program. */
anypi_program *anypi_program_hold(anypi_program *program);
/* Removes a holder; without holders the program is freed. NULL is allowed. */
void anypi_program_release(anypi_program *program);
/* Replaces *program by a new one if it is NULL or has other holders, so that the caller may fill
 * it. Only for the holder from which the others got it. False: no memory, and *program is NULL. */
bool anypi_program_own(anypi_program **program);

/* The shape of a schedule along a route (algorithms/route.h), whose units are of `unit` bytes, or
 * of a route whose blocks are all single messages of the caller's. */
anypi_shape anypi_shape_of_blocks(int p, int unit);

/* The shape of a call: blocks as the schedule has. */
anypi_shape anypi_shape_of(const anyp_call *call, int blocks, anypi_element element);

/* Makes the program of a schedule; reuses the memory of an earlier one. ANYP_ERR_MEMORY: it is
 * empty then. */
anyp_status anypi_program_make(anypi_program *program, const anyp_schedule *schedule,
                               const anypi_shape *shape);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_sizes.h - runs alltoallv, alltoallw, gatherv and scatterv. Only sender and receiver of a
 * block know its size, so no rank may decide by its counts alone. A call has up to three stages:
 *
 *   ROUTE   Blocks of up to `limit` bytes take a route (algorithms/route.h), in messages that begin
 *           with totals of all ranks that the sender knows of, and the blocks' sizes. Afterwards
 *           each rank of an alltoallv knows the totals of all ranks, each rank of a scatterv those
 *           of the root, and the root of a gatherv those of all.
 *   TELL    Only in some calls of gatherv: the root sends its decision to all ranks.
 *   DIRECT  All other blocks are sent directly to their receivers, in windows
 *           (anypi_local_window), the nearest ranks first. Both ends omit empty blocks.
 *
 * Each round of ROUTE, TELL and DIRECT are programs, which follow each other.
 *
 * Blocking calls learn (anypi_learned). The first one on a communicator runs only DIRECT, as MPI
 * libraries do, because nothing is known of its sizes. The second one looks: it has ROUTE, with the
 * limit of the plan. A call after a look (of a gatherv: after one in which the root tells) has the
 * best limit for the totals, and in an alltoallv a route for blocks of their mean
 * (anypi_local_count). If DIRECT alone would have been as fast (the blocks are large, or most of
 * them are empty), the next 7 calls run only DIRECT. Then one call looks again. If DIRECT would
 * again have been as fast, the next 15 calls run only DIRECT, then 31, 63, 63 ... Nonblocking calls
 * do not learn, because they may end in different orders on different ranks. They are made in the
 * same order, so they use what blocking calls have learned before, and otherwise have ROUTE with
 * the limit of the plan.
 */
#ifndef ANYPI_LOCAL_SIZES_H_INCLUDED
#define ANYPI_LOCAL_SIZES_H_INCLUDED

#include "algorithms/local_limits.h"
#include "execute/program.h"

/* What a communicator has learned about a collective. Zero at first. */
typedef struct anypi_learned {
    unsigned char direct;       /* how many of the next calls run only DIRECT, */
    unsigned char patience;     /* and how many did the last time */
    bool begun;                 /* there was a call */
    uint16_t limit;             /* of the next call, 0: that of the plan */
    uint16_t nominal;           /* its blocks: anypi_local_nominal(); 0: nothing is known */
    unsigned looks;             /* gatherv: number of calls with ROUTE so far */
} anypi_learned;

/* Returns the count of a call with local sizes: that of blocks as in earlier calls, or 0. */
static inline int64_t anypi_local_count(const anypi_learned *learned, int p)
{
    return (int64_t) learned->nominal * p;
}

/* What calls of the same collective, root, count, algorithm and parameters share. */
typedef struct anypi_local_plan {
    anypi_atomic holders;
    anypi_local_limits limits;
    anyp_schedule route;
    anypi_route_counts counts;  /* of the route */
    anypi_program tell;
} anypi_local_plan;

typedef enum anypi_local_stage {
    ANYPI_LOCAL_BEGIN, ANYPI_LOCAL_ROUTE, ANYPI_LOCAL_TELL, ANYPI_LOCAL_DIRECT, ANYPI_LOCAL_END
} anypi_local_stage;

/* One call of one rank. */
typedef struct anypi_local {
    anypi_local_plan *plan;     /* this call is one of its holders */
    anypi_learned *learned;     /* NULL: the call does not learn, */
    anypi_learned known;        /* and this is what the communicator knew when it was made */
    bool in_place;
    anypi_local_stage stage;
    int64_t *given, *got;       /* p each: bytes of the blocks of IN and OUT; 0: no block */
    int limit;                  /* the largest block on the route; 0: there is no route */
    int64_t requests, scratch;  /* what all programs need; scratch is bytes */
    int64_t packed;             /* where blocks for DIRECT are in scratch that were packed */
    anypi_local_totals most;    /* the maxima of all ranks that this one knows */
    uint16_t told;              /* for TELL: the limit of the next calls */
    bool disagrees;             /* the two ends of a block gave different sizes */
    anypi_walk *walk;           /* along the route */
    const anypi_route_message *received;        /* of the present round */
    int received_count;
    anypi_program program;      /* of the present round, or of DIRECT */
    anypi_op *late;             /* its operations that follow the start of its messages */
    int late_count, late_room;
    bool no_memory;             /* for an operation */
} anypi_local;

/* Returns a plan with one holder, or NULL if there is no memory. `call` has local sizes, and the
 * count of anypi_local_count(). The plan depends on the call's rank, not on its counts and
 * displacements. */
anypi_local_plan *anypi_local_plan_new(const anyp_algorithm *algorithm, const anyp_call *call,
                                       const int *parameters);
anypi_local_plan *anypi_local_plan_hold(anypi_local_plan *plan);
/* Removes a holder, and frees the plan if it was the last one. NULL is allowed. */
void anypi_local_plan_release(anypi_local_plan *plan);
/* Returns the bytes of the plan's program and schedule. */
size_t anypi_local_plan_size(const anypi_local_plan *plan);

/* Makes a call that holds the plan, valid until anypi_local_close(); a call that `blocks` learns.
 * given[] and got[] are zero; the caller fills them. ANYP_ERR_MEMORY: there is no memory, and no
 * close is needed. */
anyp_status anypi_local_open(anypi_local *local, anypi_local_plan *plan, bool in_place,
                             anypi_learned *learned, bool blocks);
/* Sets `requests` and `scratch`. The caller has set given[] and got[], and provides the memory
 * until the last program has run. Also for a call that has ended, to run it again. */
void anypi_local_begin(anypi_local *local);
/* Makes the first program, or the next one after it has run. `scratch` is the memory.
 * ANYP_ERR_MEMORY: the call cannot continue. */
anyp_status anypi_local_next(anypi_local *local, char *scratch);
/* Returns the present program, or NULL if the call is done. Its operations name scratch, the
 * caller's blocks by their indices, and in TELL local->told, as OUT. */
const anypi_program *anypi_local_program(const anypi_local *local);
void anypi_local_close(anypi_local *local);

#endif

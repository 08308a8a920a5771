/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_sizes.h - runs alltoallv, alltoallw, gatherv and scatterv. Only sender and receiver of a
 * block know its size, so no rank may decide by its counts alone. A call runs up to four programs:
 *
 *   SIZES   Along the route (algorithms/route.h) each block sends a slot: a head (the block's size,
 *           and totals of its source) and the data of a block of up to `inlined` bytes. Afterwards
 *           each rank knows the sizes of all blocks that it will forward. In an alltoallv it also
 *           knows the totals of all ranks, and in a scatterv those of the root, so that all ranks
 *           decide the same.
 *   TELL    Only in some calls of gatherv: the root sends its decision to all ranks.
 *   ROUTE   Blocks of up to `limit` bytes that have not yet arrived take the route, unless the
 *           totals show that direct messages are faster.
 *   DIRECT  All other blocks are sent directly to their receivers, up to ANYPI_LOCAL_IN_FLIGHT at
 *           the same time, in the order of algorithm ring. Both ends omit empty blocks.
 *
 * `limit` and `inlined` come from closed forms and are the same on all ranks. If SIZES pays for no
 * size of equal blocks, `limit` is 0, and only DIRECT runs.
 *
 * Blocking calls learn (anypi_learned). If DIRECT alone would have been faster (the blocks are
 * large, or most of them are empty), the next 7 calls run only DIRECT. Then one call looks again,
 * with SIZES. If DIRECT would again have been faster, the next 15 calls run only DIRECT, then 31,
 * 63, 63 ... Nonblocking calls do not learn, because they may end in different orders on different
 * ranks.
 */
#ifndef ANYPI_LOCAL_SIZES_H_INCLUDED
#define ANYPI_LOCAL_SIZES_H_INCLUDED

#include "algorithms/local_limits.h"
#include "execute/program.h"

/* What a communicator has learned about a collective. Zero at first. */
typedef struct anypi_learned {
    unsigned char direct;       /* how many of the next calls run only DIRECT, */
    unsigned char patience;     /* and how many did the last time */
    unsigned looks;             /* gatherv: number of calls with SIZES so far */
} anypi_learned;

/* The first part of a slot. */
typedef struct anypi_local_head {
    uint32_t size;              /* bytes of the block, or ANYPI_GOES_DIRECTLY */
    anypi_local_totals totals;  /* of its source; in a scatterv those of the root */
} anypi_local_head;

_Static_assert(sizeof(anypi_local_head) == ANYPI_LOCAL_HEAD, "heads have another size");

#define ANYPI_GOES_DIRECTLY UINT32_MAX

/* The programs that calls of the same collective, root, algorithm and parameters share. */
typedef struct anypi_local_plan {
    anypi_atomic holders;
    anypi_local_limits limits;
    anyp_schedule route;
    anypi_program sizes, tell;
    anyp_schedule ring[2];      /* of DIRECT; [1]: if there are few blocks */
    anypi_program direct[2];
    int *places;                /* offsets in scratch of the heads that SIZES receives */
    int received;               /* number of places */
    anypi_program *last;        /* the last program that a blocking call made, or NULL; */
    const anyp_schedule *last_route;    /* its route, */
    int64_t *last_sizes;        /* and its sizes */
} anypi_local_plan;

typedef enum anypi_local_stage {
    ANYPI_LOCAL_SIZES, ANYPI_LOCAL_TELL, ANYPI_LOCAL_ROUTE, ANYPI_LOCAL_DIRECT, ANYPI_LOCAL_END
} anypi_local_stage;

/* One call of one rank. */
typedef struct anypi_local {
    anypi_local_plan *plan;     /* this call is one of its holders */
    anypi_learned *learned;     /* NULL: the call does not learn */
    bool in_place;
    anypi_local_stage stage;
    int64_t *given, *got;       /* p each: bytes of the blocks of IN and OUT; 0: no block */
    int64_t *masked;            /* sizes given and received, for making programs */
    anypi_local_totals own, most;       /* of this rank; the maxima of all that it knows */
    int64_t above;              /* blocks of more bytes are sent directly, */
    bool few;                   /* and all of them may be under way together */
    char told;                  /* for TELL: the next calls run only DIRECT */
    bool disagrees;             /* the two ends of a block gave different sizes */
    anypi_program *made;        /* of ROUTE, or of DIRECT in place; NULL: none */
} anypi_local;

/* Returns a plan with one holder, or NULL if there is no memory. `call` has local sizes. The plan
 * depends on the call's rank, not on its count and displacements. */
anypi_local_plan *anypi_local_plan_new(const anyp_algorithm *algorithm, const anyp_call *call,
                                       const int *parameters);
anypi_local_plan *anypi_local_plan_hold(anypi_local_plan *plan);
/* Removes a holder, and frees the plan if it was the last one. NULL is allowed. */
void anypi_local_plan_release(anypi_local_plan *plan);
/* Returns the bytes of the plan's programs and schedules. */
size_t anypi_local_plan_size(const anypi_local_plan *plan);

/* Makes a call that holds the plan, valid until anypi_local_close(). given[] and got[] are zero;
 * the caller fills them. ANYP_ERR_MEMORY: there is no memory, and no close is needed. */
anyp_status anypi_local_open(anypi_local *local, anypi_local_plan *plan, bool in_place,
                             anypi_learned *learned);
/* Begins the first stage. The caller has set given[] and got[]. ANYP_ERR_MEMORY: there is no
 * memory. */
anyp_status anypi_local_begin(anypi_local *local);
/* Returns the program of the present stage, or NULL if the call is done. The program uses only
 * scratch, except that TELL sends local->told, in OUT. */
const anypi_program *anypi_local_program(const anypi_local *local);
/* Begins the next stage, after the program of the present one has run. `scratch` is the memory of
 * that program's scratch buffers. ANYP_ERR_MEMORY: the call cannot continue. */
anyp_status anypi_local_next(anypi_local *local, const char *scratch);
void anypi_local_close(anypi_local *local);

/* ---- for the steps of programs ---- */

/* Returns the head of the slot of block i of IN. */
anypi_local_head anypi_local_head_of(const anypi_local *local, int i);
/* Records the head that arrived with block i of OUT. Returns whether the block's data are in the
 * slot and must be unpacked. */
bool anypi_local_note(anypi_local *local, int i, const anypi_local_head *head);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_sizes.h - alltoallv, alltoallw, gatherv and scatterv: only the two ends of a block know its
 * size, so that no rank may decide by its own counts. A call runs up to four programs:
 *
 *   SIZES   Along the route (algorithms/route.h) each block sends a slot: a head (its size, and
 *           totals of its source) and the data of a block of up to `inlined` bytes. Then each rank
 *           knows the sizes of all blocks that it will forward. In an alltoallv it knows the totals
 *           of all ranks, in a scatterv those of the root: all decide the same.
 *   TELL    Only a gatherv, and only some calls: the root sends its decision to all.
 *   ROUTE   Blocks of up to `limit` bytes that have not yet arrived take the route, unless the
 *           totals say that direct messages are faster.
 *   DIRECT  All other blocks go directly, up to ANYPI_LOCAL_IN_FLIGHT at a time, in the order of
 *           algorithm ring. Both ends of an empty block leave it out.
 *
 * `limit` and `inlined` come from closed forms and are the same on all ranks. If no size of equal
 * blocks pays for SIZES, `limit` is 0, and only DIRECT runs. If the decision is that DIRECT alone
 * would have been faster (large blocks, or few that are not empty), the next 7 calls run only that
 * before one looks again, then the next 15, 31, 63, 63 ... (anypi_learned). Only blocking calls
 * learn: they end in the same order on all ranks.
 */
#ifndef ANYPI_LOCAL_SIZES_H_INCLUDED
#define ANYPI_LOCAL_SIZES_H_INCLUDED

#include "algorithms/local_limits.h"
#include "execute/program.h"

/* What a communicator has learned about a collective; zero at first. */
typedef struct anypi_learned {
    unsigned char direct;       /* the number of calls that go directly without a look, */
    unsigned char patience;     /* and how many these were the last time */
    unsigned looks;             /* of gatherv: calls with SIZES so far */
} anypi_learned;

/* The first part of a slot. */
typedef struct anypi_local_head {
    uint32_t size;              /* bytes of the block, or ANYPI_GOES_DIRECTLY */
    anypi_local_totals totals;  /* of its source; in a scatterv those of the root */
} anypi_local_head;

_Static_assert(sizeof(anypi_local_head) == ANYPI_LOCAL_HEAD, "heads have another size");

#define ANYPI_GOES_DIRECTLY UINT32_MAX

/* What equal calls share: of the same collective, root, algorithm and parameters. */
typedef struct anypi_local_plan {
    anypi_atomic holders;
    anypi_local_limits limits;
    anyp_schedule route;
    anypi_program sizes, tell;
    anyp_schedule ring[2];      /* of DIRECT; [1]: of few blocks */
    anypi_program direct[2];
    int *places;                /* of what SIZES receives, in bytes of scratch */
    int received;               /* their number */
    anypi_program *last;        /* the last program that a blocking call made; NULL: none; */
    const anyp_schedule *last_route;    /* along this route, */
    int64_t *last_sizes;        /* for these sizes */
} anypi_local_plan;

typedef enum anypi_local_stage {
    ANYPI_LOCAL_SIZES, ANYPI_LOCAL_TELL, ANYPI_LOCAL_ROUTE, ANYPI_LOCAL_DIRECT, ANYPI_LOCAL_END
} anypi_local_stage;

/* One call of one rank. */
typedef struct anypi_local {
    anypi_local_plan *plan;     /* held */
    anypi_learned *learned;     /* NULL: it learns nothing */
    bool in_place;
    anypi_local_stage stage;
    int64_t *given, *got;       /* p each: bytes of the blocks of IN and OUT; 0: there is none */
    int64_t *masked;            /* given and received, for making programs */
    anypi_local_totals own, most;       /* of this rank, and the maxima of all that it knows */
    int64_t above;              /* blocks of more bytes go directly, */
    bool few;                   /* and all of them may be under way at once */
    char told;                  /* TELL: the next calls go directly */
    bool disagrees;             /* the ends of a block have different sizes for it */
    anypi_program *made;        /* of ROUTE, or of DIRECT in place; NULL: none */
} anypi_local;

/* A plan with one holder; NULL: no memory. `call` has local sizes; its rank matters, its count and
 * places do not. */
anypi_local_plan *anypi_local_plan_new(const anyp_algorithm *algorithm, const anyp_call *call,
                                       const int *parameters);
anypi_local_plan *anypi_local_plan_hold(anypi_local_plan *plan);
/* NULL is allowed. */
void anypi_local_plan_release(anypi_local_plan *plan);
/* The bytes of its programs and schedules. */
size_t anypi_local_plan_size(const anypi_local_plan *plan);

/* Makes a call, which holds the plan; given[] and got[] are zero, for the caller to fill. Valid
 * until anypi_local_close(). ANYP_ERR_MEMORY: it needs no close. */
anyp_status anypi_local_open(anypi_local *local, anypi_local_plan *plan, bool in_place,
                             anypi_learned *learned);
/* After given[] and got[] are set: the first stage. ANYP_ERR_MEMORY. */
anyp_status anypi_local_begin(anypi_local *local);
/* The program of the present stage; NULL: the call is done. Its only area is scratch, but TELL
 * sends local->told, in OUT. */
const anypi_program *anypi_local_program(const anypi_local *local);
/* The program of the stage has run; `scratch` is its third area. The next stage begins.
 * ANYP_ERR_MEMORY: the call cannot continue. */
anyp_status anypi_local_next(anypi_local *local, const char *scratch);
void anypi_local_close(anypi_local *local);

/* ---- for the steps of programs ---- */

/* The head of the slot of block i of IN. */
anypi_local_head anypi_local_head_of(const anypi_local *local, int i);
/* The head that came with block i of OUT. True if its data are in the slot, and are wanted. */
bool anypi_local_note(anypi_local *local, int i, const anypi_local_head *head);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_stages.h - the schedules of all ranks in the stages of a call with local sizes, and their
 * cost. execute/local_sizes.h describes the stages.
 */
#ifndef ANYPI_LOCAL_STAGES_H_INCLUDED
#define ANYPI_LOCAL_STAGES_H_INCLUDED

#include "algorithms/local_limits.h"
#include "analysis/simulate.h"
#include "analysis/sizes.h"

/* A call with local sizes and its blocks. */
typedef struct anypi_local_call {
    anyp_call call;             /* its rank means nothing */
    const anyp_algorithm *algorithm;
    const int *parameters;      /* settled, */
    const int *asked;           /* and before that; NULL: not known */
    anypi_sizes kind;           /* of the blocks' sizes, */
    int64_t mean;               /* and their mean, in bytes */
} anypi_local_call;

/* Returns the bytes of the block that a rank has for another one; in place, both directions have
 * the same size. 0 if the collective has no such block. */
int64_t anypi_local_bytes(const anypi_local_call *local, int from, int to);

typedef enum anypi_stage {
    ANYPI_STAGE_ROUTE, ANYPI_STAGE_TELL, ANYPI_STAGE_DIRECT, ANYPI_STAGES
} anypi_stage;

/* Returns "route", "tell" or "direct". */
const char *anypi_stage_name(anypi_stage stage);

typedef struct anypi_local_stages {
    anypi_local_limits limits;  /* with the parameters */
    int limit;                  /* the largest block on the route; 0: there is no route */
    anyp_schedule *sets[ANYPI_STAGES];  /* p schedules each; NULL: the stage does not run */
} anypi_local_stages;

/* The calls on a communicator: the first one, with DIRECT only; the second one, which looks; and
 * later ones, with the limit and the route that it has found. */
typedef enum anypi_which_call {
    ANYPI_CALL_FIRST, ANYPI_CALL_SECOND, ANYPI_CALL_LATER, ANYPI_WHICH_CALLS
} anypi_which_call;

/* Makes the schedules of a call, by a model (NULL: that of the parameters, or of the machine). An
 * index of scratch is a byte. In
 * DIRECT, which has overlapping rounds, all blocks are packed, as only calls in place do, so that
 * messages have lengths.
 * ANYP_SUCCESS; ANYP_ERR_SCHEDULE with a reason if messages of the route do not meet; another
 * status of anyp_generate(). Call anypi_local_stages_free() in every case. */
anyp_status anypi_local_stages_make(anypi_local_stages *stages, const anypi_local_call *local,
                                    const anyp_model *model, anypi_which_call which, char *reason,
                                    size_t size);
/* Makes ROUTE and DIRECT whatever the decision, each with all blocks; messages of ROUTE have no
 * sizes. Blocks have less than 64 KiB. Statuses as above. */
anyp_status anypi_local_make_all(anypi_local_stages *stages, const anypi_local_call *local,
                                 char *reason, size_t size);

/* Proves the schedules for blocks of any sizes: ROUTE, if it has all blocks, and DIRECT deliver
 * each block (local_check.h).
 * ANYP_SUCCESS; ANYP_ERR_SCHEDULE with a reason; another status of anyp_generate(). */
anyp_status anypi_local_prove(const anypi_local_call *local, char *reason, size_t size);

void anypi_local_stages_free(anypi_local_stages *stages);

/* Simulates a stage that runs. The bytes of scratch are those of a call that is not in place. */
anyp_status anypi_local_simulate(const anypi_local_stages *stages, anypi_stage stage,
                                 const anyp_model *model, anypi_simulation *simulation);

#endif

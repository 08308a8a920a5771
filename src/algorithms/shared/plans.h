/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plans.h - pipelined reductions that are planned for all processes together, and a cache of plans.
 *
 * A plan says which process sends which segment to which process, in which order, for p processes
 * and k segments. Process 0 is the root, whatever its rank. A plan has (p-1)k messages, of 16 bytes
 * each. So it is made once for all ranks, roots and communicators of this operating system process,
 * and a rank reads only its part. All functions are thread-safe.
 *
 * Every operating system process keeps up to 64 plans and 16 MB; a larger plan (p near a
 * million) is kept alone. The least recently used plans are removed. If a program cycles through
 * more p and k than fit (of the largest plans, three), each plan is made again, which takes
 * milliseconds.
 */
#ifndef ANYPI_PLANS_H_INCLUDED
#define ANYPI_PLANS_H_INCLUDED

#include "anyp.h"

/* The maximum messages of a plan of several segments: 4 MB, and some milliseconds to make. */
enum { ANYPI_PLAN_MESSAGES = 1 << 18 };

/* The maximum bytes of all plans together, unless a single plan needs more. */
enum { ANYPI_PLANS_BYTES = 16 << 20 };

/* A message of a plan. In one round a process sends at most one and receives at most one, of
 * different segments. */
typedef struct anypi_planned {
    int from, to, segment, round;
} anypi_planned;

/* Writes the (p-1)k messages, p >= 2, in the order of rounds. A process sends a segment after it
 * has received all that it will ever receive of it. ANYP_SUCCESS or ANYP_ERR_MEMORY. */
typedef anyp_status (*anypi_planner)(int p, int k, anypi_planned *messages);

/* Returns `blocks` of an algorithm with plans, whose first parameter is `segment`: as many segments
 * as the maximum size of plans permits. */
int anypi_plan_blocks(const anyp_call *call, const int *parameters);

/* Writes this rank's part of the planner's plan for call->p and k, as a schedule of k blocks. With
 * several lanes, 1 <= lanes <= k, segments are distributed to as many plans, whose rounds
 * alternate. A round does not depend on the one before, so their messages overlap. */
void anypi_plan_generate(anypi_planner planner, const anyp_call *call, int k, int lanes,
                         anyp_schedule *schedule);

/* The planners of uni_greedy and bi_greedy. */
anyp_status anypi_uni_greedy_plan(int p, int k, anypi_planned *messages);
anyp_status anypi_bi_greedy_plan(int p, int k, anypi_planned *messages);

/* Returns the bytes of the cached plans. */
size_t anypi_plans_bytes(void);

/* Frees all plans. The next call makes them again. */
void anypi_plans_free(void);

#endif

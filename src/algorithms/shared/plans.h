/* SPDX-License-Identifier: BSD-3-Clause
 *
 * plans.h - pipelined reductions that are planned for all processes at once, and the plans kept.
 *
 * A plan says which process sends which segment to which, in which order, for p processes and k
 * segments; process 0 is the root, whatever rank that is. It takes (p-1)k messages to compute and
 * 16 bytes for each of them to keep, so it is made once for all ranks, roots and communicators of
 * this operating system process, and a rank takes its own part from it. Threads may call all of
 * this.
 *
 * Every operating system process keeps plans of its own, up to 64 and 16 MB together; a plan that
 * is larger (p near a million) is kept alone. Those that have not been used for longest go. So a
 * program that goes round more p and k than fit (of the largest plans, three) makes each plan
 * again, milliseconds every time.
 */
#ifndef ANYPI_PLANS_H_INCLUDED
#define ANYPI_PLANS_H_INCLUDED

#include "anyp.h"

/* A plan has no more messages than this, if it can: it takes 4 MB then, and some milliseconds. */
enum { ANYPI_PLAN_MESSAGES = 1 << 18 };

/* Plans may take so many bytes together, unless one alone takes more. */
enum { ANYPI_PLANS_BYTES = 16 << 20 };

/* A message of a plan. Those of a process in one round are at most one sent and one received, of
 * different segments. */
typedef struct anypi_planned {
    int from, to, segment, round;
} anypi_planned;

/* Writes the (p-1)k messages, p >= 2, in the order of rounds. A segment is sent by a process when it
 * has received what it will ever receive of it. ANYP_SUCCESS or ANYP_ERR_MEMORY. */
typedef anyp_status (*anypi_planner)(int p, int k, anypi_planned *messages);

/* k for a call: segments of at most `segment` bytes, as far as plans may be as large. */
int anypi_plan_segments(const anyp_call *call, int segment);

/* This rank's part of the planner's plan for call->p and k, as a schedule of k blocks. With several
 * lanes, 1 <= lanes <= k, segments are dealt out to so many plans, whose rounds take turns: a round
 * needs nothing of the one before, so that their messages overlap. */
void anypi_plan_generate(anypi_planner planner, const anyp_call *call, int k, int lanes,
                         anyp_schedule *schedule);

/* The planners of uni_greedy and bi_greedy. */
anyp_status anypi_uni_greedy_plan(int p, int k, anypi_planned *messages);
anyp_status anypi_bi_greedy_plan(int p, int k, anypi_planned *messages);

/* What the kept plans take. */
size_t anypi_plans_bytes(void);

/* Frees all plans. The next call makes them anew. */
void anypi_plans_free(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/shared/plans.h"

#include "algorithms/shared/segments.h"

#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "schedule/threads.h"

#include <string.h>

/* The maximum number of cached plans: the search is linear. */
enum { MAXIMUM_PLANS = 64 };

/* One end of a message. */
typedef struct end {
    int peer;                   /* process */
    unsigned segment : 30;
    unsigned sends : 1;
    unsigned opens : 1;         /* the first of its round */
} end;

typedef struct plan plan;
struct plan {
    plan *next;                 /* the next less recently used one */
    anypi_planner planner;
    int p, k, lanes;
    size_t bytes;
    int *first;                 /* per process, and after the last: where its ends begin */
    end ends[];
};

static anypi_lock lock = ANYPI_UNLOCKED;
static plan *newest;            /* of the list of all plans, sorted by last use */

int anypi_plan_blocks(const anyp_call *call, const int *parameters)
{
    const int fit = anypi_max(ANYPI_PLAN_MESSAGES / call->p, 1);
    return anypi_segments(call, parameters[0], anypi_min(fit, ANYPI_MAXIMUM_SEGMENTS));
}

/* ---- making a plan ---- */

static void add_end(plan *new, int *last_round, int process, end one, int round)
{
    one.opens = last_round[process] != round;
    last_round[process] = round;
    new->ends[new->first[process]++] = one;
}

/* Sorts the messages' ends by process; last_round has room for p. */
static void sort_ends(plan *new, const anypi_planned *messages, size_t count, int *last_round)
{
    memset(new->first, 0, ((size_t) new->p + 1) * sizeof *new->first);
    for (size_t i = 0; i < count; i++) {
        new->first[messages[i].from + 1]++;
        new->first[messages[i].to + 1]++;
    }
    for (int process = 0; process < new->p; process++) {
        new->first[process + 1] += new->first[process];
        last_round[process] = -1;
    }
    for (size_t i = 0; i < count; i++) {
        const anypi_planned *m = &messages[i];
        end one = { .peer = m->to, .segment = (unsigned) m->segment & 0x3fffffff, .sends = 1 };
        add_end(new, last_round, m->from, one, m->round);
        one.peer = m->from;
        one.sends = 0;
        add_end(new, last_round, m->to, one, m->round);
    }
    memmove(new->first + 1, new->first, (size_t) new->p * sizeof *new->first);
    new->first[0] = 0;
}

/* The plans of all lanes, merged by rounds: message i of lane l in round r comes in round r * lanes
 * + l of the whole. ANYP_ERR_MEMORY. */
static anyp_status plan_lanes(anypi_planner planner, int p, int k, int lanes,
                              anypi_planned *messages)
{
    const size_t count = (size_t) (p - 1) * (size_t) k;
    if (lanes == 1)
        return planner(p, k, messages);
    anypi_planned *parts = anypi_realloc(NULL, count * sizeof *parts);
    size_t *next = anypi_realloc(NULL, 2 * (size_t) lanes * sizeof *next);
    size_t *const ends = next ? next + lanes : NULL, behind = 0;
    anyp_status status = parts && next ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
    for (int lane = 0; lane < lanes && status == ANYP_SUCCESS; lane++) {
        const int own = k / lanes + (lane < k % lanes);
        next[lane] = behind;
        ends[lane] = behind += (size_t) (p - 1) * (size_t) own;
        status = planner(p, own, &parts[next[lane]]);
        for (size_t i = next[lane]; i < behind && status == ANYP_SUCCESS; i++) {
            parts[i].segment = parts[i].segment * lanes + lane;
            parts[i].round = parts[i].round * lanes + lane;
        }
    }
    for (size_t i = 0; i < count && status == ANYP_SUCCESS; i++) {
        int first = -1;
        for (int lane = 0; lane < lanes; lane++)
            if (next[lane] < ends[lane] &&
                (first < 0 || parts[next[lane]].round < parts[next[first]].round))
                first = lane;
        messages[i] = parts[next[first]++];
    }
    anypi_free(next);
    anypi_free(parts);
    return status;
}

/* NULL if there is no memory. */
static plan *make(anypi_planner planner, int p, int k, int lanes)
{
    const size_t count = (size_t) (p - 1) * (size_t) k;
    const size_t bytes = sizeof(plan) + 2 * count * sizeof(end) + ((size_t) p + 1) * sizeof(int);
    anypi_planned *messages = anypi_realloc(NULL, count * sizeof *messages);
    int *last_round = anypi_realloc(NULL, (size_t) p * sizeof *last_round);
    plan *new = anypi_realloc(NULL, bytes);
    if (messages && last_round && new &&
        plan_lanes(planner, p, k, lanes, messages) == ANYP_SUCCESS) {
        *new = (plan) { .planner = planner, .p = p, .k = k, .lanes = lanes, .bytes = bytes,
                        .first = (int *) &new->ends[2 * count] };
        sort_ends(new, messages, count, last_round);
    } else {
        anypi_free(new);
        new = NULL;
    }
    anypi_free(last_round);
    anypi_free(messages);
    return new;
}

/* ---- keeping plans; the lock is held ---- */

/* Frees the least recently used plans, but never the newest. */
static void limit_plans(void)
{
    int count = 0;
    size_t bytes = 0;
    for (plan **link = &newest, *one; (one = *link) != NULL;) {
        count++;
        bytes += one->bytes;
        if (count == 1 || (count <= MAXIMUM_PLANS && bytes <= ANYPI_PLANS_BYTES)) {
            link = &one->next;
            continue;
        }
        *link = one->next;
        anypi_free(one);
    }
}

/* The plan, which becomes the newest; NULL if there is no memory. */
static const plan *find(anypi_planner planner, int p, int k, int lanes)
{
    plan **link = &newest, *one;
    while ((one = *link) != NULL && (one->planner != planner || one->p != p || one->k != k ||
                                     one->lanes != lanes))
        link = &one->next;
    if (one)
        *link = one->next;
    else
        one = make(planner, p, k, lanes);
    if (one) {
        one->next = newest;
        newest = one;
        limit_plans();
    }
    return one;
}

size_t anypi_plans_bytes(void)
{
    size_t bytes = 0;
    anypi_lock_enter(&lock);
    for (const plan *one = newest; one; one = one->next)
        bytes += one->bytes;
    anypi_lock_leave(&lock);
    return bytes;
}

void anypi_plans_free(void)
{
    anypi_lock_enter(&lock);
    while (newest) {
        plan *one = newest;
        newest = one->next;
        anypi_free(one);
    }
    anypi_lock_leave(&lock);
}

/* ---- a rank's part ---- */

static void write_part(const plan *whole, const anyp_call *call, anyp_schedule *schedule)
{
    bool received[ANYPI_MAXIMUM_SEGMENTS] = { false };
    const int process = anypi_mod(call->rank - call->root, call->p);
    const end *const first = whole->ends + whole->first[process];
    const end *const behind = whole->ends + whole->first[process + 1];
    for (const end *opens = first, *next; opens < behind; opens = next) {
        const end *taken = NULL;
        anypi_round(schedule);
        for (next = opens; next < behind && (next == opens || !next->opens); next++) {
            const int peer = (next->peer + call->root) % call->p, j = (int) next->segment;
            if (next->sends) {
                anypi_segment_send(call, peer, j, received[j], schedule);
            } else {
                anypi_segment_recv(call, peer, j, received[j], schedule);
                taken = next;
            }
        }
        if (taken) {
            anypi_segment_reduce(call, (int) taken->segment, received[taken->segment], schedule);
            received[taken->segment] = true;
        }
    }
}

void anypi_plan_generate(anypi_planner planner, const anyp_call *call, int k, int lanes,
                         anyp_schedule *schedule)
{
    if (call->p == 1) {
        anypi_segment_alone(call, k, schedule);
        return;
    }
    anypi_schedule_overlap(schedule, lanes - 1);
    anypi_lock_enter(&lock);
    const plan *whole = find(planner, call->p, k, lanes);
    if (whole)
        write_part(whole, call, schedule);
    else
        anypi_schedule_fail(schedule, ANYP_ERR_MEMORY);
    anypi_lock_leave(&lock);
}

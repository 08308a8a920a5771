/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_limits.h - calls with local sizes: which of their blocks take a route (route.h), and which
 * are sent directly. execute/local_sizes.h describes the stages of such a call.
 *
 * Blocks of up to `limit` bytes take the route. The limit is the same on all ranks: at first that
 * of equal blocks for which the route is faster than direct messages, by closed forms; later the
 * best one for the sizes of earlier calls. 0: the route is never faster.
 */
#ifndef ANYPI_LOCAL_LIMITS_H_INCLUDED
#define ANYPI_LOCAL_LIMITS_H_INCLUDED

#include "algorithms/route.h"

/* The limits that calls choose among; totals count blocks between them. */
enum { ANYPI_LOCAL_CLASSES = 8, ANYPI_LOCAL_DIRECTLY = 0 };

/* A number of blocks or bytes in two bytes: of its first 11 binary digits, and how many follow. The
 * larger of two numbers has the larger code. */
typedef uint16_t anypi_local_code;

/* What a rank sends or receives, whichever is more; and the maximum over all ranks. Class 0 has
 * blocks of 1 to 16 bytes, each other class blocks of up to four times as many. The last class has
 * blocks that no route takes. */
typedef struct anypi_local_totals {
    anypi_local_code blocks[ANYPI_LOCAL_CLASSES];       /* of this class and the higher ones, */
    anypi_local_code above[ANYPI_LOCAL_CLASSES];        /* and their bytes */
    anypi_local_code below[ANYPI_LOCAL_CLASSES];        /* bytes of this class and the lower ones */
    anypi_local_code others;    /* the largest code minus that of all bytes that a rank sends, or
                                 * receives, whichever is less; so the maximum tells the least */
} anypi_local_totals;

typedef struct anypi_local_limits {
    anyp_call call;             /* of the route */
    const anyp_algorithm *algorithm;
    int parameters[ANYP_MAX_PARAMETERS];
    anyp_model model;           /* of the network */
    int limit;                  /* of calls that know nothing of earlier ones. If the count of the
                                 * call is not 0, which earlier ones have found, it is not 0 */
    int most;                   /* of any call */
} anypi_local_limits;

/* Returns the limits of a call with local sizes, by a model; NULL: that of the parameters, or of
 * the machine. */
anypi_local_limits anypi_local_limits_of(const anyp_algorithm *algorithm, const anyp_call *call,
                                         const int *parameters, const anyp_model *model);

/* Returns the sizes on a route of blocks of up to `limit` bytes. */
static inline anypi_route_sizes anypi_local_route(int limit, const int64_t *given, bool in_place)
{
    return (anypi_route_sizes) { .given = given, .limit = limit,
                                 .head = (int) sizeof(anypi_local_totals),
                                 .each = (int) sizeof(anypi_size), .in_place = in_place };
}

/* Returns the totals of p blocks, without the rank's own. */
anypi_local_totals anypi_local_totals_of(const int64_t *sizes, int p, int rank);
/* Raises each number to another one if that is larger. */
void anypi_local_add_totals(anypi_local_totals *most, const anypi_local_totals *other);

/* Returns the best limit for calls with such totals, the same on all ranks that know the same
 * totals; ANYPI_LOCAL_DIRECTLY: no route is clearly faster than direct messages alone. */
int anypi_local_choose(const anypi_local_limits *limits, const anypi_local_totals *most);

/* Returns the bytes of a block, rounded to 8, 16, 32, ... 32768, by which the route of such calls
 * is to choose its parameters: those of the blocks of up to `limit` bytes that a rank of the node
 * with the largest rank has, divided by p. */
int anypi_local_nominal(const anypi_local_limits *limits, const anypi_local_totals *most,
                        int limit);

/* Returns the maximum number of direct messages of a window, in each direction. Two windows are
 * under way: thousands of messages would overwhelm receivers and switches. If ring is the call's
 * algorithm, this is its parameter ports. */
int anypi_local_window(const anypi_local_limits *limits);

/* The direct messages between a rank and those at a distance. Both ends of a message have the same
 * distance. So if each rank has a number of messages under way and takes them in the order of
 * distances, nobody waits forever, whatever these numbers. */
typedef struct anypi_direct {
    int to, from;               /* ranks */
    int given, got;             /* block of IN for the one, of OUT from the other; -1: none */
} anypi_direct;

/* Returns those of blocks of more than `above` bytes. given[], got[]: p each, of the blocks of IN
 * and OUT; 0: no block. 0 < distance < p. */
anypi_direct anypi_local_direct(const anyp_call *call, int distance, const int64_t *given,
                                const int64_t *got, int64_t above);

/* The call, and its schedule, by which the root of a gather sends its decision to all: the limit,
 * ANYPI_LOCAL_TOLD bytes. Statuses as anyp_generate(). */
enum { ANYPI_LOCAL_TOLD = 2 };
anyp_call anypi_local_tell_call(const anypi_local_limits *limits);
anyp_status anypi_local_tell(const anypi_local_limits *limits, int rank, anyp_schedule *schedule);

#endif

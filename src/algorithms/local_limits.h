/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_limits.h - calls with local sizes: which of their blocks take a route (route.h), and which
 * are sent directly. execute/local_sizes.h describes the stages of such a call.
 *
 * A slot is a head of ANYPI_LOCAL_HEAD bytes and the data of a block of up to `inlined` bytes.
 * Afterwards, blocks of up to `limit` bytes take the route. Both limits come from closed forms, and
 * are the same on all ranks. If no size of equal blocks makes the slots worthwhile, `limit` is 0.
 */
#ifndef ANYPI_LOCAL_LIMITS_H_INCLUDED
#define ANYPI_LOCAL_LIMITS_H_INCLUDED

#include "anyp.h"

enum { ANYPI_LOCAL_HEAD = 24 };

typedef struct anypi_local_limits {
    anyp_call call;             /* of the route */
    const anyp_algorithm *algorithm;
    int parameters[ANYP_MAX_PARAMETERS];
    anyp_model model;           /* of the network */
    int64_t inlined, limit;     /* bytes */
    double sizes_time;          /* of the slots, by the closed form */
} anypi_local_limits;

/* Returns the limits of a call with local sizes, by a model; NULL: that of the parameters, or of
 * the machine. */
anypi_local_limits anypi_local_limits_of(const anyp_algorithm *algorithm, const anyp_call *call,
                                         const int *parameters, const anyp_model *model);

/* Returns the bytes of a slot. */
static inline int64_t anypi_local_slot(const anypi_local_limits *limits)
{
    return ANYPI_LOCAL_HEAD + limits->inlined;
}

/* Is a block's data in its slot? Does it take the route after the slots? */
static inline bool anypi_local_is_inlined(const anypi_local_limits *limits, int64_t bytes)
{
    return bytes > 0 && bytes <= limits->inlined;
}

static inline bool anypi_local_is_routed(const anypi_local_limits *limits, int64_t bytes)
{
    return bytes > limits->inlined && bytes <= limits->limit;
}

/* What a rank sends or receives, whichever is more; and the maximum over all ranks. */
typedef struct anypi_local_totals {
    uint32_t routed;            /* blocks that are routed after the slots, */
    uint32_t routed_bytes;      /* and their bytes */
    uint32_t large;             /* blocks of more than `limit` bytes, */
    uint32_t large_bytes;       /* and their bytes: at most 4 GiB are counted */
    uint32_t blocks;            /* number of blocks that are not empty */
} anypi_local_totals;

/* Returns the totals of p blocks, without the rank's own. */
anypi_local_totals anypi_local_totals_of(const anypi_local_limits *limits, const int64_t *sizes,
                                         int rank);
/* Raises each number to another one if that is larger. */
void anypi_local_add_totals(anypi_local_totals *most, const anypi_local_totals *other);

/* A decision, the same on all ranks that know the same totals. */
typedef struct anypi_local_choice {
    bool combines;              /* the route is faster than more direct messages */
    bool directly;              /* direct messages alone would have been faster than all */
} anypi_local_choice;

anypi_local_choice anypi_local_choose(const anypi_local_limits *limits,
                                      const anypi_local_totals *most);

/* The maximum number of direct messages of a rank that are in flight, in each direction: thousands
 * would overwhelm receivers and switches. */
enum { ANYPI_LOCAL_IN_FLIGHT = 128 };

/* Writes the schedule of a rank for the direct messages: that of algorithm ring. It has rounds if
 * there can be more blocks than may be in flight. `few`: there are not, so it has one round; ranks
 * may differ in this. If ring is the call's algorithm, its parameter ports applies. Statuses as
 * anyp_generate(). */
anyp_status anypi_local_direct(const anypi_local_limits *limits, int rank, bool few,
                               anyp_schedule *schedule);

/* The call, and its schedule, by which the root of a gather sends its decision to all: one byte.
 * Statuses as anyp_generate(). */
anyp_call anypi_local_tell_call(const anypi_local_limits *limits);
anyp_status anypi_local_tell(const anypi_local_limits *limits, int rank, anyp_schedule *schedule);

#endif

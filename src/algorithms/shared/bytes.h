/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bytes.h - sizes of parts of the vector, and closed forms of the cost.
 */
#ifndef ANYPI_BYTES_H_INCLUDED
#define ANYPI_BYTES_H_INCLUDED

#include "anyp.h"

/* Returns the maximum bytes of `blocks` neighbouring blocks out of n balanced ones. */
static inline double anypi_blocks_bytes(const anyp_call *call, int64_t blocks, int n)
{
    const int64_t rest = call->count % n;
    const int64_t elements = blocks * (call->count / n) + (blocks * rest + n - 1) / n;
    return (double) elements * (double) call->type_size;
}

/* Returns the maximum bytes of one of n balanced blocks. */
static inline double anypi_block_bytes(const anyp_call *call, int n)
{
    return anypi_blocks_bytes(call, 1, n);
}

/* Returns by how many bytes the largest block of a call exceeds the average one. */
static inline int64_t anypi_excess_bytes(const anyp_call *call)
{
    const int64_t average = call->count / call->p;
    return call->largest > average ? (call->largest - average) * call->type_size : 0;
}

static inline anyp_cost anypi_cost_sum(anyp_cost a, anyp_cost b)
{
    return (anyp_cost) { a.latencies + b.latencies, a.bytes_sent + b.bytes_sent,
                         a.bytes_reduced + b.bytes_reduced, a.overheads + b.overheads };
}

/* Returns the closed form of a number of messages and reductions one after the other, each of one
 * of n balanced blocks; none for one process. */
static inline anyp_cost anypi_blocks_cost(const anyp_call *call, int n, double messages,
                                          double reductions)
{
    const double bytes = anypi_block_bytes(call, n);
    if (call->p == 1)
        return (anyp_cost) { 0 };
    return (anyp_cost) { .latencies = messages,
                         .bytes_sent = messages * bytes,
                         .bytes_reduced = reductions * bytes,
                         .overheads = 2 * messages };
}

#endif

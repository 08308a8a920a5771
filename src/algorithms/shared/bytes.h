/* SPDX-License-Identifier: BSD-3-Clause
 *
 * bytes.h - sizes of parts of the vector, for closed forms of the cost.
 */
#ifndef ANYPI_BYTES_H_INCLUDED
#define ANYPI_BYTES_H_INCLUDED

#include "anyp.h"

/* The maximum bytes of so many neighbouring blocks of n balanced ones. */
static inline double anypi_blocks_bytes(const anyp_call *call, int64_t blocks, int n)
{
    const int64_t rest = call->count % n;
    const int64_t elements = blocks * (call->count / n) + (blocks * rest + n - 1) / n;
    return (double) elements * (double) call->type_size;
}

/* The maximum bytes of one of n balanced blocks. */
static inline double anypi_block_bytes(const anyp_call *call, int n)
{
    return anypi_blocks_bytes(call, 1, n);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * partition.h - where blocks begin.
 *
 * A vector of `count` elements is cut into n blocks. Usually they are balanced: sizes differ by at
 * most one element, and so do the halves of any even number of blocks. Therefore block i begins at
 * floor(i * count / n), and larger blocks do not all come first. Or the caller of a reduce-scatter
 * gives the blocks, and each may be cut into balanced parts. Block index i >= n means block i mod n
 * of the next copy of the vector.
 */
#ifndef ANYPI_PARTITION_H_INCLUDED
#define ANYPI_PARTITION_H_INCLUDED

#include <stdint.h>

typedef struct anypi_partition {
    int blocks;                 /* n >= 1 */
    int64_t count;              /* elements */
    const int64_t *starts;      /* n / parts + 1 offsets, the last is count; NULL: balanced */
    int parts;                  /* with starts: blocks that each of theirs is cut into; 0: one */
} anypi_partition;

/* Where part i of n balanced ones of `count` elements begins. */
static inline int64_t anypi_balanced_start(int64_t count, int64_t i, int n)
{
    return i * (count / n) + i * (count % n) / n;
}

/* The first element of block index i >= 0, counted from block index 0. */
static inline int64_t anypi_block_start(const anypi_partition *partition, int i)
{
    const int n = partition->blocks;
    const int64_t copies = i < n ? 0 : i / n;
    const int64_t block = i < n ? i : i % n;
    const int64_t count = partition->count;
    const int64_t *starts = partition->starts;
    int64_t start;
    if (!starts) {
        start = anypi_balanced_start(count, block, n);
    } else if (partition->parts <= 1) {
        start = starts[block];
    } else {
        const int64_t whole = block / partition->parts, part = block % partition->parts;
        start = starts[whole] + (part == 0 ? 0 : anypi_balanced_start(
                    starts[whole + 1] - starts[whole], part, partition->parts));
    }
    return copies * count + start;
}

/* Elements of block indices first .. end-1. */
static inline int64_t anypi_blocks_elements(const anypi_partition *partition, int first, int end)
{
    return anypi_block_start(partition, end) - anypi_block_start(partition, first);
}

#endif

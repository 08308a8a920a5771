/* SPDX-License-Identifier: BSD-3-Clause
 *
 * runs.h - what a buffer contains, for the verifier: runs of neighbouring blocks with the same
 * symbol.
 *
 * A bit for each block tells whether a run begins there. Only there the symbol is kept. So an
 * operation on a slice with one symbol costs as much as on one block, plus a word of bits for each
 * 64 blocks. Neighbouring runs with the same symbol are joined.
 */
#ifndef ANYPI_RUNS_H_INCLUDED
#define ANYPI_RUNS_H_INCLUDED

#include "analysis/bits.h"

typedef struct anypi_runs {
    uint64_t *starts;           /* a bit per block; the first is set */
    int *symbols;               /* one per block; valid where a run begins */
    size_t size;                /* blocks */
} anypi_runs;

/* Returns the symbol of a block. */
static inline int anypi_runs_at(anypi_runs runs, size_t block)
{
    return runs.symbols[anypi_bits_last(runs.starts, block)];
}

/* Makes a run begin at this block, which may be the buffer's end. */
static inline void anypi_runs_split(anypi_runs runs, size_t block)
{
    if (block == runs.size || anypi_bits_get(runs.starts, block, 1))
        return;
    runs.symbols[block] = anypi_runs_at(runs, block);
    anypi_bits_set(runs.starts, block, block + 1);
}

/* Joins the run at this block with the run before it if they have the same symbol. */
static inline void anypi_runs_join(anypi_runs runs, size_t block)
{
    if (block > 0 && block < runs.size &&
        runs.symbols[block] == anypi_runs_at(runs, block - 1))
        anypi_bits_clear(runs.starts, block, block + 1);
}

/* Sets the symbol of blocks first .. end-1. */
static inline void anypi_runs_fill(anypi_runs runs, size_t first, size_t end, int symbol)
{
    anypi_runs_split(runs, end);
    anypi_bits_clear(runs.starts, first, end);
    anypi_bits_set(runs.starts, first, first + 1);
    runs.symbols[first] = symbol;
    anypi_runs_join(runs, first);
    anypi_runs_join(runs, end);
}

/* Copies `count` blocks of `from`, starting at block f, to block t of `to`. Returns false if one of
 * them has symbol 0. Both may be the same buffer if the blocks do not overlap. */
static inline bool anypi_runs_copy(anypi_runs from, size_t f, anypi_runs to, size_t t, size_t count)
{
    bool all = true;
    anypi_runs_split(to, t + count);
    const int first = anypi_runs_at(from, f);
    for (size_t done = 0, some; done < count; done += some) {
        const size_t bit = (t + done) % 64;
        some = count - done < 64 - bit ? count - done : 64 - bit;
        uint64_t starts = anypi_bits_get(from.starts, f + done, some);
        if (done == 0)
            starts |= 1;
        uint64_t *word = &to.starts[(t + done) / 64];
        *word = (*word & ~(UINT64_MAX >> (64 - some) << bit)) | starts << bit;
        for (; starts; starts &= starts - 1) {
            const size_t i = done + (size_t) __builtin_ctzll(starts);
            const int symbol = i == 0 ? first : from.symbols[f + i];
            to.symbols[t + i] = symbol;
            all &= symbol != 0;
        }
    }
    anypi_runs_join(to, t);
    anypi_runs_join(to, t + count);
    return all;
}

#endif

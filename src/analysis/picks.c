/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/picks.h"

#include "analysis/bits.h"
#include "schedule/memory.h"

#include <string.h>

anyp_status anypi_picks_begin(anypi_picks *picks, int p, int capacity)
{
    const size_t words = anypi_bits_words((size_t) p);
    *picks = (anypi_picks) { .p = p, .random = 1 };
    picks->list = anypi_realloc(NULL, (size_t) capacity * sizeof *picks->list);
    picks->listed = anypi_realloc(NULL, words * sizeof *picks->listed);
    if (!picks->list || !picks->listed)
        return ANYP_ERR_MEMORY;
    memset(picks->listed, 0, words * sizeof *picks->listed);
    return ANYP_SUCCESS;
}

void anypi_picks_free(anypi_picks *picks)
{
    anypi_free(picks->listed);
    anypi_free(picks->list);
}

void anypi_picks_add(anypi_picks *picks, int64_t rank, int limit)
{
    if (rank < 0 || rank >= picks->p || picks->count >= limit ||
        anypi_bits_any(picks->listed, (size_t) rank, (size_t) rank + 1))
        return;
    anypi_bits_set(picks->listed, (size_t) rank, (size_t) rank + 1);
    picks->list[picks->count++] = (int) rank;
}

void anypi_picks_add_ends(anypi_picks *picks, int root, int limit)
{
    const int p = picks->p;
    const int some[] = { root, 0, p - 1, p / 2, 1, p - 2, p / 2 - 1, p / 2 + 1 };
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        anypi_picks_add(picks, some[i], limit);
}

void anypi_picks_add_powers(anypi_picks *picks, int limit)
{
    static const int nearby[] = { 0, -1, 1 };
    for (size_t i = 0; i < sizeof nearby / sizeof *nearby; i++)
        for (int64_t power = 1; power < picks->p; power *= 2) {
            anypi_picks_add(picks, power + nearby[i], limit);
            anypi_picks_add(picks, picks->p - power + nearby[i], limit);
        }
}

int anypi_picks_draw(anypi_picks *picks, int end)
{
    picks->random =
        picks->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int) ((picks->random >> 33) % (uint64_t) end);
}

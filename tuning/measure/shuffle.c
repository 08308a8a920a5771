/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/measure.h"

#include "measure/clock.h"

/* Marsaglia's xorshift. */
uint64_t anypi_drawn(void)
{
    static uint64_t state;
    if (!state)
        state = (uint64_t) (1e9 * anypi_seconds()) | 1;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

void anypi_shuffle(int *list, int count)
{
    for (int i = count - 1; i > 0; i--) {
        const int k = (int) (anypi_drawn() % (uint64_t) (i + 1)), moved = list[i];
        list[i] = list[k];
        list[k] = moved;
    }
}

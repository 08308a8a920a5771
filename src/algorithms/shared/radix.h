/* SPDX-License-Identifier: BSD-3-Clause
 *
 * radix.h - trees and disseminations of radix k: before round j, groups of k^j ranks have combined
 * their vectors; in it up to k groups join.
 */
#ifndef ANYPI_RADIX_H_INCLUDED
#define ANYPI_RADIX_H_INCLUDED

#include <stdint.h>

/* Returns the number of rounds, ceil(log_k p). Sets *messages to the number that one rank receives
 * in all rounds: k - 1 in each, but in the last only one for each other group. */
static inline int anypi_radix_rounds(int p, int radix, int *messages)
{
    int rounds = 0;
    *messages = 0;
    for (int64_t width = 1; width < p; width *= radix) {
        const int64_t groups = (p + width - 1) / width;
        *messages += (int) (groups < radix ? groups : radix) - 1;
        rounds++;
    }
    return rounds;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pieces.h - for the clocks of simulations: when ranks enter, and what a set sends.
 */
#ifndef ANYPI_PIECES_H_INCLUDED
#define ANYPI_PIECES_H_INCLUDED

#include "schedule/layout.h"

/* The entry time of a rank. Ranks are spread over model->skew, neighbours far from each other. */
static inline double anypi_entry(const anyp_model *model, int rank)
{
    return model->skew * ((uint32_t) rank * UINT32_C(2654435769)) / 4294967296.0;
}

/* What one SEND moves; several of a round may be the pieces of one message, but small ones that
 * travel as one are one, at the step of the first. */
typedef struct anypi_piece {
    int from, from_round, from_step;
    int to, to_round;
    int64_t bytes;
} anypi_piece;

/* All pieces of set[0 .. p-1], in no particular order, into *pieces, which the caller frees in any
 * case. Statuses as anypi_replay(). */
anyp_status anypi_pieces_of(const anyp_schedule *set, int p, const anypi_layout *layout,
                            int64_t type_size, anypi_piece **pieces, size_t *count);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pieces.h - for the clocks of simulations: when ranks enter, and which messages a set sends.
 */
#ifndef ANYPI_PIECES_H_INCLUDED
#define ANYPI_PIECES_H_INCLUDED

#include "schedule/layout.h"

/* Returns the entry time of a rank. The times spread over model->skew; neighbours are far apart. */
static inline double anypi_entry(const anyp_model *model, int rank)
{
    return model->skew * ((uint32_t) rank * UINT32_C(2654435769)) / 4294967296.0;
}

/* What one SEND moves. A message may consist of several pieces of a round. Small pieces that travel
 * together are one piece here, at the step of the first. */
typedef struct anypi_piece {
    int from, from_round, from_step;
    int to, to_round;
    int64_t bytes;
} anypi_piece;

/* Sets *pieces to all pieces of set[0 .. p-1], in no particular order; the caller frees it in any
 * case. Statuses as anypi_replay(). */
anyp_status anypi_pieces_of(const anyp_schedule *set, int p, const anypi_layout *layout,
                            int64_t type_size, anypi_piece **pieces, size_t *count);

#endif

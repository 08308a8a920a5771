/* SPDX-License-Identifier: BSD-3-Clause
 *
 * pipelines - reduce-scatter of blocks of any sizes: p pipelines at once, each with the fewest
 * rounds.
 *
 * Each rank's block is cut into n parts. The partial sums of a part travel to the rank through a
 * tree. All trees use the same graph: in a round with index k, every rank r sends to r - skip(k)
 * and receives from r + skip(k). Backwards in time, this is the broadcast of n blocks from the rank
 * in n - 1 + q rounds, the fewest possible; rows.h computes which part travels when. A message
 * contains a piece of each rank's block, in the order of ranks. So a round moves the same share of
 * each block. In total, a rank moves the bytes of the vector and q - 1 parts of the largest block
 * more, whatever the sizes.
 *
 * With one part, this is the circulant algorithm: scatter.h.
 *
 *   p = 5, n = 3 parts of rank 0's block, q = 3: round, skip, who sends which part
 *
 *     0  2   1: 1 to 4    2: 0 to 0    4: 1 to 2
 *     1  1   1: 0 to 0    2: 1 to 1    3: 0 to 2    4: 2 to 3
 *     ...
 *
 * Cost with blocks of m/p: (n - 1 + q)*alpha + (p-1)/p*m*(beta + gamma), reached if all parts are
 * equal; if the largest block is L, (q-1)/n*(L - m/p)*(beta + gamma) more. So n is about
 * sqrt((q-1)*(L - m/p)*beta/alpha), and 1 for equal blocks.
 * Plain copies: none; in place, the rank's block. Scratch: two vectors at most. The pieces of a
 * message are up to p - 1 slices, of which the executor joins small ones, by copies that are not
 * counted here: execute/program.h.
 * Restrictions: operators that commute only, since the partial sums are not those of neighbours.
 * Rounds do not overlap: if the messages of several shared a port, the urgent one would be late.
 * Source: Träff, arXiv 2407.18004 (2024), all-reduction. The number of parts is ours.
 */
#include "algorithms/circulant/rows.h"
#include "algorithms/circulant/scatter.h"
#include "algorithms/circulant/skips.h"
#include "algorithms/cost_model.h"
#include "algorithms/registry.h"
#include "algorithms/shared/bytes.h"
#include "algorithms/shared/values.h"
#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "schedule/schedule.h"

#include <limits.h>
#include <string.h>

enum { SEGMENT };               /* index of the parameter */

/* More parts, or blocks in all, would make schedules too long to be worth their pieces. */
enum { MOST_PARTS = 1024, MOST_BLOCKS = 1 << 16 };

static int parts_of(const anyp_call *call, const int *parameters)
{
    const int64_t parts = anypi_divide_up(anypi_excess_bytes(call), parameters[SEGMENT]);
    const int most = anypi_min(MOST_PARTS, MOST_BLOCKS / call->p);
    return call->p == 1 || parts < 1 ? 1 : parts < most ? (int) parts : anypi_max(most, 1);
}

static int blocks(const anyp_call *call, const int *parameters)
{
    return call->p * parts_of(call, parameters);
}

static anyp_cost cost(const anyp_call *call, const int *parameters)
{
    const int p = call->p, parts = parts_of(call, parameters), q = anypi_row_length(p);
    const double rounds = parts - 1 + q;
    if (p == 1)
        return (anyp_cost) { 0 };
    double bytes = 0;
    if (parts == 1)
        for (int k = 0; k < q; k++)
            bytes += anypi_blocks_bytes(call, anypi_skip(p, ANYPI_SKIPS_HALVING, k) -
                                        anypi_skip(p, ANYPI_SKIPS_HALVING, k + 1), p);
    else
        bytes = ((double) p - 1) * parts * anypi_block_bytes(call, p * parts);
    bytes += (q - 1) * (double) anypi_excess_bytes(call) / parts;
    return (anyp_cost) { .latencies = rounds, .overheads = 2 * rounds, .bytes_sent = bytes,
                         .bytes_reduced = bytes };
}

/* One message at a time: its overheads and its bytes do not overlap with others. */
static double time(const anyp_call *call, const int *parameters, const anyp_model *model)
{
    return anyp_cost_time(cost(call, parameters), model);
}

static int tries(const anyp_call *call, const anyp_model *model, const int *parameters, int index,
                 int *list)
{
    const int64_t excess = anypi_excess_bytes(call);
    int count = 0;
    (void) model;
    (void) parameters;
    if (index != SEGMENT)
        return 0;
    anypi_try(list, &count, INT_MAX);
    for (int parts = 2; parts <= MOST_PARTS && excess >= parts; parts += 1 + parts / 8)
        anypi_try(list, &count, anypi_divide_up(excess, parts));
    return count;
}

/* The rank's part in all pipelines. */
typedef struct pipelines {
    const anyp_call *call;
    int parts, q;
    int missing;                /* rounds, and parts, that the first repetition of indices lacks */
    signed char *rows;          /* p rows of q entries, by ranks relative to the root */
    unsigned char *reduced;     /* per block: has something been received for it? */
} pipelines;

/* The part that a rank sends for a root in a round, or -1: none. */
static int sent_part(const pipelines *s, int rank, int root, int round)
{
    const int relative = anypi_mod(rank - root, s->call->p), k = round % s->q;
    const int part = s->rows[relative * s->q + k] + round / s->q * s->q - s->missing;
    return relative == 0 || part < 0 ? -1 : anypi_min(part, s->parts - 1);
}

static anyp_slice slice_of(const pipelines *s, int buffer, int root, int part)
{
    return anypi_block(buffer, root * s->parts + part);
}

/* Where the sum of a root's block grows. */
static int sum_of(const pipelines *s, int root)
{
    return root == s->call->rank && !s->call->in_place ? ANYP_OUT : ANYP_SCRATCH;
}

static void add_round(pipelines *s, int round, anyp_schedule *schedule)
{
    const int p = s->call->p, rank = s->call->rank;
    const int skip = anypi_skip(p, ANYPI_SKIPS_HALVING, s->q - round % s->q);
    const int to = anypi_mod(rank - skip, p), from = (rank + skip) % p;
    anypi_round(schedule);
    for (int root = 0; root < p; root++) {
        const int part = sent_part(s, rank, root, round);
        if (part >= 0)
            anypi_send(schedule, to, slice_of(s, s->reduced[root * s->parts + part] ? ANYP_SCRATCH
                                              : ANYP_IN, root, part));
    }
    for (int reduces = 0; reduces < 2; reduces++)
        for (int root = 0; root < p; root++) {
            const int part = sent_part(s, from, root, round);
            if (part < 0)
                continue;
            unsigned char *reduced = &s->reduced[root * s->parts + part];
            const anyp_slice sum = slice_of(s, sum_of(s, root), root, part);
            const anyp_slice received = *reduced ? slice_of(s, ANYP_SCRATCH + 1, root, part) : sum;
            if (!reduces) {
                anypi_recv(schedule, from, received);
                continue;
            }
            anypi_reduce(schedule, *reduced ? received : slice_of(s, ANYP_IN, root, part), sum);
            *reduced = 1;
        }
}

static void generate(const anyp_call *call, const int *parameters, anyp_schedule *schedule)
{
    const int p = call->p, q = anypi_row_length(p), parts = parts_of(call, parameters);
    if (parts == 1) {
        anypi_circulant_scatter(call, ANYPI_SKIPS_HALVING, schedule);
        return;
    }
    const size_t rows = (size_t) p * (size_t) q, all = (size_t) p * (size_t) parts;
    signed char *memory = anypi_realloc(NULL, rows + all);
    if (!memory) {
        anypi_schedule_fail(schedule, ANYP_ERR_MEMORY);
        return;
    }
    pipelines s = { .call = call, .parts = parts, .q = q, .missing = (q - (parts - 1) % q) % q,
                    .rows = memory, .reduced = (unsigned char *) memory + rows };
    memset(s.reduced, 0, all);
    for (int relative = 0; relative < p; relative++) {
        int row[ANYPI_MAXIMUM_ROW];
        anypi_row_make(p, relative, row);
        for (int k = 0; k < q; k++)
            s.rows[relative * q + k] = (signed char) row[k];
    }
    for (int round = parts - 2 + q + s.missing; round >= s.missing; round--)
        add_round(&s, round, schedule);
    if (sum_of(&s, call->rank) != ANYP_OUT)
        anypi_copy(schedule, anypi_slice(ANYP_SCRATCH, call->rank * parts,
                                         (call->rank + 1) * parts),
                   anypi_slice(ANYP_OUT, call->rank * parts, (call->rank + 1) * parts));
    anypi_free(memory);
}

const anyp_algorithm_code anypi_pipelines_code = {
    .summary = "operators that commute: blocks of very different sizes",
    .source = "Träff 2407.18004",
    .blocks = blocks,
    .cost = cost,
    .time = time,
    .tries = tries,
    .generate = generate,
};

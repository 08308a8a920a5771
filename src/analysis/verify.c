/* SPDX-License-Identifier: BSD-3-Clause
 *
 * verify.c - checks each rank's schedule by itself, and then replays all with symbols as data.
 */
#include "analysis/verify.h"

#include "analysis/check.h"
#include "analysis/replay.h"
#include "analysis/runs.h"
#include "schedule/bracketing.h"
#include "schedule/memory.h"
#include "schedule/set.h"

#include <string.h>

/* What a buffer of a rank contains. All input blocks of a rank are the rank's own symbol (only the
 * blocks of an alltoall differ), so IN needs no memory. */
typedef struct content {
    anypi_runs runs;
    int first;                  /* block index of the first block */
    bool windowed;              /* it holds only a window of each copy of the vector */
} content;

/* Memory that grows and does not shrink. */
typedef struct store {
    void *memory;
    size_t bytes;
} store;

struct anypi_verifier {
    const anyp_schedule *set;
    const anyp_call *call;
    anypi_set_checker checker;
    anypi_symbols symbols;
    int end;                    /* a result is the sum of the ranks 0 to end - 1 */
    uint64_t once;              /* of all contributions to it */
    int expected;               /* if the call is reproducible, the result's symbol */
    anypi_extents *extents;     /* per rank */
    content *contents;          /* of each rank's buffers from OUT on */
    store extents_store, contents_store, symbols_store, starts_store, bits_store;
};

/* Returns memory of this many bytes; the old content is lost. NULL if there is no memory. */
static void *reserve(store *s, size_t bytes)
{
    if (bytes <= s->bytes && s->memory)
        return s->memory;
    anypi_free(s->memory);
    s->bytes = bytes + bytes / 2;
    s->memory = anypi_realloc(NULL, s->bytes);
    return s->memory;
}

/* ---- all ranks together ---- */

/* Returns the content of a buffer, which is not IN. */
static const content *content_of(const anypi_verifier *v, int rank, int buffer)
{
    return &v->contents[(size_t) rank * (ANYP_BUFFERS - ANYP_OUT) + (size_t) (buffer - ANYP_OUT)];
}

/* Returns the index of a slice's first block in the buffer's runs. */
static size_t index_of(const anypi_verifier *v, int rank, const content *buffer, anyp_slice slice)
{
    return buffer->windowed ? anypi_index_in(&v->extents[rank], slice.buffer, slice.first) :
        (size_t) (slice.first - buffer->first);
}

static int own_symbol(int rank)
{
    return rank + 1;
}

/* Returns the symbol of block i of rank's input in an alltoall. */
static int pair_symbol(const anypi_verifier *v, int rank, int i)
{
    return own_symbol(rank * v->call->p + i);
}

/* Writes input blocks of a rank, starting with block first. */
static void fill(const anypi_verifier *v, anypi_runs runs, size_t begin, size_t count, int rank,
                 int first)
{
    if (!anypi_transposes(v->call->collective)) {
        anypi_runs_fill(runs, begin, begin + count, own_symbol(rank));
        return;
    }
    for (size_t i = 0; i < count; i++)
        anypi_runs_fill(runs, begin + i, begin + i + 1, pair_symbol(v, rank, first + (int) i));
}

static anyp_status never_written(anypi_verifier *v, anypi_step_position at, anyp_slice slice)
{
    const content *buffer = content_of(v, at.rank, slice.buffer);
    const size_t index = index_of(v, at.rank, buffer, slice);
    int i = 0;
    while (anypi_runs_at(buffer->runs, index + (size_t) i))
        i++;
    return anypi_wrong(&v->checker, at, "reads block %d of %s, which was never written",
                       slice.first + i, anypi_buffer_name(slice.buffer));
}

static anyp_status copy(anypi_verifier *v, anypi_step_position at, anyp_slice from, int to_rank,
                        anyp_slice to)
{
    const content *target = content_of(v, to_rank, to.buffer);
    const size_t t = index_of(v, to_rank, target, to), count = (size_t) (to.end - to.first);
    if (from.buffer == ANYP_IN) {
        fill(v, target->runs, t, count, at.rank, from.first);
        return ANYP_SUCCESS;
    }
    const content *source = content_of(v, at.rank, from.buffer);
    const size_t f = index_of(v, at.rank, source, from);
    return anypi_runs_copy(source->runs, f, target->runs, t, count) ? ANYP_SUCCESS :
        never_written(v, at, from);
}

/* Reduces piecewise, from one border of runs of either operand to the next. */
static anyp_status reduce(anypi_verifier *v, anypi_step_position at, anyp_slice from, anyp_slice to)
{
    const bool own = from.buffer == ANYP_IN;
    const content *target = content_of(v, at.rank, to.buffer);
    const content *source = own ? target : content_of(v, at.rank, from.buffer);
    const size_t f = own ? 0 : index_of(v, at.rank, source, from);
    const size_t t = index_of(v, at.rank, target, to);
    const size_t count = (size_t) (to.end - to.first);
    for (size_t done = 0, end; done < count; done = end) {
        const int left = own ? own_symbol(at.rank) : anypi_runs_at(source->runs, f + done);
        const int right = anypi_runs_at(target->runs, t + done);
        if (left == 0 || right == 0)
            return never_written(v, at, left == 0 ? from : to);
        end = anypi_bits_next(target->runs.starts, t + done + 1, t + count) - t;
        if (!own)
            end = anypi_bits_next(source->runs.starts, f + done + 1, f + end) - f;
        const int sum = anypi_symbols_sum(&v->symbols, left, right);
        if (!sum)
            return ANYP_ERR_MEMORY;
        anypi_runs_fill(target->runs, t + done, t + end, sum);
    }
    return ANYP_SUCCESS;
}

static anyp_status moved(void *state, const anypi_message *message)
{
    anypi_verifier *v = state;
    const anypi_step_position at = { message->from, message->from_round, message->from_step };
    const anyp_slice from = message->sent, to = message->received;
    if (!anypi_same_blocks(&v->checker, from, to))
        return anypi_wrong(&v->checker, at, "sends blocks %d to %d of %d, but rank %d expects "
                           "%d to %d in its round %d", from.first, from.end, v->checker.blocks,
                           message->to, to.first, to.end, message->to_round);
    return copy(v, at, from, message->to, to);
}

static anyp_status finished(void *state, int rank, int round)
{
    anypi_verifier *v = state;
    const anyp_schedule *s = &v->set[rank];
    anyp_status status = ANYP_SUCCESS;
    for (int i = s->round_start[round]; i < s->round_start[round + 1]; i++) {
        const anyp_step *step = &s->steps[i];
        const anypi_step_position at = { rank, round, i };
        if (step->kind == ANYP_REDUCE_LOCAL)
            status = reduce(v, at, step->from, step->to);
        else if (step->kind == ANYP_COPY)
            status = copy(v, at, step->from, rank, step->to);
        if (status != ANYP_SUCCESS)
            return status;
    }
    return ANYP_SUCCESS;
}

/* Returns the blocks of OUT that contain input: none, if the input is in IN. */
static anyp_slice filled_before(const anypi_verifier *v, int rank)
{
    const anyp_slice none = { ANYP_OUT, 0, 0 };
    const bool filled = anypi_set_in_place(v->call, rank) && !anypi_scatters(v->call);
    return filled ? anypi_input_of(v->call, rank, v->checker.blocks) : none;
}

/* Allocates the buffers of all ranks: never written, except for input in OUT. */
static anyp_status allocate(anypi_verifier *v)
{
    const size_t p = (size_t) v->call->p;
    size_t blocks = 0, words = 0;
    for (int rank = 0; rank < v->call->p; rank++) {
        for (int buffer = ANYP_OUT; buffer < ANYP_BUFFERS; buffer++) {
            const size_t size = anypi_size_of(&v->extents[rank], buffer);
            blocks += size;
            words += anypi_bits_words(size);
        }
    }
    int *symbols = reserve(&v->symbols_store, blocks * sizeof *symbols);
    uint64_t *starts = reserve(&v->starts_store, words * sizeof *starts);
    v->contents =
        reserve(&v->contents_store, p * (ANYP_BUFFERS - ANYP_OUT) * sizeof *v->contents);
    if (!symbols || !starts || !v->contents)
        return ANYP_ERR_MEMORY;
    memset(starts, 0, words * sizeof *starts);
    content *next = v->contents;
    for (int rank = 0; rank < v->call->p; rank++) {
        const anypi_extents *e = &v->extents[rank];
        const anyp_slice filled = filled_before(v, rank);
        for (int buffer = ANYP_OUT; buffer < ANYP_BUFFERS; buffer++) {
            const size_t size = anypi_size_of(e, buffer);
            *next++ = (content) { { starts, symbols, size }, e->first[buffer], e->gap[buffer] > 0 };
            if (size > 0) {
                starts[0] = 1;
                symbols[0] = 0;
                if (buffer == ANYP_OUT && filled.first < filled.end)
                    fill(v, next[-1].runs, (size_t) filled.first,
                         (size_t) (filled.end - filled.first), rank, filled.first);
            }
            starts += anypi_bits_words(size);
            symbols += size;
        }
    }
    return anypi_symbols_begin(&v->symbols, v->call->p, v->call->commutative);
}

/* ---- results ---- */

/* Returns the symbol of `count` contributions, from rank `first` on, added by the tree of
 * reproducible results; 0 if there is no memory. */
static int reproducible_sum(anypi_symbols *symbols, int first, int count)
{
    if (count == 1)
        return own_symbol(first);
    const int left = anypi_bracketing_left(count);
    const int a = reproducible_sum(symbols, first, left);
    const int b = reproducible_sum(symbols, first + left, count - left);
    return a && b ? anypi_symbols_sum(symbols, a, b) : 0;
}

/* Sets what the result of a rank must be. Scans have no tree of all ranks; reproducible scans are
 * added from the left. ANYP_ERR_MEMORY. */
static anyp_status set_expected(anypi_verifier *v, int rank)
{
    const anyp_call *call = v->call;
    const bool prefix = anypi_is_prefix(call->collective);
    const int end = prefix ? anypi_prefix_end(call, rank) : call->p;
    v->end = end > 0 ? end : 1;         /* in place, the input of an exscan's rank 0 stays */
    v->once = anypi_symbols_once(&v->symbols, 0, v->end);
    if (!call->reproducible)
        return ANYP_SUCCESS;
    v->expected = own_symbol(0);
    if (!prefix)
        v->expected = reproducible_sum(&v->symbols, 0, call->p);
    for (int i = 1; i < v->end && prefix && v->expected; i++)
        v->expected = anypi_symbols_sum(&v->symbols, v->expected, own_symbol(i));
    return v->expected ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
}

/* Returns what is wrong with a block of a result, or NULL. `same` is this block on another rank,
 * `other` another block. */
static const char *fault(const anypi_verifier *v, unsigned properties, int result, int same,
                         int other)
{
    const anypi_symbol *all = v->symbols.all;
    const bool commutes = v->call->commutative;
    const bool by_node = commutes && v->call->nodes && v->call->nodes->rank &&
        !anypi_is_prefix(v->call->collective);
    if (all[result].once == 0)
        return "is never written";
    if (all[result].once != v->once)
        return "has not every contribution exactly once";
    if ((!commutes || (properties & ANYP_CANONICAL)) && !by_node &&
        (all[result].first != 0 || all[result].end != v->end))
        return "is not in rank order";
    if (v->call->reproducible && all[result].bracket != all[v->expected].bracket)
        return "is not bracketed as reproducible results must be";
    if (all[result].bracket != all[same].bracket)
        return "is not the same sum as on the other ranks";
    if ((properties & ANYP_SAME_BRACKETING) &&
        (commutes ? all[result].shape != all[other].shape :
         all[result].bracket != all[other].bracket))
        return "is not bracketed as the other blocks";
    return NULL;
}

/* Do two results have the same runs in the blocks of this word, from its first block on? */
static bool same_word(anypi_runs a, anypi_runs b, size_t word)
{
    uint64_t starts = a.starts[word];
    bool same = starts == b.starts[word] && (starts & 1);
    for (; starts && same; starts &= starts - 1) {
        const size_t i = 64 * word + (size_t) __builtin_ctzll(starts);
        same = a.symbols[i] == b.symbols[i];
    }
    return same;
}

/* Checks the result of a rank. The result of the first rank that has one has been checked (or is
 * this one), so blocks that are equal there are skipped. */
static anyp_status check_result(anypi_verifier *v, unsigned properties, int rank, int first_rank)
{
    const anypi_runs result = content_of(v, rank, ANYP_OUT)->runs;
    const anypi_runs first = content_of(v, first_rank, ANYP_OUT)->runs;
    const bool scatters = anypi_scatters(v->call);
    for (size_t i = 0, end; i < result.size; i = end) {
        if (rank != first_rank && !scatters && i % 64 == 0 && same_word(result, first, i / 64)) {
            end = i + 64;
            continue;
        }
        end = anypi_bits_next(result.starts, i + 1, result.size);
        if (!scatters)
            end = anypi_bits_next(first.starts, i + 1, end);
        if (end > (i / 64 + 1) * 64)
            end = (i / 64 + 1) * 64;
        const int symbol = anypi_runs_at(result, i);
        const int same = scatters ? symbol : anypi_runs_at(first, i);
        const char *what = fault(v, properties, symbol, same, first.symbols[0]);
        if (what)
            return anypi_wrong_rank(&v->checker, rank, "block %d of the result %s",
                                    content_of(v, rank, ANYP_OUT)->first + (int) i, what);
    }
    return ANYP_SUCCESS;
}

/* For collectives that move data: each block of each result must come from its owner. */
static anyp_status check_moved(anypi_verifier *v)
{
    const bool rooted = anypi_distributes(v->call);
    const bool transposes = anypi_transposes(v->call->collective);
    const int parts = anypi_gathers(v->call) ? v->checker.blocks / v->call->p : 1;
    for (int rank = 0; rank < v->call->p; rank++) {
        const anypi_runs result = content_of(v, rank, ANYP_OUT)->runs;
        for (size_t i = 0; i < result.size; i = rooted ? anypi_bits_next(result.starts, i + 1,
                                                                         result.size) : i + 1) {
            const int owner = rooted ? v->call->root : (int) i / parts;
            const int symbol = anypi_runs_at(result, i);
            if (symbol != (transposes ? pair_symbol(v, owner, rank) : own_symbol(owner)))
                return anypi_wrong_rank(&v->checker, rank, "block %d of the result %s",
                                        content_of(v, rank, ANYP_OUT)->first + (int) i,
                                        symbol ? "is another one" : "is never written");
        }
    }
    return ANYP_SUCCESS;
}

static anyp_status check_results(anypi_verifier *v, unsigned properties)
{
    anyp_status status = ANYP_SUCCESS;
    const bool prefix = anypi_is_prefix(v->call->collective);
    int first = -1;
    for (int rank = 0; rank < v->call->p && status == ANYP_SUCCESS; rank++) {
        if (content_of(v, rank, ANYP_OUT)->runs.size == 0)
            continue;
        if (first < 0 || prefix) {
            first = rank;       /* other ranks have other sums */
            status = set_expected(v, rank);
        }
        if (status == ANYP_SUCCESS)
            status = check_result(v, properties, rank, first);
    }
    return status;
}

/* ---- the verifier ---- */

static anyp_status replay(anypi_verifier *v)
{
    anypi_set_checker *checker = &v->checker;
    v->extents = reserve(&v->extents_store, (size_t) v->call->p * sizeof *v->extents);
    if (!v->extents)
        return ANYP_ERR_MEMORY;
    size_t max_blocks = 0;
    for (int rank = 0; rank < v->call->p; rank++) {
        const anyp_status status = anypi_check_shape(checker, &v->set[rank], rank);
        if (status != ANYP_SUCCESS)
            return status;
        const size_t blocks = anypi_extents_of(checker, &v->set[rank], &v->extents[rank]);
        max_blocks = blocks > max_blocks ? blocks : max_blocks;
    }
    if (checker->order && max_blocks < (size_t) checker->blocks)
        max_blocks = (size_t) checker->blocks;
    const size_t bytes = anypi_bits_words(max_blocks) * sizeof *checker->bits;
    checker->bits = reserve(&v->bits_store, bytes);
    if (!checker->bits)
        return ANYP_ERR_MEMORY;
    memset(checker->bits, 0, bytes);

    anyp_status status = anypi_check_order(checker);
    for (int rank = 0; rank < v->call->p && status == ANYP_SUCCESS; rank++)
        status = anypi_check_steps(checker, &v->set[rank], &v->extents[rank]);
    if (status == ANYP_SUCCESS && anypi_has_no_data(v->call->collective))
        return anypi_check_barrier(checker, v->set);
    if (status == ANYP_SUCCESS)
        status = allocate(v);
    const anypi_visitor visitor = { v, moved, finished };
    return status == ANYP_SUCCESS
        ? anypi_replay(v->set, v->call->p, &visitor, checker->reason, checker->size) : status;
}

anypi_verifier *anypi_verifier_new(void)
{
    anypi_verifier *v = anypi_realloc(NULL, sizeof *v);
    if (v)
        *v = (anypi_verifier) { 0 };
    return v;
}

void anypi_verifier_free(anypi_verifier *v)
{
    if (!v)
        return;
    anypi_symbols_free(&v->symbols);
    anypi_free(v->extents_store.memory);
    anypi_free(v->contents_store.memory);
    anypi_free(v->symbols_store.memory);
    anypi_free(v->starts_store.memory);
    anypi_free(v->bits_store.memory);
    anypi_free(v);
}

anyp_status anypi_verifier_replay(anypi_verifier *v, const anyp_schedule *set,
                                  const anyp_call *call, char *reason, size_t size)
{
    if (size > 0)
        *reason = '\0';
    if (call->p < 1 || call->root < 0 || call->root >= call->p ||
        (unsigned) call->collective >= ANYP_COLLECTIVES)
        return ANYP_ERR_ARGUMENT;
    v->set = set;
    v->call = call;
    v->checker = (anypi_set_checker) { .call = call, .blocks = set[0].blocks, .order = set[0].order,
                                       .reason = reason, .size = size };
    return replay(v);
}

int anypi_verifier_result(const anypi_verifier *v, int rank, int block)
{
    const content *out = content_of(v, rank, ANYP_OUT);
    const int symbol = anypi_runs_at(out->runs, (size_t) (block - out->first));
    return symbol && anypi_transposes(v->call->collective)
        ? own_symbol((symbol - 1) / v->call->p) : symbol;
}

const anypi_symbol *anypi_verifier_symbols(const anypi_verifier *v)
{
    return v->symbols.all;
}

anyp_status anypi_verifier_check(anypi_verifier *v, const anyp_schedule *set,
                                 const anyp_call *call, unsigned properties, char *reason,
                                 size_t size)
{
    const anyp_status status = anypi_verifier_replay(v, set, call, reason, size);
    if (status != ANYP_SUCCESS || anypi_has_no_data(call->collective))
        return status;
    return anypi_moves(call->collective) ? check_moved(v) : check_results(v, properties);
}

anyp_status anypi_verify(const anyp_schedule *set, const anyp_call *call, unsigned properties,
                         char *reason, size_t size)
{
    anypi_verifier *v = anypi_verifier_new();
    if (size > 0)
        *reason = '\0';
    const anyp_status status =
        v ? anypi_verifier_check(v, set, call, properties, reason, size) : ANYP_ERR_MEMORY;
    anypi_verifier_free(v);
    return status;
}

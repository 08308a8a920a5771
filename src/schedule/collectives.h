/* SPDX-License-Identifier: BSD-3-Clause
 *
 * collectives.h - what collectives.def says about each collective.
 */
#ifndef ANYPI_COLLECTIVES_H_INCLUDED
#define ANYPI_COLLECTIVES_H_INCLUDED

#include "anyp.h"

/* What a rank has of the vector. */
typedef enum anypi_extent {
    ANYPI_HAS_ALL,              /* all blocks */
    ANYPI_HAS_OWN,              /* the block of its rank */
    ANYPI_AT_ROOT,              /* all blocks at the root, else nothing */
    ANYPI_HAS_PREFIX,           /* all blocks: the sum of the ranks up to its own */
    ANYPI_HAS_BEFORE,           /* the same of those before its own; rank 0 nothing */
    ANYPI_HAS_NOTHING
} anypi_extent;

/* MPI's arguments: see collectives.def. */
typedef enum anypi_arguments_word {
    ANYPI_TAKES_COUNT, ANYPI_TAKES_ROOTED, ANYPI_TAKES_COUNTS, ANYPI_TAKES_BLOCK,
    ANYPI_TAKES_ROOTED_BLOCK, ANYPI_TAKES_BUFFER, ANYPI_TAKES_PAIRS, ANYPI_TAKES_TYPED_PAIRS,
    ANYPI_TAKES_ROOT_GETS_COUNTS, ANYPI_TAKES_ROOT_GIVES_COUNTS, ANYPI_TAKES_NOTHING
} anypi_arguments_word;

typedef struct anypi_collective {
    const char *name, *nonblocking;     /* MPI's names in lower case */
    anypi_extent input, output;
    anypi_arguments_word arguments;
    bool moves;                         /* it has no operator, but moves data, if any */
    anyp_collective forward;            /* itself, or the one of whose schedules its own are made */
} anypi_collective;

extern const anypi_collective anypi_collectives[ANYP_COLLECTIVES];

/* Has each rank its own block of the vector as input? Of the result? */
static inline bool anypi_gathers(const anyp_call *call)
{
    return anypi_collectives[call->collective].input == ANYPI_HAS_OWN;
}

static inline bool anypi_scatters(const anyp_call *call)
{
    return anypi_collectives[call->collective].output == ANYPI_HAS_OWN;
}

/* Does it move data, without an operator? */
static inline bool anypi_moves(anyp_collective collective)
{
    return anypi_collectives[collective].moves;
}

/* Is rank r's result the sum of the first ranks? Ranks cannot have the same bits then. */
static inline bool anypi_is_prefix(anyp_collective collective)
{
    return anypi_collectives[collective].output == ANYPI_HAS_PREFIX ||
        anypi_collectives[collective].output == ANYPI_HAS_BEFORE;
}

/* Is it a barrier? Its messages have no data, and no step names a buffer. */
static inline bool anypi_has_no_data(anyp_collective collective)
{
    return anypi_collectives[collective].input == ANYPI_HAS_NOTHING;
}

/* `rank` gets the sum of the ranks 0 to this less one: all, except in scans. */
static inline int anypi_prefix_end(const anyp_call *call, int rank)
{
    const anypi_extent output = anypi_collectives[call->collective].output;
    return output == ANYPI_HAS_PREFIX ? rank + 1 : output == ANYPI_HAS_BEFORE ? rank : call->p;
}

/* Does each rank know only the sizes of its own blocks, those that it gives and gets? */
static inline bool anypi_takes_local_sizes(anypi_arguments_word arguments)
{
    return arguments >= ANYPI_TAKES_PAIRS && arguments <= ANYPI_TAKES_ROOT_GIVES_COUNTS;
}

static inline bool anypi_has_local_sizes(anyp_collective collective)
{
    return anypi_takes_local_sizes(anypi_collectives[collective].arguments);
}

/* Has the root alone the blocks of all, input or output, which MPI ignores elsewhere? */
static inline bool anypi_has_rooted_blocks(const anypi_collective *of)
{
    return of->arguments == ANYPI_TAKES_ROOTED_BLOCK ||
        of->arguments == ANYPI_TAKES_ROOT_GETS_COUNTS ||
        of->arguments == ANYPI_TAKES_ROOT_GIVES_COUNTS;
}

/* Has a call no size that all ranks know: are there no data, or local sizes? */
static inline bool anypi_has_no_size(anyp_collective collective)
{
    return anypi_has_no_data(collective) || anypi_has_local_sizes(collective);
}

/* Does block i of rank r's input become block r of rank i's output? All blocks are equal then, and
 * in schedules a block index is a place, not the block of a vector. */
static inline bool anypi_transposes(anyp_collective collective)
{
    const anypi_collective *its = &anypi_collectives[collective];
    return its->moves && its->input == ANYPI_HAS_ALL && its->output == ANYPI_HAS_ALL;
}

/* Has the vector one block of each rank, or for each? */
static inline bool anypi_has_blocks(anyp_collective collective)
{
    return anypi_collectives[collective].input == ANYPI_HAS_OWN ||
        anypi_collectives[collective].output == ANYPI_HAS_OWN || anypi_transposes(collective);
}

/* Returns the elements of the vector, as far as arguments tell all ranks. (With local sizes, the
 * count is what ranks have learned: execute/local_sizes.h.) */
static inline int64_t anypi_known_count(const anyp_call *call)
{
    return anypi_has_local_sizes(call->collective) ? 0 : call->count;
}

/* Has the caller one buffer, which is input and output? */
static inline bool anypi_has_one_buffer(const anyp_call *call)
{
    return anypi_collectives[call->collective].arguments == ANYPI_TAKES_BUFFER;
}

static inline bool anypi_has_root(const anyp_call *call)
{
    const anypi_arguments_word arguments = anypi_collectives[call->collective].arguments;
    return arguments == ANYPI_TAKES_BUFFER || arguments == ANYPI_TAKES_ROOTED ||
        anypi_has_rooted_blocks(&anypi_collectives[call->collective]);
}

/* Does the root have the input of all? */
static inline bool anypi_distributes(const anyp_call *call)
{
    return anypi_collectives[call->collective].input == ANYPI_AT_ROOT;
}

/* In place, or with one buffer, is this rank's input in OUT? (The root of a scatter has all in IN
 * then, but no OUT.) */
static inline bool anypi_input_in_out(const anyp_call *call)
{
    return call->in_place && !(anypi_distributes(call) && anypi_scatters(call));
}

/* In place, is OUT a part of IN, where the result overwrites the input? */
static inline bool anypi_overlays(const anyp_call *call)
{
    return call->in_place && anypi_scatters(call) && !anypi_distributes(call);
}

/* The blocks of the vector that `rank` has, of n, a multiple of p if some have only theirs. */
static inline anyp_slice anypi_extent_of(anypi_extent extent, const anyp_call *call, int buffer,
                                         int rank, int n)
{
    const bool own = extent == ANYPI_HAS_OWN;
    const bool none = (extent == ANYPI_AT_ROOT && rank != call->root) ||
        (extent == ANYPI_HAS_BEFORE && rank == 0) || extent == ANYPI_HAS_NOTHING;
    const int parts = own ? n / call->p : 0;
    return (anyp_slice) { buffer, rank * parts, own ? (rank + 1) * parts : none ? 0 : n };
}

static inline anyp_slice anypi_input_of(const anyp_call *call, int rank, int n)
{
    return anypi_extent_of(anypi_collectives[call->collective].input, call, ANYP_IN, rank, n);
}

static inline anyp_slice anypi_output_of(const anyp_call *call, int rank, int n)
{
    /* in place, the root of a scatter leaves its block where it is */
    if (call->in_place && rank == call->root && anypi_scatters(call) && anypi_distributes(call))
        return (anyp_slice) { ANYP_OUT, 0, 0 };
    return anypi_extent_of(anypi_collectives[call->collective].output, call, ANYP_OUT, rank, n);
}

/* Does `rank` get a result? */
static inline bool anypi_has_result(const anyp_call *call, int rank)
{
    const anyp_slice its = anypi_output_of(call, rank, call->p);
    return its.first < its.end;
}

/* Is the vector p equal blocks, of which MPI's count is one? */
static inline bool anypi_has_equal_blocks(const anyp_call *call)
{
    const anypi_arguments_word arguments = anypi_collectives[call->collective].arguments;
    return arguments == ANYPI_TAKES_BLOCK || arguments == ANYPI_TAKES_ROOTED_BLOCK;
}

/* Has each block a count of its own? */
static inline bool anypi_has_counts(const anyp_call *call)
{
    return anypi_collectives[call->collective].arguments == ANYPI_TAKES_COUNTS;
}

#endif

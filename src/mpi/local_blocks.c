/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_blocks.c - finds the blocks of a call with local sizes: those that this rank gives, and
 * those that it gets.
 */
#include "mpi/internal.h"

bool anypi_lacks_arrays(const anypi_arguments *its)
{
    const anypi_arguments_word word = anypi_collectives[its->collective].arguments;
    const bool gives = its->sendbuf != MPI_IN_PLACE;
    if (word != ANYPI_TAKES_PAIRS && word != ANYPI_TAKES_TYPED_PAIRS)
        return false;
    if (!its->counts.at || !its->displs.at ||
        (gives && (!its->sendcounts.at || !its->senddispls.at)))
        return true;
    return word == ANYPI_TAKES_TYPED_PAIRS && (!its->datatypes || (gives && !its->sendtypes));
}

bool anypi_block_of(const anypi_side *side, int i, anypi_type *users, anypi_place *block)
{
    const anypi_type *type = side->type;
    if (side->types) {
        type = side->types[i] == MPI_DATATYPE_NULL ? NULL : anypi_type_know(side->types[i], users);
        if (!type)
            return false;
    }
    const int64_t place = side->displs.at ? anypi_integer(side->displs, i) : 0;
    const int64_t unit = side->types ? 1 : type->element.extent;
    /* a displacement may be an address; C forbids adding to a null pointer */
    *block = (anypi_place) {
        type, (const char *) ((uintptr_t) side->buffer + (uintptr_t) (place * unit)),
        side->counts.at ? anypi_integer(side->counts, i) : side->count,
    };
    return true;
}

/* Sets the sizes of some blocks. If there are p blocks, there are arrays. Returns false if the
 * arrays or the buffer are wrong. (NULL is MPI_BOTTOM, which is valid with user datatypes.) */
static bool measure(const anypi_side *side, anyp_slice blocks, int64_t *sizes)
{
    if (blocks.first == blocks.end)
        return true;
    if (side->buffer == MPI_IN_PLACE ||
        (blocks.end - blocks.first > 1 && (!side->counts.at || !side->displs.at)))
        return false;
    for (int i = blocks.first; i < blocks.end; i++) {
        anypi_type users;
        anypi_place block;
        if (!anypi_block_of(side, i, &users, &block) || block.elements < 0 ||
            __builtin_mul_overflow(block.elements, block.type->size, &sizes[i]) ||
            (sizes[i] > 0 && !side->buffer && block.type->kinds))
            return false;
    }
    return true;
}

anyp_status anypi_measure_sides(anypi_job *job)
{
    const anypi_arguments *its = &job->its;
    const anyp_call *call = &job->call;
    const int p = call->p, rank = call->rank;
    int64_t *const given = anypi_workspace_starts(&job->state->workspace, 2 * p);
    if (!given)
        return ANYP_ERR_MEMORY;
    int64_t *const got = given + p;
    memset(given, 0, 2 * (size_t) p * sizeof *given);
    job->gets = (anypi_side) { its->recvbuf, its->count, its->counts, its->displs, job->type,
                               its->datatypes };
    job->gives = anypi_input_in_out(call) ? job->gets
        : (anypi_side) { its->sendbuf, its->sendcount, its->sendcounts, its->senddispls, job->sends,
                         its->sendtypes };
    if (!measure(&job->gives, anypi_input_of(call, rank, p), given) ||
        !measure(&job->gets, anypi_output_of(call, rank, p), got))
        return ANYP_ERR_ARGUMENT;
    if (call->in_place && anypi_has_root(call))
        given[rank] = got[rank] = 0;
    return ANYP_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/prepare.h"

static bool same_call(const anyp_call *a, const anyp_call *b)
{
    return a->collective == b->collective && a->p == b->p && a->rank == b->rank &&
        a->root == b->root && a->count == b->count && a->type_size == b->type_size &&
        a->commutative == b->commutative && a->in_place == b->in_place;
}

static bool is_for(const anypi_prepared *prepared, const anyp_algorithm *algorithm,
                   const int *parameters, const anyp_call *call, anypi_element element)
{
    bool same = prepared->algorithm == algorithm && same_call(&prepared->call, call) &&
        prepared->element.low == element.low && prepared->element.high == element.high &&
        prepared->element.extent == element.extent;
    for (int i = 0; same && i < algorithm->parameters_count; i++)
        same = prepared->parameters[i] == parameters[i];
    return same;
}

anyp_status anypi_prepare(anypi_workspace *workspace, const anyp_algorithm *algorithm,
                          const int *parameters, const anyp_call *call, const int64_t *starts,
                          anypi_element element)
{
    anypi_prepared *prepared = &workspace->prepared;
    if (!starts && is_for(prepared, algorithm, parameters, call, element))
        return ANYP_SUCCESS;
    prepared->algorithm = NULL;
    anyp_status status = anyp_generate(algorithm, call, parameters, &workspace->schedule);
    if (status == ANYP_SUCCESS) {
        const anypi_shape shape = anypi_shape_of(call, workspace->schedule.blocks, starts, element);
        status = anypi_program_make(&workspace->program, &workspace->schedule, &shape);
    }
    if (status != ANYP_SUCCESS || starts)
        return status;
    *prepared = (anypi_prepared) { .algorithm = algorithm, .call = *call, .element = element };
    for (int i = 0; i < algorithm->parameters_count; i++)
        prepared->parameters[i] = parameters[i];
    return ANYP_SUCCESS;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "core/set.h"

#include "core/memory.h"

anyp_status anypi_set_generate(const anyp_algorithm *algorithm, const anyp_call *call,
                               const int *parameters, anyp_schedule **set)
{
    *set = NULL;
    if (call->p < 1)
        return ANYP_ERR_ARGUMENT;
    anyp_schedule *schedules = anypi_realloc(NULL, sizeof *schedules * (size_t) call->p);
    if (!schedules)
        return ANYP_ERR_MEMORY;
    for (int rank = 0; rank < call->p; rank++)
        anyp_schedule_init(&schedules[rank]);

    anyp_status status = ANYP_SUCCESS;
    for (int rank = 0; rank < call->p && status == ANYP_SUCCESS; rank++) {
        anyp_call own = *call;
        own.rank = rank;
        own.in_place = anypi_set_in_place(call, rank);
        status = anyp_generate(algorithm, &own, parameters, &schedules[rank]);
    }
    if (status != ANYP_SUCCESS) {
        anypi_set_free(schedules, call->p);
        return status;
    }
    *set = schedules;
    return ANYP_SUCCESS;
}

void anypi_set_free(anyp_schedule *set, int p)
{
    if (!set)
        return;
    for (int rank = 0; rank < p; rank++)
        anyp_schedule_free(&set[rank]);
    anypi_free(set);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "schedule/set.h"

#include "schedule/memory.h"

/* Makes room for p schedules; keeps those that exist, with their memory. */
static anyp_status reserve(anyp_schedule **set, int *capacity, int p)
{
    int room = *capacity;
    anyp_schedule *schedules = anypi_reserve(*set, &room, p, sizeof *schedules);
    if (!schedules)
        return ANYP_ERR_MEMORY;
    for (; *capacity < room; ++*capacity)
        anyp_schedule_init(&schedules[*capacity]);
    *set = schedules;
    return ANYP_SUCCESS;
}

anyp_status anypi_set_generate_again(const anyp_algorithm *algorithm, const anyp_call *call,
                                     const int *parameters, anyp_schedule **set, int *capacity)
{
    if (call->p < 1)
        return ANYP_ERR_ARGUMENT;
    anyp_status status = reserve(set, capacity, call->p);
    for (int rank = 0; rank < call->p && status == ANYP_SUCCESS; rank++) {
        anyp_call own = *call;
        own.rank = rank;
        own.in_place = anypi_set_in_place(call, rank);
        status = anyp_generate(algorithm, &own, parameters, &(*set)[rank]);
    }
    return status;
}

anyp_status anypi_set_generate(const anyp_algorithm *algorithm, const anyp_call *call,
                               const int *parameters, anyp_schedule **set)
{
    int capacity = 0;
    *set = NULL;
    const anyp_status status =
        anypi_set_generate_again(algorithm, call, parameters, set, &capacity);
    if (status != ANYP_SUCCESS) {
        anypi_set_free(*set, capacity);
        *set = NULL;
    }
    return status;
}

void anypi_set_free(anyp_schedule *set, int p)
{
    if (!set)
        return;
    for (int rank = 0; rank < p; rank++)
        anyp_schedule_free(&set[rank]);
    anypi_free(set);
}

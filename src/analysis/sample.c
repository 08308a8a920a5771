/* SPDX-License-Identifier: BSD-3-Clause */
#include "analysis/sample.h"

#include "algorithms/registry.h"
#include "schedule/schedule.h"

enum { RANKS = 16 };

uint64_t anypi_sample_hash(const anyp_algorithm *algorithm, anyp_call call, const int *parameters)
{
    const int ranks = call.p < RANKS ? call.p : RANKS;
    uint64_t hash = 1;
    anyp_schedule schedule;
    anyp_schedule_init(&schedule);
    for (int i = 0; i < ranks && hash; i++) {
        call.rank = (int) ((int64_t) i * call.p / ranks);
        hash = anyp_generate(algorithm, &call, parameters, &schedule) == ANYP_SUCCESS
            ? anypi_schedule_hash(hash, &schedule) : 0;
    }
    anyp_schedule_free(&schedule);
    return hash;
}

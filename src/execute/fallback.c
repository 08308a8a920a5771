/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/fallback.h"

#include <string.h>

/* Does some rank keep more than a vector in a row? All ranks look at all schedules, so that they
 * come to the same answer. */
static bool keeps_several(const anypi_question *question, const anyp_algorithm *algorithm,
                          const int *parameters)
{
    anyp_schedule *schedule = question->schedule;
    anyp_call call = *question->call;
    for (int i = 0; i < 2 * call.p; i++) {
        call.rank = i / 2;
        call.in_place = i % 2;
        if (anyp_generate(algorithm, &call, parameters, schedule) != ANYP_SUCCESS)
            return true;
        for (int k = 0; k < schedule->scratch_count; k++)
            if (schedule->scratch[k].end - schedule->scratch[k].first > schedule->blocks)
                return true;
    }
    return false;
}

/* The same, looked up if the last question was this one: p schedules a call would cost more than
 * the call. */
static bool is_known_to_keep_several(const anypi_question *question,
                                     const anyp_algorithm *algorithm, const int *parameters)
{
    const anyp_call *call = question->call;
    anypi_several asked;
    memset(&asked, 0, sizeof asked);
    asked.algorithm = algorithm;
    asked.collective = call->collective;
    asked.p = call->p;
    asked.root = call->root;
    asked.blocks = algorithm->code->blocks(call, parameters);
    asked.commutative = call->commutative;
    for (int i = 0; i < algorithm->parameters_count; i++)
        asked.parameters[i] = parameters[i];
    asked.answer = question->last->answer;
    if (memcmp(question->last, &asked, sizeof asked)) {
        asked.answer = keeps_several(question, algorithm, parameters);
        *question->last = asked;
    }
    return question->last->answer;
}

const char *anypi_refusal(const anypi_question *question, const anyp_algorithm *algorithm,
                          const int *parameters)
{
    const char *reason;
    if (anyp_applicable(algorithm, question->call, parameters, &reason) == ANYP_SUCCESS &&
        question->woven && is_known_to_keep_several(question, algorithm, parameters))
        return "the datatype's elements reach into each other";
    return reason;
}

int anypi_replacement(const anypi_question *question, int *parameters)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int i = 0; i < count; i++) {
        anyp_parameters_default(&algorithms[i], parameters);
        if (!anypi_refusal(question, &algorithms[i], parameters))
            return i;
    }
    return -1;
}

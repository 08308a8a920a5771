/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/fallback.h"

const anyp_algorithm *anypi_replacement(const anyp_call *call, int *parameters)
{
    int count;
    const char *reason;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int i = 0; i < count; i++) {
        anyp_parameters_default(&algorithms[i], parameters);
        if (anyp_applicable(&algorithms[i], call, parameters, &reason) == ANYP_SUCCESS)
            return &algorithms[i];
    }
    return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * call.c - names of collectives and statuses.
 */
#include "schedule/collectives.h"

#include <string.h>

const char *anyp_collective_name(anyp_collective collective)
{
    return (unsigned) collective < ANYP_COLLECTIVES ? anypi_collectives[collective].name : NULL;
}

anyp_collective anyp_collective_find(const char *name)
{
    int collective = 0;
    while (collective < ANYP_COLLECTIVES && strcmp(anypi_collectives[collective].name, name))
        collective++;
    return (anyp_collective) collective;
}

const char *anyp_status_text(anyp_status status)
{
    switch (status) {
        case ANYP_SUCCESS:
            return "success";
        case ANYP_ERR_ARGUMENT:
            return "an argument is wrong";
        case ANYP_ERR_MEMORY:
            return "out of memory";
        case ANYP_ERR_NOT_APPLICABLE:
            return "the algorithm does not serve this call";
        case ANYP_ERR_SCHEDULE:
            return "the schedule is wrong";
        case ANYP_ERR_FILE:
            return "the file cannot be used";
    }
    return "unknown status";
}

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
    static const char *const texts[] = {
        [ANYP_SUCCESS] = "success",
        [ANYP_ERR_ARGUMENT] = "an argument is wrong",
        [ANYP_ERR_MEMORY] = "out of memory",
        [ANYP_ERR_NOT_APPLICABLE] = "the algorithm does not serve this call",
        [ANYP_ERR_SCHEDULE] = "the schedule is wrong",
        [ANYP_ERR_FILE] = "the file cannot be used",
    };
    return (unsigned) status < sizeof texts / sizeof *texts ? texts[status] : "unknown status";
}

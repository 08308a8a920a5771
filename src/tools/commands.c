/* SPDX-License-Identifier: BSD-3-Clause
 *
 * commands.c - the table of commands.
 */
#include "tools/tool.h"

const char anypi_tool_summary[] =
    "inspect, prove and run collective algorithms for MPI";
const char anypi_tool_synopsis[] = "anyp COMMAND [OPTION]... [ARGUMENT]...";

const tool_command *const anypi_tool_commands[TOOL_COMMANDS] = {
    &anypi_tool_list, &anypi_tool_schedule, &anypi_tool_verify, &anypi_tool_cost,
    &anypi_tool_check, &anypi_tool_select, &anypi_tool_run, &anypi_tool_report,
};

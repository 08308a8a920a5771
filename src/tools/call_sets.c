/* SPDX-License-Identifier: BSD-3-Clause
 *
 * call_sets.c - the schedules of all ranks of a described call, if they fit into memory; otherwise
 * those of a sample of ranks.
 */
#include "tools/described_calls.h"

#include "algorithms/settle.h"
#include "analysis/rank_sample.h"
#include "schedule/layout.h"
#include "schedule/schedule.h"
#include "schedule/set.h"
#include "tools/tool.h"

#include <math.h>
#include <unistd.h>

/* Estimates the memory of the schedules of all ranks from the schedules of a few ranks. Stops
 * earlier if the first ones show that it is above a limit. */
static anyp_status estimate(const tool_call *call, double limit, double *bytes)
{
    enum { RANKS = 4 };
    anypi_rank_sample sample;
    const anyp_schedule *schedule;      /* its memory is reused, so it fits the longest */
    anyp_status status = anypi_sample_begin(&sample, call->algorithm, &call->call,
                                            call->parameters, RANKS, 0, INFINITY);
    *bytes = 0;
    while (status == ANYP_SUCCESS && *bytes <= limit &&
           (schedule = anypi_sample_next(&sample, &status)))
        *bytes = (double) anypi_schedule_bytes(schedule) * call->call.p;
    anypi_sample_free(&sample);
    return status;
}

double anypi_tool_memory(void)
{
    return (double) sysconf(_SC_PHYS_PAGES) * (double) sysconf(_SC_PAGESIZE) / 2;
}

/* Schedules of this many bytes take a while. */
static const double many_bytes = 1 << 30;

/* Compares the bytes of the schedules with limits: refuses if too many, warns if many. */
static int check_memory(const tool_options *options, int p, double bytes)
{
    static const char *const units[] = { "MiB", "GiB", "TiB", "PiB" };
    const char *hint = "";
    double amount = bytes / (1 << 20);
    size_t unit = 0;
    for (; amount >= 1024 && unit + 1 < sizeof units / sizeof *units; unit++)
        amount /= 1024;
    if (options->command->accepts & OPTION_BIT(EXACT))
        hint = ", or omit --exact";
    else if (p > TOOL_MAX_P_OF_SETS && !options->given[OPTION_SVG])
        hint = ", or --rank for one rank";
    if (bytes > anypi_tool_memory())
        return anypi_tool_complain(options, TOOL_BAD, "%d processes would take %.0f %s, more than "
                                   "half of this machine's memory; use fewer processes%s",
                                   p, amount,
                                   units[unit], hint);
    if (bytes > many_bytes)
        anypi_tool_complain(options, TOOL_GOOD, "%d processes take %.0f %s of memory, and perhaps "
                            "minutes; to be faster, use fewer processes%s",
                            p, amount, units[unit], hint);
    return TOOL_GOOD;
}

int anypi_tool_set(const tool_options *options, const tool_call *call, anyp_schedule **set)
{
    double bytes;
    anyp_status status = estimate(call, INFINITY, &bytes);
    if (status == ANYP_SUCCESS) {
        if (check_memory(options, call->call.p, bytes) != TOOL_GOOD)
            return TOOL_BAD;
        status = anypi_set_generate(call->algorithm, &call->call, call->parameters, set);
    }
    return anypi_tool_status(options, status);
}

int anypi_tool_simulate(const tool_options *options, const tool_call *call,
                        const anyp_model *model, anypi_simulation *simulation)
{
    anyp_schedule *set = NULL;
    const int result = anypi_tool_set(options, call, &set);
    if (result != TOOL_GOOD)
        return result;
    if (!anypi_countable(&call->call, set, call->call.p)) {
        anypi_set_free(set, call->call.p);
        return anypi_tool_complain(options, TOOL_BAD, "all ranks together move too many bytes to "
                                   "count; use a shorter vector");
    }
    const anypi_partition partition = anypi_partition_for(&call->call, set[0].blocks);
    const anyp_status status = anypi_simulate(set, call->call.p, &partition, call->call.type_size,
                                              model, simulation);
    anypi_set_free(set, call->call.p);
    return anypi_tool_status(options, status);
}

bool anypi_tool_samples(const tool_options *options, const tool_call *call, const anyp_model *model)
{
    enum { SMALL_P = 1024 };
    static const double many = 96 << 20, many_of_flows = 12 << 20;
    double bytes;
    const double limit = model->eager && call->call.p > SMALL_P ? many_of_flows : many;
    return !options->given[OPTION_EXACT] &&
        estimate(call, limit, &bytes) == ANYP_SUCCESS && bytes > limit;
}

int anypi_tool_sample(const tool_options *options, const tool_call *call, const anyp_model *model,
                      anypi_sample_counts *sampled)
{
    enum { RANKS = 2000 };
    const double seconds = 1.5;
    const anyp_cost cost = anypi_cost_of(call->algorithm, &call->call, call->parameters);
    const bool bound = !model->eager && !call->starts;
    const anyp_status status = anypi_count_sample(call->algorithm, &call->call, call->parameters,
                                                  RANKS, seconds, sampled);
    sampled->time = model->skew > 0 ? INFINITY : bound ? anyp_cost_time(cost, model)
        : anypi_form_time(call->algorithm, &call->call, call->parameters, model);
    return status != ANYP_ERR_ARGUMENT ? anypi_tool_status(options, status)
        : anypi_tool_complain(options, TOOL_BAD, "a rank moves too many bytes to count; use a "
                              "shorter vector");
}

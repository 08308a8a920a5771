/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp verify --sample - checks a sample of the ranks of one call, and their messages.
 */
#include "tools/described_calls.h"
#include "tools/tool.h"

#include "analysis/prove_sample.h"
#include "schedule/collectives.h"

#include <inttypes.h>

static void write_json(const tool_call *call, int wanted, const anypi_sample_proof *proof,
                       bool good)
{
    anypi_json json = { .file = stdout };
    anypi_json_write(&json, "{ good:%hhd", good);
    anypi_tool_call_json(&json, call);
    anypi_json_write(&json, "sample:%d ranks:%d partners:%" PRId64 " compared_partners:%" PRId64
                     " messages:%" PRId64 " compared_messages:%" PRId64 " }", wanted, proof->ranks,
                     proof->partners, proof->compared_partners, proof->messages,
                     proof->messages);
}

static void print(const tool_call *call, int wanted, const anypi_sample_proof *proof)
{
    const anyp_call *its = &call->call;
    printf("%s", anypi_tool_title(call));
    if (!anypi_has_no_data(its->collective))
        printf(", m = %" PRId64 " bytes%s", its->count * its->type_size,
               anypi_tool_shape_text(call));
    printf("\n%d of the %d ranks: each schedule is valid by itself%s\n", proof->ranks, its->p,
           proof->ranks < wanted && proof->ranks < its->p ? " (the time ended the sample)" : "");
    if (proof->compared_partners == proof->partners)
        printf("all their %" PRId64 " partners: ", proof->partners);
    else
        printf("%" PRId64 " of their %" PRId64 " partners: ", proof->compared_partners,
               proof->partners);
    printf("%" PRId64 " messages have the same blocks at both ends\n", proof->messages);
    printf("not proved: other ranks, results, that no rank waits forever\n");
}

int anypi_tool_verify_sample(const tool_options *options)
{
    const double seconds = 5;
    static const int others[] = { OPTION_ALL, OPTION_MAX_P, OPTION_JOBS, OPTION_PROGRESS };
    const int wanted = (int) options->number[OPTION_SAMPLE];
    tool_call call;
    anypi_sample_proof proof;
    char reason[256];
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (options->given[others[i]])
            return anypi_tool_misuse(options, "--%s cannot be combined with --sample, which "
                                     "checks one call",
                                     anypi_tool_options[others[i]].name);
    if (options->operands_count < 2)
        return anypi_tool_misuse(options, "missing argument: COLLECTIVE ALGORITHM, which --sample "
                                 "requires");
    if (!options->given[OPTION_PROCESSES])
        return anypi_tool_misuse(options, "--sample needs -p or --nodes");
    int status = anypi_tool_call_read(options, &call);
    if (status != TOOL_GOOD)
        return status;
    if (anypi_has_local_sizes(call.call.collective)) {
        status = anypi_tool_complain(options, TOOL_BAD, "--sample: the messages of %s depend on "
                                     "all blocks; sample the alltoall, gather or scatter that "
                                     "they travel by",
                                     anyp_collective_name(call.call.collective));
        anypi_tool_call_free(&call);
        return status;
    }
    anypi_rank_sample sample;
    anyp_status proved = anypi_sample_begin(&sample, call.algorithm, &call.call, call.parameters,
                                            wanted, 0, seconds);
    if (proved == ANYP_SUCCESS)
        proved = anypi_prove_sample(&sample, &proof, reason, sizeof reason);
    anypi_sample_free(&sample);
    const bool good = proved == ANYP_SUCCESS;
    if (proved == ANYP_ERR_SCHEDULE)
        status = anypi_tool_complain(options, TOOL_BAD, "%s", reason);
    else
        status = anypi_tool_status(options, proved);
    if (options->given[OPTION_JSON] && (good || proved == ANYP_ERR_SCHEDULE))
        write_json(&call, wanted, &proof, good);
    else if (good)
        print(&call, wanted, &proof);
    anypi_tool_call_free(&call);
    return status;
}

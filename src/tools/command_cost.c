/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp cost - prints the simulated time of a call and the algorithm's closed form, and the maximum
 * over all ranks of rounds, messages and bytes. For many processes nothing is simulated: the time
 * is that of the closed form, and the maximum is over a sample of ranks.
 */
#include "tools/described_calls.h"
#include "tools/tool.h"

#include "algorithms/network.h"
#include "algorithms/registry.h"
#include "algorithms/settle.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/shape.h"

#include <inttypes.h>
#include <math.h>

typedef struct cost_result {
    anypi_simulation simulation;
    anyp_cost cost;
    double closed_form;         /* shown if the model has one */
    int ranks;                  /* number of counted ranks; fewer than p: nothing was simulated */
    anyp_model model;
    double bytes;               /* of the vector, m */
} cost_result;

/* Does the closed form apply? Closed forms assume that messages wait for the receiver and that
 * ranks enter together. Most of them also assume that blocks are equal. */
static bool has_closed_form(const tool_call *call, const cost_result *result)
{
    return !result->model.eager && result->model.skew == 0 && !call->starts;
}

/* Is one of the model's times above zero? */
static bool has_model(const anyp_model *model)
{
    return model->alpha > 0 || model->beta > 0 || model->gamma > 0 || model->overhead > 0 ||
        model->inside_alpha > 0 || model->inside_beta > 0 || model->skew > 0;
}

static bool is_sampled(const tool_call *call, const cost_result *result)
{
    return result->ranks < call->call.p;
}

/* Returns the number of heights above the nodes. */
static int heights_of(const anyp_model *model)
{
    return model->nodes ? anypi_shape_length(model->nodes) - 1 : 0;
}

static void print_bytes(const char *name, int64_t bytes, double vector)
{
    printf("%-15s %" PRId64, name, bytes);
    if (vector > 0)
        printf(" = %.6g m", (double) bytes / vector);
    putchar('\n');
}

static void print_all_bytes(const tool_call *call, const cost_result *result)
{
    const anypi_counts *most = &result->simulation.most;
    print_bytes("bytes sent", most->bytes_sent, result->bytes);
    print_bytes("bytes received", most->bytes_received, result->bytes);
    print_bytes("bytes reduced", most->bytes_reduced, result->bytes);
    print_bytes("bytes copied", most->bytes_copied, result->bytes);
    print_bytes("bytes scratch", most->bytes_scratch, result->bytes);
    if (result->model.nodes && result->simulation.card_bytes >= 0)
        print_bytes("bytes of a node", result->simulation.card_bytes, result->bytes);
    for (int h = 0; h < heights_of(&result->model) && !is_sampled(call, result); h++) {
        char name[32];
        snprintf(name, sizeof name, "bytes, height %d", h + 1);
        print_bytes(name, result->simulation.link_bytes[h], result->bytes);
    }
}

static void print_time(const tool_call *call, const cost_result *result)
{
    const bool bound = has_closed_form(call, result);
    if (!has_model(&result->model))
        printf("%-15s unknown without --alpha, --beta, --gamma or --overhead\n", "time");
    else if (!is_sampled(call, result))
        printf("%-15s %.10g\n", "time", result->simulation.time);
    else if (isfinite(result->simulation.time))
        printf("%-15s %.10g, not simulated: %s\n", "time", result->simulation.time,
               bound ? "the closed form" : "an estimate by the closed form");
    else
        printf("%-15s unknown: with --skew, only --exact knows it\n", "time");
    if (has_model(&result->model) && bound)
        printf("%-15s %.10g\n", "closed form", result->closed_form);
}

static void print(const tool_call *call, const cost_result *result)
{
    const anypi_counts *most = &result->simulation.most;
    const bool has_data = !anypi_has_no_data(call->call.collective);
    printf("%s", anypi_tool_title(call));
    if (has_data)
        printf(", m = %" PRId64 " bytes%s%s", call->call.count * call->call.type_size,
               anypi_tool_shape_text(call),
               call->long_vector ? " (beta and gamma are per vector)" : "");
    putchar('\n');
    print_time(call, result);
    if (is_sampled(call, result))
        printf("maximum over a sample of %d of the %d ranks (--exact takes all):\n", result->ranks,
               call->call.p);
    else
        printf("maximum over all ranks:\n");
    printf("%-15s %d\n%-15s %" PRId64 "\n", "rounds", most->rounds, "messages", most->messages);
    if (has_data)
        print_all_bytes(call, result);
}

static void write_counts(anypi_json *json, const char *key, const anypi_counts *counts)
{
    anypi_json_write(json, "%s:{ rounds:%d messages:%" PRId64 " pieces:%" PRId64
                     " bytes_sent:%" PRId64 " bytes_received:%" PRId64 " bytes_reduced:%" PRId64
                     " bytes_copied:%" PRId64 " bytes_scratch:%" PRId64 " }", key, counts->rounds,
                     counts->messages, counts->pieces, counts->bytes_sent, counts->bytes_received,
                     counts->bytes_reduced, counts->bytes_copied, counts->bytes_scratch);
}

/* Writes nodes and links. */
static void write_shape(anypi_json *json, const tool_call *call, const cost_result *result)
{
    const anyp_model *model = &result->model;
    char *nodes = model->nodes ? anypi_shape_text(model->nodes) : NULL;
    const bool sampled = is_sampled(call, result);
    if (result->simulation.card_bytes >= 0)
        anypi_json_write(json, "node_bytes:%" PRId64, result->simulation.card_bytes);
    else
        anypi_json_write(json, "node_bytes:null");
    if (nodes)
        anypi_json_write(json, "nodes:%s", nodes);
    anypi_free(nodes);
    anypi_json_write(json, "above:[");
    for (int h = 0; h < heights_of(model); h++) {
        anypi_json_write(json, "{ alpha:%g beta:%g", model->above[h].alpha, model->above[h].beta);
        if (sampled)
            anypi_json_write(json, "bytes:null }");
        else
            anypi_json_write(json, "bytes:%" PRId64 " }", result->simulation.link_bytes[h]);
    }
    anypi_json_write(json, "]");
}

static void write_json(const tool_call *call, const cost_result *result)
{
    anypi_json json = { .file = stdout };
    anypi_json_write(&json, "{");
    anypi_tool_call_json(&json, call);
    anypi_json_write(&json, "per_vector:%hhd simulated:%hhd ranks:%d", call->long_vector,
                     (bool) !is_sampled(call, result), result->ranks);
    anypi_json_write(&json, "time:%g eager:%hhd skew:%g closed_form:%g", result->simulation.time,
                     result->model.eager, result->model.skew,
                     has_closed_form(call, result) ? result->closed_form : INFINITY);
    anypi_json_write(&json, "closed:{ latencies:%g bytes_sent:%g bytes_reduced:%g overheads:%g }",
                     result->cost.latencies, result->cost.bytes_sent, result->cost.bytes_reduced,
                     result->cost.overheads);
    write_counts(&json, "maximum", &result->simulation.most);
    if (is_sampled(call, result))
        anypi_json_write(&json, "total:null");
    else
        write_counts(&json, "total", &result->simulation.total);
    const anyp_model *m = &result->model;
    anypi_json_write(&json, "model:{ alpha:%g beta:%g gamma:%g overhead:%g", m->alpha, m->beta,
                     m->gamma, m->overhead);
    if (m->nodes)
        anypi_json_write(&json, "inside_alpha:%g inside_beta:%g cards:%d", m->inside_alpha,
                         m->inside_beta, m->cards);
    if (m->group > 0)
        anypi_json_write(&json, "leaf:%d taper:%g", m->group, m->taper);
    anypi_json_write(&json, "}");
    if (m->nodes)
        write_shape(&json, call, result);
    anypi_json_write(&json, "}");
}

/* Simulates all ranks, or counts a sample of them. */
static int measure(const tool_options *options, const tool_call *call, cost_result *result)
{
    anypi_sample_counts sampled;
    result->ranks = call->call.p;
    if (!anypi_tool_samples(options, call, &result->model))
        return anypi_tool_simulate(options, call, &result->model, &result->simulation);
    const int status = anypi_tool_sample(options, call, &result->model, &sampled);
    result->simulation = (anypi_simulation) { .time = sampled.time, .most = sampled.most,
                                              .card_bytes = sampled.card_bytes };
    result->ranks = sampled.ranks;
    return status;
}

/* Sets the options of a model, such as --alpha, to the constants of --network. Without a model,
 * --best takes those of an ordinary cluster. */
static int read_network(tool_options *options)
{
    static const tool_option constants[] = {
        OPTION_ALPHA, OPTION_BETA, OPTION_GAMMA, OPTION_OVERHEAD, OPTION_INSIDE_ALPHA,
        OPTION_INSIDE_BETA, OPTION_CARDS, OPTION_ABOVE,
    };
    const anyp_call call = { .p = (int) options->number[OPTION_PROCESSES],
                             .nodes = options->nodes };
    anyp_model model;
    bool any = false;
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        any = any || options->given[constants[i]];
        if (options->given[OPTION_NETWORK] && options->given[constants[i]])
            return anypi_tool_misuse(options, "--%s cannot be combined with --network, which "
                                     "contains all constants",
                                     anypi_tool_options[constants[i]].name);
    }
    if (options->given[OPTION_BEST] && !any && !options->given[OPTION_NETWORK])
        options->word[OPTION_NETWORK] = ANYPI_NETWORK_DEFAULT;
    const char *text = options->word[OPTION_NETWORK];
    if (!text)
        return TOOL_GOOD;
    if (!anypi_network_read(text, &call, &model))
        return anypi_tool_misuse(options, "--network %s: expected a list such as %s; see "
                                 "anyp-variables(7)", text, ANYPI_NETWORK_DEFAULT);
    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++)
        options->given[constants[i]] = true;
    options->real[OPTION_ALPHA] = model.alpha;
    options->real[OPTION_BETA] = model.beta;
    options->real[OPTION_GAMMA] = model.gamma;
    options->real[OPTION_OVERHEAD] = model.overhead;
    options->real[OPTION_INSIDE_ALPHA] = model.inside_alpha;
    options->real[OPTION_INSIDE_BETA] = model.inside_beta;
    options->number[OPTION_CARDS] = model.cards;
    /* --taper replaces the rates of links */
    options->above_count = options->given[OPTION_TAPER] ? 0 : heights_of(&model);
    for (int h = 0; h < options->above_count; h++) {
        options->above[h][0] = model.above[h].alpha;
        options->above[h][1] = model.above[h].beta;
    }
    return TOOL_GOOD;
}

static int run_call(const tool_options *options)
{
    tool_call call;
    cost_result result;
    int status = anypi_tool_call_read(options, &call);
    if (status != TOOL_GOOD)
        return status;
    if (options->given[OPTION_NETWORK] && call.long_vector) {
        anypi_tool_call_free(&call);
        return anypi_tool_misuse(options, "--network requires --bytes or --count");
    }
    if (anypi_has_local_sizes(call.call.collective)) {
        status = anypi_tool_cost_local(options, &call);
        anypi_tool_call_free(&call);
        return status;
    }
    result.bytes = (double) call.call.count * (double) call.call.type_size;
    result.model = anypi_tool_model(options, call.long_vector ? result.bytes : 1);
    result.cost = anypi_cost_of(call.algorithm, &call.call, call.parameters);
    result.closed_form = anyp_cost_time(result.cost, &result.model);
    status = measure(options, &call, &result);
    if (status == TOOL_GOOD && options->given[OPTION_JSON])
        write_json(&call, &result);
    else if (status == TOOL_GOOD)
        print(&call, &result);
    anypi_tool_call_free(&call);
    return status;
}

static int run(const tool_options *given)
{
    tool_options options = *given;
    if (options.given[OPTION_CALLS])
        return anypi_tool_cost_calls(&options);
    if (options.given[OPTION_SCALING])
        return anypi_tool_misuse(&options, "--scaling requires --calls");
    if (options.given[OPTION_BEST] && options.operands_count < 1)
        return anypi_tool_misuse(&options, "missing argument: COLLECTIVE");
    if (!options.given[OPTION_BEST] && options.operands_count < 2)
        return anypi_tool_misuse(&options, "missing argument: COLLECTIVE ALGORITHM, COLLECTIVE "
                                 "with --best, or --calls FILE");
    const int status = read_network(&options);
    if (status != TOOL_GOOD)
        return status;
    return options.given[OPTION_BEST] ? anypi_tool_best(&options) : run_call(&options);
}

const tool_command anypi_tool_cost = {
    .name = "cost",
    .summary = "compute the time of a call, or find its fastest algorithm",
    .operands = "[COLLECTIVE [ALGORITHM]]",
    .operands_maximum = 2,
    .accepts = OPTION_BIT(PROCESSES) | OPTION_BIT(ALPHA) | OPTION_BIT(BETA) | OPTION_BIT(GAMMA) |
        OPTION_BIT(OVERHEAD) | OPTION_BIT(EAGER) | OPTION_BIT(SKEW) | OPTION_BIT(NODES) |
        OPTION_BIT(CARDS) | OPTION_BIT(INSIDE_ALPHA) | OPTION_BIT(INSIDE_BETA) | OPTION_BIT(LEAF) |
        OPTION_BIT(TAPER) | OPTION_BIT(ABOVE) | OPTION_BIT(ROOT) | OPTION_BIT(PARAM) |
        OPTION_BIT(COUNT) | OPTION_BIT(TYPE_SIZE) | OPTION_BIT(BYTES) | OPTION_BIT(UNEVEN) |
        OPTION_BIT(IN_PLACE) | OPTION_BIT(GAPS) | OPTION_BIT(NON_COMMUTATIVE) |
        OPTION_BIT(REPRODUCIBLE) | OPTION_BIT(BEST) | OPTION_BIT(EXACT) | OPTION_BIT(JSON) |
        OPTION_BIT(CALLS) | OPTION_BIT(SCALING) | OPTION_BIT(NETWORK),
    .needs = OPTION_BIT(PROCESSES),
    .description =
        "Simulates a call. Prints the time until the last rank has finished, the closed form\n"
        "(the algorithm's formula, an upper bound of the time), and the bytes that ranks\n"
        "send, reduce and copy.\n\n"
        "A process sends one message at a time, and receives one at the same time. A message\n"
        "takes alpha + beta * bytes, a local reduction gamma * bytes, a copy no time. Times\n"
        "are in any unit. --alpha, --beta and --gamma are 0 by default, so that --alpha 1\n"
        "alone counts messages. --network gives all constants in one list; times are then in\n"
        "seconds.\n\n"
        "- --overhead: the k messages at one end in a round start together, and take alpha +\n"
        "  2 * k * overhead + beta * (all their bytes). Without this option, messages start\n"
        "  one after the other, alpha for each. So --overhead 0 is another model.\n"
        "- --eager: a message is sent before the receiver is ready, as short ones in MPI, and\n"
        "  a rank can run ahead of others. Messages share the ports of their ends evenly\n"
        "  (max-min fairness).\n"
        "- --skew S: the ranks enter one after the other during S. The printed time begins\n"
        "  with the last entry.\n"
        "- --nodes: messages are eager and share the ports of the nodes' network cards. Those\n"
        "  inside a node share nothing. --alpha and --beta apply between nodes. \"bytes of a\n"
        "  node\" is the maximum that a node sends or receives.\n"
        "- --nodes with parentheses: messages between switches also share the links of both.\n"
        "  --above or --taper give the rates of links. \"bytes, height 1\" is the maximum that\n"
        "  a switch sends or receives, height 2 that of a group of switches.\n"
        "- --leaf: messages are eager; those between leaf switches share the links of both.\n"
        "  Each rank has a port of its own; --nodes is refused. --taper 4 is a network with\n"
        "  4:1 oversubscription.\n\n"
        "The closed form does not hold with --eager, --skew or --uneven, and is not printed\n"
        "(null in JSON).\n\n"
        "With --bytes or --count, beta and gamma are per byte. Otherwise they are per vector\n"
        "(m = 1), and the vector is a multiple of p * 2^ceil(log2 p) elements, so that blocks\n"
        "are equal and all rounds can halve it.\n\n"
        "P is at most 1048576. A call is not simulated if its schedules need more than 96 MiB\n"
        "for all ranks together (12 MiB if P is above 1024, with --nodes, --eager or\n"
        "--leaf). Then the time is the closed form; with --nodes, --eager, --leaf or --uneven\n"
        "it is only an estimate. The numbers of messages and bytes are the maximum over a\n"
        "sample of at most 2000 ranks (1.5 seconds), and may be too small.\n"
        "Bytes of links of switches are not printed. --exact simulates all ranks, in at most\n"
        "half of the machine's memory.\n\n"
        "--best lists the algorithms that serve the call, each with its best parameters, the\n"
        "fastest first. If ALGORITHM is given, it lists only this one. --bytes or --count is\n"
        "required. Without constants, it assumes an ordinary cluster, and prints seconds.\n\n"
        "- Without --nodes and --uneven, closed forms give parameters and times. This is\n"
        "  quick for any P.\n"
        "- With --uneven, closed forms of equal blocks give the parameters, and simulations\n"
        "  the times.\n"
        "- With --nodes, simulations give parameters and times. Above 1024 processes, closed\n"
        "  forms give parameters, and simulations of fewer nodes the times, unless --exact is\n"
        "  given. A time that such a simulation cannot give is marked as a closed form.\n\n"
        "In JSON, \"usual\" is the algorithm that MPI libraries usually choose by size.\n\n"
        "For alltoallv, alltoallw, gatherv and scatterv, --bytes is the mean of a block. The\n"
        "output lists the stages of the first and the second call on a communicator, and of\n"
        "later calls:\n\n"
        "- route: blocks up to a limit, along the route of an alltoall, gather or scatter,\n"
        "  together with the sizes of all blocks\n"
        "- tell: in a gatherv, the root sends the limit of later calls to all\n"
        "- direct: larger blocks, each in its own message\n\n"
        "The first call is direct, since nothing is known of its sizes. The second one finds\n"
        "the limit of later calls. If direct messages alone are faster, later calls\n"
        "send only these. Messages are eager (--eager). All P * P blocks are simulated, so P\n"
        "is at most 4096.\n\n"
        "--calls FILE estimates all calls in a program's record (anyp run --record) at P\n"
        "processes. It prints the seconds of an average process with the algorithms that MPI\n"
        "libraries usually choose by size, and with AnyP's choice. It assumes that no process\n"
        "is late. The first line of the table gives the same for the P of the record.\n\n"
        "If nodes are known, calls are simulated. A call with more than 60000 messages is\n"
        "simulated on a smaller machine, and closed forms give the growth from there. If the\n"
        "time of a call is unknown, a line says why. Without nodes, closed forms give all\n"
        "times.\n\n"
        "If the first line is far from the recorded work, another line says what that means.\n"
        "Constants are those of --network, or --alpha and so on in seconds; by\n"
        "default those of an ordinary cluster. Without -p and --nodes, the machine is that of\n"
        "the record. With -p alone, nodes are as large as in the record.\n\n"
        "Sizes of communicators change with the machine. Calls on MPI_COMM_WORLD become calls\n"
        "on P processes. A communicator inside one of several nodes keeps its share of a\n"
        "node: 4 of 8 processes become 8 of 16. Any other keeps its share of all processes.\n\n"
        "--reproducible computes the call as it runs when results must be reproducible; see\n"
        "anyp-reproducible(7). Algorithms with another bracketing do not serve such a call.\n",
    .examples = "  anyp cost --best allreduce -p 13 -m 64K\n"
        "  anyp cost allreduce butterfly --param threshold=0 -p 13 --alpha 1\n"
        "  anyp cost allreduce butterfly --param threshold=0 -p 13 --beta 1\n"
        "  anyp cost allreduce circulant -p 1000 --alpha 2e-6 --beta 1e-10 --gamma 3e-11 -m 1M\n"
        "  anyp cost allreduce exchange --nodes 13x8 -m 1M --alpha 1 --beta 8e-5 --overhead 0.2\n"
        "  anyp cost allreduce exchange --nodes '5x(8x4),(5x4)' --taper 4 -m 1M --beta 8e-5\n"
        "  anyp cost bcast bi_greedy -p 45 -m 1M --leaf 8 --taper 4 --alpha 1 --beta 8e-5\n"
        "  anyp cost reduce_scatter pipelines -p 37 -m 1M --uneven half --alpha 2 --beta 8e-5\n"
        "  anyp cost alltoallv multiport -p 45 -m 512 --uneven uniform --alpha 1 --beta 8e-5\n"
        "  anyp cost --calls calls.json --nodes 120x8 --scaling weak\n"
        "  anyp cost --best allreduce -p 100000 --alpha 2e-6 --beta 1e-10 --gamma 3e-11 -m 1M\n",
    .run = run,
};

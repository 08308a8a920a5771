/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp schedule - shows the rounds and steps of one rank or of all, the distances of the rounds,
 * and the bracketing of the result. All this is computed from the schedules, so it works for any
 * algorithm.
 */
#include "tools/described_calls.h"
#include "tools/draw_svg.h"
#include "tools/tool.h"

#include "algorithms/registry.h"
#include "analysis/expression.h"
#include "schedule/memory.h"
#include "schedule/set.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Bracketings of more terms are not shown. */
#define MAX_TERMS 65536

static const char *const step_names[] = {
    [ANYP_SEND] = "send", [ANYP_RECV] = "recv", [ANYP_REDUCE_LOCAL] = "reduce", [ANYP_COPY] = "copy"
};

/* What is shown: schedules[i] belongs to rank first + i. */
typedef struct schedule_view {
    const tool_call *call;
    const anyp_schedule *set;   /* of all ranks; NULL if one rank was generated */
    const anyp_schedule *schedules;
    int first, end;             /* ranks */
    int *skips;                 /* a distance per round; NULL if ranks differ */
    int skips_count;
} schedule_view;

/* ---- distances ---- */

/* Returns the distance (peer - rank) mod p that all sends of a round share, or -1. */
static int round_distance(const anyp_schedule *schedule, int round)
{
    int distance = -1;
    for (int i = schedule->round_start[round]; i < schedule->round_start[round + 1]; i++) {
        const anyp_step *step = &schedule->steps[i];
        if (step->kind != ANYP_SEND)
            continue;
        const int d = (step->peer - schedule->rank + schedule->p) % schedule->p;
        if (distance >= 0 && d != distance)
            return -1;
        distance = d;
    }
    return distance;
}

static bool same_distance(const anyp_schedule *set, int p, int round, int distance)
{
    for (int rank = 0; rank < p; rank++)
        if (set[rank].rounds != set[0].rounds || round_distance(&set[rank], round) != distance)
            return false;
    return true;
}

static bool reduces(const anyp_schedule *set, int p, int round)
{
    for (int rank = 0; rank < p; rank++)
        for (int i = set[rank].round_start[round]; i < set[rank].round_start[round + 1]; i++)
            if (set[rank].steps[i].kind == ANYP_REDUCE_LOCAL)
                return true;
    return false;
}

/* Sets `skips` to the distances of the rounds, if every round has one that all ranks share. Rounds
 * without messages are left out. The distances d of rounds that reduce come first. A later round
 * that sends results back over such a distance has -d. */
static anyp_status find_skips(schedule_view *view)
{
    const int p = view->call->call.p;
    int *skips = anypi_realloc(NULL, sizeof *skips * (size_t) (view->set[0].rounds + 1));
    if (!skips)
        return ANYP_ERR_MEMORY;
    int count = 0, reducing = 0;
    for (int round = 0; round < view->set[0].rounds; round++) {
        const int distance = round_distance(&view->set[0], round);
        if (!same_distance(view->set, p, round, distance)) {
            anypi_free(skips);
            return ANYP_SUCCESS;
        }
        if (distance < 0)
            continue;
        skips[count] = distance;
        if (reducing == count && reduces(view->set, p, round))
            reducing++;
        else
            for (int i = 0; i < reducing; i++)
                if (skips[i] == p - distance)
                    skips[count] = distance - p;
        count++;
    }
    view->skips = skips;
    view->skips_count = count;
    return ANYP_SUCCESS;
}

/* ---- bracketing ---- */

/* Returns the blocks of the result that `rank` has. */
static anyp_slice result_of(const schedule_view *view, int rank)
{
    return anypi_output_of(&view->call->call, rank, view->schedules[0].blocks);
}

/* Returns the end of the ranks that are shown. In an allreduce all have the same bits, so only the
 * first rank is shown. */
static int bracketed_ranks(const schedule_view *view)
{
    return view->call->call.collective == ANYP_ALLREDUCE ? view->first + 1 : view->end;
}

static bool bracketing_is_readable(const schedule_view *view)
{
    int64_t terms = 0;
    for (int rank = view->first; rank < bracketed_ranks(view); rank++) {
        const anyp_slice result = result_of(view, rank);
        terms += (int64_t) (result.end - result.first) * view->call->call.p;
    }
    return view->set && terms <= MAX_TERMS;
}

/* Prints a bracketing with blanks around the outermost operators. */
static void print_expression(const char *text)
{
    int depth = 0;
    for (; *text; text++) {
        depth += (*text == '(') - (*text == ')');
        if (*text == '+' && !depth)
            fputs(" + ", stdout);
        else
            putchar(*text);
    }
    putchar('\n');
}

static void write_bracketing(anypi_json *json, int rank, int first, int end, const char *text)
{
    if (json) {
        anypi_json_write(json, "{ rank:%d first_block:%d end_block:%d expression:%s }", rank, first,
                         end, text);
        return;
    }
    if (end - first > 1)
        printf("  rank %d, blocks %d..%d: ", rank, first, end - 1);
    else
        printf("  rank %d, block %d: ", rank, first);
    print_expression(text);
}

/* Prints the bracketing of a rank; neighbouring blocks with the same bracketing share a line. */
static anyp_status rank_bracketing(const schedule_view *view, const anypi_verifier *replayed,
                                   int rank, anypi_json *json)
{
    const anyp_slice result = result_of(view, rank);
    char *last = NULL, *text = NULL;
    int since = result.first;
    anyp_status status = ANYP_SUCCESS;
    for (int block = result.first; block < result.end && status == ANYP_SUCCESS; block++) {
        status = anypi_expression_of(replayed, view->call->call.p, rank, block, &text);
        if (last && text && strcmp(last, text)) {
            write_bracketing(json, rank, since, block, last);
            since = block;
        }
        anypi_free(last);
        last = text;
    }
    if (last && status == ANYP_SUCCESS)
        write_bracketing(json, rank, since, result.end, last);
    anypi_free(last);
    return status;
}

static anyp_status bracketing(const schedule_view *view, anypi_json *json)
{
    anypi_verifier *v = anypi_verifier_new();
    anyp_status status = v ? anypi_verifier_replay(v, view->set, &view->call->call, NULL, 0)
        : ANYP_ERR_MEMORY;
    for (int rank = view->first; rank < bracketed_ranks(view) && status == ANYP_SUCCESS; rank++)
        status = rank_bracketing(view, v, rank, json);
    anypi_verifier_free(v);
    return status;
}

/* ---- text ---- */

static const char *buffer_name(int buffer, char *name, size_t size)
{
    if (buffer == ANYP_IN || buffer == ANYP_OUT)
        return buffer == ANYP_IN ? "in" : "out";
    snprintf(name, size, "s%d", buffer - ANYP_SCRATCH);
    return name;
}

static void print_slice(anyp_slice slice)
{
    char name[16];
    if (slice.first == slice.end)       /* of a barrier */
        return;
    printf("%s[%d", buffer_name(slice.buffer, name, sizeof name), slice.first);
    if (slice.end - slice.first > 1)
        printf("..%d", slice.end - 1);
    putchar(']');
}

static void print_step(const anyp_step *step)
{
    printf("    %-6s ", step_names[step->kind]);
    if (step->kind != ANYP_RECV)
        print_slice(step->from);
    if (step->kind == ANYP_SEND)
        printf(" to rank %d", step->peer);
    else if (step->kind != ANYP_RECV)
        fputs(step->kind == ANYP_COPY ? " to " : " (+) ", stdout);
    if (step->kind != ANYP_SEND)
        print_slice(step->to);
    if (step->kind == ANYP_RECV)
        printf(" from rank %d", step->peer);
    if (step->kind == ANYP_REDUCE_LOCAL) {
        fputs(" to ", stdout);
        print_slice(step->to);
    }
    putchar('\n');
}

static void print_rank(const anyp_schedule *schedule)
{
    printf("\nrank %d: %d round%s", schedule->rank, schedule->rounds,
           schedule->rounds == 1 ? "" : "s");
    for (int k = 0; k < schedule->scratch_count; k++) {
        const int first = schedule->scratch[k].window_first, end = schedule->scratch[k].window_end;
        if (schedule->scratch[k].first == schedule->scratch[k].end)
            continue;
        printf(", scratch s%d holds indices %d..%d", k, schedule->scratch[k].first,
               schedule->scratch[k].end - 1);
        if (end - first < schedule->scratch[k].period)
            printf(" (of them %d..%d and each %d later)", first, end - 1,
                   schedule->scratch[k].period);
    }
    if (schedule->overlap)
        printf(", up to %d rounds under way together", schedule->overlap + 1);
    putchar('\n');
    for (int round = 0; round < schedule->rounds; round++) {
        printf("  round %d\n", round + 1);
        for (int i = schedule->round_start[round]; i < schedule->round_start[round + 1]; i++)
            print_step(&schedule->steps[i]);
    }
}

/* Prints a line, or nothing if there are no integers. */
static void print_integers(const char *name, const int *integers, int count)
{
    for (int i = 0; integers && i < count; i++)
        printf("%s%s%d%s", i ? "" : name, i ? "," : " ", integers[i], i + 1 < count ? "" : "\n");
}

static anyp_status print(const schedule_view *view)
{
    const anyp_call *call = &view->call->call;
    char parameters[256];
    anypi_parameters_text(view->call->algorithm, view->call->parameters, " ", parameters,
                          sizeof parameters);
    printf("%s by %s, p = %d", anyp_collective_name(call->collective), view->call->algorithm->name,
           call->p);
    if (anypi_has_root(call))
        printf(", root = %d", call->root);
    printf("%s%s%s%s\n", *parameters ? ", " : "", parameters, call->in_place ? ", in place" : "",
           call->gaps_out ? ", in memory with gaps" : "");
    if (anypi_has_local_sizes(call->collective))
        printf("the route of blocks of any sizes, that of %s: messages contain the sizes of their "
               "blocks; large blocks go directly\n",
               anyp_collective_name(anypi_collectives[call->collective].forward));
    else if (!anypi_has_no_data(call->collective))
        printf("vector: %" PRId64 " elements of %" PRId64 " byte%s in %d block%s%s\n", call->count,
               call->type_size, call->type_size == 1 ? "" : "s", view->schedules[0].blocks,
               view->schedules[0].blocks == 1 ? "" : "s", anypi_tool_shape_text(view->call));
    if (call->starts) {
        fputs("starts ", stdout);
        for (int i = 0; i <= call->p; i++)
            printf("%s%" PRId64, i ? "," : "", call->starts[i]);
        putchar('\n');
    }
    print_integers("skips", view->skips, view->skips_count);
    print_integers("order of scratch", view->schedules[0].order, view->schedules[0].blocks);
    for (int i = 0; i < view->end - view->first && !ferror(stdout); i++)
        print_rank(&view->schedules[i]);
    if (anypi_moves(call->collective))
        return ANYP_SUCCESS;    /* no operator, no brackets */
    if (!bracketing_is_readable(view)) {
        printf("\nbracketing: not shown, too long\n");
        return ANYP_SUCCESS;
    }
    printf("\nbracketing\n");
    return bracketing(view, NULL);
}

/* ---- JSON ---- */

static void write_slice(anypi_json *json, const char *key, anyp_slice slice)
{
    char name[16];
    anypi_json_write(json, "%s:{ buffer:%s first:%d end:%d }", key,
                     buffer_name(slice.buffer, name, sizeof name), slice.first, slice.end);
}

static void write_step(anypi_json *json, const anyp_step *step)
{
    anypi_json_write(json, "{ step:%s", step_names[step->kind]);
    if (step->peer >= 0)
        anypi_json_write(json, "peer:%d", step->peer);
    if (step->kind != ANYP_RECV)
        write_slice(json, "from", step->from);
    if (step->kind != ANYP_SEND)
        write_slice(json, "to", step->to);
    anypi_json_write(json, "}");
}

static void write_rank(anypi_json *json, const anyp_schedule *schedule)
{
    anypi_json_write(json, "{ rank:%d overlap:%d scratch:[", schedule->rank, schedule->overlap);
    for (int k = 0; k < schedule->scratch_count; k++)
        anypi_json_write(json, "{ first:%d end:%d window_first:%d window_end:%d period:%d }",
                         schedule->scratch[k].first, schedule->scratch[k].end,
                         schedule->scratch[k].window_first, schedule->scratch[k].window_end,
                         schedule->scratch[k].period);
    anypi_json_write(json, "] rounds:[");
    for (int round = 0; round < schedule->rounds; round++) {
        anypi_json_write(json, "[");
        for (int i = schedule->round_start[round]; i < schedule->round_start[round + 1]; i++)
            write_step(json, &schedule->steps[i]);
        anypi_json_write(json, "]");
    }
    anypi_json_write(json, "] }");
}

/* Writes an array, or null if there are no integers. */
static void write_integers(anypi_json *json, const char *key, const int *integers, int count)
{
    if (!integers) {
        anypi_json_write(json, "%s:null", key);
        return;
    }
    anypi_json_write(json, "%s:[", key);
    for (int i = 0; i < count; i++)
        anypi_json_write(json, "%d", integers[i]);
    anypi_json_write(json, "]");
}

static void write_starts(anypi_json *json, const anyp_call *call)
{
    if (!call->starts) {
        anypi_json_write(json, "starts:null");
        return;
    }
    anypi_json_write(json, "starts:[");
    for (int i = 0; i <= call->p; i++)
        anypi_json_write(json, "%" PRId64, call->starts[i]);
    anypi_json_write(json, "]");
}

static anyp_status write_json(const schedule_view *view)
{
    anypi_json json = { .file = stdout };
    anyp_status status = ANYP_SUCCESS;
    anypi_json_write(&json, "{");
    anypi_tool_call_json(&json, view->call);
    anypi_json_write(&json, "blocks:%d", view->schedules[0].blocks);
    write_starts(&json, &view->call->call);
    write_integers(&json, "order", view->schedules[0].order, view->schedules[0].blocks);
    write_integers(&json, "skips", view->skips, view->skips_count);
    anypi_json_write(&json, "ranks:[");
    for (int i = 0; i < view->end - view->first && !ferror(stdout); i++)
        write_rank(&json, &view->schedules[i]);
    if (bracketing_is_readable(view) && !anypi_moves(view->call->call.collective)) {
        anypi_json_write(&json, "] bracketing:[");
        status = bracketing(view, &json);
        anypi_json_write(&json, "] }");
    } else {
        anypi_json_write(&json, "] bracketing:null }");
    }
    return status;
}

/* ---- the command ---- */

static anyp_status show(const tool_options *options, schedule_view *view)
{
    anyp_status status = view->set ? find_skips(view) : ANYP_SUCCESS;
    if (status == ANYP_SUCCESS)
        status = options->given[OPTION_JSON] ? write_json(view) : print(view);
    anypi_free(view->skips);
    return status;
}

/* For very many ranks: generates and shows only the schedule of one. */
static anyp_status show_one(const tool_options *options, const tool_call *call)
{
    anyp_schedule schedule;
    anyp_schedule_init(&schedule);
    anyp_status status = anyp_generate(call->algorithm, &call->call, call->parameters, &schedule);
    if (status == ANYP_SUCCESS) {
        schedule_view view = { .call = call, .schedules = &schedule, .first = call->call.rank,
                               .end = call->call.rank + 1 };
        status = show(options, &view);
    }
    anyp_schedule_free(&schedule);
    return status;
}

static int show_call(const tool_options *options, const tool_call *call)
{
    const bool one = options->given[OPTION_RANK];
    if (one && call->call.p > TOOL_MAX_P_OF_SETS)
        return anypi_tool_status(options, show_one(options, call));
    anyp_schedule *set = NULL;
    const int result = anypi_tool_set(options, call, &set);
    if (result != TOOL_GOOD)
        return result;
    const int first = one ? call->call.rank : 0;
    schedule_view view = { .call = call, .set = set, .schedules = &set[first], .first = first,
                           .end = one ? first + 1 : call->call.p };
    const anyp_status status = show(options, &view);
    anypi_set_free(set, call->call.p);
    return anypi_tool_status(options, status);
}

static int run(const tool_options *options)
{
    tool_call call;
    int result = anypi_tool_call_read(options, &call);
    if (result != TOOL_GOOD)
        return result;
    result = options->given[OPTION_SVG] ? anypi_tool_picture(options, &call)
        : show_call(options, &call);
    anypi_tool_call_free(&call);
    return result;
}

const tool_command anypi_tool_schedule = {
    .name = "schedule",
    .summary = "print or draw the schedule of one rank or all",
    .operands = "COLLECTIVE ALGORITHM",
    .operands_minimum = 2,
    .operands_maximum = 2,
    .accepts = OPTION_BIT(PROCESSES) | OPTION_BIT(NODES) | OPTION_BIT(RANK) | OPTION_BIT(ROOT) |
        OPTION_BIT(PARAM) | OPTION_BIT(COUNT) | OPTION_BIT(TYPE_SIZE) | OPTION_BIT(BYTES) |
        OPTION_BIT(UNEVEN) | OPTION_BIT(IN_PLACE) | OPTION_BIT(GAPS) | OPTION_BIT(NON_COMMUTATIVE) |
        OPTION_BIT(REPRODUCIBLE) | OPTION_BIT(JSON) | OPTION_BIT(SVG),
    .needs = OPTION_BIT(PROCESSES),
    .description =
        "Prints the rounds of all ranks, or of one. In a round, all sends and receives run\n"
        "together; then the local steps run one after the other.\n\n"
        "- in[3..5] are blocks 3 to 5 of the input, out[...] blocks of the output, and s0,\n"
        "  s1, ... scratch buffers. With n blocks, index i means block i mod n. If a line 'order\n"
        "  of scratch' lists n blocks, index i of a scratch buffer is entry i mod n of the\n"
        "  list, counted from 0.\n"
        "- 'reduce A (+) B to B': A is the left operand.\n"
        "- Block i begins at element floor(i * count / n). With --uneven, the vector is first\n"
        "  cut into parts of the ranks: entry r of the line 'starts' is the first element of\n"
        "  rank r's part. Then each part is cut evenly into n/p blocks.\n"
        "- If rounds overlap, a round begins as soon as it has what it needs from earlier\n"
        "  rounds.\n"
        "- skips: the distances from sender to receiver modulo p, for each round, if they are\n"
        "  the same for all ranks. A negative number, such as -4, is a round that sends\n"
        "  results back over the distance (4) of an earlier round.\n"
        "- bracketing: xr is rank r's contribution, and a+b+c is (a+b)+c. Blocks with the\n"
        "  same bracketing share a line. For an allreduce, one rank is shown. The bracketing\n"
        "  is not shown for more than 65536 terms, or if data are only moved.\n\n"
        "In JSON, \"overlap\" is the number of overlapping rounds minus one; \"order\" and\n"
        "\"starts\" are null if there are none.\n\n"
        "Without --count and --bytes, the vector is a multiple of p * 2^ceil(log2 p)\n"
        "elements, so that blocks are equal and all rounds can halve it.\n\n"
        "--svg draws ranks against time. Every message takes one unit of time. Letters are\n"
        "blocks; small bars show which part of the vector arrives, as if all blocks were\n"
        "equal.\n\n"
        "P is at most 1048576. A call is refused if the schedules of all ranks need more than\n"
        "half of the machine's memory. Above 4096 processes, --rank generates only that rank,\n"
        "and prints neither skips nor bracketing.\n",
    .examples = "  anyp schedule reduce_scatter_block circulant -p 22\n"
        "  anyp schedule allreduce butterfly -p 13 --rank 4 --param threshold=0\n"
        "  anyp schedule allreduce circulant -p 7 --param skips=linear --json\n"
        "  anyp schedule allreduce exchange -p 13 --reproducible\n"
        "  anyp schedule allgatherv pipelines -p 5 --count 200 --uneven half\n"
        "  anyp schedule allreduce butterfly -p 13 --svg butterfly-13.svg\n",
    .run = run,
};

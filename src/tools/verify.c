/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp verify - proves the schedules of all ranks, without data or MPI: sends and receives match,
 * nobody waits for ever, every contribution is in the result once, in the order and bracketing that
 * the algorithm promises.
 *
 * For every p: a vector of 16 elements of 8 bytes a rank (or the user's), in place and not, the
 * operator commutative and (if the algorithm takes it) not, roots 0, 1, p/2 and p-1, and all values
 * of a small parameter; of a large one its ends, its default, and a half, an eighth and a
 * thirty-second of the vector, which is where thresholds and segments matter.
 */
#include "tools/calls.h"
#include "tools/tool.h"

#include "core/set.h"
#include "core/verify.h"

#include <inttypes.h>
#include <time.h>
#include <unistd.h>

enum {
    ELEMENTS_PER_RANK = 16,
    ELEMENT_BYTES = 8,
    SMALL_RANGE = 8,            /* all values of a range up to this many are tried */
    MOST_VALUES = 8
};

typedef struct proof_state {
    const tool_options *options;
    bool fixed[ANYP_MAX_PARAMETERS];    /* given by --param */
    int64_t proved;
    int64_t refused;            /* calls that the algorithm does not serve, and says so */
    bool progress;
    time_t told;
} proof_state;

/* Once a second on stderr. */
static void tell_progress(proof_state *proof, const tool_call *call)
{
    const time_t now = time(NULL);
    if (!proof->progress || now == proof->told)
        return;
    proof->told = now;
    fprintf(stderr, "anyp verify: %" PRId64 " proved; now %s %s, p = %d\n", proof->proved,
            anyp_collective_name(call->call.collective), call->algorithm->name, call->call.p);
}

/* Is there memory to prove the call? The verifier has a symbol for every block of every output,
 * which is known before there are schedules, and of every scratch buffer. */
static bool is_too_large(const proof_state *proof, const tool_call *call, const anyp_schedule *set)
{
    enum { SYMBOL = 32 };
    const int p = call->call.p;
    double blocks = (double) call->algorithm->code->blocks(&call->call, call->parameters) * p;
    for (int rank = 0; set && rank < p; rank++)
        for (int k = 0; k < set[rank].scratch_count; k++)
            blocks += set[rank].scratch[k].end - set[rank].scratch[k].first;
    return anypi_tool_fits(proof->options, p, blocks * SYMBOL) != TOOL_GOOD;
}

/* Proves one call. */
static int prove(proof_state *proof, const tool_call *call)
{
    const char *reason;
    char verdict[512];
    char parameters[256];
    anyp_schedule *set;

    tell_progress(proof, call);
    if (anyp_applicable(call->algorithm, &call->call, call->parameters, &reason) != ANYP_SUCCESS) {
        proof->refused++;
        return TOOL_GOOD;
    }
    if (is_too_large(proof, call, NULL) ||
        anypi_tool_set(proof->options, call, &set) != TOOL_GOOD)
        return TOOL_BAD;
    if (is_too_large(proof, call, set)) {
        anypi_set_free(set, call->call.p);
        return TOOL_BAD;
    }
    const anyp_status status = anypi_verify(set, &call->call, call->algorithm->properties, verdict,
                                            sizeof verdict);
    anypi_set_free(set, call->call.p);
    if (status == ANYP_SUCCESS) {
        proof->proved++;
        return TOOL_GOOD;
    }
    anypi_tool_parameters_text(call->algorithm, call->parameters, parameters, sizeof parameters);
    return anypi_tool_complain(proof->options, TOOL_BAD,
                               "%s %s, p = %d, root = %d, count = %" PRId64 "%s%s%s%s: %s",
                               anyp_collective_name(call->call.collective), call->algorithm->name,
                               call->call.p, call->call.root, call->call.count,
                               *parameters ? ", " : "", parameters,
                               call->call.in_place ? ", in place" : "",
                               call->call.commutative ? "" : ", not commutative",
                               status == ANYP_ERR_SCHEDULE ? verdict : anyp_status_text(status));
}

/* In place and not, commutative and not. */
static int prove_kinds(proof_state *proof, tool_call *call)
{
    int status = TOOL_GOOD;
    for (int kind = 0; kind < 4 && status == TOOL_GOOD; kind++) {
        call->call.in_place = kind & 1;
        call->call.commutative = !(kind & 2);
        if (call->call.commutative || (call->algorithm->properties & ANYP_CANONICAL))
            status = prove(proof, call);
    }
    return status;
}

static int prove_roots(proof_state *proof, tool_call *call)
{
    const int p = call->call.p;
    const int roots[] = { 0, p > 1, p / 2, p - 1 };
    int status = TOOL_GOOD;
    for (int i = 0; i < 4 && status == TOOL_GOOD; i++) {
        call->call.root = roots[i];
        if (i && (call->call.collective != ANYP_REDUCE || roots[i] <= roots[i - 1]))
            continue;
        status = prove_kinds(proof, call);
    }
    return status;
}

/* The values to try of a parameter, without repetition; returns how many. */
static int values_of(const anyp_parameter *parameter, const anyp_call *call, int *values)
{
    int count = 0;
    if ((int64_t) parameter->most - parameter->least < SMALL_RANGE) {
        for (int value = parameter->least; value <= parameter->most; value++)
            values[count++] = value;
        return count;
    }
    const int64_t bytes = call->count * call->type_size;
    const int64_t tries[] = { parameter->standard, parameter->least, parameter->most,
                              bytes / 2, bytes / 8, bytes / 32 };
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        bool known = tries[i] < parameter->least || tries[i] > parameter->most;
        for (int j = 0; j < count && !known; j++)
            known = values[j] == tries[i];
        if (!known)
            values[count++] = (int) tries[i];
    }
    return count;
}

/* Every combination of the values of the parameters from `place` on. */
static int prove_parameters(proof_state *proof, tool_call *call, int place)
{
    if (place == call->algorithm->parameters_count)
        return prove_roots(proof, call);
    if (proof->fixed[place])
        return prove_parameters(proof, call, place + 1);
    int values[MOST_VALUES];
    const int count = values_of(&call->algorithm->parameters[place], &call->call, values);
    int status = TOOL_GOOD;
    for (int i = 0; i < count && status == TOOL_GOOD; i++) {
        call->parameters[place] = values[i];
        status = prove_parameters(proof, call, place + 1);
    }
    return status;
}

static int prove_algorithm(proof_state *proof, const anyp_algorithm *algorithm,
                           anyp_collective collective)
{
    const tool_options *options = proof->options;
    const bool one = options->given[OPTION_PROCESSES];
    const int64_t last = options->number[one ? OPTION_PROCESSES : OPTION_MAX_P];
    tool_call call = { .algorithm = algorithm, .call.collective = collective };
    int status = anypi_tool_parameters(options, algorithm, call.parameters, proof->fixed);
    for (int64_t p = one ? last : 1; p <= last && status == TOOL_GOOD; p++) {
        call.call.p = (int) p;
        if (options->given[OPTION_COUNT] || options->given[OPTION_BYTES])
            status = anypi_tool_vector(options, &call);
        else {
            call.call.count = ELEMENTS_PER_RANK * p;
            call.call.type_size = ELEMENT_BYTES;
        }
        if (status == TOOL_GOOD)
            status = prove_parameters(proof, &call, 0);
    }
    return status;
}

static int prove_all(proof_state *proof)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    int status = TOOL_GOOD;
    for (int i = 0; i < count && status == TOOL_GOOD; i++)
        for (int c = 0; c < ANYP_COLLECTIVES && status == TOOL_GOOD; c++)
            if (algorithms[i].collectives & ANYP_IN_SET(c))
                status = prove_algorithm(proof, &algorithms[i], (anyp_collective) c);
    return status;
}

static int prove_named(proof_state *proof)
{
    const tool_options *options = proof->options;
    anyp_collective collective;
    const anyp_algorithm *algorithm;
    int status = anypi_tool_collective(options, options->operands[0], &collective);
    if (status == TOOL_GOOD)
        status = anypi_tool_algorithm(options, options->operands[1], &algorithm);
    if (status != TOOL_GOOD)
        return status;
    if (!(algorithm->collectives & ANYP_IN_SET(collective)))
        return anypi_tool_complain(options, TOOL_BAD, "%s does not do %s", algorithm->name,
                                   anyp_collective_name(collective));
    return prove_algorithm(proof, algorithm, collective);
}

static int run(const tool_options *options)
{
    const bool all = options->given[OPTION_ALL];
    if (all == (options->operands_count > 0))
        return anypi_tool_misuse(options, "either --all or COLLECTIVE ALGORITHM");
    if (!all && options->operands_count == 1)
        return anypi_tool_misuse(options, "COLLECTIVE ALGORITHM expected");
    if (all && options->params_count)
        return anypi_tool_misuse(options, "--param goes with one algorithm, not with --all");
    if (options->given[OPTION_PROCESSES] && options->given[OPTION_MAX_P])
        return anypi_tool_misuse(options, "either -p or --max-p, not both");

    proof_state proof = { .options = options, .told = time(NULL),
                    .progress = options->given[OPTION_PROGRESS] || isatty(STDERR_FILENO) };
    int status = all ? prove_all(&proof) : prove_named(&proof);
    if (status == TOOL_USAGE)
        return status;
    if (options->given[OPTION_JSON]) {
        tool_json json = { .file = stdout };
        anypi_json_open(&json, NULL, '{');
        anypi_json_bool(&json, "good", status == TOOL_GOOD);
        anypi_json_integer(&json, "proved", proof.proved);
        anypi_json_integer(&json, "refused", proof.refused);
        anypi_json_close(&json, '}');
    } else {
        printf("%" PRId64 " sets of schedules proved", proof.proved);
        if (proof.refused)
            printf(", %" PRId64 " calls refused by their algorithm", proof.refused);
        printf("%s\n", status == TOOL_GOOD ? "" : ", then one was not");
    }
    if (status == TOOL_GOOD && !proof.proved)
        return anypi_tool_complain(options, TOOL_BAD, "nothing to prove: every call was refused");
    return status;
}

const tool_command anypi_tool_verify = {
    .name = "verify",
    .sentence = "prove schedules right, for every p up to a bound",
    .operands = "[COLLECTIVE ALGORITHM]",
    .operands_least = 0,
    .operands_most = 2,
    .accepts = OPTION_BIT(OPTION_ALL) | OPTION_BIT(OPTION_PROCESSES) | OPTION_BIT(OPTION_MAX_P) |
        OPTION_BIT(OPTION_PARAM) | OPTION_BIT(OPTION_COUNT) | OPTION_BIT(OPTION_TYPE_SIZE) |
        OPTION_BIT(OPTION_BYTES) | OPTION_BIT(OPTION_PROGRESS) | OPTION_BIT(OPTION_JSON),
    .description =
        "Proves without data or MPI: sends and receives match, no rank waits for ever,\n"
        "nothing in flight is overwritten, every contribution is in every result once, in\n"
        "the order and bracketing that the algorithm promises. For every p from 1 to\n"
        "--max-p (64 if not given), or for one p: in place and not, operators that commute\n"
        "and (where the algorithm takes them) do not, several roots, and every value of a\n"
        "small parameter; of a large one its ends, its default, and a half, an eighth and\n"
        "a thirty-second of the vector. The vector has 16 elements of 8 bytes a rank if\n"
        "--count or --bytes does not say otherwise. Stops at the first wrong schedule and\n"
        "names it. May take half of the machine's memory: more processes are refused.\n"
        "Progress goes to stderr once a second if that is a terminal.\n",
    .examples = "  anyp verify --all --max-p 300\n"
        "  anyp verify allreduce butterfly -p 1025\n"
        "  anyp verify reduce_scatter circulant --max-p 100 --param skips=sqrt\n",
    .run = run,
};

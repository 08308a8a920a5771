/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp select - shows which rule of a decision file applies to a call, and which algorithm then
 * runs.
 */
#include "tools/described_calls.h"
#include "tools/plugin_settings.h"
#include "tools/tool.h"

#include "algorithms/network.h"
#include "algorithms/settle.h"
#include "execute/decide.h"
#include "schedule/collectives.h"
#include "select/decision.h"
#include "select/vocabulary.h"
#include "tuner/generic.h"
#include "options/text_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const hierarchy_names[] = {
    [ANYPI_HIERARCHY_FLAT] = "flat",
    [ANYPI_HIERARCHY_PARENT] = "parent",
    [ANYPI_HIERARCHY_NODE_ROOTS] = "node_roots",
    [ANYPI_HIERARCHY_NODE] = "node",
};

enum { HIERARCHIES = sizeof hierarchy_names / sizeof hierarchy_names[0] };

static int read_hierarchy(const tool_options *options, anypi_signature *signature)
{
    const char *word = options->word[OPTION_HIERARCHY];
    for (int i = 0; word && i < HIERARCHIES; i++)
        if (!strcmp(word, hierarchy_names[i])) {
            signature->hierarchy = (anypi_hierarchy) i;
            return TOOL_GOOD;
        }
    return !word ? TOOL_GOOD
        : anypi_tool_misuse(options, "--hierarchy %s: expected flat, parent, node or node_roots",
                            word);
}

static int read_memory(const tool_options *options, anypi_signature *signature)
{
    const char *word = options->word[OPTION_MEMORY];
    signature->device = word && !strcmp(word, "device");
    return !word || signature->device || !strcmp(word, "host") ? TOOL_GOOD
        : anypi_tool_misuse(options, "--memory %s: expected host or device", word);
}

/* Returns why the plug-in leaves a call to the MPI library, or NULL. */
static const char *refusal_of_memory(const anypi_signature *signature, const anypi_choice *choice)
{
    bool nonblocking;
    const anyp_collective its = anypi_collective_of(signature->collective, &nonblocking);
    if (!choice->algorithm)
        return NULL;
    if (!anypi_moves(its))
        return signature->device ? ANYPI_INPUT_ON_DEVICE : NULL;
    return choice->by_memory && nonblocking && anypi_tests_memory(its) ? ANYPI_MEMORY_UNKNOWN
        : NULL;
}

/* Does AnyP know that the collective, which AnyP may not have, has no operator? */
static bool has_no_operator(const anyp_call *call)
{
    return call->collective != ANYP_COLLECTIVES && anypi_moves(call->collective);
}

static bool has_no_data(anyp_collective collective)
{
    return collective != ANYP_COLLECTIVES && anypi_has_no_data(collective);
}

/* Reads the call, as MPICH's selection sees it and as AnyP's algorithms see it. */
static int read_signature(const tool_options *options, anypi_signature *signature, anyp_call *call)
{
    const int p = (int) options->number[OPTION_PROCESSES];
    const char *collective = options->operands[1];
    bool nonblocking;
    const anyp_collective its = anypi_collective_of(collective, &nonblocking);
    /* for a collective that only MPICH has, the vector is used as given */
    tool_call vector = { .call = { .collective = its < ANYP_COLLECTIVES ? its : ANYP_ALLREDUCE,
                                   .p = p, .type_size = 1 } };
    if (!has_no_data(its) && options->given[OPTION_COUNT] == options->given[OPTION_BYTES])
        return anypi_tool_misuse(options, "--bytes or --count is required");
    const int status = anypi_tool_vector(options, &vector);
    if (status != TOOL_GOOD)
        return status;
    *call = vector.call;
    call->collective = its;
    if (call->count > (INT64_C(1) << 53) / call->type_size / p)
        return anypi_tool_misuse(options, "the vector is too long");
    anypi_signature_init(signature, collective, p, call->count, call->type_size);
    const bool moves = has_no_operator(call);
    signature->commutative = moves || !options->given[OPTION_NON_COMMUTATIVE];
    signature->builtin_op = moves ||
        (!options->given[OPTION_USER_OP] && signature->commutative);
    signature->in_place = options->given[OPTION_IN_PLACE];
    call->commutative = signature->commutative;
    call->in_place = signature->in_place;
    signature->block_regular = !options->given[OPTION_IRREGULAR];
    signature->multi_threaded = options->given[OPTION_THREADS];
    signature->inter = options->given[OPTION_INTER];
    if (options->nodes) {
        anypi_signature_nodes(signature, options->nodes);
        call->nodes = options->nodes;
    }
    const int memory = read_memory(options, signature);
    return memory == TOOL_GOOD ? read_hierarchy(options, signature) : memory;
}

/* Writes the parameters of an algorithm of MPICH as decision files do: "k=3
 * single_phase_recv=0". */
static void own_text(const anypi_choice *choice, char *text, size_t size)
{
    anypi_word word;
    const int number = choice->hole || choice->algorithm ? -1 : anypi_word_find(choice->name);
    size_t length = 0;
    *text = '\0';
    if (number < 0 || !anypi_word_get(number, &word))
        return;
    for (int i = 0; i < ANYP_MAX_PARAMETERS; i++) {
        char setting[128];
        if (length < size &&
            anypi_own_setting(word.own, i, choice->parameters[i], setting, sizeof setting))
            length += (size_t) snprintf(text + length, size - length, "%s%s", length ? " " : "",
                                        setting);
    }
}

/* Writes an algorithm of AnyP, its parameters in the call, and the names of those that the closed
 * form chose; null if there is none. */
static void write_algorithm(anypi_json *json, const anyp_algorithm *algorithm, const int *settled,
                            const int *asked)
{
    anypi_json_write(json, algorithm ? "algorithm:%s" : "algorithm:null",
                     algorithm ? algorithm->name : "");
    if (!algorithm)
        return;
    anypi_tool_parameters_json(json, algorithm, settled);
    anypi_json_write(json, "automatic:[");
    for (int i = 0; i < algorithm->parameters_count; i++)
        if (anypi_is_automatic(&algorithm->parameters[i], asked[i]))
            anypi_json_write(json, "%s", algorithm->parameters[i].name);
    anypi_json_write(json, "]");
}

static void write_answer(const anypi_signature *signature, const anypi_choice *choice,
                         bool forms, const anypi_entry *entry)
{
    anypi_json json = { .file = stdout };
    anypi_json_write(&json, "{ collective:%s p:%d comm_avg_ppn:%d comm_levels:%d "
                     "node_comm_size:%hhd is_node_consecutive:%hhd comm_hierarchy:%s "
                     "memory:%s hole:%hhd path:%s closed_forms:%hhd name:%s",
                     signature->collective, signature->p, signature->ppn, signature->levels,
                     signature->one_node, signature->node_consecutive,
                     hierarchy_names[signature->hierarchy],
                     signature->device ? "device" : "host", choice->hole, choice->path, forms,
                     choice->hole ? NULL : choice->name);
    if (choice->algorithm && entry->reason) {
        int settled[ANYP_MAX_PARAMETERS];
        anypi_settle(choice->algorithm, &entry->call, choice->parameters, settled);
        write_algorithm(&json, choice->algorithm, settled, choice->parameters);
    } else {
        write_algorithm(&json, entry->algorithm, entry->parameters, entry->asked);
    }
    char own[256];
    own_text(choice, own, sizeof own);
    if (*own)
        anypi_json_write(&json, "settings:%s", own);
    if (entry->reason) {
        anypi_json_write(&json, "refused:%s instead:{", entry->reason);
        write_algorithm(&json, entry->algorithm, entry->parameters, entry->asked);
        anypi_json_write(&json, "}");
    }
    anypi_json_write(&json, "}");
}

/* Prints the values that conditions on nodes test. */
static void print_communicator(const anypi_signature *signature)
{
    printf("communicator: comm_size = %d, comm_avg_ppn = %d, comm_levels = %d, "
           "comm_size=node_comm_size: %s, is_node_consecutive=%s, comm_hierarchy=%s\n",
           signature->p, signature->ppn, signature->levels,
           signature->one_node ? "holds" : "does not hold",
           signature->node_consecutive ? "yes" : "no", hierarchy_names[signature->hierarchy]);
}

/* Writes the parameters with their values in this call, and which of them the closed form chose. */
static void settled_text(const anypi_entry *entry, char *text, size_t size)
{
    char chosen[256];
    anypi_parameters_text(entry->algorithm, entry->parameters, " ", text, size);
    anypi_automatic_text(entry->algorithm, entry->parameters, entry->asked, chosen, sizeof chosen);
    const size_t length = strlen(text);
    if (*chosen)
        snprintf(text + length, size - length, " (auto: %s)", chosen);
}

static void print_answer(const anypi_signature *signature, const anypi_choice *choice,
                         bool forms, const anypi_entry *entry)
{
    const anyp_call *call = &entry->call;
    char text[512] = "";
    if (choice->algorithm && !entry->reason)
        settled_text(entry, text, sizeof text);
    else if (choice->algorithm)
        anypi_parameters_text(choice->algorithm, choice->parameters, " ", text, sizeof text);
    else
        own_text(choice, text, sizeof text);
    printf("call: %s, p = %d", signature->collective, signature->p);
    if (!has_no_operator(call))
        printf(", %s %s operator", signature->commutative ? "commutative" : "non-commutative",
               signature->builtin_op ? "built-in" : "user's");
    if (!has_no_data(call->collective))
        printf("%s%s, avg_msg_size = %" PRId64 ", total_msg_size = %" PRId64 ", count = %" PRId64,
               signature->in_place ? ", in place" : "",
               signature->device ? ", in device memory" : "", signature->avg_msg_size,
               signature->total_msg_size, signature->count);
    printf("\n");
    print_communicator(signature);
    printf("rule: %s\n", *choice->path ? choice->path : "none");
    if (forms)
        printf("measured: no, the rule follows closed forms\n");
    if (choice->hole)
        printf("runs: hole: the MPI library's default\n");
    else if (!entry->reason)
        printf("runs: %s%s%s\n", choice->name, *text ? ", " : "", text);
    else {
        printf("asks for: %s%s%s\nrefused: %s\n", choice->name, *text ? ", " : "", text,
               entry->reason);
        *text = '\0';
        if (entry->algorithm)
            settled_text(entry, text, sizeof text);
        printf("runs: %s%s%s\n", entry->algorithm ? entry->algorithm->name
               : "an algorithm of MPICH's own", *text ? ", " : "", text);
    }
}

/* Sets *forms: does the comment of the file say that the rule follows closed forms and was not
 * measured? */
static int read_forms(const tool_options *options, const char *file, const anypi_choice *choice,
                      bool *forms)
{
    const char *reason;
    char *text = anypi_file_read(file, &reason);
    if (!text)
        return anypi_tool_complain(options, TOOL_BAD, "%s: %s", file, reason);
    *forms = !choice->hole && anypi_forms_named(text, choice->path);
    free(text);
    return TOOL_GOOD;
}

/* The variables of the plug-in and of MPICH for the constants of the machine. */
static const char *const network_variables[] = { "ANYP_NETWORK", "MPIR_CVAR_ANYP_NETWORK" };

/* Sets the constants of the machine from the first variable that is not empty. *variable becomes
 * its name, if there is one. */
static int read_network(const tool_options *options, const char **variable)
{
    for (size_t i = 0; i < sizeof network_variables / sizeof *network_variables; i++) {
        const char *text = getenv(network_variables[i]);
        const char *fault = text && *text ? anypi_network_set(text) : NULL;
        if (fault)
            return anypi_tool_misuse(options, "%s=%s: %s; expected a list such as %s",
                                     network_variables[i], text, fault, ANYPI_NETWORK_DEFAULT);
        if (text && *text) {
            *variable = network_variables[i];
            break;
        }
    }
    return TOOL_GOOD;
}

static int run(const tool_options *options)
{
    const char *network = NULL;
    char path[PATH_MAX];
    const char *file = anypi_tool_decision_file(options->operands[0], path);
    anypi_signature signature;
    anyp_call call;
    anypi_decision *decision = NULL;
    anypi_diagnosis diagnosis = { 0 };
    anypi_choice choice;
    int status = anypi_tool_mpich(options);
    if (status == TOOL_GOOD)
        status = read_network(options, &network);
    if (status == TOOL_GOOD)
        status = read_signature(options, &signature, &call);
    if (status != TOOL_GOOD)
        return status;

    const anyp_status read = anypi_decision_read(file, &decision, &diagnosis);
    if (read == ANYP_ERR_FILE)
        return anypi_tool_complain(options, TOOL_BAD, "%s", diagnosis.text);
    if (read != ANYP_SUCCESS)
        return anypi_tool_status(options, read);
    const anyp_status selected = anypi_decision_select(decision, &signature, &choice);
    anypi_decision_free(decision);
    if (selected == ANYP_ERR_ARGUMENT)
        return anypi_tool_misuse(options, "MPICH has no collective '%s'", signature.collective);
    if (selected != ANYP_SUCCESS)
        return anypi_tool_status(options, selected);

    bool forms = false;
    status = read_forms(options, file, &choice, &forms);
    if (status != TOOL_GOOD)
        return status;
    anypi_cache cache = { .count = 0 };
    anypi_entry entry = { .call = call };
    const anypi_asked asked = { .algorithm = choice.algorithm, .parameters = choice.parameters };
    anypi_decide_call(&cache, &entry, &asked, call.nodes, refusal_of_memory(&signature, &choice));
    anypi_cache_free(&cache);
    if (options->given[OPTION_JSON])
        write_answer(&signature, &choice, forms, &entry);
    else
        print_answer(&signature, &choice, forms, &entry);
    if (network && !options->given[OPTION_JSON])
        printf("network: %s, where the rule has none (%s)\n", getenv(network), network);
    return TOOL_GOOD;
}

const tool_command anypi_tool_select = {
    .name = "select",
    .summary = "show which rule of a decision file applies to a call, and why",
    .operands = "FILE COLLECTIVE",
    .operands_minimum = 2,
    .operands_maximum = 2,
    .accepts = OPTION_BIT(PROCESSES) | OPTION_BIT(NODES) | OPTION_BIT(BYTES) | OPTION_BIT(COUNT) |
        OPTION_BIT(TYPE_SIZE) | OPTION_BIT(NON_COMMUTATIVE) | OPTION_BIT(USER_OP) |
        OPTION_BIT(IN_PLACE) | OPTION_BIT(HIERARCHY) | OPTION_BIT(PPN) | OPTION_BIT(IRREGULAR) |
        OPTION_BIT(SCATTERED) | OPTION_BIT(THREADS) | OPTION_BIT(MEMORY) | OPTION_BIT(INTER) |
        OPTION_BIT(MPICH) | OPTION_BIT(JSON),
    .needs = OPTION_BIT(PROCESSES),
    .description =
        "Walks a decision file as MPICH's selection does, for any collective of MPICH. Prints\n"
        "the conditions that led to the rule, and its algorithm with parameters. A hole is a\n"
        "part that the file leaves to the MPI library.\n\n"
        "The output also says:\n\n"
        "- what runs instead, and why, if the algorithm does not serve the call, or if\n"
        "  another one is faster since it knows the nodes\n"
        "- whether the rule was measured, if the file's comment tells\n"
        "- the values with which conditions compare: of the communicator and its nodes\n\n"
        "COLLECTIVE may be a nonblocking form, such as iallreduce; it stands also for the\n"
        "persistent form. The rules of the blocking form (allreduce) apply to it, unless the\n"
        "file has rules for iallreduce.\n\n"
        "--bytes or --count is required, except for a barrier. For a reduce-scatter, it\n"
        "includes all blocks. By default, the communicator is made by the user, on one node.\n",
    .examples = "  anyp select tuned.json allreduce -p 13 --bytes 1M\n"
        "  anyp select tuned.json allreduce -p 13 --bytes 1M --non-commutative --ppn 4\n"
        "  anyp select tuned.json allreduce -p 104 --nodes 13x8 --bytes 1M\n",
    .run = run,
};

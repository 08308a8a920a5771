/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp list - prints the registry as text (a table, or each algorithm) or JSON. The closed form
 * of an algorithm's cost is code, so its values for a power of two and for another p are shown:
 * rounds, messages, and the factors of m * beta and m * gamma.
 */
#include "tools/described_calls.h"
#include "tools/tool.h"

#include "algorithms/registry.h"
#include "algorithms/settle.h"

static const int example_p[] = { 16, 13 };

enum { EXAMPLES = sizeof example_p / sizeof *example_p };

/* Returns the closed form of a collective, with bytes in units of the vector. */
static anyp_cost example_cost(const anyp_algorithm *algorithm, anyp_collective collective, int p)
{
    const tool_options options = { .command = &anypi_tool_list,
                                   .number[OPTION_TYPE_SIZE] = 1 };
    tool_call call = { .algorithm = algorithm,
                       .call = { .collective = collective, .p = p, .commutative = true } };
    anyp_parameters_default(algorithm, call.parameters);
    anypi_tool_vector(&options, &call);
    const double bytes = (double) call.call.count * (double) call.call.type_size;
    anyp_cost cost = anypi_cost_of(algorithm, &call.call, call.parameters);
    if (bytes > 0) {            /* a barrier has no bytes */
        cost.bytes_sent /= bytes;
        cost.bytes_reduced /= bytes;
    }
    return cost;
}

const char *anypi_tool_order(const anyp_algorithm *algorithm)
{
    const bool same = algorithm->properties & ANYP_SAME_BRACKETING;
    if (algorithm->properties & ANYP_CANONICAL)
        return same ? "any operator: rank order, the same bracketing everywhere"
            : "any operator: rank order";
    return same ? "commutative operators: the same bracketing everywhere" : "commutative operators";
}

/* Returns which reproducible calls the algorithm serves. */
static const char *reproducible(const anyp_algorithm *algorithm)
{
    const unsigned scans = ANYP_IN_SET(ANYP_SCAN) | ANYP_IN_SET(ANYP_EXSCAN);
    if (algorithm->properties & ANYP_REPRODUCIBLE)
        return algorithm->collectives & scans ? "any p, but not scans" : "any p";
    return algorithm->properties & ANYP_REPRODUCIBLE_POWERS ? "powers of two"
        : algorithm->properties & ANYP_REPRODUCIBLE_SCANS ? "scans, any p" : "no";
}

static void print_parameter(const anyp_parameter *parameter)
{
    char text[64], range[512];
    anyp_parameter_text(parameter, parameter->default_value, text, sizeof text);
    printf("    %s = %s (default %s)\n", parameter->name,
           anyp_parameter_range(parameter, range, sizeof range), text);
    printf("        %s\n", parameter->help);
}

/* Prints a line for each closed form, or writes an object into the JSON answer. */
static void show_costs(anypi_json *json, const anyp_algorithm *algorithm)
{
    for (int i = 0; i < ANYP_COLLECTIVES * EXAMPLES; i++) {
        const anyp_collective its = (anyp_collective) (i / EXAMPLES);
        const int p = example_p[i % EXAMPLES];
        if (!(algorithm->collectives & ANYP_IN_SET(its)))
            continue;
        const anyp_cost cost = example_cost(algorithm, its, p);
        if (json)
            anypi_json_write(json, "{ collective:%s p:%d rounds:%g messages:%g beta:%g gamma:%g }",
                             anyp_collective_name(its), p, cost.latencies, cost.overheads / 2,
                             cost.bytes_sent, cost.bytes_reduced);
        else
            printf("      %-20s %4d %6.4g %8.4g %8.4g %8.4g\n", anyp_collective_name(its), p,
                   cost.latencies, cost.overheads / 2, cost.bytes_sent, cost.bytes_reduced);
    }
}

static bool is_alias_of(const anypi_alias *alias, const anyp_algorithm *algorithm)
{
    int count;
    return &anyp_algorithms(&count)[alias->algorithm] == algorithm;
}

static void print_collectives(const anyp_algorithm *algorithm)
{
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        if (algorithm->collectives & ANYP_IN_SET(i))
            printf(" %s", anyp_collective_name((anyp_collective) i));
    putchar('\n');
}

static void print_table(const anyp_algorithm *algorithms, int count)
{
    printf("%-20s %-12s %-10s %s\n", "algorithm", "operators", "tuner", "collectives");
    for (int i = 0; i < count; i++) {
        printf("%-20s %-12s %-10s", algorithms[i].name,
               algorithms[i].properties & ANYP_CANONICAL ? "any" : "commutative",
               algorithms[i].properties & ANYP_REFERENCE ? "reference" : "candidate");
        print_collectives(&algorithms[i]);
    }
}

static void print(const anyp_algorithm *algorithm)
{
    printf("%s\n    %s\n    collectives:", algorithm->name, algorithm->code->summary);
    print_collectives(algorithm);
    printf("    order: %s\n", anypi_tool_order(algorithm));
    printf("    reproducible results: %s\n", reproducible(algorithm));
    if (algorithm->properties & ANYP_REFERENCE)
        puts("    reference: no benchmark chooses it; anyp-tune tries it with --all only");
    printf("    %-22s %4s %6s %8s %8s %8s\n", "cost at most", "p", "rounds", "messages", "m beta",
           "m gamma");
    show_costs(NULL, algorithm);
    printf("    source: %s\n", algorithm->code->source);
    for (const anypi_alias *alias = anypi_aliases; alias->name; alias++)
        if (is_alias_of(alias, algorithm))
            printf("    in decision files also: %s, with %s=%s\n", alias->name, alias->parameter,
                   alias->value);
    for (int i = 0; i < algorithm->parameters_count; i++)
        print_parameter(&algorithm->parameters[i]);
}

static void write_parameter(anypi_json *json, const anyp_parameter *parameter)
{
    char text[64], value[64];
    anyp_parameter_text(parameter, parameter->default_value, value, sizeof value);
    anypi_json_write(json, "{ name:%s type:%s", parameter->name,
                     parameter->values ? "enum" : "number");
    if (parameter->values) {
        anypi_json_write(json, "values:[");
        for (int i = 0; anypi_list_get(parameter->values, i, text, sizeof text); i++)
            anypi_json_write(json, "%s", text);
        anypi_json_write(json, "]");
        if (parameter->list)
            anypi_json_write(json, "list:%s", parameter->list);
    } else {
        anypi_json_write(json, "minimum:%d maximum:%d", parameter->minimum, parameter->maximum);
    }
    anypi_json_write(json, "default:%s help:%s }", value, parameter->help);
}

static void write_algorithm(anypi_json *json, const anyp_algorithm *algorithm)
{
    anypi_json_write(json, "{ name:%s summary:%s source:%s collectives:[", algorithm->name,
                     algorithm->code->summary, algorithm->code->source);
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        if (algorithm->collectives & ANYP_IN_SET(i))
            anypi_json_write(json, "%s", anyp_collective_name((anyp_collective) i));
    anypi_json_write(json, "] canonical:%hhd same_bracketing:%hhd reference:%hhd "
                     "reproducible:%s parameters:[",
                     (bool) (algorithm->properties & ANYP_CANONICAL),
                     (bool) (algorithm->properties & ANYP_SAME_BRACKETING),
                     (bool) (algorithm->properties & ANYP_REFERENCE), reproducible(algorithm));
    for (int i = 0; i < algorithm->parameters_count; i++)
        write_parameter(json, &algorithm->parameters[i]);
    anypi_json_write(json, "] aliases:[");
    for (const anypi_alias *alias = anypi_aliases; alias->name; alias++)
        if (is_alias_of(alias, algorithm))
            anypi_json_write(json, "{ name:%s parameter:%s value:%s }", alias->name,
                             alias->parameter, alias->value);
    anypi_json_write(json, "] costs:[");
    show_costs(json, algorithm);
    anypi_json_write(json, "] }");
}

/* Prints the table of all algorithms, the details of each, or those of the only one. */
static void print_all(const tool_options *options, const anyp_algorithm *algorithms, int count)
{
    if (count > 1)
        print_table(algorithms, count);
    if (count > 1 && !options->given[OPTION_ALL]) {
        puts("\nDetails: anyp list ALGORITHM, or anyp list --all");
        return;
    }
    for (int i = 0; i < count; i++) {
        if (count > 1)
            putchar('\n');
        print(&algorithms[i]);
    }
}

static int run(const tool_options *options)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    if (options->operands_count > 0) {
        const int status = anypi_tool_algorithm(options, options->operands[0], &algorithms);
        if (status != TOOL_GOOD)
            return status;
        count = 1;
    }
    if (!options->given[OPTION_JSON]) {
        print_all(options, algorithms, count);
        return TOOL_GOOD;
    }
    anypi_json json = { .file = stdout };
    anypi_json_write(&json, "{ version:%s algorithms:[", PACKAGE_VERSION);
    for (int i = 0; i < count; i++)
        write_algorithm(&json, &algorithms[i]);
    anypi_json_write(&json, "] }");
    return TOOL_GOOD;
}

const tool_command anypi_tool_list = {
    .name = "list",
    .summary = "list algorithms with their collectives, parameters, costs and sources",
    .operands = "[ALGORITHM]",
    .operands_maximum = 1,
    .accepts = OPTION_BIT(ALL) | OPTION_BIT(JSON),
    .description =
        "Prints a table of all algorithms; with ALGORITHM its details, with --all those of\n"
        "each.\n\n"
        "- operators: an algorithm for any operator computes x0 (+) x1 (+) ... (+) x(p-1) in\n"
        "  this order, with brackets that it chooses. If the operator commutes, operands may\n"
        "  also be exchanged.\n"
        "- tuner: a reference algorithm exists for comparison with its paper. anyp-tune tries\n"
        "  it only with --all.\n"
        "- cost: the closed form, an upper bound, for default parameters, a long vector of m\n"
        "  bytes and root 0. beta is the time to send a byte, gamma the time to reduce a\n"
        "  byte. The time to start messages is alpha * rounds if the messages of a round\n"
        "  start together, otherwise alpha * messages. 'anyp cost' computes other cases.\n",
    .examples = "  anyp list\n  anyp list circulant\n  anyp list --all\n"
        "  anyp list --json | python3 -m json.tool\n",
    .run = run,
};

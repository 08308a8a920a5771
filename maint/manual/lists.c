/* SPDX-License-Identifier: BSD-3-Clause */
#include "lists.h"
#include "roff.h"

#include "algorithms/registry.h"
#include "plan/options.h"
#include "tools/tool.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- anyp ---- */

static void write_option(const tool_command *command, tool_option option)
{
    const tool_option_text text = anypi_tool_option_text(option);
    roff_option(text.letter, text.name, text.is_optional ? "[=" : " ", text.argument);
    roff_text(text.help);
    if (command->needs & OPTION_BIT(option))
        roff_text("(needed)");
}

static void write_command(const tool_command *command)
{
    char title[64], synopsis[256];
    snprintf(title, sizeof title, "anyp %s", command->name);
    snprintf(synopsis, sizeof synopsis, "anyp %s [OPTION]...%s%s", command->name,
             *command->operands ? " " : "", command->operands);
    roff_subsection(title);
    roff_synopsis(synopsis);
    puts(".PP");
    roff_text(command->summary);
    puts(".PP");
    roff_text(command->description);
    for (int i = 0; i < TOOL_OPTIONS; i++)
        if (command->accepts & OPTION_BIT(i))
            write_option(command, (tool_option) i);
    roff_option('h', "help", "", NULL);
    roff_text("print the command's help");
    if (command->statuses) {
        puts(".PP\nExit status:");
        roff_text(command->statuses);
    }
    puts(".PP\nExamples:");
    roff_examples(command->examples);
}

static void write_commands(void)
{
    for (int i = 0; i < TOOL_COMMANDS; i++)
        write_command(anypi_tool_commands[i]);
}

/* ---- anyp-tune ---- */

static void write_tuner(void)
{
    roff_text(anypi_usage_description);
    puts(".PP");
    roff_text(anypi_usage_notes);
    roff_section("options");
    for (const anypi_option_row *row = anypi_option_rows; row->name; row++) {
        roff_option(0, row->name, " ", row->argument);
        roff_text(row->help);
    }
    roff_section("exit status");
    roff_text(anypi_usage_statuses);
}

/* ---- variables of the plug-in ---- */

/* Variables are called so for each of the collectives. */
static void write_each(const char *name, const char *argument, const char *help)
{
    char variable[128];
    snprintf(variable, sizeof variable, "ANYP_<COLLECTIVE>_%s", name);
    roff_term(variable, "=", argument);
    roff_text(help);
}

static void write_variables(void)
{
#define ANYP_VARIABLE(name, argument, help)                                                        \
    roff_term("ANYP_" #name, "=", #argument);                                                      \
    roff_text(help);
#define ANYP_VARIABLE_EACH(name, argument, help) write_each(#name, #argument, help);
#include "settings/variables.def"
#undef ANYP_VARIABLE
#undef ANYP_VARIABLE_EACH
    write_each("<PARAMETER>", "VALUE", "a parameter of the algorithm that the variable above names");
}

/* ---- algorithms ---- */

static void write_parameter(const anyp_parameter *parameter)
{
    char value[ANYP_VALUE_SIZE], range[512], text[2048];
    snprintf(text, sizeof text, "%s (%s; default %s)", parameter->help,
             anyp_parameter_range(parameter, range, sizeof range),
             anyp_parameter_text(parameter, parameter->default_value, value, sizeof value));
    roff_term(parameter->name, "", NULL);
    roff_text(text);
}

static void write_algorithm(const anyp_algorithm *algorithm)
{
    roff_subsection(algorithm->name);
    roff_text(algorithm->code->summary);
    fputs(".br\nCollectives:", stdout);
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        if (algorithm->collectives & ANYP_IN_SET(i))
            printf(" %s", anyp_collective_name((anyp_collective) i));
    fputs("\n.br\nOperators: ", stdout);
    roff_text(anypi_tool_order(algorithm));
    fputs(".br\nSource: ", stdout);
    roff_text(algorithm->code->source);
    if (algorithm->properties & ANYP_REFERENCE)
        puts(".br\nReference algorithm");
    for (int i = 0; i < algorithm->parameters_count; i++)
        write_parameter(&algorithm->parameters[i]);
}

static void write_algorithms(void)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int i = 0; i < count; i++)
        write_algorithm(&algorithms[i]);
}

bool list_write(const char *name)
{
    static const struct {
        const char *name;
        void (*write)(void);
    } lists[] = {
        { "commands", write_commands },
        { "tuner", write_tuner },
        { "variables", write_variables },
        { "algorithms", write_algorithms },
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        if (!strcmp(name, lists[i].name)) {
            lists[i].write();
            return true;
        }
    return false;
}

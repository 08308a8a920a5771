/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp.c - anyp(1): the tool's commands and their options.
 */
#include "pages.h"
#include "roff.h"

#include "tools/tool.h"

#include <stdio.h>

static void write_option(const tool_command *command, tool_option option)
{
    const tool_option_text text = anypi_tool_option_text(option);
    roff_option(text.letter, text.name, text.may_lack ? "[=" : " ", text.argument);
    roff_text(text.sentence);
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
    roff_text(command->sentence);
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
    roff_verbatim(command->examples);
}

void page_anyp(void)
{
    roff_page("anyp", 1, anypi_tool_sentence);
    roff_section("SYNOPSIS");
    roff_synopsis(anypi_tool_synopsis);
    puts(".br");
    roff_synopsis("anyp --help");
    puts(".br");
    roff_synopsis("anyp --version");
    roff_section("DESCRIPTION");
    roff_text(
        "AnyP has algorithms for MPI's reductions that are good for any number of\n"
        "processes. This tool shows what they do, proves that they are right, and says\n"
        "what they cost; it checks decision files, and runs programs with AnyP. It needs\n"
        "no MPI.\n");
    roff_section("COMMANDS");
    for (int i = 0; i < TOOL_COMMANDS; i++)
        write_command(anypi_tool_commands[i]);
    roff_section("EXIT STATUS");
    roff_text(TOOL_STATUSES ".\n");
    roff_see("libanyp(7), anyp-tune(1)");
}

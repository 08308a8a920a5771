/* SPDX-License-Identifier: BSD-3-Clause
 *
 * command.c - command lines of `anyp`, one word per line. Each must end with one of its statuses.
 * Command lines that would write a file, execute a program, or take long are left out.
 */
#include "fuzz/fuzz.h"

#include "schedule/shape.h"
#include "tools/tool.h"

#include <getopt.h>
#include <sanitizer/lsan_interface.h>
#include <unistd.h>

enum { MOST_WORDS = 24, MOST_RANKS = 16, MOST_PROVED = 3, MOST_BYTES = 1 << 16 };


int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void) argc, (void) argv;
    stdout = stderr = fopen("/dev/null", "w");
    FUZZ_CHECK(stdout, "/dev/null");
    return 0;
}

static bool is_harmless(const tool_options *options)
{
    const char *picture = options->word[OPTION_SVG];
    if (options->command->executes && !options->given[OPTION_DRY_RUN])
        return false;
    if (picture && strcmp(picture, "-"))
        return false;
    const char *page = options->word[OPTION_OUTPUT];
    if (options->command == &anypi_tool_report && (!page || strcmp(page, "-")))
        return false;
    if (options->number[OPTION_PROCESSES] > MOST_RANKS)
        return false;
    if (options->command == &anypi_tool_verify &&
        (options->number[OPTION_MAX_P] > MOST_PROVED || options->number[OPTION_JOBS] > 2 ||
         options->number[OPTION_PROCESSES] > MOST_PROVED))
        return false;
    return options->number[OPTION_COUNT] <= MOST_BYTES &&
        options->number[OPTION_BYTES] <= MOST_BYTES;
}

static void run(const tool_command *command, int argc, char **argv)
{
    tool_options options = { .nodes = NULL };
    optind = 0;                 /* getopt_long() begins anew */
    int status = anypi_tool_options_read(&options, command, argc, argv);
    if (status == -1)
        anypi_tool_help(command, stdout);
    else
        FUZZ_CHECK(status == TOOL_GOOD || status == TOOL_USAGE, "status %d", status);
    if (status == TOOL_GOOD && is_harmless(&options)) {
        if (command->executes)  /* what it leaves behind ends with the process */
            __lsan_disable();
        status = command->run(&options);
        if (command->executes)
            __lsan_enable();
        FUZZ_CHECK(status >= 0 && (command->executes || status <= TOOL_USAGE), "status %d", status);
    }
    anypi_shape_free(options.nodes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *words[MOST_WORDS + 1], *rest = text;
    int count = 0;
    while (rest && count < MOST_WORDS)
        words[count++] = strsep(&rest, "\n");
    words[count] = NULL;
    clearenv();                 /* `anyp run` sets variables */
    for (int i = 0; i < TOOL_COMMANDS; i++)
        if (!strcmp(words[0], anypi_tool_commands[i]->name))
            run(anypi_tool_commands[i], count, words);
    free(text);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp - shows, proves and costs AnyP's algorithms, all without MPI. It also checks the files that
 * choose algorithms, and runs programs with them. This file finds the command, and reports errors
 * of the output.
 */
#include "schedule/shape.h"
#include "select/text.h"
#include "tools/tool.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void help(void)
{
    printf("anyp - %s\n\nUsage: %s\n\nCommands:\n", anypi_tool_summary, anypi_tool_synopsis);
    for (int i = 0; i < TOOL_COMMANDS; i++)
        printf("  %-10s %s\n", anypi_tool_commands[i]->name, anypi_tool_commands[i]->summary);
    printf("\n'anyp COMMAND --help' has options and examples; 'anyp --version' the version.\n"
           "Exit status: %s.\n", TOOL_STATUSES);
}

static const tool_command *find(const char *name)
{
    for (int i = 0; i < TOOL_COMMANDS; i++)
        if (!strcmp(anypi_tool_commands[i]->name, name))
            return anypi_tool_commands[i];
    return NULL;
}

static int unknown(const char *name)
{
    anypi_nearest nearest;
    anypi_nearest_init(&nearest, name);
    for (int i = 0; i < TOOL_COMMANDS; i++)
        anypi_nearest_try(&nearest, anypi_tool_commands[i]->name);
    anypi_complain("anyp", "unknown command '%s'%s%s%s", name,
                   *nearest.text ? "; did you mean " : "", nearest.text, *nearest.text ? "?" : "");
    fprintf(stderr, "See: anyp --help\n");
    return TOOL_USAGE;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "anyp: a command is missing\nSee: anyp --help\n");
        return TOOL_USAGE;
    }
    if (!strcmp(argv[1], "--version")) {
        printf("anyp %s\n", PACKAGE_VERSION);
        return TOOL_GOOD;
    }
    const bool asks_help = !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") ||
        !strcmp(argv[1], "help");
    if (asks_help && argc < 3) {
        help();
        return TOOL_GOOD;
    }
    const char *name = argv[asks_help ? 2 : 1];
    const tool_command *command = find(name);
    if (!command)
        return unknown(name);

    if (!command->executes)
        signal(SIGPIPE, SIG_IGN);   /* a closed pipe is then an error of write() */
    tool_options options;
    options.nodes = NULL;
    int status = asks_help ? -1 : anypi_tool_options_read(&options, command, argc - 1, argv + 1);
    if (status == -1) {
        anypi_tool_help(command, stdout);
        status = TOOL_GOOD;
    } else if (status == TOOL_GOOD) {
        status = command->run(&options);
    }
    anypi_shape_free(options.nodes);
    return status;
}

/* Is stdout a pipe whose reader has closed it, as in `| head`? This error is not reported. */
static bool reader_closed(void)
{
    struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
    return errno == EPIPE || (poll(&out, 1, 0) == 1 && (out.revents & POLLERR));
}

int main(int argc, char **argv)
{
    const int status = run(argc, argv);
    errno = 0;
    if (fflush(stdout) || ferror(stdout)) {
        const int error = errno;
        if (reader_closed())
            return TOOL_BAD;
        errno = error;
        fprintf(stderr, "anyp: cannot write the output%s%s\n", errno ? ": " : "",
                errno ? strerror(errno) : "");
        return TOOL_BAD;
    }
    return status;
}

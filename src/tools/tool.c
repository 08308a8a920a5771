/* SPDX-License-Identifier: BSD-3-Clause
 *
 * tool.c - error messages of commands, and --mpich.
 */
#include "tools/tool.h"

#include "select/mpich.h"

#include <stdarg.h>
#include <stdio.h>

static void vcomplain(const tool_options *options, const char *format, va_list arguments)
{
    char program[64];
    snprintf(program, sizeof program, "anyp %s", options->command->name);
    anypi_vcomplain(program, format, arguments);
}

int anypi_tool_complain(const tool_options *options, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vcomplain(options, format, arguments);
    va_end(arguments);
    return status;
}

int anypi_tool_status(const tool_options *options, anyp_status status)
{
    return status == ANYP_SUCCESS ? TOOL_GOOD
        : anypi_tool_complain(options, TOOL_BAD, "%s", anyp_status_text(status));
}

int anypi_tool_misuse(const tool_options *options, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vcomplain(options, format, arguments);
    va_end(arguments);
    fprintf(stderr, "See: anyp %s --help\n", options->command->name);
    return TOOL_USAGE;
}

int anypi_tool_mpich(const tool_options *options)
{
    char message[1024];
    const char *which = options->word[OPTION_MPICH];
    const anyp_status status = anypi_mpich_open(which, message, sizeof message);
    if (status == ANYP_SUCCESS)
        return TOOL_GOOD;
    return anypi_tool_complain(options, which ? TOOL_USAGE : TOOL_BAD, "%s%s",
                               which ? "--mpich: " : "",
                               status == ANYP_ERR_FILE ? message : anyp_status_text(status));
}

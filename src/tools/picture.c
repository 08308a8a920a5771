/* SPDX-License-Identifier: BSD-3-Clause
 *
 * picture.c - writes the picture of all ranks into a file.
 */
#include "tools/draw.h"

#include "algorithms/registry.h"
#include "schedule/set.h"
#include "tools/tool.h"
#include "tuner/text_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Draws a set into *text, to be freed with free(). */
static anyp_status draw(const anyp_schedule *set, const tool_call *call, char **text)
{
    size_t length;
    FILE *file = open_memstream(text, &length);
    if (!file)
        return ANYP_ERR_MEMORY;
    char parameters[256], title[512];
    anypi_parameters_text(call->algorithm, call->parameters, " ", parameters, sizeof parameters);
    snprintf(title, sizeof title, "%s by %s, p = %d%s%s%s",
             anyp_collective_name(call->call.collective), call->algorithm->name, call->call.p,
             *parameters ? ", " : "", parameters, anypi_tool_shape_text(call));
    const anyp_status status = anypi_draw(set, &call->call, title, file);
    *text = anypi_text_end(file, text);
    return *text ? status : ANYP_ERR_MEMORY;
}

/* Writes the picture to stdout, or replaces a plain file, or writes to a device, a pipe or the
 * target of a link that does not exist yet. On failure returns false and a message. (main()
 * reports errors of stdout.) */
static bool write_text(const char *name, const char *text, char *message, size_t size)
{
    struct stat old;
    const bool standard = !strcmp(name, "-");
    if (!standard && *name && (stat(name, &old) ? lstat(name, &old) : S_ISREG(old.st_mode)))
        return anypi_file_replace(name, "--svg", text, message, size);
    FILE *file = standard ? stdout : fopen(name, "w");
    bool done = file && (fputs(text, file) >= 0 || standard);
    if (file && !standard)
        done = !fclose(file) && done;
    if (!done)
        snprintf(message, size, "cannot write %s: %s", *name ? name : "''", strerror(errno));
    return done;
}

int anypi_tool_picture(const tool_options *options, const tool_call *call)
{
    char message[4096], *text = NULL;
    anyp_schedule *set;
    if (options->given[OPTION_JSON] || options->given[OPTION_RANK])
        return anypi_tool_misuse(options, "--json and --rank cannot be combined with --svg, which "
                                 "draws all ranks");
    int result = anypi_tool_set(options, call, &set);
    if (result != TOOL_GOOD)
        return result;

    const anyp_status status = draw(set, call, &text);
    if (status == ANYP_ERR_ARGUMENT)
        result = anypi_tool_complain(options, TOOL_BAD, "cannot draw more than %d messages; use "
                                     "fewer processes or larger segments",
                                     DRAW_MAX_MESSAGES);
    else if (status != ANYP_SUCCESS)
        result = anypi_tool_status(options, status);
    else if (!write_text(options->word[OPTION_SVG], text, message, sizeof message))
        result = anypi_tool_complain(options, TOOL_BAD, "%s", message);
    free(text);
    anypi_set_free(set, call->call.p);
    return result;
}

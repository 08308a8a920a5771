/* SPDX-License-Identifier: BSD-3-Clause
 *
 * picture.c - the picture of all ranks, into a file.
 */
#include "tools/draw.h"

#include "algorithms/registry.h"
#include "schedule/set.h"
#include "tools/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The picture as text, to be freed with free(). */
static anyp_status draw(const anyp_schedule *set, const tool_call *call, char **text, size_t *size)
{
    char parameters[256], title[512];
    anypi_parameters_text(call->algorithm, call->parameters, " ", parameters, sizeof parameters);
    snprintf(title, sizeof title, "%s by %s, p = %d%s%s%s",
             anyp_collective_name(call->call.collective), call->algorithm->name, call->call.p,
             *parameters ? ", " : "", parameters, anypi_tool_shape_text(call));
    *text = NULL;
    FILE *file = open_memstream(text, size);
    if (!file)
        return ANYP_ERR_MEMORY;
    const anyp_status status = anypi_draw(set, &call->call, title, file);
    const bool written = !ferror(file);
    return fclose(file) == 0 && written ? status : ANYP_ERR_MEMORY;
}

/* Puts the text into the file; false with errno. What is not a plain file (a link, a device) is
 * written as it is; a plain one is replaced once the new one is complete beside it. */
static bool put(const char *name, const char *text, size_t size)
{
    struct stat old;
    const bool beside = lstat(name, &old) != 0 || S_ISREG(old.st_mode);
    char *path;
    if (asprintf(&path, "%s%s", name, beside ? ".new" : "") < 0)
        return false;
    FILE *file = fopen(path, "w");
    bool done = file && fwrite(text, 1, size, file) == size;
    if (file && fclose(file))
        done = false;
    done = done && (!beside || rename(path, name) == 0);
    const int error = errno;
    if (!done && beside)
        remove(path);
    free(path);
    errno = error;
    return done;
}

int anypi_tool_picture(const tool_options *options, const tool_call *call)
{
    const char *name = options->word[OPTION_SVG];
    anyp_schedule *set;
    char *text;
    size_t size;
    if (options->given[OPTION_JSON] || options->given[OPTION_RANK])
        return anypi_tool_misuse(options, "--svg draws all ranks: no --json or --rank with it");
    int result = anypi_tool_set(options, call, &set);
    if (result != TOOL_GOOD)
        return result;

    const anyp_status status = draw(set, call, &text, &size);
    if (status == ANYP_ERR_ARGUMENT)
        result = anypi_tool_complain(options, TOOL_BAD, "more than %d messages are no picture: "
                                     "take fewer processes or larger segments",
                                     DRAW_MAX_MESSAGES);
    else if (status != ANYP_SUCCESS)
        result = anypi_tool_complain(options, TOOL_BAD, "%s", anyp_status_text(status));
    else if (!strcmp(name, "-"))
        fwrite(text, 1, size, stdout);  /* main() reports errors of stdout */
    else if (!put(name, text, size))
        result = anypi_tool_complain(options, TOOL_BAD, "cannot write %s: %s", *name ? name : "''",
                                     strerror(errno));
    free(text);
    anypi_set_free(set, call->call.p);
    return result;
}

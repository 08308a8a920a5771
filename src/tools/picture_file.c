/* SPDX-License-Identifier: BSD-3-Clause
 *
 * picture_file.c - writes the picture of all ranks into a file.
 */
#include "tools/draw_svg.h"

#include "schedule/set.h"
#include "tools/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static anyp_status draw(const anyp_schedule *set, const tool_call *call, FILE *file)
{
    char title[512];
    snprintf(title, sizeof title, "%s%s", anypi_tool_title(call), anypi_tool_shape_text(call));
    return anypi_draw(set, &call->call, title, file);
}

/* A file that is being written. */
typedef struct output {
    FILE *file;                 /* NULL: it could not be opened */
    char *target;               /* the file to replace; if its name is a link, the file behind it */
    char *beside;               /* a new file beside the target; NULL: none */
} output;

/* Opens the output: stdout; or, beside a plain file, a new file that replaces it once it is
 * complete; or a device or pipe itself. Errors are in errno. */
static void open_output(const char *name, output *out)
{
    struct stat old, link;
    const bool exists = stat(name, &old) == 0;
    *out = (output) { .file = strcmp(name, "-") ? NULL : stdout };
    if (!out->file && (exists ? !S_ISREG(old.st_mode) : lstat(name, &link) == 0))
        out->file = fopen(name, "w");
    else if (!out->file)
        out->target = exists ? realpath(name, NULL) : strdup(name);
    if (!out->target || asprintf(&out->beside, "%s.XXXXXX", out->target) < 0) {
        out->beside = NULL;
        return;
    }
    const int file = mkstemp(out->beside);
    if (file < 0)
        return;
    const mode_t mask = umask(0);
    umask(mask);
    fchmod(file, exists ? old.st_mode & 0777 : 0666 & ~mask);
    out->file = fdopen(file, "w");
    if (!out->file) {
        close(file);
        unlink(out->beside);
    }
}

/* Closes what is open. Replaces the old file if the new one is `good`, otherwise keeps it. On
 * failure returns false and sets errno. (main() reports errors of stdout.) */
static bool close_output(output *out, bool good)
{
    bool done = out->file;
    if (done && out->file != stdout) {
        const bool whole = !ferror(out->file);
        done = !fclose(out->file) && whole;
        if (done && good && out->beside)
            done = !rename(out->beside, out->target);
    }
    const int error = errno;
    if (out->file && out->beside && !(good && done))
        unlink(out->beside);
    free(out->target);
    free(out->beside);
    errno = error;
    return done;
}

int anypi_tool_picture(const tool_options *options, const tool_call *call)
{
    const char *name = options->word[OPTION_SVG];
    anyp_schedule *set;
    output out;
    if (options->given[OPTION_JSON] || options->given[OPTION_RANK])
        return anypi_tool_misuse(options, "--json and --rank cannot be combined with --svg, which "
                                 "draws all ranks");
    int result = anypi_tool_set(options, call, &set);
    if (result != TOOL_GOOD)
        return result;

    open_output(name, &out);
    const anyp_status status = out.file ? draw(set, call, out.file) : ANYP_SUCCESS;
    const bool written = close_output(&out, status == ANYP_SUCCESS);
    if (status == ANYP_ERR_ARGUMENT)
        result = anypi_tool_complain(options, TOOL_BAD, "cannot draw more than %d messages; use "
                                     "fewer processes or larger segments",
                                     DRAW_MAX_MESSAGES);
    else if (status != ANYP_SUCCESS)
        result = anypi_tool_status(options, status);
    else if (!written)
        result = anypi_tool_complain(options, TOOL_BAD, "cannot write %s: %s", *name ? name : "''",
                                     strerror(errno));
    anypi_set_free(set, call->call.p);
    return result;
}

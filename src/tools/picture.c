/* SPDX-License-Identifier: BSD-3-Clause
 *
 * picture.c - the picture of all ranks, into a file.
 */
#include "tools/draw.h"

#include "algorithms/registry.h"
#include "schedule/set.h"
#include "tools/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct text_buffer {
    char *text;
    size_t size, room;
} text_buffer;

/* A stream's function: 0 is an error, which the stream keeps. */
static ssize_t append(void *to, const char *data, size_t size)
{
    text_buffer *buffer = to;
    if (buffer->room - buffer->size < size) {
        const size_t room = 2 * buffer->room + size;
        char *larger = realloc(buffer->text, room);
        if (!larger)
            return 0;
        buffer->text = larger;
        buffer->room = room;
    }
    memcpy(buffer->text + buffer->size, data, size);
    buffer->size += size;
    return (ssize_t) size;
}

/* The picture as text, to be freed with free(). */
static anyp_status draw(const anyp_schedule *set, const tool_call *call, char **text, size_t *size)
{
    char parameters[256], title[512];
    anypi_parameters_text(call->algorithm, call->parameters, " ", parameters, sizeof parameters);
    snprintf(title, sizeof title, "%s by %s, p = %d%s%s%s",
             anyp_collective_name(call->call.collective), call->algorithm->name, call->call.p,
             *parameters ? ", " : "", parameters, anypi_tool_shape_text(call));
    text_buffer buffer = { NULL, 0, 0 };
    *text = NULL;
    /* not open_memstream(): without memory it loses text, and that is no error of the stream */
    FILE *file = fopencookie(&buffer, "w", (cookie_io_functions_t) { .write = append });
    if (!file)
        return ANYP_ERR_MEMORY;
    const anyp_status status = anypi_draw(set, &call->call, title, file);
    const bool written = !ferror(file);
    const bool whole = fclose(file) == 0 && written;
    *text = buffer.text;
    *size = buffer.size;
    return whole ? status : ANYP_ERR_MEMORY;
}

/* Opens what the text is to be written to: a new file beside a plain one, to replace it once it is
 * complete, or what is not a plain one (a device, a pipe) itself. *target is the file to replace,
 * also where the name is a link to it, and *beside the new one; both NULL, or to be freed. -1 with
 * errno. */
static int open_output(const char *name, char **target, char **beside)
{
    struct stat old, link;
    const bool exists = stat(name, &old) == 0;
    if (exists ? !S_ISREG(old.st_mode) : lstat(name, &link) == 0)
        return open(name, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    *target = exists ? realpath(name, NULL) : strdup(name);
    if (!*target || asprintf(beside, "%s.XXXXXX", *target) < 0) {
        *beside = NULL;
        return -1;
    }
    const int file = mkstemp(*beside);
    const mode_t mask = umask(0);
    umask(mask);
    if (file >= 0)
        fchmod(file, exists ? old.st_mode & 0777 : 0666 & ~mask);
    return file;
}

/* Puts the text into the file; false with errno. Then the old file is kept. */
static bool put(const char *name, const char *text, size_t size)
{
    char *target = NULL, *beside = NULL;
    const int descriptor = open_output(name, &target, &beside);
    bool done = descriptor >= 0;
    while (done && size > 0) {
        const ssize_t written = write(descriptor, text, size);
        done = written >= 0;
        text += done ? written : 0;
        size -= done ? (size_t) written : 0;
    }
    int error = errno;
    if (descriptor >= 0 && close(descriptor) && done) {
        done = false;
        error = errno;
    }
    if (done && beside && rename(beside, target)) {
        done = false;
        error = errno;
    }
    if (!done && beside && descriptor >= 0)
        unlink(beside);
    free(target);
    free(beside);
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

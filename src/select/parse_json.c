/* SPDX-License-Identifier: BSD-3-Clause
 *
 * parse_json.c - reads a file into json-c's tree and a list of the positions of its keys. Comments
 * are allowed. It knows JSON, but not decision files.
 */
#include "select/rule_tree.h"

#include "schedule/memory.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { largest_file = 16 << 20, deepest_json = 64 };

void anypi_source_free(anypi_source *source)
{
    if (source->root)
        json_object_put(source->root);
    anypi_free(source->text);
    anypi_free(source->positions);
    memset(source, 0, sizeof *source);
}

anyp_status anypi_source_read(anypi_source *source, const char *file, const char **reason)
{
    struct stat state;
    ssize_t got = 0;
    anyp_status status = ANYP_ERR_FILE;
    /* it does not wait for a writer of a named pipe */
    const int descriptor = open(file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0 || fstat(descriptor, &state)) {
        *reason = strerror(errno);
    } else if (!S_ISREG(state.st_mode)) {
        *reason = S_ISDIR(state.st_mode) ? "it is a directory" : "it is not a regular file";
    } else if (state.st_size > largest_file) {
        *reason = "it is larger than 16 MiB";
    } else if (!(source->text = anypi_realloc(NULL, (size_t) state.st_size + 1))) {
        status = ANYP_ERR_MEMORY;
    } else {
        const size_t size = (size_t) state.st_size;
        while (source->length < size && (got = read(descriptor, source->text + source->length,
                                                    size - source->length)) > 0)
            source->length += (size_t) got;
        source->text[source->length] = '\0';
        *reason = strerror(errno);
        status = got < 0 ? ANYP_ERR_FILE : ANYP_SUCCESS;
    }
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

/* Returns the next position that is not white space; at most the end. */
static size_t skip_blank(const char *text, size_t end, size_t i)
{
    while (i < end && isspace((unsigned char) text[i]))
        i++;
    return i;
}

/* Returns the position after the string that begins at i with a quote of either kind; at most the
 * end. */
static size_t skip_string(const char *text, size_t length, size_t i)
{
    const char quote = text[i++];
    while (i < length && text[i] != quote)
        i += text[i] == '\\' ? 2 : 1;
    return i < length ? i + 1 : length;
}

/* Replaces comments by spaces and keeps newlines. json-c does not find the end of a comment that
 * ends in two asterisks and a slash. A comment without an end is not changed. */
static void blank_comments(char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        const char *end = text + i;
        if (text[i] == '/' && text[i + 1] == '/') {
            end = text + i + strcspn(text + i, "\n");
        } else if (text[i] == '/' && text[i + 1] == '*') {
            end = strstr(text + i + 2, "*/");
            if (!end)
                return;
            end += 2;
        } else {
            i = text[i] == '"' || text[i] == '\'' ? skip_string(text, length, i) : i + 1;
        }
        for (; text + i < end; i++)
            text[i] = text[i] == '\n' ? '\n' : ' ';
    }
}

/* Lists the keys of a text that json-c has accepted: strings before a colon. */
static anyp_status list_positions(anypi_source *source, size_t end, const char **reason,
                                  size_t *offset)
{
    const char *text = source->text;
    int depth = 0;
    for (size_t i = skip_blank(text, end, 0); i < end; i = skip_blank(text, end, i)) {
        if (text[i] != '"' && text[i] != '\'') {
            depth += text[i] == '{' || text[i] == '[';
            depth -= text[i] == '}' || text[i] == ']';
            i++;
            continue;
        }
        const size_t start = i;
        i = skip_string(text, end, i);
        if (memmem(text + start, i - start, "\\u0000", 6)) {
            *reason = "a string contains the NUL character \\u0000; remove it";
            *offset = start;
            return ANYP_ERR_FILE;
        }
        if (text[skip_blank(text, end, i)] != ':')
            continue;
        anypi_key_position *positions = anypi_grow(source->positions, &source->capacity,
                                                   source->count, sizeof *positions);
        if (!positions)
            return ANYP_ERR_MEMORY;
        source->positions = positions;
        source->positions[source->count++] = (anypi_key_position) { start, depth };
    }
    return ANYP_SUCCESS;
}

static const char *syntax_reason(enum json_tokener_error error)
{
    switch (error) {
        case json_tokener_error_depth:
            return "nested too deeply; expected at most 12 nested conditions";
        case json_tokener_continue:
        case json_tokener_error_parse_eof:
            return "not JSON: the file ends before all braces are closed; add the missing }";
        default:
            return "not JSON: unexpected character; expected {\"condition\": {...}, ...}, with "
                "quotes, colons and commas";
    }
}

anyp_status anypi_source_parse(anypi_source *source, const char **reason, size_t *offset)
{
    const char *nul = memchr(source->text, '\0', source->length);
    if (nul) {
        *reason = "the file contains a NUL byte; expected a text file";
        *offset = (size_t) (nul - source->text);
        return ANYP_ERR_FILE;
    }
    blank_comments(source->text, source->length);
    *offset = skip_blank(source->text, source->length, 0);
    if (*offset == source->length) {
        *reason = "the file contains no JSON object; expected one, {} for no rules";
        return ANYP_ERR_FILE;
    }
    if (!strncmp(source->text, "\xef\xbb\xbf", 3)) {
        *reason = "the file begins with a byte order mark; save it as UTF-8 without one";
        *offset = 0;
        return ANYP_ERR_FILE;
    }
    if (source->text[*offset] != '{') {
        *reason = "not a JSON object; expected {\"collective=NAME\": {...}, ...}";
        return ANYP_ERR_FILE;
    }
    struct json_tokener *tokener = json_tokener_new_ex(deepest_json);
    if (!tokener)
        return ANYP_ERR_MEMORY;
    source->root = json_tokener_parse_ex(tokener, source->text, (int) source->length);
    const enum json_tokener_error error = json_tokener_get_error(tokener);
    const size_t end = json_tokener_get_parse_end(tokener);
    json_tokener_free(tokener);
    if (error != json_tokener_success || !source->root) {
        *reason = syntax_reason(error);
        *offset = end < source->length ? end : source->length;
        return ANYP_ERR_FILE;
    }
    *offset = skip_blank(source->text, source->length, end);
    if (*offset < source->length) {
        *reason = "text after the end of the JSON object; remove it";
        return ANYP_ERR_FILE;
    }
    return list_positions(source, end, reason, offset);
}

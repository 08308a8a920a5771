/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decision_messages.c - the messages about wrong decision files: one line each, with file, line and
 * column, the keys down to the wrong one, the reason and what is expected.
 */
#include "select/check_rules.h"

#include "select/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Appends a file's name; of a long one, only the end. */
static void append_name(char *text, size_t size, const char *name)
{
    enum { longest = 200 };
    const size_t length = strlen(name);
    anypi_append(text, size, length > longest ? "..." : "");
    anypi_append(text, size, length > longest ? name + length - longest : name);
}

static void append_path(char *text, size_t size, const anypi_frame *frame)
{
    if (frame->up && frame->up->key[0]) {
        append_path(text, size, frame->up);
        anypi_append(text, size, " / ");
    }
    anypi_append(text, size, frame->key);
}

static void find_line(const char *text, size_t offset, int *line, int *column)
{
    *line = *column = 1;
    for (size_t i = 0; i < offset; i++)
        if (text[i] == '\n') {
            ++*line;
            *column = 1;
        } else {
            ++*column;
        }
}

bool anypi_is_reported(const anypi_checker *checker)
{
    const int number = checker->first->errors + 1;
    return number == 1 || (checker->listener && number <= ANYPI_MAX_REPORTED);
}

bool anypi_report(anypi_checker *checker, const anypi_frame *frame, const char *format, ...)
{
    const bool reported = anypi_is_reported(checker);
    const int number = ++checker->first->errors;
    if (!reported)
        return false;

    anypi_diagnosis error = { .errors = number };
    char words[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);

    append_name(error.text, sizeof error.text, checker->source->name);
    if (frame) {
        find_line(checker->source->text, frame->offset, &error.line, &error.column);
        append_path(error.path, sizeof error.path, frame);
        char position[32];
        snprintf(position, sizeof position, ":%d:%d", error.line, error.column);
        anypi_append(error.text, sizeof error.text, position);
        anypi_append(error.text, sizeof error.text, error.path[0] ? ": at " : "");
        anypi_append(error.text, sizeof error.text, error.path);
    }
    anypi_append(error.text, sizeof error.text, ": ");
    anypi_append(error.text, sizeof error.text, words);

    if (number == 1)
        *checker->first = error;
    if (checker->listener)
        checker->listener(checker->context, &error);
    return false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/log.h"

#include "algorithms/automatic.h"
#include "algorithms/registry.h"
#include "schedule/collectives.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const operator_names[ANYPI_OPERATOR_KINDS] = {
    "commutative", "commutative-user", "non-commutative"
};

void anypi_log_add(anypi_log_line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int more = vsnprintf(line->text + line->length, sizeof line->text - line->length, format,
                               arguments);
    va_end(arguments);
    if (more > 0)
        line->length += (size_t) more;
    if (line->length >= sizeof line->text)
        line->length = sizeof line->text - 1;
}

bool anypi_log_begin(anypi_log_line *line, anypi_logged *logged, anypi_mode mode,
                     anyp_collective collective, int p, int64_t bytes, anypi_operator_kind kind)
{
    const int size_class = bytes > 0 ? 63 - __builtin_clzll((unsigned long long) bytes) : 0;
    uint64_t *sizes = &logged->sizes[mode][collective][kind];
    if (*sizes >> size_class & 1)
        return false;
    *sizes |= (uint64_t) 1 << size_class;
    line->length = 0;
    anypi_log_add(line, "anyp: %s%s p=%d bytes=%lld%s%s%s -> ", mode == ANYPI_BLOCKING ? "" : "i",
                  anyp_collective_name(collective), p, (long long) bytes,
                  anypi_moves(collective) ? "" : " op=",
                  anypi_moves(collective) ? "" : operator_names[kind],
                  mode == ANYPI_PERSISTENT ? " persistent" : "");
    return true;
}

void anypi_log_add_algorithm(anypi_log_line *line, const anyp_algorithm *algorithm,
                             const int *parameters, const int *asked)
{
    char text[sizeof line->text], chosen[256] = "";
    anypi_parameters_text(algorithm, parameters, ", ", text, sizeof text);
    if (asked != parameters)
        anypi_automatic_text(algorithm, parameters, asked, chosen, sizeof chosen);
    anypi_log_add(line, "anyp_%s%s%s%s%s%s", algorithm->name, *text ? "(" : "", text,
                  *chosen ? "; auto: " : "", chosen, *text ? ")" : "");
}

void anypi_log_end(const anypi_log_line *line)
{
    fprintf(stderr, "%s\n", line->text);
}

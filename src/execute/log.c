/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/log.h"

#include "algorithms/registry.h"
#include "algorithms/settle.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/ranks.h"
#include "schedule/shape.h"
#include "schedule/threads.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

bool anypi_log_begin(anypi_log_line *line, anypi_logged *logged, unsigned age, anypi_mode mode,
                     anyp_collective collective, int p, int64_t bytes, anypi_operator_kind kind)
{
    const int size_class = bytes > 0 ? anypi_log2_floor((uint64_t) bytes) : 0;
    const bool begins = !logged->lines || logged->age != age;
    if (!logged->lines && !(logged->lines = anypi_realloc(NULL, sizeof *logged->lines)))
        return false;
    if (begins)
        memset(logged->lines, 0, sizeof *logged->lines);
    logged->age = age;
    uint64_t *sizes = &(*logged->lines)[mode][collective][kind];
    if (*sizes >> size_class & 1)
        return false;
    *sizes |= (uint64_t) 1 << size_class;
    line->length = 0;
    line->size_class = size_class;
    line->age = age;
    anypi_log_add(line, "anyp: %s%s p=%d bytes=", mode == ANYPI_BLOCKING ? "" : "i",
                  anyp_collective_name(collective), p);
    line->bytes = line->length;
    anypi_log_add(line, "%lld", (long long) bytes);
    line->after = line->length;
    const bool moves = anypi_moves(collective);
    anypi_log_add(line, "%s%s%s -> ", kind == ANYPI_NO_OPERATOR_DEVICE ? " memory=device"
                  : moves ? "" : " op=", moves ? "" : operator_names[kind],
                  mode == ANYPI_PERSISTENT ? " persistent" : "");
    return true;
}

/* Adds "anyp_NAME(PARAMETER=VALUE, ...)". `asked` are the parameters of the rule or the variable.
 * If some of them are "auto", adds the names of the parameters that the closed form chose: "; auto:
 * PARAMETER, ...". */
static void add_algorithm(anypi_log_line *line, const anyp_algorithm *algorithm,
                          const int *parameters, const int *asked)
{
    char text[sizeof line->text], chosen[256] = "";
    anypi_parameters_text(algorithm, parameters, ", ", text, sizeof text);
    if (asked != parameters)
        anypi_automatic_text(algorithm, parameters, asked, chosen, sizeof chosen);
    anypi_log_add(line, "anyp_%s%s%s%s%s%s", algorithm->name, *text ? "(" : "", text,
                  *chosen ? "; auto: " : "", chosen, *text ? ")" : "");
}

void anypi_log_add_decision(anypi_log_line *line, const anypi_entry *entry,
                            const anypi_asked *asked, const char *otherwise)
{
    if (entry->algorithm)
        add_algorithm(line, entry->algorithm, entry->parameters, entry->asked);
    else
        anypi_log_add(line, "%s", otherwise);
    if (entry->reason && asked->algorithm) {
        anypi_log_add(line, " instead of ");
        add_algorithm(line, asked->algorithm, asked->parameters, asked->parameters);
    }
    if (entry->reason)
        anypi_log_add(line, ": %s", entry->reason);
}

void anypi_warn_not_reproducible(anypi_mode mode, const anyp_call *call, const char *variable,
                                 const char *reason)
{
    static anypi_atomic warned = ANYPI_ATOMIC(0);
    if (call->rank == 0 && anypi_atomic_add(&warned, 1) == 0)
        fprintf(stderr, "anyp: the result of %s%s is not reproducible, although %s is set: %s\n",
                mode == ANYPI_BLOCKING ? "" : "i", anyp_collective_name(call->collective),
                variable, reason);
}

/* ---- what the process has written ---- */

typedef struct written {
    anypi_log_line line;
    long others;                /* number of communicators that had the line later */
} written;

static struct {
    anypi_lock lock;
    written *lines;
    int count, room;
    unsigned age;               /* of all lines */
} process = { .lock = ANYPI_UNLOCKED };

static bool is_same(const anypi_log_line *old, const anypi_log_line *line)
{
    return old->size_class == line->size_class && old->bytes == line->bytes &&
        !memcmp(old->text, line->text, line->bytes) &&
        !strcmp(old->text + old->after, line->text + line->after);
}

/* Remembers a line. Without memory, the line may be written again. The caller holds the lock. */
static void keep(const anypi_log_line *line)
{
    written *lines = anypi_grow(process.lines, &process.room, process.count, sizeof *lines);
    if (!lines)
        return;
    process.lines = lines;
    lines[process.count++] = (written) { .line = *line };
}

/* The caller holds the lock. */
static void finish(void)
{
    for (int i = 0; i < process.count; i++) {
        const written *its = &process.lines[i];
        if (its->others > 0)
            fprintf(stderr, "anyp: on %ld other communicator%s: %s\n", its->others,
                    its->others == 1 ? "" : "s", its->line.text + strlen("anyp: "));
    }
    anypi_free(process.lines);
    process.lines = NULL;
    process.count = process.room = 0;
}

void anypi_log_end(const anypi_log_line *line)
{
    int i = 0;
    anypi_lock_enter(&process.lock);
    if (line->age != process.age)
        finish();
    process.age = line->age;
    while (i < process.count && !is_same(&process.lines[i].line, line))
        i++;
    if (i < process.count) {
        process.lines[i].others++;
    } else {
        fprintf(stderr, "%s\n", line->text);
        keep(line);
    }
    anypi_lock_leave(&process.lock);
}

void anypi_log_shape(unsigned age, const anyp_shape *shape, const char *from, const char *why)
{
    anypi_log_line line = { .age = age };
    char *text = anypi_shape_text(shape);
    if (text)
        anypi_log_add(&line, "anyp: shape: %s", text);
    else
        anypi_log_add(&line, "anyp: shape: %d nodes, ranks in another order", shape->count);
    anypi_log_add(&line, ", from %s", from);
    if (*why)
        anypi_log_add(&line, "; switches are unknown (%s)", why);
    anypi_free(text);
    anypi_log_end(&line);
}

void anypi_log_memory(unsigned age, int ranks, size_t bytes, const char *why)
{
    anypi_log_line line = { .age = age };
    if (bytes)
        anypi_log_add(&line, "anyp: %d ranks of a node share memory, %zu KiB each", ranks,
                      (bytes + 1023) / 1024);
    else
        anypi_log_add(&line, "anyp: ranks share no memory: %s", why);
    anypi_log_end(&line);
}

void anypi_log_finish(void)
{
    anypi_lock_enter(&process.lock);
    finish();
    anypi_lock_leave(&process.lock);
}

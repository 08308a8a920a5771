/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/source_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { LINE = 1024, NUMBER = 24 };

/* Returns the length of the file's name in a place: up to its last "+0x". 0: it has none. */
static size_t file_length(const char *at)
{
    size_t length = 0;
    for (const char *plus = strstr(at, "+0x"); plus; plus = strstr(plus + 1, "+0x"))
        length = (size_t) (plus - at);
    return *at == '/' ? length : 0;
}

static bool same_file(const char *at, const char *other)
{
    const size_t length = file_length(at);
    return length == file_length(other) && !strncmp(at, other, length);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Starts a program whose output is read from *output. */
static bool start(char **words, pid_t *child, FILE **output)
{
    int ends[2];
    posix_spawn_file_actions_t actions;
    if (pipe(ends))
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    const bool good = !posix_spawnp(child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    *output = good ? fdopen(ends[0], "r") : NULL;
    if (!*output)
        close(ends[0]);
    return good;
}

/* Reads a line without its end. */
static bool read_line(FILE *file, char line[LINE])
{
    const bool good = fgets(line, LINE, file);
    line[good ? strcspn(line, "\n") : 0] = '\0';
    return good;
}

/* Returns "function (file.c:12)", without the function's parameters. NULL: unknown. */
static char *make_text(const char *file, char *function, const char *source)
{
    char text[2 * LINE + 16];
    const char *where = *source == '?' ? base_name(file) : base_name(source);
    if (!*function || *function == '?')
        return NULL;
    if (*function != '(' && !strstr(function, "operator"))
        function[strcspn(function, "(")] = '\0';
    snprintf(text, sizeof text, "%s (%.*s)", function, (int) strcspn(where, " "), where);
    return strdup(text);
}

/* Sets the lines of the places that are in the same file as the first of them. */
static void find_lines(const anypi_record *record, int first, char **lines)
{
    char file[LINE], function[LINE], source[LINE];
    char (*numbers)[NUMBER] = calloc((size_t) record->sites_count, sizeof *numbers);
    char **words = calloc((size_t) record->sites_count + 7, sizeof *words);
    pid_t child;
    FILE *output = NULL;
    int count = 0;
    snprintf(file, sizeof file, "%.*s", (int) file_length(record->sites[first].at),
             record->sites[first].at);
    char *const options[] = { "addr2line", "-f", "-C", "-e", file };
    bool good = numbers && words;
    for (size_t i = 0; good && i < sizeof options / sizeof *options; i++)
        words[count++] = options[i];
    for (int i = first; good && i < record->sites_count; i++) {
        const char *at = record->sites[i].at;
        if (!same_file(at, record->sites[first].at))
            continue;
        /* the call is in front of the address to which it returns */
        snprintf(numbers[i], sizeof *numbers, "0x%llx",
                 strtoull(at + file_length(at) + 3, NULL, 16) - 1);
        words[count++] = numbers[i];
    }
    good = good && start(words, &child, &output);
    for (int i = first; output && i < record->sites_count; i++)
        if (same_file(record->sites[i].at, record->sites[first].at) &&
            read_line(output, function) && read_line(output, source))
            lines[i] = make_text(file, function, source);
    if (output)
        fclose(output);
    if (good)
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
            ;
    free(words);
    free(numbers);
}

char **anypi_source_lines(const anypi_record *record)
{
    char **lines = calloc((size_t) record->sites_count + 1, sizeof *lines);
    for (int i = 0; lines && i < record->sites_count; i++) {
        int first = 0;
        while (!same_file(record->sites[first].at, record->sites[i].at))
            first++;
        if (first == i && file_length(record->sites[i].at))
            find_lines(record, i, lines);
        if (!lines[i])
            lines[i] = strdup(base_name(record->sites[i].at));
        for (char *c = lines[i]; c && *c; c++)
            if ((unsigned char) *c < ' ' || *c == 127)
                *c = '?';               /* terminals obey such characters */
    }
    return lines;
}

void anypi_source_lines_free(char **lines, int count)
{
    for (int i = 0; lines && i < count; i++)
        free(lines[i]);
    free(lines);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * files.c - the files of the tests of decision files.
 */
#include "unit/files.h"

#include "select/mpich.h"

#include <check.h>
#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *file_text(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    ck_assert_msg(file != NULL, "%s cannot be read", path);
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    for (int c = getc(file); c != EOF; c = getc(file))
        putc(c, memory);
    fclose(file);
    fclose(memory);
    if (length)
        *length = size;
    return text;
}

static int is_json(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end && !strcmp(end, ".json");
}

/* The entries of a folder below test that are chosen, in the order of their names. */
static int entries_of(const char *folder, int (*chosen)(const struct dirent *),
                      struct dirent ***entries)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", TEST_DIRECTORY, folder);
    *entries = NULL;
    const int count = scandir(path, entries, chosen, alphasort);
    return count < 0 ? 0 : count;
}

/* "4.10.1" as 410. */
static int release_number(const char *text)
{
    int major, minor;
    ck_assert_int_eq(sscanf(text, "%d.%d", &major, &minor), 2);
    return 100 * major + minor;
}

/* Is the vocabulary in force one of from-4.2 or before-5.0? */
static bool is_among(const char *releases)
{
    const int release = release_number(anypi_mpich_now()->release);
    return !strncmp(releases, "from-", 5) ? release >= release_number(releases + 5) :
        !strncmp(releases, "before-", 7) && release < release_number(releases + 7);
}

static int is_for_release(const struct dirent *entry)
{
    return is_among(entry->d_name);
}

void each_file(const char *folder, void (*function)(const char *path, void *state), void *state)
{
    char path[PATH_MAX];
    struct dirent **entries;
    const int count = entries_of(folder, is_json, &entries);
    ck_assert_msg(count > 0, "%s holds no files", folder);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", TEST_DIRECTORY, folder, entries[i]->d_name);
        function(path, state);
        free(entries[i]);
    }
    free(entries);
    const int folders = entries_of(folder, is_for_release, &entries);
    for (int i = 0; i < folders; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        each_file(path, function, state);
        free(entries[i]);
    }
    free(entries);
}

/* Writes a part of an input, in which \xHH is a byte. */
static void put_part(const char *text, FILE *file)
{
    for (unsigned byte; *text; text++)
        if (sscanf(text, "\\x%2x", &byte) == 1) {
            putc((int) byte, file);
            text += strlen("\\xHH") - 1;
        } else {
            putc(*text, file);
        }
}

void each_malformed(void (*function)(const decision_input *input, void *state), void *state)
{
    char *line = NULL, releases[16] = "";
    size_t size = 0;
    decision_input input = { .message = NULL };
    FILE *table = fopen(TEST_DIRECTORY "/decision/malformed.txt", "r"), *text = NULL;
    ck_assert_ptr_nonnull(table);
    while (getline(&line, &size, table) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (!strncmp(line, "> ", 2)) {
            fprintf(text, "%s\n", line + 2);
        } else if (!strncmp(line, "$ ", 2)) {
            put_part(line + 2, text);
        } else if (!strncmp(line, "= ", 2)) {
            fclose(text);
            input.message = line + 2;
            if (!*releases || is_among(releases))
                function(&input, state);
            free(input.text);
        } else if (*line && *line != '#') {
            *releases = '\0';
            ck_assert_int_ge(sscanf(line, "%63s %15s", input.name, releases), 1);
            text = open_memstream(&input.text, &input.length);
        }
    }
    free(line);
    fclose(table);
}

int vocabularies(void)
{
    struct dirent **entries;
    const int count = entries_of("../src/select/mpich", is_json, &entries);
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
    return count;
}

void table_path(int i, char *path, size_t size)
{
    struct dirent **entries;
    const int count = entries_of("../src/select/mpich", is_json, &entries);
    ck_assert_int_lt(i, count);
    snprintf(path, size, "%s/../src/select/mpich/%s", TEST_DIRECTORY, entries[i]->d_name);
    for (int e = 0; e < count; e++)
        free(entries[e]);
    free(entries);
}

void use_vocabulary(int i)
{
    char path[PATH_MAX], message[PATH_MAX + 256];
    anypi_mpich_use(NULL);
    if (i == 0)
        return;
    table_path(i, path, sizeof path);
    ck_assert_msg(anypi_mpich_open(path, message, sizeof message) == ANYP_SUCCESS, "%s", message);
}

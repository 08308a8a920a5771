/* SPDX-License-Identifier: BSD-3-Clause
 *
 * files.c - the files of the tests of decision files.
 */
#include "unit/files.h"

#include <check.h>
#include <dirent.h>
#include <limits.h>
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

void each_file(const char *folder, void (*function)(const char *path, void *state), void *state)
{
    char path[PATH_MAX];
    struct dirent **entries;
    snprintf(path, sizeof path, "%s/%s", TEST_DIRECTORY, folder);
    const int count = scandir(path, &entries, is_json, alphasort);
    ck_assert_msg(count > 0, "%s holds no files", path);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s/%s", TEST_DIRECTORY, folder, entries[i]->d_name);
        function(path, state);
        free(entries[i]);
    }
    free(entries);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fuzz.h - shared by the programs for libFuzzer. Each defines LLVMFuzzerTestOneInput(), which ends
 * the process by FUZZ_CHECK() if AnyP does something wrong. Sanitizers end it by themselves.
 */
#ifndef FUZZ_H_INCLUDED
#define FUZZ_H_INCLUDED

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* With a format and its values, which say more. */
#define FUZZ_CHECK(condition, ...) \
    do { \
        if (!(condition)) { \
            dprintf(2, "%s:%d: " #condition " is false: ", __FILE__, __LINE__); \
            dprintf(2, __VA_ARGS__); \
            dprintf(2, "\n"); \
            abort(); \
        } \
    } while (0)

/* The input as a text, in memory of just its size, to be freed with free(). */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    FUZZ_CHECK(text, "no memory");
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

/* A file of the source tree as a text, to be freed with free(). */
static inline char *fuzz_file(const char *name)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(name, "rb"), *memory = open_memstream(&text, &size);
    FUZZ_CHECK(file && memory, "%s cannot be read", name);
    for (int c = getc(file); c != EOF; c = getc(file))
        putc(c, memory);
    fclose(file);
    fclose(memory);
    return text;
}

#endif

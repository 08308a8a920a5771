/* SPDX-License-Identifier: BSD-3-Clause
 *
 * opened.c - preloaded, it counts how often one file is opened, by any process: for each time it
 * adds the rank, as the launcher gives it, as a line to another file. The variables OPENED_FILE and
 * OPENED_LOG name the two. OPENED_MISSING=RANKS (such as "12"): for these ranks, of one digit, the
 * file does not exist, as on a node without it.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

int open64(const char *file, int flags, ...);

static const char *rank_text(void)
{
    const char *of_mpich = getenv("PMI_RANK"), *of_open_mpi = getenv("OMPI_COMM_WORLD_RANK");
    return of_mpich ? of_mpich : of_open_mpi ? of_open_mpi : "?";
}

/* Counts, if the file is the watched one. False if it is missing for this rank. */
static bool counts(const char *file)
{
    const char *const counted = getenv("OPENED_FILE"), *const missing = getenv("OPENED_MISSING");
    FILE *(*next)(const char *, const char *);
    if (!counted || strcmp(file, counted))
        return true;
    *(void **) &next = dlsym(RTLD_NEXT, "fopen");
    FILE *log = next(getenv("OPENED_LOG"), "a");
    if (!log || fprintf(log, "%s\n", rank_text()) < 0 || fclose(log))
        abort();
    errno = ENOENT;
    return !missing || !strchr(missing, *rank_text());
}

FILE *fopen(const char *file, const char *mode)
{
    FILE *(*next)(const char *, const char *);
    *(void **) &next = dlsym(RTLD_NEXT, "fopen");
    return counts(file) ? next(file, mode) : NULL;
}

/* Returns the result of the library's function; -1 if the file is missing for this rank. */
static int opened(const char *name, const char *file, int flags, mode_t mode)
{
    int (*next)(const char *, int, ...);
    *(void **) &next = dlsym(RTLD_NEXT, name);
    return counts(file) ? next(file, flags, mode) : -1;
}

#define OPEN(name)                                                                                 \
    int name(const char *file, int flags, ...)                                                     \
    {                                                                                              \
        mode_t mode = 0;                                                                           \
        if (flags & O_CREAT) {                                                                     \
            va_list more;                                                                          \
            va_start(more, flags);                                                                 \
            mode = va_arg(more, mode_t);                                                           \
            va_end(more);                                                                          \
        }                                                                                          \
        return opened(#name, file, flags, mode);                                                   \
    }

OPEN(open)
OPEN(open64)

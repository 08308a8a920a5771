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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int open64(const char *file, int flags, ...);

static const char *rank_text(void)
{
    const char *of_mpich = getenv("PMI_RANK"), *of_open_mpi = getenv("OMPI_COMM_WORLD_RANK");
    return of_mpich ? of_mpich : of_open_mpi ? of_open_mpi : "?";
}

/* Returns the result of the library's function; -1 if the file is missing for this rank. */
static int opened(const char *name, const char *file, int flags, mode_t mode)
{
    const char *const counted = getenv("OPENED_FILE"), *const missing = getenv("OPENED_MISSING");
    int (*next)(const char *, int, ...);
    *(void **) &next = dlsym(RTLD_NEXT, name);
    if (counted && !strcmp(file, counted)) {
        char line[32];
        const int log = next(getenv("OPENED_LOG"), O_WRONLY | O_APPEND | O_CREAT, 0600);
        const int length = snprintf(line, sizeof line, "%s\n", rank_text());
        if (log < 0 || write(log, line, (size_t) length) != length)
            abort();
        close(log);
        if (missing && strchr(missing, *rank_text())) {
            errno = ENOENT;
            return -1;
        }
    }
    return next(file, flags, mode);
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

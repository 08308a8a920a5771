/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nomem - a library to be preloaded: the allocation after the first NOMEM_AT ones fails, once, and
 * a line on stderr says so. NOMEM_IN: only those that are made by the program or library whose path
 * contains this text are counted, and fail. Not for the program's children. For the GNU C library.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *pointer, size_t size);

static long until = -1;
static const char *in;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("NOMEM_AT");
    in = getenv("NOMEM_IN");
    until = at ? atol(at) : -1;
    unsetenv("LD_PRELOAD");
}

static int fails(void *caller)
{
    static const char line[] = "nomem: an allocation fails\n";
    Dl_info its;
    if (until < 0 || (in && (!dladdr(caller, &its) || !strstr(its.dli_fname, in))) || until-- > 0)
        return 0;
    errno = write(STDERR_FILENO, line, sizeof line - 1) < 0 ? errno : ENOMEM;
    return 1;
}

void *malloc(size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *pointer, size_t size)
{
    return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(pointer, size);
}

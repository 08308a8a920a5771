/* SPDX-License-Identifier: BSD-3-Clause
 *
 * full_memory - a library to preload, with which there is no memory for AnyP to share.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int posix_fallocate(int file, off_t first, off_t bytes)
{
    char link[64], path[256] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    if (readlink(link, path, sizeof path - 1) > 0 && strstr(path, "/memfd:anyp"))
        return ENOSPC;
    int (*next)(int, off_t, off_t);
    *(void **) &next = dlsym(RTLD_NEXT, "posix_fallocate");
    return next(file, first, bytes);
}

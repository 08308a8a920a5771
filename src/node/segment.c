/* SPDX-License-Identifier: BSD-3-Clause */
#include "node/segment.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8U      /* of Linux 6.3; some machines require it */
#endif

static char *map(int file, size_t size, int protection)
{
    char *at = mmap(NULL, ANYPI_SEGMENT_HEAD + size, protection, MAP_SHARED, file, 0);
    return at == MAP_FAILED ? NULL : at + ANYPI_SEGMENT_HEAD;
}

char *anypi_segment_make(size_t size, anypi_segment_name *name, const char **reason)
{
    char *memory = NULL;
    int error, file = memfd_create("anyp", MFD_CLOEXEC | MFD_NOEXEC_SEAL);
    if (file < 0)
        file = memfd_create("anyp", MFD_CLOEXEC);
    *reason = "memfd_create failed";
    if (file < 0)
        return NULL;
    if (getrandom(&name->cookie, sizeof name->cookie, 0) != sizeof name->cookie)
        name->cookie = (uint64_t) getpid() << 32 ^ (uintptr_t) &memory;
    name->process = getpid();
    name->file = file;
    /* memory that is only promised would end the process by SIGBUS when there is none */
    do
        error = posix_fallocate(file, 0, (off_t) (ANYPI_SEGMENT_HEAD + size));
    while (error == EINTR);
    *reason = "there is no memory to share";
    if (!error)
        memory = map(file, size, PROT_READ | PROT_WRITE);
    if (memory)
        memcpy(memory - ANYPI_SEGMENT_HEAD, &name->cookie, sizeof name->cookie);
    else
        anypi_segment_hide(name);
    return memory;
}

char *anypi_segment_open(const anypi_segment_name *name, size_t size)
{
    struct stat its;
    char path[64];
    snprintf(path, sizeof path, "/proc/%lld/fd/%d", (long long) name->process, name->file);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return NULL;
    char *memory = NULL;
    if (!fstat(file, &its) && its.st_size == (off_t) (ANYPI_SEGMENT_HEAD + size))
        memory = map(file, size, PROT_READ);
    close(file);
    if (!memory || !memcmp(memory - ANYPI_SEGMENT_HEAD, &name->cookie, sizeof name->cookie))
        return memory;
    anypi_segment_close(memory, size);
    return NULL;
}

void anypi_segment_hide(const anypi_segment_name *name)
{
    close(name->file);
}

void anypi_segment_close(char *memory, size_t size)
{
    if (memory)
        munmap(memory - ANYPI_SEGMENT_HEAD, ANYPI_SEGMENT_HEAD + size);
}

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

static char *map(int file, size_t size, int protection)
{
    char *at = mmap(NULL, ANYPI_SEGMENT_HEAD + size, protection, MAP_SHARED, file, 0);
    return at == MAP_FAILED ? NULL : at + ANYPI_SEGMENT_HEAD;
}

char *anypi_segment_make(size_t size, anypi_segment_name *name, const char **reason)
{
    char *memory = NULL;
    if (getrandom(&name->cookie, sizeof name->cookie, 0) != sizeof name->cookie)
        name->cookie = (uint64_t) getpid() << 32 ^ (uintptr_t) &memory;
    snprintf(name->name, sizeof name->name, "/anyp-%llx", (unsigned long long) name->cookie);
    const int file = shm_open(name->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC,
                              S_IRUSR | S_IWUSR);
    *reason = "shm_open failed; is there a /dev/shm?";
    if (file < 0)
        return NULL;
    /* a file that only has a size would end the process by SIGBUS when the memory is full */
    int error;
    do
        error = posix_fallocate(file, 0, (off_t) (ANYPI_SEGMENT_HEAD + size));
    while (error == EINTR);
    *reason = error == ENOSPC ? "/dev/shm is full" : "the memory cannot be allocated";
    if (!error)
        memory = map(file, size, PROT_READ | PROT_WRITE);
    close(file);
    if (memory)
        memcpy(memory - ANYPI_SEGMENT_HEAD, &name->cookie, sizeof name->cookie);
    else
        anypi_segment_hide(name);
    return memory;
}

char *anypi_segment_open(const anypi_segment_name *name, size_t size)
{
    struct stat its;
    const int file = shm_open(name->name, O_RDONLY | O_CLOEXEC, 0);
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
    shm_unlink(name->name);
}

void anypi_segment_close(char *memory, size_t size)
{
    if (memory)
        munmap(memory - ANYPI_SEGMENT_HEAD, ANYPI_SEGMENT_HEAD + size);
}

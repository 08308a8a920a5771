/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/loader.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20 };          /* to wait for an answer: a file system may be slow */

/* Reads the header of an ELF file; false if the file is none. */
static bool read_header(const char *path, ElfW(Ehdr) *header)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    const bool good = fd >= 0 && pread(fd, header, sizeof *header, 0) == sizeof *header &&
        !memcmp(header->e_ident, ELFMAG, SELFMAG);
    if (fd >= 0)
        close(fd);
    return good;
}

/* Is the file for this kind of processor? Without /proc, it is taken to be. */
static bool is_native(const ElfW(Ehdr) *header)
{
    ElfW(Ehdr) own;
    return !read_header("/proc/self/exe", &own) ||
        (header->e_ident[EI_CLASS] == own.e_ident[EI_CLASS] &&
         header->e_ident[EI_DATA] == own.e_ident[EI_DATA] &&
         header->e_machine == own.e_machine);
}

/* Runs this program's loader with an option and a file, and stores its output. Without an option,
 * sets glibc's variable, which lists the libraries, also after one that is not found. LD_PRELOAD is
 * unset: the program does not need the libraries that it names. Returns the exit status, or -1. */
static int run_loader(const char *loader, const char *option, const char *path, char *text,
                      size_t size)
{
    int ends[2], status = SIGKILL;
    size_t length = 0;
    *text = '\0';
    if (pipe(ends))
        return -1;
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        for (int fd = 0; fd <= STDERR_FILENO; fd++)
            dup2(ends[1], fd);
        signal(SIGALRM, SIG_DFL);
        alarm(SECONDS);
        unsetenv("LD_PRELOAD");
        if (option)
            execl(loader, loader, option, path, (char *) NULL);
        else if (!setenv("LD_TRACE_LOADED_OBJECTS", "1", 1))
            execl(loader, loader, path, (char *) NULL);
        _exit(EXIT_FAILURE);
    }
    close(ends[1]);
    for (ssize_t got; pid > 0 && (got = read(ends[0], text + length, size - 1 - length)) > 0;)
        length += (size_t) got;
    text[length] = '\0';
    close(ends[0]);             /* ends a loader that prints more */
    if (pid > 0)
        waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

tool_obstacle anypi_loader_ask(const char *path, char *text, size_t size)
{
    ElfW(Ehdr) header;
    Dl_info loader;
    *text = '\0';
    if (!read_header(path, &header) || (header.e_type != ET_EXEC && header.e_type != ET_DYN))
        return OBSTACLE_NONE;
    if (!is_native(&header))
        return OBSTACLE_FOREIGN;
    if (!dladdr((const void *) getauxval(AT_BASE), &loader))
        return OBSTACLE_NONE;
#ifdef __GLIBC__
    /* only glibc's loader knows the variable; it crashes with a program that is not dynamic */
    if (run_loader(loader.dli_fname, "--verify", path, text, size) == 1)
        return OBSTACLE_STATIC;
    run_loader(loader.dli_fname, NULL, path, text, size);
#else
    run_loader(loader.dli_fname, "--list", path, text, size);
#endif
    return strstr(text, "statically linked") ? OBSTACLE_STATIC : OBSTACLE_NONE;
}

bool anypi_loader_is_library(const char *path)
{
    ElfW(Ehdr) header;
    return read_header(path, &header) && is_native(&header) && header.e_type == ET_DYN;
}

bool anypi_loader_preloads(const char *name, const char *function)
{
    Dl_info found;
    struct link_map *library;
    void *handle = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    void *symbol = handle ? dlsym(handle, function) : NULL;
    const bool own = symbol && dladdr(symbol, &found) &&
        !dlinfo(handle, RTLD_DI_LINKMAP, &library) && !strcmp(found.dli_fname, library->l_name);
    if (handle)
        dlclose(handle);
    return own;
}

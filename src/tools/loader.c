/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/loader.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20 };          /* to wait for an answer: a file system may be slow */

/* The headers of an ELF file. */
typedef struct elf_file {
    ElfW(Ehdr) header;
    char loader[PATH_MAX];      /* "": the file names none */
} elf_file;

static bool read_file(const char *path, elf_file *file)
{
    struct stat state;
    ElfW(Phdr) segment;
    const int fd = stat(path, &state) || !S_ISREG(state.st_mode) ? -1
        : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    memset(file, 0, sizeof *file);
    const ElfW(Ehdr) *header = &file->header;
    const bool good = pread(fd, &file->header, sizeof *header, 0) == sizeof *header &&
        !memcmp(header->e_ident, ELFMAG, SELFMAG);
    for (int i = 0; good && i < header->e_phnum && !*file->loader; i++) {
        const uint64_t offset = header->e_phoff + (uint64_t) i * sizeof segment;
        if (pread(fd, &segment, sizeof segment, (off_t) offset) != sizeof segment)
            break;
        const size_t limit = sizeof file->loader - 1;
        if (segment.p_type == PT_INTERP &&
            pread(fd, file->loader, segment.p_filesz < limit ? segment.p_filesz : limit,
                  (off_t) segment.p_offset) < 0)
            break;
    }
    close(fd);
    return good;
}

static bool is_same_abi(const elf_file *a, const elf_file *b)
{
    return a->header.e_ident[EI_CLASS] == b->header.e_ident[EI_CLASS] &&
        a->header.e_ident[EI_DATA] == b->header.e_ident[EI_DATA] &&
        a->header.e_machine == b->header.e_machine;
}

/* Reads a file, and this program's file into `own`. Without /proc, `own` is also the file. */
static bool read_both(const char *path, elf_file *file, elf_file *own)
{
    if (!read_file(path, file))
        return false;
    if (!read_file("/proc/self/exe", own))
        *own = *file;
    return true;
}

/* Is the file a dynamic loader? A loader is for the same processor, names no loader itself, and has
 * a name like a loader: ld-linux-x86-64.so.2, ld64.so.2, ld-musl-x86_64.so.1. Other files are never
 * run. */
static bool is_loader(const char *path, const elf_file *program)
{
    elf_file file;
    return *path == '/' && !fnmatch("*/ld*.so*", path, 0) && read_file(path, &file) &&
        is_same_abi(&file, program) && !*file.loader;
}

/* Stores the output of a loader about a program, by --list or by glibc's variable. LD_PRELOAD is
 * unset: the program does not need the libraries that it names. */
static void run_loader(const char *loader, const char *path, bool trace, char *text, size_t size)
{
    int ends[2];
    size_t length = 0;
    *text = '\0';
    if (pipe(ends))
        return;
    const pid_t pid = fork();
    if (pid == 0) {
        close(ends[0]);
        for (int fd = 0; fd <= STDERR_FILENO; fd++)
            dup2(ends[1], fd);
        signal(SIGALRM, SIG_DFL);
        alarm(SECONDS);
        unsetenv("LD_PRELOAD");
        if (!trace)
            execl(loader, loader, "--list", path, (char *) NULL);
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
        waitpid(pid, NULL, 0);
}

/* Does the output begin with glibc's error message about a library? Then --list has ended there,
 * and the loader is glibc's. Only with glibc's loader is its variable safe to use: another loader
 * would run the program. */
static bool has_failed(const char *text, const char *path)
{
    static const char failure[] = ": error while loading shared libraries: ";
    const size_t width = strlen(path);
    return !strncmp(text, path, width) && !strncmp(text + width, failure, sizeof failure - 1);
}

tool_obstacle anypi_loader_ask(const char *path, char *text, size_t size)
{
    elf_file file, own;
    *text = '\0';
    if (!read_both(path, &file, &own))
        return OBSTACLE_NONE;
    if (!is_same_abi(&file, &own))
        return OBSTACLE_FOREIGN;
    const bool library = file.header.e_type == ET_DYN && !*file.loader;
    const char *loader = library ? own.loader : file.loader;
    if (!*loader)
        return file.header.e_type == ET_EXEC || library ? OBSTACLE_STATIC : OBSTACLE_NONE;
    if (is_loader(loader, &file))
        run_loader(loader, path, false, text, size);
    if (has_failed(text, path))
        run_loader(loader, path, true, text, size);
    return library && strstr(text, "statically linked") ? OBSTACLE_STATIC : OBSTACLE_NONE;
}

bool anypi_loader_is_library(const char *path)
{
    elf_file file, own;
    return read_both(path, &file, &own) && is_same_abi(&file, &own) && file.header.e_type == ET_DYN;
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/mpi_library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *const anypi_family_names[FAMILIES] = { "mpich", "openmpi", "abi" };
const char *const anypi_family_titles[FAMILIES] = { "MPICH", "Open MPI", "the standard ABI" };

typedef struct family_pattern {
    const char *pattern;
    tool_family family;
} family_pattern;

/* The families of libraries; the first pattern that matches counts. MPICH's ABI has number 12,
 * whatever vendors add to the name. Open MPI's ABI had other numbers before version 3. The standard
 * ABI is recognized by its name: the number should be 1, but MPICH also uses others. */
static const family_pattern libraries[] = {
    { "libmpi.so.40", FAMILY_OPENMPI },
    { "libmpi_abi.so.*", FAMILY_ABI },
    { "libmpi_*.so.40", FAMILY_OPENMPI },
    { "libmpi_mpifh.so.*", FAMILY_OTHER },
    { "libmpi_usempi*.so.*", FAMILY_OTHER },
    { "libmpi*.so.12", FAMILY_MPICH },
    { "libmpi.so.*", FAMILY_OTHER },
    { "libmpi_*.so.*", FAMILY_OTHER },
    { "libmpich.so.*", FAMILY_OTHER },
};

/* The families of launchers: by the name of the program to which the launcher links, ... */
static const family_pattern launchers[] = {
    { "*openmpi*", FAMILY_OPENMPI },
    { "orterun", FAMILY_OPENMPI },
    { "prterun", FAMILY_OPENMPI },
    { "*hydra*", FAMILY_MPICH },
    { "*mpich*", FAMILY_MPICH },
    { "mpirun_rsh", FAMILY_MPICH },
};

/* ... or by other programs of the same folder. */
static const family_pattern neighbours[] = {
    { "mpiexec.hydra", FAMILY_MPICH },
    { "mpichversion", FAMILY_MPICH },
    { "orterun", FAMILY_OPENMPI },
    { "ompi_info", FAMILY_OPENMPI },
};

enum { ANSWER_SIZE = 1 << 18 };

#define LENGTH(table) (int) (sizeof (table) / sizeof *(table))

tool_family anypi_family_find(const char *name)
{
    for (int i = 0; i < FAMILIES; i++)
        if (!strcmp(anypi_family_names[i], name))
            return (tool_family) i;
    return FAMILY_UNKNOWN;
}

/* ---- the loader ---- */

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

/* Asks this program's loader which libraries the file, which may have any content, needs, directly
 * and through each other. Neither the file nor the loader that it names is run. Stores the output
 * in text, cut to its size. The names are words of it, nearest first, including libraries that are
 * not found. Text is "", or a message, if the file is no dynamic program or library. */
static tool_obstacle ask_loader(const char *path, char *text, size_t size)
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

/* ---- the words of a command ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_program(const char *path)
{
    struct stat state;
    return !access(path, X_OK) && !stat(path, &state) && S_ISREG(state.st_mode);
}

/* Sets the path of the program that a word names, as the shell finds it. */
static bool find_program(const char *word, char *path)
{
    if (strchr(word, '/'))
        return snprintf(path, PATH_MAX, "%s", word) < PATH_MAX && is_program(path);
    for (const char *folders = getenv("PATH"); *word && folders && *folders;) {
        const size_t width = strcspn(folders, ":");
        if (snprintf(path, PATH_MAX, "%.*s/%s", (int) width, folders, word) < PATH_MAX && width &&
            is_program(path))
            return true;
        folders += width + (folders[width] == ':');
    }
    return false;
}

static tool_family match(const family_pattern *patterns, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (!fnmatch(patterns[i].pattern, name, 0))
            return patterns[i].family;
    return FAMILY_UNKNOWN;
}

static bool is_launcher(const char *word)
{
    static const char *const patterns[] = { "mpiexec*", "mpirun*", "orterun", "prterun" };
    for (int i = 0; i < LENGTH(patterns); i++)
        if (!fnmatch(patterns[i], base_name(word), 0))
            return true;
    return false;
}

/* Follows links to the program: Debian's mpiexec links to mpiexec.openmpi, which links to
 * orterun. */
static tool_family launcher_family(const char *path)
{
    char beside[PATH_MAX];
    char *real = realpath(path, NULL);
    if (!real)
        return FAMILY_UNKNOWN;
    tool_family family = match(launchers, LENGTH(launchers), base_name(real));
    if (family == FAMILY_UNKNOWN)
        family = match(launchers, LENGTH(launchers), base_name(path));
    for (int i = 0; i < LENGTH(neighbours) && family == FAMILY_UNKNOWN; i++) {
        const int folder = (int) (base_name(real) - real);
        snprintf(beside, sizeof beside, "%.*s%s", folder, real, neighbours[i].pattern);
        if (is_program(beside))
            family = neighbours[i].family;
    }
    free(real);
    return family;
}

/* Records what the program of a word, found at `path`, tells about the MPI. */
static void examine(int word, const char *name, const char *path, tool_mpi *mpi)
{
    static const char separators[] = " \t\n:";
    static char answer[ANSWER_SIZE];
    const tool_obstacle obstacle = ask_loader(path, answer, sizeof answer);
    char *rest, *library = strtok_r(answer, separators, &rest);
    while (library && match(libraries, LENGTH(libraries), library) == FAMILY_UNKNOWN)
        library = strtok_r(NULL, separators, &rest);
    if (library) {
        mpi->program = match(libraries, LENGTH(libraries), library);
        snprintf(mpi->library, sizeof mpi->library, "%s", library);
        mpi->program_word = word;
    } else if (mpi->launcher_word < 0 && is_launcher(name)) {
        mpi->launcher_word = word;
        mpi->launcher = launcher_family(path);
    } else if (mpi->obstacle_word < 0 && obstacle != OBSTACLE_NONE) {
        mpi->obstacle_word = word;
        mpi->obstacle = obstacle;
    }
}

void anypi_mpi_of(char *const *words, tool_mpi *mpi)
{
    char path[PATH_MAX];
    *mpi = (tool_mpi) { .program = FAMILY_UNKNOWN, .program_word = -1,
                        .launcher = FAMILY_UNKNOWN, .launcher_word = -1, .obstacle_word = -1 };
    for (int i = 0; words[i] && mpi->program_word < 0; i++)
        if (*words[i] != '-' && find_program(words[i], path)) {
            mpi->runnable = mpi->runnable || i == 0;
            examine(i, words[i], path, mpi);
        }
}

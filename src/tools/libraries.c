/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libraries.c - breadth first, each name once. The loader's order is kept: RPATH, LD_LIBRARY_PATH,
 * RUNPATH, its cache, the standard folders.
 */
#include "tools/libraries.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_LIBRARIES = 1024 };

static const char cache_file[] = "/etc/ld.so.cache";
static const char standard_folders[] = "/lib64:/usr/lib64:/lib:/usr/lib";

/* The loader's cache of libraries, as glibc writes it; in memory, or of size 0. Older versions
 * write a part of another form in front, of which nothing is needed. */
typedef struct loader_cache {
    const char *base;
    size_t size;
} loader_cache;

typedef struct cache_head {
    char magic[20];
    uint32_t count, strings_size, unused[5];
} cache_head;

typedef struct cache_entry {
    int32_t flags;
    uint32_t name, path;        /* offsets from the head */
    uint32_t os_version;
    uint64_t hardware;
} cache_entry;

static const char cache_magic[] = "glibc-ld.so.cache1.1";

typedef struct walk {
    tool_elf elf[MOST_LIBRARIES];       /* those that were opened; 0 is the file itself */
    char *folder[MOST_LIBRARIES];       /* of each, for $ORIGIN */
    int opened;
    const char *seen[MOST_LIBRARIES];   /* names; they live in the files */
    int seen_count;
    loader_cache cache;
} walk;

static loader_cache cache_open(void)
{
    loader_cache cache = { NULL, 0 };
    struct stat state;
    const int fd = open(cache_file, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return cache;
    if (!fstat(fd, &state) && state.st_size >= (off_t) sizeof(cache_head)) {
        void *base = mmap(NULL, (size_t) state.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (base != MAP_FAILED)
            cache = (loader_cache) { base, (size_t) state.st_size };
    }
    close(fd);
    return cache;
}

static void cache_close(const loader_cache *cache)
{
    if (cache->size)
        munmap((void *) cache->base, cache->size);
}

/* Text that ends inside the cache, or NULL. */
static const char *cache_text(const char *begin, size_t size, uint32_t offset)
{
    return offset < size && memchr(begin + offset, '\0', size - offset) ? begin + offset : NULL;
}

/* Opens the library if the cache has it for this kind of processor. */
static bool open_cached(const loader_cache *cache, const char *name, char *path, tool_elf *elf)
{
    const char *begin = memmem(cache->base, cache->size, cache_magic, sizeof cache_magic - 1);
    const size_t size = begin ? cache->size - (size_t) (begin - cache->base) : 0;
    const cache_head *head = (const void *) begin;
    if (size < sizeof *head || (uintptr_t) begin % sizeof(uint64_t) ||
        head->count > (size - sizeof *head) / sizeof(cache_entry))
        return false;
    const cache_entry *entry = (const void *) (head + 1);
    for (uint32_t i = 0; i < head->count; i++) {
        const char *its = cache_text(begin, size, entry[i].name);
        const char *where = cache_text(begin, size, entry[i].path);
        if (!its || !where || strcmp(its, name))
            continue;
        snprintf(path, PATH_MAX, "%s", where);
        anypi_elf_open(path, elf);
        if (elf->kind == ELF_DYNAMIC)
            return true;
    }
    return false;
}

/* Opens folder/name for a folder of the list "a:b:...", in which $ORIGIN is `origin`. */
static bool open_in(const char *folders, const char *origin, const char *name, char *path,
                    tool_elf *elf)
{
    while (folders && *folders) {
        const size_t width = strcspn(folders, ":");
        const char *rest = folders;
        const char *begin = "";
        if (!strncmp(folders, "$ORIGIN", 7) || !strncmp(folders, "${ORIGIN}", 9)) {
            rest += folders[1] == '{' ? 9 : 7;
            begin = origin;
        }
        const int left = (int) (width - (size_t) (rest - folders));
        if (width && snprintf(path, PATH_MAX, "%s%.*s/%s", begin, left, rest, name) < PATH_MAX) {
            anypi_elf_open(path, elf);
            if (elf->kind == ELF_DYNAMIC)
                return true;
        }
        folders += width + (folders[width] == ':');
    }
    return false;
}

/* The RPATH or RUNPATH of a file. */
static const char *folders_of(const tool_elf *elf, tool_elf_name kind)
{
    size_t place = 0;
    return anypi_elf_next(elf, kind, &place);
}

/* Opens the library of that name for the file number `asker`; its path into path. */
static bool open_library(const walk *w, int asker, const char *name, char *path, tool_elf *elf)
{
    if (strchr(name, '/')) {
        snprintf(path, PATH_MAX, "%s", name);
        anypi_elf_open(path, elf);
        return elf->kind == ELF_DYNAMIC;
    }
    const char *run = folders_of(&w->elf[asker], ELF_RUNPATH);
    return (!run && open_in(folders_of(&w->elf[asker], ELF_RPATH), w->folder[asker], name, path,
                            elf)) ||
        (!run && open_in(folders_of(&w->elf[0], ELF_RPATH), w->folder[0], name, path, elf)) ||
        open_in(getenv("LD_LIBRARY_PATH"), w->folder[asker], name, path, elf) ||
        open_in(run, w->folder[asker], name, path, elf) ||
        open_cached(&w->cache, name, path, elf) ||
        open_in(standard_folders, "", name, path, elf);
}

static bool is_new(walk *w, const char *name)
{
    for (int i = 0; i < w->seen_count; i++)
        if (!strcmp(w->seen[i], name))
            return false;
    if (w->seen_count == MOST_LIBRARIES)
        return false;
    w->seen[w->seen_count++] = name;
    return true;
}

/* Adds an open file; closes it if there is no room. */
static void add(walk *w, const char *path, tool_elf *elf)
{
    char *real = w->opened < MOST_LIBRARIES ? realpath(path, NULL) : NULL;
    char *slash = real ? strrchr(real, '/') : NULL;
    if (!slash) {
        free(real);
        anypi_elf_close(elf);
        return;
    }
    *slash = '\0';
    w->folder[w->opened] = real;
    w->elf[w->opened++] = *elf;
}

/* Names what the file number `i` asks for, then adds it. True if that was enough. */
static bool expand(walk *w, int i, bool (*visit)(const char *name, void *state), void *state)
{
    size_t place = 0;
    char path[PATH_MAX];
    for (const char *name; (name = anypi_elf_next(&w->elf[i], ELF_NEEDED, &place));) {
        if (!is_new(w, name))
            continue;
        if (visit(name, state))
            return true;
        tool_elf elf;
        if (open_library(w, i, name, path, &elf))
            add(w, path, &elf);
    }
    return false;
}

tool_elf_kind anypi_libraries_of(const char *path, bool (*visit)(const char *name, void *state),
                                 void *state)
{
    tool_elf elf;
    anypi_elf_open(path, &elf);
    const tool_elf_kind kind = elf.kind;
    walk *w = kind == ELF_DYNAMIC ? calloc(1, sizeof *w) : NULL;
    if (!w) {
        anypi_elf_close(&elf);
        return kind;
    }
    w->cache = cache_open();
    add(w, path, &elf);
    for (int i = 0; i < w->opened && !expand(w, i, visit, state); i++)
        continue;
    for (int i = 0; i < w->opened; i++) {
        anypi_elf_close(&w->elf[i]);
        free(w->folder[i]);
    }
    cache_close(&w->cache);
    free(w);
    return kind;
}

void anypi_library_open(const char *name, tool_elf *elf)
{
    char path[PATH_MAX];
    walk *w = calloc(1, sizeof *w);
    *elf = (tool_elf) { .kind = ELF_NONE };
    if (!w)
        return;
    w->cache = cache_open();
    w->folder[0] = "";
    open_library(w, 0, name, path, elf);
    cache_close(&w->cache);
    free(w);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Is [offset, offset + size) inside the file, and aligned as the loader wants it? */
static bool inside(const tool_elf *elf, uint64_t offset, uint64_t size, size_t alignment)
{
    return offset <= elf->size && size <= elf->size - offset && offset % alignment == 0;
}

/* The first bytes of a file into head; how many there are. */
static size_t read_head(const char *path, void *head, size_t size)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const ssize_t got = read(fd, head, size);
    close(fd);
    return got < 0 ? 0 : (size_t) got;
}

/* Is it for this program's kind of processor? Its own header says which that is. */
static bool is_ours(const ElfW(Ehdr) *header)
{
    ElfW(Ehdr) own;
    if (read_head("/proc/self/exe", &own, sizeof own) != sizeof own)
        return true;            /* no /proc: not known */
    return header->e_ident[EI_CLASS] == own.e_ident[EI_CLASS] &&
        header->e_ident[EI_DATA] == own.e_ident[EI_DATA] && header->e_machine == own.e_machine;
}

static const ElfW(Phdr) *segments(const tool_elf *elf, int *count)
{
    const ElfW(Ehdr) *header = (const void *) elf->base;
    const bool good = header->e_phentsize == sizeof(ElfW(Phdr)) &&
        inside(elf, header->e_phoff, (uint64_t) header->e_phnum * sizeof(ElfW(Phdr)),
               sizeof header->e_phoff);
    *count = good ? header->e_phnum : 0;
    return good ? (const void *) (elf->base + header->e_phoff) : NULL;
}

/* The file's offset of an address in memory; the file's size if it has none. */
static uint64_t offset_of(const tool_elf *elf, uint64_t address)
{
    int count;
    const ElfW(Phdr) *segment = segments(elf, &count);
    for (int i = 0; i < count; i++)
        if (segment[i].p_type == PT_LOAD && address >= segment[i].p_vaddr &&
            address - segment[i].p_vaddr < segment[i].p_filesz)
            return segment[i].p_offset + (address - segment[i].p_vaddr);
    return elf->size;
}

static const ElfW(Dyn) *entries(const tool_elf *elf)
{
    return elf->dynamic;
}

/* The dynamic section and its strings. False if there is none, or it names nothing. */
static bool find_dynamic(tool_elf *elf)
{
    int count;
    const ElfW(Phdr) *segment = segments(elf, &count);
    for (int i = 0; i < count; i++)
        if (segment[i].p_type == PT_DYNAMIC &&
            inside(elf, segment[i].p_offset, segment[i].p_filesz, sizeof(ElfW(Addr)))) {
            elf->dynamic = elf->base + segment[i].p_offset;
            elf->dynamic_count = segment[i].p_filesz / sizeof(ElfW(Dyn));
        }
    uint64_t strings = elf->size, size = 0;
    for (size_t i = 0; i < elf->dynamic_count && entries(elf)[i].d_tag != DT_NULL; i++) {
        if (entries(elf)[i].d_tag == DT_STRTAB)
            strings = offset_of(elf, entries(elf)[i].d_un.d_ptr);
        else if (entries(elf)[i].d_tag == DT_STRSZ)
            size = entries(elf)[i].d_un.d_val;
    }
    if (!size || !inside(elf, strings, size, 1))
        return false;
    elf->strings = (const char *) elf->base + strings;
    elf->strings_size = size;
    return !elf->strings[size - 1];     /* so every name ends */
}

static bool has_interpreter(const tool_elf *elf)
{
    int count;
    const ElfW(Phdr) *segment = segments(elf, &count);
    for (int i = 0; i < count; i++)
        if (segment[i].p_type == PT_INTERP)
            return true;
    return false;
}

/* A program that names no interpreter is not seen by the dynamic loader; a library names itself or
 * others. */
static tool_elf_kind kind_of(tool_elf *elf)
{
    const ElfW(Ehdr) *header = (const void *) elf->base;
    size_t place = 0, other = 0;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG))
        return ELF_NONE;
    if (!is_ours(header))
        return ELF_FOREIGN;
    if (header->e_type != ET_EXEC && header->e_type != ET_DYN)
        return ELF_NONE;
    if (!find_dynamic(elf))
        return has_interpreter(elf) ? ELF_NONE : ELF_STATIC;
    return has_interpreter(elf) || anypi_elf_next(elf, ELF_NEEDED, &place) ||
        anypi_elf_next(elf, ELF_SONAME, &other) ? ELF_DYNAMIC : ELF_STATIC;
}

void anypi_elf_open(const char *path, tool_elf *elf)
{
    *elf = (tool_elf) { .kind = ELF_NONE };
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    struct stat state;
    void *base = MAP_FAILED;
    if (!fstat(fd, &state) && S_ISREG(state.st_mode) && state.st_size >= (off_t) sizeof(ElfW(Ehdr)))
        base = mmap(NULL, (size_t) state.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    close(fd);
    if (base == MAP_FAILED)
        return;
    elf->base = base;
    elf->size = (size_t) state.st_size;
    elf->kind = kind_of(elf);
    if (elf->kind != ELF_DYNAMIC)
        anypi_elf_close(elf);
}

void anypi_elf_close(tool_elf *elf)
{
    if (elf->base)
        munmap((void *) elf->base, elf->size);
    elf->base = NULL;
    elf->dynamic_count = 0;
}

const char *anypi_elf_next(const tool_elf *elf, tool_elf_name kind, size_t *place)
{
    static const int64_t tags[] = {
        [ELF_NEEDED] = DT_NEEDED, [ELF_SONAME] = DT_SONAME,
        [ELF_RPATH] = DT_RPATH, [ELF_RUNPATH] = DT_RUNPATH,
    };
    while (*place < elf->dynamic_count && entries(elf)[*place].d_tag != DT_NULL) {
        const ElfW(Dyn) *entry = &entries(elf)[(*place)++];
        if (entry->d_tag == tags[kind] && entry->d_un.d_val < elf->strings_size)
            return elf->strings + entry->d_un.d_val;
    }
    return NULL;
}

/* The table of the symbols that the dynamic loader sees, its length into *count. */
static const ElfW(Sym) *symbols(const tool_elf *elf, size_t *count)
{
    const ElfW(Ehdr) *header = (const void *) elf->base;
    *count = 0;
    if (elf->kind != ELF_DYNAMIC || header->e_shentsize != sizeof(ElfW(Shdr)) ||
        !inside(elf, header->e_shoff, (uint64_t) header->e_shnum * sizeof(ElfW(Shdr)),
                sizeof header->e_shoff))
        return NULL;
    const ElfW(Shdr) *section = (const void *) (elf->base + header->e_shoff);
    for (int i = 0; i < header->e_shnum; i++)
        if (section[i].sh_type == SHT_DYNSYM &&
            inside(elf, section[i].sh_offset, section[i].sh_size, sizeof(ElfW(Addr)))) {
            *count = section[i].sh_size / sizeof(ElfW(Sym));
            return (const void *) (elf->base + section[i].sh_offset);
        }
    return NULL;
}

bool anypi_elf_defines(const tool_elf *elf, const char *name)
{
    size_t count;
    const ElfW(Sym) *symbol = symbols(elf, &count);
    for (size_t i = 0; i < count; i++)
        if (symbol[i].st_shndx != SHN_UNDEF && symbol[i].st_name < elf->strings_size &&
            !strcmp(elf->strings + symbol[i].st_name, name))
            return true;
    return false;
}

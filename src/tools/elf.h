/* SPDX-License-Identifier: BSD-3-Clause
 *
 * elf.h - which shared libraries a program or library asks for, and which functions it has, read
 * from its file; nothing is run. A file may be anything: what it says is checked before it is used.
 */
#ifndef ANYPI_TOOL_ELF_H_INCLUDED
#define ANYPI_TOOL_ELF_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>

typedef enum tool_elf_kind {
    ELF_NONE,                   /* cannot be read, or is no ELF file */
    ELF_FOREIGN,                /* for another kind of processor than this program */
    ELF_STATIC,                 /* a program that the dynamic loader does not see */
    ELF_DYNAMIC
} tool_elf_kind;

typedef struct tool_elf {
    tool_elf_kind kind;
    const unsigned char *base;  /* the file */
    size_t size;
    const char *strings;        /* the dynamic section's */
    size_t strings_size;
    const void *dynamic;
    size_t dynamic_count;
} tool_elf;

/* What a dynamic section names. */
typedef enum tool_elf_name { ELF_NEEDED, ELF_SONAME, ELF_RPATH, ELF_RUNPATH } tool_elf_name;

/* Opens a file; elf->kind says what it is. Only of ELF_DYNAMIC ones there is more to know, and only
 * they need anypi_elf_close (which harms no other). */
void anypi_elf_open(const char *path, tool_elf *elf);
void anypi_elf_close(tool_elf *elf);

/* The next name of that kind, NULL if there is none. *place is 0 at the beginning. Names live as long
 * as elf is open. */
const char *anypi_elf_next(const tool_elf *elf, tool_elf_name kind, size_t *place);

/* Has it a symbol of that name for others? False if that cannot be known: without section headers,
 * and unless it is open and ELF_DYNAMIC. */
bool anypi_elf_defines(const tool_elf *elf, const char *name);

#endif

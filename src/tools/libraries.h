/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libraries.h - all libraries that a program asks for, directly and through each other, and those
 * that are preloaded, found where the dynamic loader would look for them.
 */
#ifndef ANYPI_TOOL_LIBRARIES_H_INCLUDED
#define ANYPI_TOOL_LIBRARIES_H_INCLUDED

#include "tools/elf.h"

/* Calls visit with the name of every library that the file asks for, nearest first, until it
 * returns true; libraries that cannot be found are named, too. Returns the kind of the file, and
 * visits nothing unless that is ELF_DYNAMIC. */
tool_elf_kind anypi_libraries_of(const char *path, bool (*visit)(const char *name, void *state),
                                 void *state);

/* Opens the library that LD_PRELOAD names so; elf->kind is ELF_DYNAMIC if there is one, which then
 * needs anypi_elf_close. What the program's own RPATH adds is not known. */
void anypi_library_open(const char *name, tool_elf *elf);

#endif

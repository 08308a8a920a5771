/* SPDX-License-Identifier: BSD-3-Clause
 *
 * recorder_sites.c - finds the place in the program from which a collective was called: the file
 * that contains the code, and the address in it, which do not depend on where the file was loaded.
 */
#include "mpi/recorder_table.h"

#include <link.h>
#include <string.h>
#include <unistd.h>

/* Slots of the hash table of this rank's addresses; at most half are used. */
enum { SLOTS = 1024 };

static struct {
    const void *address;        /* NULL: empty */
    int collective, index;      /* index of the site in the record */
} slots[SLOTS];
static int slots_used;

#ifdef SMPI_NO_OVERRIDE_MALLOC
/* Each simulated rank loads a copy of the program of its own. */
static void describe(const void *address, char *text, size_t size)
{
    (void) address;
    (void) size;
    *text = '\0';
}
#else
typedef struct search {
    uintptr_t address;
    char *text;
    size_t size;
} search;

/* Sets the text if the file contains the address. */
static int look_into(struct dl_phdr_info *file, size_t size, void *data)
{
    const search *its = data;
    const uintptr_t offset = its->address - file->dlpi_addr;
    (void) size;
    for (int i = 0; i < file->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &file->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || offset - part->p_vaddr >= part->p_memsz)
            continue;
        char program[400] = "";
        /* the program's own file has no name */
        if (!*file->dlpi_name && readlink("/proc/self/exe", program, sizeof program - 1) < 0)
            return 1;
        snprintf(its->text, its->size, "%.400s+0x%jx", *program ? program : file->dlpi_name,
                 (uintmax_t) offset);
        return 1;
    }
    return 0;
}

static void describe(const void *address, char *text, size_t size)
{
    search its = { (uintptr_t) address, text, size };
    *text = '\0';
    dl_iterate_phdr(look_into, &its);
}
#endif

int anypi_recorder_site(const void *address, int collective)
{
    char text[440];
    uintptr_t at = (uintptr_t) address * 31 + (uintptr_t) collective;
    at ^= at >> 12;
    while (slots[at % SLOTS].address)
        if (slots[at % SLOTS].address == address && slots[at % SLOTS].collective == collective)
            return slots[at % SLOTS].index;
        else
            at++;
    describe(address, text, sizeof text);
    const bool room = 2 * slots_used < SLOTS;
    const int index = anypi_record_site(&anypi_recorder_all.record, room ? text : "", collective);
    if (index >= 0 && !anypi_recorder_all.record.sites[index].ranks)
        anypi_recorder_all.record.sites[index].ranks = 1;
    if (room && index >= 0) {
        slots_used++;
        slots[at % SLOTS].address = address;
        slots[at % SLOTS].collective = collective;
        slots[at % SLOTS].index = index;
    }
    return index;
}

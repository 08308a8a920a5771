/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record_sites.c - keeps the places in the program from which collectives are called.
 */
#include "record/record.h"

#include "schedule/memory.h"

#include <math.h>
#include <string.h>

int anypi_record_site(anypi_record *record, const char *at, int collective)
{
    for (int i = 0; i < record->sites_count; i++)
        if (record->sites[i].collective == collective && !strcmp(record->sites[i].at, at))
            return i;
    if (*at && record->sites_count >= ANYPI_RECORD_SITES)
        return anypi_record_site(record, "", collective);
    anypi_site *sites = anypi_grow(record->sites, &record->sites_room, record->sites_count,
                                   sizeof *sites);
    if (!sites)
        return -1;
    record->sites = sites;
    const size_t size = strlen(at) + 1;
    char *own = anypi_realloc(NULL, size);
    if (!own)
        return -1;
    memcpy(own, at, size);
    sites[record->sites_count] = (anypi_site) { .at = own, .collective = collective };
    return record->sites_count++;
}

void anypi_record_add_sites(anypi_record *record, const anypi_record *other)
{
    for (int i = 0; i < other->sites_count; i++) {
        const anypi_site *from = &other->sites[i];
        const int place = anypi_record_site(record, from->at, from->collective);
        if (place < 0)
            return;
        anypi_site *to = &record->sites[place];
        to->least_seconds = to->ranks ? fmin(to->least_seconds, from->least_seconds)
            : from->least_seconds;
        to->largest_seconds = fmax(to->largest_seconds, from->largest_seconds);
        to->ranks += from->ranks;
        to->calls += from->calls;
        to->bytes += from->bytes;
        to->seconds += from->seconds;
    }
}

void anypi_record_free_sites(anypi_record *record)
{
    for (int i = 0; i < record->sites_count; i++)
        anypi_free(record->sites[i].at);
    anypi_free(record->sites);
}

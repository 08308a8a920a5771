/* SPDX-License-Identifier: BSD-3-Clause
 *
 * run_sites.c - shows the places in the program from which the first run called collectives.
 */
#include "report/run.h"

#include <stdlib.h>
#include <string.h>

/* The number of places in the table for a terminal. */
enum { TABLE_SITES = 10, PLACE_WIDTH = 48 };

typedef struct shown {
    const anypi_site *site;
    const char *place;
    double seconds;             /* of an average process, as those of kinds */
} shown;

static int by_seconds(const void *one, const void *other)
{
    const shown *a = one, *b = other;
    return a->seconds < b->seconds ? 1 : a->seconds > b->seconds ? -1
        : a->site < b->site ? -1 : a->site > b->site;
}

/* Returns the places with calls, the longest first; to be freed with free(). NULL: there are none,
 * or there is no memory. */
static shown *sort(const anypi_run *run, int *count)
{
    const anypi_record *record = run->record;
    shown *list = calloc((size_t) record->sites_count + 1, sizeof *list);
    *count = 0;
    for (int i = 0; list && i < record->sites_count; i++) {
        const anypi_site *site = &record->sites[i];
        const char *known = run->places && run->places[i] ? run->places[i] : site->at;
        if (site->calls > 0 && site->ranks > 0)
            list[(*count)++] = (shown) { site, *known ? known : "other places", site->seconds /
                                         (record->complete ? record->p : site->ranks) };
    }
    if (*count)
        qsort(list, (size_t) *count, sizeof *list, by_seconds);
    return list;
}

void anypi_run_sites_table(FILE *file, const anypi_run *run)
{
    int count;
    shown *list = sort(run, &count);
    if (count)
        fprintf(file, "\n%-*s %-16s %10s %10s %10s %10s %10s\n", PLACE_WIDTH,
                run->after ? "place in the program (first run)" : "place in the program",
                "collective", "bytes", "calls", "seconds", "least", "most");
    for (int i = 0; i < count && i < TABLE_SITES; i++) {
        const anypi_site *site = list[i].site;
        const double calls = (double) site->calls;
        const size_t length = strlen(list[i].place);
        /* the end of a long name tells more than its beginning */
        const char *place = list[i].place + (length > PLACE_WIDTH ? length - PLACE_WIDTH : 0);
        fprintf(file, "%-*s %-16.16s %10s %10.6g %10.4g %10.4g %10.4g\n", PLACE_WIDTH, place,
                anypi_recorded_name(site->collective),
                anypi_run_size((int64_t) (site->bytes / calls)).text, calls / site->ranks,
                list[i].seconds, site->least_seconds, site->largest_seconds);
    }
    if (count > TABLE_SITES)
        fprintf(file, "%3d more places\n", count - TABLE_SITES);
    free(list);
}

void anypi_run_sites_data(anypi_json *json, const anypi_run *run)
{
    int count;
    shown *list = sort(run, &count);
    anypi_json_write(json, "sites:[");
    for (int i = 0; i < count; i++) {
        const anypi_site *site = list[i].site;
        anypi_json_write(json, "{ place:%s collective:%s bytes:%g calls:%g ranks:%d seconds:%g "
                         "least:%g average:%g most:%g }", list[i].place,
                         anypi_recorded_name(site->collective),
                         site->bytes / (double) site->calls, (double) site->calls / site->ranks,
                         site->ranks, list[i].seconds, site->least_seconds,
                         site->seconds / site->ranks, site->largest_seconds);
    }
    anypi_json_write(json, "]");
    free(list);
}

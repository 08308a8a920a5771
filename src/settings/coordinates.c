/* SPDX-License-Identifier: BSD-3-Clause */
#include "settings/coordinates.h"

#include "select/text.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAULT(levels, ...) snprintf((levels)->fault, sizeof (levels)->fault, __VA_ARGS__)

/* ---- Slurm ---- */

void anypi_location_of_slurm(anypi_location *levels, const char *address,
                             const char *pattern)
{
    *levels = (anypi_location) { .count = 0 };
    if (!address && !pattern)
        return;
    if (!address || !pattern) {
        FAULT(levels, "SLURM_TOPOLOGY_ADDR%s is not set", address ? "_PATTERN" : "");
        return;
    }
    int count = 1;
    for (const char *at = pattern; *at; at++)
        count += *at == '.';
    if (count > ANYPI_LOCATION_LEVELS) {
        FAULT(levels, "SLURM_TOPOLOGY_ADDR_PATTERN=%s: it has more than %d levels", pattern,
              ANYPI_LOCATION_LEVELS);
        return;
    }
    /* from the top level; the last component keeps all remaining dots */
    const char *begin[ANYPI_LOCATION_LEVELS];
    size_t length[ANYPI_LOCATION_LEVELS] = { 0 };
    for (int i = 0; i < count; i++) {
        begin[i] = address;
        length[i] = i < count - 1 ? strcspn(address, ".") : strlen(address);
        address += length[i];
        if (i < count - 1 && !*address) {
            FAULT(levels, "SLURM_TOPOLOGY_ADDR=%s: it has fewer parts than "
                  "SLURM_TOPOLOGY_ADDR_PATTERN=%s", begin[0], pattern);
            return;
        }
        address += *address == '.';
    }
    if (!length[count - 1]) {
        FAULT(levels, "SLURM_TOPOLOGY_ADDR=%s: it names no node", begin[0]);
        return;
    }
    for (int i = count - 1; i >= 0; i--) {
        uint64_t *name = &levels->name[levels->count++];
        *name = length[i] ? ANYPI_HASH : name[-1];
        for (size_t k = 0; k < length[i]; k++)
            *name = anypi_hash_word(*name, (unsigned char) begin[i][k]);
    }
}

/* ---- coordinates ---- */

enum { RANK, GROUP, SWITCH, PORT, NUMBERS };

static bool read_line(const char *line, long numbers[NUMBERS])
{
    for (int i = 0; i < NUMBERS; i++) {
        char *end;
        numbers[i] = strtol(line, &end, 10);
        if (end == line || (i == RANK && *end != ':'))
            return false;
        line = end + (i == RANK);
    }
    return !line[strspn(line, " \t\r\n")];
}

bool anypi_coordinates_read(const char *file, int p, int first, int count, anypi_coordinates *kept,
                            char fault[ANYPI_LOCATION_FAULT])
{
    char line[256];
    FILE *in = fopen(file, "r");
    memset(kept, 0, (size_t) count * sizeof *kept);
    *fault = '\0';
    if (!in) {
        snprintf(fault, ANYPI_LOCATION_FAULT, "%s: %s", file, strerror(errno));
        return false;
    }
    for (int number = 1; !*fault && fgets(line, sizeof line, in); number++) {
        const char *text = line + strspn(line, " \t\r\n");
        const bool heading = number == 1 && !isdigit((unsigned char) *text);
        long numbers[NUMBERS];
        if (!*text || *text == '#' || heading)
            continue;
        if (!read_line(text, numbers))
            snprintf(fault, ANYPI_LOCATION_FAULT, "%.200s: line %d: expected a rank, a colon, its "
                     "group, switch and port, as in 3: 0 2 -1", file, number);
        else if (numbers[RANK] < 0 || numbers[RANK] >= p)
            snprintf(fault, ANYPI_LOCATION_FAULT, "%.200s: line %d: rank %ld; expected 0 to %d",
                     file, number, numbers[RANK], p - 1);
        else if (numbers[RANK] >= first && numbers[RANK] - first < count)
            kept[numbers[RANK] - first] =
                (anypi_coordinates) { number, numbers[GROUP], numbers[SWITCH] };
    }
    fclose(in);
    return !*fault;
}

void anypi_location_of_coordinates(anypi_location *levels, const char *file, int rank,
                                   const anypi_coordinates *own)
{
    *levels = (anypi_location) { .count = 0 };
    if (!own->line) {
        FAULT(levels, "%s: no line for rank %d", file, rank);
    } else if (own->group < 0 || own->port_switch < 0) {
        FAULT(levels, "%.200s: line %lld: rank %d has no group or no switch", file,
              (long long) own->line, rank);
    } else {
        levels->name[0] = (uint64_t) own->port_switch;
        levels->name[1] = (uint64_t) own->group;
        levels->count = 2;
    }
}

void anypi_location_of_file(anypi_location *levels, const char *file, int rank, int p)
{
    anypi_coordinates own;
    *levels = (anypi_location) { .count = 0 };
    if (anypi_coordinates_read(file, p, rank, 1, &own, levels->fault))
        anypi_location_of_coordinates(levels, file, rank, &own);
}

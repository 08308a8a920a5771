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

static int count_components(const char *text)
{
    int count = 1;
    for (; *text; text++)
        count += *text == '.';
    return count;
}

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
    const int count = count_components(pattern);
    if (count > ANYPI_LOCATION_LEVELS) {
        FAULT(levels, "SLURM_TOPOLOGY_ADDR_PATTERN=%s: it has more than %d levels", pattern,
              ANYPI_LOCATION_LEVELS);
        return;
    }
    /* from the top; the last component has all dots that are left */
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

/* Reads the line, if it is that of the rank; false: the file is wrong. */
static bool take_line(anypi_location *levels, const char *line, int rank, int p)
{
    long numbers[NUMBERS];
    if (!read_line(line, numbers)) {
        FAULT(levels, "expected a rank, a colon, its group, switch and port, as in 3: 0 2 -1");
    } else if (numbers[RANK] < 0 || numbers[RANK] >= p) {
        FAULT(levels, "it is of rank %ld, and the job has %d", numbers[RANK], p);
    } else if (numbers[RANK] == rank && (numbers[GROUP] < 0 || numbers[SWITCH] < 0)) {
        FAULT(levels, "rank %d has no group or no switch", rank);
    } else if (numbers[RANK] == rank) {
        levels->name[0] = (uint64_t) numbers[SWITCH];
        levels->name[1] = (uint64_t) numbers[GROUP];
        levels->count = 2;
    }
    return !*levels->fault;
}

void anypi_location_of_file(anypi_location *levels, const char *file, int rank, int p)
{
    char line[256];
    *levels = (anypi_location) { .count = 0 };
    FILE *in = fopen(file, "r");
    if (!in) {
        FAULT(levels, "%s: %s", file, strerror(errno));
        return;
    }
    for (int number = 1; !*levels->fault && fgets(line, sizeof line, in); number++) {
        const char *text = line + strspn(line, " \t\r\n");
        const bool heading = number == 1 && !isdigit((unsigned char) *text);
        if (*text && *text != '#' && !heading && !take_line(levels, text, rank, p)) {
            char fault[sizeof line];
            snprintf(fault, sizeof fault, "%.*s", (int) sizeof fault - 1, levels->fault);
            FAULT(levels, "%.200s: line %d: %s", file, number, fault);
        }
    }
    fclose(in);
    if (!*levels->fault && !levels->count)
        FAULT(levels, "%s: it has no line of rank %d", file, rank);
    if (*levels->fault)
        levels->count = 0;
}

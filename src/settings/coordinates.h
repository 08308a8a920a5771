/* SPDX-License-Identifier: BSD-3-Clause
 *
 * coordinates.h - finds at which switches a process is: from the variables of Slurm, or from a file
 * of coordinates in MPICH's format.
 */
#ifndef ANYPI_COORDINATES_H_INCLUDED
#define ANYPI_COORDINATES_H_INCLUDED

#include "schedule/shape.h"

#include <stdint.h>

enum { ANYPI_LOCATION_LEVELS = ANYPI_SHAPE_HEIGHTS - 1 };       /* without MPI's node */

enum { ANYPI_LOCATION_FAULT = 512 };

typedef struct anypi_location {
    int count;                  /* number of levels; 0: nothing is known */
    uint64_t name[ANYPI_LOCATION_LEVELS];       /* a number for each level's place, lowest level
                                                 * first */
    char fault[ANYPI_LOCATION_FAULT];   /* why nothing is known, or "" */
} anypi_location;

/* Sets the levels from the values of SLURM_TOPOLOGY_ADDR and SLURM_TOPOLOGY_ADDR_PATTERN, such as
 * s0.s4.tux1 and switch.switch.node; NULL: not set. An empty component means that no switch of that
 * level is above the node. The node's place at that level is then its place at the next lower
 * level. */
void anypi_location_of_slurm(anypi_location *levels, const char *address,
                             const char *pattern);

/* Sets the levels from the line of one of p ranks in a file of lines "RANK: GROUP SWITCH PORT"; -1
 * means unknown. Ignores ports, empty lines, lines that begin with "#", and a heading. */
void anypi_location_of_file(anypi_location *levels, const char *file, int rank, int p);

/* The same in two steps, so that one process reads the file for all p ranks. The first step keeps
 * the lines of `count` ranks from rank `first` on (line number 0: the rank has none) and returns
 * false, with the fault, if the file is wrong. The second step sets the levels of one rank. */
typedef struct anypi_coordinates {
    int64_t line, group, port_switch;
} anypi_coordinates;
bool anypi_coordinates_read(const char *file, int p, int first, int count, anypi_coordinates *kept,
                            char fault[ANYPI_LOCATION_FAULT]);
void anypi_location_of_coordinates(anypi_location *levels, const char *file, int rank,
                                   const anypi_coordinates *own);

#endif

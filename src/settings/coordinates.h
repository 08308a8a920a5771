/* SPDX-License-Identifier: BSD-3-Clause
 *
 * coordinates.h - at which switches a process is, by the variables of Slurm, or by a file as MPICH
 * reads it.
 */
#ifndef ANYPI_COORDINATES_H_INCLUDED
#define ANYPI_COORDINATES_H_INCLUDED

#include "schedule/shape.h"

#include <stdint.h>

enum { ANYPI_LOCATION_LEVELS = ANYPI_SHAPE_HEIGHTS - 1 };       /* one more is MPI's node */

enum { ANYPI_LOCATION_FAULT = 512 };

typedef struct anypi_location {
    int count;                  /* of levels; 0: nothing is known */
    uint64_t name[ANYPI_LOCATION_LEVELS];       /* a number for each, the lowest first */
    char fault[ANYPI_LOCATION_FAULT];   /* why nothing is known; "": nothing was said */
} anypi_location;

/* From the values of SLURM_TOPOLOGY_ADDR and SLURM_TOPOLOGY_ADDR_PATTERN, such as s0.s4.tux1 and
 * switch.switch.node; NULL: it is not set. Where no switch of a level is above the node (nothing
 * between dots), it is alone there, with what is below it. */
void anypi_location_of_slurm(anypi_location *levels, const char *address,
                             const char *pattern);

/* From the line of a rank of p in a file of lines "RANK: GROUP SWITCH PORT"; -1 is unknown. Ports,
 * empty lines, those that begin with "#", and a heading are ignored. */
void anypi_location_of_file(anypi_location *levels, const char *file, int rank, int p);

/* The same in two steps, so that one process reads the file for all p: the lines of the ranks (line
 * number 0: it has none); false, with the fault, if the file is wrong. Then the place of one. */
typedef struct anypi_coordinates {
    int64_t line, group, port_switch;
} anypi_coordinates;
bool anypi_coordinates_read(const char *file, int p, anypi_coordinates *all,
                            char fault[ANYPI_LOCATION_FAULT]);
void anypi_location_of_coordinates(anypi_location *levels, const char *file, int rank,
                                   const anypi_coordinates *own);

#endif

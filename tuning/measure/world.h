/* SPDX-License-Identifier: BSD-3-Clause
 *
 * world.h - finds which ranks of the world share a node, from MPI or from a variable.
 */
#ifndef ANYPI_WORLD_H_INCLUDED
#define ANYPI_WORLD_H_INCLUDED

#include "anyp.h"

#include <mpi.h>

#include <stdbool.h>

/* Returns the nodes of the world, the same on all ranks, which all must call it. Free them with
 * anypi_shape_free(). *given: they come from a variable, which does not describe other
 * communicators. NULL on all ranks: no memory. */
anyp_shape *anypi_world_nodes(MPI_Comm world, bool *given);

/* Is `own` true on all ranks? A rank without memory, for example, must not leave the others
 * waiting. */
bool anypi_all(MPI_Comm comm, bool own);

#endif

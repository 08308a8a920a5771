/* SPDX-License-Identifier: BSD-3-Clause
 *
 * freed_handles.c - keeps operators and datatypes that the program frees while operations use them.
 */
#include "mpi/operations.h"

#include "schedule/memory.h"

static struct {
    MPI_Op *ops;
    MPI_Datatype *types;
    int ops_count, ops_room, types_count, types_room;
} kept;

bool anypi_keep_op(MPI_Op op)
{
    MPI_Op *more = anypi_grow(kept.ops, &kept.ops_room, kept.ops_count, sizeof *more);
    if (!more)
        return false;
    kept.ops = more;
    kept.ops[kept.ops_count++] = op;
    return true;
}

bool anypi_keep_type(MPI_Datatype type)
{
    MPI_Datatype *more = anypi_grow(kept.types, &kept.types_room, kept.types_count, sizeof *more);
    if (!more)
        return false;
    kept.types = more;
    kept.types[kept.types_count++] = type;
    return true;
}

void anypi_free_handles(bool (*uses_op)(MPI_Op), bool (*uses_type)(MPI_Datatype))
{
    for (int i = kept.ops_count - 1; i >= 0; i--)
        if (!uses_op || !uses_op(kept.ops[i])) {
            anypi_mpi.Op_free(&kept.ops[i]);
            kept.ops[i] = kept.ops[--kept.ops_count];
        }
    for (int i = kept.types_count - 1; i >= 0; i--)
        if (!uses_type || !uses_type(kept.types[i])) {
            anypi_mpi.Type_free(&kept.types[i]);
            kept.types[i] = kept.types[--kept.types_count];
        }
    if (uses_op)
        return;
    anypi_free(kept.ops);
    anypi_free(kept.types);
    kept.ops = NULL;
    kept.types = NULL;
    kept.ops_room = kept.types_room = 0;
}

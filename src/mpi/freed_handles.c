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
    int count;                  /* of both; threads may read it without a lock */
} kept;

static void count_again(void)
{
    __atomic_store_n(&kept.count, kept.ops_count + kept.types_count, __ATOMIC_RELAXED);
}

bool anypi_keep_op(MPI_Op op)
{
    MPI_Op *more = anypi_grow(kept.ops, &kept.ops_room, kept.ops_count, sizeof *more);
    if (!more)
        return false;
    kept.ops = more;
    kept.ops[kept.ops_count++] = op;
    count_again();
    return true;
}

bool anypi_keep_type(MPI_Datatype type)
{
    MPI_Datatype *more = anypi_grow(kept.types, &kept.types_room, kept.types_count, sizeof *more);
    if (!more)
        return false;
    kept.types = more;
    kept.types[kept.types_count++] = type;
    count_again();
    return true;
}

bool anypi_any_kept(void)
{
    return __atomic_load_n(&kept.count, __ATOMIC_RELAXED) > 0;
}

bool anypi_unused_handle(bool (*uses_op)(MPI_Op), bool (*uses_type)(MPI_Datatype), MPI_Op *op,
                         MPI_Datatype *type)
{
    *op = MPI_OP_NULL;
    *type = MPI_DATATYPE_NULL;
    for (int i = 0; i < kept.ops_count && *op == MPI_OP_NULL; i++)
        if (!uses_op(kept.ops[i])) {
            *op = kept.ops[i];
            kept.ops[i] = kept.ops[--kept.ops_count];
        }
    for (int i = 0; i < kept.types_count && *op == MPI_OP_NULL && *type == MPI_DATATYPE_NULL; i++)
        if (!uses_type(kept.types[i])) {
            *type = kept.types[i];
            kept.types[i] = kept.types[--kept.types_count];
        }
    count_again();
    return *op != MPI_OP_NULL || *type != MPI_DATATYPE_NULL;
}

void anypi_free_handle(MPI_Op *op, MPI_Datatype *type)
{
    if (*op != MPI_OP_NULL)
        anypi_mpi.Op_free(op);
    else
        anypi_mpi.Type_free(type);
}

void anypi_free_kept(void)
{
    for (int i = 0; i < kept.ops_count; i++)
        anypi_mpi.Op_free(&kept.ops[i]);
    for (int i = 0; i < kept.types_count; i++)
        anypi_mpi.Type_free(&kept.types[i]);
    anypi_free(kept.ops);
    anypi_free(kept.types);
    kept.ops = NULL;
    kept.types = NULL;
    kept.ops_count = kept.types_count = kept.ops_room = kept.types_room = 0;
    count_again();
}

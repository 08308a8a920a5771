/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/choose_loop.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Bytes of the operands that are compared, long enough for a whole vector and a rest; pairs of
 * operator and datatype that are remembered. */
enum { BYTES = 1104, KNOWN = 32 };

static anypi_loop_operator operator_of(MPI_Op op)
{
    static const struct {
        MPI_Op handle;
        anypi_loop_operator operator;
    } rows[] = {
        { MPI_SUM, ANYPI_LOOP_SUM }, { MPI_PROD, ANYPI_LOOP_PROD }, { MPI_MAX, ANYPI_LOOP_MAX },
        { MPI_MIN, ANYPI_LOOP_MIN }, { MPI_LAND, ANYPI_LOOP_LAND }, { MPI_LOR, ANYPI_LOOP_LOR },
        { MPI_LXOR, ANYPI_LOOP_LXOR }, { MPI_BAND, ANYPI_LOOP_BAND }, { MPI_BOR, ANYPI_LOOP_BOR },
        { MPI_BXOR, ANYPI_LOOP_BXOR },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].handle == op)
            return rows[i].operator;
    return ANYPI_LOOP_OPERATORS;
}

/* Fills both operands with numbers of a kind: any bits, and in some places special values. At most
 * one of two operands is not a number. */
static void fill(anypi_loop_kind kind, char *left, char *right)
{
    static const double special[] = { 0.0, -0.0, 1.5, -1.5, INFINITY, -INFINITY, NAN, DBL_MIN };
    enum { SPECIAL = sizeof special / sizeof *special };
    uint64_t state = 1;
    const int size = anypi_loop_size(kind), numbers = BYTES / size;
    for (int i = 0; i < BYTES; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
        left[i] = (char) (state >> 56);
        right[i] = (char) (state >> 40);
    }
    for (int i = 0; i < numbers; i++) {
        const int a = i / SPECIAL % SPECIAL, b = i % SPECIAL;
        const double x = special[a], y = isnan(x) && isnan(special[b]) ? 2 : special[b];
        const float x1 = (float) x, y1 = (float) y;
        if (kind == ANYPI_LOOP_DOUBLE) {
            memcpy(left + i * size, &x, sizeof x);
            memcpy(right + i * size, &y, sizeof y);
        } else if (kind == ANYPI_LOOP_FLOAT) {
            memcpy(left + i * size, &x1, sizeof x1);
            memcpy(right + i * size, &y1, sizeof y1);
        } else if (i % 3 == 0) {        /* logical values; equal ones */
            memset(left + i * size, i % 2 ? 0 : left[i], (size_t) size);
            memcpy(right + i * size, left + i * size, (size_t) size);
        }
    }
}

/* Does a loop reduce as MPI does? An element has `size` bytes. */
static bool is_same(anypi_loop loop, anypi_loop_kind kind, const anypi_type *type, MPI_Op op)
{
    char left[BYTES], right[BYTES], out[BYTES];
    fill(kind, left, right);
    loop(left, right, out, BYTES / anypi_loop_size(kind));
    const int elements = (int) (BYTES / type->size);
    return !anypi_mpi.Reduce_local(left, right, elements, type->handle, op) &&
        !memcmp(out, right, (size_t) (elements * type->size));
}

static anypi_own_loop find(const anypi_type *type, MPI_Op op)
{
    const anypi_loop_operator operator = operator_of(op);
    const anypi_own_loop none = { NULL, 0 };
    if (operator == ANYPI_LOOP_OPERATORS || !type->dense ||
        !(type->kinds & anypi_operator_kinds(op)))
        return none;
    for (int kind = 0; kind < ANYPI_LOOP_KINDS; kind++)
        for (int variant = 0; variant < ANYPI_LOOP_VARIANTS; variant++) {
            const int size = anypi_loop_size((anypi_loop_kind) kind);
            const anypi_loop loop = anypi_loop_of(operator, (anypi_loop_kind) kind, variant);
            if (loop && (type->size == size || type->size == 2 * size) &&
                is_same(loop, (anypi_loop_kind) kind, type, op))
                return (anypi_own_loop) { loop, (int) (type->size / size) };
        }
    return none;
}

anypi_own_loop anypi_own_loop_of(const anypi_type *type, MPI_Op op)
{
    static struct {
        MPI_Datatype type;
        MPI_Op op;
        anypi_own_loop loop;
    } known[KNOWN];
    static unsigned count;
    for (unsigned i = 0; i < count && i < KNOWN; i++)
        if (known[i].type == type->handle && known[i].op == op)
            return known[i].loop;
    const anypi_own_loop found = find(type, op);
    known[count % KNOWN].type = type->handle;
    known[count % KNOWN].op = op;
    known[count++ % KNOWN].loop = found;
    return found;
}

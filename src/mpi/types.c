/* SPDX-License-Identifier: BSD-3-Clause */
#include "mpi/types.h"

#include <pthread.h>
#include <string.h>

/* Kinds of datatypes, grouped as MPI groups them for its operators (MPI 4.0, section 6.9.2). */
enum {
    C_INTEGER = 1,
    FORTRAN_INTEGER = 2,
    FLOATING = 4,
    LOGICAL = 8,
    COMPLEX = 16,
    BYTE = 32,
    LANGUAGE_FREE = 64,         /* MPI_Aint and similar types */
    PAIR = 128,
    PLAIN = 256                 /* no operator is defined for the datatype */
};

enum {
    INTEGER = C_INTEGER | FORTRAN_INTEGER,
    ORDERED = INTEGER | FLOATING | LANGUAGE_FREE,
    TRUTH = C_INTEGER | LOGICAL,
    BITS = INTEGER | BYTE | LANGUAGE_FREE
};

static anypi_type types[] = {
#define TYPE(name, kind) { .handle = name, .kinds = kind }
    TYPE(MPI_DOUBLE, FLOATING), TYPE(MPI_INT, C_INTEGER), TYPE(MPI_FLOAT, FLOATING),
    TYPE(MPI_LONG, C_INTEGER), TYPE(MPI_INT64_T, C_INTEGER), TYPE(MPI_UINT64_T, C_INTEGER),
    TYPE(MPI_UNSIGNED_LONG, C_INTEGER), TYPE(MPI_LONG_LONG, C_INTEGER),
    TYPE(MPI_UNSIGNED_LONG_LONG, C_INTEGER), TYPE(MPI_INT32_T, C_INTEGER),
    TYPE(MPI_UINT32_T, C_INTEGER), TYPE(MPI_UNSIGNED, C_INTEGER), TYPE(MPI_SHORT, C_INTEGER),
    TYPE(MPI_UNSIGNED_SHORT, C_INTEGER), TYPE(MPI_SIGNED_CHAR, C_INTEGER),
    TYPE(MPI_UNSIGNED_CHAR, C_INTEGER), TYPE(MPI_INT8_T, C_INTEGER), TYPE(MPI_INT16_T, C_INTEGER),
    TYPE(MPI_UINT8_T, C_INTEGER), TYPE(MPI_UINT16_T, C_INTEGER), TYPE(MPI_LONG_DOUBLE, FLOATING),
    TYPE(MPI_C_BOOL, LOGICAL), TYPE(MPI_BYTE, BYTE), TYPE(MPI_AINT, LANGUAGE_FREE),
    TYPE(MPI_OFFSET, LANGUAGE_FREE), TYPE(MPI_COUNT, LANGUAGE_FREE),
    TYPE(MPI_C_FLOAT_COMPLEX, COMPLEX), TYPE(MPI_C_DOUBLE_COMPLEX, COMPLEX),
    TYPE(MPI_C_LONG_DOUBLE_COMPLEX, COMPLEX), TYPE(MPI_FLOAT_INT, PAIR),
    TYPE(MPI_DOUBLE_INT, PAIR), TYPE(MPI_LONG_INT, PAIR), TYPE(MPI_2INT, PAIR),
    TYPE(MPI_SHORT_INT, PAIR), TYPE(MPI_LONG_DOUBLE_INT, PAIR),
    TYPE(MPI_CHAR, PLAIN), TYPE(MPI_WCHAR, PLAIN), TYPE(MPI_PACKED, PLAIN),
    /* null if the library was built without Fortran */
    TYPE(MPI_CHARACTER, PLAIN),
    TYPE(MPI_INTEGER, FORTRAN_INTEGER), TYPE(MPI_REAL, FLOATING),
    TYPE(MPI_DOUBLE_PRECISION, FLOATING), TYPE(MPI_LOGICAL, LOGICAL), TYPE(MPI_COMPLEX, COMPLEX),
    TYPE(MPI_DOUBLE_COMPLEX, COMPLEX), TYPE(MPI_2REAL, PAIR), TYPE(MPI_2DOUBLE_PRECISION, PAIR),
    TYPE(MPI_2INTEGER, PAIR),
    TYPE(MPI_INTEGER1, FORTRAN_INTEGER), TYPE(MPI_INTEGER2, FORTRAN_INTEGER),
    TYPE(MPI_INTEGER4, FORTRAN_INTEGER), TYPE(MPI_INTEGER8, FORTRAN_INTEGER),
    TYPE(MPI_REAL4, FLOATING), TYPE(MPI_REAL8, FLOATING), TYPE(MPI_COMPLEX8, COMPLEX),
    TYPE(MPI_COMPLEX16, COMPLEX), TYPE(MPI_C_COMPLEX, COMPLEX),
#ifdef MPI_REAL16
    TYPE(MPI_REAL16, FLOATING),
#endif
#ifdef MPI_COMPLEX32
    TYPE(MPI_COMPLEX32, COMPLEX),
#endif
#ifdef MPI_INTEGER16
    TYPE(MPI_INTEGER16, FORTRAN_INTEGER),
#endif
#ifdef MPI_LOGICAL8
    TYPE(MPI_LOGICAL1, LOGICAL), TYPE(MPI_LOGICAL2, LOGICAL), TYPE(MPI_LOGICAL4, LOGICAL),
    TYPE(MPI_LOGICAL8, LOGICAL),
#endif
#undef TYPE
};

enum { TYPES = sizeof types / sizeof types[0] };

static const struct {
    MPI_Op handle;
    unsigned kinds;
} operators[] = {
    { MPI_SUM, ORDERED | COMPLEX }, { MPI_MAX, ORDERED }, { MPI_MIN, ORDERED },
    { MPI_PROD, ORDERED | COMPLEX }, { MPI_LAND, TRUTH }, { MPI_LOR, TRUTH }, { MPI_LXOR, TRUTH },
    { MPI_BAND, BITS }, { MPI_BOR, BITS }, { MPI_BXOR, BITS }, { MPI_MAXLOC, PAIR },
    { MPI_MINLOC, PAIR },
};

unsigned anypi_operator_kinds(MPI_Op op)
{
    for (int i = 0; i < (int) (sizeof operators / sizeof operators[0]); i++)
        if (operators[i].handle == op)
            return operators[i].kinds;
    return 0;
}

bool anypi_type_ask(MPI_Datatype handle, anypi_type *type)
{
    MPI_Count size;
    MPI_Aint lb, extent, true_lb, true_extent;
    /* the standard ABI has handles of types that a library need not support; such types have no
     * size */
    if (anypi_mpi.Type_size_x(handle, &size) || size == MPI_UNDEFINED ||
        anypi_mpi.Type_get_extent(handle, &lb, &extent) ||
        anypi_mpi.Type_get_true_extent(handle, &true_lb, &true_extent))
        return false;
    /* its data or its extent, whichever reaches further: a user operator may write the gaps */
    const MPI_Aint ub = lb + extent, true_ub = true_lb + true_extent;
    type->handle = handle;
    type->size = size;
    type->element = (anypi_element) { .low = lb < true_lb ? lb : true_lb,
                                      .high = ub > true_ub ? ub : true_ub, .extent = extent };
    type->dense = size == extent && true_lb == 0 && true_extent == extent;
    type->overlaps = true_extent > (extent < 0 ? -extent : extent);
    return true;
}

/* Finds how a datatype was made. Returns false if this is unknown, or if it was made by numbers of
 * type MPI_Count. */
static bool ask_envelope(MPI_Datatype handle, int *integers, int *combiner)
{
    int addresses, inner;
#ifdef ANYPI_HAVE_LARGE
    if (anypi_mpi.Type_get_envelope_c) {
        MPI_Count few, more, large, all;
        const int error = anypi_mpi.Type_get_envelope_c(handle, &few, &more, &large, &all,
                                                        combiner);
        *integers = (int) few;
        return !error && large == 0;
    }
#endif
    return !anypi_mpi.Type_get_envelope(handle, integers, &addresses, &inner, combiner);
}

/* Returns whether the type is predefined by MPI, so that nobody may free it. Types of Fortran's
 * kinds have no name. */
static bool is_predefined(int combiner)
{
    return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_INTEGER ||
        combiner == MPI_COMBINER_F90_REAL || combiner == MPI_COMBINER_F90_COMPLEX;
}

/* Returns whether an element, of `size` bytes, is a predefined type without gaps, or copies of one.
 * Other types are not examined. Frees a user handle unless its depth is 0. */
static bool is_contiguous(MPI_Datatype handle, int64_t size, int depth)
{
    enum { DEPTH = 8 };
    int integers, combiner, copies = 1;
    MPI_Datatype inner;
    const bool asked = ask_envelope(handle, &integers, &combiner);
    bool contiguous = false;
    if (asked && is_predefined(combiner)) {
        const anypi_type *known = anypi_type_find(handle);
        return known && known->dense && known->size == size;
    }
    if (asked && (combiner == MPI_COMBINER_DUP || combiner == MPI_COMBINER_CONTIGUOUS) &&
        depth < DEPTH &&
        !anypi_mpi.Type_get_contents(handle, integers, 0, 1, &copies, NULL, &inner))
        contiguous = is_contiguous(inner, copies > 0 ? size / copies : -1, depth + 1);
    if (depth > 0)
        anypi_mpi.Type_free(&handle);
    return contiguous;
}

bool anypi_type_is_contiguous(const anypi_type *type)
{
    return type->dense && (type->kinds || is_contiguous(type->handle, type->size, 0));
}

/* Returns a handle as a number. Handles are ints in some libraries and pointers in others. */
static unsigned slot_of(MPI_Datatype handle)
{
    const uint64_t number = (uintptr_t) handle;
    return (unsigned) (number * UINT64_C(0x9e3779b97f4a7c15) >> 57);
}

enum { SLOTS = 128 };           /* slot_of() returns 0 .. 127 */

static anypi_type *slots[SLOTS];

static void load(void)
{
    for (int i = 0; i < TYPES; i++) {
        if (types[i].handle == MPI_DATATYPE_NULL || !anypi_type_ask(types[i].handle, &types[i]))
            continue;
        unsigned slot = slot_of(types[i].handle);
        while (slots[slot] && slots[slot]->handle != types[i].handle)
            slot = (slot + 1) % SLOTS;
        if (slots[slot])        /* one handle, two names: MPI_INT and MPI_INTEGER in SMPI */
            slots[slot]->kinds |= types[i].kinds;
        else
            slots[slot] = &types[i];
    }
}

void anypi_types_load(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, load);
}

const anypi_type *anypi_type_find(MPI_Datatype handle)
{
    for (unsigned slot = slot_of(handle); slots[slot]; slot = (slot + 1) % SLOTS)
        if (slots[slot]->handle == handle)
            return slots[slot];
    return NULL;
}

const anypi_type *anypi_type_know(MPI_Datatype handle, anypi_type *users)
{
    const anypi_type *known = anypi_type_find(handle);
    users->kinds = 0;
    return known ? known : anypi_type_ask(handle, users) ? users : NULL;
}

/* Uses memcpy, because buffers of the application may have any alignment. */
#define EXTREMES(number, is_beyond)                                                                \
    for (int64_t i = 0; i < elements; i++) {                                                       \
        number left, right;                                                                        \
        memcpy(&left, from + i * (int64_t) sizeof left, sizeof left);                              \
        memcpy(&right, to + i * (int64_t) sizeof right, sizeof right);                             \
        right = right is_beyond left ? right : left;                                               \
        memcpy(to + i * (int64_t) sizeof right, &right, sizeof right);                             \
    }

bool anypi_reduce_extremes(const anypi_type *type, MPI_Op op, const char *from, char *to,
                           int64_t elements)
{
    const bool is_float = type->size == sizeof(float);
    if ((op != MPI_MAX && op != MPI_MIN) || type->kinds != FLOATING ||
        (!is_float && type->size != sizeof(double)))
        return false;
    if (is_float && op == MPI_MAX)
        EXTREMES(float, >)
    else if (is_float)
        EXTREMES(float, <)
    else if (op == MPI_MAX)
        EXTREMES(double, >)
    else
        EXTREMES(double, <)
    return true;
}
#undef EXTREMES

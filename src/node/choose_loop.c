/* SPDX-License-Identifier: BSD-3-Clause */
#include "node/choose_loop.h"

#include <float.h>
#include <math.h>
#include <string.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

/* Bytes of the operands that are compared, long enough for a whole vector and a rest; pairs of
 * operator and datatype that are remembered. */
enum { BYTES = 1104, KNOWN = 32 };

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
        } else if (i % 3 == 0) {        /* equal values, and all pairs of logical ones */
            memcpy(right + i * size, left + i * size, (size_t) size);
            memset(left + i * size, 0, i / 3 % 2 ? (size_t) size : 0);
            memset(right + i * size, 0, i / 3 % 4 > 1 ? (size_t) size : 0);
        }
    }
}

/* Does a loop reduce as the MPI library does? */
static bool is_same(anypi_loop loop, anypi_loop_kind kind, const anypi_reduction *reduction)
{
    _Alignas(max_align_t) char left[BYTES], right[BYTES], out[BYTES];
    fill(kind, left, right);
    loop(left, right, out, BYTES / anypi_loop_size(kind));
    const int elements = (int) (BYTES / reduction->size);
    return reduction->reduce(reduction->handles, left, right, elements) &&
        !memcmp(out, right, (size_t) (elements * reduction->size));
}

/* Lets no floating-point exception end the program, and forgets them afterwards: a program may have
 * asked for traps. Other processors than these have none, or the C library's functions for them are
 * not in libc. Returns the state before. */
static unsigned mask_exceptions(void)
{
#ifdef __SSE2__
    enum { FLAGS = 0x3f, MASKS = 0x1f80 };
    const unsigned before = _mm_getcsr();
    _mm_setcsr((before | MASKS) & ~(unsigned) FLAGS);
    return before;
#else
    return 0;
#endif
}

static void restore_exceptions(unsigned before)
{
#ifdef __SSE2__
    _mm_setcsr(before);
#else
    (void) before;
#endif
}

static anypi_own_loop find(const anypi_reduction *reduction)
{
    for (int kind = 0; kind < ANYPI_LOOP_KINDS; kind++)
        for (int variant = 0; variant < ANYPI_LOOP_VARIANTS; variant++) {
            const int size = anypi_loop_size((anypi_loop_kind) kind);
            const anypi_loop loop =
                anypi_loop_of(reduction->loops, (anypi_loop_kind) kind, variant);
            if (loop && (reduction->size == size || reduction->size == 2 * size) &&
                is_same(loop, (anypi_loop_kind) kind, reduction))
                return (anypi_own_loop) { loop, (int) (reduction->size / size) };
        }
    return (anypi_own_loop) { NULL, 0 };
}

anypi_own_loop anypi_own_loop_of(const anypi_reduction *reduction)
{
    static struct {
        uint64_t type, operator;
        anypi_own_loop loop;
    } known[KNOWN];
    static unsigned count;
    if (reduction->loops == ANYPI_LOOP_OPERATORS)
        return (anypi_own_loop) { NULL, 0 };
    for (unsigned i = 0; i < count && i < KNOWN; i++)
        if (known[i].type == reduction->type && known[i].operator == reduction->operator)
            return known[i].loop;
    const unsigned exceptions = mask_exceptions();
    const anypi_own_loop found = find(reduction);
    restore_exceptions(exceptions);
    known[count % KNOWN].type = reduction->type;
    known[count % KNOWN].operator = reduction->operator;
    known[count++ % KNOWN].loop = found;
    return found;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * reduction_loops.c - each loop is compiled for several lengths of vectors, of which the loader
 * takes the one that the processor has.
 */
#include "node/reduction_loops.h"

#include <stddef.h>
#include <string.h>

#ifdef __has_attribute
#define HAS_CLONES __has_attribute(target_clones)
#else
#define HAS_CLONES 0
#endif

/* Sanitizers' own code cannot run when the loader chooses. */
#if HAS_CLONES && defined(__x86_64__) && defined(__GLIBC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
#pragma GCC optimize("O3")      /* vectors, also if users build with -O2 */
#else
#define CLONES
#endif

/* Operands may be equal. Clang warns where a sanitizer prevents vectors. */
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"
#define VECTORS _Pragma("clang loop vectorize(assume_safety)")
#else
#define VECTORS _Pragma("GCC ivdep")
#endif

/* memcpy, because buffers may have any alignment. */
#define LOOP(name, type, expression)                                                               \
    CLONES static void name(const char *left, const char *right, char *out, int64_t numbers)       \
    {                                                                                              \
        VECTORS                                                                                    \
        for (int64_t i = 0; i < numbers; i++) {                                                    \
            type a, b;                                                                             \
            memcpy(&a, left + i * (int64_t) sizeof a, sizeof a);                                   \
            memcpy(&b, right + i * (int64_t) sizeof b, sizeof b);                                  \
            const type result = (type) (expression);                                               \
            memcpy(out + i * (int64_t) sizeof result, &result, sizeof result);                     \
        }                                                                                          \
    }

/* The types of MPI's numbers, and the unsigned type of the same size, which wraps. */
#define INTEGERS(ROW)                                                                              \
    ROW(INT64, int64_t, uint64_t) ROW(UINT64, uint64_t, uint64_t)                                  \
    ROW(INT32, int32_t, uint32_t) ROW(UINT32, uint32_t, uint32_t)                                  \
    ROW(INT16, int16_t, unsigned) ROW(UINT16, uint16_t, unsigned)                                  \
    ROW(INT8, int8_t, unsigned) ROW(UINT8, uint8_t, unsigned)
#define FLOATS(ROW) ROW(DOUBLE, double, double) ROW(FLOAT, float, float)

#define NUMBERS(KIND, type, wrapping)                                                              \
    LOOP(sum_##KIND, type, (wrapping) a + (wrapping) b)                                            \
    LOOP(prod_##KIND, type, (wrapping) a * (wrapping) b)                                           \
    LOOP(max_##KIND, type, b > a ? b : a)                                                          \
    LOOP(min_##KIND, type, b < a ? b : a)                                                          \
    LOOP(max2_##KIND, type, a > b ? a : b)                                                         \
    LOOP(min2_##KIND, type, a < b ? a : b)
#define BITS(KIND, type, wrapping)                                                                 \
    LOOP(land_##KIND, type, a && b)                                                                \
    LOOP(lor_##KIND, type, a || b)                                                                 \
    LOOP(lxor_##KIND, type, !a != !b)                                                              \
    LOOP(band_##KIND, type, a & b)                                                                 \
    LOOP(bor_##KIND, type, a | b)                                                                  \
    LOOP(bxor_##KIND, type, a ^ b)

INTEGERS(NUMBERS)
FLOATS(NUMBERS)
INTEGERS(BITS)

int anypi_loop_size(anypi_loop_kind kind)
{
    static const int sizes[] = {
#define ROW(KIND, type, wrapping) [ANYPI_LOOP_##KIND] = sizeof(type),
        INTEGERS(ROW) FLOATS(ROW)
#undef ROW
    };
    return sizes[kind];
}

anypi_loop anypi_loop_of(anypi_loop_operator operator, anypi_loop_kind kind, int variant)
{
#define NUMBER_ROW(KIND)                                                                           \
    [ANYPI_LOOP_SUM] = { sum_##KIND }, [ANYPI_LOOP_PROD] = { prod_##KIND },                        \
    [ANYPI_LOOP_MAX] = { max_##KIND, max2_##KIND }, [ANYPI_LOOP_MIN] = { min_##KIND, min2_##KIND }
#define BIT_ROW(KIND)                                                                              \
    [ANYPI_LOOP_LAND] = { land_##KIND }, [ANYPI_LOOP_LOR] = { lor_##KIND },                        \
    [ANYPI_LOOP_LXOR] = { lxor_##KIND }, [ANYPI_LOOP_BAND] = { band_##KIND },                      \
    [ANYPI_LOOP_BOR] = { bor_##KIND }, [ANYPI_LOOP_BXOR] = { bxor_##KIND }
    static const anypi_loop loops[ANYPI_LOOP_KINDS][ANYPI_LOOP_OPERATORS][ANYPI_LOOP_VARIANTS] = {
#define ROW(KIND, type, wrapping) [ANYPI_LOOP_##KIND] = { NUMBER_ROW(KIND), BIT_ROW(KIND) },
        INTEGERS(ROW)
#undef ROW
#define ROW(KIND, type, wrapping) [ANYPI_LOOP_##KIND] = { NUMBER_ROW(KIND) },
        FLOATS(ROW)
#undef ROW
    };
    return loops[kind][operator][variant];
}

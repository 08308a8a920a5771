/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI on processors with AVX: MPI_MAX and MPI_MIN of float and double give different results
 * for the same two operands at different places of a vector, if neither operand is larger: zeros of
 * different signs, or a NaN.
 *
 * The vector code (op/avx) keeps the other operand than the code for the elements that do not fill
 * a vector register. So results depend on how an algorithm cuts the vector into blocks, and on the
 * processor. OMPI_MCA_op=^avx avoids it.
 *
 * MPI does not define the larger of two zeros, or of a number and a NaN. But it strongly recommends
 * that a reduction give the same result for the same operands in the same order.
 *
 * Releases: 4.1.4, measured; later releases were not examined
 *
 *   mpiexec -n 1 ./minimum-of-zeros
 */
#include "fault.h"

#include <math.h>

enum { COUNT = 67 };            /* no multiple of what a vector register holds */

/* Are the bits of an element other than those of the first one? */
static int differs(const double *vector, int i)
{
    return memcmp(&vector[i], &vector[0], sizeof *vector) != 0;
}

int main(void)
{
    static const char *const names[] = {
        "MPI_MAX of 0.0 and -0.0", "MPI_MIN of 0.0 and -0.0", "MPI_MAX of 1 and NaN"
    };
    static double from[COUNT], to[COUNT];
    char what[120];
    begin(1);
    for (int test = 0; test < 3; test++) {
        for (int i = 0; i < COUNT; i++) {
            from[i] = test < 2 ? 0.0 : 1.0;
            to[i] = test < 2 ? -0.0 : NAN;
        }
        MPI_Reduce_local(from, to, COUNT, MPI_DOUBLE, test == 1 ? MPI_MIN : MPI_MAX);
        for (int i = 1; i < COUNT; i++)
            if (differs(to, i)) {
                snprintf(what, sizeof what, "%s: %g in element 0, %g in element %d", names[test],
                         to[0], to[i], i);
                verdict(1, what);
            }
    }
    verdict(0, "");
}

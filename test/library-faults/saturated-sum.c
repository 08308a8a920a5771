/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Open MPI on processors with AVX: MPI_SUM of integers of 8 and 16 bits gives another sum in the
 * vector code (op/avx) than in the code for the elements that do not fill a vector register: the
 * vector code stays at the largest or smallest number, instead of going around.
 *
 * MPI does not define a sum that is too large. In C unsigned integers go around. The elements of
 * one vector should at least receive equal sums. Open MPI closed a report of the same effect with
 * MPI_SHORT (2020) as "wontfix". OMPI_MCA_op=^avx avoids the fault.
 *
 * Releases: 4.1.4, measured; later releases were not examined
 *
 *   mpiexec -n 1 ./saturated-sum
 */
#include "fault.h"

#include <stdint.h>

enum { COUNT = 100 };

int main(void)
{
    static uint8_t from[COUNT], to[COUNT];
    static uint16_t from16[COUNT], to16[COUNT];
    int wrong = 0;
    begin(1);
    for (int i = 0; i < COUNT; i++) {
        from[i] = to[i] = 200;
        from16[i] = to16[i] = 40000;
    }
    MPI_Reduce_local(from, to, COUNT, MPI_UINT8_T, MPI_SUM);
    MPI_Reduce_local(from16, to16, COUNT, MPI_UINT16_T, MPI_SUM);
    for (int i = 0; i < COUNT; i++)
        wrong |= to[i] != (200 + 200) % 256 || to16[i] != (40000 + 40000) % 65536;
    char what[120];
    snprintf(what, sizeof what, "MPI_SUM: 200 + 200 is %d in 8 bits, expected 144; 40000 + 40000 "
             "is %d in 16, expected 14464", to[0], to16[0]);
    verdict(wrong, what);
}

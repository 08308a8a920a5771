/* SPDX-License-Identifier: BSD-3-Clause
 *
 * wrappers.c - wraps the MPI library's collectives, with int and with MPI_Count counts.
 */
#include "mpi/operations.h"
#include "mpi/recorder.h"

/* The members of a collective's row that the compiler needs. */
#define ROW(kind, has, gets, word)                                                                 \
    (&(const anypi_collective) { .moves = MOVES_##kind, .input = ANYPI_##has,                      \
                                 .output = ANYPI_##gets, .arguments = ANYPI_TAKES_##word })
#define MOVES_REDUCTION false
#define MOVES_MOVEMENT true
#define MOVES_SIGNAL true

static inline void prepare(MPI_Comm comm)
{
    if (anypi_operations_need_help())
        anypi_operations_before(comm);
}

#define WRAP(NAME, function, shape, row)                                                           \
    int MPI_##function(shape(ANYPI_DECLARE, PLACE) MPI_Comm comm)                                  \
    {                                                                                              \
        anypi_job job;                                                                             \
        anypi_arguments its = { .collective = ANYP_##NAME, shape(ANYPI_STORE, ) };                 \
        const anypi_note note = anypi_note_open(ANYP_##NAME, comm,                                 \
                                                __builtin_return_address(0));                      \
        anypi_state *const state = anypi_state_near(comm);                                         \
        anypi_entry *const entry = anypi_recall(state, &its, row);                                 \
        const int error = anypi_forwards(state, entry, ANYP_##NAME)                                \
            ? (anypi_operations_finish(), anypi_mpi.function(shape(ANYPI_GIVE, ) comm))            \
            : (prepare(comm), anypi_handles(&job, &its, comm, state, entry)) ? job.error           \
            : (anypi_operations_finish(),                                                          \
               anypi_forwarded(&job, anypi_mpi.function(shape(ANYPI_GIVE, ) comm)));               \
        return anypi_note_close(&note, &its, comm, error);                                         \
    }

#define INTEGER int
#define PLACE int
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    WRAP(NAME, Name, ANYPI_SHAPE_##kind##_##arguments, ROW(kind, input, output, arguments))
#include "schedule/collectives.def"

#ifdef ANYPI_HAVE_LARGE
#undef INTEGER
#undef PLACE
#define INTEGER MPI_Count
#define PLACE MPI_Aint
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)            \
    ANYPI_LARGE_##kind(WRAP(NAME, Name##_c, ANYPI_SHAPE_##kind##_##arguments,                      \
                            ROW(kind, input, output, arguments)))
#include "schedule/collectives.def"
#endif

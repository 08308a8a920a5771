/* SPDX-License-Identifier: BSD-3-Clause
 *
 * argument_shapes.h - the arguments of MPI's collectives, as lists for all code that declares,
 * stores or passes them: the plug-in's wrappers for C and Fortran, the MPIR entries, the tuner and
 * the tests. maint/algorithms.py also reads this file.
 *
 *   ANYPI_SHAPE_<kind>_<arguments>(WORD, x)   kind and arguments as in collectives.def
 *
 * expands to WORD(x, KIND, name, member) for each argument before the communicator, in MPI's
 * order, without commas between:
 *   x        any text that the file that uses the list gives
 *   KIND     IN, a buffer that is read; OUT, one that is written; BOTH; COUNT; COUNTS, an array
 *            with a count for each rank; DISPLS, an array of displacements; TYPE; TYPES, an array
 *            of them; OP; ROOT
 *   name     of the argument in MPI's text
 *   member   of anypi_arguments (execute/arguments.h) that holds it
 *
 * A new shape is a list here and its word in collectives.def; a new KIND needs a macro in each file
 * that uses the lists.
 */
#ifndef ANYPI_ARGUMENT_SHAPES_H_INCLUDED
#define ANYPI_ARGUMENT_SHAPES_H_INCLUDED

#define ANYPI_SHAPE_REDUCTION_COUNT(WORD, x)                                                     \
    WORD(x, IN, sendbuf, sendbuf) WORD(x, OUT, recvbuf, recvbuf) WORD(x, COUNT, count, count)    \
    WORD(x, TYPE, datatype, datatype) WORD(x, OP, op, op)

#define ANYPI_SHAPE_REDUCTION_ROOTED(WORD, x)                                                    \
    ANYPI_SHAPE_REDUCTION_COUNT(WORD, x) WORD(x, ROOT, root, root)

#define ANYPI_SHAPE_REDUCTION_BLOCK(WORD, x)                                                     \
    WORD(x, IN, sendbuf, sendbuf) WORD(x, OUT, recvbuf, recvbuf)                                 \
    WORD(x, COUNT, recvcount, count) WORD(x, TYPE, datatype, datatype) WORD(x, OP, op, op)

#define ANYPI_SHAPE_REDUCTION_COUNTS(WORD, x)                                                    \
    WORD(x, IN, sendbuf, sendbuf) WORD(x, OUT, recvbuf, recvbuf)                                 \
    WORD(x, COUNTS, recvcounts, counts) WORD(x, TYPE, datatype, datatype) WORD(x, OP, op, op)

#define ANYPI_SHAPE_MOVEMENT_BUFFER(WORD, x)                                                     \
    WORD(x, BOTH, buffer, recvbuf) WORD(x, COUNT, count, count)                                  \
    WORD(x, TYPE, datatype, datatype) WORD(x, ROOT, root, root)

#define ANYPI_SHAPE_MOVEMENT_BLOCK(WORD, x)                                                      \
    WORD(x, IN, sendbuf, sendbuf) WORD(x, COUNT, sendcount, sendcount)                           \
    WORD(x, TYPE, sendtype, sendtype) WORD(x, OUT, recvbuf, recvbuf)                             \
    WORD(x, COUNT, recvcount, count) WORD(x, TYPE, recvtype, datatype)

#define ANYPI_SHAPE_MOVEMENT_ROOTED_BLOCK(WORD, x)                                               \
    ANYPI_SHAPE_MOVEMENT_BLOCK(WORD, x) WORD(x, ROOT, root, root)

#define ANYPI_SHAPE_MOVEMENT_COUNTS(WORD, x)                                                     \
    WORD(x, IN, sendbuf, sendbuf) WORD(x, COUNT, sendcount, sendcount)                           \
    WORD(x, TYPE, sendtype, sendtype) WORD(x, OUT, recvbuf, recvbuf)                             \
    WORD(x, COUNTS, recvcounts, counts) WORD(x, DISPLS, displs, displs)                          \
    WORD(x, TYPE, recvtype, datatype)

#define ANYPI_SHAPE_MOVEMENT_PAIRS(WORD, x)                                                      \
    WORD(x, IN, sendbuf, sendbuf) WORD(x, COUNTS, sendcounts, sendcounts)                        \
    WORD(x, DISPLS, sdispls, senddispls) WORD(x, TYPE, sendtype, sendtype)                       \
    WORD(x, OUT, recvbuf, recvbuf) WORD(x, COUNTS, recvcounts, counts)                           \
    WORD(x, DISPLS, rdispls, displs) WORD(x, TYPE, recvtype, datatype)

#define ANYPI_SHAPE_MOVEMENT_TYPED_PAIRS(WORD, x)                                                \
    WORD(x, IN, sendbuf, sendbuf) WORD(x, COUNTS, sendcounts, sendcounts)                        \
    WORD(x, DISPLS, sdispls, senddispls) WORD(x, TYPES, sendtypes, sendtypes)                    \
    WORD(x, OUT, recvbuf, recvbuf) WORD(x, COUNTS, recvcounts, counts)                           \
    WORD(x, DISPLS, rdispls, displs) WORD(x, TYPES, recvtypes, datatypes)

#define ANYPI_SHAPE_MOVEMENT_ROOT_GETS_COUNTS(WORD, x)                                           \
    ANYPI_SHAPE_MOVEMENT_COUNTS(WORD, x) WORD(x, ROOT, root, root)

#define ANYPI_SHAPE_MOVEMENT_ROOT_GIVES_COUNTS(WORD, x)                                          \
    WORD(x, IN, sendbuf, sendbuf) WORD(x, COUNTS, sendcounts, sendcounts)                        \
    WORD(x, DISPLS, displs, senddispls) WORD(x, TYPE, sendtype, sendtype)                        \
    WORD(x, OUT, recvbuf, recvbuf) WORD(x, COUNT, recvcount, count)                              \
    WORD(x, TYPE, recvtype, datatype) WORD(x, ROOT, root, root)

#define ANYPI_SHAPE_SIGNAL_NOTHING(WORD, x)

/* ANYPI_COMMON_<arguments>(text): the text, unless only the two ends of a block know its size. */
#define ANYPI_COMMON_COUNT(...) __VA_ARGS__
#define ANYPI_COMMON_ROOTED(...) __VA_ARGS__
#define ANYPI_COMMON_COUNTS(...) __VA_ARGS__
#define ANYPI_COMMON_BLOCK(...) __VA_ARGS__
#define ANYPI_COMMON_ROOTED_BLOCK(...) __VA_ARGS__
#define ANYPI_COMMON_BUFFER(...) __VA_ARGS__
#define ANYPI_COMMON_PAIRS(...)
#define ANYPI_COMMON_TYPED_PAIRS(...)
#define ANYPI_COMMON_ROOT_GETS_COUNTS(...)
#define ANYPI_COMMON_ROOT_GIVES_COUNTS(...)
#define ANYPI_COMMON_NOTHING(...) __VA_ARGS__

/* ANYPI_LARGE_<kind>(text): the text, if MPI also has the function with MPI_Count. */
#define ANYPI_LARGE_REDUCTION(...) __VA_ARGS__
#define ANYPI_LARGE_MOVEMENT(...) __VA_ARGS__
#define ANYPI_LARGE_SIGNAL(...)

#endif

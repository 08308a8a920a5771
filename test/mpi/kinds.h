/* SPDX-License-Identifier: BSD-3-Clause
 *
 * kinds.h - the operators and datatypes of the MPI tests. An element of any kind is a few words of
 * 32 bits at given places: so one piece of code fills, reduces and compares all of them, whatever
 * gaps their types have.
 */
#ifndef ANYPI_TEST_KINDS_H_INCLUDED
#define ANYPI_TEST_KINDS_H_INCLUDED

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KIND_WORDS = 4 };

/* The maximum number of elements of a test. */
enum { KIND_MOST_ELEMENTS = 70000 };

typedef struct kind {
    const char *name;
    bool commutative;
    bool exact;                 /* the result does not depend on bracketing */
    bool user;                  /* a user's operator (a built-in one otherwise) */
    bool overlaps;              /* elements overlap: no algorithm of AnyP's serves it */
    bool wild;                  /* only reproducible results can be compared with a reference */
    int words;
    ptrdiff_t place[KIND_WORDS];        /* bytes from the element's address */
    ptrdiff_t low, extent;      /* the first byte; distance of elements */
    void (*value)(int rank, int64_t index, uint32_t *words);
    void (*combine)(const uint32_t *left, uint32_t *right);     /* right = left (+) right */
    MPI_Datatype type;
    MPI_Op op;
} kind;

/* All kinds; made by kinds_open() after MPI_Init, freed by kinds_close(). */
extern kind kinds[];
extern const int kinds_count;
/* Is it also for data that are moved? If so, do ranks describe them by different types, and by
 * which one in their turn? */
bool kind_moves(const kind *k);
bool kind_is_mixed(const kind *k);
const kind *kind_in_turn(const kind *k, int turn);
/* For data that are moved: a kind made of one of Fortran's datatypes, NULL if the library has none;
 * one of several kinds of two words, which do not overlap; plain words. */
const kind *kind_of_fortran(void);
const kind *kind_of_local(int turn);
const kind *kind_of_words(void);
/* Datatype and operator of a user's once more, to be freed; the data of the type are so many bytes
 * farther behind. */
MPI_Datatype kind_type(const kind *k, MPI_Aint bytes);
MPI_Op kind_op(const kind *k);
void kinds_open(void);
void kinds_close(void);

/* A vector of a kind in memory of its own, with margins; all bytes that are not data hold a
 * pattern, and so does the data until it is set. */
typedef struct vector {
    const kind *kind;
    int64_t elements;
    char *memory, *base;        /* base: what MPI is given */
    size_t size;                /* of memory */
} vector;

void vector_open(vector *v, const kind *k, int64_t elements);
void vector_close(vector *v);
/* Restores its state after opening. */
void vector_clear(vector *v);
/* The element number `index` in other memory. */
void kind_set(const kind *k, char *base, int64_t index, const uint32_t *words);
void vector_set(vector *v, int64_t index, const uint32_t *words);
void vector_get(const vector *v, int64_t index, uint32_t *words);
/* Rank's input for elements first .. first + v->elements - 1 of the whole vector. */
void vector_fill(vector *v, int rank, int64_t first);
/* The first byte where two vectors of a kind and size differ, from the vector's lowest address; -1
 * if they are the same, margins included. */
ptrdiff_t vector_compare(const vector *one, const vector *other);

/* The result of ranks 0 .. p-1 in rank order, left to right, or by the tree of reproducible
 * results: elements * k->words words, to be freed. */
uint32_t *reference(const kind *k, int p, int64_t elements, bool reproducible);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * call.h - one call of a collective, checked: every rank computes the expected result from the
 * input of all ranks, and all bytes of the buffers are compared, gaps and margins included.
 */
#ifndef ANYPI_TEST_CALL_H_INCLUDED
#define ANYPI_TEST_CALL_H_INCLUDED

#include "kinds.h"

#include "anyp.h"

enum { CALL_MOST_RANKS = 64 };

/* What is forced; algorithm NULL: nothing. */
typedef struct candidate {
    const anyp_algorithm *algorithm;
    int choice;                 /* of its parameters; 0: the default */
    int parameters[ANYP_MAX_PARAMETERS];
} candidate;

typedef enum test_form {
    BLOCKING,
    NONBLOCKING,
    PERSISTENT,                 /* started and completed twice */
    FORMS
} test_form;

extern const char *const form_names[FORMS];

/* Unusual places of data that are moved, as MPI allows. */
typedef enum test_place {
    PLACE_ORDINARY,
    PLACE_ABSOLUTE,             /* at absolute addresses, from MPI_BOTTOM on */
    PLACE_SHARED                /* an allgather's input is where its output begins; the blocks are
                                 * behind it, by `displs` or by a datatype */
} test_place;

/* One call. Counts are of the blocks, one per rank, of collectives that have them. */
typedef struct test_call {
    anyp_collective collective;
    test_form form;
    const candidate *candidate;
    const kind *kind;           /* of the vector; where data are moved, of this rank's output */
    const kind *in_kind;        /* and of its input; */
    const int *displs;          /* where blocks begin in its output; NULL: after each other */
    const kind *moved;          /* and the kind of the values that are moved */
    MPI_Comm comm;
    int p, rank, root;
    int64_t count;
    const int *counts;
    uint32_t seed;              /* of block sizes that only sender and receiver know; count: mean */
    bool in_place;
    test_place place;           /* on this rank */
    bool frees;                 /* types and operator are freed once it has begun */
    bool reproducible;          /* `expected` has the only right bits */
    const anyp_shape *nodes;    /* as AnyP finds them; NULL: the ranks of each are consecutive */
    const char *shape;          /* for messages: how long blocks are, and what else helps */
    const uint32_t *expected;   /* where it is reduced: expected_of() */
} test_call;

typedef struct test_tally {
    long calls, left_out, failures;
    long checks;                /* calls whose verbose line was read */
    long asked;                 /* calls after which the library reported what ran */
} test_tally;

/* The result of a reduction on this rank, for as many elements of the vector; to be freed. */
uint32_t *expected_of(const test_call *t, int64_t elements);

/* What this rank has seen so far. */
extern test_tally tally;

/* The call in one line. */
void call_text(const test_call *t, char *text, size_t size);

/* Counts a failure, and reports the first few. For several threads. */
void failed(const test_call *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* If not NULL, it is asked about an error of a call: is the same call to be made again? */
extern bool (*call_again)(int error);

/* Makes the call and compares everything. In a reduce `in_place` is the root's; the others then
 * pass no output buffer; otherwise they pass one that must not change. */
void run_call(const test_call *t);

/* The same in parts, so that others can run in between. */
typedef struct test_run {
    const test_call *call;
    vector in, in_before, out, wanted;
    struct local_buffers *local;        /* where only sender and receiver know a block's size */
    bool in_place;
    int starts;                 /* of a persistent call */
    MPI_Request request;
} test_run;

/* Makes the call: a blocking one is then complete, a persistent one not yet started. */
void run_begin(test_run *r, const test_call *t);
void run_start(test_run *r);
/* Compares everything, when it is complete. Returns a number that stands for the bits of a result
 * which all ranks have, and which only they can compare; otherwise 0. */
uint64_t run_check(test_run *r);
void run_end(test_run *r);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * soak.h - the parts of the soak test: random calls of all collectives on random communicators.
 *
 * All ranks draw the same numbers, from the seed and the number of the call. So they know what the
 * others do, and a run can be repeated from any episode on: some calls that share nothing with the
 * calls before them but MPI_COMM_WORLD and MPI_COMM_SELF.
 */
#ifndef ANYPI_TEST_SOAK_H_INCLUDED
#define ANYPI_TEST_SOAK_H_INCLUDED

#include "../mpi/call.h"

enum { SOAK_EPISODE = 48, SOAK_LANES = 3, SOAK_SLOTS = 8, SOAK_MOST_COUNT = 65000 };

/* Command line. */
typedef struct soak_options {
    const char *table;
    uint64_t seed;
    long from, calls, seconds, limit, communicators;
    bool threads, reproducible, verbose;
} soak_options;

extern soak_options options;
extern int world_rank, world_size;

/* ---- draw.c: random numbers and calls ---- */

typedef struct soak_random {
    uint64_t state;
} soak_random;

/* Another sequence for each number and purpose. */
soak_random random_of(long number, int purpose);
/* 0 .. n - 1 */
int draw(soak_random *r, int n);
/* True once in n times. */
bool once_in(soak_random *r, int n);

/* What is forced for each collective, in its blocking and its other forms. */
typedef struct soak_forced {
    candidate candidates[ANYP_COLLECTIVES][2];
} soak_forced;

void draw_candidate(soak_random *r, anyp_collective collective, candidate *c);
/* Forces it for the blocking form, or for the others if the library has any of AnyP's; otherwise
 * the candidate becomes the library's own. */
void force(anyp_collective collective, bool blocking, candidate *c);

/* A call and all it refers to. */
typedef struct soak_call {
    test_call call;
    candidate candidate;
    bool passed_on;             /* to the library: AnyP has not the form */
    int turn;                   /* of the ranks' types */
    int counts[CALL_MOST_RANKS], displs[CALL_MOST_RANKS];
    char shape[96];
    uint32_t *expected;
} soak_call;

/* Draws a call on the communicator, of at most `most` elements, with what is forced; NULL: draws
 * and forces an algorithm, too. False: it cannot be tested. All ranks must draw it, also those that
 * are not in the communicator (p = 0). */
bool draw_call(soak_random *r, long number, int most, MPI_Comm comm, int p, int rank,
               const soak_forced *forced, soak_call *c);
/* Draws other sizes, root and places of a call that was drawn. False: it cannot be tested. */
bool draw_sizes(soak_random *r, int most, soak_call *c);
/* The expected result of a call that was drawn. */
void call_prepare(soak_call *c);
void call_free(soak_call *c);

/* ---- lane.c: one thread's calls ---- */

/* The bits of a result that all ranks of a communicator have, or 0; and the first of these ranks,
 * in the world. */
typedef struct soak_bits {
    uint64_t bits, first;
} soak_bits;

/* Makes the calls first + index, first + index + step, ... < end, on communicators made from
 * `world`; results[number - first] gets their bits. With `forced`, other threads run at the same
 * time. */
typedef struct soak_lane {
    int index;
    MPI_Comm world;
    long first, end, step;
    const soak_forced *forced;
    soak_bits *results;
} soak_lane;

void *lane_run(void *lane);

/* ---- memory.c ---- */

/* Does memory stay the same while communicators are made, used and freed? */
bool memory_is_flat(void);
/* Makes many persistent requests, which exist at the same time; starts one of them many times. */
void memory_of_requests(void);

/* ---- watch.c: says which call does not end, crashes or returns an error ---- */

void watch_open(void);
void watch_close(void);
/* What a lane does now: the number of the call, which part of it (static text), and the calls that
 * are under way; their addresses stay valid. */
typedef struct soak_now {
    long number;
    const char *part;
    const soak_call *call;      /* NULL: none */
    const soak_call *under_way[SOAK_SLOTS];
} soak_now;
extern soak_now now[SOAK_LANES];
/* Something was done. */
void watch_step(int lane, long number, const char *part, const soak_call *call);
/* How to repeat. */
void watch_again(long number);

#endif

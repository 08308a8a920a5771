/* SPDX-License-Identifier: BSD-3-Clause
 *
 * uni_greedy.h - the greedy pairing of processes that send or receive, for segments of any times.
 */
#ifndef ANYPI_UNI_GREEDY_H_INCLUDED
#define ANYPI_UNI_GREEDY_H_INCLUDED

typedef struct anypi_waiting {
    double free;                /* when it has done what it does */
    int process;
} anypi_waiting;

/* Is told of each pair, in the order of time. */
typedef void (*anypi_pairing)(void *state, int from, int to);

/* Reduces one segment, whose message takes `comm` and whose reduction `comp`, and that no process
 * but process 0 may keep: of those that hold it, the two that are free first pair up when the
 * second is free. waiting[0 .. p-1] are all processes, sorted by when they are free, before and
 * after; process 0 is then the last, and the segment is done when it is free. `room` is for p more;
 * without a pairing nobody is told. O(p). */
void anypi_uni_greedy_segment(anypi_waiting *waiting, anypi_waiting *room, int p, double comm,
                              double comp, anypi_pairing pairing, void *state);

#endif

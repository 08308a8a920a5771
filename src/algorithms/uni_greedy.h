/* SPDX-License-Identifier: BSD-3-Clause
 *
 * uni_greedy.h - the greedy pairing of processes that send or receive, for segments of any
 * duration.
 */
#ifndef ANYPI_UNI_GREEDY_H_INCLUDED
#define ANYPI_UNI_GREEDY_H_INCLUDED

typedef struct anypi_waiting {
    double free;                /* the time when it is free */
    int process;
} anypi_waiting;

/* Is called for each pair, in the order of time. */
typedef void (*anypi_pairing)(void *state, int from, int to);

/* Reduces one segment to process 0; a message takes `comm` and a reduction `comp`. Of the processes
 * that hold the segment, the two that are free first form a pair when the second is free.
 * waiting[0 .. p-1] are all processes, sorted by `free`, before and after. Afterwards process 0 is
 * the last; the segment is done when it is free. `room` has space for p more; pairing may be NULL.
 * O(p). */
void anypi_uni_greedy_segment(anypi_waiting *waiting, anypi_waiting *room, int p, double comm,
                              double comp, anypi_pairing pairing, void *state);

#endif

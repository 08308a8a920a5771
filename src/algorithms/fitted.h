/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fitted.h - constants of closed forms that no theory gives. Each was fitted to the times of the
 * simulator (analysis/simulate.h), which has neither noise nor the faults of one network.
 */
#ifndef ANYPI_FITTED_H_INCLUDED
#define ANYPI_FITTED_H_INCLUDED

/* Of the overheads of a rank's messages and the transfer of their bytes, which overlap: the part of
 * the shorter that adds to the longer. All collectives, with 8 bytes to 8 MiB, also on nodes of
 * equal and of different sizes. */
#define ANYPI_VISIBLE 0.2

/* Messages of at most so many bytes leave without waiting for their receiver, so that a rank that
 * only sends is not paced: the usual limit of eager messages. */
#define ANYPI_UNPACED_BYTES 65536

/* exchange, among children of different sizes: by which part a transfer becomes longer for each
 * multiple of the smallest child that the largest has in excess. An allreduce of 4 MiB on nodes of
 * 6, 11, 16, 3 and 9 ranks. */
#define ANYPI_UNFAIR 0.1

/* exchange over nodes: overheads that each message of a level costs its rank, where it sends and
 * receives; the level itself costs one more. Allreduces and reduces on nodes. */
#define ANYPI_EACH_MESSAGE 1.2

/* Scans by exchange without nodes, 8 bytes to 16 KiB. A round has this many transfers of one
 * message, which no overhead hides, for its last message; and, after the first round, so many for
 * each message, because ranks begin at different times. Rounds of different sizes fit worse: this
 * many overheads for each message of the largest round. */
#define ANYPI_SCAN_LAST 1.25
#define ANYPI_SCAN_LATER 0.1
#define ANYPI_SCAN_UNEQUAL 0.05

/* Scans by chain whose rounds overlap: which part of the time that segments queue at a port delays
 * the next rank. */
#define ANYPI_CHAIN_DELAY 0.6

#endif

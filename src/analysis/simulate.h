/* SPDX-License-Identifier: BSD-3-Clause
 *
 * simulate.h - the cost of schedules: exact counts, and the time according to a model.
 */
#ifndef ANYPI_SIMULATE_H_INCLUDED
#define ANYPI_SIMULATE_H_INCLUDED

#include "anyp.h"
#include "schedule/layout.h"

/* What one rank does. */
typedef struct anypi_counts {
    int rounds;                 /* of its schedule */
    int64_t messages;           /* sent; the pieces to one peer in one round are one message */
    int64_t pieces;             /* SEND steps */
    int64_t bytes_sent, bytes_received;
    int64_t bytes_reduced;      /* length of the result of each local reduction */
    int64_t bytes_copied;       /* plain copies */
    int64_t bytes_scratch;      /* of scratch memory */
} anypi_counts;

/* Do the bytes that set[0 .. ranks-1], schedules of the call, move together fit these counters? */
bool anypi_countable(const anyp_call *call, const anyp_schedule *set, int ranks);

/* Memory for counting schedules of p ranks. The peers of the messages of a round are marked with
 * `mark`. */
typedef struct anypi_peer_marks {
    int p;
    unsigned *sent, *received;
    unsigned mark;
} anypi_peer_marks;

/* Allocates it. False: no memory. */
bool anypi_peers_begin(anypi_peer_marks *peers, int p);
void anypi_peers_end(anypi_peer_marks *peers);
/* Counts one schedule. The layout must be the schedule's; type_size is the bytes of one element. */
anypi_counts anypi_count_with(anypi_peer_marks *peers, const anyp_schedule *schedule,
                              const anypi_layout *layout, int64_t type_size);

/* Adds `more` to *total, and raises *most to its maximum with `more`, member by member. */
void anypi_counts_add(const anypi_counts *more, anypi_counts *most, anypi_counts *total);

typedef struct anypi_simulation {
    double time;                /* until the last rank is done, in the model's unit */
    anypi_counts most;          /* the maximum over all ranks of each member */
    anypi_counts total;         /* the sum over all ranks of each member */
    int64_t card_bytes;         /* the maximum, over all nodes, of the bytes that a node sends to
                                 * others or receives from them; 0 without nodes */
    int64_t link_bytes[ANYP_MODEL_HEIGHTS];     /* the same over the groups of each height above */
} anypi_simulation;

/* Simulates set[0 .. p-1], a set that anypi_verify() accepts. The time is from the last entry until
 * the last rank is done. The partition has set[0].blocks blocks; type_size is the bytes of one
 * element.
 *
 * A message starts when both ends are in the rounds that contain it. If it is the only one that its
 * ends send and receive in these rounds, it takes alpha + 2*overhead + beta*bytes and keeps both
 * ends busy for that time. Sending and receiving are independent. If an end sends k messages in one
 * round (or receives k), they share its port: each takes alpha + 2*k*overhead + beta*(bytes of all
 * k). A message takes the longer one of the times at its two ends. A local reduction takes
 * gamma*bytes, a copy nothing. (Hockney's model, one-ported, with an overhead per message.)
 *
 * With model->eager no message waits for its receiver:
 * - A rank that enters a round sends all its messages, in the order of its steps. Each costs the
 *   rank an overhead; alpha later the message flows.
 * - A rank has a port for sending and one for receiving, each of rate 1/beta. Messages that flow at
 *   the same time share ports by max-min fairness: the port with the smallest share for each of its
 *   messages gives them equal shares; then the other ports divide what they have left, and so on.
 * - A message arrives when all its bytes have flowed. When the receiver is in its round and has
 *   sent, each message costs it an overhead, in the order of arrival.
 * - When all messages of the round have arrived, the rank does its local reductions, which take
 *   gamma*bytes, and enters its next round, even if its own messages still flow.
 * - Each SEND is a message. A SEND without bytes is not sent, as in the back ends.
 * (This is the time of SimGrid's SMPI if all messages are eager.)
 *
 * With model->nodes, which needs model->eager, the ports are those of a node's network cards. The
 * i-th rank of a node uses card i mod `cards`. A message inside a node uses no port: it flows
 * inside_alpha after its overhead, at the rate 1/inside_beta.
 *
 * With heights above the nodes, a message may connect different groups of a height. It then flows
 * above[h].alpha after its overhead, where h is the highest such height. It also uses a link of
 * each group that it leaves and of each that it enters. Each group has one link for sending and one
 * for receiving, of rate 1 / above[h].beta, which its messages share like a port.
 *
 * With model->group and no nodes, which needs model->eager, groups of that many neighbouring ranks
 * have such links, of rate (group / taper) / beta. This describes a fat tree with so many ranks at
 * a leaf switch. It also describes a dragonfly, as far as it sends over the shortest path.
 *
 * ANYP_SUCCESS, ANYP_ERR_MEMORY, or ANYP_ERR_SCHEDULE if messages do not match or ranks wait
 * forever. */
anyp_status anypi_simulate(const anyp_schedule *set, int p, const anypi_partition *partition,
                           int64_t type_size, const anyp_model *model,
                           anypi_simulation *simulation);

/* As above, for `count` >= 1 models together: times[i] is the time by models[i], and
 * simulation->time is times[0]. */
anyp_status anypi_simulate_models(const anyp_schedule *set, int p, const anypi_partition *partition,
                                  int64_t type_size, const anyp_model *models, int count,
                                  anypi_simulation *simulation, double *times);

#endif

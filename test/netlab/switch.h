/* SPDX-License-Identifier: BSD-3-Clause
 *
 * switch.h - the emulated network between the ports of a cluster: IP packets from each port's TUN
 * device to another's, after a fixed latency and at a limited rate.
 *
 * A message of S bytes on an idle network is delivered latency + S/rate after it was read, as its
 * packets follow each other without a gap (cut-through, not store-and-forward). Packets are cut
 * into cells. A port sends one cell at a time, and receives one at a time from when its head
 * arrives; flows, one for each pair of ports, take turns cell by cell at both ends. So a short
 * message to one peer does not wait for megabytes to another, just as with a network card's fair
 * queues, and packets may be as large as the processor needs. A packet is lost if the bytes that
 * wait for its port leave no room for it.
 *
 * The switch has a time of its own, never ahead of the clock: a late wake-up delays the packets
 * that were due, but not later ones.
 */
#ifndef NETLAB_SWITCH_H_INCLUDED
#define NETLAB_SWITCH_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

enum { NETLAB_MOST_PORTS = 64, NETLAB_LARGEST_PACKET = 65535 };

typedef struct netlab_counters {
    uint64_t packets, bytes;            /* that were delivered to this port */
    uint64_t lost;                      /* packets for this port that found no room */
    uint64_t strays;                    /* packets of this port to no address of the cluster */
    int64_t latest;                     /* nanoseconds from a packet's time to its delivery, most */
    int64_t lateness;                   /* ... in sum */
} netlab_counters;

typedef struct netlab_switch netlab_switch;

/* The switch of `ports` non-blocking TUN devices (descriptors); port i has the IPv4 address
 * `base` + i (host byte order). Latency in nanoseconds, rate in bytes per second, the same for
 * each port and direction; room for as many bytes that wait for a port. NULL: no memory. */
netlab_switch *netlab_switch_new(const int *devices, int ports, uint32_t base, int64_t latency,
                                 double rate, int64_t room);
void netlab_switch_free(netlab_switch *network);

/* Does what is due until `now` (CLOCK_MONOTONIC, nanoseconds): moves cells, delivers packets. */
void netlab_switch_advance(netlab_switch *network, int64_t now);
/* Reads what port `port` sends, up to a few packets at a time. After an advance to `now`. */
void netlab_switch_read(netlab_switch *network, int port, int64_t now);
/* When to advance next: nothing is delivered before. INT64_MAX: nothing is under way. */
int64_t netlab_switch_next(const netlab_switch *network, int64_t now);

const netlab_counters *netlab_switch_counters(const netlab_switch *network, int port);
int64_t netlab_now(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ports.h - network namespaces with a TUN device each, for the nodes of an emulated cluster.
 *
 * They have no names: they exist as long as the process that made them holds their descriptors, or
 * a process is inside.
 */
#ifndef NETLAB_PORTS_H_INCLUDED
#define NETLAB_PORTS_H_INCLUDED

#include <stdbool.h>
#include <stdint.h>

typedef struct netlab_port {
    int device;                 /* the TUN device, non-blocking */
    int space;                  /* the namespace; others open it as /proc/PID/fd/SPACE */
} netlab_port;

/* 10.77.0.1 is port 0. */
#define NETLAB_BASE UINT32_C(0x0a4d0001)

/* Makes `count` namespaces whose device takes packets of up to `mtu` bytes. If the network `loses`
 * packets, their TCP recovers as usual; otherwise it neither waits nor repeats. The caller is in a
 * namespace of its own afterwards that has no device but loopback. False and a message on standard
 * error if something is missing or not permitted. */
bool netlab_ports_open(netlab_port *ports, int count, int mtu, bool loses);

/* The address of a port, as text. */
const char *netlab_address(int port, char text[16]);

#endif

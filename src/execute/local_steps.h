/* SPDX-License-Identifier: BSD-3-Clause
 *
 * local_steps.h - runs the steps that read or write the caller's blocks, in programs of calls with
 * local sizes. A transport that includes this file before execute.h can run such calls. It has a
 * member `anypi_local *local`, and these functions:
 *
 *   void anypi_caller_send(anypi_transport *, int peer, int block, anypi_request *);
 *   void anypi_caller_receive(anypi_transport *, int peer, int block, anypi_request *);
 *       prepare, or start, a message of a block of the caller's input or output
 *   void anypi_no_message(anypi_request *);
 *       there is nothing to wait for
 *   void anypi_caller_pack(anypi_transport *, int block, char *to);
 *   void anypi_caller_unpack(anypi_transport *, const char *from, int block);
 *       copy a block between the caller's memory and bytes
 *   void anypi_caller_copy(anypi_transport *, int block);
 *       copy a block of the caller's input to its output
 */
#ifndef ANYPI_LOCAL_STEPS_H_INCLUDED
#define ANYPI_LOCAL_STEPS_H_INCLUDED

#include "execute/local_sizes.h"

#include <string.h>

#define ANYPI_TRANSPORT_HAS_BLOCKS 1

static inline void anypi_transport_send_block(anypi_transport *transport, int peer, int block,
                                              anypi_request *request)
{
    if (transport->local->given[block] > transport->local->above)
        anypi_caller_send(transport, peer, block, request);
    else
        anypi_no_message(request);
}

static inline void anypi_transport_receive_block(anypi_transport *transport, int peer, int block,
                                                 anypi_request *request)
{
    if (transport->local->got[block] > transport->local->above)
        anypi_caller_receive(transport, peer, block, request);
    else
        anypi_no_message(request);
}

/* Fills the whole slot, because the whole slot is sent. */
static inline void anypi_transport_pack_block(anypi_transport *transport, int block, char *to)
{
    const anypi_local *local = transport->local;
    if (local->stage == ANYPI_LOCAL_SIZES) {
        const anypi_local_head head = anypi_local_head_of(local, block);
        memcpy(to, &head, sizeof head);
        to += sizeof head;
        memset(to, 0, (size_t) local->plan->limits.inlined);
        if (!anypi_local_is_inlined(&local->plan->limits, local->given[block]))
            return;
    }
    anypi_caller_pack(transport, block, to);
}

static inline void anypi_transport_unpack_block(anypi_transport *transport, const char *from,
                                                int block)
{
    anypi_local *local = transport->local;
    bool wanted = local->got[block] > 0;
    if (local->stage == ANYPI_LOCAL_SIZES) {
        anypi_local_head head;
        memcpy(&head, from, sizeof head);
        from += sizeof head;
        wanted = anypi_local_note(local, block, &head);
    }
    if (wanted)
        anypi_caller_unpack(transport, from, block);
}

static inline void anypi_transport_copy_block(anypi_transport *transport, int block)
{
    if (!transport->local->in_place && transport->local->given[block] > 0)
        anypi_caller_copy(transport, block);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * execute.h - runs a program on real data, for every back end. Four functions do this:
 *
 *   anypi_resume         runs operations until it would have to wait for messages; can be continued
 *   anypi_execute        runs all operations
 *   anypi_execute_call   also allocates memory for scratch and requests
 *   anypi_execute_local  runs all stages of a call with local sizes (local_sizes.h)
 *
 * A back end is a transport. It defines two types and eight functions, and then includes this file:
 *
 *   anypi_transport   its state, with the first error
 *   anypi_request     a message under way
 *   void anypi_transport_send(anypi_transport *, int peer, const char *from, int64_t elements,
 *                             anypi_request *);
 *   void anypi_transport_receive(anypi_transport *, int peer, char *to, int64_t elements,
 *                                anypi_request *);
 *       prepare a message, or start it; the program also waits for a message that failed
 *   void anypi_transport_start(anypi_transport *, anypi_request *, int count);
 *       start prepared messages now; anypi_transport_wait() starts those that were not started
 *   bool anypi_transport_wait(anypi_transport *, anypi_request *, int count);
 *       wait until they are complete, or return false if they are not
 *   void anypi_transport_reduce(anypi_transport *, const char *from, char *to, int64_t elements);
 *       to = from (+) to
 *   void anypi_transport_copy(anypi_transport *, const char *from, char *to, int64_t elements);
 *       the two do not overlap
 *   void anypi_transport_pack(anypi_transport *, char *to);
 *       copy the whole input of a call that moves data in memory with gaps
 *   void anypi_transport_unpack(anypi_transport *, const char *from, int first, int end);
 *       copy to blocks first .. end - 1 of such a call's output; if it has no ranks' blocks, to all
 *
 * A back end that defines ANYPI_TRANSPORT_HAS_BLOCKS and these functions also runs calls with local
 * sizes; it has a member `anypi_local *local`:
 *
 *   void anypi_caller_send(anypi_transport *, int peer, int block, anypi_request *);
 *   void anypi_caller_receive(anypi_transport *, int peer, int block, anypi_request *);
 *       prepare, or start, a message of a block of the caller's input or output
 *   void anypi_caller_pack(anypi_transport *, int block, char *to);
 *   void anypi_caller_unpack(anypi_transport *, const char *from, int block);
 *       copy a block between the caller's memory and bytes
 *   void anypi_caller_copy(anypi_transport *, int block);
 *       copy a block of the caller's input to its output
 *
 * A back end that defines ANYPI_TRANSPORT_HOLDS and these functions also runs programs of hold.h:
 *
 *   void anypi_transport_hold(anypi_transport *, int peer, char *to, int64_t elements,
 *                             anypi_request *);
 *       as anypi_transport_receive(), but the data need not be copied
 *   bool anypi_transport_wait_received(anypi_transport *, anypi_request *, int count);
 *       as anypi_transport_wait(), for receives that are not held; it may also wait for others
 *   bool anypi_transport_reduce_held(anypi_transport *, anypi_request *, bool right,
 *                                    const char *from, char *to, int64_t elements);
 *       to = from (+) to, where a held message is still under way to `from`, or if `right` to `to`;
 *       return false if it is not complete
 *
 * A message that fails does not end the program, because other ranks wait for the following
 * messages. The transport records the error, and the caller reads it at the end. This file does not
 * use MPI.
 */
#ifndef ANYPI_EXECUTE_H_INCLUDED
#define ANYPI_EXECUTE_H_INCLUDED

#include "execute/workspace.h"

/* Copies elements. The source and the target can only overlap in place, if OUT overlays IN. Then
 * the target is a multiple of the extent before the source, and pieces as long as this distance do
 * not overlap. (Another buffer may lie in the gaps of a buffer, but not at such a distance.) */
static inline void anypi_execute_copy(anypi_transport *transport, int64_t extent, const char *from,
                                      char *to, int64_t elements)
{
    const int64_t bytes = from - to;
    int64_t piece = elements;
    if (extent > 0 && bytes >= 0 && bytes < elements * extent && bytes % extent == 0)
        piece = bytes / extent;
    if (piece == 0)
        return;                 /* source and target are the same */
    for (int64_t done = 0; done < elements; done += piece) {
        const int64_t rest = elements - done;
        anypi_transport_copy(transport, from + done * extent, to + done * extent,
                             rest < piece ? rest : piece);
    }
}

/* Returns an address in an area, which may begin at MPI_BOTTOM. C forbids adding to a null
 * pointer. */
static inline char *anypi_address(char *area, int64_t offset)
{
    return (char *) ((uintptr_t) area + (uintptr_t) offset);
}

/* Runs the operations beginning with *next. `areas` are the addresses of the program's three areas,
 * and `requests` has room for program->requests. Returns false if messages are not complete; *next
 * is the operation to continue with. The caller may then sleep until a message arrives. Returns
 * true if the program is done; another call does nothing and also returns true. */
static inline bool anypi_resume(const anypi_program *program, char *const areas[ANYPI_AREAS],
                                anypi_transport *transport, anypi_request *requests, int *next)
{
    const anypi_op *const end = program->ops + program->count;
    for (const anypi_op *op = program->ops + *next; op < end; op++) {
        char *const from = anypi_address(areas[op->from_area], op->from);
        char *const to = anypi_address(areas[op->to_area], op->to);
        switch ((anypi_op_kind) op->kind) {
            case ANYPI_OP_RECEIVE:
                anypi_transport_receive(transport, op->peer, to, op->elements,
                                        &requests[op->first]);
                break;
            case ANYPI_OP_SEND:
                anypi_transport_send(transport, op->peer, from, op->elements,
                                     &requests[op->first]);
                break;
            case ANYPI_OP_START:
                anypi_transport_start(transport, &requests[op->first], op->count);
                break;
            case ANYPI_OP_WAIT:
                if (!anypi_transport_wait(transport, &requests[op->first], op->count)) {
                    *next = (int) (op - program->ops);
                    return false;
                }
                break;
            case ANYPI_OP_REDUCE:
                anypi_transport_reduce(transport, from, to, op->elements);
                break;
            case ANYPI_OP_COPY:
                anypi_execute_copy(transport, program->extent, from, to, op->elements);
                break;
            case ANYPI_OP_PACK:
                anypi_transport_pack(transport, to);
                break;
            case ANYPI_OP_UNPACK:
                anypi_transport_unpack(transport, from, op->first, op->first + op->count);
                break;
#ifdef ANYPI_TRANSPORT_HAS_BLOCKS
            case ANYPI_OP_RECEIVE_BLOCK:
                anypi_caller_receive(transport, op->peer, op->count, &requests[op->first]);
                break;
            case ANYPI_OP_SEND_BLOCK:
                anypi_caller_send(transport, op->peer, op->count, &requests[op->first]);
                break;
            case ANYPI_OP_PACK_BLOCK:
                anypi_caller_pack(transport, op->first, to);
                break;
            case ANYPI_OP_UNPACK_BLOCK:
                anypi_caller_unpack(transport, from, op->first);
                break;
            case ANYPI_OP_COPY_BLOCK:
                anypi_caller_copy(transport, op->first);
                break;
#endif
#ifdef ANYPI_TRANSPORT_HOLDS
            case ANYPI_OP_HOLD:
                anypi_transport_hold(transport, op->peer, to, op->elements, &requests[op->first]);
                break;
            case ANYPI_OP_WAIT_RECEIVED:
                if (!anypi_transport_wait_received(transport, &requests[op->first], op->count)) {
                    *next = (int) (op - program->ops);
                    return false;
                }
                break;
            case ANYPI_OP_REDUCE_LEFT:
            case ANYPI_OP_REDUCE_RIGHT:
                if (!anypi_transport_reduce_held(transport, &requests[op->first],
                                                 op->kind == ANYPI_OP_REDUCE_RIGHT, from, to,
                                                 op->elements)) {
                    *next = (int) (op - program->ops);
                    return false;
                }
                break;
#endif
#if !defined ANYPI_TRANSPORT_HAS_BLOCKS || !defined ANYPI_TRANSPORT_HOLDS
            default:
                break;
#endif
        }
    }
    *next = program->count;
    return true;
}

/* Runs all operations, over a transport that waits for its messages. */
static inline void anypi_execute(const anypi_program *program, char *const areas[ANYPI_AREAS],
                                 anypi_transport *transport, anypi_request *requests)
{
    int next = 0;
    anypi_resume(program, areas, transport, requests, &next);
}

/* Allocates memory for the requests of a program, at its beginning, and then for its scratch, to
 * which *scratch is set. Returns NULL if there is not enough. */
static inline char *anypi_execute_memory(anypi_workspace *workspace, const anypi_program *program,
                                         char **scratch)
{
    const size_t mask = ANYPI_SCRATCH_ALIGNMENT - 1;
    const size_t requests = ((size_t) program->requests * sizeof(anypi_request) + mask) & ~mask;
    if (program->scratch < 0 || (uint64_t) program->scratch > SIZE_MAX - requests)
        return NULL;
    char *memory = anypi_workspace_memory(workspace, requests + (size_t) program->scratch);
    *scratch = memory ? memory + requests : NULL;
    return memory;
}

/* Returns the program of part i, or NULL if there are no more parts. `areas` become those of the
 * part, where `in` and `out` are the addresses of the whole vector. */
static inline const anypi_program *anypi_part(const anypi_parts *parts, int64_t i, char *in,
                                              char *out, char *areas[ANYPI_AREAS])
{
    const bool last = i == parts->whole;
    if (i > parts->whole || (last && !parts->programs[1]))
        return NULL;
    areas[ANYPI_AREA_IN] = anypi_address(in, i * parts->bytes);
    areas[ANYPI_AREA_OUT] = anypi_address(out, i * parts->bytes);
    return parts->programs[last];
}

/* Returns the room that each part needs: a program without operations. */
static inline anypi_program anypi_largest_part(const anypi_parts *parts)
{
    const anypi_program *a = parts->programs[0];
    const anypi_program *b = parts->programs[1] ? parts->programs[1] : a;
    return (anypi_program) { .requests = a->requests > b->requests ? a->requests : b->requests,
                             .scratch = a->scratch > b->scratch ? a->scratch : b->scratch };
}

/* Runs a call on a caller's buffers. In place, `in` is ignored. Returns NULL, or the name of what
 * there was no memory for (static text); no message was sent then. The transport records the errors
 * of messages. */
static inline const char *anypi_execute_call(anypi_workspace *workspace, anypi_parts parts,
                                             bool in_place, const void *in, void *out,
                                             anypi_transport *transport)
{
    char *areas[ANYPI_AREAS];
    const anypi_program room = anypi_largest_part(&parts), *program;
    char *const memory = anypi_execute_memory(workspace, &room, &areas[ANYPI_AREA_SCRATCH]);
    char *const from = in_place ? out : (char *) in;
    if (!memory)
        return "scratch";
    for (int64_t i = 0; (program = anypi_part(&parts, i, from, out, areas)); i++)
        anypi_execute(program, areas, transport, (anypi_request *) (void *) memory);
    anypi_workspace_done(workspace, memory);
    return NULL;
}

#ifdef ANYPI_TRANSPORT_HAS_BLOCKS

/* Runs all stages of a call with local sizes, whose sizes are set. Returns NULL, or the name of
 * what there was no memory for. If no program has run, no message was sent, and the communicator's
 * knowledge is unchanged. Otherwise other ranks may wait for this one. */
static inline const char *anypi_execute_local(anypi_workspace *workspace, anypi_local *local,
                                              anypi_transport *transport)
{
    anypi_learned before = { .direct = 0 };
    char *areas[ANYPI_AREAS] = { [ANYPI_AREA_IN] = (char *) &local->told,
                                 [ANYPI_AREA_OUT] = (char *) &local->told };
    if (local->learned)
        before = *local->learned;
    anypi_local_begin(local);
    const anypi_program room = { .requests = (int) local->requests, .scratch = local->scratch };
    char *const memory = anypi_execute_memory(workspace, &room, &areas[ANYPI_AREA_SCRATCH]);
    if (!memory)
        return "scratch";
    char *const scratch = areas[ANYPI_AREA_SCRATCH];
    const anypi_program *program;
    anyp_status status = anypi_local_next(local, scratch);
    if (status != ANYP_SUCCESS && local->learned)
        *local->learned = before;
    while (status == ANYP_SUCCESS && (program = anypi_local_program(local))) {
        anypi_execute(program, areas, transport, (anypi_request *) (void *) memory);
        status = anypi_local_next(local, scratch);
    }
    anypi_workspace_done(workspace, memory);
    return status == ANYP_SUCCESS ? NULL : "route";
}

#endif

#endif

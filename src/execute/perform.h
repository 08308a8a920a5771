/* SPDX-License-Identifier: BSD-3-Clause
 *
 * perform.h - one call on real data, for every back end: memory for scratch and requests, and the
 * loop of execute.h. A back end defines its transport, as execute.h says, and includes this file
 * instead.
 */
#ifndef ANYPI_PERFORM_H_INCLUDED
#define ANYPI_PERFORM_H_INCLUDED

#include "execute/execute.h"
#include "execute/workspace.h"

/* Runs a program on a caller's buffers; in place, `in` is ignored. Returns NULL, or what there is
 * no memory for (static text); nothing was sent then. The transport records errors of messages. */
static inline const char *anypi_perform(anypi_workspace *workspace, const anypi_program *program,
                                        bool in_place, const void *in, void *out,
                                        anypi_transport *transport)
{
    const size_t mask = ANYPI_SCRATCH_ALIGNMENT - 1;
    const size_t requests = ((size_t) program->requests * sizeof(anypi_request) + mask) & ~mask;
    size_t size;
    if (program->scratch < 0 || __builtin_add_overflow(requests, program->scratch, &size))
        return "scratch";
    char *const memory = anypi_workspace_memory(workspace, size);
    if (!memory)
        return "scratch";
    char *const areas[ANYPI_AREAS] = {
        [ANYPI_AREA_IN] = in_place ? out : (char *) in,
        [ANYPI_AREA_OUT] = out,
        [ANYPI_AREA_SCRATCH] = memory + requests,
    };
    anypi_execute(program, areas, transport, (anypi_request *) (void *) memory);
    anypi_workspace_done(workspace, memory);
    return NULL;
}

#endif

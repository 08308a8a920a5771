/* SPDX-License-Identifier: BSD-3-Clause
 *
 * program.c - the holders of programs, and the shapes of calls.
 */
#include "execute/program.h"

#include "schedule/memory.h"
#include "schedule/collectives.h"

void anypi_program_init(anypi_program *program)
{
    *program = (anypi_program) { .holders = ANYPI_ATOMIC(1) };
}

void anypi_program_free(anypi_program *program)
{
    anypi_free(program->ops);
    anypi_program_init(program);
}

size_t anypi_program_size(const anypi_program *program)
{
    return (size_t) program->room * sizeof *program->ops;
}

anypi_program *anypi_program_new(void)
{
    anypi_program *program = anypi_realloc(NULL, sizeof *program);
    if (program)
        anypi_program_init(program);
    return program;
}

anypi_program *anypi_program_hold(anypi_program *program)
{
    anypi_atomic_add(&program->holders, 1);
    return program;
}

/* The atomic addition also orders memory: a holder's reads come before another holder frees or
 * writes the program. */
void anypi_program_release(anypi_program *program)
{
    if (program && anypi_atomic_add(&program->holders, -1) == 1) {
        anypi_program_free(program);
        anypi_free(program);
    }
}

bool anypi_program_own(anypi_program **program)
{
    if (*program && anypi_atomic_load(&(*program)->holders) == 1)
        return true;
    anypi_program_release(*program);
    *program = anypi_program_new();
    return *program != NULL;
}

anypi_placement anypi_placement_of(const anyp_call *call, int blocks, anypi_element element)
{
    anypi_placement vector = {
        .partition = anypi_partition_for(call, blocks), .element = element,
        .parts = anypi_has_blocks(call->collective) ? blocks / call->p : 1,
        .joined = anypi_has_no_data(call->collective) ? -1
            : call->type_size > 0 ? ANYPI_JOINED_BYTES / call->type_size : 0,
    };
    if (anypi_scatters(call)) {
        vector.out = anypi_block_start(&vector.partition, call->rank * vector.parts);
        vector.overlaid = anypi_overlays(call);
    }
    vector.gaps_in = call->gaps_in;
    vector.gaps_out = call->gaps_out;
    if (anypi_gathers(call))
        vector.in = anypi_block_start(&vector.partition, call->rank * vector.parts);
    return vector;
}

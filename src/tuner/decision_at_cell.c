/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/decision_at_cell.h"

#include "tuner/collective_form.h"

#include <stdio.h>
#include <string.h>

anypi_signature anypi_cell_signature(const anypi_cell *cell, bool equal)
{
    const anyp_call call = anypi_cell_call(cell);
    anypi_signature signature;
    anypi_signature_init(&signature, anypi_form_name(cell->collective), cell->p, call.count,
                         call.type_size);
    signature.commutative = signature.builtin_op = cell->commutative;
    signature.block_regular = equal;
    anypi_signature_nodes(&signature, cell->nodes);
    return signature;
}

bool anypi_chosen(const anypi_decision *decision, const anypi_cell *cell, bool equal,
                  bool names_own, anypi_choice *choice, anypi_candidate *candidate)
{
    const anypi_signature signature = anypi_cell_signature(cell, equal);
    *choice = (anypi_choice) { .hole = true };
    if (!decision || anypi_decision_select(decision, &signature, choice) != ANYP_SUCCESS ||
        choice->hole || (!names_own && !choice->algorithm)) {
        choice->hole = true;
        return false;
    }
    const char *own = strstr(choice->name, "_intra_");
    *candidate = (anypi_candidate) { .algorithm = choice->algorithm };
    if (choice->algorithm)              /* an alias has another name */
        snprintf(candidate->name, sizeof candidate->name, "%s%s", anypi_form_prefix(),
                 choice->algorithm->name);
    else
        snprintf(candidate->name, sizeof candidate->name, "%.63s",
                 own ? own + strlen("_intra_") : choice->name);
    candidate->own = choice->algorithm ? NULL : anypi_own_find(cell->collective, candidate->name);
    memcpy(candidate->parameters, choice->parameters, sizeof candidate->parameters);
    return true;
}

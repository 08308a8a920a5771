/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/measure.h"

#include "measure/command.h"

#include <string.h>

/* Returns the cell of the plan for the same calls; NULL: there is none. With --calls, equal stakes
 * show that both are of one record. */
static anypi_cell *find(const anypi_plan *plan, const anypi_cell *old)
{
    for (anypi_cell *cell = plan->cells; cell < plan->cells + plan->cells_count; cell++)
        if (!anypi_cell_order(cell, old))
            return cell->stake == old->stake ? cell : NULL;
    return NULL;
}

/* Takes the times of a candidate. False: it has none, or there is no room. */
static bool take_trial(anypi_session *session, anypi_cell *cell, const anypi_cell *old, int c)
{
    const anypi_candidate *candidate = anypi_candidate_of(&session->earlier, old, c);
    const anypi_trial *trial = &old->trials[c];
    const int own = trial->count ? anypi_command_add(session, cell, candidate) : -1;
    if (own < 0)
        return false;
    cell->trials[own] = *trial;
    cell->trials[own].running = trial->count == old->rounds;
    return true;
}

/* Takes the times of a cell, and leaves the other candidates out. */
static void take_cell(anypi_session *session, anypi_cell *cell, const anypi_cell *old)
{
    for (int c = 0; c < old->candidates; c++)
        cell->earlier |= take_trial(session, cell, old, c);
    for (int c = 0; cell->earlier && c < cell->candidates; c++)
        cell->trials[c].running = cell->trials[c].running && cell->trials[c].count;
    cell->rounds = cell->earlier ? old->rounds : 0;
    cell->passed = cell->earlier;
}

void anypi_resume_take(anypi_session *session)
{
    const anypi_plan *earlier = &session->earlier;
    memcpy(session->plan->networks, earlier->networks, sizeof earlier->networks);
    for (int i = 0; i < earlier->cells_count; i++) {
        anypi_cell *cell = find(session->plan, &earlier->cells[i]);
        if (cell)
            take_cell(session, cell, &earlier->cells[i]);
    }
}

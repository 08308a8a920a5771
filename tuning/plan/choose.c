/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/choose.h"

#include "plan/race.h"
#include "plan/shapes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- choices ---- */

/* May it be chosen? */
static bool eligible(const anypi_plan *plan, const anypi_cell *cell, int c, double margin)
{
    if (plan->only_anyp)
        return anypi_time(cell, c) < INFINITY;
    return plan->exact ? anypi_ratio(cell, c) < 1 : anypi_significantly_faster(cell, c, margin);
}

static int choose(const anypi_plan *plan, const anypi_cell *cell, int smaller_size, int smaller_p,
                  double margin)
{
    int best = 0;
    double min = INFINITY;
    for (int c = 1; c < cell->candidates; c++)
        if (eligible(plan, cell, c, margin) && anypi_time(cell, c) < min) {
            best = c;
            min = anypi_time(cell, c);
        }
    const int neighbours[] = { smaller_size, smaller_p };
    for (int i = 0; i < 2 && best; i++) {
        const int c = neighbours[i];
        if (c && c < cell->candidates && eligible(plan, cell, c, margin) &&
            anypi_time(cell, c) <= min * (1 + margin))
            return c;
    }
    return best;
}

/* The choice of the same cell at the next smaller complete p; 0 if there is none. */
static int choice_below(const anypi_plan *plan, const anypi_cell *cell)
{
    for (int i = (int) (cell - plan->cells) - 1; i >= 0; i--) {
        const anypi_cell *other = &plan->cells[i];
        if (other->p < cell->p && !anypi_nodes_order(other->nodes, cell->nodes) &&
            anypi_plan_complete(plan, other) && other->bytes == cell->bytes &&
            other->collective == cell->collective && other->commutative == cell->commutative)
            return other->choice;
    }
    return 0;
}

void anypi_choose_all(anypi_plan *plan, double margin)
{
    for (int i = 0; i < plan->cells_count; i++) {
        anypi_cell *cell = &plan->cells[i];
        const anypi_cell *smaller = anypi_cell_smaller(plan, cell);
        cell->choice = anypi_plan_complete(plan, cell)
            ? choose(plan, cell, smaller ? smaller->choice : 0, choice_below(plan, cell), margin)
            : 0;
    }
}

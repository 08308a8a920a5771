/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/finding.h"

#include "tuner/candidates.h"
#include "tuner/noise.h"
#include "tuner/node_shapes.h"
#include "schedule/collectives.h"

#include <math.h>
#include <stdio.h>

anypi_finding anypi_finding_of(const anypi_report *report, const anypi_cell *cell)
{
    const bool exact = report->plan->exact;
    anypi_finding finding = { ANYPI_IS_ALONE, cell->choice, NAN };
    if (!finding.candidate)
        finding.candidate = anypi_fastest_of(report->plan, cell, NULL);
    if (!finding.candidate)
        finding.candidate = -1;
    const int c = finding.candidate;
    if (c < 0 || !(anypi_time(cell, 0) < INFINITY) || !(anypi_time(cell, c) < INFINITY))
        return finding;
    const double ratio = anypi_ratio(cell, c), margin = report->how.margin;
    const bool faster = exact ? ratio < 1 : anypi_significantly_faster(cell, c, margin);
    const bool slower = exact ? ratio > 1 : anypi_significantly_slower(cell, c, margin);
    finding.gain = 1 / ratio;
    finding.difference = slower ? ANYPI_IS_SLOWER : !faster ? ANYPI_IS_EVEN
        : !cell->choice ? ANYPI_IS_HELD
        : anypi_is_anyp(report->plan, cell, c) ? ANYPI_IS_FASTER : ANYPI_IS_OWN;
    return finding;
}

bool anypi_group_next(const anypi_plan *plan, anypi_cell_group *group)
{
    for (; group->next < ANYP_COLLECTIVES * 2 * ANYPI_NODES_KINDS; group->next++) {
        group->collective = (anyp_collective) (group->next / (2 * ANYPI_NODES_KINDS));
        group->commutative = !(group->next / ANYPI_NODES_KINDS % 2);
        group->kind = group->next % ANYPI_NODES_KINDS;
        group->count = 0;
        for (int i = 0; i < plan->cells_count; i++) {
            const anypi_cell *cell = &plan->cells[i];
            if (cell->collective == group->collective && cell->rounds &&
                cell->commutative == group->commutative &&
                anypi_nodes_kind(cell->nodes) == group->kind)
                group->cells[group->count++] = cell;
        }
        if (group->count) {
            group->next++;
            return true;
        }
    }
    return false;
}

int anypi_group_row(const anypi_cell_group *group, int i)
{
    int count = 1;
    while (i + count < group->count &&
           anypi_cell_alike(group->cells[i], group->cells[i + count]))
        count++;
    return count;
}

void anypi_group_name(const anypi_plan *plan, const anypi_cell_group *group, char *text,
                      size_t size)
{
    static const char *const kinds[] = { "one node", "several nodes, consecutive ranks",
                                         "several nodes, ranks in other orders" };
    bool nodes = false;
    for (int i = 0; i < plan->procs_count; i++)
        nodes |= plan->nodes[i] != NULL;
    const bool data = anypi_moves(group->collective);
    snprintf(text, size, "%s%s%s%s%s", anypi_form_name(group->collective), data ? "" : ", ",
             data ? "" : anypi_operator(group->collective, group->commutative),
             nodes ? ", " : "", nodes ? kinds[group->kind] : "");
}

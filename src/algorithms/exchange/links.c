/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/links.h"

anypi_links anypi_links_of(const anypi_machine *m, int h, const anyp_model *model)
{
    const anyp_shape *nodes = model->nodes;
    const bool in_nodes = nodes && h == 1 && m->used[1] == 0 && m->heights > 1;
    anypi_links l = { .alpha = model->alpha, .beta = model->beta, .shares = true };
    if (in_nodes)
        return (anypi_links) { .alpha = model->inside_alpha, .beta = model->inside_beta };
    /* a child is a node if the height below is that of nodes */
    if (nodes && h > 1 && m->used[h - 1] == 0)
        l.of_group = model->beta / model->cards;
    for (int i = 0; nodes && h > 1 && i < m->used[h - 1]; i++) {
        l.alpha = model->above[i].alpha > 0 ? model->above[i].alpha : l.alpha;
        l.of_group = model->above[i].beta;
    }
    return l;
}

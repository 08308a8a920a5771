/* SPDX-License-Identifier: BSD-3-Clause
 *
 * butterfly_prune.c - what a reduce needs of an allreduce: only messages on a path to the root.
 *
 * All that halves is needed. In the rounds after it, only what leads to the ranks that were one
 * group with the root when the halving ended, or, if they drop out, to those that feed them: to
 * ranks at the same place of their groups as these. And where routing mirrors a join, it is the
 * root's group of before that must get the result. If the root drops out in a round that halves, it
 * is its heir's group, from then on.
 */
#include "algorithms/butterfly.h"

/* Takes away from the stages. */
static void prune_turns(anypi_butterfly *b)
{
    const int rank = b->call->rank, root = b->call->root, group = b->stages.unit;
    for (int z = 0; z < b->stages.count; z++) {
        anypi_turn *turn = &b->turns[z];
        const int unit = turn->unit, wide = unit * turn->radix;
        const bool needed = turn->halves ? rank / wide == root / wide
            : rank % unit / group == root % unit / group;
        turn->goal = needed ? root / unit % turn->radix : ANYPI_NONE;
    }
}

static void path_of_group(const anypi_stages *stages, int group, anypi_path *path)
{
    stages->protocol->path(stages->groups, group, stages->halving_groups, false, path);
}

/* From where a rank drops out, or is no longer what counts since it is fed at the end: the joins of
 * whom it goes on with. */
static void go_on(const anypi_stages *stages, anypi_path *path)
{
    const bool fed = path->fed_by >= 0;
    anypi_path other;
    path_of_group(stages, fed ? path->fed_by : path->heir, &other);
    for (int k = fed ? path->halving_joins : path->joined; k < other.joined; k++)
        path->joins[k] = other.joins[k];
}

static bool same_group(const anypi_join *a, const anypi_join *b)
{
    return a->group == b->group && a->role == b->role;
}

/* For each join, which of its groups need what it makes, a set of roles. */
static void needs(const anypi_path *path, const anypi_path *root, bool same_place,
                  int halving_groups, unsigned *needed)
{
    for (int k = 0; k < path->joined; k++) {
        const anypi_join *own = &path->joins[k], *of_root = &root->joins[k];
        const bool leads = k < path->halving_joins ? own->group == of_root->group
            : same_place && own->position >> halving_groups == of_root->position >> halving_groups;
        needed[k] = leads ? 1u << of_root->role : 0;
    }
}

void anypi_butterfly_prune(anypi_butterfly *b)
{
    const anypi_stages *stages = &b->stages;
    const int rank = b->call->rank % stages->product, root = b->call->root % stages->product;
    const bool same_place = rank / stages->unit == root / stages->unit;
    anypi_path *path = &b->path, of_root;

    path_of_group(stages, b->call->root / stages->product, &of_root);
    const bool fed = of_root.fed_by >= 0;
    const anypi_join last_whole = of_root.joins[of_root.halving_joins];
    if (of_root.drops_out)
        go_on(stages, &of_root);

    unsigned needed[sizeof path->joins / sizeof *path->joins];
    needs(path, &of_root, same_place, stages->halving_groups, needed);
    for (int i = 0; i < path->count; i++) {
        anypi_use *use = &path->uses[i];
        use->gives_for &= needed[use->join];
        use->keeps_for &= needed[use->join];
        if (i >= path->halving) {
            path->moves[i].to = use->gives_for ? path->moves[i].to : -1;
            path->moves[i].from = use->keeps_for ? path->moves[i].from : -1;
        }
    }
    const int last = path->joined - 1;
    if (path->feeds >= 0 && !(fed && needed[last] >> path->joins[last].role & 1))
        path->feeds = -1;
    if (path->fed_by >= 0 &&
        !(fed && same_place && same_group(&path->joins[path->halving_joins], &last_whole)))
        path->fed_by = -1;
    prune_turns(b);
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * butterfly_plan.c - the butterfly's stages, and one rank's part in them. The number of a rank,
 * written with the radixes of the stages, has one digit for each stage.
 */
#include "algorithms/butterfly/butterfly.h"

#include "schedule/ranks.h"
#include "schedule/collectives.h"

#include <limits.h>

/* By the parameter `odd`. The remainder after rings is eliminated as by the first. */
static const anypi_protocol *const protocols[] = { &anypi_overlap, &anypi_fold, &anypi_overlap };

/* A round halves while a slice, one of `parts`, is larger than the threshold and has an element for
 * each part. */
static bool halves(const anyp_call *call, int threshold, int64_t parts, int radix)
{
    return threshold != INT_MAX && call->type_size > 0 &&
        call->count > threshold * parts / call->type_size && call->count >= parts * radix;
}

static void add_stage(anypi_stages *stages, int radix)
{
    stages->radix[stages->count++] = radix;
    stages->product *= radix;
    stages->groups /= radix;
}

/* A stage for each prime factor, smallest first, of the odd number of groups that are left. */
static void add_rings(anypi_stages *stages, int maximum)
{
    for (int radix = 3; stages->groups > 1; radix += 2) {
        if (radix > stages->groups / radix)
            radix = stages->groups;     /* it is a prime */
        if (radix > maximum)
            return;
        while (stages->groups % radix == 0)
            add_stage(stages, radix);
    }
}

anypi_stages anypi_stages_of(const anyp_call *call, const int *parameters)
{
    const bool scatters = anypi_scatters(call);
    anypi_stages stages = { .product = 1, .groups = call->p, .unit = 1, .scatters = scatters,
                            .protocol = protocols[parameters[ANYPI_BUTTERFLY_ODD]] };
    while (stages.groups % 2 == 0)
        add_stage(&stages, 2);
    if (parameters[ANYPI_BUTTERFLY_ODD] == ANYPI_ODD_RING)
        add_rings(&stages, parameters[ANYPI_BUTTERFLY_RING_MAX]);

    const int rounds = stages.count + anypi_log2_floor((unsigned) stages.groups);
    int parts = 1;
    for (int z = 0; z < rounds; z++) {
        const int radix = z < stages.count ? stages.radix[z] : 2;
        if (!scatters && !halves(call, parameters[ANYPI_BUTTERFLY_THRESHOLD], parts, radix))
            break;
        stages.halving++;
        parts *= radix;
        if (z < stages.count)
            stages.unit = parts;
        else
            stages.halving_groups++;
    }
    stages.blocks = scatters ? call->p : parts;
    return stages;
}

void anypi_stages_order(const anypi_stages *stages, int *order)
{
    int length = stages->groups, unit = stages->product;
    anypi_protocol_order(stages->protocol, stages->groups, order);
    for (int i = 0; i < length; i++)
        order[i] *= unit;
    for (int z = stages->count - 1; z >= 0; z--) {
        unit /= stages->radix[z];
        for (int digit = stages->radix[z] - 1; digit >= 0; digit--)
            for (int i = 0; i < length; i++)
                order[digit * length + i] = order[i] + digit * unit;
        length *= stages->radix[z];
    }
}

/* ---- reduce: the messages of an allreduce that are on a path to the root ---- */

/* All rounds that halve are needed. In the rounds after it, only what leads to the ranks that were
 * one group with the root when the halving ended, or, if they drop out, to those that feed them: to
 * ranks at the same place of their groups as these. And where routing mirrors a join, it is the
 * root's group of before that must get the result. If the root drops out in a round that halves, it
 * is its heir's group, from then on. */

/* Removes what is not needed from the stages. */
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

/* Replaces the joins after a rank drops out, or from where it only gets the result at the end, by
 * those of the rank that continues. */
static void follow(const anypi_stages *stages, anypi_path *path)
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

/* Sets for each join which of its groups need the result, a set of roles. */
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

/* Removes what the root of a reduce does not need. */
static void prune(anypi_butterfly *b)
{
    const anypi_stages *stages = &b->stages;
    const int rank = b->call->rank % stages->product, root = b->call->root % stages->product;
    const bool same_place = rank / stages->unit == root / stages->unit;
    anypi_path *path = &b->path, of_root;

    path_of_group(stages, b->call->root / stages->product, &of_root);
    const bool fed = of_root.fed_by >= 0;
    const anypi_join last_whole = of_root.joins[of_root.halving_joins];
    if (of_root.drops_out)
        follow(stages, &of_root);

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

/* ---- one rank's part ---- */

static anypi_range shifted(anypi_range range, int blocks)
{
    return (anypi_range) { range.first + blocks, range.end + blocks };
}

/* Changes a path of groups into that of the rank at a position in one, whose blocks begin at
 * `first`. */
static void unfold(anypi_path *path, int product, int position, int first)
{
    int *const peers[] = { &path->heir, &path->feeds, &path->fed_by };
    for (int i = 0; i < 3; i++)
        if (*peers[i] >= 0)
            *peers[i] = *peers[i] * product + position;
    for (int i = 0; i < path->count; i++) {
        anypi_move *move = &path->moves[i];
        move->to = move->to < 0 ? -1 : move->to * product + position;
        move->from = move->from < 0 ? -1 : move->from * product + position;
        move->gives = shifted(move->gives, first);
        move->keeps = shifted(move->keeps, first);
    }
    path->slice = shifted(path->slice, first);
}

void anypi_butterfly_of(const anyp_call *call, const int *parameters, anypi_butterfly *b)
{
    b->call = call;
    b->stages = anypi_stages_of(call, parameters);
    const anypi_stages *stages = &b->stages;
    anypi_range slice = { 0, stages->blocks };
    int unit = 1, rest = call->rank;
    for (int z = 0; z < stages->count; z++) {
        const int radix = stages->radix[z], width = slice.end - slice.first;
        const bool halves = z < stages->halving;
        b->turns[z] = (anypi_turn) { .radix = radix, .digit = rest % radix, .unit = unit,
                                     .slice = slice, .halves = halves,
                                     .width = halves ? width / radix : width,
                                     .may_exchange = halves && call->commutative,
                                     .goal = ANYPI_ALL };
        slice = anypi_turn_after(&b->turns[z]);
        unit *= radix;
        rest /= radix;
    }
    stages->protocol->path(stages->groups, rest, stages->halving_groups, stages->scatters,
                           &b->path);
    unfold(&b->path, stages->product, call->rank - rest * stages->product, slice.first);
    for (int i = 0; i < b->path.halving; i++)
        b->path.moves[i].may_exchange = call->commutative;
    if (call->collective == ANYP_REDUCE)
        prune(b);
}

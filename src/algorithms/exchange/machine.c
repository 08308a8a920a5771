/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/machine.h"

#include "schedule/collectives.h"
#include "schedule/ranks.h"

#include <limits.h>

/* The maximum number of blocks of an interval in a base. With one, intervals of lower levels are
 * whole intervals of upper ones, so that messages are few and intervals uneven; with this many they
 * are even within some percent. More where groups differ, and intervals with them. */
enum { BLOCKS_OF_INTERVAL = 8, OF_DIFFERENT = 64 };

enum { SWITCHES = 2 };          /* the value of groups that takes the lowest switches for nodes */

/* ---- groups ---- */

int anypi_machine_first(const anypi_machine *m, int height, int group)
{
    if (height == m->heights)
        return group * m->count[height - 1];
    for (int i = m->used[height]; i > m->used[height - 1]; i--)
        group = anypi_shape_first(m->chain[i], group);
    return group;
}

int anypi_machine_begin(const anypi_machine *m, int height, int group, int to)
{
    for (; height > to; height--)
        group = anypi_machine_first(m, height, group);
    return group;
}

int anypi_machine_position(const anypi_machine *m, int rank)
{
    return m->shape ? anypi_shape_position(m->shape, rank) : rank;
}

/* The group of that height with a position: one of [low, high). */
static int group_between(const anypi_machine *m, int height, int low, int high, int position)
{
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(anypi_machine_begin(m, height, middle, 0) <= position ? &low : &high) = middle;
    }
    return low;
}

bool anypi_machine_alike(const anypi_machine *m, int height)
{
    return height == 0 || height == m->heights || m->chain[m->used[height]]->spans_count == 1;
}

int anypi_machine_like(const anypi_machine *m, int height, int group)
{
    return anypi_machine_alike(m, height) ? 0
        : anypi_shape_span(m->chain[m->used[height]], group)->like;
}

static void make_tree(const anypi_machine *m, anypi_tree *tree, int height, int children)
{
    anypi_tree_make(tree, children, m->radix[height], m->call->reproducible);
    if (height == m->base_height && m->base_levels > 0)
        tree->limit = tree->smallest[m->base_levels];
    else if (height == 1 && m->lanes > 0 && m->base_height >= 1)
        tree->limit = anypi_min(m->lanes, children);
}

const anypi_tree *anypi_machine_tree(anypi_machine *m, int height, int children)
{
    if (children == m->most[height])
        return &m->trees[height];
    if (m->other[height].p != children)
        make_tree(m, &m->other[height], height, children);
    return &m->other[height];
}

/* ---- which levels divide ---- */

/* The maximum number of blocks of the vector: scratch has a copy of it for each operand of a level,
 * in a scan for those of all levels and one more for each level, and an int must number their
 * blocks. */
static int most_blocks(const anypi_machine *m)
{
    enum { MAX_RADIX = 64 };
    int copies = 0;
    if (!anypi_is_prefix(m->call->collective))
        return INT_MAX / MAX_RADIX;
    for (int h = 1; h <= m->heights; h++)
        copies += m->trees[h].levels * (m->radix[h] + 1);
    return INT_MAX / anypi_max(copies, 1);
}

/* The number of blocks of each interval: if intervals are equal, such that a block has `threshold`
 * bytes. */
static int blocks_of_interval(const anypi_machine *m, int threshold)
{
    bool equal = true;
    for (int h = 1; h <= m->base_height; h++)
        equal = equal && anypi_machine_alike(m, h);
    const int64_t elements = m->call->count / m->segments / m->owners;
    const int64_t bytes = elements * m->call->type_size;
    int64_t maximum = most_blocks(m) / m->segments / m->owners;
    if (maximum > (equal ? BLOCKS_OF_INTERVAL : OF_DIFFERENT))
        maximum = equal ? BLOCKS_OF_INTERVAL : OF_DIFFERENT;
    if (maximum > elements)
        maximum = elements;
    if (equal && threshold > 0 && maximum > bytes / threshold)
        maximum = bytes / threshold;
    return maximum > 1 ? (int) maximum : 1;
}

/* How many levels of groups of that height divide a vector of `count` elements, if those below have
 * given each rank one of `owners` intervals. */
static int dividing_levels(const anypi_machine *m, int height, int64_t count, int64_t owners,
                           int threshold)
{
    const anypi_tree *tree = &m->trees[height];
    const int64_t bytes = count * m->call->type_size;
    int dividing = 0;
    for (int t = 0, smallest = 1; t < tree->levels; t++) {
        const bool divides = bytes / (owners * smallest) > threshold &&
            count >= owners * tree->smallest[t + 1];
        if (!divides && !anypi_scatters(m->call))
            break;
        if (tree->smallest[t + 1] > 1) {
            smallest = tree->smallest[t + 1];
            dividing = t + 1;
        }
    }
    return dividing;
}

/* Sets where bases are, and the number of their owners. */
static void set_bases(anypi_machine *m, int64_t count, int threshold)
{
    int64_t owners = 1;
    m->base_height = m->base_levels = 0;
    m->bases = 1;
    for (int h = 1; h <= m->heights; h++) {
        const int levels = m->trees[h].levels, node = h == 1 && m->heights > 1 ? m->lanes : 0;
        const int dividing = node > 0 && count >= node ? levels
            : dividing_levels(m, h, count, owners, threshold);
        const bool whole = dividing == levels;
        if (!whole && (dividing == 0 || m->least[h] < m->most[h]))
            break;              /* groups of different sizes divide at all levels, or at none */
        m->base_height = h;
        owners *= whole ? m->most[h] : m->trees[h].smallest[dividing];
        if (node > 0 && node < m->most[h])
            owners = node;
        if (!whole) {
            m->base_levels = dividing;
            for (int t = dividing; t < levels; t++)
                m->bases *= m->trees[h].radix[t];
            break;
        }
    }
    if (anypi_scatters(m->call) || owners > m->call->p)
        owners = m->call->p;
    m->owners = (int) owners;
}

/* ---- the whole ---- */

/* The radix that is used: an int must number the blocks of all operands of a level, in a scan of
 * several. For reproducible results the next power of two, so that there are not more levels. */
static int radix_of(const anyp_call *call, int radix)
{
    const int most = (anypi_is_prefix(call->collective) ? INT_MAX / 4 : INT_MAX) / call->p;
    const int maximum = anypi_max(most, 2);
    if (call->reproducible)
        radix = 1 << anypi_log2_ceil((unsigned) radix);
    while (call->reproducible && radix > maximum)
        radix /= 2;
    return radix < maximum ? radix : maximum;
}

/* Sets the shape and its heights that are used. */
static void set_heights(anypi_machine *m, const int *parameters)
{
    const anyp_call *call = m->call;
    const bool uses = parameters[ANYPI_EXCHANGE_GROUPS] && !call->reproducible && call->nodes;
    const bool any_order = call->commutative && !anypi_is_prefix(call->collective);
    m->shape = !uses ? NULL : any_order || !call->nodes->rank ? call->nodes : call->nodes->runs;
    m->heights = 0;
    m->used[0] = -1;
    m->count[0] = call->p;
    int i = 0;
    for (const anyp_shape *one = m->shape; one; one = one->above, i++) {
        m->chain[i] = one;
        const bool skips = i == 0 && one->above && parameters[ANYPI_EXCHANGE_GROUPS] == SWITCHES;
        /* a height where most are alone only costs time */
        const bool joins = 4 * (int64_t) one->count <= 3 * (int64_t) m->count[m->heights];
        if (skips || one->count == 1 || !joins)
            continue;
        m->heights++;
        m->used[m->heights] = i;
        m->count[m->heights] = one->count;
    }
    m->heights++;
    m->count[m->heights] = 1;
    for (int h = 1; h <= m->heights; h++)
        m->radix[h] = radix_of(call, parameters[h == 1 && m->heights > 1 ? ANYPI_EXCHANGE_NODE_RADIX
                                                : ANYPI_EXCHANGE_RADIX]);
}

/* Sets the sizes of the smallest and largest groups, and the trees of these. */
static void set_trees(anypi_machine *m)
{
    m->depth = 0;
    for (int h = 1; h <= m->heights; h++) {
        m->most[h] = 0;
        m->least[h] = INT_MAX;
        for (int g = 0; g < (anypi_machine_alike(m, h) ? 1 : m->count[h]); g++) {
            const int size = anypi_machine_children(m, h, g);
            m->most[h] = anypi_max(m->most[h], size);
            m->least[h] = anypi_min(m->least[h], size);
        }
        m->other[h].p = 0;      /* none */
        make_tree(m, &m->trees[h], h, m->most[h]);
        m->depth += m->trees[h].levels;
    }
}

void anypi_machine_make(anypi_machine *m, const anyp_call *call, const int *parameters)
{
    const int threshold = parameters[ANYPI_EXCHANGE_THRESHOLD];
    const bool scatters = anypi_scatters(call);
    const int wanted = parameters[ANYPI_EXCHANGE_SEGMENTS];
    m->call = call;
    m->base_height = m->base_levels = 0;
    set_heights(m, parameters);
    m->lanes = scatters || m->heights == 1 ? 0 : parameters[ANYPI_EXCHANGE_LANES];
    if (m->lanes > call->count)
        m->lanes = call->count > 1 ? (int) call->count : 1;
    set_trees(m);
    set_bases(m, call->count, threshold);
    m->segments = 1;
    if (m->heights > 1 && m->base_height >= 1 && wanted > 1) {
        /* each has elements, and an int numbers its blocks */
        const int64_t numbered = most_blocks(m) / m->owners;
        const int64_t elements = call->count / m->owners;
        const int64_t most = elements < numbered ? elements : numbered;
        m->segments = wanted < most ? wanted : most > 1 ? (int) most : 1;
        set_bases(m, call->count / m->segments, threshold);
    }
    m->blocks = scatters ? call->p : m->owners <= 1 ? 1
        : m->owners * blocks_of_interval(m, threshold);
    for (int h = 1; h <= m->heights && !scatters; h++)      /* the limits of these trees */
        make_tree(m, &m->trees[h], h, m->most[h]);
}

/* ---- parts ---- */

anypi_team anypi_team_whole(anypi_machine *m, int height, int group)
{
    while (height > 0) {
        const int size = anypi_machine_children(m, height, group);
        if (size > 1)
            return (anypi_team) { .height = height, .group = group, .size = size,
                                  .t = anypi_machine_tree(m, height, size)->levels,
                                  .run = { 0, size } };
        group = anypi_machine_first(m, height--, group);
    }
    return (anypi_team) { .group = group, .size = 1, .run = { 0, 1 } };
}

int anypi_team_children(anypi_machine *m, const anypi_team *team)
{
    return team->height == 0 ? 1
        : anypi_tree_children(anypi_machine_tree(m, team->height, team->size), team->t - 1,
                              team->run.size);
}

anypi_team anypi_team_child(anypi_machine *m, const anypi_team *team, int c)
{
    const anypi_tree *tree = anypi_machine_tree(m, team->height, team->size);
    anypi_team child = *team;
    child.t--;
    child.number = team->number * anypi_tree_children(tree, child.t, team->run.size) + c;
    child.run = anypi_tree_child(tree, child.t, team->run, c);
    if (child.run.size > 1)
        return child;
    return anypi_team_whole(m, team->height - 1, anypi_machine_first(m, team->height, team->group) +
                            child.run.first);
}

void anypi_team_positions(const anypi_machine *m, const anypi_team *team, int *first, int *end)
{
    *first = team->group;
    *end = team->group + 1;
    if (team->height > 0) {
        const int child = anypi_machine_first(m, team->height, team->group) + team->run.first;
        *first = anypi_machine_begin(m, team->height - 1, child, 0);
        *end = anypi_machine_begin(m, team->height - 1, child + team->run.size, 0);
    }
}

int anypi_team_child_of(anypi_machine *m, const anypi_team *team, int position)
{
    const anypi_tree *tree = anypi_machine_tree(m, team->height, team->size);
    const int first = anypi_machine_first(m, team->height, team->group);
    const int child = group_between(m, team->height - 1, first + team->run.first,
                                    first + team->run.first + team->run.size, position);
    return anypi_tree_child_of(tree, team->t - 1, team->run, child - first);
}

bool anypi_team_divides(const anypi_machine *m, const anypi_team *team)
{
    return team->height < m->base_height ||
        (team->height == m->base_height && (m->base_levels == 0 || team->t <= m->base_levels));
}

/* ---- bases ---- */

/* The bases in a run of that height in the tree of a group that has several. */
static int bases_of_run(const anypi_machine *m, int t)
{
    int bases = 1;
    for (t--; t >= m->base_levels; t--)
        bases *= m->trees[m->base_height].radix[t];
    return bases;
}

void anypi_team_bases(const anypi_machine *m, const anypi_team *team, int *first, int *end)
{
    if (team->height > m->base_height) {
        const int child = anypi_machine_first(m, team->height, team->group) + team->run.first;
        const int begin = anypi_machine_begin(m, team->height - 1, child, m->base_height);
        const int after = anypi_machine_begin(m, team->height - 1, child + team->run.size,
                                              m->base_height);
        *first = begin * m->bases;
        *end = after * m->bases;
        return;
    }
    int position, last;         /* a machine group with one child is that child */
    anypi_team_positions(m, team, &position, &last);
    *first = group_between(m, m->base_height, 0, m->count[m->base_height], position) *
        m->bases;
    *end = *first + 1;
    if (team->height == m->base_height && m->base_levels > 0) {
        const int bases = bases_of_run(m, team->t);
        *first += team->number * bases;
        *end = *first + bases;
    }
}

anypi_team anypi_machine_base(anypi_machine *m, int base)
{
    anypi_team team = anypi_team_whole(m, m->base_height, base / m->bases);
    for (int rest = base % m->bases; m->bases > 1 && team.t > m->base_levels;) {
        const int bases = bases_of_run(m, team.t - 1);
        team = anypi_team_child(m, &team, rest / bases);
        rest %= bases;
    }
    return team;
}

/* ---- links ---- */

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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "algorithms/exchange/owners.h"

#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/ranks.h"

#include <string.h>

/* ---- lists ---- */

static const anypi_owner_list nobody = { .border = &(int64_t) { ANYPI_WHOLE } };
static const anypi_owner_list one_rank = { .equal = true, .count = 1, .at = &(int) { 0 },
                                           .border = (int64_t[]) { 0, ANYPI_WHOLE } };

void anypi_owner_lists_free(anypi_owner_lists *lists)
{
    while (lists->all) {
        anypi_owner_list *one = lists->all;
        lists->all = one->next;
        anypi_free(one);
    }
    for (int h = 0; h < ANYPI_MACHINE_HEIGHTS; h++)
        anypi_free(lists->groups[h]);
}

/* A list with room for the owners of a team; NULL, and `failed` is set: no memory. */
static anypi_owner_list *new_list(anypi_owner_lists *lists, const anypi_team *team, int count)
{
    const size_t numbers = (size_t) count;
    anypi_owner_list *one = anypi_realloc(NULL, sizeof *one + (numbers + 1) * sizeof(int64_t) +
                                          numbers * sizeof(int));
    if (!one) {
        lists->failed = true;
        return NULL;
    }
    one->next = lists->all;
    lists->all = one;
    one->team = *team;
    one->equal = false;
    one->count = count;
    one->border = (int64_t *) (one + 1);
    one->at = (int *) (one->border + count + 1);
    one->border[count] = ANYPI_WHOLE;
    return one;
}

/* ---- children that are not the same ---- */

/* A child, and the first of its owners that is not in the list of the team yet. */
typedef struct candidates {
    anypi_owners owners;
    int64_t weight;             /* what the child counts for */
    int next;
    int64_t from, to;           /* its interval in the child */
} candidates;

static void set_interval(candidates *c)
{
    if (c->next < c->owners.count) {
        c->from = anypi_owner_border(&c->owners, c->next);
        c->to = anypi_owner_border(&c->owners, c->next + 1);
    }
}

static int64_t weight_of(const anypi_machine *m, const anypi_team *of, const anypi_team *child)
{
    int first, end;
    if (!anypi_scatters(m->call))
        return child->height < of->height ? 1 : child->run.size;
    anypi_team_positions(m, child, &first, &end);
    return end - first;
}

/* The child whose next owner has the first middle. */
static candidates *choose(candidates *of, int children)
{
    candidates *first = NULL;
    for (int c = 0; c < children; c++)
        if (of[c].next < of[c].owners.count &&
            (!first || of[c].from + of[c].to < first->from + first->to))
            first = &of[c];
    return first;
}

/* Fills the list of a team. */
static void merge(anypi_owner_list *list, candidates *of, int children, int64_t weights,
                  bool equal)
{
    int64_t at = 0;
    for (int i = 0; i < list->count; i++) {
        candidates *c = choose(of, children);
        list->at[i] = anypi_owner_at(&c->owners, c->next);
        list->border[i] = equal ? anypi_share(ANYPI_WHOLE, i, list->count) : at;
        at += anypi_share(c->to - c->from, c->weight, weights);
        c->next++;
        set_interval(c);
    }
}

/* The owners of a team of different children. */
static const anypi_owner_list *join(anypi_owner_lists *lists, const anypi_team *team)
{
    anypi_machine *m = lists->m;
    for (const anypi_owner_list *one = lists->all; one; one = one->next)
        if (one->team.height == team->height && one->team.group == team->group &&
            one->team.run.first == team->run.first && one->team.run.size == team->run.size)
            return one;
    const int children = anypi_team_children(m, team);
    candidates *of = anypi_realloc(NULL, (size_t) children * sizeof *of);
    int64_t weights = 0;
    int count = 0, first, end;
    for (int c = 0; of && c < children; c++) {
        const anypi_team child = anypi_team_child(m, team, c);
        of[c] = (candidates) { .owners = anypi_owners_of(lists, &child),
                               .weight = weight_of(m, team, &child) };
        set_interval(&of[c]);
        weights += of[c].weight;
        count += of[c].owners.count;
    }
    anypi_owner_list *list = of && !lists->failed ? new_list(lists, team, count) : NULL;
    if (list) {
        anypi_team_positions(m, team, &first, &end);
        merge(list, of, children, weights, anypi_scatters(m->call));
        for (int i = 0; i < count; i++)
            list->at[i] -= first;
    }
    anypi_free(of);
    lists->failed = lists->failed || !list;
    return list ? list : &nobody;
}

/* ---- any team ---- */

static const anypi_owner_list *list_of_group(anypi_owner_lists *lists, int height, int group);

/* Are all children of the team's machine group the same? */
static bool same_children(const anypi_machine *m, const anypi_team *team)
{
    const int height = team->height - 1;
    if (anypi_machine_alike(m, height))
        return true;
    const int first = anypi_machine_first(m, team->height, team->group);
    for (int i = 1; i < team->size; i++)
        if (anypi_machine_like(m, height, first + i) != anypi_machine_like(m, height, first))
            return false;
    return true;
}

static void set_width(anypi_owners *o)
{
    o->equal = o->list->equal;
    if (o->equal && o->blocks % o->count == 0)
        o->width = o->blocks / o->count;
}

/* Of a team of several children. */
static anypi_owners join_children(anypi_owner_lists *lists, const anypi_team *team)
{
    anypi_machine *m = lists->m;
    anypi_owners o = { .times = 1, .blocks = m->blocks };
    int end;
    anypi_team_positions(m, team, &o.first, &end);
    if (!same_children(m, team)) {
        o.list = join(lists, team);
        o.count = o.list->count;
        return o;
    }
    const int child = anypi_machine_first(m, team->height, team->group);
    o.list = list_of_group(lists, team->height - 1, child);
    o.tree = anypi_machine_tree(m, team->height, team->size);
    o.t = team->t;
    o.run = team->run;
    o.stride = (end - o.first) / team->run.size;
    o.first -= team->run.first * o.stride;      /* runs are counted from the group's first child */
    o.times = anypi_tree_owners(o.tree, team->run.size);
    o.count = o.list->count * o.times;
    set_width(&o);
    return o;
}

/* Of a machine group, in memory. */
static const anypi_owner_list *list_of_group(anypi_owner_lists *lists, int height, int group)
{
    anypi_machine *m = lists->m;
    const anypi_team team = anypi_team_whole(m, height, group);
    if (team.height == 0)
        return &one_rank;
    height = team.height;
    const size_t groups = (size_t) (anypi_machine_alike(m, height) ? 1 : m->count[height]);
    if (!lists->groups[height]) {
        lists->groups[height] = anypi_realloc(NULL, groups * sizeof *lists->groups[height]);
        if (lists->groups[height])
            memset(lists->groups[height], 0, groups * sizeof *lists->groups[height]);
        else
            lists->failed = true;
    }
    if (lists->failed)
        return &nobody;
    anypi_owner_list **known =
        &lists->groups[height][anypi_machine_like(m, height, team.group)];
    anypi_owner_list *list = *known;
    if (list)
        return list;
    const anypi_owners owners = join_children(lists, &team);
    if (!lists->failed)
        list = new_list(lists, &team, owners.count);
    if (list)
        list->equal = owners.list->equal && owners.tree;
    for (int i = 0; list && i < owners.count; i++) {
        int first, end;
        anypi_team_positions(m, &team, &first, &end);
        list->at[i] = anypi_owner_at(&owners, i) - first;
        list->border[i] = anypi_owner_border(&owners, i);
    }
    *known = list;
    return list ? list : &nobody;
}

anypi_owners anypi_owners_of(anypi_owner_lists *lists, const anypi_team *team)
{
    anypi_machine *m = lists->m;
    if (team->height == m->heights || team->run.size < team->size)
        return join_children(lists, team);
    anypi_owners o = { .times = 1, .blocks = m->blocks };
    int end;
    anypi_team_positions(m, team, &o.first, &end);
    o.list = team->height == 0 ? &one_rank : list_of_group(lists, team->height, team->group);
    o.count = o.list->count;
    set_width(&o);
    return o;
}

int anypi_owner_with(const anypi_owners *o, int position)
{
    const int offset = position - o->first;
    const int at = o->tree ? offset % o->stride : offset;
    int i = 0, among = 0;
    while (i < o->list->count && o->list->at[i] != at)
        i++;
    if (o->tree)
        among = anypi_tree_group_rank(o->tree, o->t, o->run, offset / o->stride);
    return i == o->list->count || among == ANYPI_NOBODY ? ANYPI_NOBODY : i * o->times + among;
}

/* ---- owners of a range ---- */

/* The last owner that begins not after a block. */
static int find(const anypi_owners *o, int block)
{
    if (o->width > 0)
        return block / o->width;
    if (o->equal)
        return (int) (((2 * (int64_t) block + 1) * o->count - 1) / (2 * (int64_t) o->blocks));
    /* in the list; then nearly, which need not be exact */
    const int64_t at = anypi_share(ANYPI_WHOLE, block, o->blocks);
    int low = 0, high = o->list->count;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        *(o->list->border[middle] <= at ? &low : &high) = middle;
    }
    const int64_t length = o->list->border[low + 1] - o->list->border[low];
    const int64_t rest = at - o->list->border[low];
    int i = low * o->times;
    if (length > 0 && rest > 0)
        i += (int) ((double) rest / (double) length * o->times);
    i = anypi_min(i, o->count - 1);
    while (i > 0 && anypi_owner_begin(o, i) > block)
        i--;
    while (i + 1 < o->count && anypi_owner_begin(o, i + 1) <= block)
        i++;
    return i;
}

anypi_overlaps anypi_overlaps_of(const anypi_owners *owners, anypi_range range, int after)
{
    anypi_overlaps o = { .owners = owners, .range = range };
    if (anypi_range_empty(range) || owners->count == 0)
        return o;
    o.first = find(owners, range.first);
    o.end = find(owners, range.end - 1) + 1;
    o.next = after >= o.first && after + 1 < o.end ? after + 1 : o.first;
    o.left = o.end - o.first;
    return o;
}

bool anypi_overlaps_next(anypi_overlaps *o, int *position, anypi_range *range)
{
    while (o->left-- > 0) {
        const int i = o->next;
        o->next = i + 1 < o->end ? i + 1 : o->first;
        const int begin = i == o->first ? o->range.first : anypi_owner_begin(o->owners, i);
        const int end = i == o->end - 1 ? o->range.end : anypi_owner_begin(o->owners, i + 1);
        if (begin < end) {
            *position = anypi_owner_at(o->owners, i);
            *range = (anypi_range) { begin, end };
            return true;
        }
    }
    return false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/hold.h"

#include "schedule/memory.h"

/* The search for a reader looks at this many operations: usually the next round overwrites. */
enum { AHEAD = 1024 };

/* Bytes of an area. */
typedef struct span {
    int area;
    int64_t begin, end;
} span;

typedef struct holding {
    const anypi_program *program;
    anypi_op *ops;              /* the new ones */
    int count;
    int *began;                 /* for each request: the operation that began it last; -1: none */
    int *held;                  /* for each receive that is held: its reduction; otherwise -1 */
    anypi_op *late;             /* waits that must still come */
    int late_count;
    bool overlaid;
} holding;

static span span_of(const holding *h, int area, int64_t at, int64_t elements)
{
    return (span) { area, at, at + elements * h->program->extent };
}

/* Do two spans share memory? `overlaid`: also if one is in IN and the other in OUT. */
static bool meet(span a, span b, bool overlaid)
{
    if (a.area != b.area)
        return overlaid && a.area != ANYPI_AREA_SCRATCH && b.area != ANYPI_AREA_SCRATCH;
    return a.begin < b.end && b.begin < a.end;
}

static bool is_reduction(const anypi_op *op)
{
    return op->kind == ANYPI_OP_REDUCE;
}

static span source_of(const holding *h, const anypi_op *op)
{
    return span_of(h, op->from_area, op->from, op->elements);
}

static span target_of(const holding *h, const anypi_op *op)
{
    return span_of(h, op->to_area, op->to, op->elements);
}

static bool reads(const holding *h, const anypi_op *op, span s)
{
    const bool from = op->kind == ANYPI_OP_SEND || is_reduction(op) || op->kind == ANYPI_OP_COPY;
    return op->kind == ANYPI_OP_UNPACK || (from && meet(s, source_of(h, op), false)) ||
        (is_reduction(op) && meet(s, target_of(h, op), false));
}

static bool writes(const holding *h, const anypi_op *op, span s, bool overlaid)
{
    const bool to = op->kind == ANYPI_OP_RECEIVE || is_reduction(op) || op->kind == ANYPI_OP_COPY;
    return op->kind == ANYPI_OP_UNPACK || op->kind == ANYPI_OP_PACK ||
        (to && meet(s, target_of(h, op), overlaid));
}

static bool begins(const anypi_op *op, int first, int count)
{
    return (op->kind == ANYPI_OP_SEND || op->kind == ANYPI_OP_RECEIVE) && op->first >= first &&
        op->first < first + count;
}

/* Returns the reduction for which a receive can be held, or -1. */
static int reader_of(const holding *h, int receive)
{
    const anypi_program *p = h->program;
    const anypi_op *its = &p->ops[receive];
    const span s = target_of(h, its);
    const bool scratch = s.area == ANYPI_AREA_SCRATCH;
    int found = -1, i = receive + 1;
    for (; i < p->count && i <= receive + AHEAD; i++) {
        const anypi_op *op = &p->ops[i];
        const bool whole = is_reduction(op) && op->elements == its->elements;
        if (found < 0 && begins(op, its->first, 1))
            return -1;          /* the reduction is in a later round: the request is used again */
        if (reads(h, op, s)) {
            if (found < 0 && whole && op->to_area == s.area && op->to == s.begin)
                return scratch || !h->overlaid ? i : -1;
            if (found >= 0 || !whole || op->from_area != s.area || op->from != s.begin)
                return -1;
            found = i;
        } else if (writes(h, op, s, false)) {
            const span over = target_of(h, op);
            if (op->kind == ANYPI_OP_UNPACK || op->kind == ANYPI_OP_PACK || over.begin > s.begin ||
                over.end < s.end)
                return -1;
            return scratch ? found : -1;
        }
    }
    return scratch && i == p->count ? found : -1;       /* OUT is read after the call */
}

static void add(holding *h, anypi_op op)
{
    h->ops[h->count++] = op;
}

/* Does the operation need the sends of a late wait to be over? */
static bool needs(const holding *h, const anypi_op *op, const anypi_op *wait)
{
    if (begins(op, wait->first, wait->count))
        return true;
    for (int i = wait->first; i < wait->first + wait->count; i++) {
        const anypi_op *send = h->began[i] < 0 ? NULL : &h->program->ops[h->began[i]];
        if (send && send->kind == ANYPI_OP_SEND &&
            writes(h, op, source_of(h, send), h->overlaid))
            return true;
    }
    return false;
}

/* Adds the late waits that an operation needs; NULL: all. */
static void add_late(holding *h, const anypi_op *op)
{
    for (int i = 0; i < h->late_count; i++)
        if (!op || needs(h, op, &h->late[i])) {
            add(h, h->late[i]);
            h->late[i--] = h->late[--h->late_count];
        }
}

/* Is a receive among the requests of a wait that is held? */
static bool waits_for_held(const holding *h, const anypi_op *wait)
{
    for (int i = wait->first; i < wait->first + wait->count; i++)
        if (h->began[i] >= 0 && h->held[h->began[i]] >= 0 &&
            h->program->ops[h->began[i]].kind == ANYPI_OP_RECEIVE)
            return true;
    return false;
}

/* Finds the receives that are held. Of a reduction of two received operands, one is. */
static bool find_held(holding *h)
{
    const anypi_program *p = h->program;
    bool any = false;
    for (int i = 0; i < p->count; i++)
        h->held[i] = -1;
    for (int i = 0; i < p->count; i++) {
        const int reader = p->ops[i].kind == ANYPI_OP_RECEIVE ? reader_of(h, i) : -1;
        if (reader < 0 || h->held[reader] >= 0)
            continue;
        h->held[i] = reader;
        h->held[reader] = i;
        any = true;
    }
    return any;
}

static void rewrite(holding *h)
{
    const anypi_program *p = h->program;
    for (int i = 0; i < p->requests; i++)
        h->began[i] = -1;
    for (int i = 0; i < p->count; i++) {
        const anypi_op *op = &p->ops[i];
        anypi_op new = *op;
        add_late(h, op);
        if (op->kind == ANYPI_OP_WAIT && waits_for_held(h, op)) {
            new.kind = ANYPI_OP_WAIT_RECEIVED;
            h->late[h->late_count++] = *op;
        } else if (op->kind == ANYPI_OP_RECEIVE && h->held[i] >= 0) {
            new.kind = ANYPI_OP_HOLD;
        } else if (is_reduction(op) && h->held[i] >= 0) {
            const anypi_op *receive = &p->ops[h->held[i]];
            const bool right = op->to_area == receive->to_area && op->to == receive->to;
            new.kind = right ? ANYPI_OP_REDUCE_RIGHT : ANYPI_OP_REDUCE_LEFT;
            new.first = receive->first;
        }
        if (op->kind == ANYPI_OP_SEND || op->kind == ANYPI_OP_RECEIVE)
            h->began[op->first] = i;
        add(h, new);
    }
    add_late(h, NULL);
}

anyp_status anypi_program_let_hold(anypi_program *program, bool overlaid)
{
    const size_t count = (size_t) program->count;
    bool reduces = false;
    for (int i = 0; i < program->count; i++)
        reduces = reduces || is_reduction(&program->ops[i]);
    if (!reduces)
        return ANYP_SUCCESS;
    holding h = { .program = program, .overlaid = overlaid };
    h.ops = anypi_realloc(NULL, 2 * count * sizeof *h.ops);
    h.late = anypi_realloc(NULL, count * sizeof *h.late);
    h.held = anypi_realloc(NULL, count * sizeof *h.held);
    h.began = anypi_realloc(NULL, ((size_t) program->requests + 1) * sizeof *h.began);
    const bool room = h.ops && h.late && h.held && h.began;
    if (room && find_held(&h)) {
        rewrite(&h);
        anypi_op *const old = program->ops;
        anypi_op *const trimmed = anypi_realloc(h.ops, (size_t) h.count * sizeof *h.ops);
        program->ops = trimmed ? trimmed : h.ops;
        program->room = program->count = h.count;
        h.ops = old;
    }
    anypi_free(h.ops);
    anypi_free(h.late);
    anypi_free(h.held);
    anypi_free(h.began);
    return room ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
}

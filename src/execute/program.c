/* SPDX-License-Identifier: BSD-3-Clause */
#include "execute/program.h"

#include "schedule/early.h"
#include "schedule/memory.h"
#include "schedule/collectives.h"

void anypi_program_init(anypi_program *program)
{
    *program = (anypi_program) { .holders = 1 };
}

void anypi_program_free(anypi_program *program)
{
    anypi_free(program->ops);
    anypi_free(program->starts);
    anypi_program_init(program);
}

size_t anypi_program_size(const anypi_program *program)
{
    return (size_t) program->room * sizeof *program->ops +
        (size_t) program->starts_room * sizeof *program->starts;
}

anypi_program *anypi_program_new(void)
{
    anypi_program *program = anypi_realloc(NULL, sizeof *program);
    if (program)
        anypi_program_init(program);
    return program;
}

anypi_program *anypi_program_hold(anypi_program *program)
{
    atomic_fetch_add_explicit(&program->holders, 1, memory_order_relaxed);
    return program;
}

/* What a holder has read is read before another one frees or writes it. */
void anypi_program_release(anypi_program *program)
{
    if (program && atomic_fetch_sub_explicit(&program->holders, 1, memory_order_acq_rel) == 1) {
        anypi_program_free(program);
        anypi_free(program);
    }
}

bool anypi_program_own(anypi_program **program)
{
    if (*program && atomic_load_explicit(&(*program)->holders, memory_order_acquire) == 1)
        return true;
    anypi_program_release(*program);
    *program = anypi_program_new();
    return *program != NULL;
}

anypi_shape anypi_shape_of(const anyp_call *call, int blocks, const int64_t *starts,
                           anypi_element element)
{
    anypi_shape shape = {
        .vector = { .blocks = blocks, .count = call->count, .starts = starts }, .element = element,
    };
    if (anypi_scatters(call)) {
        shape.out = anypi_block_start(&shape.vector, call->rank);
        shape.overlaid = anypi_overlays(call);
    }
    shape.gaps_in = call->gaps_in;
    shape.gaps_out = call->gaps_out;
    if (anypi_gathers(call))
        shape.in = anypi_block_start(&shape.vector, call->rank);
    return shape;
}

/* ---- locations ---- */

/* The location of a buffer in its area. */
typedef struct location {
    anypi_area area;
    int64_t offset;             /* bytes to its first element */
    int64_t origin;             /* the index of that element in the vector */
    int64_t gap;                /* elements of each copy of the vector that it leaves out; */
    int window;                 /* if any, the block that a copy begins with */
} location;

/* The state of making a program. The requests of a round are in slot round mod `slots`. */
typedef struct making {
    anypi_program *program;
    const anyp_schedule *schedule;
    anypi_layout layout;
    const anypi_shape *shape;
    location locations[ANYP_BUFFERS];
    int maximum, slots;         /* messages of a round, rounds that have requests at a time */
    int begun, started;         /* rounds whose messages have begun; were started */
    int received;               /* receives of the next round that have begun; -1: not yet */
    int under_way[ANYP_MAX_OVERLAP + 2];        /* messages in each slot */
} making;

/* Places the scratch buffers one after the other. Returns their bytes; -1 on overflow. */
static int64_t place_scratch(making *m, const anypi_element *element)
{
    const int64_t mask = ANYPI_SCRATCH_ALIGNMENT - 1;
    int64_t end = 0;
    for (int k = 0; k < m->schedule->scratch_count; k++) {
        const int64_t elements = anypi_scratch_elements(m->schedule, &m->layout, k);
        const int64_t gap = anypi_scratch_gap(m->schedule, &m->layout, k);
        int64_t last = 0;       /* the last element, in bytes from the first */
        if (elements > 0 && __builtin_mul_overflow(elements - 1, element->extent, &last))
            return -1;
        const int64_t before = (last < 0 ? last : 0) + element->low;
        const int64_t behind = (last > 0 ? last : 0) + element->high;
        int64_t offset;
        if (__builtin_sub_overflow(end, before, &offset) ||
            __builtin_add_overflow(offset, mask, &offset))
            return -1;
        offset &= ~mask;
        const int window = m->schedule->scratch[k].window_first;
        m->locations[ANYP_SCRATCH + k] = (location) {
            .area = ANYPI_AREA_SCRATCH, .offset = offset, .gap = gap, .window = window,
            .origin = anypi_gapped_start(&m->layout.scratch, m->schedule->scratch[k].first, window,
                                         gap),
        };
        if (elements > 0 && __builtin_add_overflow(offset, behind, &end))
            return -1;
    }
    return end;
}

static int64_t offset_of(const making *m, anyp_slice slice)
{
    const location *buffer = &m->locations[slice.buffer];
    const int64_t start = anypi_gapped_start(anypi_partition_of(&m->layout, slice.buffer),
                                             slice.first, buffer->window, buffer->gap);
    return buffer->offset + (start - buffer->origin) * m->program->extent;
}

/* ---- operations ---- */

/* reserve() has made room. */
static void add(making *m, anypi_op op)
{
    m->program->ops[m->program->count++] = op;
}

/* Messages without elements are omitted at both ends, since both know the sizes. */
static int add_message(making *m, const anyp_step *step, int request)
{
    const bool sends = step->kind == ANYP_SEND;
    const anyp_slice slice = sends ? step->from : step->to;
    anypi_op op = { .kind = sends ? ANYPI_OP_SEND : ANYPI_OP_RECEIVE, .peer = step->peer,
                    .first = request, .elements = anypi_slice_elements(&m->layout, slice) };
    if (op.elements == 0)
        return 0;
    if (sends) {
        op.from_area = (unsigned char) m->locations[slice.buffer].area;
        op.from = offset_of(m, slice);
    } else {
        op.to_area = (unsigned char) m->locations[slice.buffer].area;
        op.to = offset_of(m, slice);
    }
    add(m, op);
    return 1;
}

static bool has_gaps(const making *m, int buffer)
{
    return (buffer == ANYP_IN && m->shape->gaps_in) || (buffer == ANYP_OUT && m->shape->gaps_out);
}

static void add_local(making *m, const anyp_step *step)
{
    const int64_t elements = anypi_slice_elements(&m->layout, step->to);
    if (elements > 0)
        add(m, (anypi_op) {
            .kind = step->kind != ANYP_COPY ? ANYPI_OP_REDUCE
                : has_gaps(m, step->from.buffer) ? ANYPI_OP_PACK
                : has_gaps(m, step->to.buffer) ? ANYPI_OP_UNPACK : ANYPI_OP_COPY,
            .first = step->to.first, .count = step->to.end - step->to.first,
            .from_area = (unsigned char) m->locations[step->from.buffer].area,
            .to_area = (unsigned char) m->locations[step->to.buffer].area,
            .elements = elements, .from = offset_of(m, step->from), .to = offset_of(m, step->to),
        });
}

static int first_request(const making *m, int round)
{
    return round % m->slots * m->maximum;
}

static void add_requests(making *m, anypi_op_kind kind, int round, int count)
{
    if (count > 0)
        add(m, (anypi_op) { .kind = (unsigned char) kind, .first = first_request(m, round),
                            .count = count });
}

/* A round's messages of a kind, after `count` others; returns how many there are then. */
static int add_messages(making *m, int round, anyp_step_kind kind, int count)
{
    const anyp_step *const end = anypi_round_begin(m->schedule, round + 1);
    for (const anyp_step *step = anypi_round_begin(m->schedule, round); step < end; step++)
        if (step->kind == kind)
            count += add_message(m, step, first_request(m, round) + count);
    return count;
}

/* Begins the next round, or what has not yet begun of it. Receives come first, so that they
 * are posted when messages arrive. */
static void begin_round(making *m)
{
    const int received = m->received >= 0 ? m->received
        : add_messages(m, m->begun, ANYP_RECV, 0);
    m->under_way[m->begun % m->slots] = add_messages(m, m->begun, ANYP_SEND, received);
    m->received = -1;
    m->begun++;
}

/* Starts the last round that has begun: those before it are started already. */
static void start_rounds(making *m)
{
    if (m->started < m->begun)
        add_requests(m, ANYPI_OP_START, m->begun - 1, m->under_way[(m->begun - 1) % m->slots]);
    m->started = m->begun;
}

/* May the next round begin while those from `round` on are under way? */
static bool next_overlaps(const making *m, int round)
{
    if (m->begun >= m->schedule->rounds || m->begun > round + m->schedule->overlap)
        return false;
    for (int other = round; other < m->begun; other++)
        if (!anypi_messages_early(m->schedule, other, m->begun, m->shape->overlaid))
            return false;
    return true;
}

/* The next round's receives begin before local steps that write this many bytes or more, which take
 * some time. Others stay with the round's sends, since a transport may have one call for both. */
enum { EARLY_MINIMUM = 4096 };

/* Bytes that a round's local steps write. */
static int64_t local_bytes(const making *m, int round)
{
    const anyp_step *const end = anypi_round_begin(m->schedule, round + 1);
    int64_t elements = 0;
    for (const anyp_step *step = anypi_round_begin(m->schedule, round); step < end; step++)
        if (step->kind == ANYP_REDUCE_LOCAL || step->kind == ANYP_COPY)
            elements += anypi_slice_elements(&m->layout, step->to);
    return elements * (m->program->extent < 0 ? -m->program->extent : m->program->extent);
}

/* The receives of the next round begin before this one's local steps where possible and where these
 * take some time; whole rounds overlap as far as the schedule says. */
static void add_rounds(making *m)
{
    const anyp_schedule *schedule = m->schedule;
    for (int round = 0; round < schedule->rounds; round++) {
        if (m->begun == round)
            begin_round(m);
        while (next_overlaps(m, round)) {
            start_rounds(m);
            begin_round(m);
        }
        if (m->begun > round + 1)
            start_rounds(m);
        add_requests(m, ANYPI_OP_WAIT, round, m->under_way[round % m->slots]);
        m->started = m->started > round ? m->started : round + 1;
        if (m->begun == round + 1 && m->begun < schedule->rounds &&
            local_bytes(m, round) >= EARLY_MINIMUM &&
            anypi_receives_early(schedule, round, m->begun, m->shape->overlaid)) {
            m->received = add_messages(m, m->begun, ANYP_RECV, 0);
            add_requests(m, ANYPI_OP_START, m->begun, m->received);
        }
        const anyp_step *const end = anypi_round_begin(schedule, round + 1);
        for (const anyp_step *step = anypi_round_begin(schedule, round); step < end; step++)
            if (step->kind == ANYP_REDUCE_LOCAL || step->kind == ANYP_COPY)
                add_local(m, step);
    }
}

/* The maximum number of messages of a round. */
static int maximum_messages(const anyp_schedule *schedule)
{
    int maximum = 0;
    for (int round = 0; round < schedule->rounds; round++) {
        const anyp_step *const end = anypi_round_begin(schedule, round + 1);
        int messages = 0;
        for (const anyp_step *step = anypi_round_begin(schedule, round); step < end; step++)
            messages += step->kind == ANYP_SEND || step->kind == ANYP_RECV;
        maximum = messages > maximum ? messages : maximum;
    }
    return maximum;
}

/* ---- memory ---- */

/* Makes room for all operations: for each round a wait, and a start of its receives, of all its
 * messages, or both. Returns false if there is no memory. */
static bool reserve(anypi_program *program, const anyp_schedule *schedule,
                    const anypi_partition *vector)
{
    const int64_t maximum = schedule->steps_count + 3 * (int64_t) schedule->rounds;
    anypi_op *ops = anypi_reserve(program->ops, &program->room, maximum, sizeof *ops);
    if (!ops)
        return false;
    program->ops = ops;
    if (!anypi_layout_needs_starts(schedule, vector))
        return true;
    int64_t *starts = anypi_reserve(program->starts, &program->starts_room,
                                    (int64_t) schedule->blocks + 1, sizeof *starts);
    if (starts)
        program->starts = starts;
    return starts != NULL;
}

anyp_status anypi_program_make(anypi_program *program, const anyp_schedule *schedule,
                               const anypi_shape *shape)
{
    program->count = 0;
    program->requests = 0;
    program->scratch = 0;
    program->extent = shape->element.extent;
    if (!reserve(program, schedule, &shape->vector))
        return ANYP_ERR_MEMORY;
    making m = {
        .program = program, .schedule = schedule, .shape = shape,
        .layout = anypi_layout_of(schedule, &shape->vector, program->starts),
        .locations = { [ANYP_IN] = { .area = ANYPI_AREA_IN, .origin = shape->in },
                    [ANYP_OUT] = { .area = ANYPI_AREA_OUT, .origin = shape->out } },
        .maximum = maximum_messages(schedule), .slots = schedule->overlap + 2, .received = -1,
    };
    program->scratch = place_scratch(&m, &shape->element);
    if (program->scratch < 0)
        return ANYP_SUCCESS;
    program->requests = m.slots * m.maximum;
    add_rounds(&m);
    return ANYP_SUCCESS;
}

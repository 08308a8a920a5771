/* SPDX-License-Identifier: BSD-3-Clause
 *
 * compile.c - makes the program of a schedule.
 */
#include "execute/program.h"

#include "schedule/early.h"
#include "schedule/memory.h"

#include <string.h>

/* ---- locations ---- */

/* The location of a buffer in its area. */
typedef struct location {
    anypi_area area;
    int64_t offset;             /* bytes to its first element */
    int64_t origin;             /* the index of that element in the vector */
    int64_t gap;                /* elements that the scratch window omits */
    int window, period;         /* of each `period` blocks; its first block */
} location;

/* A message of a round: a SEND or RECV step. Several small ones to one peer are joined. */
typedef struct piece {
    int64_t elements;           /* 0: both ends omit it, unless the call has no data; -1: the step
                                 * is of another kind */
    int first, next;            /* if the piece is small: the steps of the first piece of its
                                 * message and of the next one; 0: it is the last one */
    int count;                  /* in the first piece: number of pieces, */
    int64_t all;                /* and the sum of their elements */
} piece;

/* The state of making a program. The requests of round r are in slot r mod `slots`. */
typedef struct making {
    anypi_program *program;
    const anyp_schedule *schedule;
    anypi_layout layout;
    const anypi_placement *vector;
    location locations[ANYP_BUFFERS];
    int maximum, slots;         /* maximum messages of a round; number of rounds that have
                                 * requests at the same time */
    piece *pieces;              /* for each step of a round, for one kind of message */
    int *last;                  /* for each peer: the last step that was a small piece */
    int joins;                  /* total number of messages of joined pieces */
    int64_t join_offset;        /* offset in scratch of the room for joined pieces: a part for each
                                 * slot, */
    int64_t join_room;          /* of this many elements */
    int begun, started;         /* number of rounds whose messages have begun; were started */
    int received;               /* number of the next round's receives that have begun; -1: none */
    int under_way[ANYP_MAX_OVERLAP + 2];        /* messages in each slot */
    int64_t joined[ANYP_MAX_OVERLAP + 2];       /* offset of the next joined piece of each slot */
} making;

/* Reserves scratch for elements after *end, and moves *end behind them. Sets *offset to the first
 * element's. Returns false if an offset overflows. */
static bool place(const anypi_element *element, int64_t elements, int64_t *end, int64_t *offset)
{
    const int64_t mask = ANYPI_SCRATCH_ALIGNMENT - 1;
    int64_t last = 0;           /* offset of the last element from the first, in bytes */
    if (elements > 1) {
        const int64_t most = INT64_MAX / (elements - 1);
        if (element->extent > most || element->extent < -most)
            return false;
        last = (elements - 1) * element->extent;
    }
    const int64_t before = (last < 0 ? last : 0) + element->low;
    const int64_t after = (last > 0 ? last : 0) + element->high;
    if (*end > INT64_MAX - mask + (before < 0 ? before : 0))
        return false;
    *offset = (*end - before + mask) & ~mask;
    if (elements == 0)
        return true;
    if (*offset > 0 && after > INT64_MAX - *offset)
        return false;
    *end = *offset + after;
    return true;
}

/* Reserves the scratch buffers one after the other, and then the room for joined pieces. Returns
 * their bytes, or -1 on overflow. */
static int64_t place_scratch(making *m, const anypi_element *element)
{
    int64_t end = 0;
    for (int k = 0; k < m->schedule->scratch_count; k++) {
        const int64_t elements = anypi_scratch_elements(m->schedule, &m->layout, k);
        const int64_t gap = anypi_scratch_gap(m->schedule, &m->layout, k);
        const int window = m->schedule->scratch[k].window_first;
        const int period = m->schedule->scratch[k].period;
        location *its = &m->locations[ANYP_SCRATCH + k];
        *its = (location) {
            .area = ANYPI_AREA_SCRATCH, .gap = gap, .window = window, .period = period,
            .origin = anypi_gapped_start(&m->layout.scratch, m->schedule->scratch[k].first, window,
                                         period, gap),
        };
        if (!place(element, elements, &end, &its->offset))
            return -1;
    }
    if (m->join_room > INT64_MAX / m->slots ||
        !place(element, m->join_room * m->slots, &end, &m->join_offset))
        return -1;
    return end;
}

static int64_t offset_of(const making *m, anyp_slice slice)
{
    const location *buffer = &m->locations[slice.buffer];
    const int64_t start = anypi_gapped_start(anypi_partition_of(&m->layout, slice.buffer),
                                             slice.first, buffer->window, buffer->period,
                                             buffer->gap);
    return buffer->offset + (start - buffer->origin) * m->program->extent;
}

/* ---- operations ---- */

/* Adds an operation; reserve() has made room. */
static void add(making *m, anypi_op op)
{
    m->program->ops[m->program->count++] = op;
}

static anyp_slice slice_of(const anyp_step *message)
{
    return message->kind == ANYP_SEND ? message->from : message->to;
}

/* Adds a message of elements at an offset of an area. */
static void add_message(making *m, const anyp_step *step, anypi_area area, int64_t offset,
                        int64_t elements, int request)
{
    const bool sends = step->kind == ANYP_SEND;
    anypi_op op = { .kind = sends ? ANYPI_OP_SEND : ANYPI_OP_RECEIVE, .peer = step->peer,
                    .first = request, .elements = elements };
    if (sends) {
        op.from_area = (unsigned char) area;
        op.from = offset;
    } else {
        op.to_area = (unsigned char) area;
        op.to = offset;
    }
    add(m, op);
}

/* ---- small pieces ---- */

/* Finds the small pieces among a round's messages of a kind. m->last needs no reset: entries of
 * earlier calls belong to another round or kind, or to step i or later. */
static void find_pieces(making *m, int round, anyp_step_kind kind)
{
    const anyp_step *steps = m->schedule->steps;
    const int base = m->schedule->round_start[round];
    for (int i = base; i < m->schedule->round_start[round + 1]; i++) {
        piece *its = &m->pieces[i - base];
        *its = (piece) { .elements = steps[i].kind != kind ? -1
                                     : anypi_slice_elements(&m->layout, slice_of(&steps[i])) };
        if (its->elements <= 0 || its->elements > m->vector->joined)
            continue;
        int *last = &m->last[steps[i].peer];
        piece *first = its;
        if (*last >= base && *last < i && steps[*last].kind == kind) {
            piece *before = &m->pieces[*last - base];
            before->next = i;
            its->first = before->first;
            first = &m->pieces[before->first - base];
        } else {
            its->first = i;
        }
        first->count++;
        first->all += its->elements;
        *last = i;
    }
}

/* Adds copies between the small pieces of a message, beginning with step i, and their joined form
 * at `place`. */
static void copy_pieces(making *m, int round, int i, int64_t place)
{
    const piece *its;
    do {
        its = &m->pieces[i - m->schedule->round_start[round]];
        const anyp_step *step = &m->schedule->steps[i];
        const unsigned char area = (unsigned char) m->locations[slice_of(step).buffer].area;
        anypi_op op = { .kind = ANYPI_OP_COPY, .elements = its->elements, .from_area = area,
                        .to_area = area, .from = place, .to = place };
        if (step->kind == ANYP_SEND) {
            op.from = offset_of(m, slice_of(step));
            op.to_area = ANYPI_AREA_SCRATCH;
        } else {
            op.to = offset_of(m, slice_of(step));
            op.from_area = ANYPI_AREA_SCRATCH;
        }
        add(m, op);
        place += its->elements * m->program->extent;
        i = its->next;
    } while (i);
}

/* Returns the offset of a round's joined pieces; the received ones come first. */
static int64_t join_place(const making *m, int round)
{
    return m->join_offset + round % m->slots * m->join_room * m->program->extent;
}

/* Adds copies of the joined pieces that a round has received to their places. */
static void part_pieces(making *m, int round)
{
    const int base = m->schedule->round_start[round];
    int64_t place = join_place(m, round);
    find_pieces(m, round, ANYP_RECV);
    for (int i = base; i < m->schedule->round_start[round + 1]; i++)
        if (m->pieces[i - base].count > 1) {
            copy_pieces(m, round, i, place);
            place += m->pieces[i - base].all * m->program->extent;
        }
}

/* Finds how much room is needed for joined pieces and for requests. */
static void measure_messages(making *m)
{
    for (int round = 0; round < m->schedule->rounds; round++) {
        const int steps = m->schedule->round_start[round + 1] - m->schedule->round_start[round];
        int messages = 0;
        int64_t room = 0;
        for (int kind = ANYP_SEND; kind <= ANYP_RECV; kind++) {
            find_pieces(m, round, (anyp_step_kind) kind);
            for (int i = 0; i < steps; i++) {
                const piece *one = &m->pieces[i];
                messages += one->elements > m->vector->joined || one->count > 0;
                m->joins += one->count > 1;
                room += one->count > 1 ? one->all : 0;
            }
        }
        m->maximum = messages > m->maximum ? messages : m->maximum;
        m->join_room = room > m->join_room ? room : m->join_room;
    }
}

/* ---- rounds ---- */

static bool has_gaps(const making *m, int buffer)
{
    return (buffer == ANYP_IN && m->vector->gaps_in) || (buffer == ANYP_OUT && m->vector->gaps_out);
}

static void add_local(making *m, const anyp_step *step)
{
    const int64_t elements = anypi_slice_elements(&m->layout, step->to);
    const int parts = m->vector->parts > 1 ? m->vector->parts : 1;
    if (elements > 0)
        add(m, (anypi_op) {
            .kind = step->kind != ANYP_COPY ? ANYPI_OP_REDUCE
                : has_gaps(m, step->from.buffer) ? ANYPI_OP_PACK
                : has_gaps(m, step->to.buffer) ? ANYPI_OP_UNPACK : ANYPI_OP_COPY,
            .first = (step->to.buffer < ANYP_SCRATCH ? step->to : step->from).first / parts,
            .count = (step->to.end - step->to.first) / parts,
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

/* Adds a round's messages of a kind. `count` is the number of the round's messages before that;
 * returns the number afterwards. */
static int add_messages(making *m, int round, anyp_step_kind kind, int count)
{
    const int base = m->schedule->round_start[round], request = first_request(m, round);
    int64_t *joined = &m->joined[round % m->slots];
    if (kind == ANYP_RECV)
        *joined = join_place(m, round);
    find_pieces(m, round, kind);
    for (int i = base; i < m->schedule->round_start[round + 1]; i++) {
        const anyp_step *step = &m->schedule->steps[i];
        const piece *its = &m->pieces[i - base];
        if (its->elements > m->vector->joined || its->count == 1) {
            add_message(m, step, m->locations[slice_of(step).buffer].area,
                        offset_of(m, slice_of(step)), its->elements, request + count++);
        } else if (its->count > 1) {
            if (kind == ANYP_SEND)
                copy_pieces(m, round, i, *joined);
            add_message(m, step, ANYPI_AREA_SCRATCH, *joined, its->all, request + count++);
            *joined += its->all * m->program->extent;
        }
    }
    return count;
}

/* Begins the remaining messages of the next round. Receives come first, so that they are posted
 * before messages arrive. */
static void begin_round(making *m)
{
    const int received = m->received >= 0 ? m->received
        : add_messages(m, m->begun, ANYP_RECV, 0);
    m->under_way[m->begun % m->slots] = add_messages(m, m->begun, ANYP_SEND, received);
    m->received = -1;
    m->begun++;
}

/* Starts the last round that has begun; the earlier ones are started already. */
static void start_rounds(making *m)
{
    if (m->started < m->begun)
        add_requests(m, ANYPI_OP_START, m->begun - 1, m->under_way[(m->begun - 1) % m->slots]);
    m->started = m->begun;
}

/* Returns whether the next round may begin while rounds from `round` on are under way. */
static bool next_overlaps(const making *m, int round)
{
    if (m->begun >= m->schedule->rounds || m->begun > round + m->schedule->overlap)
        return false;
    for (int other = round; other < m->begun; other++)
        if (!anypi_begins_early(m->schedule, other, m->begun, false, m->vector->overlaid))
            return false;
    return true;
}

/* If a round's local steps write at least this many bytes, they take some time, and the next
 * round's receives begin before them. Otherwise these receives begin with the round's sends,
 * because a transport may have one call for both. */
enum { EARLY_MINIMUM = 4096 };

/* Returns the bytes that a round's local steps write. */
static int64_t local_bytes(const making *m, int round)
{
    const anyp_step *const end = anypi_round_begin(m->schedule, round + 1);
    int64_t elements = 0;
    for (const anyp_step *step = anypi_round_begin(m->schedule, round); step < end; step++)
        if (step->kind == ANYP_REDUCE_LOCAL || step->kind == ANYP_COPY)
            elements += anypi_slice_elements(&m->layout, step->to);
    return elements * (m->program->extent < 0 ? -m->program->extent : m->program->extent);
}

/* Adds all rounds. Whole rounds overlap as far as the schedule allows. Otherwise the receives of
 * the next round begin before the local steps of the present one, if this is possible and the steps
 * take some time. */
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
        part_pieces(m, round);
        m->started = m->started > round ? m->started : round + 1;
        if (m->begun == round + 1 && m->begun < schedule->rounds &&
            local_bytes(m, round) >= EARLY_MINIMUM &&
            anypi_begins_early(schedule, round, m->begun, true, m->vector->overlaid)) {
            m->received = add_messages(m, m->begun, ANYP_RECV, 0);
            add_requests(m, ANYPI_OP_START, m->begun, m->received);
        }
        const anyp_step *const end = anypi_round_begin(schedule, round + 1);
        for (const anyp_step *step = anypi_round_begin(schedule, round); step < end; step++)
            if (step->kind == ANYP_REDUCE_LOCAL || step->kind == ANYP_COPY)
                add_local(m, step);
    }
}

/* ---- memory ---- */

/* Makes room for all operations. Each round needs a wait, and a start of its receives, of all its
 * messages, or both. Each message of joined pieces needs one more operation. Returns false if there
 * is no memory. */
static bool reserve(making *m)
{
    anypi_program *program = m->program;
    const int64_t maximum = m->schedule->steps_count + 3 * (int64_t) m->schedule->rounds + m->joins;
    anypi_op *ops = anypi_reserve(program->ops, &program->room, maximum, sizeof *ops);
    if (ops)
        program->ops = ops;
    return ops != NULL;
}

/* Frees the unused room, because thousands of communicators may keep a program. */
static void trim(anypi_program *program)
{
    if (program->count == 0 || program->count == program->room)
        return;
    anypi_op *ops = anypi_realloc(program->ops, (size_t) program->count * sizeof *ops);
    if (ops) {
        program->ops = ops;
        program->room = program->count;
    }
}

/* Allocates memory for the pieces of any round; free it by m->pieces. Returns false if there is
 * none. */
static bool open_pieces(making *m)
{
    const anyp_schedule *schedule = m->schedule;
    int steps = 0;
    for (int round = 0; round < schedule->rounds; round++) {
        const int its = schedule->round_start[round + 1] - schedule->round_start[round];
        steps = its > steps ? its : steps;
    }
    if (steps == 0)
        return true;
    m->pieces = anypi_realloc(NULL, (size_t) steps * sizeof *m->pieces +
                              (size_t) schedule->p * sizeof *m->last);
    if (!m->pieces)
        return false;
    m->last = (int *) (void *) (m->pieces + steps);
    memset(m->last, 0xff, (size_t) schedule->p * sizeof *m->last);
    return true;
}

anyp_status anypi_program_make(anypi_program *program, const anyp_schedule *schedule,
                               const anypi_placement *vector)
{
    program->count = 0;
    program->requests = 0;
    program->scratch = 0;
    program->extent = vector->element.extent;
    int64_t *starts = NULL;     /* of the layout, which may have far more blocks than operations */
    if (anypi_layout_needs_starts(schedule, &vector->partition)) {
        starts = anypi_realloc(NULL, ((size_t) schedule->blocks + 1) * sizeof *starts);
        if (!starts)
            return ANYP_ERR_MEMORY;
    }
    making m = {
        .program = program, .schedule = schedule, .vector = vector,
        .layout = anypi_layout_of(schedule, &vector->partition, starts),
        .locations = { [ANYP_IN] = { .area = ANYPI_AREA_IN, .origin = vector->in },
                    [ANYP_OUT] = { .area = ANYPI_AREA_OUT, .origin = vector->out } },
        .slots = schedule->overlap + 2, .received = -1,
    };
    bool room = open_pieces(&m);
    if (room) {
        measure_messages(&m);
        room = reserve(&m);
        program->scratch = place_scratch(&m, &vector->element);
    }
    if (room && program->scratch >= 0) {
        program->requests = m.slots * m.maximum;
        add_rounds(&m);
        trim(program);
    }
    anypi_free(m.pieces);
    anypi_free(starts);
    return room ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_resume.c - programs of all ranks in one process, of which each stops where its messages are
 * not complete and continues later, in random turns: as nonblocking collectives do.
 */
#include "unit/common.h"

#include "execute/program.h"
#include "schedule/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- messages between the ranks ---- */

enum { MOST_RANKS = 13, WORDS = 4, MOST_ELEMENTS = 160 };

typedef struct quad {
    uint32_t word[WORDS];
} quad;

typedef struct message {
    quad *data;
    int64_t elements;
} message;

/* From one rank to another, in the order of sending. */
typedef struct channel {
    message *messages;
    int sent, room, received;   /* received: receives that were posted */
} channel;

typedef struct world {
    channel channels[MOST_RANKS][MOST_RANKS];
    bool commutative;
    long steps;                 /* what the transports were asked to do */
    uint64_t random;
} world;

typedef struct anypi_request {
    channel *from;              /* NULL: a send, or complete */
    int turn;                   /* the message in the channel */
    char *to;
    int64_t elements;
} anypi_request;

/* Some elements of a caller's memory, each `stride` after the other. */
typedef struct caller {
    quad *first;
    int64_t count, stride;
} caller;

typedef struct anypi_transport {
    world *all;
    int rank;
    caller input, output;
    int64_t block;              /* elements of each rank's; 0: blocks are not ranks' */
} anypi_transport;

static inline void anypi_transport_send(anypi_transport *transport, int peer, const char *from,
                                        int64_t elements, anypi_request *request)
{
    channel *to = &transport->all->channels[transport->rank][peer];
    transport->all->steps++;
    to->messages = anypi_grow(to->messages, &to->room, to->sent, sizeof *to->messages);
    message *m = &to->messages[to->sent++];
    m->data = malloc((size_t) elements * sizeof(quad));
    m->elements = elements;
    memcpy(m->data, from, (size_t) elements * sizeof(quad));
    request->from = NULL;
}

static inline void anypi_transport_receive(anypi_transport *transport, int peer, char *to,
                                           int64_t elements, anypi_request *request)
{
    channel *from = &transport->all->channels[peer][transport->rank];
    transport->all->steps++;
    *request = (anypi_request) { .from = from, .turn = from->received++, .to = to,
                                 .elements = elements };
}

static inline void anypi_transport_start(anypi_transport *transport, anypi_request *requests,
                                         int count)
{
    (void) transport, (void) requests, (void) count;
}

/* Those that are complete stay so. */
static inline bool anypi_transport_wait(anypi_transport *transport, anypi_request *requests,
                                        int count)
{
    (void) transport;
    for (int i = 0; i < count; i++) {
        const channel *from = requests[i].from;
        if (from && requests[i].turn >= from->sent)
            return false;
        if (from) {
            const message *m = &from->messages[requests[i].turn];
            assert_often(m->elements == requests[i].elements, "a message has another length");
            memcpy(requests[i].to, m->data, (size_t) m->elements * sizeof(quad));
            requests[i].from = NULL;
        }
    }
    return true;
}

/* right = left (+) right */
static void combine(bool commutative, const quad *left, quad *right)
{
    const quad r = *right;
    const uint32_t *const l = left->word;
    if (commutative) {
        for (int i = 0; i < WORDS; i++)
            right->word[i] += l[i];
        return;
    }
    for (int row = 0; row < 4; row += 2)
        for (int column = 0; column < 2; column++)
            right->word[row + column] =
                l[row] * r.word[column] + l[row + 1] * r.word[2 + column];
}

static inline void anypi_transport_reduce(anypi_transport *transport, const char *from, char *to,
                                          int64_t elements)
{
    transport->all->steps++;
    for (int64_t i = 0; i < elements; i++)
        combine(transport->all->commutative, (const quad *) (const void *) from + i,
                (quad *) (void *) to + i);
}

static inline void anypi_transport_copy(anypi_transport *transport, const char *from, char *to,
                                        int64_t elements)
{
    transport->all->steps++;
    memcpy(to, from, (size_t) elements * sizeof(quad));
}

static inline void anypi_transport_pack(anypi_transport *transport, char *to)
{
    const caller *from = &transport->input;
    transport->all->steps++;
    for (int64_t i = 0; i < from->count; i++)
        ((quad *) (void *) to)[i] = from->first[i * from->stride];
}

static inline void anypi_transport_unpack(anypi_transport *transport, const char *from, int first,
                                          int end)
{
    const caller *to = &transport->output;
    const int64_t begin = transport->block ? first * transport->block : 0;
    const int64_t behind = transport->block ? end * transport->block : to->count;
    transport->all->steps++;
    for (int64_t i = begin; i < behind; i++)
        to->first[i * to->stride] = ((const quad *) (const void *) from)[i - begin];
}

#include "execute/execute.h"

/* ---- one collective ---- */

/* A rank's call. */
typedef struct process {
    anypi_transport transport;
    anypi_program program;
    anypi_request *requests;
    quad in[2 * MOST_ELEMENTS], out[2 * MOST_ELEMENTS];
    char *areas[ANYPI_AREAS];
    int next;
    bool done;
} process;

static quad input(int rank, int64_t i)
{
    const uint32_t n = (uint32_t) (1000 * rank + i);
    return (quad) { { n + 1, 3 * n + 2, n ^ 5, 7 * n + 4 } };
}

static void begin(process *one, world *all, const variant *v, int rank)
{
    anyp_call call = v->call;
    anyp_schedule schedule;
    call.rank = rank;
    call.in_place = anypi_set_in_place(&v->call, rank);
    if (anypi_moves(call.collective)) {         /* some ranks have other gaps than the others */
        call.gaps_in = call.gaps_in != (rank % 3 == 1) && !anypi_input_in_out(&call);
        call.gaps_out = call.gaps_out != (rank % 2 == 1);
    }
    anyp_schedule_init(&schedule);
    ck_assert_int_eq(anyp_generate(v->algorithm, &call, v->parameters, &schedule), ANYP_SUCCESS);
    const anypi_shape shape = anypi_shape_of(&call, schedule.blocks,
                                             (anypi_element) { 0, sizeof(quad),
                                                               sizeof(quad) });
    anypi_program_init(&one->program);
    ck_assert_int_eq(anypi_program_make(&one->program, &schedule, &shape), ANYP_SUCCESS);
    anyp_schedule_free(&schedule);
    one->requests = calloc((size_t) one->program.requests + 1, sizeof *one->requests);
    const bool in_out = anypi_input_in_out(&call);
    quad *const in = in_out ? one->out : one->in;
    const int64_t wide = 1 + (in_out ? call.gaps_out : call.gaps_in);
    const anyp_slice own = anypi_input_of(&call, rank, call.p);
    const int64_t block = call.count / call.p;
    memset(one->out, 0xee, sizeof one->out);
    for (int64_t i = 0; i < call.count; i++)
        in[i * wide] = input(rank, i);
    one->transport = (anypi_transport) {
        all, rank,
        { anypi_gathers(&call) ? in + rank * block * wide : in,
          anypi_gathers(&call) ? block : own.end > 0 ? call.count : 0, wide },
        { one->out, anypi_scatters(&call) ? block : call.count, 1 + call.gaps_out },
        anypi_gathers(&call) ? block : 0,
    };
    one->areas[ANYPI_AREA_IN] = (char *) one->transport.input.first;
    one->areas[ANYPI_AREA_OUT] = (char *) one->out;
    one->areas[ANYPI_AREA_SCRATCH] = malloc((size_t) one->program.scratch + 1);
    one->next = 0;
    one->done = false;
}

static void end(process *one)
{
    anypi_program_free(&one->program);
    free(one->requests);
    free(one->areas[ANYPI_AREA_SCRATCH]);
}

static int draw(world *all, int below)
{
    all->random = all->random * 6364136223846793005u + 1442695040888963407u;
    return (int) ((all->random >> 33) % (uint64_t) below);
}

static bool continue_one(process *one)
{
    return anypi_resume(&one->program, one->areas, &one->transport, one->requests, &one->next);
}

/* Random turns, until all are done; fails the test if no rank can continue. A second turn directly
 * after the first does nothing, since the caller may sleep until a message arrives. */
static void run_all(process *processes, int p, world *all, const variant *v)
{
    int left = p, idle = 0;
    while (left > 0) {
        process *one = &processes[idle < 4 * p ? draw(all, p) : idle % p];
        const int before = one->next;
        const bool done = one->done;
        one->done = continue_one(one);
        const long told = all->steps;
        assert_often(continue_one(one) == one->done && all->steps == told && one->done >= done,
                     "%s: a turn ends too early", variant_text(v));
        left -= one->done && !done;
        idle = one->next != before ? 0 : idle + 1;
        assert_often(idle < 6 * p, "%s: everybody waits", variant_text(v));
    }
}

static void check(const process *one, const variant *v)
{
    const anyp_call *call = &v->call;
    const int rank = one->transport.rank;
    const bool moves = anypi_moves(call->collective);
    const bool transposes = anypi_transposes(call->collective);
    int64_t first = 0, count = call->count;
    if (anypi_scatters(call)) {
        first = rank * (call->count / call->p);
        count = call->count / call->p;
    }
    if (!anypi_has_result(call, rank))
        count = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t block = call->count / call->p;
        quad sum = input(!moves ? call->p - 1 : anypi_distributes(call) ? call->root
                         : (int) (i / block), transposes ? rank * block + i % block : first + i);
        for (int r = call->p - 2; r >= 0 && !moves; r--) {
            const quad left = input(r, first + i);
            combine(call->commutative, &left, &sum);
        }
        assert_often(!memcmp(&one->out[i * one->transport.output.stride], &sum, sizeof sum),
                     "%s: rank %d, element %lld is wrong", variant_text(v), rank, (long long) i);
    }
}

static void run(const variant *v, void *state)
{
    static process processes[MOST_RANKS];
    static world all;
    uint64_t *random = state;
    const int p = v->call.p;
    if (v->call.count > MOST_ELEMENTS ||
        (anypi_has_blocks(v->call.collective) && v->call.count % p != 0))
        return;
    all = (world) { .commutative = v->call.commutative, .random = *random };
    for (int rank = 0; rank < p; rank++)
        begin(&processes[rank], &all, v, rank);
    run_all(processes, p, &all, v);
    for (int rank = 0; rank < p; rank++) {
        check(&processes[rank], v);
        end(&processes[rank]);
    }
    for (int from = 0; from < p; from++)
        for (int to = 0; to < p; to++) {
            channel *c = &all.channels[from][to];
            assert_often(c->received == c->sent, "%s: a message is lost", variant_text(v));
            for (int i = 0; i < c->sent; i++)
                free(c->messages[i].data);
            anypi_free(c->messages);
        }
    *random = all.random;
}

/* Every algorithm, by the registry. */
START_TEST(random_turns)
{
    int count;
    uint64_t random = 1;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int p = 1; p <= MOST_RANKS; p++)
        if (p < 10 || p == MOST_RANKS)
            each_variant(&algorithms[_i], p, run, &random);
}
END_TEST

Suite *suite_resume(void)
{
    TCase *tests;
    Suite *suite = suite_of("resume", &tests);
    int count;
    anyp_algorithms(&count);
    tcase_add_loop_test(tests, random_turns, 0, count);
    return suite;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit/world.h"

#include "execute/program.h"
#include "schedule/bracketing.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "schedule/partition.h"
#include "schedule/set.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- elements ---- */

enum { WORDS = 4 };

typedef struct item {
    uint32_t word[WORDS];       /* numbers, or a 2x2 matrix */
    uint32_t tree;              /* how it was added */
} item;

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 15;
}

/* If operands may be exchanged, the tree is the same after that. */
static uint32_t tree_of(bool commutative, uint32_t left, uint32_t right)
{
    return commutative ? mixed(mixed(left + 1) + mixed(right + 1))
        : mixed(left * 0x9e3779b1u + right * 0x85ebca77u + 1);
}

/* right = left (+) right */
static void combine(bool commutative, const item *left, item *right)
{
    const item r = *right;
    const uint32_t *const l = left->word;
    right->tree = tree_of(commutative, left->tree, r.tree);
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

static item input(int rank, int64_t i)
{
    const uint32_t n = (uint32_t) (1000 * rank + i);
    return (item) { { n + 1, 3 * n + 2, n ^ 5, 7 * n + 4 }, mixed((uint32_t) rank + 1) };
}

/* ---- messages between the ranks ---- */

typedef struct message {
    item *data;
    int64_t elements;
} message;

/* From one rank to another, in the order of sending. */
typedef struct channel {
    message *messages;
    int sent, room, received;   /* received: receives that were posted */
} channel;

typedef struct world {
    channel channels[WORLD_RANKS][WORLD_RANKS];
    bool commutative;
    long steps;                 /* what the transports were asked to do */
    uint64_t random;
    char *fault;                /* the first one; "": none */
    size_t size;
} world;

static void wrong(world *all, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void wrong(world *all, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (!*all->fault)
        vsnprintf(all->fault, all->size, format, arguments);
    va_end(arguments);
}

typedef struct anypi_request {
    channel *from;              /* NULL: a send, or complete */
    int turn;                   /* the message in the channel */
    char *to;
    int64_t elements;
} anypi_request;

/* Some elements of a caller's memory, each `stride` after the other. */
typedef struct caller {
    item *first;
    int64_t count, stride;
} caller;

typedef struct anypi_transport {
    world *all;
    const anyp_call *call;
    caller input, output;
} anypi_transport;

/* Where the block of rank i begins in the vector. */
static int64_t block_start(const anyp_call *call, int i)
{
    return call->starts ? call->starts[i] : anypi_balanced_start(call->count, i, call->p);
}

static inline void anypi_transport_send(anypi_transport *transport, int peer, const char *from,
                                        int64_t elements, anypi_request *request)
{
    channel *to = &transport->all->channels[transport->call->rank][peer];
    transport->all->steps++;
    to->messages = anypi_grow(to->messages, &to->room, to->sent, sizeof *to->messages);
    message *m = &to->messages[to->sent++];
    m->data = malloc((size_t) elements * sizeof(item));
    m->elements = elements;
    memcpy(m->data, from, (size_t) elements * sizeof(item));
    request->from = NULL;
}

static inline void anypi_transport_receive(anypi_transport *transport, int peer, char *to,
                                           int64_t elements, anypi_request *request)
{
    channel *from = &transport->all->channels[peer][transport->call->rank];
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
    for (int i = 0; i < count; i++) {
        const channel *from = requests[i].from;
        if (from && requests[i].turn >= from->sent)
            return false;
        if (from) {
            const message *m = &from->messages[requests[i].turn];
            const int64_t elements = m->elements < requests[i].elements ? m->elements
                : requests[i].elements;
            if (m->elements != requests[i].elements)
                wrong(transport->all, "a message has another length");
            memcpy(requests[i].to, m->data, (size_t) elements * sizeof(item));
            requests[i].from = NULL;
        }
    }
    return true;
}

static inline void anypi_transport_reduce(anypi_transport *transport, const char *from, char *to,
                                          int64_t elements)
{
    transport->all->steps++;
    for (int64_t i = 0; i < elements; i++)
        combine(transport->all->commutative, (const item *) (const void *) from + i,
                (item *) (void *) to + i);
}

static inline void anypi_transport_copy(anypi_transport *transport, const char *from, char *to,
                                        int64_t elements)
{
    transport->all->steps++;
    memcpy(to, from, (size_t) elements * sizeof(item));
}

static inline void anypi_transport_pack(anypi_transport *transport, char *to)
{
    const caller *from = &transport->input;
    transport->all->steps++;
    for (int64_t i = 0; i < from->count; i++)
        ((item *) (void *) to)[i] = from->first[i * from->stride];
}

static inline void anypi_transport_unpack(anypi_transport *transport, const char *from, int first,
                                          int end)
{
    const caller *to = &transport->output;
    const bool ranks = anypi_gathers(transport->call);
    const int64_t begin = ranks ? block_start(transport->call, first) : 0;
    const int64_t behind = ranks ? block_start(transport->call, end) : to->count;
    transport->all->steps++;
    for (int64_t i = begin; i < behind; i++)
        to->first[i * to->stride] = ((const item *) (const void *) from)[i - begin];
}

#include "execute/execute.h"

/* ---- one rank ---- */

typedef struct process {
    anypi_transport transport;
    anypi_program program;
    anypi_request *requests;
    item *in, *out;
    char *areas[ANYPI_AREAS];
    int next;
    bool done;
} process;

anyp_call world_call(const anyp_call *call, int rank)
{
    anyp_call own = *call;
    own.rank = rank;
    own.in_place = anypi_set_in_place(call, rank);
    return own;
}

/* The elements of a rank's input or result, and the first of them. */
static int64_t extent(const anyp_call *call, anyp_slice ranks, int64_t *first)
{
    const bool none = ranks.first == ranks.end;
    *first = none ? 0 : block_start(call, ranks.first);
    return none ? 0 : block_start(call, ranks.end) - *first;
}

/* Memory for `count` elements, each `stride` after the other, and none behind the last. */
static item *memory(int64_t count, int64_t stride)
{
    const size_t bytes = count > 0 ? (size_t) ((count - 1) * stride + 1) * sizeof(item) : 0;
    item *its = malloc(bytes + !bytes);
    memset(its, 0xee, bytes);
    return its;
}

static void begin(process *one, world *all, const anyp_schedule *schedule, const anyp_call *call)
{
    const anypi_placement vector = anypi_placement_of(
        call, schedule->blocks, (anypi_element) { 0, sizeof(item), sizeof(item) });
    const bool in_out = anypi_input_in_out(call);
    const int64_t wide_in = 1 + (in_out ? call->gaps_out : call->gaps_in);
    const int64_t wide_out = 1 + call->gaps_out;
    int64_t first_in, first_out;
    const int64_t count_in = extent(call, anypi_input_of(call, call->rank, call->p), &first_in);
    const int64_t count_out = extent(call, anypi_output_of(call, call->rank, call->p), &first_out);
    *one = (process) { .transport = { .all = all, .call = call } };
    anypi_program_init(&one->program);
    if (anypi_program_make(&one->program, schedule, &vector) != ANYP_SUCCESS)
        wrong(all, "no program");
    one->requests = calloc((size_t) one->program.requests + 1, sizeof *one->requests);
    if (in_out) {               /* one buffer, for the larger of the two */
        one->out = memory(count_in > count_out ? count_in : count_out, wide_out);
        one->transport.input.first = one->out + (anypi_gathers(call) ? first_in * wide_out : 0);
    } else {
        one->in = memory(count_in, wide_in);
        one->out = memory(count_out, wide_out);
        one->transport.input.first = one->in;
    }
    one->transport.input.count = count_in;
    one->transport.input.stride = wide_in;
    one->transport.output = (caller) { one->out, count_out, wide_out };
    for (int64_t i = 0; i < count_in; i++)
        one->transport.input.first[i * wide_in] = input(call->rank, first_in + i);
    one->areas[ANYPI_AREA_IN] = (char *) one->transport.input.first;
    one->areas[ANYPI_AREA_OUT] = (char *) one->out;
    one->areas[ANYPI_AREA_SCRATCH] = malloc((size_t) one->program.scratch + 1);
}

static void end(process *one)
{
    anypi_program_free(&one->program);
    free(one->requests);
    free(one->in);
    free(one->out);
    free(one->areas[ANYPI_AREA_SCRATCH]);
}

/* ---- all ranks ---- */

static int draw(world *all, int below)
{
    all->random = all->random * 6364136223846793005u + 1442695040888963407u;
    return (int) ((all->random >> 33) % (uint64_t) below);
}

static bool continue_one(process *one)
{
    return anypi_resume(&one->program, one->areas, &one->transport, one->requests, &one->next);
}

/* Random turns, until all are done or no rank can continue. A second turn directly after the first
 * does nothing, since the caller may sleep until a message arrives. */
static void run_all(process *processes, int p, world *all)
{
    int left = p, idle = 0;
    while (left > 0 && !*all->fault) {
        process *one = &processes[idle < 4 * p ? draw(all, p) : idle % p];
        const int before = one->next;
        const bool done = one->done;
        one->done = continue_one(one);
        const long told = all->steps;
        if (continue_one(one) != one->done || all->steps != told || one->done < done)
            wrong(all, "a turn ends too early");
        left -= one->done && !done;
        idle = one->next != before ? 0 : idle + 1;
        if (idle >= 6 * p)
            wrong(all, "everybody waits");
    }
}

/* How reproducible results are added. */
static uint32_t reproducible_tree(int first, int count)
{
    if (count == 1)
        return input(first, 0).tree;
    const int left = anypi_bracketing_left(count);
    return tree_of(false, reproducible_tree(first, left),
                   reproducible_tree(first + left, count - left));
}

/* How scans are added if they are reproducible: from the left. */
static uint32_t tree_from_left(int end)
{
    uint32_t tree = input(0, 0).tree;
    for (int r = 1; r < end; r++)
        tree = tree_of(false, tree, input(r, 0).tree);
    return tree;
}

/* The block of the vector that has element i. */
static int block_of(const anyp_call *call, int64_t i)
{
    int block = 0;
    while (block_start(call, block + 1) <= i)
        block++;
    return block;
}

/* What moves data: element i of a rank's result. */
static item moved(const anyp_call *call, int64_t i)
{
    if (anypi_distributes(call))
        return input(call->root, i);
    const int owner = block_of(call, i);
    return input(owner, anypi_transposes(call->collective)
                 ? block_start(call, call->rank) + i - block_start(call, owner) : i);
}

/* `trees`: of the elements of results on lower ranks, 0 if there are none; `same`: of the first
 * result's first element, 0 if there is none yet. */
static void check(const process *one, unsigned properties, uint32_t *trees, uint32_t *same)
{
    const anyp_call *call = one->transport.call;
    const caller *result = &one->transport.output;
    world *all = one->transport.all;
    const int end = anypi_prefix_end(call, call->rank);
    const bool is_prefix = anypi_is_prefix(call->collective);
    int64_t first;
    if (is_prefix)              /* of the same rank */
        *same = 0;
    const int64_t count = extent(call, anypi_output_of(call, call->rank, call->p), &first);
    for (int64_t i = 0; i < count; i++) {
        const item *found = &result->first[i * result->stride];
        item sum;
        if (anypi_moves(call->collective)) {
            sum = moved(call, first + i);
        } else {
            sum = input(end - 1, first + i);
            for (int r = end - 2; r >= 0; r--) {
                const item left = input(r, first + i);
                combine(call->commutative, &left, &sum);
            }
            sum.tree = trees[first + i] && !is_prefix ? trees[first + i] : found->tree;
            trees[first + i] = sum.tree;
            *same = *same ? *same : found->tree;
            if ((properties & ANYP_SAME_BRACKETING) && found->tree != *same)
                wrong(all, "rank %d, element %lld is bracketed as no other", call->rank,
                      (long long) i);
            if (call->reproducible && found->tree != (is_prefix ? tree_from_left(end)
                                                      : reproducible_tree(0, call->p)))
                wrong(all, "rank %d, element %lld is not reproducible", call->rank, (long long) i);
        }
        if (memcmp(found->word, sum.word, sizeof sum.word))
            wrong(all, "rank %d, element %lld is wrong", call->rank, (long long) i);
        if (found->tree != sum.tree)
            wrong(all, "rank %d, element %lld is another sum", call->rank, (long long) i);
    }
}

bool world_run(const anyp_schedule *set, const anyp_call *calls, unsigned properties,
               uint64_t *random, char *fault, size_t size)
{
    static process processes[WORLD_RANKS];
    static world all;
    const int p = calls[0].p;
    uint32_t same = 0, *trees = calloc((size_t) calls[0].count + 1, sizeof *trees);
    *fault = '\0';
    all = (world) { .commutative = calls[0].commutative, .random = *random, .fault = fault,
                    .size = size };
    for (int rank = 0; rank < p; rank++)
        begin(&processes[rank], &all, &set[rank], &calls[rank]);
    run_all(processes, p, &all);
    for (int rank = 0; rank < p; rank++) {
        if (!*fault)
            check(&processes[rank], properties, trees, &same);
        end(&processes[rank]);
    }
    for (int from = 0; from < p; from++)
        for (int to = 0; to < p; to++) {
            channel *c = &all.channels[from][to];
            if (c->received != c->sent)
                wrong(&all, "a message is lost");
            for (int i = 0; i < c->sent; i++)
                free(c->messages[i].data);
            anypi_free(c->messages);
        }
    free(trees);
    *random = all.random;
    return !*fault;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * test_local_sizes.c - alltoallv, alltoallw, gatherv and scatterv on data: all ranks in one
 * process, in random turns, with blocks of any sizes.
 */
#include "unit/local_transport.h"

#include "algorithms/registry.h"
#include "execute/local_sizes.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- sizes ---- */

typedef enum distribution { EVEN, UNIFORM, POWERS, SPARSE, NOTHING, DISTRIBUTIONS } distribution;

static uint32_t mixed(uint32_t x)
{
    x = (x ^ x >> 16) * 0x45d9f3bu;
    x = (x ^ x >> 16) * 0x45d9f3bu;
    return x ^ x >> 16;
}

/* Bytes from rank i to rank j, `mean` on average; the same both ways if in place. */
static int64_t size_of(distribution kind, int i, int j, int64_t mean, bool symmetric)
{
    const uint32_t a = (uint32_t) (symmetric && i > j ? j : i);
    const uint32_t b = (uint32_t) (symmetric && i > j ? i : j);
    const uint32_t draw = mixed(a * 8191 + b * 131 + (uint32_t) kind);
    switch (kind) {
        case UNIFORM:
            return draw % (2 * mean + 1);
        case POWERS:
            return draw % 32 == 0 ? 17 * mean : draw % 4 == 0 ? mean : draw % 3;
        case SPARSE:
            return draw % 20 == 0 ? mean : 0;
        case NOTHING:
            return 0;
        default:
            return mean;
    }
}

static char byte_of(int i, int j, int64_t k)
{
    return (char) mixed((uint32_t) i * 65537 + (uint32_t) j * 257 + (uint32_t) k);
}

/* ---- one rank ---- */

typedef struct process {
    anypi_transport transport;
    anypi_local local;
    const anypi_program *program;       /* NULL: done */
    anypi_request *requests;
    char *areas[ANYPI_AREAS];
    int next;
} process;

typedef struct job {
    anyp_call call;
    const anyp_algorithm *algorithm;
    int parameters[ANYP_MAX_PARAMETERS];
    distribution kind;
    int64_t mean;
    anypi_local_plan *plans[MOST_RANKS];
    int64_t counts[MOST_RANKS]; /* of the plans */
    bool relearns;              /* parameters are settled again for other sizes */
    anypi_learned learned[MOST_RANKS];
    int64_t messages;           /* of the last run */
} job;

static bool has_block(const job *j, int from, int to)
{
    const anypi_collective *of = &anypi_collectives[j->call.collective];
    return (of->input != ANYPI_AT_ROOT || from == j->call.root) &&
        (of->output != ANYPI_AT_ROOT || to == j->call.root);
}

/* The index of a block in IN and in OUT of its ends. */
static int index_in(const job *j, int from, int to)
{
    return anypi_collectives[j->call.collective].input == ANYPI_HAS_OWN ? from : to;
}

static int index_out(const job *j, int from, int to)
{
    return anypi_collectives[j->call.collective].output == ANYPI_HAS_OWN ? to : from;
}

static int64_t bytes_of(const job *j, int from, int to)
{
    return has_block(j, from, to) ? size_of(j->kind, from, to, j->mean, j->call.in_place) : 0;
}

/* Places blocks in memory, the last one first, with gaps. */
static char *place(int p, const int64_t *sizes, int64_t *starts)
{
    int64_t end = 3;
    for (int i = p - 1; i >= 0; i--) {
        starts[i] = end;
        end += sizes[i] + 5;
    }
    char *memory = malloc((size_t) end);
    memset(memory, 0x5a, (size_t) end);
    return memory;
}

static void next_program(process *one)
{
    ck_assert_int_eq(anypi_local_next(&one->local, one->areas[ANYPI_AREA_SCRATCH]), ANYP_SUCCESS);
    one->program = anypi_local_program(&one->local);
    one->next = 0;
    one->areas[ANYPI_AREA_IN] = one->areas[ANYPI_AREA_OUT] =
        one->local.stage == ANYPI_LOCAL_TELL ? (char *) &one->local.told : NULL;
}

/* Nothing may be written beyond the memory that a call asks for: valgrind and the address sanitizer
 * see it. */
static void begin_programs(process *one)
{
    anypi_local_begin(&one->local);
    ck_assert_int_ge(one->local.scratch, 0);
    one->requests = calloc((size_t) one->local.requests + 1, sizeof *one->requests);
    one->areas[ANYPI_AREA_SCRATCH] = malloc((size_t) one->local.scratch + 1);
    memset(one->areas[ANYPI_AREA_SCRATCH], 0xee, (size_t) one->local.scratch + 1);
    next_program(one);
}

/* Makes the plan of a rank, or another one if it has learned of other sizes. */
static void make_plan(job *j, const anypi_learned *learned, int rank)
{
    int parameters[ANYP_MAX_PARAMETERS];
    anyp_call call = j->call;
    call.rank = rank;
    call.count = anypi_local_count(learned, call.p);
    if (j->plans[rank] && j->counts[rank] == call.count)
        return;
    memcpy(parameters, j->parameters, sizeof parameters);
    if (call.count > 0 && j->relearns) {
        anyp_parameters_default(j->algorithm, parameters);
        anypi_settle(j->algorithm, &call, parameters, parameters);
    }
    anypi_local_plan_release(j->plans[rank]);
    j->counts[rank] = call.count;
    j->plans[rank] = anypi_local_plan_new(j->algorithm, &call, parameters);
    ck_assert_ptr_nonnull(j->plans[rank]);
}

static void begin(job *j, anypi_learned *learned, int rank, process *one)
{
    int taken[MOST_RANKS];
    memcpy(taken, one->transport.taken, sizeof taken);
    const int p = j->call.p;
    const bool in_place = j->call.in_place;
    *one = (process) { .transport = { .local = &one->local, .rank = rank } };
    memcpy(one->transport.taken, taken, sizeof taken);
    anypi_transport *t = &one->transport;
    make_plan(j, learned, rank);
    ck_assert_int_eq(anypi_local_open(&one->local, j->plans[rank], in_place, learned, true),
                     ANYP_SUCCESS);
    t->sizes_in = calloc(4 * (size_t) p, sizeof *t->sizes_in);
    t->sizes_out = t->sizes_in + p;
    t->in_starts = t->sizes_out + p;
    t->out_starts = t->in_starts + p;
    for (int i = 0; i < p; i++) {
        if (has_block(j, rank, i))
            t->sizes_in[index_in(j, rank, i)] = bytes_of(j, rank, i);
        if (has_block(j, i, rank))
            t->sizes_out[index_out(j, i, rank)] = bytes_of(j, i, rank);
    }
    memcpy(one->local.given, t->sizes_in, (size_t) p * sizeof *t->sizes_in);
    memcpy(one->local.got, t->sizes_out, (size_t) p * sizeof *t->sizes_out);
    t->out = place(p, t->sizes_out, t->out_starts);
    t->in = in_place ? t->out : place(p, t->sizes_in, t->in_starts);
    if (in_place)
        memcpy(t->in_starts, t->out_starts, (size_t) p * sizeof *t->in_starts);
    for (int i = 0; i < p; i++)
        for (int64_t k = 0; k < bytes_of(j, rank, i); k++)
            t->in[t->in_starts[index_in(j, rank, i)] + k] = byte_of(rank, i, k);
    begin_programs(one);
}

static void end(const job *j, process *one)
{
    anypi_transport *t = &one->transport;
    for (int i = 0; i < j->call.p; i++)
        for (int64_t k = 0; k < bytes_of(j, i, t->rank); k++)
            assert_often(t->out[t->out_starts[index_out(j, i, t->rank)] + k] ==
                         byte_of(i, t->rank, k), "%s of %s at p = %d: byte %ld from %d to %d",
                         anyp_collective_name(j->call.collective), j->algorithm->name, j->call.p,
                         (long) k, i, t->rank);
    ck_assert(!one->local.disagrees);
    anypi_local_close(&one->local);
    free(one->requests);
    free(one->areas[ANYPI_AREA_SCRATCH]);
    if (t->in != t->out)
        free(t->in);
    free(t->out);
    free(t->sizes_in);
}

/* ---- all ranks ---- */

/* Returns whether the rank moved. */
static bool turn(process *one)
{
    const int before = one->next;
    if (!anypi_resume(one->program, one->areas, &one->transport, one->requests, &one->next))
        return one->next != before;
    next_program(one);
    return true;
}

/* Runs some calls; ranks begin the next one when they have ended the one before. What they learn is
 * that of the first. */
static void run_calls(job *jobs, int count)
{
    static process processes[MOST_RANKS];
    const int p = jobs->call.p;
    int calls[MOST_RANKS] = { 0 };
    messages_sent = 0;
    for (int i = 0; i < p; i++)
        for (int k = 0; k < p; k++)
            channels[i][k] = (channel) { 0 };
    for (int rank = 0; rank < p; rank++) {
        memset(&processes[rank], 0, sizeof processes[rank]);
        begin(jobs, &jobs->learned[rank], rank, &processes[rank]);
    }
    for (int left = p, idle = 0, draw = 0; left > 0; draw++) {
        const uint32_t any = mixed((uint32_t) draw) % (uint32_t) p;
        const int rank = idle < 4 * p ? (int) any : idle % p;
        process *one = &processes[rank];
        idle = one->program && turn(one) ? 0 : idle + 1;
        assert_often(idle <= 8 * p, "%s of %s at p = %d: everybody waits",
                     anyp_collective_name(jobs->call.collective), jobs->algorithm->name, p);
        if (one->program || calls[rank] == count)
            continue;
        end(&jobs[calls[rank]++], one);
        if (calls[rank] < count)
            begin(&jobs[calls[rank]], &jobs->learned[rank], rank, one);
        else
            left--;
    }
    for (int i = 0; i < p; i++)
        for (int k = 0; k < p; k++)
            ck_assert_ptr_null(channels[i][k].first);
    jobs->messages = messages_sent;
}

static void run(job *j)
{
    run_calls(j, 1);
}

static void close_job(job *j)
{
    for (int rank = 0; rank < j->call.p; rank++)
        anypi_local_plan_release(j->plans[rank]);
}

static void settle(job *j)
{
    anyp_parameters_default(j->algorithm, j->parameters);
    anypi_settle(j->algorithm, &j->call, j->parameters, j->parameters);
}

static const anyp_collective all[] = { ANYP_ALLTOALLV, ANYP_ALLTOALLW, ANYP_GATHERV,
                                       ANYP_SCATTERV };

START_TEST(any_sizes)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (int p = 1; p <= max_p(32); p++)
        for (int a = is_tried(p, 32) ? 0 : count; a < count; a++)
            for (size_t c = 0; c < sizeof all / sizeof *all; c++) {
                job j = { .algorithm = &algorithms[a],
                          .call = { .collective = all[c], .p = p, .commutative = true } };
                if (!(j.algorithm->collectives & ANYP_IN_SET(all[c])))
                    continue;
                const bool rooted = anypi_has_root(&j.call);
                j.call.root = rooted ? p / 3 : 0;
                settle(&j);
                for (int in_place = 0; in_place <= !rooted; in_place++) {
                    job one = j;
                    one.call.in_place = in_place;
                    for (int n = 0; n < 2 * DISTRIBUTIONS; n++) {
                        one.kind = (distribution) (n % DISTRIBUTIONS);
                        one.mean = n < DISTRIBUTIONS ? 9 : p % 2 ? 300 : 3000;
                        memset(one.learned, 0, sizeof one.learned);
                        for (int call = 0; call < (p % 4 == 1 ? 3 : 2); call++)
                            run(&one);
                    }
                    close_job(&one);
                }
            }
}
END_TEST

/* A rank without memory returns the error, and nothing is lost. */
START_TEST(no_memory)
{
    anyp_call call = { .collective = ANYP_ALLTOALLV, .p = 64, .rank = 5, .commutative = true };
    job j = { .algorithm = anyp_algorithm_find("multiport"), .call = call };
    settle(&j);
    anypi_local_plan *plan = NULL;
    long failures = 0;
    for (; !plan; failures++) {
        anypi_fail_allocation(failures);
        plan = anypi_local_plan_new(j.algorithm, &call, j.parameters);
    }
    ck_assert_int_gt(failures, 3);
    ck_assert_int_gt(plan->limits.limit, 0);
    anypi_local local;
    anyp_status status = ANYP_ERR_MEMORY;
    for (failures = 0; status != ANYP_SUCCESS; failures++) {
        anypi_learned learned = { .begun = true };
        anypi_fail_allocation(failures);
        status = anypi_local_open(&local, plan, false, &learned, true);
        if (status != ANYP_SUCCESS)
            continue;
        for (int i = 0; i < call.p; i++)
            local.given[i] = local.got[i] = plan->limits.limit;
        anypi_local_begin(&local);
        char *scratch = calloc(1, (size_t) local.scratch + 1);
        status = anypi_local_next(&local, scratch);
        anypi_local_close(&local);
        free(scratch);
    }
    ck_assert_int_gt(failures, 2);
    anypi_fail_allocation(-1);
    anypi_local_plan_release(plan);
}
END_TEST

/* The number of the next `calls` that looked. */
static int looks_of(job *j, int calls)
{
    int looks = 0;
    for (int i = 0; i < calls; i++) {
        const bool looked = j->learned[0].begun && j->learned[0].direct == 0;
        run(j);
        looks += looked;
        for (int rank = 1; rank < j->call.p; rank++)
            ck_assert_int_eq(memcmp(&j->learned[rank], &j->learned[0], sizeof j->learned[0]), 0);
    }
    return looks;
}

/* The first call does not look. Large blocks, and few that are not empty, go directly; all calls
 * look again if blocks are small. */
START_TEST(learns)
{
    for (size_t c = 0; c < sizeof all / sizeof *all; c++) {
        job j = { .call = { .collective = all[c], .p = 16, .commutative = true } };
        j.algorithm = anyp_algorithm_find(anypi_has_root(&j.call) ? "binomial" : "multiport");
        settle(&j);
        j.mean = 9;
        ck_assert_int_eq(looks_of(&j, 5), 4);
        j.mean = 70000;
        ck_assert_int_le(looks_of(&j, 127), all[c] == ANYP_GATHERV ? 15 : 8);
        j.mean = 9;
        looks_of(&j, 64);
        ck_assert_int_eq(looks_of(&j, 5), all[c] == ANYP_GATHERV ? looks_of(&j, 5) : 5);
        close_job(&j);
    }
}
END_TEST

/* Whatever was learned, a call looks again sooner or later, and finds small blocks. */
START_TEST(looks_again)
{
    for (int p = 4; p <= 24; p += p < 8 ? 1 : 4)
        for (int64_t mean = 848; mean < 100000; mean += mean / 2) {
            job j = { .algorithm = anyp_algorithm_find("multiport"), .mean = mean, .relearns = true,
                      .call = { .collective = ANYP_ALLTOALLV, .p = p, .commutative = true } };
            settle(&j);
            looks_of(&j, 3);
            const unsigned before = j.learned[0].looks;
            j.mean = 8;
            looks_of(&j, 9);
            if (j.learned[0].looks == before)
                assert_often(anypi_local_limits_of(j.algorithm, &j.call, j.parameters,
                                                   NULL).limit == ANYPI_LOCAL_DIRECTLY,
                             "p = %d, %ld bytes: no call looks again", p, (long) mean);
            close_job(&j);
        }
}
END_TEST

/* At most 128 direct messages of a rank are under way each way, also to and from a root. */
START_TEST(messages_under_way)
{
    for (size_t c = 0; c < sizeof all / sizeof *all; c++) {
        job j = { .call = { .collective = all[c], .p = 1000, .commutative = true } };
        j.algorithm = anyp_algorithm_find(anypi_has_root(&j.call) ? "binomial" : "multiport");
        settle(&j);
        anypi_local_plan *plan = anypi_local_plan_new(j.algorithm, &j.call, j.parameters);
        anypi_learned learned = { 0 };
        anypi_local local;
        int kinds[258] = { 0 }, most[2] = { 0 }, now[2] = { 0 }, all_messages = 0;
        ck_assert_int_eq(anypi_local_open(&local, plan, false, &learned, true), ANYP_SUCCESS);
        for (int i = 0; i < j.call.p; i++) {
            local.given[i] = has_block(&j, 0, i);
            local.got[i] = has_block(&j, i, 0);
        }
        anypi_local_begin(&local);
        ck_assert_int_eq(anypi_local_next(&local, NULL), ANYP_SUCCESS);
        for (int i = 0; i < local.program.count; i++) {
            const anypi_op *op = &local.program.ops[i];
            const bool sends = op->kind == ANYPI_OP_SEND_BLOCK;
            if (sends || op->kind == ANYPI_OP_RECEIVE_BLOCK) {
                ck_assert_int_lt(op->first, (int) local.requests);
                kinds[op->first] = 1 + sends;
                all_messages++;
                most[sends] = ++now[sends] > most[sends] ? now[sends] : most[sends];
            }
            for (int k = op->first; op->kind == ANYPI_OP_WAIT && k < op->first + op->count; k++)
                now[kinds[k] - 1]--;
        }
        ck_assert_int_ge(all_messages, 999);
        ck_assert_int_le(most[0], 128);
        ck_assert_int_le(most[1], 128);
        ck_assert_int_eq(now[0] + now[1], 0);
        anypi_local_close(&local);
        anypi_local_plan_release(plan);
    }
}
END_TEST

/* No block takes the route that is longer than the parameter allows. */
START_TEST(limit)
{
    job j = { .algorithm = anyp_algorithm_find("multiport"), .kind = EVEN, .mean = 40,
              .call = { .collective = ANYP_ALLTOALLV, .p = 20, .commutative = true } };
    const int index = anypi_parameter_find(j.algorithm, "limit", strlen("limit"));
    const int limits[] = { 0, 39, 40 };
    int64_t messages[3];
    for (int i = 0; i < 3; i++) {
        settle(&j);
        j.parameters[index] = limits[i];
        run(&j);
        ck_assert_int_eq(j.messages, 20 * 19);
        run(&j);
        messages[i] = j.messages;
        close_job(&j);
        memset(j.plans, 0, sizeof j.plans);
        memset(j.learned, 0, sizeof j.learned);
    }
    ck_assert_int_eq(messages[0], 20 * 19);
    ck_assert_int_gt(messages[1], messages[0]);
    ck_assert_int_lt(messages[2], messages[0]);
}
END_TEST

/* The root may be another one in each call, also where calls have learned. */
START_TEST(roots)
{
    enum { CALLS = 12 * 15 };
    static job jobs[CALLS];
    for (size_t c = 2; c < sizeof all / sizeof *all; c++) {
        for (int i = 0; i < CALLS; i++) {
            jobs[i] = (job) { .algorithm = anyp_algorithm_find("binomial"),
                              .mean = INT64_C(8) << i % 15,
                              .call = { .collective = all[c], .p = 12, .root = i / 15,
                                        .commutative = true } };
            settle(&jobs[i]);
            jobs[i].parameters[anypi_parameter_find(jobs[i].algorithm, "limit",
                                                    strlen("limit"))] = 4096;
        }
        run_calls(jobs, CALLS);
        for (int i = 0; i < CALLS; i++)
            close_job(&jobs[i]);
    }
}
END_TEST

Suite *suite_local_sizes(void)
{
    TCase *tests;
    Suite *suite = suite_of("local_sizes", &tests);
    tcase_add_test(tests, any_sizes);
    tcase_add_test(tests, no_memory);
    tcase_add_test(tests, learns);
    tcase_add_test(tests, looks_again);
    tcase_add_test(tests, messages_under_way);
    tcase_add_test(tests, limit);
    tcase_add_test(tests, roots);
    return suite;
}

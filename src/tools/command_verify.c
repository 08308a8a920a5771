/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp verify - proves the schedules of all ranks, without data or MPI: sends and receives match,
 * no rank waits forever, and the result contains every contribution once, in the order and
 * bracketing that the algorithm promises. analysis/sweep.h says which calls are tried for every p,
 * and analysis/prove.h says which of them are proved.
 *
 * An item of work is one algorithm at one p. Large p take longest, so they come first. Worker
 * processes take the items in this order.
 */
#include "tools/described_calls.h"
#include "tools/tool.h"

#include "analysis/prove.h"
#include "schedule/collectives.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* With --all, calls with local sizes are proved up to this p: their proofs take long. */
enum { MOST_LOCAL_P = 12, MAX_JOBS = 1024 };

typedef struct tally {
    int64_t proved, in_turn, refused;
} tally;

/* Memory that the processes share. */
typedef struct results {
    _Atomic int64_t next;       /* item */
    _Atomic int64_t item[MAX_JOBS];     /* of each process */
    _Atomic int64_t items;      /* number of finished items */
    _Atomic int wrong;          /* a process is writing, or has written, the reason */
    char reason[sizeof ((anypi_prover *) 0)->reason];
    struct {
        _Atomic int64_t proved, in_turn, refused;
    } tallies[];                /* per algorithm */
} results;

typedef struct task {
    const tool_options *options;
    const anyp_algorithm *algorithms;   /* to prove */
    int algorithms_count;
    anypi_sweep sweep;
    int first_p, last_p;
    int64_t items;
    bool with_local_sizes;      /* also prove collectives with local sizes */
    double max_bytes;           /* of memory, for each process */
    results *results;
    anypi_prover prover;        /* each process has its own */
    time_t begin, reported;
    pid_t pids[MAX_JOBS];       /* of the workers; 0: has ended */
    int count, running;         /* workers */
} task;

static anyp_status prove(const anypi_case *choice, void *state)
{
    task *t = state;
    const ptrdiff_t index = choice->algorithm - t->algorithms;
    const int64_t proved = t->prover.proved, in_turn = t->prover.in_turn;
    const anyp_status status = anypi_prove(&t->prover, choice);
    atomic_fetch_add(&t->results->tallies[index].proved, t->prover.proved - proved);
    atomic_fetch_add(&t->results->tallies[index].in_turn, t->prover.in_turn - in_turn);
    return status;
}

/* Returns the p of an item; large p come first. */
static int p_of(const task *t, int64_t item)
{
    return t->last_p - (int) (item / t->algorithms_count);
}

static int prove_item(task *t, int64_t item)
{
    const int64_t index = item % t->algorithms_count;
    anypi_sweep sweep = t->sweep;
    t->prover.most_bytes = t->max_bytes;
    anyp_status status = anypi_sweep_choices(&sweep, &t->algorithms[index], p_of(t, item), prove,
                                             t);
    if (status == ANYP_SUCCESS && t->with_local_sizes && p_of(t, item) <= MOST_LOCAL_P) {
        sweep.local_sizes = true;
        status = anypi_sweep_choices(&sweep, &t->algorithms[index], p_of(t, item), prove, t);
    }
    anypi_prover_free(&t->prover);
    atomic_fetch_add(&t->results->tallies[index].refused, sweep.refused);
    atomic_fetch_add(&t->results->items, 1);
    if (status == ANYP_SUCCESS)
        return TOOL_GOOD;
    if (!atomic_exchange(&t->results->wrong, 1))
        snprintf(t->results->reason, sizeof t->results->reason, "%s",
                 *t->prover.reason ? t->prover.reason : anyp_status_text(status));
    return TOOL_BAD;
}

/* Returns the sum over algorithms first .. end-1. */
static tally sum_of(const task *t, int first, int end)
{
    tally sum = { 0 };
    for (int i = first; i < end; i++) {
        sum.proved += t->results->tallies[i].proved;
        sum.in_turn += t->results->tallies[i].in_turn;
        sum.refused += t->results->tallies[i].refused;
    }
    return sum;
}

static tally sum_of_all(const task *t)
{
    return sum_of(t, 0, t->algorithms_count);
}

static void write_tally(anypi_json *json, tally one)
{
    anypi_json_write(json, "proved:%" PRId64 " in_turn:%" PRId64 " refused:%" PRId64, one.proved,
                     one.in_turn, one.refused);
}

/* Reports the progress: on a terminal every second in the same line, otherwise in new lines. */
static void report_progress(task *t)
{
    enum { MINUTE = 60 };
    const bool terminal = isatty(STDERR_FILENO);
    const bool often = terminal || t->options->given[OPTION_PROGRESS];
    const time_t now = time(NULL);
    if (now - t->reported < (often ? 1 : MINUTE))
        return;
    t->reported = now;
    const int64_t items = atomic_load(&t->results->items);
    fprintf(stderr, "%sanyp verify: %" PRId64 " proved in %d s; now at p = %d%s",
            terminal ? "\r\033[K" : "", sum_of_all(t).proved, (int) (now - t->begin),
            p_of(t, items < t->items ? items : t->items - 1), terminal ? "" : "\n");
}

/* ---- the workers ---- */

/* Returns the number of processors that may be used. */
static int processors(void)
{
    cpu_set_t allowed;
    const int count = sched_getaffinity(0, sizeof allowed, &allowed) ? 1 : CPU_COUNT(&allowed);
    return count < 1 ? 1 : count < MAX_JOBS ? count : MAX_JOBS;
}

/* The main function of a worker. It also returns if the first process has ended. */
static int prove_items(task *t, int worker, pid_t first)
{
    for (;;) {
        const int64_t item = atomic_fetch_add(&t->results->next, 1);
        if (item >= t->items)
            return TOOL_GOOD;
        atomic_store(&t->results->item[worker], item);
        if (prove_item(t, item) != TOOL_GOOD || getppid() != first)
            return TOOL_BAD;
    }
}

static int start(task *t, int jobs, const sigset_t *before)
{
    const pid_t first = getpid();
    fflush(NULL);               /* otherwise each process would write the buffers */
    for (; t->count < jobs; t->count++) {
        const pid_t pid = fork();
        if (pid == 0) {
            sigprocmask(SIG_SETMASK, before, NULL);
            _exit(prove_items(t, t->count, first));
        }
        if (pid < 0)
            return anypi_tool_complain(t->options, TOOL_BAD, "cannot start a process: %s",
                                       strerror(errno));
        t->pids[t->count] = pid;
        t->running++;
    }
    return TOOL_GOOD;
}

/* Fills the set of signals to wait for. Ignored signals, like SIGHUP under nohup, are left out. */
static void fill(sigset_t *signals)
{
    static const int ends[] = { SIGINT, SIGTERM, SIGHUP };
    sigemptyset(signals);
    sigaddset(signals, SIGCHLD);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        struct sigaction action;
        if (!sigaction(ends[i], NULL, &action) && action.sa_handler != SIG_IGN)
            sigaddset(signals, ends[i]);
    }
}

/* Records and reports processes that have ended. */
static int collect(task *t)
{
    int how, status = TOOL_GOOD;
    for (int i = 0; i < t->count; i++) {
        if (!t->pids[i] || waitpid(t->pids[i], &how, WNOHANG) <= 0)
            continue;
        t->pids[i] = 0;
        t->running--;
        if (WIFSIGNALED(how)) {
            const int64_t item = atomic_load(&t->results->item[i]);
            status = anypi_tool_complain(t->options, TOOL_BAD, "a worker process was ended by "
                                         "signal %d (%s) at %s, p = %d%s", WTERMSIG(how),
                                         strsignal(WTERMSIG(how)),
                                         t->algorithms[item % t->algorithms_count].name,
                                         p_of(t, item), WTERMSIG(how) == SIGKILL ?
                                         "; if memory ran out, use fewer --jobs" : "");
        } else if (WEXITSTATUS(how) != TOOL_GOOD) {
            status = TOOL_BAD;
        }
    }
    return status;
}

/* Waits until all is done (returns TOOL_GOOD), a process has failed (-TOOL_BAD), or a signal
 * arrives (its number). */
static int wait_for_all(task *t, const sigset_t *signals)
{
    const struct timespec second = { .tv_sec = 1 };
    int status = TOOL_GOOD;
    while (t->running > 0 && status == TOOL_GOOD) {
        const int got = sigtimedwait(signals, NULL, &second);
        if (got > 0 && got != SIGCHLD)
            return got;
        status = collect(t);
        if (status == TOOL_GOOD && t->running > 0)
            report_progress(t);
    }
    return -status;
}

/* Proves all items in new processes. Returns TOOL_GOOD; or TOOL_BAD as soon as an item fails or a
 * process dies. SIGINT, SIGTERM and SIGHUP end all processes. */
static int prove_all(task *t, int jobs)
{
    sigset_t signals, before;
    fill(&signals);
    sigprocmask(SIG_BLOCK, &signals, &before);
    int end = -start(t, jobs, &before);
    if (end == TOOL_GOOD)
        end = wait_for_all(t, &signals);
    for (int i = 0; i < t->count; i++)
        if (t->pids[i])
            kill(t->pids[i], SIGTERM);
    for (int i = 0; i < t->count; i++)
        if (t->pids[i])
            waitpid(t->pids[i], NULL, 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (end > 0)
        raise(end);             /* ends this process as well */
    return end == TOOL_GOOD ? TOOL_GOOD : TOOL_BAD;
}

/* ---- the command line ---- */

static int read_names(const tool_options *options, task *t)
{
    tool_call call = { .starts = NULL };
    int status = anypi_tool_collective(options, options->operands[0], &call.call.collective);
    if (status == TOOL_GOOD)
        status = anypi_tool_algorithm(options, options->operands[1], &t->algorithms);
    if (status == TOOL_GOOD)
        status = anypi_tool_shape(options, &call);
    if (status != TOOL_GOOD)
        return status;
    const anyp_collective collective = call.call.collective;
    t->sweep.shape = call.shape;
    t->sweep.local_sizes = anypi_has_local_sizes(collective);
    t->algorithms_count = 1;
    t->sweep.collectives = ANYP_IN_SET(collective);
    if (!(t->algorithms->collectives & t->sweep.collectives))
        return anypi_tool_complain(options, TOOL_BAD, "%s does not serve %s", t->algorithms->name,
                                   anyp_collective_name(collective));
    return anypi_tool_parameters(options, t->algorithms, t->sweep.parameters, t->sweep.fixed);
}

static int read_task(const tool_options *options, task *t)
{
    const bool all = options->given[OPTION_ALL], one = options->given[OPTION_PROCESSES];
    if (all == (options->operands_count > 0))
        return anypi_tool_misuse(options, "give either --all or COLLECTIVE ALGORITHM");
    if (!all && options->operands_count == 1)
        return anypi_tool_misuse(options, "missing argument: COLLECTIVE ALGORITHM");
    if (all && options->params_count)
        return anypi_tool_misuse(options, "--param goes with one algorithm, not with --all");
    if (one && options->given[OPTION_MAX_P])
        return anypi_tool_misuse(options, "give either -p or --max-p, not both");
    if (options->given[OPTION_UNEVEN] && (all || !(options->given[OPTION_COUNT] ||
                                                   options->given[OPTION_BYTES])))
        return anypi_tool_misuse(options, "--uneven requires COLLECTIVE ALGORITHM and --count or "
                                 "--bytes");

    t->last_p = (int) options->number[one ? OPTION_PROCESSES : OPTION_MAX_P];
    t->first_p = one ? t->last_p : 1;
    t->sweep.collectives = ~0u;
    t->with_local_sizes = all && !options->given[OPTION_REPRODUCIBLE];
    t->sweep.nodes = options->nodes;
    t->sweep.reproducible = options->given[OPTION_REPRODUCIBLE];
    if (options->given[OPTION_COUNT] || options->given[OPTION_BYTES]) {
        /* a vector that no call of this single p can have is refused with the reason */
        tool_call call = { .call = { .p = t->last_p, .collective = ANYP_COLLECTIVES } };
        if (one && !all)
            call.call.collective = anyp_collective_find(options->operands[0]);
        const int status = anypi_tool_vector(options, &call);
        if (status != TOOL_GOOD)
            return status;
        t->sweep.one_vector = true;
        t->sweep.count = call.call.count;
        t->sweep.type_size = call.call.type_size;
    }
    t->algorithms = anyp_algorithms(&t->algorithms_count);
    const int status = all ? TOOL_GOOD : read_names(options, t);
    t->items = (int64_t) (t->last_p - t->first_p + 1) * t->algorithms_count;
    return status;
}

/* ---- the answer ---- */

static void write_json(const task *t, bool good)
{
    const tally sum = sum_of_all(t);
    anypi_json json = { .file = stdout };
    anypi_json_write(&json, "{ good:%hhd", good);
    write_tally(&json, sum);
    anypi_json_write(&json, "algorithms:[");
    for (int i = 0; i < t->algorithms_count; i++) {
        anypi_json_write(&json, "{ name:%s", t->algorithms[i].name);
        write_tally(&json, sum_of(t, i, i + 1));
        anypi_json_write(&json, "}");
    }
    anypi_json_write(&json, "] }");
}

static void print(const task *t, bool good)
{
    const tally sum = sum_of_all(t);
    for (int i = 0; i < t->algorithms_count && t->algorithms_count > 1; i++)
        printf("%-20s %12" PRId64 "\n", t->algorithms[i].name, sum_of(t, i, i + 1).proved);
    printf("%" PRId64 " sets of schedules proved", sum.proved);
    if (sum.in_turn)
        printf(" (%" PRId64 " large ones in turn)", sum.in_turn);
    if (sum.refused)
        printf(", %" PRId64 " choice%s refused", sum.refused, sum.refused == 1 ? "" : "s");
    printf("%s\n", good ? "" : ", then one was not");
}

static int run(const tool_options *options)
{
    static const int of_samples[] = { OPTION_ROOT, OPTION_IN_PLACE, OPTION_GAPS,
                                      OPTION_NON_COMMUTATIVE };
    if (options->given[OPTION_SAMPLE])
        return anypi_tool_verify_sample(options);
    for (size_t i = 0; i < sizeof of_samples / sizeof *of_samples; i++)
        if (options->given[of_samples[i]])
            return anypi_tool_misuse(options, "--%s requires --sample; without --sample, calls of "
                                     "all these kinds are proved",
                                     anypi_tool_options[of_samples[i]].name);
    task t = { .options = options, .begin = time(NULL), .reported = time(NULL) };
    int status = read_task(options, &t);
    if (status != TOOL_GOOD)
        return status;
    int64_t jobs = options->given[OPTION_JOBS] ? options->number[OPTION_JOBS]
        : processors();
    jobs = jobs < t.items ? jobs : t.items;
    t.max_bytes = anypi_tool_memory() / (double) jobs;
    t.results = mmap(NULL, sizeof *t.results +
                     (size_t) t.algorithms_count * sizeof *t.results->tallies,
                     PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (t.results == MAP_FAILED)
        return anypi_tool_status(options, ANYP_ERR_MEMORY);

    status = prove_all(&t, (int) jobs);
    if (t.reported != t.begin && isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
    if (t.results->wrong)
        anypi_tool_complain(options, TOOL_BAD, "%s", t.results->reason);
    if (options->given[OPTION_JSON])
        write_json(&t, status == TOOL_GOOD);
    else
        print(&t, status == TOOL_GOOD);
    if (status == TOOL_GOOD && !sum_of_all(&t).proved)
        return anypi_tool_complain(options, TOOL_BAD, "nothing to prove: every call was refused");
    return status;
}

const tool_command anypi_tool_verify = {
    .name = "verify",
    .summary = "prove that schedules are correct, for every p up to a bound",
    .operands = "[COLLECTIVE ALGORITHM]",
    .operands_maximum = 2,
    .accepts = OPTION_BIT(ALL) | OPTION_BIT(PROCESSES) | OPTION_BIT(MAX_P) | OPTION_BIT(NODES) |
        OPTION_BIT(PARAM) | OPTION_BIT(COUNT) | OPTION_BIT(TYPE_SIZE) | OPTION_BIT(BYTES) |
        OPTION_BIT(UNEVEN) | OPTION_BIT(REPRODUCIBLE) | OPTION_BIT(JOBS) | OPTION_BIT(PROGRESS) |
        OPTION_BIT(JSON) | OPTION_BIT(SAMPLE) | OPTION_BIT(ROOT) | OPTION_BIT(IN_PLACE) |
        OPTION_BIT(GAPS) | OPTION_BIT(NON_COMMUTATIVE),
    .description =
        "Proves, without data and MPI, that the schedules of all ranks are correct:\n\n"
        "- Sends and receives match, and no rank waits forever.\n"
        "- Nothing in flight is overwritten.\n"
        "- Every result contains every contribution once, in the order and bracketing that\n"
        "  the algorithm promises.\n\n"
        "It proves the schedules for every p from 1 to --max-p, or for one p (-p, --nodes).\n"
        "For each p it combines:\n\n"
        "- vectors of 0, 1, p-1, p, p+1 and 65537 elements of 8 bytes, and of p+1 elements\n"
        "  without bytes (multiples of p for reduce_scatter_block); for reduce_scatter and\n"
        "  allgatherv also three vectors with very different blocks. --count, --bytes and\n"
        "  --uneven choose one vector instead;\n"
        "- parameters with named values, such as skips=sqrt: all names;\n"
        "- parameters that are numbers of bytes (threshold, segment): the default and the\n"
        "  maximum; for long vectors 1/1, 1/2, 1/4, ... of the vector; for short vectors the\n"
        "  minimum;\n"
        "- parameters that are other numbers: the default, the three smallest, p-1 and the\n"
        "  maximum; if the range is bounded, also 7, 8 and a number from 5 to 16 that changes\n"
        "  with p. Beyond p = 64 or with --nodes, only one number at a time differs from its\n"
        "  default;\n"
        "- calls in place and not in place;\n"
        "- operators that commute and, if the algorithm serves them, operators that do not;\n"
        "- roots 0, 1, p/2, p-1, and a rank that some algorithms leave out of their middle\n"
        "  rounds;\n"
        "- collectives that move data: memory with gaps and without gaps;\n"
        "- alltoallv, alltoallw, gatherv and scatterv: sizes that are even, uniform, powers\n"
        "  and sparse (with --all only up to p = 12);\n"
        "- reproducible calls, if the algorithm serves them; with --reproducible only these.\n\n"
        "A set is the schedules of all ranks. Equal sets of the same p are proved once. Two\n"
        "sets count as equal if five ranks have the same schedules in both; up to p = 70, all\n"
        "ranks are compared.\n\n"
        "Beyond p = 200, each p proves only a part of the large sets (more than 32768 steps\n"
        "and blocks), to save time:\n\n"
        "- If a call has n kinds (in place, operator, root), each p proves one kind, so that\n"
        "  n neighbouring p prove all.\n"
        "- Of the numbers that differ from their default, each p proves a third, so that\n"
        "  three neighbouring p prove all.\n\n"
        "Every default and every named value is proved for every p.\n\n"
        "anyp verify stops at the first wrong schedule and names it. It uses all processors,\n"
        "and at most half of the machine's memory: larger calls are refused. Progress is\n"
        "printed to stderr, every second on a terminal, otherwise every minute.\n\n"
        "--sample N checks only N ranks of one call, with up to 1048576 processes. Describe\n"
        "the call as for anyp cost. The ranks are rank 0, the root, the last ranks, those\n"
        "around powers of two, ends of nodes, and random ones. Each rank's schedule must be\n"
        "valid, and its messages must match those of its partners in number, blocks and\n"
        "pieces. The check ends after about 5 seconds of processor time, with fewer ranks or\n"
        "partners if necessary, but compares at least four partners of each rank that it\n"
        "checks. The output says how many ranks, partners and messages were checked. Not\n"
        "proved are: other ranks, results, and that no rank waits forever. alltoallv,\n"
        "alltoallw, gatherv and scatterv are refused.\n",
    .examples = "  anyp verify --all --max-p 300\n"
        "  anyp verify allreduce butterfly -p 1025\n"
        "  anyp verify allreduce exchange --nodes 8,8,5\n"
        "  anyp verify --all --reproducible --max-p 200\n"
        "  anyp verify reduce exchange --sample 100 --nodes 10000x96 --bytes 1M\n"
        "  anyp verify reduce_scatter circulant --max-p 100 --param skips=sqrt\n",
    .run = run,
};

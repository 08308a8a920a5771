/* SPDX-License-Identifier: BSD-3-Clause */
#include "tools/jobs.h"

#include "tools/tool.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MAX_JOBS = 1024 };

/* Memory that the processes share. */
typedef struct shared_state {
    _Atomic int64_t next;       /* item */
    _Atomic int64_t item[MAX_JOBS];     /* of each process */
} shared_state;

typedef struct pool {
    const tool_options *options;
    const tool_work *work;
    shared_state *shared;
    pid_t pids[MAX_JOBS];       /* 0: has ended */
    int count, running;
} pool;

int anypi_tool_processors(void)
{
    cpu_set_t allowed;
    const int count = sched_getaffinity(0, sizeof allowed, &allowed) ? 1 : CPU_COUNT(&allowed);
    return count < 1 ? 1 : count < MAX_JOBS ? count : MAX_JOBS;
}

void *anypi_tool_shared(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* The main function of a worker. It also returns if the first process has ended. */
static int do_items(const pool *p, int worker, pid_t first)
{
    for (;;) {
        const int64_t item = atomic_fetch_add(&p->shared->next, 1);
        if (item >= p->work->items)
            return TOOL_GOOD;
        atomic_store(&p->shared->item[worker], item);
        const int status = p->work->item(p->work->state, item);
        if (status != TOOL_GOOD || getppid() != first)
            return TOOL_BAD;
    }
}

static int start(pool *p, int jobs, const sigset_t *before)
{
    const pid_t first = getpid();
    fflush(NULL);               /* otherwise each process would write the buffers */
    for (; p->count < jobs; p->count++) {
        const pid_t pid = fork();
        if (pid == 0) {
            sigprocmask(SIG_SETMASK, before, NULL);
            const int status = do_items(p, p->count, first);
            fflush(NULL);
            _exit(status);
        }
        if (pid < 0)
            return anypi_tool_complain(p->options, TOOL_BAD, "cannot start a process: %s",
                                       strerror(errno));
        p->pids[p->count] = pid;
        p->running++;
    }
    return TOOL_GOOD;
}

static void end_all(pool *p)
{
    for (int i = 0; i < p->count; i++)
        if (p->pids[i])
            kill(p->pids[i], SIGTERM);
    for (int i = 0; i < p->count; i++)
        while (p->pids[i] && waitpid(p->pids[i], NULL, 0) < 0 && errno == EINTR)
            continue;
    p->running = 0;
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
static int collect(pool *p)
{
    int how, status = TOOL_GOOD;
    for (int i = 0; i < p->count; i++) {
        if (!p->pids[i] || waitpid(p->pids[i], &how, WNOHANG) <= 0)
            continue;
        p->pids[i] = 0;
        p->running--;
        if (WIFSIGNALED(how)) {
            char text[200];
            p->work->name(p->work->state, atomic_load(&p->shared->item[i]), text, sizeof text);
            status = anypi_tool_complain(p->options, TOOL_BAD, "a worker process was ended by "
                                         "signal %d (%s) at %s%s",
                                         WTERMSIG(how), strsignal(WTERMSIG(how)),
                                         text, WTERMSIG(how) == SIGKILL ?
                                         "; if memory ran out, use fewer --jobs" : "");
        } else if (WEXITSTATUS(how) != TOOL_GOOD) {
            status = TOOL_BAD;
        }
    }
    return status;
}

/* Waits until all is done (returns TOOL_GOOD), a process has failed (-TOOL_BAD), or a signal
 * arrives (its number). */
static int wait_for_all(pool *p, const sigset_t *signals)
{
    const struct timespec second = { .tv_sec = 1 };
    time_t ticked = time(NULL);
    int status = TOOL_GOOD;
    while (p->running > 0 && status == TOOL_GOOD) {
        const int got = sigtimedwait(signals, NULL, &second);
        if (got > 0 && got != SIGCHLD)
            return got;
        status = collect(p);
        if (p->work->tick && time(NULL) != ticked && status == TOOL_GOOD && p->running > 0) {
            ticked = time(NULL);
            p->work->tick(p->work->state);
        }
    }
    return -status;
}

int anypi_tool_jobs(const tool_options *options, int jobs, const tool_work *work)
{
    pool p = { .options = options, .work = work };
    p.shared = anypi_tool_shared(sizeof *p.shared);
    if (!p.shared)
        return anypi_tool_status(options, ANYP_ERR_MEMORY);

    sigset_t signals, before;
    fill(&signals);
    sigprocmask(SIG_BLOCK, &signals, &before);

    const int wanted = work->items < jobs ? (int) work->items : jobs;
    int end = -start(&p, wanted < MAX_JOBS ? wanted : MAX_JOBS, &before);
    if (end == TOOL_GOOD)
        end = wait_for_all(&p, &signals);
    end_all(&p);
    sigprocmask(SIG_SETMASK, &before, NULL);
    munmap(p.shared, sizeof *p.shared);
    if (end > 0)
        raise(end);             /* ends this process as well */
    return end == TOOL_GOOD ? TOOL_GOOD : TOOL_BAD;
}

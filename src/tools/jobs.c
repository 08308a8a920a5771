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

enum { MOST_JOBS = 1024 };

/* What the processes share. */
typedef struct board {
    _Atomic int64_t next;       /* item */
    _Atomic int64_t item[MOST_JOBS];    /* that each process is at */
} board;

typedef struct crew {
    const tool_options *options;
    const tool_work *work;
    board *board;
    pid_t pids[MOST_JOBS];      /* 0: has ended */
    int count, running;
} crew;

int anypi_tool_processors(void)
{
    cpu_set_t allowed;
    const int count = sched_getaffinity(0, sizeof allowed, &allowed) ? 1 : CPU_COUNT(&allowed);
    return count < 1 ? 1 : count < MOST_JOBS ? count : MOST_JOBS;
}

void *anypi_tool_shared(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* A worker's life; it ends by itself when the first process has gone. */
static int do_items(const crew *c, int worker, pid_t first)
{
    for (;;) {
        const int64_t item = atomic_fetch_add(&c->board->next, 1);
        if (item >= c->work->items)
            return TOOL_GOOD;
        atomic_store(&c->board->item[worker], item);
        const int status = c->work->item(c->work->state, item);
        if (status != TOOL_GOOD || getppid() != first)
            return TOOL_BAD;
    }
}

static int start(crew *c, int jobs, const sigset_t *before)
{
    const pid_t first = getpid();
    fflush(NULL);               /* what is in buffers now is written once */
    for (; c->count < jobs; c->count++) {
        const pid_t pid = fork();
        if (pid == 0) {
            sigprocmask(SIG_SETMASK, before, NULL);
            const int status = do_items(c, c->count, first);
            fflush(NULL);
            _exit(status);
        }
        if (pid < 0)
            return anypi_tool_complain(c->options, TOOL_BAD, "cannot start a process: %s",
                                       strerror(errno));
        c->pids[c->count] = pid;
        c->running++;
    }
    return TOOL_GOOD;
}

static void end_all(crew *c)
{
    for (int i = 0; i < c->count; i++)
        if (c->pids[i])
            kill(c->pids[i], SIGTERM);
    for (int i = 0; i < c->count; i++)
        while (c->pids[i] && waitpid(c->pids[i], NULL, 0) < 0 && errno == EINTR)
            continue;
    c->running = 0;
}

/* The signals to wait for: not those that are ignored, as nohup has it. */
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

/* Takes note of processes that have ended. */
static int collect(crew *c)
{
    int how, status = TOOL_GOOD;
    for (int i = 0; i < c->count; i++) {
        if (!c->pids[i] || waitpid(c->pids[i], &how, WNOHANG) <= 0)
            continue;
        c->pids[i] = 0;
        c->running--;
        if (WIFSIGNALED(how)) {
            char text[200];
            c->work->name(c->work->state, atomic_load(&c->board->item[i]), text, sizeof text);
            status = anypi_tool_complain(c->options, TOOL_BAD, "a process was ended by signal %d "
                                         "(%s) at %s%s", WTERMSIG(how), strsignal(WTERMSIG(how)),
                                         text, WTERMSIG(how) == SIGKILL ?
                                         "; for lack of memory? Fewer --jobs need less" : "");
        } else if (WEXITSTATUS(how) != TOOL_GOOD) {
            status = TOOL_BAD;
        }
    }
    return status;
}

/* Waits until all is done (TOOL_GOOD), a process has failed (-TOOL_BAD), or a signal (its number)
 * says that the user has had enough. */
static int wait_for_all(crew *c, const sigset_t *signals)
{
    const struct timespec second = { .tv_sec = 1 };
    time_t ticked = time(NULL);
    int status = TOOL_GOOD;
    while (c->running > 0 && status == TOOL_GOOD) {
        const int got = sigtimedwait(signals, NULL, &second);
        if (got > 0 && got != SIGCHLD)
            return got;
        status = collect(c);
        if (c->work->tick && time(NULL) != ticked && status == TOOL_GOOD && c->running > 0) {
            ticked = time(NULL);
            c->work->tick(c->work->state);
        }
    }
    return -status;
}

int anypi_tool_jobs(const tool_options *options, int jobs, const tool_work *work)
{
    crew c = { .options = options, .work = work };
    c.board = anypi_tool_shared(sizeof *c.board);
    if (!c.board)
        return anypi_tool_complain(options, TOOL_BAD, "%s", anyp_status_text(ANYP_ERR_MEMORY));

    sigset_t signals, before;
    fill(&signals);
    sigprocmask(SIG_BLOCK, &signals, &before);

    const int wanted = work->items < jobs ? (int) work->items : jobs;
    int end = -start(&c, wanted < MOST_JOBS ? wanted : MOST_JOBS, &before);
    if (end == TOOL_GOOD)
        end = wait_for_all(&c, &signals);
    end_all(&c);
    sigprocmask(SIG_SETMASK, &before, NULL);
    munmap(c.board, sizeof *c.board);
    if (end > 0)
        raise(end);             /* ends this process as the user wanted */
    return end == TOOL_GOOD ? TOOL_GOOD : TOOL_BAD;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * netlab.c - runs a command in a cluster that is emulated on one machine: with a network namespace
 * for each node, and a switch between them (switch.h). This process is the switch until the command
 * ends.
 *
 * The switch is process 1 of a process namespace of its own: when it ends, for whatever reason, the
 * kernel kills the command's remaining processes, and the network namespaces vanish with them. It
 * is also killed when its parent is, which only waits for it.
 */
#include "ports.h"
#include "switch.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct options {
    int ranks, node_ranks, mtu;
    double latency, rate, limit;        /* seconds, bytes per second, seconds */
    int64_t room;                       /* bytes */
    const char *counters;
    char **command;
} options;

static void usage(FILE *file)
{
    fputs("usage: netlab [OPTION...] COMMAND [ARGUMENT...]\n"
          "       netlab enter PROGRAM [ARGUMENT...]\n\n"
          "Runs the command in an emulated cluster: its processes may enter the network namespace\n"
          "of rank PMI_RANK by 'netlab enter'. Everything is gone when the command ends.\n\n"
          "  --ranks P         ranks of the command, at most 1024 (default: 8)\n"
          "  --node-ranks N    N ranks, one after the other, are a node: they share a\n"
          "                    namespace and one of at most 64 ports of the switch (default: 1)\n"
          "  --latency US      microseconds from port to port (default: 2000)\n"
          "  --rate BYTES      bytes per second of each port, out and in (default: 10000000)\n"
          "  --mtu BYTES       the largest IP packet (default: 16384)\n"
          "  --room BYTES      the switch has room for as many bytes that wait for a port, and\n"
          "                    loses packets that find none; TCP begins carefully, and repeats\n"
          "                    them, as usual (default: unlimited)\n"
          "  --limit SECONDS   the command is ended then (default: 60)\n"
          "  --counters FILE   writes what each port received, and how late, there at the end\n\n"
          "Exit status: the command's; 124 if it took too long; 2 for a wrong command line; 77 if\n"
          "namespaces or TUN devices are not to be had.\n", file);
}

enum { MOST_RANKS = 1024, TOO_LONG = 124, NOT_HERE = 77 };

/* The part of the latency, in nanoseconds, that the switch leaves to the ranks' own overhead before
 * and after a message; the proof checks the sum. */
static const int64_t overhead = 180000;

/* ---- netlab enter ---- */

/* The switch sets the location of its namespaces, the process manager the rank. */
static int enter(char **command)
{
    const char *first = getenv("NETLAB_SPACE"), *ranks = getenv("NETLAB_NODE_RANKS"),
        *rank = getenv("PMI_RANK");
    char path[64], address[16];
    if (!first || !ranks || !rank || atoi(ranks) < 1) {
        fprintf(stderr, "netlab: enter is for ranks of an MPI program that runs under netlab\n");
        return 2;
    }
    const int port = atoi(rank) / atoi(ranks);
    snprintf(path, sizeof path, "/proc/1/fd/%d", atoi(first) + port);
    const int space = open(path, O_RDONLY | O_CLOEXEC);
    if (space < 0 || setns(space, CLONE_NEWNET)) {
        fprintf(stderr, "netlab: rank %s has no port: %s; more of --ranks?\n", rank,
                strerror(errno));
        return 1;
    }
    /* the ranks of a node have one name, by which programs find it */
    char name[32];
    snprintf(name, sizeof name, "node%d", port);
    if (unshare(CLONE_NEWUTS) || sethostname(name, strlen(name))) {
        fprintf(stderr, "netlab: rank %s has no host name of its own: %s\n", rank, strerror(errno));
        return 1;
    }
    setenv("MPIR_CVAR_CH3_INTERFACE_HOSTNAME", netlab_address(port, address), 1);
    setenv("MPICH_INTERFACE_HOSTNAME", address, 1);
    /* in turn, each until it waits, and before all else but the switch */
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param) { .sched_priority = 1 });
    execvp(command[0], command);
    fprintf(stderr, "netlab: %s: %s\n", command[0], strerror(errno));
    return 127;
}

/* ---- the switch's process ---- */

static int watch(int epoll, int descriptor, int name)
{
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = (uint32_t) name };
    return epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event);
}

static pid_t start(const options *o, int first_space)
{
    const pid_t child = fork();
    if (child)
        return child;
    char text[16];
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    snprintf(text, sizeof text, "%d", first_space);
    setenv("NETLAB_SPACE", text, 1);
    snprintf(text, sizeof text, "%d", o->node_ranks);
    setenv("NETLAB_NODE_RANKS", text, 1);
    execvp(o->command[0], o->command);
    fprintf(stderr, "netlab: %s: %s\n", o->command[0], strerror(errno));
    _exit(127);
}

/* Waits for children that ended, as `signals` reports; the command's exit status, or -1 while it
 * runs. */
static int reap(int signals, pid_t command)
{
    struct signalfd_siginfo told;
    int status;
    while (read(signals, &told, sizeof told) > 0)
        continue;
    for (pid_t child; (child = waitpid(-1, &status, WNOHANG)) > 0;)
        if (child == command)
            return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    return -1;
}

static void wait_until(int epoll, int64_t until, struct epoll_event *events, int most, int *count)
{
    const int64_t left = until - netlab_now();
    const struct timespec time = { .tv_sec = left > 0 ? left / 1000000000 : 0,
                                   .tv_nsec = left > 0 ? left % 1000000000 : 0 };
    *count = epoll_pwait2(epoll, events, most, &time, NULL);
}

/* Forwards packets until the command ends; returns its status. */
static int forward(netlab_switch *network, int ports, int epoll, int signals, pid_t command,
                   double limit)
{
    const int64_t end = netlab_now() + (int64_t) (1e9 * limit);
    struct epoll_event events[NETLAB_MOST_PORTS + 1];
    for (;;) {
        int count, status = -1;
        int64_t now = netlab_now();
        const int64_t next = netlab_switch_next(network, now);
        wait_until(epoll, next < end ? next : end, events, ports + 1, &count);
        if (count < 0 && errno != EINTR) {
            perror("netlab: waiting for packets (epoll_pwait2, of Linux 5.11)");
            return NOT_HERE;
        }
        now = netlab_now();
        netlab_switch_advance(network, now);
        for (int i = 0; i < count; i++) {
            if ((int) events[i].data.u32 == ports)
                status = reap(signals, command);
            else
                netlab_switch_read(network, (int) events[i].data.u32, now);
        }
        if (status >= 0)
            return status;
        if (now >= end) {
            fprintf(stderr, "netlab: the command took more than %g s\n", limit);
            return TOO_LONG;
        }
    }
}

static void write_counters(const netlab_switch *network, int ports, const char *path)
{
    struct rusage used;
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return;
    }
    getrusage(RUSAGE_SELF, &used);
    fprintf(file, "switch %.3f seconds of processor time\n",
            (double) (used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
            1e-6 * (double) (used.ru_utime.tv_usec + used.ru_stime.tv_usec));
    for (int i = 0; i < ports; i++) {
        const netlab_counters *c = netlab_switch_counters(network, i);
        fprintf(file, "port %d: %llu packets, %llu bytes, %llu lost, %llu strays, late %.0f us, "
                "at most %.0f us\n", i, (unsigned long long) c->packets,
                (unsigned long long) c->bytes, (unsigned long long) c->lost,
                (unsigned long long) c->strays,
                c->packets ? 1e-3 * (double) c->lateness / (double) c->packets : 0.0,
                1e-3 * (double) c->latest);
    }
    fclose(file);
}

static int ports_of(const options *o)
{
    return (o->ranks + o->node_ranks - 1) / o->node_ranks;
}

/* Process 1. Packets that are due come before everything else. */
static int lead(const options *o)
{
    static netlab_port ports[NETLAB_MOST_PORTS];
    int devices[NETLAB_MOST_PORTS];
    const int count = ports_of(o);
    const int spaces = 512;             /* numbers that nothing else has */
    sigset_t children;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
        mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL)) {
        perror("netlab: no process namespace of its own can be had");
        return NOT_HERE;
    }
    if (!netlab_ports_open(ports, count, o->mtu, o->room < INT64_MAX))
        return NOT_HERE;
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, NULL);
    const int signals = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    int failed = watch(epoll, signals, count);
    for (int i = 0; i < count; i++) {
        devices[i] = ports[i].device;
        failed |= watch(epoll, devices[i], i);
        failed |= dup3(ports[i].space, spaces + i, O_CLOEXEC) < 0;
    }
    const int64_t latency = (int64_t) (1e9 * o->latency);
    netlab_switch *network =
        netlab_switch_new(devices, count, NETLAB_BASE,
                          latency > 2 * overhead ? latency - overhead : latency / 2, o->rate,
                          o->room);
    if (failed || !network) {
        fprintf(stderr, "netlab: no memory, or too few descriptors: ulimit -n 1024\n");
        return 1;
    }
    const pid_t command = start(o, spaces);
    /* without the permission: the proof tests whether it is good enough */
    prctl(PR_SET_TIMERSLACK, 1);
    sched_setscheduler(0, SCHED_FIFO, &(struct sched_param) { .sched_priority = 10 });
    const int status = command < 0 ? 1
        : forward(network, count, epoll, signals, command, o->limit);
    if (o->counters)
        write_counters(network, count, o->counters);
    netlab_switch_free(network);
    return status;
}

/* ---- its parent ---- */

static volatile sig_atomic_t leader;

static void end(int number)
{
    if (leader > 0)
        kill(leader, SIGKILL);
    signal(number, SIG_DFL);
    raise(number);
}

static int run(const options *o)
{
    int status;
    if (unshare(CLONE_NEWPID | CLONE_NEWNS)) {
        fprintf(stderr, "netlab: namespaces are not permitted: %s; run this as root, outside of a "
                "container\n", strerror(errno));
        return NOT_HERE;
    }
    int alive[2];
    if (pipe2(alive, O_CLOEXEC))
        return 1;
    const pid_t child = fork();
    if (child < 0) {
        perror("netlab: fork");
        return 1;
    }
    if (!child) {
        /* dies with its parent, also if that is gone already */
        char nothing;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(alive[1]);
        fcntl(alive[0], F_SETFL, O_NONBLOCK);
        if (read(alive[0], &nothing, 1) == 0)
            _exit(1);
        _exit(lead(o));
    }
    leader = child;
    const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        signal(signals[i], end);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static double number(const char *name, const char *text, double least, double most)
{
    char *rest;
    const double value = strtod(text, &rest);
    if (rest == text || *rest || !(value >= least && value <= most)) {
        fprintf(stderr, "netlab: --%s %s: not a number from %g to %g\n", name, text, least, most);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    static const struct option names[] = {
        { "ranks", 1, NULL, 'p' }, { "node-ranks", 1, NULL, 'n' }, { "latency", 1, NULL, 'l' },
        { "rate", 1, NULL, 'r' }, { "room", 1, NULL, 'q' }, { "mtu", 1, NULL, 'm' },
        { "limit", 1, NULL, 't' }, { "counters", 1, NULL, 'c' },
        { "help", 0, NULL, 'h' }, { NULL, 0, NULL, 0 }
    };
    options o = { .ranks = 8, .node_ranks = 1, .mtu = 16384, .latency = 2e-3, .rate = 1e7,
                  .limit = 60, .room = INT64_MAX };
    if (argc > 2 && !strcmp(argv[1], "enter"))
        return enter(argv + 2);
    for (int option; (option = getopt_long(argc, argv, "+h", names, NULL)) != -1;) {
        switch (option) {
        case 'p': o.ranks = (int) number("ranks", optarg, 2, MOST_RANKS); break;
        case 'n': o.node_ranks = (int) number("node-ranks", optarg, 1, MOST_RANKS); break;
        case 'l': o.latency = 1e-6 * number("latency", optarg, 1, 1e6); break;
        case 'r': o.rate = number("rate", optarg, 1e3, 1e12); break;
        case 'q': o.room = (int64_t) number("room", optarg, 576, 1e15); break;
        case 'm': o.mtu = (int) number("mtu", optarg, 576, NETLAB_LARGEST_PACKET); break;
        case 't': o.limit = number("limit", optarg, 1e-3, 1e6); break;
        case 'c': o.counters = optarg; break;
        case 'h': usage(stdout); return 0;
        default: fputs("see netlab --help\n", stderr); return 2;
        }
    }
    if (ports_of(&o) > NETLAB_MOST_PORTS) {
        fprintf(stderr, "netlab: --ranks %d: %d ports are too many, at most %d; more of "
                "--node-ranks?\n", o.ranks, ports_of(&o), NETLAB_MOST_PORTS);
        return 2;
    }
    if (optind == argc) {
        fputs("netlab: which command? see netlab --help\n", stderr);
        return 2;
    }
    o.command = argv + optind;
    return run(&o);
}

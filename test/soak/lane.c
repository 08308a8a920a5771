/* SPDX-License-Identifier: BSD-3-Clause
 *
 * lane.c - one thread's calls. It has a few communicators and a few slots; a slot holds a pending
 * collective, or messages of the program. All ranks draw the same objects to make, start, restart
 * and free, and the call before which this happens, so that the calls match. Each rank draws for
 * itself when it waits, and for which slot. It waits only for calls that all ranks start before
 * they go on.
 *
 * Some calls are repeated with other sizes at once, so that the communicator learns from some and
 * uses this in others, and forgets what it knew of persistent calls. Persistent calls are started
 * at once, or after many others, or never; some of them many times.
 */
#include "soak.h"

#include "../mpi/control.h"
#include "../mpi/library.h"

#include "schedule/collectives.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMMS = 5, SLOTS = SOAK_SLOTS, MESSAGE = 600 };

/* A communicator; p = 0: this rank is not in it. The first is the lane's, the second MPI_COMM_SELF,
 * or with several lanes a communicator of this process for each: threads must not call collectives
 * of one communicator at the same time. */
typedef struct place {
    MPI_Comm comm;
    int p, rank, first;         /* first: its rank 0 in the world */
} place;

/* Messages to the next rank and from any, with any tag. Their data say where they come from. */
typedef struct traffic {
    int sent[MESSAGE], got[MESSAGE];
} traffic;

typedef struct slot {
    bool used, active;          /* active: under way, as far as this rank has seen */
    bool persistent;
    long number;
    int place, first;           /* the communicator, and its rank 0 in the world */
    soak_call c;                /* p = 0: this rank has no part in it */
    test_run run;
    traffic *traffic;           /* NULL: a collective */
    MPI_Request requests[2];    /* of messages: receive, send */
} slot;

typedef struct state {
    soak_lane *lane;
    place places[COMMS];
    slot slots[SLOTS];
} state;

static void step(state *s, long number, const char *part, const soak_call *call)
{
    soak_now *n = &now[s->lane->index];
    for (int i = 0; i < SLOTS; i++)
        n->under_way[i] = s->slots[i].active && !s->slots[i].traffic ? &s->slots[i].c : NULL;
    watch_step(s->lane->index, number, part, call);
}

static void wrong(long number, const char *what, long value)
{
    __atomic_add_fetch(&tally.failures, 1, __ATOMIC_RELAXED);
    fprintf(stderr, "FAILED call=%ld rank=%d of the world: %s: %ld\n", number, world_rank, what,
            value);
}

/* ---- slots ---- */

static MPI_Request *requests_of(slot *l, int *count)
{
    *count = l->traffic ? 2 : 1;
    return l->traffic ? l->requests : &l->run.request;
}

static int tag_of(int number, int source)
{
    return (number * 31 + source) % 32000;
}

static void check_message(const slot *l, const MPI_Status *status)
{
    const int *got = l->traffic->got;
    int count;
    MPI_Get_count(status, MPI_INT, &count);
    if (count < 4 || got[0] != count || got[1] != status->MPI_SOURCE || got[2] != l->c.call.rank ||
        status->MPI_TAG != tag_of(got[3], got[1])) {
        wrong(l->number, "a message of the program's own is not what was sent", count);
        return;
    }
    for (int i = 4; i < count; i++)
        if (got[i] != got[3] + i) {
            wrong(l->number, "a message of the program's own has wrong data, from element", i);
            return;
        }
}

/* Its last request is complete. */
static void completed(state *s, slot *l, const MPI_Status *status)
{
    l->active = false;
    if (l->traffic) {
        check_message(l, status);
        return;
    }
    const uint64_t bits = run_check(&l->run);
    s->lane->results[l->number - s->lane->first] = (soak_bits) { bits, (uint64_t) l->first };
}

static void wait_for(state *s, slot *l)
{
    MPI_Status statuses[2];
    int count;
    if (!l->active)
        return;
    MPI_Request *requests = requests_of(l, &count);
    step(s, l->number, "wait for it", l->traffic ? NULL : &l->c);
    MPI_Waitall(count, requests, statuses);
    completed(s, l, &statuses[0]);
}

/* Waits for what it has under way, and frees everything. */
static void retire(state *s, slot *l)
{
    if (!l->used)
        return;
    wait_for(s, l);
    if (l->traffic)
        free(l->traffic);
    else if (l->c.call.p > 0)
        run_end(&l->run);
    call_free(&l->c);
    l->traffic = NULL;
    l->used = false;
}

/* Waits or tests, in one of several ways, for what is under way. */
static void complete_some(state *s, soak_random *r)
{
    MPI_Request all[SLOTS];
    MPI_Status statuses[SLOTS];
    slot *of[SLOTS];
    int count = 0, done, indices[SLOTS];
    /* collectives only: a slot with messages has two requests */
    for (int i = 0; i < SLOTS; i++)
        if (s->slots[i].active && !s->slots[i].traffic) {
            of[count] = &s->slots[i];
            all[count++] = s->slots[i].run.request;
        }
    const int way = draw(r, 9), first = draw(r, SLOTS);
    if (way == 0)
        wait_for(s, &s->slots[first]);
    if (way < 1 || way > 5 || count == 0)
        return;
    step(s, of[0]->number, "complete what is under way", NULL);
    switch (way) {
        case 1:
            MPI_Waitany(count, all, &indices[0], &statuses[0]);
            done = 1;
            break;
        case 2:
            MPI_Waitall(count, all, statuses);
            for (done = 0; done < count; done++)
                indices[done] = done;
            break;
        case 3:
            MPI_Waitsome(count, all, &done, indices, statuses);
            break;
        case 4:
            MPI_Testsome(count, all, &done, indices, statuses);
            break;
        default:
            indices[0] = first % count;
            MPI_Test(&all[indices[0]], &done, &statuses[0]);
            break;
    }
    for (int i = 0; i < count; i++)
        of[i]->run.request = all[i];
    for (int i = 0; i < done; i++)
        completed(s, of[indices[i]], &statuses[i]);
}

/* ---- messages and windows of the program's own ---- */

static void send_message(state *s, soak_random *r, long number)
{
    const int which = draw(r, SLOTS), where = draw(r, COMMS), length = 4 + draw(r, MESSAGE - 4);
    const bool any_source = once_in(r, 2);
    slot *l = &s->slots[which];
    const place *at = &s->places[where];
    retire(s, l);
    *l = (slot) { .used = true, .number = number, .place = where };
    if (at->p == 0)
        return;
    l->c.call.rank = at->rank;
    l->active = true;
    l->traffic = malloc(sizeof *l->traffic);
    int *sent = l->traffic->sent;
    for (int i = 0; i < length; i++)
        sent[i] = (int) number + i;
    sent[0] = length;
    sent[1] = at->rank;
    sent[2] = (at->rank + 1) % at->p;
    sent[3] = (int) number;
    step(s, number, "send a message", NULL);
    /* ranks send to the next one only: any source is that before this one */
    MPI_Irecv(l->traffic->got, MESSAGE, MPI_INT,
              any_source ? MPI_ANY_SOURCE : (at->rank + at->p - 1) % at->p, MPI_ANY_TAG, at->comm,
              &l->requests[0]);
    MPI_Isend(sent, length, MPI_INT, sent[2], tag_of(sent[3], sent[1]), at->comm,
              &l->requests[1]);
}

/* All put something into the next rank's memory. */
static void use_window(state *s, soak_random *r, long number)
{
    const place *at = &s->places[draw(r, COMMS)];
    int *memory;
    MPI_Win window;
    if (at->p == 0)
        return;
    step(s, number, "use a window", NULL);
    const int value = (int) number + at->rank;
    MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, at->comm, &memory, &window);
    *memory = -1;
    MPI_Barrier(at->comm);
    MPI_Win_fence(0, window);
    MPI_Put(&value, 1, MPI_INT, (at->rank + 1) % at->p, 0, 1, MPI_INT, window);
    MPI_Win_fence(0, window);
    const int wanted = (int) number + (at->rank + at->p - 1) % at->p;
    if (*memory != wanted)
        wrong(number, "a window has a wrong value", *memory);
    MPI_Win_free(&window);
}

/* ---- communicators ---- */

static void set_place(place *at, MPI_Comm comm)
{
    static const int zero = 0;
    MPI_Group world, group;
    *at = (place) { comm, 0, -1, -1 };
    if (comm == MPI_COMM_NULL)
        return;
    MPI_Comm_size(comm, &at->p);
    MPI_Comm_rank(comm, &at->rank);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(comm, &group);
    MPI_Group_translate_ranks(group, 1, &zero, world, &at->first);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
}

/* A new one of some ranks of `from`, some in another order. */
static void make_comm(soak_random *r, bool in_threads, const place *from, place *to)
{
    const int any = draw(r, 6), number = 2 + draw(r, 3), offset = draw(r, 64);
    /* other ways in several threads at once may wait forever in MPICH over UCX and in Open MPI */
    const int way = in_threads && !control_needs_file ? 0 : any;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Request request;
    if (from->p == 0) {
        set_place(to, MPI_COMM_NULL);
        return;
    }
    const int place_in = (from->rank + offset) % from->p;
    switch (way) {
        case 0:
            MPI_Comm_dup(from->comm, &comm);
            break;
        case 1:
            MPI_Comm_idup(from->comm, &comm, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Barrier(comm);          /* until then, the plug-in forwards nonblocking calls */
            break;
        case 2:                 /* ranks reversed */
            MPI_Comm_split(from->comm, 0, -from->rank, &comm);
            break;
        case 3:                 /* in parts */
            MPI_Comm_split(from->comm, from->rank % number, place_in, &comm);
            break;
        case 4:                 /* all but some */
            MPI_Comm_split(from->comm, place_in % number == 1 ? MPI_UNDEFINED : 5,
                           place_in * (offset % 2 ? 1 : -1), &comm);
            break;
        default: {              /* one part in another order, made by its members */
            MPI_Group all, some;
            int ranks[CALL_MOST_RANKS], count = 0;
            bool member = false;
            for (int i = from->p - 1; i >= 0; i--)
                if ((i + offset) % number || from->p == 1) {
                    member |= i == from->rank;
                    ranks[count++] = i;
                }
            MPI_Comm_group(from->comm, &all);
            MPI_Group_incl(all, count, ranks, &some);
            /* Open MPI's messages for this match the program's MPI_ANY_TAG: it waits forever */
            if (is_open_mpi())
                MPI_Comm_create(from->comm, some, &comm);
            else if (member)
                MPI_Comm_create_group(from->comm, some, 7, &comm);
            MPI_Group_free(&all);
            MPI_Group_free(&some);
            break;
        }
    }
    set_place(to, comm);
}

/* Frees a communicator, if it is one of the lane's own. Collectives that do not end with their
 * first completion, and messages, end before; `all`: all of them. */
static void free_place(state *s, int which, bool all)
{
    for (int i = 0; i < SLOTS; i++) {
        slot *l = &s->slots[i];
        if (l->used && l->place == which && (all || l->persistent || l->traffic))
            retire(s, l);
    }
    if (which > 1 && s->places[which].p > 0)
        MPI_Comm_free(&s->places[which].comm);
}

static void replace_comm(state *s, soak_random *r, long number)
{
    const int which = 2 + draw(r, COMMS - 2);
    const int other = draw(r, COMMS - 1);
    /* Open MPI 4.1 crashes if a communicator is freed while a collective is under way */
    const bool all = !once_in(r, 3) || is_open_mpi();
    free_place(s, which, all);
    step(s, number, "make a communicator", NULL);
    make_comm(r, s->lane->forced, &s->places[other == which || other == 1 ? 0 : other],
              &s->places[which]);
}

/* ---- collectives ---- */

/* Where only sender and receiver know a block's size, every algorithm serves every call. */
static void check_ran(const state *s, const soak_call *c)
{
    const char *ran;
    if (s->lane->forced || !c->candidate.algorithm || c->call.p == 1 ||
        c->call.form != BLOCKING || !anypi_has_local_sizes(c->call.collective) ||
        !control_last(c->call.collective, &ran))
        return;
    if (!ran || strcmp(ran, c->candidate.algorithm->name))
        failed(&c->call, "%s ran", ran ? ran : "the library's own");
}

/* Makes the call with other sizes some times; whether it can then be made with the last ones. */
static bool repeat(state *s, soak_random *r, long number, soak_call *c)
{
    const bool local = anypi_has_local_sizes(c->call.collective);
    const int times = once_in(r, 4) ? draw(r, local ? 100 : 40) : local ? draw(r, 8) : 0;
    bool can = true;
    for (int i = 0; i < times && c->call.form != PERSISTENT; i++) {
        if (can) {
            call_prepare(c);
            step(s, number, "repeat it", c);
            run_call(&c->call);
            check_ran(s, c);
            call_free(c);
        }
        can = draw_sizes(r, local ? SOAK_MOST_COUNT : 100, c);
    }
    return can;
}

/* Starts a persistent call so many times; all but the last are completed. */
static void start(state *s, slot *l, int times)
{
    for (int i = 0; i < times; i++) {
        wait_for(s, l);
        step(s, l->number, "start it", &l->c);
        run_start(&l->run);
        l->active = true;
    }
}

/* Many others of the same collective and algorithm, while a persistent call is not started. */
static void make_others(state *s, soak_random *r, const slot *l)
{
    enum { OTHERS = 40 };
    soak_call other = l->c;
    other.call.shape = other.shape;
    other.call.candidate = &other.candidate;
    other.call.form = NONBLOCKING;
    for (int i = 0; i < OTHERS; i++) {
        if (!draw_sizes(r, 100, &other))
            continue;
        call_prepare(&other);
        step(s, l->number, "make others before it starts", &other);
        run_call(&other.call);
        call_free(&other);
    }
}

static void call(state *s, soak_random *r, long number)
{
    const int which = draw(r, SLOTS), where = draw(r, 8) % COMMS;
    slot *l = &s->slots[which];
    const place *at = &s->places[where];
    retire(s, l);
    *l = (slot) { .used = true, .number = number, .place = where, .first = at->first };
    const bool can = draw_call(r, number, SOAK_MOST_COUNT, at->comm, at->p, at->rank,
                               s->lane->forced, &l->c);
    l->persistent = l->c.call.form == PERSISTENT;
    if (options.verbose) {
        char text[512];
        call_text(&l->c.call, text, sizeof text);
        fprintf(stderr, "[%d] %s%s\n", world_rank, text, can ? "" : ": not made");
    }
    if (!can) {
        l->c.call.p = 0;
        return;
    }
    if (!repeat(s, r, number, &l->c)) {
        l->c.call.p = 0;
        return;
    }
    call_prepare(&l->c);
    step(s, number, "begin it", &l->c);
    run_begin(&l->run, &l->c.call);
    if (l->persistent) {
        const int way = draw(r, 8);
        if (way < 2)
            make_others(s, r, l);
        if (way > 0)            /* otherwise later, or never */
            start(s, l, way > 5 ? 20 : 1);
        return;
    }
    l->active = true;
    if (l->c.call.form == BLOCKING) {
        completed(s, l, NULL);
        check_ran(s, &l->c);
    }
}

/* Starts a persistent call, perhaps once more. */
static void restart(state *s, soak_random *r)
{
    slot *l = &s->slots[draw(r, SLOTS)];
    if (l->used && l->persistent && l->c.call.p > 0)
        start(s, l, 1);
}

void *lane_run(void *lane)
{
    state s = { .lane = lane };
    const soak_lane *of = lane;
    /* Debian's MPICH 4.0.2 over UCX puts too late; Open MPI 4.1 may fail to make a window */
    const bool windows = control_needs_file;
    set_place(&s.places[0], of->world);
    MPI_Comm alone = MPI_COMM_SELF;
    if (of->forced)
        MPI_Comm_split(of->world, world_rank, 0, &alone);
    set_place(&s.places[1], alone);
    for (long number = of->first + of->index; number < of->end; number += of->step) {
        soak_random r = random_of(number, 0), own = random_of(number, 1 + world_rank);
        const bool first = number < of->first + of->step;
        for (int i = 2; first && i < COMMS; i++) {
            step(&s, number, "make a communicator", NULL);
            make_comm(&r, of->forced, &s.places[0], &s.places[i]);
        }
        if (once_in(&r, 6))
            replace_comm(&s, &r, number);
        if (once_in(&r, 6))
            send_message(&s, &r, number);
        if (once_in(&r, 40) && !of->forced && windows)
            use_window(&s, &r, number);
        if (once_in(&r, 3))
            restart(&s, &r);
        call(&s, &r, number);
        complete_some(&s, &own);
    }
    for (int i = 0; i < SLOTS; i++)
        retire(&s, &s.slots[(i + (int) of->first) % SLOTS]);
    for (int i = 2; i < COMMS; i++)
        free_place(&s, i, true);
    if (of->forced)
        MPI_Comm_free(&alone);
    return NULL;
}

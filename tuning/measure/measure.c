/* SPDX-License-Identifier: BSD-3-Clause
 *
 * measure.c - commands from rank 0, rounds, and the order in which cells get their time.
 *
 * When a p begins, alpha, beta, gamma and overhead are measured; candidates that their closed forms
 * then call hopeless in a cell are not run there.
 *
 * A round times all candidates of a cell that are still in the race, each `calls` times between a
 * barrier and a look at the clock; the slowest rank counts. The first round of a cell only tells
 * how many calls make a time worth reading. Each round starts with another candidate, and with a
 * call that does not count.
 *
 * Where times are exact (network.c finds out), one call of a candidate tells all: see search_climb.c. Clocks are
 * the same on all ranks then, so that all begin at the same moment.
 */
#include "measure/measure.h"

#include "measure/steer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const double worthwhile = 0.003;         /* seconds: a time shorter than that is noise */
static const double costly = 0.1;               /* seconds: no further call of a clear loser, and
                                                   closed forms say how many candidates there may be */
static const double last_start = 0.7;           /* of the budget: no further p after that */
static const double meeting = 1;                /* simulated seconds: longer than an allreduce */
static const double apart = 10;                 /* simulated seconds: longer than a call */
enum { MOST_CALLS = 64, LOOK_CALLS = 2 + ANYPI_LEAST_ROUNDS /* of a candidate, at least */ };
enum { CHECKED_BYTES = 1 << 16 };       /* results of longer vectors are not looked at where times
                                           are exact: a simulator takes real time to compute them */
/* Candidates of a cell that are measured, however short or long the time is. */
enum { LEAST_OF_ANYP = 3, MOST_OF_ANYP = 24 };
/* A closed form may be twice the true time, and the fit of the model is rough. */
static const double hopeless = 3;
static const anypi_selection everything = { .most = ANYPI_MAX_CANDIDATES, .hopeless = INFINITY,
                                            .close = INFINITY, .fine = true };
/* Where times are exact, the model is, too, but for messages that overlap: with short vectors, a tree
 * of many of them may take a third of what its closed form says. */
static const anypi_selection exact_short = { .most = 12, .hopeless = 4, .close = 1.15,
                                            .fine = true };
static const anypi_selection exact_long = { .most = 6, .hopeless = 1.7, .close = 1.05,
                                           .fine = true };

typedef enum command_kind { OPEN, CHECK, ROUND, TRY, END } command_kind;

typedef struct command {
    int kind;                   /* a command_kind */
    int place;                  /* OPEN: in plan->procs; else in plan->cells */
    int calls;
    int first;                  /* the candidate that begins */
    unsigned char alive[ANYPI_MAX_CANDIDATES];
} command;

static double elapsed(const anypi_session *session)
{
    return anypi_seconds() - session->start;
}

static MPI_Comm comm_of(const anypi_session *session, const anypi_cell *cell)
{
    for (int i = 0; i < session->plan->procs_count; i++)
        if (session->plan->procs[i] == cell->p)
            return session->comms[i];
    return MPI_COMM_NULL;
}

static void open_comm(anypi_session *session, int place)
{
    const bool member = session->rank < session->plan->procs[place];
    MPI_Comm_split(session->world, member ? 0 : MPI_UNDEFINED, session->rank,
                   &session->comms[place]);
    if (session->comms[place] == MPI_COMM_NULL)
        return;
    MPI_Comm_set_errhandler(session->comms[place], MPI_ERRORS_RETURN);
    anypi_fit(session, session->comms[place]);
}

static anypi_verdict check_candidate(anypi_session *session, const anypi_cell *cell,
                                     const anypi_candidate *candidate, MPI_Comm comm)
{
    if (!anypi_steer_select(cell->collective, candidate))
        return ANYPI_REFUSED;
    const anypi_verdict verdict = anypi_work_check(&session->work, cell, comm, false,
                                                   anypi_own_equal(candidate->own));
    return verdict == ANYPI_RIGHT && !anypi_steer_ran(cell->collective, candidate)
        ? ANYPI_REFUSED : verdict;
}

/* Leaves the library's choice in force, for the tuner's own communication. */
static void check_cell(anypi_session *session, const anypi_cell *cell, const command *what,
                       MPI_Comm comm, int *verdicts)
{
    const anypi_candidates *candidates = &session->plan->candidates[cell->collective];
    int own[ANYPI_MAX_CANDIDATES] = { 0 };
    for (int c = 0; c < cell->candidates; c++)
        if (what->alive[c])
            own[c] = (int) check_candidate(session, cell, &candidates->list[c], comm);
    anypi_steer_select(cell->collective, &candidates->list[0]);
    MPI_Reduce(own, verdicts, cell->candidates, MPI_INT, MPI_MAX, 0, comm);
}

/* Waits until a moment, and returns when that was. */
static double wait_until(double moment)
{
    const double rest = moment - MPI_Wtime();
    struct timespec time = { .tv_sec = (time_t) rest };
    time.tv_nsec = (long) (1e9 * (rest - (double) time.tv_sec) + 0.5);
    if (rest > 0)
        nanosleep(&time, NULL);
    return MPI_Wtime();
}

/* A moment that all ranks have before them. */
static double agree_moment(MPI_Comm comm)
{
    double now = MPI_Wtime(), moment = now;
    PMPI_Allreduce(&now, &moment, 1, MPI_DOUBLE, MPI_MAX, comm);
    return moment + meeting;
}

double anypi_begin(MPI_Comm comm, bool exact)
{
    if (exact)
        return wait_until(agree_moment(comm));
    MPI_Barrier(comm);
    return MPI_Wtime();
}

static void time_cell(anypi_session *session, const anypi_cell *cell, const command *what,
                      MPI_Comm comm, double *times)
{
    const anypi_candidates *candidates = &session->plan->candidates[cell->collective];
    double own[ANYPI_MAX_CANDIDATES] = { 0 };
    anypi_work_fill(&session->work, cell, comm);
    for (int i = 0; i < cell->candidates; i++) {
        const int c = (what->first + i) % cell->candidates;
        if (!what->alive[c])
            continue;
        anypi_steer_select(cell->collective, &candidates->list[c]);
        if (what->calls > 1 || !i)      /* wakes caches and ranks */
            anypi_work_call(&session->work, cell, comm);
        const double start = anypi_begin(comm, false);
        for (int call = 0; call < what->calls; call++)
            anypi_work_call(&session->work, cell, comm);
        own[c] = (MPI_Wtime() - start) / what->calls;
    }
    anypi_steer_select(cell->collective, &candidates->list[0]);
    MPI_Reduce(own, times, cell->candidates, MPI_DOUBLE, MPI_MAX, 0, comm);
}

/* Where times are exact: checks and times each candidate with the same call. The candidates begin
 * at moments that lie so far apart that no call takes longer; verdicts are of vectors that are not
 * too long to be looked at. */
static void try_cell(anypi_session *session, const anypi_cell *cell, const command *what,
                     MPI_Comm comm, int *verdicts, double *times)
{
    const anypi_candidates *candidates = &session->plan->candidates[cell->collective];
    int own[ANYPI_MAX_CANDIDATES] = { 0 };
    double seconds[ANYPI_MAX_CANDIDATES] = { 0 };
    const bool look = cell->bytes <= CHECKED_BYTES;
    if (!look)
        anypi_work_fill(&session->work, cell, comm);
    double moment = 0;
    for (int c = 0; c < cell->candidates; c++) {
        if (!what->alive[c])
            continue;
        anypi_steer_select(cell->collective, &candidates->list[c]);
        if (session->warm != cell->p) { /* makes the communicator's state */
            anypi_work_fill(&session->work, cell, comm);
            anypi_work_call(&session->work, cell, comm);
        }
        session->warm = cell->p;
        if (look)
            anypi_work_prepare(&session->work, cell, comm);
        if (moment == 0)
            moment = agree_moment(comm);
        const double begin = wait_until(moment);
        const int error = anypi_work_call(&session->work, cell, comm);
        seconds[c] = MPI_Wtime() - begin;
        moment += apart;
        own[c] = error || !anypi_steer_ran(cell->collective, &candidates->list[c]) ? ANYPI_REFUSED
            : look ? (int) anypi_work_verify(&session->work, cell, comm) : ANYPI_RIGHT;
    }
    anypi_steer_select(cell->collective, &candidates->list[0]);
    MPI_Reduce(own, verdicts, cell->candidates, MPI_INT, MPI_MAX, 0, comm);
    MPI_Reduce(seconds, times, cell->candidates, MPI_DOUBLE, MPI_MAX, 0, comm);
}

/* Does on this rank what rank 0 has told. Answers matter on rank 0 only. */
static void execute(anypi_session *session, const command *what, int *verdicts, double *times)
{
    if (what->kind == OPEN) {
        open_comm(session, what->place);
        return;
    }
    const anypi_cell *cell = &session->plan->cells[what->place];
    const MPI_Comm comm = comm_of(session, cell);
    if (comm == MPI_COMM_NULL)
        return;
    if (what->kind == CHECK)
        check_cell(session, cell, what, comm, verdicts);
    else if (what->kind == TRY)
        try_cell(session, cell, what, comm, verdicts, times);
    else
        time_cell(session, cell, what, comm, times);
}

static void serve(anypi_session *session)
{
    command what;
    for (;;) {
        MPI_Bcast(&what, (int) sizeof what, MPI_BYTE, 0, session->world);
        if (what.kind == END)
            return;
        execute(session, &what, NULL, NULL);
    }
}

/* ---- rank 0 ---- */

static void tell(anypi_session *session, command_kind kind, int place, int calls, int first,
                 int *verdicts, double *times)
{
    command what = { .kind = (int) kind, .place = place, .calls = calls, .first = first };
    if (kind != OPEN && kind != END) {
        const anypi_cell *cell = &session->plan->cells[place];
        for (int c = 0; c < cell->candidates; c++)
            what.alive[c] = cell->alive[c];
        anypi_progress(session, cell);
    }
    MPI_Bcast(&what, (int) sizeof what, MPI_BYTE, 0, session->world);
    if (kind != END)
        execute(session, &what, verdicts, times);
}

/* Takes out whose result is wrong, loudly; an algorithm of the library's own may just not fit. */
static void judge(anypi_session *session, anypi_cell *cell, const int *verdicts)
{
    for (int c = 0; c < cell->candidates; c++) {
        const anypi_candidate *candidate =
            &session->plan->candidates[cell->collective].list[c];
        const bool unfit = verdicts[c] == ANYPI_REFUSED && c && !candidate->algorithm;
        char text[2 * ANYPI_NAME_SIZE];
        if (!cell->alive[c] || verdicts[c] == ANYPI_RIGHT)
            continue;
        cell->alive[c] = false;
        if (unfit)
            continue;
        session->wrong++;
        fprintf(stderr, "anyp-tune: ERROR: %s with %s gives %s: p=%d, %lld bytes, %s; it is left "
                "out. Please report this.\n", anyp_collective_name(cell->collective),
                anypi_candidate_text(candidate, text, sizeof text),
                verdicts[c] == ANYPI_WRONG ? "a wrong result" : "an error", cell->p,
                (long long) cell->bytes, cell->commutative ? "sum" : "matrix product");
    }
}

static void check(anypi_session *session, int place)
{
    int verdicts[ANYPI_MAX_CANDIDATES] = { 0 };
    tell(session, CHECK, place, 0, 0, verdicts, NULL);
    judge(session, &session->plan->cells[place], verdicts);
}

void anypi_try(anypi_session *session, anypi_cell *cell, const bool *chosen)
{
    int verdicts[ANYPI_MAX_CANDIDATES] = { 0 };
    double times[ANYPI_MAX_CANDIDATES];
    bool any = false;
    for (int c = 0; c < cell->candidates; c++)
        any |= cell->alive[c] = chosen[c];
    if (!any)
        return;
    tell(session, TRY, (int) (cell - session->plan->cells), 0, 0, verdicts, times);
    judge(session, cell, verdicts);
    for (int c = 0; c < cell->candidates; c++)
        if (cell->alive[c]) {
            cell->times[c] = times[c];
            cell->skipped[c] = false;
        }
}

/* The candidate that begins the next round: those in the race take turns. */
static int starter(const anypi_cell *cell)
{
    int alive = 0;
    for (int c = 0; c < cell->candidates; c++)
        alive += cell->alive[c];
    int turn = alive ? cell->rounds % alive : 0;
    for (int c = 0; c < cell->candidates; c++)
        if (cell->alive[c] && !turn--)
            return c;
    return 0;
}

/* One round more for a cell; its times are kept unless `calls` is 1 for the estimate. */
static void round_of(anypi_session *session, int place, int calls, double *times)
{
    anypi_cell *cell = &session->plan->cells[place];
    tell(session, ROUND, place, calls, starter(cell), NULL, times);
    for (int c = 0; c < cell->candidates; c++)
        if (!cell->alive[c])
            times[c] = NAN;
}

static void keep_round(anypi_session *session, int place, int calls)
{
    anypi_cell *cell = &session->plan->cells[place];
    round_of(session, place, calls, &cell->times[cell->rounds * cell->candidates]);
    cell->rounds++;
}

/* How many calls make a time of this cell worth reading. */
static int calls_for(double shortest)
{
    const double calls = worthwhile / (shortest > 1e-9 ? shortest : 1e-9);
    return calls < 1 ? 1 : calls > MOST_CALLS ? MOST_CALLS : (int) calls;
}

/* Seconds that a candidate of a cell takes at least in its first look: as long as those before it,
 * or as the calls of the most promising. */
static double look_at(const anypi_session *session, const anypi_cell *cell)
{
    const double before = session->looks ? session->looked / session->looks : 4 * worthwhile;
    return fmax(before, LOOK_CALLS * cell->promise);
}

/* How many candidates a cell may have, so that all cells of this p get their first look at as many
 * in its share of the budget. */
static double affordable(const anypi_session *session, int place)
{
    const anypi_plan *plan = session->plan;
    double each = 0;
    for (int i = place; i < plan->cells_count; i++)
        if (plan->cells[i].p == plan->cells[place].p)
            each += look_at(session, &plan->cells[i]);
    return (session->share_end - elapsed(session)) / each;
}

/* How many of AnyP's, by the same rule. */
static int affordable_anyp(const anypi_session *session, int place)
{
    const anypi_cell *cell = &session->plan->cells[place];
    double most = affordable(session, place);
    for (int c = 0; c < cell->candidates; c++)
        most -= cell->alive[c] && !session->plan->candidates[cell->collective].list[c].algorithm;
    return most < LEAST_OF_ANYP ? LEAST_OF_ANYP : most > MOST_OF_ANYP ? MOST_OF_ANYP : (int) most;
}

static anypi_selection selection(const anypi_session *session, int place)
{
    const bool is_long = session->plan->cells[place].bytes > CHECKED_BYTES;
    if (session->all)
        return everything;
    if (session->plan->exact)
        return is_long ? exact_long : exact_short;
    const anypi_cell *cell = &session->plan->cells[place];
    const int most = affordable_anyp(session, place);
    const double seconds = most * look_at(session, cell) / LOOK_CALLS;
    return (anypi_selection) {
        .most = most, .hopeless = hopeless, .close = hopeless, .least = LEAST_OF_ANYP,
        .seconds = cell->promise < costly ? 0 : seconds
    };
}

/* Is there something to compare AnyP's algorithms with, or no need of it? Not if the library is
 * wrong here. */
static bool comparable(const anypi_plan *plan, const anypi_cell *cell)
{
    return cell->alive[0] || plan->only_anyp;
}

/* The first look at a cell. `calls` returns how many calls its rounds take. False: out of time. */
static bool first_look(anypi_session *session, int place, int *calls)
{
    anypi_cell *cell = &session->plan->cells[place];
    double times[ANYPI_MAX_CANDIDATES] = { 0 };
    anypi_cell_leave_out(session->plan, place, worthwhile);
    if (!session->all)
        anypi_cell_thin(session->plan, place, affordable(session, place) / 2);
    if (session->plan->exact)
        anypi_exact_leave_out(cell, &session->plan->candidates[cell->collective]);
    anypi_cell_prune(cell, &session->plan->candidates[cell->collective],
                     &session->models[!cell->commutative], selection(session, place));
    if (elapsed(session) > session->budget)
        return false;
    if (session->plan->exact) {
        anypi_exact_look(session, cell);
        return true;
    }
    check(session, place);
    if (!comparable(session->plan, cell))
        return true;
    round_of(session, place, 1, times);
    double shortest = INFINITY;
    for (int c = 0; c < cell->candidates; c++)
        shortest = fmin(shortest, times[c]);    /* ignores NAN */
    *calls = calls_for(shortest);
    for (int c = 1; c < cell->candidates; c++)
        if (cell->alive[c] && times[c] > 8 * shortest && times[c] > costly)
            cell->alive[c] = false;
    for (int i = 0; i < ANYPI_LEAST_ROUNDS; i++) {
        if (elapsed(session) > session->budget)
            return false;
        keep_round(session, place, *calls);
        if (!anypi_race(cell))
            break;
    }
    return true;
}

/* Every cell of one p; false if time was out before the last. */
static bool first_looks(anypi_session *session, int place, int *calls)
{
    const anypi_plan *plan = session->plan;
    tell(session, OPEN, place, 0, 0, NULL, NULL);
    anypi_progress_shared(session);
    for (int i = 0; i < plan->cells_count; i++) {
        anypi_cell *cell = &plan->cells[i];
        if (cell->p == plan->procs[place] && !plan->exact)
            cell->promise = anypi_cell_promise(cell, &plan->candidates[cell->collective],
                                               &session->models[!cell->commutative]);
    }
    for (int i = 0; i < plan->cells_count; i++) {
        if (plan->cells[i].p != plan->procs[place])
            continue;
        const double begin = elapsed(session);
        if (!first_look(session, i, &calls[i]))
            return false;
        session->looked += elapsed(session) - begin;
        for (int c = 0; c < plan->cells[i].candidates; c++)
            session->looks += !isnan(plan->cells[i].times[c]);
    }
    return true;
}

/* One round more for every open race; false if none is open or time is out. */
static bool further_rounds(anypi_session *session, const int *calls)
{
    const anypi_plan *plan = session->plan;
    bool any = false;
    for (int i = 0; i < plan->procs_count; i++)
        for (int place = 0; plan->complete[i] && place < plan->cells_count; place++) {
            anypi_cell *cell = &plan->cells[place];
            if (cell->p != plan->procs[i] || !comparable(plan, cell) ||
                cell->rounds == ANYPI_MAX_ROUNDS || !anypi_race(cell))
                continue;
            if (elapsed(session) > session->budget)
                return false;
            keep_round(session, place, calls[place]);
            any = true;
        }
    return any;
}

static void lead(anypi_session *session)
{
    anypi_plan *plan = session->plan;
    int order[ANYPI_MAX_LIST];
    int *calls = calloc((size_t) plan->cells_count + 1, sizeof *calls);
    anypi_procs_order(plan->procs, plan->procs_count, order);
    bool time_left = calls;
    for (int i = 0; time_left && i < plan->procs_count; i++) {
        if (i && elapsed(session) > last_start * session->budget)
            break;
        const double left = last_start * session->budget - elapsed(session);
        const int shares = i ? plan->procs_count - i : plan->procs_count > 1 ? 2 : 1;
        session->share_end = elapsed(session) + left / shares;
        plan->complete[order[i]] = time_left = first_looks(session, order[i], calls);
    }
    while (time_left && !plan->exact && further_rounds(session, calls))
        continue;
    tell(session, END, 0, 0, 0, NULL, NULL);
    anypi_progress_end(session);
    free(calls);
}

void anypi_measure(anypi_session *session)
{
    for (int i = 0; i < session->plan->procs_count; i++)
        session->comms[i] = MPI_COMM_NULL;
    if (session->rank)
        serve(session);
    else
        lead(session);
    for (int i = 0; i < session->plan->procs_count; i++)
        if (session->comms[i] != MPI_COMM_NULL)
            MPI_Comm_free(&session->comms[i]);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/command.h"

#include "measure/clock.h"
#include "measure/steer.h"

#include <stdio.h>

/* Simulated seconds between the beginnings of two calls: longer than a call takes. */
static const double apart = 10;

typedef enum command_kind { OPEN, CHECK, ROUND, TRY, END } command_kind;

typedef struct command {
    int kind;                   /* a command_kind */
    int index;                  /* OPEN: of plan->procs; else of plan->cells */
    int calls;
    int first;                  /* the candidate that begins */
    unsigned char chosen[ANYPI_MAX_CANDIDATES];
} command;

static MPI_Comm comm_of(const anypi_session *session, const anypi_cell *cell)
{
    for (int i = 0; i < session->plan->procs_count; i++)
        if (session->plan->procs[i] == cell->p)
            return session->comms[i];
    return MPI_COMM_NULL;
}

static void open_comm(anypi_session *session, int index)
{
    const bool member = session->rank < session->plan->procs[index];
    MPI_Comm *comm = &session->comms[index];
    MPI_Comm_split(session->world, member ? 0 : MPI_UNDEFINED, session->rank, comm);
    if (*comm == MPI_COMM_NULL)
        return;
    MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
    anypi_fit(session, *comm);
}

static anypi_outcome check_candidate(anypi_session *session, const anypi_cell *cell,
                                     const anypi_candidate *candidate, MPI_Comm comm)
{
    if (!anypi_steer_select(cell->collective, candidate))
        return ANYPI_REFUSED;
    const anypi_outcome verdict = anypi_work_check(&session->work, cell, comm, false,
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
        if (what->chosen[c])
            own[c] = (int) check_candidate(session, cell, &candidates->list[c], comm);
    anypi_steer_select(cell->collective, &candidates->list[0]);
    MPI_Reduce(own, verdicts, cell->candidates, MPI_INT, MPI_MAX, 0, comm);
}

static void time_cell(anypi_session *session, const anypi_cell *cell, const command *what,
                      MPI_Comm comm, double *times)
{
    const anypi_candidates *candidates = &session->plan->candidates[cell->collective];
    double own[ANYPI_MAX_CANDIDATES] = { 0 };
    anypi_work_fill(&session->work, cell, comm);
    for (int i = 0; i < cell->candidates; i++) {
        const int c = (what->first + i) % cell->candidates;
        if (!what->chosen[c])
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
    const bool look = cell->bytes <= session->plan->most_checked;
    if (!look)
        anypi_work_fill(&session->work, cell, comm);
    double moment = 0;
    for (int c = 0; c < cell->candidates; c++) {
        if (!what->chosen[c])
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
            moment = anypi_agree_moment(comm);
        const double begin = anypi_wait_until(moment);
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
        open_comm(session, what->index);
        return;
    }
    const anypi_cell *cell = &session->plan->cells[what->index];
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

void anypi_command_serve(anypi_session *session)
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

/* `chosen`: of the candidates of a cell; NULL: those in the race. */
static void tell(anypi_session *session, command what, const anypi_cell *cell, const bool *chosen,
                 int *verdicts, double *times)
{
    if (cell) {
        what.index = (int) (cell - session->plan->cells);
        for (int c = 0; c < cell->candidates; c++)
            what.chosen[c] = chosen ? chosen[c] : cell->trials[c].state == ANYPI_RUNNING;
        anypi_progress(session, cell);
    }
    MPI_Bcast(&what, (int) sizeof what, MPI_BYTE, 0, session->world);
    if (what.kind != END)
        execute(session, &what, verdicts, times);
}

/* Takes out whose result is wrong, loudly; an algorithm of the library's own may just not fit. */
static void judge(anypi_session *session, anypi_cell *cell, const int *verdicts)
{
    for (int c = 0; c < cell->candidates; c++) {
        const anypi_candidate *candidate =
            &session->plan->candidates[cell->collective].list[c];
        char text[ANYPI_TEXT_SIZE];
        if (verdicts[c] == ANYPI_RIGHT)
            continue;
        cell->trials[c].state = ANYPI_FAILED;
        if (verdicts[c] == ANYPI_REFUSED && c && !candidate->algorithm)
            continue;
        session->wrong++;
        fprintf(stderr, "anyp-tune: ERROR: %s with %s gives %s: p=%d, %lld bytes, %s; it is left "
                "out. Please report this.\n", anyp_collective_name(cell->collective),
                anypi_candidate_text(candidate, text, sizeof text),
                verdicts[c] == ANYPI_WRONG ? "a wrong result" : "an error", cell->p,
                (long long) cell->bytes, anypi_operator(cell->commutative));
    }
}

void anypi_command_open(anypi_session *session, int index)
{
    tell(session, (command) { .kind = OPEN, .index = index }, NULL, NULL, NULL, NULL);
}

void anypi_command_check(anypi_session *session, anypi_cell *cell)
{
    int verdicts[ANYPI_MAX_CANDIDATES] = { 0 };
    tell(session, (command) { .kind = CHECK }, cell, NULL, verdicts, NULL);
    judge(session, cell, verdicts);
}

void anypi_command_round(anypi_session *session, anypi_cell *cell, int calls, double *times)
{
    int running = 0, first = 0;
    for (int c = 0; c < cell->candidates; c++)
        running += cell->trials[c].state == ANYPI_RUNNING;
    /* the candidates in the race take turns to be the first */
    for (int turn = running ? cell->rounds % running + 1 : 0; turn; first++)
        turn -= cell->trials[first].state == ANYPI_RUNNING;
    tell(session, (command) { .kind = ROUND, .calls = calls, .first = first ? first - 1 : 0 }, cell,
         NULL, NULL, times);
}

void anypi_command_try(anypi_session *session, anypi_cell *cell, const bool *chosen)
{
    int verdicts[ANYPI_MAX_CANDIDATES] = { 0 };
    double times[ANYPI_MAX_CANDIDATES];
    bool any = false;
    for (int c = 0; c < cell->candidates; c++)
        any |= chosen[c];
    if (!any)
        return;
    tell(session, (command) { .kind = TRY }, cell, chosen, verdicts, times);
    for (int c = 0; c < cell->candidates; c++)
        if (chosen[c]) {
            cell->trials[c].state = ANYPI_RUNNING;
            cell->trials[c].count = verdicts[c] == ANYPI_RIGHT;
            cell->trials[c].times[0] = times[c];
        }
    judge(session, cell, verdicts);
}

void anypi_command_end(anypi_session *session)
{
    tell(session, (command) { .kind = END }, NULL, NULL, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/command.h"

#include "measure/budget.h"
#include "measure/clock.h"
#include "measure/results.h"
#include "measure/steer.h"
#include "tuner/candidates.h"
#include "tuner/node_shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Simulated seconds between the starts of two calls: longer than any call. */
static const double between = 10;
/* In seconds: if ranks arrive apart, noise could make a time negative. */
static const double least_time = 1e-9;

typedef enum command_kind { OPEN, ADD, CHECK, ROUND, TRY, END } command_kind;

typedef struct command {
    int kind;                   /* a command_kind */
    int index;                  /* OPEN: of plan->procs; otherwise of plan->cells */
    int candidates;             /* of the cell */
    int calls;
    int first;                  /* the first candidate */
    anypi_text text;            /* ADD: the candidate */
    unsigned char chosen[ANYPI_MAX_CANDIDATES];
} command;

static void open_comm(anypi_session *session, int index)
{
    const bool member = session->position < session->plan->procs[index];
    MPI_Comm *comm = &session->comms[index];
    MPI_Comm_split(session->world, member ? 0 : MPI_UNDEFINED, session->rank, comm);
    if (*comm == MPI_COMM_NULL)
        return;
    MPI_Comm_set_errhandler(*comm, MPI_ERRORS_RETURN);
    anypi_fit(session, *comm, session->plan->nodes[index]);
}

/* Finds or adds the candidate with a text, for a cell. Returns its index, the same on all ranks; or
 * -1. A new candidate receives the library's number of its algorithm. */
static int add(anypi_plan *plan, anypi_cell *cell, const char *text)
{
    anypi_candidates *candidates = &plan->candidates[cell->collective];
    const int c = anypi_candidates_find(candidates, text);
    bool known = c >= 0 && c < cell->candidates;
    for (int i = 0; !known && i < c; i++)
        if (!strcmp(candidates->list[i].name, candidates->list[c].name)) {
            candidates->list[c].value = candidates->list[i].value;
            known = true;
        }
    if (c >= cell->candidates && !plan->follows && !anypi_cell_trials(cell, candidates->count))
        return -1;
    return known ? c : -1;
}

/* Selects a candidate for the calls of a cell. */
static bool select_candidate(const anypi_cell *cell, const anypi_candidate *candidate)
{
    anypi_candidate settled = *candidate;
    anypi_candidate_settle(cell, &settled);
    return anypi_steer_select(cell->collective, &settled);
}

static anypi_outcome check(anypi_session *session, const anypi_cell *cell,
                           const anypi_candidate *candidate, MPI_Comm comm)
{
    const anypi_outcome outcome = anypi_work_check(&session->work, cell, comm, false);
    return outcome == ANYPI_RIGHT && !anypi_steer_ran(cell->collective, candidate)
        ? ANYPI_REFUSED : outcome;
}

/* If times are exact: checks and times a candidate. Candidates begin so far apart that no call
 * takes longer than that. *moment is the next start, 0 before the first. Vectors may be too long to
 * be checked. */
static anypi_outcome try_once(anypi_session *session, const anypi_cell *cell,
                              const anypi_candidate *candidate, double *moment, double *seconds)
{
    const int index = cell->procs;
    const MPI_Comm comm = session->comms[index];
    const bool checks = cell->bytes <= session->plan->max_checked;
    int error = MPI_SUCCESS;
    if (!session->warm[index]) {        /* the first call creates the communicator's state */
        anypi_work_fill(&session->work, cell, comm);
        anypi_work_call(&session->work, cell, comm);
    }
    /* after other candidates, a later call may still make AnyP's communicator and find nodes */
    if (candidate->algorithm && anypi_candidate_uses_nodes(candidate->algorithm))
        session->warm[index] = true;
    if (checks)
        anypi_work_prepare(&session->work, cell, comm);
    /* at a round time, so that the clock is rounded in much the same way in every run */
    if (*moment == 0)
        *moment = between * ceil(anypi_agree_moment(comm) / between);
    *seconds = anypi_work_row(&session->work, cell, anypi_cell_in_row(cell) ? ANYPI_ROW : 1,
                              *moment, comm, &error);
    *moment += between;
    return error || !anypi_steer_ran(cell->collective, candidate) ? ANYPI_REFUSED
        : checks ? anypi_work_verify(&session->work, cell, comm) : ANYPI_RIGHT;
}

/* Runs the chosen candidates of a cell. outcomes[] receives their outcomes, and after these the
 * signal that has arrived at a rank. Then selects the library's choice again, for the tuner's own
 * communication. */
static void run_cell(anypi_session *session, const anypi_cell *cell, const command *what,
                     MPI_Comm comm, int *outcomes, double *times)
{
    const anypi_candidate *list = session->plan->candidates[cell->collective].list;
    int own[ANYPI_MAX_CANDIDATES + 1] = { 0 };
    double seconds[ANYPI_MAX_CANDIDATES] = { 0 }, moment = 0;
    anypi_work_fill(&session->work, cell, comm);
    for (int i = 0; i < cell->candidates; i++) {
        const int c = (what->first + i) % cell->candidates;
        if (!what->chosen[c])
            continue;
        if (!select_candidate(cell, &list[c]))
            own[c] = ANYPI_REFUSED;
        else if (what->kind == CHECK)
            own[c] = (int) check(session, cell, &list[c], comm);
        else if (what->kind == TRY)
            own[c] = (int) try_once(session, cell, &list[c], &moment, &seconds[c]);
        else
            seconds[c] = anypi_work_time(&session->work, cell, what->calls,
                                         what->calls > 1 || !i, comm);
    }
    anypi_steer_select(cell->collective, &list[0]);
    own[cell->candidates] = anypi_interrupt();
    MPI_Reduce(own, outcomes, cell->candidates + 1, MPI_INT, MPI_MAX, 0, comm);
    MPI_Reduce(seconds, times, cell->candidates, MPI_DOUBLE, MPI_MAX, 0, comm);
    for (int c = 0; times && what->kind != CHECK && c < cell->candidates; c++)
        times[c] = what->chosen[c] ? fmax(times[c], least_time) : 0;
}

/* Executes a command of rank 0 on all ranks of the world. Results are on rank 0 only. */
static void execute(anypi_session *session, command *what, int *outcomes, double *times)
{
    MPI_Bcast(what, (int) sizeof *what, MPI_BYTE, 0, session->world);
    if (what->kind == OPEN)
        open_comm(session, what->index);
    if (what->kind == OPEN || what->kind == END)
        return;
    anypi_cell *cell = &session->plan->cells[what->index];
    cell->candidates = what->candidates;
    if (what->kind == ADD) {
        what->first = add(session->plan, cell, what->text.text);
        return;
    }
    const MPI_Comm comm = session->comms[cell->procs];
    if (comm != MPI_COMM_NULL)
        run_cell(session, cell, what, comm, outcomes, times);
}

bool anypi_command_all(anypi_session *session, bool (*lead)(anypi_session *session, void *context),
                       void *context)
{
    command what = { .kind = END };
    const int procs = session->plan->procs_count;
    bool done = true;
    for (int i = 0; i < procs; i++)
        session->comms[i] = MPI_COMM_NULL;
    if (session->rank) {
        do
            execute(session, &what, NULL, NULL);
        while (what.kind != END);
    } else {
        done = lead(session, context);
        if (!session->interrupt)
            session->interrupt = anypi_interrupt();
        execute(session, &what, NULL, NULL);
        anypi_progress_end(session);
    }
    for (int i = 0; i < procs; i++)
        if (session->comms[i] != MPI_COMM_NULL)
            MPI_Comm_free(&session->comms[i]);
    return done;
}

/* ---- rank 0 ---- */

/* Removes candidates with a wrong result, with a message. */
static void remove_wrong(anypi_session *session, anypi_cell *cell, const int *outcomes)
{
    for (int c = 0; c < cell->candidates; c++) {
        const anypi_candidate *candidate = anypi_candidate_of(session->plan, cell, c);
        if (outcomes[c] == ANYPI_RIGHT)
            continue;
        cell->trials[c].running = false;
        cell->trials[c].count = 0;
        session->wrong++;
        fprintf(stderr, "anyp-tune: ERROR: %s with %s gives %s: %s, %lld bytes, %s; please "
                "report this\n", anypi_form_name(cell->collective),
                anypi_candidate_text(candidate).text,
                outcomes[c] == ANYPI_WRONG ? "a wrong result" : "an error",
                anypi_procs_text(cell->p, cell->nodes).text,
                (long long) cell->bytes, anypi_operator(cell->collective, cell->commutative));
    }
}

/* Runs the candidates of a cell that are in the race; those with a wrong result fail. */
static void command_cell(anypi_session *session, command what, anypi_cell *cell, double *times)
{
    int outcomes[ANYPI_MAX_CANDIDATES + 1] = { 0 };
    what.index = (int) (cell - session->plan->cells);
    what.candidates = cell->candidates;
    for (int c = 0; c < cell->candidates; c++)
        what.chosen[c] = cell->trials[c].running;
    anypi_progress(session, cell);
    execute(session, &what, outcomes, times);
    if (outcomes[cell->candidates])
        session->interrupt = outcomes[cell->candidates];
    remove_wrong(session, cell, outcomes);
}

void anypi_command_open(anypi_session *session, int index)
{
    execute(session, &(command) { .kind = OPEN, .index = index }, NULL, NULL);
}

bool anypi_command_is_open(const anypi_session *session, const anypi_cell *cell)
{
    return session->comms[cell->procs] != MPI_COMM_NULL;
}

int anypi_command_add(anypi_session *session, anypi_cell *cell, const anypi_candidate *candidate)
{
    command what = { .kind = ADD, .index = (int) (cell - session->plan->cells),
                     .candidates = cell->candidates, .text = anypi_candidate_text(candidate) };
    execute(session, &what, NULL, NULL);
    return what.first;
}

void anypi_command_check(anypi_session *session, anypi_cell *cell)
{
    double times[ANYPI_MAX_CANDIDATES];
    command_cell(session, (command) { .kind = CHECK }, cell, times);
}

void anypi_command_round(anypi_session *session, anypi_cell *cell, int calls, double *times)
{
    const int running = anypi_cell_running(cell);
    int first = 0;
    /* the candidates in the race take turns to be the first */
    for (int turn = running ? cell->rounds % running + 1 : 0; turn; first++)
        turn -= cell->trials[first].running;
    command_cell(session, (command) { .kind = ROUND, .calls = calls,
                                      .first = first ? first - 1 : 0 }, cell, times);
}

/* Returns a time without the digits that rounding of the clock may change. */
static double significant(double time)
{
    char digits[40];
    snprintf(digits, sizeof digits, "%.7g", time);
    return strtod(digits, NULL);
}

void anypi_command_try(anypi_session *session, anypi_cell *cell)
{
    double times[ANYPI_MAX_CANDIDATES];
    if (!anypi_cell_running(cell) || anypi_interrupted(session))
        return;
    command_cell(session, (command) { .kind = TRY }, cell, times);
    for (int c = 0; c < cell->candidates; c++)
        if (cell->trials[c].running) {
            cell->trials[c].count = 1;
            cell->trials[c].times[0] = significant(times[c]);
        }
}

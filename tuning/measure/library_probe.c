/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which of MPICH's algorithms a rule may name. MPICH checks an algorithm's
 * restrictions where a control variable forces it, and with MPIR_CVAR_COLLECTIVE_FALLBACK=error
 * refuses what does not fit; it does not check a rule of a decision file. So each algorithm is tried
 * in the corners that a rule for all vectors and operators reaches, as far as the conditions around
 * the rule let them through (plan/library.h): one element, a user-defined operator, a p that is no
 * power of two, a communicator of one process (which has no hierarchy of nodes).
 */
#include "measure/session.h"

#include "measure/steer.h"

#include <stdio.h>

/* The worst verdict of any rank of the world. */
static anypi_outcome try_candidate(anypi_session *session, anypi_cell cell,
                                   const anypi_candidate *candidate, MPI_Comm comm,
                                   bool user_operator)
{
    const anypi_candidates *list = &session->plan->candidates[cell.collective];
    int verdict = ANYPI_RIGHT, worst = ANYPI_RIGHT;
    if (comm != MPI_COMM_NULL) {
        verdict = anypi_steer_select(cell.collective, candidate)
            ? anypi_work_check(&session->work, &cell, comm, user_operator,
                               anypi_own_equal(candidate->own)) : ANYPI_REFUSED;
        anypi_steer_select(cell.collective, &list->list[0]);
    }
    MPI_Allreduce(&verdict, &worst, 1, MPI_INT, MPI_MAX, session->world);
    return (anypi_outcome) worst;
}

/* The processes of a corner; comm is NULL on the others. */
typedef struct corner {
    MPI_Comm comm;
    int p;
} corner;

enum { CORNERS = 3, SEVERAL = 64 /* bytes: more elements than processes */ };

/* Does the library refuse what does not fit? AnyP's algorithms for operators that commute must not
 * take another: else nothing that follows would prove anything. */
static bool refuses(anypi_session *session, const corner *where)
{
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const anypi_candidates *candidates = &session->plan->candidates[i];
        const anypi_cell cell = { .collective = (anyp_collective) i, .p = where->p };
        for (int c = 0; session->plan->wanted[i] && c < candidates->count; c++) {
            const anyp_algorithm *algorithm = candidates->list[c].algorithm;
            if (algorithm && !(algorithm->properties & ANYP_CANONICAL))
                return try_candidate(session, cell, &candidates->list[c], where->comm, true) ==
                    ANYPI_REFUSED;
        }
    }
    return false;
}

/* The worst call of a corner that a rule may let through to the candidate: one element rather than
 * several, a user-defined operator rather than a built-in one. None at all is right. */
static anypi_outcome try_corner(anypi_session *session, anypi_cell cell,
                                const anypi_candidate *candidate, const corner *where)
{
    cell.p = where->p;
    for (int vectors = 0; vectors < 2; vectors++) {
        cell.bytes = vectors * SEVERAL;
        const anyp_call call = anypi_cell_call(&cell);
        for (int builtin = 0; builtin <= cell.commutative; builtin++)
            if (!candidate->own || anypi_own_serves(candidate->own, &call, builtin))
                return try_candidate(session, cell, candidate, where->comm, !builtin);
    }
    return ANYPI_RIGHT;
}

/* Does one of the library's candidates serve all corners with one kind of operators? */
static bool serves(anypi_session *session, anyp_collective collective,
                   const anypi_candidate *candidate, int operators, const corner *corners)
{
    const anypi_cell cell = { .collective = collective, .commutative = !operators };
    char text[ANYPI_TEXT_SIZE];
    for (int i = 0; i < CORNERS; i++) {
        if (try_corner(session, cell, candidate, &corners[i]) == ANYPI_RIGHT)
            continue;
        if (!session->rank && session->verbose)
            fprintf(stderr, "anyp-tune: %s %s is left to MPICH's automatic choice for operators "
                    "that %scommute: it does not serve every call\n",
                    anyp_collective_name(collective),
                    anypi_candidate_text(candidate, text, sizeof text),
                    operators ? "do not " : "");
        return false;
    }
    return true;
}

/* A candidate has failed with one kind of operators. */
static void fail(const anypi_plan *plan, anyp_collective collective, int c, int operators)
{
    for (int i = 0; i < plan->cells_count && !plan->follows; i++)
        if (plan->cells[i].collective == collective && plan->cells[i].commutative == !operators)
            plan->cells[i].trials[c].state = ANYPI_FAILED;
}

static void probe_all(anypi_session *session, const corner *corners)
{
    const anypi_plan *plan = session->plan;
    const bool sure = refuses(session, &corners[1]);
    if (!sure && !session->rank)
        fprintf(stderr, "anyp-tune: this library does not refuse what does not fit; MPICH's own "
                "algorithms are measured only as MPICH's automatic choice\n");
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const anypi_candidates *candidates = &plan->candidates[i];
        const anyp_collective collective = (anyp_collective) i;
        for (int c = 1; plan->wanted[i] && c < candidates->count; c++)
            for (int operators = 0; !candidates->list[c].algorithm && operators < 2; operators++)
                if (!sure || !serves(session, collective, &candidates->list[c], operators, corners))
                    fail(plan, collective, c, operators);
    }
}

bool anypi_probe(anypi_session *session)
{
    corner corners[CORNERS] = { { .p = 1 }, { .p = 3 }, { .p = 2 } };
    int most;
    if (!anypi_steer_strict())
        return false;
    MPI_Comm_size(session->world, &most);
    for (int i = 0; i < CORNERS; i++) {
        corner *one = &corners[i];
        if (one->p > most)
            one->p = most;
        MPI_Comm_split(session->world, session->rank < one->p ? 0 : MPI_UNDEFINED, session->rank,
                       &one->comm);
        if (one->comm != MPI_COMM_NULL)
            MPI_Comm_set_errhandler(one->comm, MPI_ERRORS_RETURN);
    }
    probe_all(session, corners);
    for (int i = 0; i < CORNERS; i++)
        if (corners[i].comm != MPI_COMM_NULL)
            MPI_Comm_free(&corners[i].comm);
    return true;
}

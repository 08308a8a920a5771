/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Finds MPICH's algorithms that a rule may name. If a control variable forces an algorithm, MPICH
 * checks the restrictions of the algorithm; with MPIR_CVAR_COLLECTIVE_FALLBACK=error, it refuses
 * calls that the algorithm does not support. MPICH does not check the rules of a decision file.
 * Therefore each algorithm runs the corner cases that the conditions of a rule
 * (tuner/library_algorithms.c) allow: one element, a user-defined operator, a p that is not a power
 * of two, and a communicator of one process (which has no hierarchy of nodes).
 */
#include "measure/measure.h"

#include "measure/steer.h"
#include "measure/world.h"
#include "tuner/candidates.h"

#include <stdio.h>

/* Runs a candidate once; returns the worst outcome of all ranks of the world. */
static anypi_outcome try_candidate(anypi_session *session, anypi_cell cell,
                                   const anypi_candidate *candidate, MPI_Comm comm,
                                   bool user_operator)
{
    const anypi_candidates *list = &session->plan->candidates[cell.collective];
    int verdict = ANYPI_RIGHT, worst = ANYPI_RIGHT;
    if (comm != MPI_COMM_NULL) {
        verdict = ANYPI_REFUSED;
        if (anypi_steer_select(cell.collective, candidate))
            verdict = (int) anypi_work_check(&session->work, &cell, comm, user_operator,
                                             anypi_own_equal(candidate->own));
        anypi_steer_select(cell.collective, &list->list[0]);
    }
    MPI_Allreduce(&verdict, &worst, 1, MPI_INT, MPI_MAX, session->world);
    return (anypi_outcome) worst;
}

/* The largest number of processes to try; comms[p] is MPI_COMM_NULL on the other ranks. */
enum { MAX_P = 3, SEVERAL = 64 /* bytes: more elements than processes */ };

/* Makes AnyP's candidates of a reduction that is not measured; false: a rank has no memory. */
static bool make_candidates(anypi_session *session, const anypi_cvars *cvars, int reduction)
{
    int anyp;
    return anypi_all(session->world,
                     anypi_candidates_make(&session->plan->candidates[reduction],
                                           (anyp_collective) reduction, cvars, true, false,
                                           &anyp) == ANYP_SUCCESS);
}

/* Does the library refuse calls that the forced algorithm does not support? The test call is a
 * reduction by an algorithm of AnyP for commutative operators only, with an operator that does not
 * commute. If MPICH does not refuse this call, the probe proves nothing. */
static bool refuses(anypi_session *session, const anypi_cvars *cvars, const MPI_Comm *comms,
                    int p)
{
    for (int i = 0; i < ANYP_REDUCTIONS; i++) {
        const anypi_candidates *candidates = &session->plan->candidates[i];
        const anypi_cell cell = { .collective = (anyp_collective) i, .p = p };
        if (!session->plan->wanted[i] && !make_candidates(session, cvars, i))
            return false;
        for (int c = 0; c < candidates->count; c++) {
            const anyp_algorithm *algorithm = candidates->list[c].algorithm;
            if (algorithm && !(algorithm->properties & ANYP_CANONICAL))
                return try_candidate(session, cell, &candidates->list[c], comms[p], true) ==
                    ANYPI_REFUSED;
        }
    }
    return false;
}

/* Runs the hardest call that a rule may allow for the candidate: with one element before several,
 * with a user-defined operator before a built-in one. ANYPI_RIGHT if there is no such call. */
static anypi_outcome try_corner(anypi_session *session, anypi_cell cell,
                                const anypi_candidate *candidate, const MPI_Comm *comms)
{
    for (int vectors = 0; vectors < 2; vectors++) {
        cell.bytes = vectors * SEVERAL;
        const anyp_call call = anypi_cell_call(&cell);
        for (int builtin = 0; builtin <= cell.commutative; builtin++)
            if (!candidate->own || anypi_own_serves(candidate->own, &call, builtin))
                return try_candidate(session, cell, candidate, comms[cell.p], !builtin);
    }
    return ANYPI_RIGHT;
}

/* Does a candidate of the library support all corner cases with one kind of operators? */
static bool serves(anypi_session *session, anyp_collective collective,
                   const anypi_candidate *candidate, int operators, const MPI_Comm *comms,
                   int max_p)
{
    for (int p = 1; p <= max_p; p++) {
        const anypi_cell cell = { .collective = collective, .commutative = !operators, .p = p };
        if (try_corner(session, cell, candidate, comms) == ANYPI_RIGHT)
            continue;
        if (!session->rank && session->options->verbose)
            fprintf(stderr, "anyp-tune: %s %s is only measured as MPICH's automatic choice for %s: "
                    "it does not support every call\n",
                    anypi_form_name(collective),
                    anypi_candidate_text(candidate).text,
                    anypi_operator(collective, !operators));
        return false;
    }
    return true;
}

/* Marks a candidate as failed with one kind of operators. */
static void fail(const anypi_plan *plan, anyp_collective collective, int c, int operators)
{
    for (int i = 0; i < plan->cells_count && !plan->follows; i++)
        if (plan->cells[i].collective == collective && plan->cells[i].commutative == !operators)
            plan->cells[i].trials[c].running = false;
}

static void probe_all(anypi_session *session, const anypi_cvars *cvars, const MPI_Comm *comms,
                      int max_p)
{
    const anypi_plan *plan = session->plan;
    const bool sure = refuses(session, cvars, comms, max_p);
    if (!sure && !session->rank)
        fprintf(stderr, "anyp-tune: this MPICH does not report calls that an algorithm does not "
                "support; its own algorithms are measured only as its automatic choice\n");
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const anypi_candidates *candidates = &plan->candidates[i];
        const anyp_collective collective = (anyp_collective) i;
        for (int c = 1; plan->wanted[i] && c < candidates->count; c++)
            for (int operators = 0; !candidates->list[c].algorithm && operators < 2; operators++)
                if (anypi_plan_has(plan, i, operators) &&
                    (!sure || !serves(session, collective, &candidates->list[c], operators, comms,
                                      max_p)))
                    fail(plan, collective, c, operators);
    }
}

bool anypi_probe(anypi_session *session, const anypi_cvars *cvars)
{
    MPI_Comm comms[MAX_P + 1];
    int max_p;
    if (!anypi_steer_strict())
        return false;
    MPI_Comm_size(session->world, &max_p);
    max_p = max_p < MAX_P ? max_p : MAX_P;
    for (int p = 1; p <= max_p; p++) {
        MPI_Comm_split(session->world, session->rank < p ? 0 : MPI_UNDEFINED, session->rank,
                       &comms[p]);
        if (comms[p] != MPI_COMM_NULL)
            MPI_Comm_set_errhandler(comms[p], MPI_ERRORS_RETURN);
    }
    probe_all(session, cvars, comms, max_p);
    for (int p = 1; p <= max_p; p++)
        if (comms[p] != MPI_COMM_NULL)
            MPI_Comm_free(&comms[p]);
    return true;
}

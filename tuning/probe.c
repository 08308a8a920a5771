/* SPDX-License-Identifier: BSD-3-Clause
 *
 * probe.c - which of MPICH's algorithms a rule may name. MPICH checks an algorithm's restrictions
 * where a control variable forces it, and with MPIR_CVAR_COLLECTIVE_FALLBACK=error refuses what
 * does not fit. So each is tried in the corners that a rule for all vectors and operators reaches:
 * one element, a user-defined operator, a p that is no power of two, a communicator of one process
 * (which has no hierarchy of nodes).
 */
#include "measure.h"
#include "steer.h"

#include <stdio.h>

/* The worst verdict of any rank of the world. */
static anypi_verdict try_candidate(anypi_session *session, anypi_cell cell,
                                   const anypi_candidate *candidate, MPI_Comm comm)
{
    const anypi_candidates *list = &session->plan->candidates[cell.collective];
    int verdict = ANYPI_RIGHT, worst = ANYPI_RIGHT;
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_size(comm, &cell.p);
        verdict = anypi_steer_select(cell.collective, candidate)
            ? anypi_work_check(&session->work, &cell, comm, true) : ANYPI_REFUSED;
        anypi_steer_select(cell.collective, &list->list[0]);
    }
    MPI_Allreduce(&verdict, &worst, 1, MPI_INT, MPI_MAX, session->world);
    return (anypi_verdict) worst;
}

/* Does the library refuse what does not fit? AnyP's algorithms for operators that commute must not
 * take another: else nothing that follows would prove anything. */
static bool refuses(anypi_session *session, MPI_Comm comm)
{
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const anypi_candidates *candidates = &session->plan->candidates[i];
        const anypi_cell cell = { .collective = (anyp_collective) i };
        for (int c = 0; session->plan->wanted[i] && c < candidates->count; c++) {
            const anyp_algorithm *algorithm = candidates->list[c].algorithm;
            if (algorithm && !(algorithm->properties & ANYP_CANONICAL))
                return try_candidate(session, cell, &candidates->list[c], comm) == ANYPI_REFUSED;
        }
    }
    return false;
}

/* Tries one candidate with one kind of operators on both communicators. */
static void probe_candidate(anypi_session *session, anyp_collective collective,
                            anypi_candidate *candidate, int operators, const MPI_Comm *comms)
{
    const anypi_cell cell = { .collective = collective, .commutative = !operators };
    anypi_verdict worst = ANYPI_RIGHT;
    for (int i = 0; i < 2 && worst == ANYPI_RIGHT; i++)
        worst = try_candidate(session, cell, candidate, comms[i]);
    candidate->refused[operators] = worst != ANYPI_RIGHT;
    if (worst != ANYPI_RIGHT && !session->rank && session->verbose)
        fprintf(stderr, "anyp-tune: %s %s is left to MPICH's automatic choice for operators that "
                "%scommute: it does not serve every call\n", anyp_collective_name(collective),
                candidate->name, operators ? "do not " : "");
}

static void probe_all(anypi_session *session, const MPI_Comm *comms)
{
    const bool sure = refuses(session, comms[1]);
    if (!sure && !session->rank)
        fprintf(stderr, "anyp-tune: this library does not refuse what does not fit; MPICH's own "
                "algorithms are measured only as MPICH's automatic choice\n");
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        anypi_candidates *candidates = &session->plan->candidates[i];
        for (int c = 1; session->plan->wanted[i] && c < candidates->count; c++)
            for (int operators = 0; operators < 2; operators++)
                if (!candidates->list[c].algorithm && sure)
                    probe_candidate(session, (anyp_collective) i, &candidates->list[c], operators,
                                    comms);
                else
                    candidates->list[c].refused[operators] = !candidates->list[c].algorithm;
    }
}

bool anypi_probe(anypi_session *session)
{
    MPI_Comm comms[2];
    if (!anypi_steer_strict())
        return false;
    MPI_Comm_dup(MPI_COMM_SELF, &comms[0]);
    MPI_Comm_split(session->world, session->rank < 3 ? 0 : MPI_UNDEFINED, session->rank, &comms[1]);
    for (int i = 0; i < 2; i++)
        if (comms[i] != MPI_COMM_NULL)
            MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
    probe_all(session, comms);
    for (int i = 0; i < 2; i++)
        if (comms[i] != MPI_COMM_NULL)
            MPI_Comm_free(&comms[i]);
    return true;
}

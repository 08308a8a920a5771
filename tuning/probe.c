/* SPDX-License-Identifier: BSD-3-Clause
 *
 * probe.c - which of MPICH's algorithms a rule may name. MPICH checks an algorithm's restrictions
 * where a control variable forces it, and with MPIR_CVAR_COLLECTIVE_FALLBACK=error refuses what
 * does not fit. So each is tried in the corners that a rule for all vectors and operators reaches:
 * one element, a user-defined operator, a p that is no power of two, a communicator of one process
 * (which has no hierarchy of nodes).
 */
#include "cvars.h"
#include "measure.h"

#include <stdio.h>

/* The worst verdict of any rank of the world. */
static anypi_verdict try_candidate(anypi_session *session, anypi_cell cell,
                                   const anypi_candidate *candidate, MPI_Comm comm)
{
    const anypi_candidates *list = &session->plan->candidates[cell.collective];
    int verdict = ANYPI_RIGHT, worst = ANYPI_RIGHT;
    if (comm != MPI_COMM_NULL) {
        MPI_Comm_size(comm, &cell.p);
        verdict = anypi_cvars_select(cell.collective, candidate)
            ? anypi_work_check(&session->work, &cell, comm, true) : ANYPI_REFUSED;
        anypi_cvars_select(cell.collective, &list->list[0]);
    }
    MPI_Allreduce(&verdict, &worst, 1, MPI_INT, MPI_MAX, session->world);
    return (anypi_verdict) worst;
}

static void probe_collective(anypi_session *session, anyp_collective collective,
                             const MPI_Comm *comms)
{
    anypi_candidates *candidates = &session->plan->candidates[collective];
    for (int c = 1; c < candidates->count; c++)
        for (int operators = 0; operators < 2; operators++) {
            anypi_candidate *candidate = &candidates->list[c];
            const anypi_cell cell = { .collective = collective, .commutative = !operators };
            anypi_verdict worst = ANYPI_RIGHT;
            for (int i = 0; i < 2 && !candidate->algorithm && worst == ANYPI_RIGHT; i++)
                worst = try_candidate(session, cell, candidate, comms[i]);
            candidate->refused[operators] = worst != ANYPI_RIGHT;
            if (worst == ANYPI_RIGHT || session->rank || !session->verbose)
                continue;
            fprintf(stderr, "anyp-tune: %s %s is left to MPICH's automatic choice for operators "
                    "that %scommute: it does not serve every call\n",
                    anyp_collective_name(collective), candidate->name, operators ? "do not " : "");
        }
}

/* The library's own checks must return errors, and a device's compositions must stay out. The
 * numbers behind `otherwise` are those of MPICH 4.0 to 5.0. */
bool anypi_probe(anypi_session *session)
{
    MPI_Comm comms[2];
    if (!anypi_cvars_write("MPIR_CVAR_COLLECTIVE_FALLBACK", 0 /* error */))
        return false;
    MPI_Comm_dup(MPI_COMM_SELF, &comms[0]);
    MPI_Comm_split(session->world, session->rank < 3 ? 0 : MPI_UNDEFINED, session->rank, &comms[1]);
    for (int i = 0; i < 2; i++)
        if (comms[i] != MPI_COMM_NULL)
            MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        if (session->plan->wanted[i])
            probe_collective(session, (anyp_collective) i, comms);
    for (int i = 0; i < 2; i++)
        if (comms[i] != MPI_COMM_NULL)
            MPI_Comm_free(&comms[i]);
    return true;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp_mpir.h - AnyP inside MPICH: the functions that the lines inserted by maint/graft call, and
 * the tables that the graft generates (mpir/entries.c). MPICH's own files include nothing else of
 * AnyP.
 */
#ifndef ANYP_MPIR_H_INCLUDED
#define ANYP_MPIR_H_INCLUDED

#include "mpiimpl.h"
#include "mpir_csel.h"
#include "mpir/version.h"       /* before arguments.h */

#include "algorithms/registry.h"
#include "anyp.h"
#include "execute/arguments.h"

/* ---- start and end ---- */

/* Makes the root of MPICH's selection tree, if there is a decision file: the one that
 * MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE names, else the installed one if it exists and
 * MPIR_CVAR_ANYP_SYSTEM_FILE is not 0. *root has MPICH's defaults until anypi_mpir_init_report()
 * replaces it, since only then one rank can read the file for all; `root` must exist as long. With
 * MPIR_CVAR_ANYP_REPRODUCIBLE, AnyP's algorithms replace MPICH's own in the tree, and the device's
 * collectives are switched off; a variable that insists on them is refused like a wrong file.
 * Returns true if *root is set; false if there is no decision file and results need not be
 * reproducible, so that MPICH goes on as without AnyP. If something is refused,
 * anypi_mpir_init_report() reports the error, since there is no rank yet. */
bool anypi_mpir_select_init(void **root);

/* After anypi_mpir_select_init() returned true: the source of the tree, for MPICH's messages. */
const char *anypi_mpir_select_source(void);

/* After a communicator got its part of the root, which may be replaced. */
void anypi_mpir_comm_made(MPIR_Comm * comm);

/* Once the world exists: reads the decision file, and compares decision files and variables of all
 * ranks for which any are set; they wait for a rank without any (agree.c). If a file is wrong or
 * they differ, rank 0 writes one message to stderr, and every rank gets an MPI error code. */
int anypi_mpir_init_report(void);

/* Frees what AnyP keeps with a communicator (comm->coll.anyp), if there is something. */
void anypi_mpir_comm_free(MPIR_Comm * comm);

/* Frees what anypi_mpir_select_init() made. */
void anypi_mpir_finalize(void);

/* ---- the arguments of a collective ---- */

/* Made from variables of MPI's names, each with `of` in front: a struct and its dot, or nothing. */
#define ANYPI_MPIR_ARGUMENTS(COLLECTIVE, SHAPE, of)                                              \
    ((anypi_arguments) { .collective = ANYP_##COLLECTIVE,                                        \
                         ANYPI_SHAPE_##SHAPE(ANYPI_STORE, of) })

/* ---- the automatic choice ---- */

/* The parameters below a rule's algorithm, `obj` being {"name=value": {}, ...}, into
 * values[0 .. parameters_count-1]; those not given get their defaults. `algorithm` is AnyP's name
 * ("butterfly"). */
void anypi_mpir_container(struct json_object *obj, const char *algorithm, int *values);

/* Called with MPIR_CVAR_ANYP_VERBOSE set, before what the automatic choice runs: logs MPICH's own
 * algorithms (AnyP's log themselves). `persistent` is for nonblocking collectives. */
void anypi_mpir_log(const MPIR_Csel_coll_sig_s * coll_sig, bool persistent);

/* The same before MPICH's own algorithm that a variable forces. `collective` and `algorithm` as in
 * decision files. */
void anypi_mpir_log_forced(const char *collective, bool persistent, const char *algorithm,
                           const anypi_arguments *arguments, MPIR_Comm * comm_ptr);

/* ---- the collectives ---- */

/* What MPICH requests. */
typedef struct anypi_mpir_asked {
    int algorithm;              /* ANYPI_<algorithm> */
    const int *parameters;      /* NULL if it has none */
    int forced;                 /* a variable requests it; else a rule does */
} anypi_mpir_asked;

/* `forced` where MPICH's generated code calls what a variable requests: see algorithm_rows() in
 * maint/graft_generate.py. */
enum {
#define ANYP_COLLECTIVE(NAME, ...)                                                               \
    MPIR_CVAR_##NAME##_ANYP_FORCED = 1, MPIR_CVAR_I##NAME##_ANYP_FORCED = 1,
#include "schedule/collectives.def"
};

/* Runs what MPICH requests, or what replaces it if it does not serve the call. Error codes as in
 * MPICH's own algorithms. */
int anypi_mpir_blocking(const anypi_mpir_asked *asked, const anypi_arguments *arguments,
                        MPIR_Comm *comm, ANYPI_ERRFLAG errflag);

/* The same for the nonblocking form, and by it the persistent one: adds the algorithm to an empty
 * schedule of MPICH's, or what replaces it. No data is touched before the schedule starts. */
int anypi_mpir_nonblocking(const anypi_mpir_asked *asked, const anypi_arguments *arguments,
                           MPIR_Comm *comm, MPIR_TSP_sched_t sched);

/* ---- generated (mpir/entries.c) ---- */

/* A control variable: its name and where its value is. */
typedef struct anypi_mpir_variable {
    const char *name;
    const int *value;
} anypi_mpir_variable;

/* All variables that must be the same on all ranks: MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM of all
 * collectives in both forms, all MPIR_CVAR_<COLLECTIVE>_ANYP_<PARAMETER>,
 * MPIR_CVAR_COLLECTIVE_FALLBACK, MPIR_CVAR_ANYP_REPRODUCIBLE. Ends with a NULL name. */
extern const anypi_mpir_variable anypi_mpir_variables[];

/* The first of them: MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM by form (0: blocking, 1: nonblocking
 * and persistent) and anyp_collective. */
enum { ANYPI_MPIR_ALGORITHM_VARIABLES = 2 * ANYP_COLLECTIVES };
static inline const anypi_mpir_variable *anypi_mpir_algorithm_variable(int form, int collective)
{
    return &anypi_mpir_variables[form * ANYP_COLLECTIVES + collective];
}

/* The value with which it forces AnyP's algorithm; -1: the algorithm does not do the collective. */
extern const int anypi_mpir_algorithm_values[2][ANYP_COLLECTIVES][ANYPI_ALGORITHMS];

#endif

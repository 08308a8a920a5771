/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp_mpir.h - AnyP's interface inside MPICH: the functions that the lines inserted by maint/graft
 * call, and the tables that the graft generates (mpir/entries.c). This is the only file of AnyP
 * that MPICH's files include.
 */
#ifndef ANYP_MPIR_H_INCLUDED
#define ANYP_MPIR_H_INCLUDED

#include "mpiimpl.h"
#include "mpir_csel.h"
#include "mpir/version.h"       /* must precede arguments.h */

#include "algorithms/registry.h"
#include "anyp.h"
#include "execute/arguments.h"

/* ---- start and end ---- */

/* Makes the root of MPICH's selection tree, if there is a decision file. The file is the one that
 * MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE names. Otherwise it is the installed one, if it exists
 * and MPIR_CVAR_ANYP_SYSTEM_FILE is not 0.
 *
 * *root contains MPICH's defaults until anypi_mpir_init_report() replaces it, because one rank
 * cannot read the file for all before. `root` must remain valid until then.
 *
 * With MPIR_CVAR_ANYP_REPRODUCIBLE, AnyP's algorithms replace MPICH's in the tree, and the device's
 * collectives are switched off. A variable that insists on the device's collectives is an error.
 *
 * Returns true if *root is set. Returns false without a decision file, unless results must be
 * reproducible; MPICH then works as without AnyP. Errors are reported by anypi_mpir_init_report(),
 * because there are no ranks yet. */
bool anypi_mpir_select_init(void **root);

/* Returns the source of the tree, for MPICH's messages. Call it after anypi_mpir_select_init() has
 * returned true. */
const char *anypi_mpir_select_source(void);

/* Call this when a communicator has received its part of the root, which may be replaced later. */
void anypi_mpir_comm_made(MPIR_Comm * comm);

/* Reads the decision file once the world exists, and compares the files and variables of all ranks.
 * Ranks with settings wait for a rank without any (agree.c). If a file is wrong or settings differ,
 * rank 0 writes one message to stderr, and every rank returns an MPI error code. */
int anypi_mpir_init_report(void);

/* Frees what AnyP keeps with a communicator (comm->coll.anyp), if anything. */
void anypi_mpir_comm_free(MPIR_Comm * comm);

/* Frees what anypi_mpir_select_init() has made. */
void anypi_mpir_finalize(void);

/* ---- the arguments of a collective ---- */

/* Returns anypi_arguments from variables with MPI's names. Each name is preceded by `of`: a struct
 * and its dot, or nothing. */
#define ANYPI_MPIR_ARGUMENTS(COLLECTIVE, SHAPE, of)                                              \
    ((anypi_arguments) { .collective = ANYP_##COLLECTIVE,                                        \
                         ANYPI_SHAPE_##SHAPE(ANYPI_STORE, of) })

/* ---- the automatic choice ---- */

/* Reads the parameters below a rule's algorithm into values[0 .. parameters_count-1]. `obj` is
 * {"name=value": {}, ...}; parameters that are not given get their defaults. `algorithm` is AnyP's
 * name ("butterfly"). */
void anypi_mpir_container(struct json_object *obj, const char *algorithm, int *values);

/* Logs the automatic choice before it runs, if it is one of MPICH's algorithms. One of AnyP's logs
 * itself, with the rule that is remembered here. Called with MPIR_CVAR_ANYP_VERBOSE set.
 * `persistent` is for nonblocking collectives. */
void anypi_mpir_log(const MPIR_Csel_coll_sig_s * coll_sig, const MPII_Csel_container_s * chosen,
                    bool persistent);

/* Logs one of MPICH's algorithms that a variable forces, before it runs. `collective` and
 * `algorithm` have their names in decision files. */
void anypi_mpir_log_forced(const char *collective, bool persistent, const char *algorithm,
                           const anypi_arguments *arguments, MPIR_Comm * comm_ptr);

/* ---- the collectives ---- */

/* MPICH's request for a call. */
typedef struct anypi_mpir_asked {
    int algorithm;              /* ANYPI_<algorithm> */
    const int *parameters;      /* NULL if the algorithm has none */
    int forced;                 /* a variable requests it; otherwise a rule does */
} anypi_mpir_asked;

/* Values of `forced` for MPICH's generated code that runs the algorithm of a variable: see
 * algorithm_rows() in maint/graft_texts.py. */
enum {
#define ANYP_COLLECTIVE(NAME, ...)                                                               \
    MPIR_CVAR_##NAME##_ANYP_FORCED = 1, MPIR_CVAR_I##NAME##_ANYP_FORCED = 1,
#include "schedule/collectives.def"
};

/* Runs the requested algorithm or, if it does not serve the call, a replacement. Returns the same
 * error codes as MPICH's algorithms. */
int anypi_mpir_blocking(const anypi_mpir_asked *asked, const anypi_arguments *arguments,
                        MPIR_Comm *comm, ANYPI_ERRFLAG errflag);

/* The nonblocking form, and therefore also the persistent form: adds the requested algorithm or a
 * replacement to an empty schedule of MPICH's. Touches no data before the schedule starts. */
int anypi_mpir_nonblocking(const anypi_mpir_asked *asked, const anypi_arguments *arguments,
                           MPIR_Comm *comm, MPIR_TSP_sched_t sched);

/* ---- generated (mpir/entries.c) ---- */

/* A control variable: its name and where its value is. */
typedef struct anypi_mpir_variable {
    const char *name;
    const int *value;
} anypi_mpir_variable;

/* All variables that must be the same on all ranks, and then a NULL name:
 * MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM of all collectives in both forms, all
 * MPIR_CVAR_<COLLECTIVE>_ANYP_<PARAMETER>, MPIR_CVAR_COLLECTIVE_FALLBACK,
 * MPIR_CVAR_ANYP_REPRODUCIBLE. */
extern const anypi_mpir_variable anypi_mpir_variables[];

/* The first of these variables are MPIR_CVAR_<COLLECTIVE>_INTRA_ALGORITHM by form (0: blocking, 1:
 * nonblocking and persistent) and anyp_collective. */
enum { ANYPI_MPIR_ALGORITHM_VARIABLES = 2 * ANYP_COLLECTIVES };
static inline const anypi_mpir_variable *anypi_mpir_algorithm_variable(int form, int collective)
{
    return &anypi_mpir_variables[form * ANYP_COLLECTIVES + collective];
}

/* The names of MPICH's algorithms in decision files, by the ids of containers; NULL: AnyP's. */
extern const char *const anypi_mpir_own_names[];

/* The values of these variables that force AnyP's algorithms; -1: the algorithm does not support
 * the collective. */
extern const int anypi_mpir_algorithm_values[2][ANYP_COLLECTIVES][ANYPI_ALGORITHMS];

#endif

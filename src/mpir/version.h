/* SPDX-License-Identifier: BSD-3-Clause
 *
 * version.h - all that differs between MPICH versions, as far as src/mpir sees it. The text that
 * the graft looks for in an MPICH tree differs as well; that is a table of maint/graft.
 *
 * Known: 4.0.x. A further version is one more branch here.
 */
#ifndef ANYPI_VERSION_H_INCLUDED
#define ANYPI_VERSION_H_INCLUDED

#include "mpiimpl.h"

#if MPICH_NUMVERSION >= 40000000 && MPICH_NUMVERSION < 40100000

/* How a collective is told of earlier errors, and how it passes them on: by pointer. */
#define ANYPI_ERRFLAG MPIR_Errflag_t *
/* An own, clean flag for a collective that has none from a caller; and its argument. */
#define ANYPI_ERRFLAG_OWN MPIR_Errflag_t
#define ANYPI_ERRFLAG_NONE MPIR_ERR_NONE
#define ANYPI_ERRFLAG_PASS(own) (&(own))
/* Is an error recorded? */
#define ANYPI_ERRFLAG_IS_SET(errflag) (*(errflag) != MPIR_ERR_NONE)
/* The error code of a collective whose flag is set though all its own messages went well. */
#define ANYPI_ERRFLAG_TO_CODE(errflag, code) MPIR_ERR_SET(code, *(errflag), "**coll_fail")
/* Records the communication error `code`, of which a failed process keeps its class, in the flag
 * and in `all`, the collective's own error code. */
#define ANYPI_ERRFLAG_RECORD(errflag, code, all)                                                 \
    do {                                                                                         \
        *(errflag) = MPIR_ERR_GET_CLASS(code) == MPIX_ERR_PROC_FAILED ? MPIR_ERR_PROC_FAILED     \
                                                                      : MPIR_ERR_OTHER;          \
        MPIR_ERR_SET(code, *(errflag), "**fail");                                                \
        MPIR_ERR_ADD(all, code);                                                                 \
    } while (0)

/* The reader of decision files: what makes a container of "algorithm=...", and the defaults. */
#define ANYPI_CREATE_CONTAINER MPII_Create_container
#define ANYPI_DEFAULTS_JSON MPII_coll_generic_json

/* MPICH's own algorithm that serves every call and looks nothing up, for calls that no algorithm of
 * AnyP serves. */
#define ANYPI_OWN_ALLREDUCE MPIR_Allreduce_intra_recursive_doubling
#define ANYPI_OWN_REDUCE MPIR_Reduce_intra_binomial
#define ANYPI_OWN_REDUCE_SCATTER MPIR_Reduce_scatter_intra_recursive_doubling
#define ANYPI_OWN_REDUCE_SCATTER_BLOCK MPIR_Reduce_scatter_block_intra_recursive_doubling

#else
#error "AnyP does not know this version of MPICH: see src/mpir/version.h"
#endif

#endif

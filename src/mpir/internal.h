/* SPDX-License-Identifier: BSD-3-Clause
 *
 * internal.h - what the files of src/mpir share: a call, what a communicator keeps, and the
 * decision in force.
 */
#ifndef ANYPI_MPIR_INTERNAL_H_INCLUDED
#define ANYPI_MPIR_INTERNAL_H_INCLUDED

#include "mpir/anyp_mpir.h"

#include "execute/decide.h"
#include "execute/local_sizes.h"
#include "execute/log.h"
#include "execute/workspace.h"
#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "select/decision.h"

/* What a communicator keeps (comm->coll.anyp), from AnyP's first call on it. No two collectives run
 * on a communicator at once, so it needs no lock. */
struct anypi_mpir_comm {
    anypi_workspace workspace;
    const char *forced_refused; /* for the log of the automatic choice, which MPICH calls: why it
                                 * runs and not a forced algorithm */
    anypi_logged logged;
    bool asked_nodes;           /* `nodes` is set */
    anyp_shape *nodes;          /* of the ranks; NULL: unknown */
    anypi_learned learned[ANYP_COLLECTIVES];
};

/* One call of one of the collectives. */
typedef struct anypi_mpir_job {
    anyp_call call;             /* where data are moved, its elements are bytes */
    anypi_mode mode;
    anypi_arguments its;        /* all valid */
    MPIR_Comm *comm;
    MPI_Aint size, extent;      /* of its.datatype */
    MPI_Datatype type;          /* of the call's elements */
    anypi_element element;
    bool overlaps;              /* the elements of the datatype overlap: see decide.h */
    anypi_entry *entry;         /* the decision, and if an algorithm of AnyP's runs its program, or
                                 * its plan if the call has local sizes */
} anypi_mpir_job;

/* What MPICH's function takes before the communicator, for the lists of argument_shapes.h. */
#define ANYPI_GIVE(its, KIND, name, member) ANYPI_GIVE_##KIND((its)->member),
#define ANYPI_GIVE_IN(value) value
#define ANYPI_GIVE_OUT(value) value
#define ANYPI_GIVE_BOTH(value) value
#define ANYPI_GIVE_COUNT(value) value
#define ANYPI_GIVE_COUNTS(value) (const MPI_Aint *) (value).at
#define ANYPI_GIVE_DISPLS(value) (const MPI_Aint *) (value).at
#define ANYPI_GIVE_TYPE(value) value
#define ANYPI_GIVE_TYPES(value) value
#define ANYPI_GIVE_OP(value) value
#define ANYPI_GIVE_ROOT(value) value

/* What runs a call. */
typedef enum anypi_mpir_way {
    ANYPI_MPIR_RUN,             /* job->entry */
    ANYPI_MPIR_AUTOMATIC,       /* MPICH's automatic choice, instead of a forced algorithm */
    ANYPI_MPIR_OWN,             /* MPICH's own algorithm that serves every call */
    ANYPI_MPIR_NOTHING,         /* the vector is empty */
    ANYPI_MPIR_REFUSE           /* an error */
} anypi_mpir_way;

/* comm.c: makes comm->coll.anyp, if it is not there. False: no memory. */
bool anypi_mpir_comm_make(MPIR_Comm *comm);

/* job.c: a blocking call with its arguments; the caller changes the mode. */
anypi_mpir_job anypi_mpir_new_job(const anypi_arguments *arguments, MPIR_Comm *comm);

/* choice.c: what MPICH requests if it serves the call, else what replaces it. Depends only on what
 * is the same on all ranks. Sets *way, job->call.starts and job->entry, whose program it makes; MPI
 * error code. */
int anypi_mpir_choose(anypi_mpir_job *job, const anypi_mpir_asked *asked, anypi_mpir_way *way);

/* agree.c: why MPICH's coordinates cannot be used; NULL: they are the same on all ranks, or there
 * are none. */
const char *anypi_mpir_coordinates_fault(void);

/* comm.c: which ranks share a node, and a switch, NULL: unknown; the same on all ranks. False: no
 * memory. */
bool anypi_mpir_find_nodes(MPIR_Comm *comm, const anyp_shape **nodes);

/* A block of a call with local sizes, in the caller's memory. */
typedef struct anypi_mpir_block {
    char *at;
    MPI_Aint count;
    MPI_Datatype datatype;
} anypi_mpir_block;

/* local.c: block i of the input, or of the output, of which this rank has that one. */
anypi_mpir_block anypi_mpir_input_block(const anypi_arguments *its, int i);
anypi_mpir_block anypi_mpir_output_block(const anypi_arguments *its, int i);
/* local.c: sets the sizes of all blocks that this rank gives and gets. */
void anypi_mpir_set_sizes(const anypi_mpir_job *job, anypi_local *local);

/* nonblocking_task.c: a program with all that it needs, which runs piece by piece and as often as
 * it is started. It is one block of memory besides the program, which it shares with the cache, and
 * keeps communicator, datatypes and operator alive. A call with local sizes has one program after
 * the other, each with memory of its own. */
typedef struct anypi_mpir_task anypi_mpir_task;
/* Makes the task of job->entry. Its messages have a tag of their own. MPI error code. */
int anypi_mpir_task_new(const anypi_mpir_job *job, anypi_mpir_task **task);
void anypi_mpir_task_free(anypi_mpir_task *task);
/* Puts the task before its beginning. */
void anypi_mpir_task_start(anypi_mpir_task *task);
/* Continues until a message is not complete, without waiting for it: false. True: it is done. */
bool anypi_mpir_task_continue(anypi_mpir_task *task);
/* Of a task that is done: the MPI error code of all errors. */
int anypi_mpir_task_error(const anypi_mpir_task *task);

/* Elements of the whole vector, of the datatype that recvbuf has; 0 if it has local sizes, which
 * are not the same on all ranks. */
static inline int64_t anypi_mpir_vector_count(const anypi_arguments *its, const MPIR_Comm *comm)
{
    const anyp_call call = { .collective = its->collective };
    if (anypi_has_local_sizes(its->collective))
        return 0;
    if (anypi_has_equal_blocks(&call))
        return its->count * comm->local_size;
    int64_t sum = its->count;
    for (int i = 0; its->counts.at && i < comm->local_size; i++)
        sum += anypi_integer(its->counts, i);
    return sum;
}

/* Where data are moved: bytes of this rank's part of the vector. */
static inline int64_t anypi_mpir_input_bytes(const anypi_mpir_job *job)
{
    const anyp_call *call = &job->call;
    const anypi_arguments *its = &job->its;
    if (!anypi_gathers(call))
        return call->count;
    return (its->counts.at ? anypi_integer(its->counts, call->rank) : its->count) * job->size;
}

/* The blocks of this rank's input, each as long as MPI's count says. */
static inline int anypi_mpir_input_blocks(const anyp_call *call)
{
    return anypi_has_equal_blocks(call) && !anypi_gathers(call) ? call->p : 1;
}

/* job.c: the arguments, with what MPI ignores replaced, also of an intercommunicator. */
anypi_arguments anypi_mpir_significant(const anypi_arguments *arguments, const MPIR_Comm *comm);

/* MPICH's error code if the two ends of a block have different sizes for it. */
static inline int anypi_mpir_sizes_differ(void)
{
    int error = MPI_SUCCESS;
    MPIR_ERR_SET(error, MPI_ERR_TRUNCATE, "**truncate");
    return error;
}

/* MPICH's error code for a lack of memory. */
static inline int anypi_mpir_no_memory(const char *what)
{
    int error = MPI_SUCCESS;
    MPIR_ERR_SET1(error, MPI_ERR_OTHER, "**nomem", "**nomem %s", what);
    return error;
}

/* verbose.c: logs what runs a job, for MPIR_CVAR_ANYP_VERBOSE. */
void anypi_mpir_log_job(const anypi_mpir_job *job, anypi_mpir_way way, const anypi_asked *asked);

/* start.c: the decision in force, and the file that was requested; NULL if there is none. */
const anypi_decision *anypi_mpir_decision(void);
const char *anypi_mpir_decision_file(void);
/* What is wrong with the file; NULL if nothing is. */
const anypi_diagnosis *anypi_mpir_diagnosis(void);
/* Puts the rules in force, which become its own, and makes MPICH's selection from them. A failed
 * status, then with what `diagnosis` says, leaves MPICH's defaults. MPI error code. */
int anypi_mpir_take_rules(anyp_status status, anypi_decision *decision,
                          const anypi_diagnosis *diagnosis);
/* A communicator that is freed needs no part of the selection any more. */
void anypi_mpir_comm_forget(const MPIR_Comm *comm);

/* shared_file.c: the decision file is read and its rules are in force: by rank 0 for all ranks of
 * the world, which have the same file; NULL: by this rank for itself. MPI error code. */
int anypi_mpir_read_rules(MPIR_Comm *world);

/* start.c: the choice of MPICH's own defaults. False if they cannot be read. */
bool anypi_mpir_default_choice(const anypi_signature *signature, anypi_choice *choice);

#endif

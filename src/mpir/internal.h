/* SPDX-License-Identifier: BSD-3-Clause
 *
 * internal.h - definitions that the files of src/mpir share: a call, what a communicator keeps, and
 * the decision in force.
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

/* What a communicator keeps (comm->coll.anyp) from AnyP's first call on it. It needs no lock,
 * because collectives on one communicator do not run at the same time. */
struct anypi_mpir_comm {
    anypi_workspace workspace;
    int rule;                   /* that chose the last algorithm, for the log: N of
                                 * anypi_decision_rule() */
    const char *forced_refused; /* why MPICH's automatic choice runs and not a forced algorithm, for
                                 * the log */
    anypi_logged logged;
    bool asked_nodes;           /* `nodes` is set */
    anyp_shape *nodes;          /* the ranks' nodes; NULL: unknown */
    anypi_learned learned[ANYP_COLLECTIVES];
    int inside;                 /* all ranks share memory: 1: yes; -1: no; 0: unknown */
};

/* One call of a collective. */
typedef struct anypi_mpir_job {
    anyp_call call;             /* its elements are bytes if data are moved */
    anypi_mode mode;
    anypi_arguments its;        /* all members are valid */
    MPIR_Comm *comm;
    MPI_Aint size, extent;      /* of its.datatype */
    MPI_Datatype type;          /* of the call's elements */
    anypi_element element;
    bool overlaps;              /* the elements of the datatype overlap (decide.h) */
    anypi_entry *entry;         /* the decision; if an algorithm of AnyP's runs, with its program,
                                 * or with its plan for local sizes */
} anypi_mpir_job;

/* The arguments of MPICH's function before the communicator, for the lists of argument_shapes.h. */
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

/* The code that runs a call. */
typedef enum anypi_mpir_way {
    ANYPI_MPIR_RUN,             /* the algorithm of job->entry */
    ANYPI_MPIR_AUTOMATIC,       /* MPICH's automatic choice, instead of a forced algorithm */
    ANYPI_MPIR_OWN,             /* MPICH's algorithm that serves every call */
    ANYPI_MPIR_NOTHING,         /* none, because the vector is empty */
    ANYPI_MPIR_REFUSE           /* none; the call returns an error */
} anypi_mpir_way;

/* comm.c: makes comm->coll.anyp if it does not exist. Returns false if there is no memory. */
bool anypi_mpir_comm_make(MPIR_Comm *comm);

/* job.c: returns a blocking call with its arguments; the caller may change the mode. */
anypi_mpir_job anypi_mpir_new_job(const anypi_arguments *arguments, MPIR_Comm *comm);

/* choice.c: decides what runs the call: the algorithm that MPICH requests, or a replacement if that
 * does not serve the call. The decision depends only on values that are the same on all ranks. Sets
 * *way, job->call.starts and job->entry, whose program it makes. Returns an MPI error code. */
int anypi_mpir_choose(anypi_mpir_job *job, const anypi_mpir_asked *asked, anypi_mpir_way *way);

/* agree.c: returns why MPICH's coordinates cannot be used. NULL: they are the same on all ranks, or
 * there are none. */
const char *anypi_mpir_coordinates_fault(void);

/* comm.c: sets *nodes to the shape: which ranks share a node and a switch. NULL: unknown. The shape
 * is the same on all ranks. Returns false if there is no memory. */
bool anypi_mpir_find_nodes(MPIR_Comm *comm, const anyp_shape **nodes);

/* A block of a call with local sizes, in the caller's memory. */
typedef struct anypi_mpir_block {
    char *at;
    MPI_Aint count;
    MPI_Datatype datatype;
} anypi_mpir_block;

/* init_messages.c: in MPI_Init, sends bytes to one rank and receives as many from another.
 * `impatient`, if not NULL, is a setting of this rank that the other rank may lack: after
 * ANYPI_PATIENCE seconds this rank writes a message about it. Returns an MPI error code. */
enum { ANYPI_PATIENCE = 10 };
int anypi_mpir_exchange(const void *out, int to, void *in, int from, MPI_Aint size,
                        MPIR_Comm *world, const char *impatient);

/* node_processes.c: makes the lanes to the processes that share memory with this one. Collective
 * over the world. */
void anypi_mpir_node_open(MPIR_Comm *world);
void anypi_mpir_node_close(void);
/* node_processes.c: lets MPICH make progress, for a caller that moves the lanes itself. */
void anypi_mpir_poll(void);
/* node_processes.c: from now on a task waits for messages over lanes, or does no longer. */
void anypi_mpir_task_waits(bool waits);
/* node_processes.c: may a task hold its receives? A held receive stops the messages behind it. */
bool anypi_mpir_holds(void);

/* job.c: returns whether there are gaps between elements of the datatype, or before the first. */
bool anypi_mpir_has_gaps(MPI_Datatype datatype);

/* local_blocks.c: return block i of the input, or of the output, which this rank must have. */
anypi_mpir_block anypi_mpir_input_block(const anypi_arguments *its, int i);
anypi_mpir_block anypi_mpir_output_block(const anypi_arguments *its, int i);
/* local_blocks.c: sets the sizes of all blocks that this rank gives and gets. */
void anypi_mpir_set_sizes(const anypi_mpir_job *job, anypi_local *local);

/* nonblocking_task.c: a program that runs piece by piece, and as often as it is started. A task is
 * one block of memory, except for the program, which it shares with the cache. It keeps
 * communicator, datatypes and operator alive. A call with local sizes has several programs, one
 * after the other, each with memory of its own. */
typedef struct anypi_mpir_task anypi_mpir_task;
/* Makes the task of job->entry, with a new tag for its messages. Returns an MPI error code. */
int anypi_mpir_task_new(const anypi_mpir_job *job, anypi_mpir_task **task);
/* The functions of a vertex whose data is a task. The first sets the task to its beginning and
 * continues it. The second continues it until a message is not complete; does not wait for it. Both
 * set *done if the task is done, and return MPI_SUCCESS. The last one returns the MPI error code of
 * all errors of a task that is done. */
int anypi_mpir_task_issue(void *task, int *done);
int anypi_mpir_task_continue(void *task, int *done);
int anypi_mpir_task_free(void *task);
int anypi_mpir_task_error(MPIR_Comm *comm, int tag, void *task);

/* Returns the elements of the whole vector, of recvbuf's datatype. Returns 0 for a call with local
 * sizes, which are not the same on all ranks. */
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

/* Returns the bytes of this rank's part of the vector, if data are moved. */
static inline int64_t anypi_mpir_input_bytes(const anypi_mpir_job *job)
{
    const anyp_call *call = &job->call;
    const anypi_arguments *its = &job->its;
    if (!anypi_gathers(call))
        return call->count;
    return (its->counts.at ? anypi_integer(its->counts, call->rank) : its->count) * job->size;
}

/* Returns the number of blocks of this rank's input, each as long as MPI's count. */
static inline int anypi_mpir_input_blocks(const anyp_call *call)
{
    return anypi_has_equal_blocks(call) && !anypi_gathers(call) ? call->p : 1;
}

/* job.c: returns the arguments with replacements for those that MPI ignores, also of an
 * intercommunicator. */
anypi_arguments anypi_mpir_significant(const anypi_arguments *arguments, const MPIR_Comm *comm);

/* Returns MPICH's error code for a block whose two ends have different sizes. */
static inline int anypi_mpir_sizes_differ(void)
{
    int error = MPI_SUCCESS;
    MPIR_ERR_SET(error, MPI_ERR_TRUNCATE, "**truncate");
    return error;
}

/* Returns MPICH's error code for a message of a rank that had an error. */
static inline int anypi_mpir_other_failed(void)
{
    int error = MPI_SUCCESS;
    MPIR_ERR_SET(error, MPI_ERR_OTHER, "**coll_fail");
    return error;
}

/* Returns MPICH's error code for a lack of memory. */
static inline int anypi_mpir_no_memory(const char *what)
{
    int error = MPI_SUCCESS;
    MPIR_ERR_SET1(error, MPI_ERR_OTHER, "**nomem", "**nomem %s", what);
    return error;
}

/* verbose.c: logs what runs a job, for MPIR_CVAR_ANYP_VERBOSE. */
void anypi_mpir_log_job(const anypi_mpir_job *job, anypi_mpir_way way, const anypi_asked *asked);

/* start.c: the decision in force, and the file that was requested; NULL: none. */
const anypi_decision *anypi_mpir_decision(void);
const char *anypi_mpir_decision_file(void);
/* Returns the error of the file, or NULL. */
const anypi_diagnosis *anypi_mpir_diagnosis(void);
/* Puts rules in force, which start.c then owns, and makes MPICH's selection from them. If `status`
 * is an error, which `diagnosis` describes, MPICH's defaults stay. Returns an MPI error code. */
int anypi_mpir_take_rules(anyp_status status, anypi_decision *decision,
                          const anypi_diagnosis *diagnosis);
/* Forgets a communicator that is freed, so that its part of the selection is not replaced. */
void anypi_mpir_comm_forget(const MPIR_Comm *comm);

/* shared_file.c: reads the decision file and puts its rules in force. Rank 0 of `world` reads it
 * for all ranks, which have the same file. If `world` is NULL, this rank reads it for itself.
 * Returns an MPI error code. */
int anypi_mpir_read_rules(MPIR_Comm *world);

/* start.c: is MPICH's selection tree one that AnyP has made? Only then its containers have numbers
 * of rules. */
bool anypi_mpir_tree_is_own(void);

#endif

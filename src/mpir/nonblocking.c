/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nonblocking.c - runs the nonblocking collectives, and by them the persistent ones.
 *
 * MPICH makes such a collective from a schedule of its own, a graph of vertices. It starts the
 * schedule, repeatedly if the collective is persistent, and continues it when it makes progress.
 * AnyP adds two vertices. The first runs the whole program as a task (nonblocking_task.c). The
 * second returns the task's error to the request. The functions of a vertex never fail themselves,
 * because the request would then never be complete. If MPICH's code must run instead of AnyP's, the
 * first vertex starts another schedule and waits for its request.
 *
 * A task runs until a message is missing, for any number of rounds. MPICH counts a vertex as
 * progress only when it is done, and ch3:sock sleeps until a socket is ready if nothing has made
 * progress. So a task that stopped although its next messages have arrived would never wake up.
 * (And a program that calls MPI_Test now and then would run only one round each time.) With a chain
 * of vertices for some rounds each, MPICH would see progress, but not in the call that starts the
 * chain, when another thread may sleep there. In a test, later polls ran at most six rounds of a
 * long reduce. MPICH holds a mutex while a task runs, but not for long. All 1,024 rounds of a
 * reduce of 16 MiB, whose messages had arrived before it began, take 3 ms, as long as the reduction
 * of one vector in MPICH's binomial trees.
 */
#include "mpir/internal.h"

/* ---- a vertex that runs another schedule ---- */

typedef struct other {
    MPIR_Comm *comm;
    void *sched;
    enum MPIR_sched_type type;
    bool persistent, started;   /* MPICH frees a schedule that was started, unless it is
                                 * persistent */
    MPIR_Request *request;
    int error;
} other;

static int start_other(other *it)
{
    int error = MPI_SUCCESS;
    if (it->type == MPIR_SCHED_NORMAL) {
        if (it->persistent)
            error = MPIR_Sched_reset(it->sched);
        return error ? error : MPIR_Sched_start(it->sched, it->comm, &it->request);
    }
    if (it->persistent)
        error = MPIR_TSP_sched_reset(it->sched);
    return error ? error : MPIR_TSP_sched_start(it->sched, it->comm, &it->request);
}

static int continue_other(void *data, int *done)
{
    other *it = data;
    *done = !it->request || MPIR_Request_is_complete(it->request);
    if (*done && it->request) {
        it->error = it->request->status.MPI_ERROR;
        MPIR_Request_free(it->request);
        it->request = NULL;
    }
    return MPI_SUCCESS;
}

static int issue_other(void *data, int *done)
{
    other *it = data;
    it->started = true;
    it->request = NULL;
    it->error = start_other(it);
    return continue_other(it, done);
}

static int free_other(void *data)
{
    other *it = data;
    if (!it->started || it->persistent) {
        if (it->type == MPIR_SCHED_NORMAL)
            MPIR_Sched_free(it->sched);
        else
            MPIR_TSP_sched_free(it->sched);
    }
    anypi_free(it);
    return MPI_SUCCESS;
}

static int other_error(MPIR_Comm *comm, int tag, void *data)
{
    (void) comm;
    (void) tag;
    return ((const other *) data)->error;
}

/* Adds to a schedule MPICH's algorithm that serves every reduction. Returns an MPI error code. */
static int add_own(const anypi_mpir_job *job, MPIR_Sched_t sched)
{
    switch (job->call.collective) {
#define OWN_REDUCTION(NAME, name, arguments, own)                                                \
        case ANYP_##NAME:                                                                        \
            return MPIR_I##name##_intra_sched_##own                                              \
                (ANYPI_SHAPE_REDUCTION_##arguments(ANYPI_GIVE, &job->its) job->comm, sched);
#define OWN_MOVEMENT(...)
#define OWN_SIGNAL(...)
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)          \
        OWN_##kind(NAME, name, arguments, own)
#include "schedule/collectives.def"
        default:
            break;
    }
    return MPI_ERR_INTERN;
}

static int make_own(const anypi_mpir_job *job, other *it)
{
    MPIR_Sched_t sched = MPIR_SCHED_NULL;
    int tag, error = MPIR_Sched_create(&sched, it->persistent ? MPIR_SCHED_KIND_PERSISTENT
                                       : MPIR_SCHED_KIND_REGULAR);
    if (error)
        return error;
    error = MPIR_Sched_next_tag(job->comm, &tag);
    if (!error) {
        MPIR_Sched_set_tag(sched, tag);
        error = add_own(job, sched);
    }
    if (error) {
        MPIR_Sched_free(sched);
        return error;
    }
    it->type = MPIR_SCHED_NORMAL;
    it->sched = sched;
    return MPI_SUCCESS;
}

/* Makes the schedule of MPICH's automatic choice. */
static int make_automatic(const anypi_mpir_job *job, const anypi_arguments *its, other *it)
{
    switch (job->call.collective) {
#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)          \
        case ANYP_##NAME:                                                                        \
            return MPIR_I##name##_allcomm_sched_auto                                             \
                (ANYPI_SHAPE_##kind##_##arguments(ANYPI_GIVE, its) job->comm, it->persistent,    \
                 &it->sched, &it->type);
#include "schedule/collectives.def"
        default:
            break;
    }
    return MPI_ERR_INTERN;
}

/* ---- schedules ---- */

typedef struct vertex {
    MPIR_TSP_sched_issue_fn issue;
    MPIR_TSP_sched_complete_fn complete;
    MPIR_TSP_sched_free_fn free;
    MPIR_TSP_cb_t error;
} vertex;

/* Adds the vertex and the one that returns its error. The schedule frees `data`, even after an
 * error. */
static int add_vertex(MPIR_TSP_sched_t sched, const vertex *kind, void *data)
{
    const int type = MPIR_TSP_sched_new_type(sched, kind->issue, kind->complete, kind->free);
    int id, error = MPIR_TSP_sched_generic(type, data, sched, 0, NULL, &id);
    if (error) {
        (kind->free)(data);     /* in brackets: MPICH may have a macro free() */
        return error;
    }
    return ANYPI_SCHED_CALL(kind->error, data, sched, id);
}

static int add_task(const anypi_mpir_job *job, MPIR_TSP_sched_t sched)
{
    static const vertex kind = { anypi_mpir_task_issue, anypi_mpir_task_continue,
                                 anypi_mpir_task_free, anypi_mpir_task_error };
    anypi_mpir_task *task;
    const int error = anypi_mpir_task_new(job, &task);
    return error ? error : add_vertex(sched, &kind, task);
}

/* Adds MPICH's code for the job: its automatic choice, or the algorithm that serves every call. */
static int add_mpich(const anypi_mpir_job *job, const anypi_arguments *its, bool automatic,
                     MPIR_TSP_sched_t sched)
{
    static const vertex kind = { issue_other, continue_other, free_other, other_error };
    other *it = anypi_realloc(NULL, sizeof *it);
    if (!it)
        return anypi_mpir_no_memory("schedule");
    *it = (other) { .comm = job->comm, .persistent = job->mode == ANYPI_PERSISTENT };
    const int error = automatic ? make_automatic(job, its, it) : make_own(job, it);
    if (error) {
        anypi_free(it);
        return error;
    }
    return add_vertex(sched, &kind, it);
}

int anypi_mpir_nonblocking(const anypi_mpir_asked *asked, const anypi_arguments *arguments,
                           MPIR_Comm *comm, MPIR_TSP_sched_t sched)
{
    anypi_mpir_job job = anypi_mpir_new_job(arguments, comm);
    anypi_mpir_way way;
    job.mode = ANYPI_SCHED_IS_PERSISTENT(sched) ? ANYPI_PERSISTENT : ANYPI_NONBLOCKING;
    int error = anypi_mpir_choose(&job, asked, &way);
    if (error || way == ANYPI_MPIR_NOTHING)
        return error;           /* without work there is no vertex */
    if (way == ANYPI_MPIR_RUN)
        return add_task(&job, sched);
    error = add_mpich(&job, arguments, way == ANYPI_MPIR_AUTOMATIC, sched);
    comm->coll.anyp->forced_refused = NULL;
    return error;
}

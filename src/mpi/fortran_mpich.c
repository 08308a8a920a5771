/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fortran_mpich.c - wraps bindings of MPICH's module mpi_f08 that call C by its profiling names:
 * those that AnyP serves, that make or free communicators, or in which operations must progress
 * (operations.h). Handles are C's numbers there.
 */
#include "mpi/operations.h"

#include <dlfcn.h>

#if !defined(OPEN_MPI) && !defined(ANYPI_STANDARD_ABI)

int MPI_Init(int *argc, char ***argv);

/* Defines a binding without a status: handles are C's. */
#define CALLS(name, call, ...)                                                                     \
    void mpi_##name##_f08_(__VA_ARGS__, MPI_Fint *ierror);                                         \
    void mpi_##name##_f08_(__VA_ARGS__, MPI_Fint *ierror)                                          \
    {                                                                                              \
        const int error = call;                                                                    \
        if (ierror)             /* optional */                                                     \
            *ierror = error;                                                                       \
    }
CALLS(init_thread, MPI_Init_thread(NULL, NULL, *required, provided), const MPI_Fint *required,
      MPI_Fint *provided)
CALLS(barrier, MPI_Barrier((MPI_Comm) *comm), const MPI_Fint *comm)
CALLS(ibarrier, MPI_Ibarrier((MPI_Comm) *comm, request), const MPI_Fint *comm, MPI_Request *request)
#ifdef ANYPI_HAVE_LARGE
CALLS(barrier_init, MPI_Barrier_init((MPI_Comm) *comm, (MPI_Info) *info, request),
      const MPI_Fint *comm, const MPI_Fint *info, MPI_Request *request)
#endif
CALLS(comm_dup, MPI_Comm_dup((MPI_Comm) *comm, made), const MPI_Fint *comm, MPI_Comm *made)
CALLS(comm_split, MPI_Comm_split((MPI_Comm) *comm, *color, *key, made), const MPI_Fint *comm,
      const MPI_Fint *color, const MPI_Fint *key, MPI_Comm *made)
CALLS(comm_free, MPI_Comm_free(comm), MPI_Comm *comm)
CALLS(start, MPI_Start(request), MPI_Request *request)
CALLS(startall, MPI_Startall(*count, requests), const MPI_Fint *count, MPI_Request *requests)
CALLS(request_free, MPI_Request_free(request), MPI_Request *request)
CALLS(cancel, MPI_Cancel(request), MPI_Request *request)
CALLS(op_free, MPI_Op_free(op), MPI_Op *op)
CALLS(type_free, MPI_Type_free(type), MPI_Datatype *type)

void mpi_init_f08_(MPI_Fint *ierror);
void mpi_init_f08_(MPI_Fint *ierror)
{
    const int error = MPI_Init(NULL, NULL);
    if (ierror)
        *ierror = error;
}

void mpi_pcontrol_f08_(const MPI_Fint *level);
void mpi_pcontrol_f08_(const MPI_Fint *level)
{
    MPI_Pcontrol(*level);
}

/* Returns whether all requests are complete or inactive, or the library reports an error. */
static bool are_complete(const MPI_Request *requests, int count)
{
    int flag = 1;
    for (int i = 0; i < count && flag; i++)
        if (anypi_mpi.Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE))
            return true;
    return flag;
}

/* Moves operations until the library's function need not wait for them. */
static void help(const MPI_Request *requests, int count)
{
    anypi_pmpi_load();
    int turns = 0;
    while (anypi_operations_running() && !are_complete(requests, count))
        if (anypi_operations_move())
            turns = 0;
        else
            anypi_operations_idle(requests, count, &turns);
}

/* Moves operations while tests by `test` find nothing. Returns whether they have found something;
 * otherwise the library waits. */
#define FOUND(test, found)                                                                         \
    do {                                                                                           \
        anypi_pmpi_load();                                                                         \
        for (*error = MPI_SUCCESS; anypi_operations_running();) {                                  \
            anypi_operations_move();                                                               \
            *error = test;                                                                         \
            if (*error || (found))                                                                 \
                return true;                                                                       \
        }                                                                                          \
        return false;                                                                              \
    } while (0)

static bool find_any(int count, MPI_Request *requests, MPI_Fint *index, MPI_Status *status,
                     int *error)
{
    int flag = 0;
    FOUND(anypi_mpi.Testany(count, requests, index, &flag, status), flag);
}

static bool find_some(int count, MPI_Request *requests, MPI_Fint *done, MPI_Fint *indices,
                      MPI_Status *statuses, int *error)
{
    FOUND(anypi_mpi.Testsome(count, requests, done, indices, statuses), *done != 0);
}

/* Fortran counts from 1. */
static void count_from_one(MPI_Fint *indices, int count)
{
    for (int i = 0; i < count; i++)
        indices[i] += indices[i] != MPI_UNDEFINED;
}

static void move(void)
{
    anypi_pmpi_load();
    if (anypi_operations_running())
        anypi_operations_move();
}

static void help_probe(MPI_Fint from, MPI_Fint tag, MPI_Fint comm)
{
    anypi_pmpi_load();
    for (int flag = 0; anypi_operations_running() && !flag;) {
        anypi_operations_move();
        if (anypi_mpi.Iprobe(from, tag, (MPI_Comm) comm, &flag, MPI_STATUS_IGNORE))
            return;
    }
}

/* Defines a binding that does something before it calls the library's, unless `done` is true then.
 * Its other arguments are addresses. */
typedef void *ANY;
#define PRECEDES_UNLESS(name, done, parameters, arguments)                                         \
    void mpi_##name##_f08_ parameters;                                                             \
    void mpi_##name##_f08_ parameters                                                              \
    {                                                                                              \
        static void (*next) parameters;                                                            \
        if (done)                                                                                  \
            return;                                                                                \
        if (!next)                                                                                 \
            *(void **) &next = dlsym(RTLD_NEXT, "mpi_" #name "_f08_");                             \
        next arguments;                                                                            \
    }
#define PRECEDES(name, before, parameters, arguments)                                              \
    PRECEDES_UNLESS(name, (before, false), parameters, arguments)
PRECEDES(wait, help(request, 1), (MPI_Request *request, ANY a, ANY b), (request, a, b))
PRECEDES(waitall, help(requests, *n), (MPI_Fint *n, MPI_Request *requests, ANY a, ANY b),
         (n, requests, a, b))

/* Fortran's statuses are C's, and the variable MPI_STATUS_IGNORE has the memory of one. */
static bool any_is_found(MPI_Fint n, MPI_Request *requests, MPI_Fint *index, MPI_Status *status,
                         MPI_Fint *ierror)
{
    int error;
    if (!find_any(n, requests, index, status, &error))
        return false;
    count_from_one(index, 1);
    if (ierror)
        *ierror = error;
    return true;
}

static bool some_are_found(MPI_Fint n, MPI_Request *requests, MPI_Fint *done, MPI_Fint *indices,
                           MPI_Status *statuses, MPI_Fint *ierror)
{
    int error;
    const bool ignores = statuses == anypi_symbol("MPIR_F08_MPI_STATUSES_IGNORE_OBJ");
    if (!find_some(n, requests, done, indices, ignores ? MPI_STATUSES_IGNORE : statuses, &error))
        return false;
    count_from_one(indices, *done == MPI_UNDEFINED ? 0 : *done);
    if (ierror)
        *ierror = error;
    return true;
}

PRECEDES_UNLESS(waitany, any_is_found(*n, requests, index, status, ierror),
                (MPI_Fint *n, MPI_Request *requests, MPI_Fint *index, MPI_Status *status,
                 MPI_Fint *ierror), (n, requests, index, status, ierror))
PRECEDES_UNLESS(waitsome, some_are_found(*n, requests, done, indices, statuses, ierror),
                (MPI_Fint *n, MPI_Request *requests, MPI_Fint *done, MPI_Fint *indices,
                 MPI_Status *statuses, MPI_Fint *ierror),
                (n, requests, done, indices, statuses, ierror))
PRECEDES(test, move(), (ANY a, ANY b, ANY c, ANY d), (a, b, c, d))
PRECEDES(testall, move(), (ANY a, ANY b, ANY c, ANY d, ANY e), (a, b, c, d, e))
PRECEDES(testany, move(), (ANY a, ANY b, ANY c, ANY d, ANY e, ANY f), (a, b, c, d, e, f))
PRECEDES(testsome, move(), (ANY a, ANY b, ANY c, ANY d, ANY e, ANY f), (a, b, c, d, e, f))
PRECEDES(request_get_status, move(), (ANY a, ANY b, ANY c, ANY d), (a, b, c, d))
PRECEDES(iprobe, move(), (ANY a, ANY b, ANY c, ANY d, ANY e, ANY f), (a, b, c, d, e, f))
PRECEDES(probe, help_probe(*from, *tag, *comm),
         (MPI_Fint *from, MPI_Fint *tag, MPI_Fint *comm, ANY a, ANY b), (from, tag, comm, a, b))
PRECEDES(mprobe, help_probe(*from, *tag, *comm),
         (MPI_Fint *from, MPI_Fint *tag, MPI_Fint *comm, ANY a, ANY b, ANY c),
         (from, tag, comm, a, b, c))

static void complete(void)
{
    anypi_pmpi_load();
    anypi_operations_finish();
}

/* Other collective functions, by the number of their arguments. */
#define COLLECTIVE_3(name)                                                                         \
    PRECEDES(name, complete(), (ANY a, ANY b, ANY c), (a, b, c))
#define COLLECTIVE_4(name)                                                                         \
    PRECEDES(name, complete(), (ANY a, ANY b, ANY c, ANY d), (a, b, c, d))
#define COLLECTIVE_5(name)                                                                         \
    PRECEDES(name, complete(), (ANY a, ANY b, ANY c, ANY d, ANY e), (a, b, c, d, e))
#define COLLECTIVE_6(name)                                                                         \
    PRECEDES(name, complete(), (ANY a, ANY b, ANY c, ANY d, ANY e, ANY f), (a, b, c, d, e, f))
#define COLLECTIVE_7(name)                                                                         \
    PRECEDES(name, complete(), (ANY a, ANY b, ANY c, ANY d, ANY e, ANY f, ANY g),                  \
             (a, b, c, d, e, f, g))
PRECEDES(comm_disconnect, complete(), (ANY a, ANY b), (a, b))
COLLECTIVE_4(comm_create)
COLLECTIVE_5(comm_create_group)
COLLECTIVE_4(comm_dup_with_info)
COLLECTIVE_6(comm_split_type)
COLLECTIVE_7(intercomm_create)
COLLECTIVE_4(intercomm_merge)
COLLECTIVE_7(cart_create)
COLLECTIVE_4(cart_sub)
COLLECTIVE_7(graph_create)
PRECEDES(dist_graph_create, complete(),
         (ANY a, ANY b, ANY c, ANY d, ANY e, ANY f, ANY g, ANY h, ANY i, ANY j),
         (a, b, c, d, e, f, g, h, i, j))
PRECEDES(dist_graph_create_adjacent, complete(),
         (ANY a, ANY b, ANY c, ANY d, ANY e, ANY f, ANY g, ANY h, ANY i, ANY j, ANY k),
         (a, b, c, d, e, f, g, h, i, j, k))
COLLECTIVE_4(win_create_dynamic)
COLLECTIVE_7(win_allocate)
COLLECTIVE_7(win_allocate_shared)
PRECEDES(win_free, complete(), (ANY a, ANY b), (a, b))
COLLECTIVE_3(win_fence)
PRECEDES(win_wait, complete(), (ANY a, ANY b), (a, b))
PRECEDES(win_test, move(), (ANY a, ANY b, ANY c), (a, b, c))
COLLECTIVE_7(file_open)         /* with the length of the name, and below of the representation */
PRECEDES(file_close, complete(), (ANY a, ANY b), (a, b))
PRECEDES(file_set_view, complete(),
         (ANY a, ANY b, ANY c, ANY d, ANY e, ANY f, ANY g, ANY h), (a, b, c, d, e, f, g, h))
PRECEDES(file_sync, complete(), (ANY a, ANY b), (a, b))

#endif

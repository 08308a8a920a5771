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

/* Returns whether all requests are complete, or if not `all`, whether a function that waits for any
 * of them would return. */
static bool are_complete(const MPI_Request *requests, int count, bool all)
{
    int complete = 0, null = 0;
    for (int i = 0; i < count; i++) {
        int flag = 0;
        null += requests[i] == MPI_REQUEST_NULL;
        if (anypi_mpi.Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE))
            return true;        /* the library reports the error */
        complete += flag;
    }
    return complete == count || (!all && complete > null);
}

/* Moves operations until the library's function need not wait for them. */
static void help(const MPI_Request *requests, int count, bool all)
{
    anypi_pmpi_load();
    while (anypi_operations_active > 0 && !are_complete(requests, count, all))
        anypi_operations_move();
}

static void move(void)
{
    anypi_pmpi_load();
    if (anypi_operations_active > 0)
        anypi_operations_move();
}

static void help_probe(MPI_Fint from, MPI_Fint tag, MPI_Fint comm)
{
    anypi_pmpi_load();
    for (int flag = 0; anypi_operations_active > 0 && !flag;) {
        anypi_operations_move();
        if (anypi_mpi.Iprobe(from, tag, (MPI_Comm) comm, &flag, MPI_STATUS_IGNORE))
            return;
    }
}

/* Defines a binding that does something before it calls the library's. Its other arguments are
 * addresses. */
typedef void *ANY;
#define PRECEDES(name, before, parameters, arguments)                                              \
    void mpi_##name##_f08_ parameters;                                                             \
    void mpi_##name##_f08_ parameters                                                              \
    {                                                                                              \
        static void (*next) parameters;                                                            \
        before;                                                                                    \
        if (!next)                                                                                 \
            *(void **) &next = dlsym(RTLD_NEXT, "mpi_" #name "_f08_");                             \
        next arguments;                                                                            \
    }
PRECEDES(wait, help(request, 1, true), (MPI_Request *request, ANY a, ANY b), (request, a, b))
PRECEDES(waitall, help(requests, *n, true), (MPI_Fint *n, MPI_Request *requests, ANY a, ANY b),
         (n, requests, a, b))
PRECEDES(waitany, help(requests, *n, false),
         (MPI_Fint *n, MPI_Request *requests, ANY a, ANY b, ANY c), (n, requests, a, b, c))
PRECEDES(waitsome, help(requests, *n, false),
         (MPI_Fint *n, MPI_Request *requests, ANY a, ANY b, ANY c, ANY d),
         (n, requests, a, b, c, d))
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

#endif

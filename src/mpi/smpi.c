/* SPDX-License-Identifier: BSD-3-Clause
 *
 * smpi.c - SimGrid's SMPI below the plug-in, in place of pmpi.c, device.c and fortran.c. It is
 * linked into the program, so that nothing is looked up: 1000 ranks are 1000 loaded copies of the
 * program in one process, and looking through them takes long. What SMPI 3.32 does otherwise than
 * MPI says is set right in the table here, so that the rest of the plug-in knows nothing of it.
 * Only maint/build-smpi compiles this.
 */
#include "mpi/internal.h"

anypi_pmpi anypi_mpi;

/* SMPI's PMPI functions call no error handler, so none has to be kept quiet; and once one rank has
 * set the handler of MPI_COMM_WORLD, the others have none. */
static int set_errhandler(MPI_Comm comm, MPI_Errhandler handler)
{
    (void) comm;
    (void) handler;
    return MPI_SUCCESS;
}

static int get_errhandler(MPI_Comm comm, MPI_Errhandler *handler)
{
    const int error = PMPI_Comm_get_errhandler(comm, handler);
    if (!error && *handler == MPI_ERRHANDLER_NULL)
        *handler = MPI_ERRORS_ARE_FATAL;
    return error;
}

static bool is_predefined(MPI_Errhandler handler)
{
    return handler == MPI_ERRORS_ARE_FATAL || handler == MPI_ERRORS_RETURN;
}

static int free_errhandler(MPI_Errhandler *handler)
{
    return is_predefined(*handler) ? MPI_SUCCESS : PMPI_Errhandler_free(handler);
}

/* SMPI crashes if the handler is one of MPI's own. */
static int call_errhandler(MPI_Comm comm, int error)
{
    MPI_Errhandler handler;
    if (get_errhandler(comm, &handler))
        return MPI_ERR_OTHER;
    if (!is_predefined(handler))
        return PMPI_Comm_call_errhandler(comm, error);
    return handler == MPI_ERRORS_RETURN ? MPI_SUCCESS : PMPI_Abort(comm, error);
}

/* The attribute of MPI_COMM_SELF whose deletion ends the plug-in. */
static int end_keyval = MPI_KEYVAL_INVALID;

static int set_attr(MPI_Comm comm, int keyval, void *value)
{
    if (comm == MPI_COMM_SELF)
        end_keyval = keyval;
    return PMPI_Comm_set_attr(comm, keyval, value);
}

/* SMPI deletes attributes when it takes no calls any more: this one goes before. */
int MPI_Finalize(void)
{
    if (end_keyval != MPI_KEYVAL_INVALID)
        PMPI_Comm_delete_attr(MPI_COMM_SELF, end_keyval);
    return PMPI_Finalize();
}

void anypi_pmpi_load(void)
{
    if (anypi_mpi.Init)
        return;
#define ANYPI_PMPI(name) anypi_mpi.name = &PMPI_##name;
#define ANYPI_PMPI_OF_4 ANYPI_PMPI
#include "mpi/pmpi.def"
#undef ANYPI_PMPI
#undef ANYPI_PMPI_OF_4
    anypi_mpi.Comm_set_errhandler = set_errhandler;
    anypi_mpi.Comm_get_errhandler = get_errhandler;
    anypi_mpi.Comm_call_errhandler = call_errhandler;
    anypi_mpi.Errhandler_free = free_errhandler;
    anypi_mpi.Comm_set_attr = set_attr;
}

/* All that is simulated is in the processor's memory. */
bool anypi_is_device(const void *in, const void *out)
{
    (void) in;
    (void) out;
    return false;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * smpi.c - replaces pmpi.c, device.c, fortran.c and node_processes.c above SimGrid's SMPI. The
 * plug-in is linked into the program, so that nothing is looked up: 1000 ranks are 1000 loaded
 * copies of the program in one process, and a search through them is slow. Where SMPI 3.32 differs
 * from the MPI standard, the functions here correct it, so that the rest of the plug-in needs no
 * special cases. Only maint/build-smpi compiles this file.
 */
#include "mpi/internal.h"
#include "mpi/node_processes.h"

#include "schedule/memory.h"

anypi_pmpi anypi_mpi;
int anypi_reasons = 1;

/* SMPI has no progress engine of Open MPI. */
void *anypi_symbol(const char *name)
{
    (void) name;
    return NULL;
}

/* Does nothing. SMPI's PMPI functions call no error handler, so errors need not be silenced. And
 * when one rank has set the handler of MPI_COMM_WORLD, the other ranks have none. */
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

/* Avoids a crash of SMPI if the handler is predefined. */
static int call_errhandler(MPI_Comm comm, int error)
{
    MPI_Errhandler handler;
    if (get_errhandler(comm, &handler))
        return MPI_ERR_OTHER;
    if (!is_predefined(handler))
        return PMPI_Comm_call_errhandler(comm, error);
    return handler == MPI_ERRORS_RETURN ? MPI_SUCCESS : PMPI_Abort(comm, error);
}

/* Sets *parts to the types from which a type is made, which the caller frees. Returns their number;
 * -1: the type cannot be described. */
static int parts_of(MPI_Datatype type, MPI_Datatype **parts)
{
    int integers, addresses, types, combiner;
    *parts = NULL;
    if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner))
        return -1;
    if (combiner == MPI_COMBINER_NAMED)
        return 0;
    int *integer = anypi_realloc(NULL, (size_t) (integers + 1) * sizeof *integer);
    MPI_Aint *address = anypi_realloc(NULL, (size_t) (addresses + 1) * sizeof *address);
    *parts = anypi_realloc(NULL, (size_t) (types + 1) * sizeof **parts);
    if (!integer || !address || !*parts ||
        PMPI_Type_get_contents(type, integers, addresses, types, integer, address, *parts))
        types = -1;
    anypi_free(integer);
    anypi_free(address);
    return types;
}

/* Replaces a type with markers, made by MPI_Type_create_resized, by the part between them. Leaves a
 * type without markers as it is. Returns false if there are other markers inside. */
static bool strip(MPI_Datatype *type)
{
    MPI_Datatype *parts;
    const int count = parts_of(*type, &parts);
    bool good = count >= 0;
    if (count == 3 && parts[0] == MPI_LB && parts[2] == MPI_UB) {
        *type = parts[1];
        good = strip(type);
    } else {
        for (int i = 0; i < count && good; i++) {
            MPI_Datatype part = parts[i];
            good = part != MPI_LB && part != MPI_UB && strip(&part) && part == parts[i];
        }
    }
    anypi_free(parts);
    return good;
}

/* Returns an error for types that SMPI handles wrongly, so that calls with these types are
 * forwarded to SMPI. SMPI reports a resized type's extent as its true extent. It sends types that
 * do not begin at 0 from and to wrong places. Types made of resized types have the same faults. */
static int get_true_extent(MPI_Datatype type, MPI_Aint *true_lb, MPI_Aint *true_extent)
{
    MPI_Aint lb, extent;
    const int error = PMPI_Type_get_extent(type, &lb, &extent);
    if (error || lb != 0 || !strip(&type))
        return error ? error : MPI_ERR_TYPE;
    return PMPI_Type_get_true_extent(type, true_lb, true_extent);
}

/* The attribute of MPI_COMM_SELF whose deletion ends the plug-in. */
static int end_keyval = MPI_KEYVAL_INVALID;

static int set_attr(MPI_Comm comm, int keyval, void *value)
{
    if (comm == MPI_COMM_SELF)
        end_keyval = keyval;
    return PMPI_Comm_set_attr(comm, keyval, value);
}

/* Deletes the attribute before SMPI does, because SMPI then no longer accepts calls. */
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
#define ANYPI_PMPI_IF_THERE ANYPI_PMPI
#include "mpi/pmpi.def"
#undef ANYPI_PMPI
#undef ANYPI_PMPI_IF_THERE
    anypi_mpi.Comm_set_errhandler = set_errhandler;
    anypi_mpi.Comm_get_errhandler = get_errhandler;
    anypi_mpi.Comm_call_errhandler = call_errhandler;
    anypi_mpi.Errhandler_free = free_errhandler;
    anypi_mpi.Type_get_true_extent = get_true_extent;
    anypi_mpi.Comm_set_attr = set_attr;
    anypi_reason_add(-1);
}

/* Simulated ranks have no device memory. */
unsigned anypi_device_buffers(const void *in, const void *out)
{
    (void) in;
    (void) out;
    return 0;
}

/* Simulated ranks share no memory: all their messages are simulated. */
void anypi_node_open(bool wanted, size_t *bytes, char *text, size_t size)
{
    (void) wanted;
    (void) text;
    (void) size;
    *bytes = 0;
}


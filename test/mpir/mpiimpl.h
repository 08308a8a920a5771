/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpiimpl.h - replaces MPICH's header where src/mpir is compiled without MPICH. It declares only
 * what src/mpir uses, in the form of the release STUB_NUMVERSION (written like MPICH_NUMVERSION).
 * agree.c defines the functions that it needs. Each kind of handle has a separate type here, so
 * that the compiler finds a handle that is passed for another; MPICH's ints would hide this.
 */
#ifndef STUB_MPIIMPL_H_INCLUDED
#define STUB_MPIIMPL_H_INCLUDED

#include "schedule/argument_shapes.h"

#include <assert.h>
#include <complex.h>        /* whose macro I is in the way of names */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpl.h"

/* ---- MPI ---- */

typedef struct stub_datatype *MPI_Datatype;
typedef struct stub_op *MPI_Op;
typedef ptrdiff_t MPI_Aint;

typedef struct MPI_Status {
    int MPI_SOURCE, MPI_TAG, MPI_ERROR;
} MPI_Status;

#define MPI_IN_PLACE ((void *) -1)
#define MPI_PROC_NULL (-1)
#define MPI_ROOT (-3)
#define MPI_OP_NULL ((MPI_Op) 0)
#define MPI_SUM ((MPI_Op) 1)
#define MPI_PROD ((MPI_Op) 2)
#define MPI_MAX ((MPI_Op) 3)
#define MPI_MIN ((MPI_Op) 4)
#define MPI_LAND ((MPI_Op) 5)
#define MPI_LOR ((MPI_Op) 6)
#define MPI_LXOR ((MPI_Op) 7)
#define MPI_BAND ((MPI_Op) 8)
#define MPI_BOR ((MPI_Op) 9)
#define MPI_BXOR ((MPI_Op) 10)
#define MPI_THREAD_MULTIPLE 3

enum { MPI_SUCCESS, MPI_ERR_TRUNCATE, MPI_ERR_OTHER, MPI_ERR_INTERN, MPIX_ERR_PROC_FAILED };

#if STUB_NUMVERSION < 50000000
#define MPI_BYTE ((MPI_Datatype) 1)
#else
#define MPIR_BYTE_INTERNAL ((MPI_Datatype) 1)
#endif

/* ---- errors ---- */

int stub_error(int class, const char *message);
int stub_error_1(int class, const char *general, const char *special, const char *argument);

#define MPIR_ERR_GET_CLASS(error) ((error) & 0x7f)
#define MPIR_ERR_SET(error, class, message) ((error) = stub_error(class, message))
#define MPIR_ERR_SET1(error, class, general, special, argument)                                  \
    ((error) = stub_error_1(class, general, special, argument))
#define MPIR_ERR_ADD(error, added) ((error) = (error) ? (error) : (added))
#define MPIR_ERR_CHECK(error)                                                                    \
    do {                                                                                         \
        if (error)                                                                               \
            goto fn_fail;                                                                        \
    } while (0)
#define MPIR_ERR_CHKANDJUMP1(wrong, error, class, general, special, argument)                    \
    do {                                                                                         \
        if (wrong) {                                                                             \
            MPIR_ERR_SET1(error, class, general, special, argument);                             \
            goto fn_fail;                                                                        \
        }                                                                                        \
    } while (0)
#define MPIR_Assert(holds) assert(holds)

/* What a collective and its messages take last: the flag of errors. */
#if STUB_NUMVERSION < 50000000
typedef enum { MPIR_ERR_NONE, MPIR_ERR_PROC_FAILED = 101, MPIR_ERR_OTHER = 15 } MPIR_Errflag_t;
#else
#define MPIR_ERR_PROC_FAILED 0x2
#define MPIR_ERR_OTHER 0x4
#endif
#if STUB_NUMVERSION < 40200000
#define STUB_FLAG MPIR_Errflag_t *errflag
#define STUB_FLAG_OF_WAIT , STUB_FLAG
#elif STUB_NUMVERSION < 50000000
#define STUB_FLAG MPIR_Errflag_t errflag
#define STUB_FLAG_OF_WAIT
#else
#define STUB_FLAG int coll_attr
#define STUB_FLAG_OF_WAIT
#endif

/* ---- process, communicators, requests ---- */

typedef struct MPIR_Comm {
    int rank, local_size, context_id;
#if STUB_NUMVERSION >= 40100000
    enum { MPIR_STREAM_COMM_NONE, MPIR_STREAM_COMM_SINGLE } stream_comm_type;
#endif
#if STUB_NUMVERSION >= 40200000
    struct MPIR_Threadcomm *threadcomm;
#endif
    enum { MPIR_COMM_KIND__INTRACOMM, MPIR_COMM_KIND__INTERCOMM } comm_kind;
    struct {
#include "comm_member.h"
    } coll;
    void *csel_comm;
} MPIR_Comm;

typedef struct MPIR_Request {
    MPI_Status status;
} MPIR_Request;

void MPIR_Request_free(MPIR_Request *request);
int MPIR_Request_is_complete(MPIR_Request *request);

extern struct {
    MPIR_Comm *comm_world;
    int rank, size;
#if STUB_NUMVERSION >= 40200000
    int *coords, coords_dims;
#endif
} MPIR_Process;
#if STUB_NUMVERSION >= 40200000
extern const char *MPIR_CVAR_COORDINATES_FILE;
#endif

#if STUB_NUMVERSION < 50000000
int MPID_Comm_get_lpid(MPIR_Comm *comm, int rank, uint64_t *id, bool is_remote);
#else
typedef int64_t MPIR_Lpid;
MPIR_Lpid MPIR_comm_rank_to_lpid(MPIR_Comm *comm, int rank);
#define MPIR_LPID_WORLD_INDEX(id) ((id) / 4294967296)
#define MPIR_LPID_WORLD_RANK(id) ((id) % 4294967296)
#endif

extern struct {
    int thread_provided;
} MPIR_ThreadInfo;

int MPID_Get_node_id(MPIR_Comm *comm, int rank, int *id);

/* ---- datatypes and operators ---- */

bool stub_is_builtin(const void *handle);
void stub_get(MPI_Datatype datatype, MPI_Aint *value);

#define HANDLE_IS_BUILTIN(handle) stub_is_builtin(handle)
#define MPIR_Datatype_get_size_macro(datatype, size) stub_get(datatype, &(size))
#define MPIR_Datatype_get_extent_macro(datatype, extent) stub_get(datatype, &(extent))
void stub_is_contiguous(MPI_Datatype datatype, int *contiguous);
#define MPIR_Datatype_is_contig(datatype, contiguous) stub_is_contiguous(datatype, contiguous)
int MPIR_Type_get_extent_impl(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent);
int MPIR_Type_get_true_extent_impl(MPI_Datatype datatype, MPI_Aint *lb, MPI_Aint *extent);
int MPIR_Op_is_commutative(MPI_Op op);
void MPIR_Datatype_add_ref_if_not_builtin(MPI_Datatype datatype);
void MPIR_Datatype_release_if_not_builtin(MPI_Datatype datatype);
void MPIR_Op_add_ref_if_not_builtin(MPI_Op op);
int MPIR_Op_release_if_not_builtin(MPI_Op op);
void MPIR_Comm_add_ref(MPIR_Comm *comm);
int MPIR_Comm_release(MPIR_Comm *comm);

/* ---- messages and local work ---- */

enum {
    MPIR_ALLGATHER_TAG, MPIR_ALLGATHERV_TAG, MPIR_ALLREDUCE_TAG, MPIR_ALLTOALL_TAG,
    MPIR_ALLTOALLV_TAG, MPIR_ALLTOALLW_TAG, MPIR_BCAST_TAG, MPIR_BARRIER_TAG, MPIR_GATHER_TAG,
    MPIR_GATHERV_TAG, MPIR_SCATTER_TAG, MPIR_SCATTERV_TAG, MPIR_LOCALCOPY_TAG, MPIR_SCAN_TAG,
    MPIR_EXSCAN_TAG, MPIR_REDUCE_TAG, MPIR_REDUCE_SCATTER_TAG, MPIR_REDUCE_SCATTER_BLOCK_TAG
};

int MPIC_Isend(const void *buffer, MPI_Aint count, MPI_Datatype datatype, int to, int tag,
               MPIR_Comm *comm, MPIR_Request **request, STUB_FLAG);
int MPIC_Irecv(void *buffer, MPI_Aint count, MPI_Datatype datatype, int from, int tag,
               MPIR_Comm *comm, MPIR_Request **request);
int MPIC_Wait(MPIR_Request *request STUB_FLAG_OF_WAIT);
int MPID_Progress_test(void *state);
#if STUB_NUMVERSION < 40300000
int MPIR_Progress_hook_register(int (*hook)(int *), int *id);
#else
int MPIR_Progress_hook_register(int vci, int (*hook)(int, int *), int *id);
#endif
int MPIR_Progress_hook_deregister(int id);
int MPIR_Progress_hook_activate(int id);
int MPIR_Progress_hook_deactivate(int id);
bool MPIR_GPU_query_pointer_is_dev(const void *at);
int MPIR_Localcopy(const void *from, MPI_Aint from_count, MPI_Datatype from_type, void *to,
                   MPI_Aint to_count, MPI_Datatype to_type);
int MPIR_Reduce_local(const void *in, void *inout, MPI_Aint count, MPI_Datatype datatype,
                      MPI_Op op);

/* ---- collectives ---- */

/* What is declared in front of the communicator. */
#define STUB_WORD(x, KIND, name, member) STUB_##KIND(name),
#define STUB_IN(name) const void *name
#define STUB_OUT(name) void *name
#define STUB_BOTH(name) void *name
#define STUB_COUNT(name) MPI_Aint name
#define STUB_COUNTS(name) const MPI_Aint name[]
#define STUB_DISPLS(name) const MPI_Aint name[]
#define STUB_TYPE(name) MPI_Datatype name
#define STUB_TYPES(name) const MPI_Datatype name[]
#define STUB_OP(name) MPI_Op name
#define STUB_ROOT(name) int name
#define STUB_ARGUMENTS(kind, arguments) ANYPI_SHAPE_##kind##_##arguments(STUB_WORD, )
#define STUB_OWN_REDUCTION(declaration) declaration
#define STUB_OWN_MOVEMENT(declaration)
#define STUB_OWN_SIGNAL(declaration)

#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)          \
    int MPIR_##Name##_allcomm_auto(STUB_ARGUMENTS(kind, arguments) MPIR_Comm *comm, STUB_FLAG);  \
    STUB_OWN_##kind(int MPIR_##Name##_intra_##own(STUB_ARGUMENTS(kind, arguments)                \
                                                  MPIR_Comm *comm, STUB_FLAG);)
#include "schedule/collectives.def"
int MPIR_Gather_intra_binomial(STUB_ARGUMENTS(MOVEMENT, ROOTED_BLOCK) MPIR_Comm *comm,
                               STUB_FLAG);
int MPIR_Bcast_intra_binomial(STUB_ARGUMENTS(MOVEMENT, BUFFER) MPIR_Comm *comm, STUB_FLAG);

/* ---- schedules ---- */

typedef struct stub_sched *MPIR_Sched_t;
#define MPIR_SCHED_NULL NULL
enum MPIR_sched_type { MPIR_SCHED_INVALID, MPIR_SCHED_NORMAL, MPIR_SCHED_GENTRAN };
enum MPIR_Sched_kind {
    MPIR_SCHED_KIND_REGULAR, MPIR_SCHED_KIND_PERSISTENT, MPIR_SCHED_KIND_GENERALIZED
};
int MPIR_Sched_create(MPIR_Sched_t *sched, enum MPIR_Sched_kind kind);
int MPIR_Sched_next_tag(MPIR_Comm *comm, int *tag);
void MPIR_Sched_set_tag(MPIR_Sched_t sched, int tag);
int MPIR_Sched_reset(MPIR_Sched_t sched);
int MPIR_Sched_start(MPIR_Sched_t sched, MPIR_Comm *comm, MPIR_Request **request);
int MPIR_Sched_free(MPIR_Sched_t sched);

#define ANYP_COLLECTIVE(NAME, Name, name, kind, input, output, arguments, forward, own)          \
    int MPIR_I##name##_allcomm_sched_auto(STUB_ARGUMENTS(kind, arguments) MPIR_Comm *comm,       \
                                          bool is_persistent, void **sched,                      \
                                          enum MPIR_sched_type *type);                           \
    STUB_OWN_##kind(int MPIR_I##name##_intra_sched_##own(STUB_ARGUMENTS(kind, arguments)         \
                                                         MPIR_Comm *comm, MPIR_Sched_t sched);)
#include "schedule/collectives.def"

extern char MPII_coll_generic_json[];

/* ---- control variables, and what MPICH's generators make of AnyP's rows ---- */

extern const char *MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE;
extern int MPIR_CVAR_COLLECTIVE_FALLBACK;
enum { MPIR_CVAR_COLLECTIVE_FALLBACK_error, MPIR_CVAR_COLLECTIVE_FALLBACK_print };
extern int MPIR_CVAR_DEVICE_COLLECTIVES;
enum { MPIR_CVAR_DEVICE_COLLECTIVES_all, MPIR_CVAR_DEVICE_COLLECTIVES_none };
#include "tsp_impl.h"
#include "generated.h"

#endif

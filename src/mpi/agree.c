/* SPDX-License-Identifier: BSD-3-Clause
 *
 * agree.c - compares the settings of a communicator's ranks. Ranks that decide differently would
 * hang the job.
 *
 * All ranks compare their settings in the communicator's first collective, by one small allreduce
 * of the MPI library. Only if something is wrong do they send their settings, and rank 0 writes one
 * message. A process writes at most one message. If settings are strict, the message is also the
 * text of the error.
 */
#include "mpi/internal.h"

#include "schedule/shape.h"
#include "select/text.h"
#include "settings/variables.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

int anypi_first_text(MPI_Comm comm, int rank, int p, bool is_so, char *text, int size, int *error)
{
    int own = is_so ? rank : p, first = p;
    *error = anypi_mpi.Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, comm);
    if (!*error && first < p)
        *error = anypi_mpi.Bcast(text, size, MPI_CHAR, first, comm);
    return first;
}

static const char *consequence(anypi_strictness strict)
{
    return strict == ANYPI_STRICT ? "ANYP_STRICT makes it an error"
        : strict == ANYPI_STRICT_FOR_BITS ? "ANYP_REPRODUCIBLE makes it an error"
        : "the MPI library's algorithms run";
}

/* Bytes of the message. Only rank 0 needs it complete. */
enum { MESSAGE = 3072 };

bool anypi_has_world(void)
{
    int begun = 0, ended = 0;
    anypi_mpi.Initialized(&begun);
    anypi_mpi.Finalized(&ended);
    return begun && !ended;
}

bool anypi_find_world(MPI_Comm comm, int *rank, int *p, int *same)
{
    *same = MPI_UNEQUAL;
    return anypi_has_world() && !anypi_mpi.Comm_size(MPI_COMM_WORLD, p) &&
        !anypi_mpi.Comm_rank(MPI_COMM_WORLD, rank) &&
        !anypi_mpi.Comm_compare(comm, MPI_COMM_WORLD, same);
}

/* The error of the settings in this job, or "". */
typedef char fault[sizeof ((anypi_settings *) 0)->wrong];

/* Sets the error of the settings. `world` is the number of ranks of the job, or 0 if there are only
 * sessions. */
static void find_fault(const anypi_settings *settings, int world, fault text)
{
    memcpy(text, settings->wrong, sizeof (fault));
    if (*text || !settings->nodes || world == 0)
        return;
    const int ranks = anypi_shape_ranks(settings->nodes);
    if (world != ranks)
        snprintf(text, sizeof (fault), "ANYP_NODES=%s: it describes %d ranks, but the job has %d",
                 anypi_variable_value("NODES"), ranks, world);
}

static int describe_wrong(MPI_Comm comm, int rank, int p, fault text, anypi_strictness strict,
                          char message[MESSAGE])
{
    int error;
    const int from = anypi_first_text(comm, rank, p, *text, text, sizeof (fault), &error);
    snprintf(message, MESSAGE, "rank %d: %s; %s", from, text, consequence(strict));
    return error;
}

static int describe_difference(MPI_Comm comm, int rank, int p, const anypi_settings *settings,
                               uint64_t hash, anypi_strictness strict, char message[MESSAGE])
{
    uint64_t first_hash = hash;
    char own[1024], other[sizeof own];
    int error = anypi_mpi.Bcast(&first_hash, 1, MPI_UINT64_T, 0, comm);
    if (error)
        return error;
    anypi_settings_describe(settings, own, sizeof own);
    if (anypi_variable_value("RECORD"))
        anypi_append(own, sizeof own, ", calls recorded");
    memcpy(other, own, sizeof other);
    const int different = anypi_first_text(comm, rank, p, hash != first_hash, other, sizeof other,
                                           &error);
    if (error || different == p)
        return error;
    snprintf(message, MESSAGE, "ranks 0 and %d have different settings (%s; %s%s): set the same "
             "on all ranks; %s", different, own, other, strcmp(own, other) ? ""
             : ", but other rules in the file, or another thread level", consequence(strict));
    return error;
}

/* The error code of this process, or MPI_SUCCESS if it is not made yet. It is kept because
 * libraries have few classes. */
static struct {
    pthread_mutex_t lock;
    int code;
} reason = { .lock = PTHREAD_MUTEX_INITIALIZER, .code = MPI_SUCCESS };

/* Returns an error code whose text is the message. Some launchers lose the message of rank 0 when
 * another rank ends the job, but not the text of that rank's error. The code has a class of its
 * own, because MPICH 4.0 loses the text of a code that is added to one of its own classes. */
static int make_code(const char *message)
{
    char text[MPI_MAX_ERROR_STRING];
    int class;
    pthread_mutex_lock(&reason.lock);
    if (reason.code == MPI_SUCCESS && (anypi_mpi.Add_error_class(&class) ||
                                       anypi_mpi.Add_error_code(class, &reason.code)))
        reason.code = MPI_ERR_OTHER;
    const int code = reason.code;
    pthread_mutex_unlock(&reason.lock);
    snprintf(text, sizeof text, "AnyP: %.*s", (int) sizeof text - 7, message);
    if (code != MPI_ERR_OTHER)
        anypi_mpi.Add_error_string(code, text);
    return code;
}

void anypi_agree_end(void)
{
    reason.code = MPI_SUCCESS;
}

/* Returns the hash of the settings, and of the thread level if the rules test it. */
static uint64_t hash_of(const anypi_settings *settings)
{
    int level = 0;
    if (settings->decision && anypi_decision_asks_threads(settings->decision))
        anypi_mpi.Query_thread(&level);
    return settings->hash ^ (uint64_t) (level == MPI_THREAD_MULTIPLE);
}

bool anypi_needs_world(void)
{
    char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length;
    return !anypi_mpi.Get_library_version(version, &length) && strstr(version, "Open MPI");
}

int anypi_agree(MPI_Comm comm, int rank, int p, const anypi_settings *settings,
                anypi_agreement *found)
{
    enum { HASH, INVERSE, WRONG, STRICT, UNABLE, PARTIAL, NUMBER, UNSURE, ODD, ALL };
    static bool reported;
    const uint64_t hash = hash_of(settings);
    int world_rank, world, same;
    const bool has_world = anypi_find_world(comm, &world_rank, &world, &same);
    fault wrong;
    find_fault(settings, has_world ? world : 0, wrong);
    uint64_t maximum[ALL] = { 0 };
    uint64_t own[ALL] = { [HASH] = hash, [INVERSE] = ~hash, [WRONG] = *wrong != '\0',
                          [STRICT] = settings->strict,
                          [UNABLE] = anypi_needs_world() && !anypi_has_world(),
                          [PARTIAL] = has_world && same != MPI_IDENT && same != MPI_CONGRUENT,
                          [NUMBER] = found->context.number, [UNSURE] = found->context.unsure,
                          [ODD] = found->context.odd };
    int error = anypi_mpi.Allreduce(own, maximum, ALL, MPI_UINT64_T, MPI_MAX, comm);
    found->alike = !error && maximum[HASH] == ~maximum[INVERSE] && !maximum[WRONG];
    found->unable = maximum[UNABLE];
    found->whole = !maximum[PARTIAL];
    found->context = (anypi_context) { maximum[NUMBER], maximum[UNSURE], maximum[ODD] };
    if (error || found->alike)
        return error;
    const anypi_strictness strict = (anypi_strictness) maximum[STRICT];
    found->code = strict ? MPI_ERR_OTHER : MPI_SUCCESS;
    char message[MESSAGE] = "";
    if (maximum[WRONG])
        error = describe_wrong(comm, rank, p, wrong, strict, message);
    else
        error = describe_difference(comm, rank, p, settings, hash, strict, message);
    const bool first = !__atomic_exchange_n(&reported, true, __ATOMIC_RELAXED);
    if (!error && first && rank == 0)
        fprintf(stderr, "anyp: %s\n", message);
    /* also a barrier: no rank ends the job before rank 0 has written the message */
    if (!error && strict && !(error = anypi_mpi.Bcast(message, sizeof message, MPI_CHAR, 0, comm)))
        found->code = make_code(message);
    return error;
}

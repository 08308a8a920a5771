/* SPDX-License-Identifier: BSD-3-Clause
 *
 * agree.c - ranks that decide differently would hang the job, so all ranks of a communicator
 * compare their settings in its first collective: one small allreduce of the MPI library's own.
 * Only if something is wrong do they send rank 0 what they have; it writes one message, and a
 * process that has heard of one writes none. With ANYP_STRICT the message is the text of the error,
 * too.
 */
#include "mpi/internal.h"

#include <stdio.h>
#include <string.h>

/* The first rank at which something is so; p: none. */
static int first_rank(MPI_Comm comm, int rank, int p, bool is_so, int *error)
{
    int own = is_so ? rank : p, first = p;
    *error = anypi_mpi.Allreduce(&own, &first, 1, MPI_INT, MPI_MIN, comm);
    return first;
}

/* A rank's text on all ranks. */
static int tell_all(MPI_Comm comm, int from, char *text, int size)
{
    return anypi_mpi.Bcast(text, size, MPI_CHAR, from, comm);
}

static const char *consequence(bool strict)
{
    return strict ? "ANYP_STRICT makes it an error" : "the MPI library's own collectives run";
}

/* What is wrong, for rank 0 to write; the others need not have it. */
enum { MESSAGE = 3072 };

static int describe_wrong(MPI_Comm comm, int from, const anypi_settings *settings, bool strict,
                          char message[MESSAGE])
{
    char text[sizeof settings->wrong];
    memcpy(text, settings->wrong, sizeof text);
    const int error = tell_all(comm, from, text, sizeof text);
    snprintf(message, MESSAGE, "rank %d: %s; %s", from, text, consequence(strict));
    return error;
}

static int describe_difference(MPI_Comm comm, int rank, int p, const anypi_settings *settings,
                               uint64_t hash, bool strict, char message[MESSAGE])
{
    uint64_t first_hash = hash;
    char own[1024], other[1024] = "";
    int error = anypi_mpi.Bcast(&first_hash, 1, MPI_UINT64_T, 0, comm);
    if (error)
        return error;
    const int different = first_rank(comm, rank, p, hash != first_hash, &error);
    if (error || different == p)
        return error;
    anypi_settings_describe(settings, own, sizeof own);
    if (rank == different)
        memcpy(other, own, sizeof other);
    error = tell_all(comm, different, other, sizeof other);
    snprintf(message, MESSAGE, "ranks 0 and %d have different settings (%s; %s%s): set them alike "
             "on all ranks; %s", different, own, other, strcmp(own, other) ? ""
             : ", but with other rules in the file, or another thread level", consequence(strict));
    return error;
}

/* An error code whose text says what is wrong: some launchers lose what rank 0 wrote as soon as
 * another rank ends the job, but not what that rank says itself. Of a class of its own: MPICH 4.0
 * loses the text of a code that is added to one of its classes. */
static int make_code(const char *message)
{
    static int code = MPI_SUCCESS;      /* one is enough for a process */
    char text[MPI_MAX_ERROR_STRING];
    int class;
    if (code == MPI_SUCCESS &&
        (anypi_mpi.Add_error_class(&class) || anypi_mpi.Add_error_code(class, &code)))
        return MPI_ERR_OTHER;
    snprintf(text, sizeof text, "AnyP: %s", message);
    anypi_mpi.Add_error_string(code, text);
    return code;
}

/* The hash, and the thread level if the rules ask for it. */
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

/* Can the MPI library reduce locally now? */
static bool can_reduce(void)
{
    int begun = 0, ended = 0;
    anypi_mpi.Initialized(&begun);
    anypi_mpi.Finalized(&ended);
    return (begun && !ended) || !anypi_needs_world();
}

int anypi_agree(MPI_Comm comm, int rank, int p, const anypi_settings *settings,
                anypi_agreement *found)
{
    enum { HASH, INVERSE, WRONG, STRICT, UNABLE, ALL };
    static bool told;
    const uint64_t hash = hash_of(settings);
    uint64_t most[ALL] = { 0 };
    uint64_t own[ALL] = { [HASH] = hash, [INVERSE] = ~hash, [WRONG] = *settings->wrong != '\0',
                          [STRICT] = settings->strict, [UNABLE] = !can_reduce() };
    int error = anypi_mpi.Allreduce(own, most, ALL, MPI_UINT64_T, MPI_MAX, comm);
    found->alike = !error && most[HASH] == ~most[INVERSE] && !most[WRONG];
    found->unable = most[UNABLE];
    if (error || found->alike)
        return error;
    const bool strict = most[STRICT];
    char message[MESSAGE] = "";
    if (!most[WRONG]) {
        error = describe_difference(comm, rank, p, settings, hash, strict, message);
    } else {
        const int from = first_rank(comm, rank, p, *settings->wrong != '\0', &error);
        error = error ? error : describe_wrong(comm, from, settings, strict, message);
    }
    const bool first = !__atomic_exchange_n(&told, true, __ATOMIC_RELAXED);
    if (!error && first && rank == 0)
        fprintf(stderr, "anyp: %s\n", message);
    /* nobody ends the job before rank 0 has written why */
    if (!error && strict && !(error = tell_all(comm, 0, message, sizeof message)))
        found->code = make_code(message);
    return error;
}

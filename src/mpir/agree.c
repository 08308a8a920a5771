/* SPDX-License-Identifier: BSD-3-Clause
 *
 * agree.c - checks in MPI_Init that the decision is valid and the same on all ranks. Ranks that
 * decide differently would hang the job.
 *
 * All ranks compare a hash of their variables and, if any rank has a decision file, of its name.
 * Then the rules are read, by rank 0 for all ranks if all have the same file (shared_file.c), and
 * compared. Only if something is wrong do the ranks send their settings to rank 0. Rank 0 writes
 * one message, and MPI_Init fails with this text on all ranks. (With reproducible results, a
 * variable that forces one of MPICH's algorithms is an error.)
 *
 * Each rank reads MPICH's file of coordinates by itself, so the ranks also compare a hash of the
 * coordinates. If these differ, AnyP does not use them.
 *
 * A rank for which nothing of AnyP is configured sends nothing, and configured ranks wait for it.
 * After ten seconds they write a message. The messages of the comparison have a tag of their own,
 * so that no collective receives them. Worlds that are joined later (spawn, connect, merge) are not
 * compared with each other.
 */
#include "mpir/internal.h"

#include "algorithms/network.h"
#include "select/text.h"

#include <time.h>

enum {
    FORWARD = 500000000,        /* nanoseconds in which mpiexec forwards the message; it drops
                                 * unread output when a rank ends the job */
    MESSAGE = 3072,             /* bytes of the message */
    MPICHS = -1                 /* the value of a variable that leaves the choice to MPICH */
};

/* The settings of a rank, as sent to rank 0. */
typedef struct record {
    uint64_t hash;              /* of everything that must be the same on all ranks */
    uint64_t places;            /* hash of MPICH's coordinates; 0: no coordinates */
    uint64_t rules;             /* hash of the decision file's rules; 0: no file, or not read yet */
    int errors;                 /* > 0: the file is wrong, see text */
    int threads;                /* the level is MPI_THREAD_MULTIPLE, and the rules test it */
    char file[512], network[ANYP_VALUE_SIZE];
    char text[sizeof ((anypi_diagnosis *) 0)->text];
    int values[];               /* of the variables in anypi_mpir_variables */
} record;

/* Returns the bytes of a record, a multiple of its alignment. */
static size_t record_size(void)
{
    size_t size = sizeof(record);
    for (int i = 0; anypi_mpir_variables[i].name; i++)
        size += sizeof(int);
    return (size + _Alignof(record) - 1) / _Alignof(record) * _Alignof(record);
}

/* Returns the name of AnyP's algorithm that variable i forces with this value, or NULL. */
static const char *forced(int i, int value)
{
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    if (i >= ANYPI_MPIR_ALGORITHM_VARIABLES || value == MPICHS)
        return NULL;
    for (int k = 0; k < count; k++)
        if (anypi_mpir_algorithm_values[i / ANYP_COLLECTIVES][i % ANYP_COLLECTIVES][k] == value)
            return algorithms[k].name;
    return NULL;
}

/* Returns the name of the first variable that forces an algorithm of AnyP's, or NULL. */
static const char *forcing_variable(void)
{
    for (int i = 0; i < ANYPI_MPIR_ALGORITHM_VARIABLES; i++)
        if (forced(i, *anypi_mpir_variables[i].value))
            return anypi_mpir_variables[i].name;
    return NULL;
}

/* Returns the value of variable i for the comparison: MPICHS if it does not affect AnyP's
 * algorithms. */
static int compared(int i)
{
    const anypi_mpir_variable *variable = &anypi_mpir_variables[i];
    const bool concerns = i < ANYPI_MPIR_ALGORITHM_VARIABLES ? forced(i, *variable->value) != NULL
        : variable->value != &MPIR_CVAR_COLLECTIVE_FALLBACK || forcing_variable() != NULL;
    return concerns ? *variable->value : MPICHS;
}

/* Returns what is configured for AnyP on this rank: the decision file or the name of a variable;
 * NULL: nothing. */
static const char *configured(void)
{
    return anypi_mpir_decision_file() ? anypi_mpir_decision_file()
        : *MPIR_CVAR_ANYP_NETWORK ? "MPIR_CVAR_ANYP_NETWORK"
        : MPIR_CVAR_ANYP_REPRODUCIBLE ? "MPIR_CVAR_ANYP_REPRODUCIBLE"
        : MPIR_CVAR_ANYP_SHARED_MEMORY > 1 ? "MPIR_CVAR_ANYP_SHARED_MEMORY" : forcing_variable();
}

/* Sets an error if a variable forces one of MPICH's algorithms for a reduction, because these are
 * not reproducible. */
static void check_forced(record *mine)
{
    for (int i = 0; i < ANYPI_MPIR_ALGORITHM_VARIABLES && !mine->errors; i++) {
        const int value = *anypi_mpir_variables[i].value;
        if (anypi_moves(i % ANYP_COLLECTIVES) || forced(i, value) ||
            value == MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM_auto)
            continue;
        mine->errors = 1;
        snprintf(mine->text, sizeof mine->text, "%s forces an algorithm of MPICH's own, and "
                 "MPIR_CVAR_ANYP_REPRODUCIBLE excludes these: unset one of the two",
                 anypi_mpir_variables[i].name);
    }
}

static uint64_t hash_coordinates(void)
{
    const int *coordinates = ANYPI_COORDINATES;
    uint64_t hash = ANYPI_HASH;
    for (int i = 0; coordinates && i < MPIR_Process.size * ANYPI_DIMENSIONS; i++)
        hash = anypi_hash_word(hash, (uint32_t) coordinates[i]);
    return coordinates ? hash : 0;
}

static void fill(record *mine)
{
    const anypi_diagnosis *diagnosis = anypi_mpir_diagnosis();
    const char *file = anypi_mpir_decision_file();
    memset(mine, 0, record_size());
    mine->places = hash_coordinates();
    mine->rules = anypi_mpir_decision() ? anypi_decision_hash(anypi_mpir_decision()) : 0;
    anypi_append(mine->file, sizeof mine->file, file ? file : "no file");
    anypi_network_text(mine->network, sizeof mine->network);
    if (diagnosis) {
        mine->errors = diagnosis->errors > 0 ? diagnosis->errors : 1;
        anypi_append(mine->text, sizeof mine->text, diagnosis->text);
    }
    if (MPIR_CVAR_ANYP_REPRODUCIBLE)
        check_forced(mine);
    mine->threads = anypi_mpir_decision() && anypi_decision_asks_threads(anypi_mpir_decision()) &&
        MPIR_ThreadInfo.thread_provided == MPI_THREAD_MULTIPLE;
    mine->hash = anypi_hash_word(ANYPI_HASH, mine->rules) ^ (uint64_t) mine->threads;
    mine->hash = anypi_hash_text(mine->hash, mine->network);
    for (int i = 0; anypi_mpir_variables[i].name; i++) {
        mine->values[i] = compared(i);
        mine->hash = anypi_hash_word(mine->hash, (uint32_t) mine->values[i]);
    }
}

/* The numbers that ranks compare, each by its maximum. With the maximum of its inverse this shows
 * whether all are equal. */
enum { HASH, HASH_INVERSE, PLACES, PLACES_INVERSE, FILE_NAME, FILE_INVERSE, ERRORS, COMPARED };

/* The result of the comparison. */
typedef struct outcome {
    bool agree;                 /* all ranks agree, and nothing is wrong */
    bool same_places;           /* all ranks have the same coordinates */
    bool a_file, same_file;     /* some rank has a decision file; all have the same one */
} outcome;

/* Compares the records of all ranks. After each round, a rank knows about twice as many ranks. If a
 * rank takes no part, the next rank waits for it in the first round, and only that rank writes a
 * message. Returns an MPI error code. */
static int compare(const record *mine, MPIR_Comm *world, outcome *all)
{
    const int p = world->local_size, rank = world->rank;
    static uint64_t other[COMPARED];    /* a message may come after an error */
    const uint64_t file = anypi_hash_file(anypi_mpir_decision_file());
    uint64_t maximum[COMPARED] = {
        mine->hash, ~mine->hash, mine->places, ~mine->places, file, ~file, mine->errors > 0
    };
    for (int distance = 1; distance < p; distance *= 2) {
        const int error = anypi_mpir_exchange(maximum, (rank + distance) % p, other,
                                              (rank + p - distance) % p, sizeof maximum, world,
                                              distance == 1 ? configured() : NULL);
        if (error)
            return error;
        for (int i = 0; i < COMPARED; i++)
            maximum[i] = other[i] > maximum[i] ? other[i] : maximum[i];
    }
    all->agree = maximum[HASH] == ~maximum[HASH_INVERSE] && !maximum[ERRORS];
    all->same_places = maximum[PLACES] == ~maximum[PLACES_INVERSE];
    all->a_file = maximum[FILE_NAME] != 0;
    all->same_file = maximum[FILE_NAME] == ~maximum[FILE_INVERSE];
    return MPI_SUCCESS;
}

static void describe_bad_file(const record *bad, int rank, char message[MESSAGE])
{
    char more[64] = "";
    if (bad->errors > 1)
        snprintf(more, sizeof more, " (the first of %d errors: anyp check lists them all)",
                 bad->errors);
    snprintf(message, MESSAGE, "anyp: rank %d: %s%s", rank, bad->text, more);
}

/* Returns the value of variable i in the form that users write, if AnyP knows its name. */
static const char *value_text(int i, int value, char text[64])
{
    const char *name = forced(i, value);
    if (name)
        snprintf(text, 64, "anyp_%s", name);
    else
        snprintf(text, 64, "%d", value);
    const bool chooses = i < ANYPI_MPIR_ALGORITHM_VARIABLES ||
        anypi_mpir_variables[i].value == &MPIR_CVAR_COLLECTIVE_FALLBACK;
    return value != MPICHS ? text : chooses ? "MPICH's choice" : "auto";
}

static void describe_difference(const record *mine, const record *other, int rank,
                                char message[MESSAGE])
{
    char own[64], others[64];
    int i = 0;
    while (mine->values[i] == other->values[i] && anypi_mpir_variables[i + 1].name)
        i++;
    if (mine->rules != other->rules)
        snprintf(message, MESSAGE, "anyp: ranks 0 and %d have different decision files, %s and %s: "
                 "give all ranks the same one", rank, mine->file, other->file);
    else if (strcmp(mine->network, other->network))
        snprintf(message, MESSAGE, "anyp: ranks 0 and %d have different MPIR_CVAR_ANYP_NETWORK, %s "
                 "and %s: set the same on all ranks", rank, mine->network, other->network);
    else if (mine->threads != other->threads)
        snprintf(message, MESSAGE, "anyp: ranks 0 and %d have different thread levels, and %s asks "
                 "is_multi_threaded: remove that condition, or give all ranks the same level",
                 rank, mine->file);
    else
        snprintf(message, MESSAGE, "anyp: ranks 0 and %d have different %s, %s and %s: set the "
                 "same on all ranks", rank, anypi_mpir_variables[i].name,
                 value_text(i, mine->values[i], own), value_text(i, other->values[i], others));
}

/* Sets the message, on all ranks, to the first wrong file or, if none is wrong, to the first
 * difference. Rank 0 writes it before the others receive it. Returns an MPI error code. */
static int report(const record *mine, MPIR_Comm *world, char message[MESSAGE])
{
    int mpi_errno = MPI_SUCCESS;
    const size_t size = record_size();
    char *all = NULL;
    ANYPI_ERRFLAG_OWN errflag = ANYPI_ERRFLAG_NONE;

    if (world->rank == 0) {
        all = anypi_realloc(NULL, (size_t) world->local_size * size);
        MPIR_ERR_CHKANDJUMP1(!all, mpi_errno, MPI_ERR_OTHER, "**nomem", "**nomem %s", "report");
    }
    mpi_errno = MPIR_Gather_intra_binomial(mine, (MPI_Aint) size, ANYPI_TYPE_BYTE, all,
                                           (MPI_Aint) size, ANYPI_TYPE_BYTE, 0, world,
                                           ANYPI_ERRFLAG_PASS(errflag));
    MPIR_ERR_CHECK(mpi_errno);
    for (int rank = 0; all && rank < world->local_size; rank++) {
        const record *other = (const record *) (void *) (all + (size_t) rank * size);
        if (other->errors > 0) {
            describe_bad_file(other, rank, message);
            break;
        }
        if (!*message && other->hash != mine->hash)
            describe_difference(mine, other, rank, message);
    }
    if (all) {
        fprintf(stderr, "%s\n", message);
        nanosleep(&(struct timespec) { .tv_nsec = FORWARD }, NULL);
    }
    mpi_errno = MPIR_Bcast_intra_binomial(message, MESSAGE, ANYPI_TYPE_BYTE, 0, world,
                                          ANYPI_ERRFLAG_PASS(errflag));

  fn_exit:
    anypi_free(all);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

static const char *coordinates_fault;

const char *anypi_mpir_coordinates_fault(void)
{
    return coordinates_fault;
}

/* Compares the variables; then reads the decision file, if there is one, and compares the rules.
 * Returns an MPI error code. */
static int compare_all(record *mine, MPIR_Comm *world, outcome *all)
{
    int mpi_errno = MPI_SUCCESS;
    fill(mine);
    *all = (outcome) { .agree = mine->errors == 0, .a_file = true };
    if (world)
        mpi_errno = compare(mine, world, all);
    if (mpi_errno || !all->agree || !all->a_file)
        return mpi_errno;
    if (anypi_mpir_decision_file())
        mpi_errno = anypi_mpir_read_rules(all->same_file ? world : NULL);
    if (mpi_errno)
        return mpi_errno;
    fill(mine);
    return world ? compare(mine, world, all) : MPI_SUCCESS;
}

int anypi_mpir_init_report(void)
{
    MPIR_Comm *world = MPIR_Process.comm_world;
    int mpi_errno = MPI_SUCCESS;
    outcome all;
    char message[MESSAGE] = "";
    record *mine = NULL;

    coordinates_fault = ANYPI_COORDINATES ? "ranks have not compared them in MPI_Init" : NULL;
    if (!configured())
        goto fn_exit;
    mine = anypi_realloc(NULL, record_size());
    MPIR_ERR_CHKANDJUMP1(!mine, mpi_errno, MPI_ERR_OTHER, "**nomem", "**nomem %s", "report");
    mpi_errno = compare_all(mine, world, &all);
    MPIR_ERR_CHECK(mpi_errno);
    if (world) {
        coordinates_fault = all.same_places ? NULL : "ranks have different coordinates";
    } else if (mine->errors > 0) {      /* a session without a world: nothing to compare */
        describe_bad_file(mine, MPIR_Process.rank, message);
        fprintf(stderr, "%s\n", message);
    }
    if (world && !all.agree) {
        mpi_errno = report(mine, world, message);
        MPIR_ERR_CHECK(mpi_errno);
    }
    MPIR_ERR_CHKANDJUMP1(*message, mpi_errno, MPI_ERR_OTHER, "**fail", "**fail %s", message);
    if (world)
        anypi_mpir_node_open(world);

  fn_exit:
    anypi_free(mine);
    return mpi_errno;
  fn_fail:
    goto fn_exit;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * report.c - once the world exists: is the decision valid and the same on all ranks? Ranks that
 * decide differently would hang the job, so all ranks compare a hash of their rules and variables,
 * by one small allreduce of MPICH's own, which is the world's first collective. Only if something
 * is wrong do they send rank 0 their settings; it writes one message, and MPI_Init fails with this
 * text on all ranks. (Reproducible results exclude variables that force algorithms of MPICH's own.)
 * Worlds that are joined later (spawn, connect, merge) are not compared with each other.
 */
#include "mpir/internal.h"

#include "algorithms/network.h"
#include "select/text.h"

#include <time.h>

/* Seconds that the other ranks wait for rank 0 to end the job, after it has written its message, so
 * that not each of them reports the failure; and milliseconds that rank 0 gives mpiexec to forward
 * its message, before the end of the job closes the pipes. */
enum { WAIT_SECONDS = 10, FORWARD_MILLISECONDS = 500 };

/* Bytes of the message. */
enum { MESSAGE = 3072 };

/* The value of a variable that leaves the choice to MPICH. */
enum { MPICHS = -1 };

/* What a rank sends to rank 0. */
typedef struct record {
    uint64_t rules;             /* hash of the decision file's rules; 0: no file */
    int errors;                 /* > 0: the file is bad, see text */
    int threads;                /* MPI_THREAD_MULTIPLE, and the rules ask for it */
    char file[512], network[ANYP_VALUE_SIZE];
    char text[sizeof ((anypi_diagnosis *) 0)->text];
    int values[];               /* of anypi_mpir_variables */
} record;

static int variables_count(void)
{
    int count = 0;
    while (anypi_mpir_variables[count].name)
        count++;
    return count;
}

static size_t record_size(void)
{
    const size_t alignment = _Alignof(record);
    return (sizeof(record) + (size_t) variables_count() * sizeof(int) + alignment - 1) /
        alignment * alignment;
}

/* The collective, and its form, whose algorithm a variable requests; ANYP_COLLECTIVES: it requests
 * none. */
static anyp_collective collective_of(const anypi_mpir_variable *variable, int *form)
{
    for (*form = 0; *form < 2; ++*form)
        for (int collective = 0; collective < ANYP_COLLECTIVES; collective++)
            if (variable->value == anypi_mpir_algorithm_variables[*form][collective].value)
                return (anyp_collective) collective;
    return ANYP_COLLECTIVES;
}

/* AnyP's algorithm that a variable with this value requests. -1: the value requests one of MPICH's,
 * or the variable is no algorithm variable. *asks: it is one. */
static int asked_algorithm(const anypi_mpir_variable *variable, int value, bool *asks)
{
    int form;
    const anyp_collective collective = collective_of(variable, &form);
    *asks = collective != ANYP_COLLECTIVES;
    for (int i = 0; *asks && i < ANYPI_ALGORITHMS; i++)
        if (anypi_mpir_algorithm_values[form][collective][i] == value)
            return i;
    return -1;
}

/* Ignores what does not concern AnyP: which of MPICH's algorithms is forced, and what happens if a
 * forced algorithm does not serve a call, unless one of AnyP's is forced. */
static void ignore_mpichs(record *mine)
{
    bool forced = false;
    for (int i = 0; anypi_mpir_variables[i].name; i++) {
        bool asks;
        if (asked_algorithm(&anypi_mpir_variables[i], mine->values[i], &asks) >= 0)
            forced = true;
        else if (asks)
            mine->values[i] = MPICHS;
    }
    for (int i = 0; anypi_mpir_variables[i].name; i++)
        if (anypi_mpir_variables[i].value == &MPIR_CVAR_COLLECTIVE_FALLBACK && !forced)
            mine->values[i] = MPICHS;
}

/* Reproducible results exclude algorithms of MPICH's own for reductions. */
static void check_forced(record *mine)
{
    for (int i = 0; anypi_mpir_variables[i].name && !mine->errors; i++) {
        bool asks;
        int form;
        const anyp_collective collective = collective_of(&anypi_mpir_variables[i], &form);
        const int value = *anypi_mpir_variables[i].value;
        if (collective == ANYP_COLLECTIVES || anypi_moves(collective) ||
            asked_algorithm(&anypi_mpir_variables[i], value, &asks) >= 0 ||
            value == MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM_auto)
            continue;
        mine->errors = 1;
        snprintf(mine->text, sizeof mine->text, "%s forces an algorithm of MPICH's own, and "
                 "MPIR_CVAR_ANYP_REPRODUCIBLE excludes these: unset one of the two",
                 anypi_mpir_variables[i].name);
    }
}

static void fill(record *mine)
{
    const anypi_diagnosis *diagnosis = anypi_mpir_diagnosis();
    const char *file = anypi_mpir_decision_file();
    memset(mine, 0, record_size());
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
    for (int i = 0; anypi_mpir_variables[i].name; i++)
        mine->values[i] = *anypi_mpir_variables[i].value;
    ignore_mpichs(mine);
}

/* FNV-1a over rules, constants and variables. */
static uint64_t hash_of(const record *mine)
{
    uint64_t hash = anypi_hash_word(ANYPI_HASH, mine->rules) ^ (uint64_t) mine->threads;
    hash = anypi_hash_text(hash, mine->network);
    for (int i = 0; i < variables_count(); i++)
        hash = anypi_hash_word(hash, (uint32_t) mine->values[i]);
    return hash;
}

/* Do all ranks agree, with valid files? *error is of the communication. */
static bool all_agree(const record *mine, MPIR_Comm *world, int *error)
{
    const uint64_t hash = hash_of(mine);
    uint64_t own[3] = { hash, ~hash, mine->errors > 0 }, maximum[3] = { 0, 0, 1 };
    ANYPI_ERRFLAG_OWN errflag = ANYPI_ERRFLAG_NONE;
    *error = MPIR_Allreduce_intra_recursive_doubling(own, maximum, 3, ANYPI_TYPE_UINT64, MPI_MAX,
                                                     world, ANYPI_ERRFLAG_PASS(errflag));
    return maximum[0] == ~maximum[1] && !maximum[2];
}

static void describe_bad_file(const record *bad, int rank, char message[MESSAGE])
{
    char more[64] = "";
    if (bad->errors > 1)
        snprintf(more, sizeof more, " (the first of %d errors: anyp check lists them all)",
                 bad->errors);
    snprintf(message, MESSAGE, "rank %d: %s%s", rank, bad->text, more);
}

/* A value of a variable as users write it, if AnyP knows its name. */
static const char *value_text(const anypi_mpir_variable *variable, int value, char text[64])
{
    bool asks;
    int count;
    if (value == MPICHS)
        return "MPICH's choice";
    const int algorithm = asked_algorithm(variable, value, &asks);
    if (algorithm >= 0)
        snprintf(text, 64, "anyp_%s", anyp_algorithms(&count)[algorithm].name);
    else
        snprintf(text, 64, "%d", value);
    return text;
}

static void describe_difference(const record *mine, const record *other, int rank,
                                char message[MESSAGE])
{
    if (mine->rules != other->rules) {
        snprintf(message, MESSAGE, "ranks 0 and %d have different decision files, %s and %s: "
                 "give all ranks the same one", rank, mine->file, other->file);
        return;
    }
    if (strcmp(mine->network, other->network)) {
        snprintf(message, MESSAGE, "ranks 0 and %d have different MPIR_CVAR_ANYP_NETWORK, %s and "
                 "%s: set it alike on all ranks", rank, mine->network, other->network);
        return;
    }
    if (mine->threads != other->threads) {
        snprintf(message, MESSAGE, "ranks 0 and %d have different thread levels, and %s asks "
                 "is_multi_threaded: take that condition out, or give all ranks the same level",
                 rank, mine->file);
        return;
    }
    for (int i = 0; anypi_mpir_variables[i].name; i++)
        if (mine->values[i] != other->values[i]) {
            const anypi_mpir_variable *variable = &anypi_mpir_variables[i];
            char own[64], others[64];
            snprintf(message, MESSAGE, "ranks 0 and %d have different %s, %s and %s: "
                     "set it alike on all ranks", rank, variable->name,
                     value_text(variable, mine->values[i], own),
                     value_text(variable, other->values[i], others));
            return;
        }
}

static void wait_milliseconds(long milliseconds)
{
    const struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000 };
    nanosleep(&time, NULL);
}

static int send_to(const void *data, MPI_Aint size, int rank, MPIR_Comm *world)
{
    MPIR_Request *request;
    ANYPI_ERRFLAG_OWN errflag = ANYPI_ERRFLAG_NONE;
    int error = MPIC_Isend(data, size, ANYPI_TYPE_BYTE, rank, MPIR_GATHER_TAG, world, &request,
                           ANYPI_ERRFLAG_PASS(errflag));
    if (error == MPI_SUCCESS) {
        error = ANYPI_WAIT(request, ANYPI_ERRFLAG_PASS(errflag));
        MPIR_Request_free(request);
    }
    return error;
}

static int receive_from(void *data, MPI_Aint size, int rank, MPIR_Comm *world)
{
    ANYPI_ERRFLAG_OWN errflag = ANYPI_ERRFLAG_NONE;
    return ANYPI_RECEIVE(data, size, ANYPI_TYPE_BYTE, rank, MPIR_GATHER_TAG, world,
                         ANYPI_ERRFLAG_PASS(errflag));
}

/* Rank 0 receives the records, writes a message about the first wrong file, else the first
 * difference, and sends it to the others, which do not end the job before. */
static int gather_and_report(const record *mine, record *other, MPIR_Comm *world,
                             char message[MESSAGE])
{
    bool bad = mine->errors > 0, different = false;
    int first_error = MPI_SUCCESS;
    snprintf(message, MESSAGE, "ranks have different decision files or variables");
    if (bad)
        describe_bad_file(mine, 0, message);
    for (int rank = 1; rank < world->local_size; rank++) {
        const int error = receive_from(other, (MPI_Aint) record_size(), rank, world);
        if (error) {
            first_error = first_error ? first_error : error;
        } else if (!bad && other->errors > 0) {
            bad = true;
            describe_bad_file(other, rank, message);
        } else if (!bad && !different && hash_of(other) != hash_of(mine)) {
            different = true;
            describe_difference(mine, other, rank, message);
        }
    }
    fprintf(stderr, "anyp: %s\n", message);
    for (int rank = 1; rank < world->local_size; rank++) {
        const int error = send_to(message, MESSAGE, rank, world);
        first_error = first_error ? first_error : error;
    }
    wait_milliseconds(FORWARD_MILLISECONDS);
    return first_error;
}

static int send_and_receive(const record *mine, MPIR_Comm *world, char message[MESSAGE])
{
    int error = send_to(mine, (MPI_Aint) record_size(), 0, world);
    if (!error)
        error = receive_from(message, MESSAGE, 0, world);
    wait_milliseconds(WAIT_SECONDS * 1000);
    return error;
}

int anypi_mpir_init_report(void)
{
    MPIR_Comm *world = MPIR_Process.comm_world;
    int error = MPI_SUCCESS;
    char message[MESSAGE] = "";
    record *mine = anypi_realloc(NULL, 2 * record_size());     /* and one of another rank */
    if (!mine)
        return anypi_mpir_no_memory("report");
    record *other = (record *) ((char *) mine + record_size());
    fill(mine);
    if (!world && mine->errors > 0) {   /* a session without a world: nothing to compare */
        describe_bad_file(mine, MPIR_Process.rank, message);
        fprintf(stderr, "anyp: %s\n", message);
    } else if (world && !all_agree(mine, world, &error) && !error) {
        error = world->rank == 0 ? gather_and_report(mine, other, world, message)
            : send_and_receive(mine, world, message);
    }
    if (!error && *message)
        MPIR_ERR_SET1(error, MPI_ERR_OTHER, "**fail", "AnyP: %s", message);
    anypi_free(mine);
    return error;
}

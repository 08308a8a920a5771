/* SPDX-License-Identifier: BSD-3-Clause
 *
 * agree.c - tests src/mpir/agree.c: what it sends and writes if nothing is configured, if ranks
 * differ, or if the rank before this one never answers. This file and the headers of this folder
 * stand in for MPICH; test/mpir/compile compiles it. Writes TAP.
 */
#include "../../src/mpir/agree.c"

enum { RANKS = 4, REFUSED = 5, FORCED = 3 };

/* What is set; ranks, 0 is none. */
static struct {
    const char *name;
    int rank;                           /* this one */
    int bad_file, other_value;          /* these decide differently */
    bool own_bad_file;
    bool nothing;                       /* is configured on this rank */
    bool late;                          /* the rank before this one */
    bool other_places;                  /* that rank has other coordinates, and nothing else */
    const char *file;                   /* the decision file of this rank */
    bool same_file, other_file;         /* the others have it; another one */
    bool then_differ;                   /* once the rules have been read */
    int error;                          /* wanted */
    const char *text;                   /* wanted: in rank 0's message, or in the error */
} given;

static int messages, polls;
static int shared, alone;               /* how often the rules were read */
static char text[MESSAGE];              /* of rank 0's message */
static int forcing, value;              /* of the variables */
static time_t now;

/* ---- the rest of AnyP ---- */

const anypi_mpir_variable anypi_mpir_variables[] = {
    [0 ... ANYPI_MPIR_ALGORITHM_VARIABLES - 1] = { "FORCING", &forcing }, { "VARIABLE", &value },
    { NULL, NULL }
};
const int anypi_mpir_algorithm_values[2][ANYP_COLLECTIVES][ANYPI_ALGORITHMS] = {
    [0 ... 1] = { [0 ... ANYP_COLLECTIVES - 1] = { [0 ... ANYPI_ALGORITHMS - 1] = FORCED } }
};

const anypi_decision *anypi_mpir_decision(void) { return NULL; }
const char *anypi_mpir_decision_file(void) { return given.file; }
const anypi_diagnosis *anypi_mpir_diagnosis(void)
{
    static const anypi_diagnosis bad = { .errors = 2, .text = "own.json: wrong" };
    return given.own_bad_file ? &bad : NULL;
}

char *anypi_network_text(char *network, size_t size)
{
    snprintf(network, size, "1,1,1,1");
    return network;
}

int anypi_mpir_read_rules(MPIR_Comm *world)
{
    *(world ? &shared : &alone) += 1;
    return MPI_SUCCESS;
}

void anypi_mpir_node_open(MPIR_Comm *world) { }
uint64_t anypi_decision_hash(const anypi_decision *decision) { return 0; }
bool anypi_decision_asks_threads(const anypi_decision *decision) { return false; }

const anyp_algorithm *anyp_algorithms(int *count)
{
    static const anyp_algorithm only = { .name = "only" };
    *count = 1;
    return &only;
}

/* ---- MPICH ---- */

__typeof__(MPIR_Process) MPIR_Process;
__typeof__(MPIR_ThreadInfo) MPIR_ThreadInfo;
int MPIR_CVAR_COLLECTIVE_FALLBACK, MPIR_CVAR_ANYP_REPRODUCIBLE, MPIR_CVAR_ANYP_SHARED_MEMORY;
const char *MPIR_CVAR_ANYP_NETWORK = "";
#if STUB_NUMVERSION < 50000000
int MPID_Comm_get_lpid(MPIR_Comm *comm, int rank, uint64_t *id, bool is_remote) { return 1; }
#else
MPIR_Lpid MPIR_comm_rank_to_lpid(MPIR_Comm *comm, int rank) { return rank; }
#endif

int stub_error_1(int class, const char *general, const char *special, const char *argument)
{
    snprintf(text, sizeof text, "%s", argument);
    return REFUSED;
}

int MPIC_Isend(const void *buffer, MPI_Aint count, MPI_Datatype datatype, int to, int tag,
               MPIR_Comm *comm, MPIR_Request **request, STUB_FLAG)
{
    static MPIR_Request sent;
    *request = &sent;
    messages++;
    return MPI_SUCCESS;
}

/* Another rank's maxima: they differ from this one's where a test wants it. */
int MPIC_Irecv(void *buffer, MPI_Aint count, MPI_Datatype datatype, int from, int tag,
               MPIR_Comm *comm, MPIR_Request **request)
{
    static MPIR_Request received;
    *request = &received;
    memset(buffer, given.late || given.other_places ? 0 : 0xff, (size_t) count);
    if (given.other_places)
        ((uint64_t *) buffer)[PLACES] = UINT64_MAX;
    if (given.same_file || given.other_file)
        memset(buffer, given.then_differ && shared + alone ? 0xff : 0, (size_t) count);
    if (given.other_file)
        ((uint64_t *) buffer)[FILE_NAME] = UINT64_MAX;
    return MPI_SUCCESS;
}

int MPIR_Request_is_complete(MPIR_Request *request)
{
    return !given.late;
}

int MPID_Progress_test(void *state)
{
    polls++;
    return MPI_SUCCESS;
}

void MPL_sched_yield(void)
{
    now++;
}

time_t time(time_t *seconds)
{
    return now;
}

int nanosleep(const struct timespec *duration, struct timespec *left)
{
    return 0;
}

int MPIC_Wait(MPIR_Request *request STUB_FLAG_OF_WAIT)
{
    return MPI_SUCCESS;
}

void MPIR_Request_free(MPIR_Request *request)
{
}

int MPIR_Gather_intra_binomial(STUB_ARGUMENTS(MOVEMENT, ROOTED_BLOCK) MPIR_Comm *comm,
                               STUB_FLAG)
{
    for (int rank = 0; recvbuf && rank < RANKS; rank++) {
        record *other = (record *) (void *) ((char *) recvbuf + rank * recvcount);
        memcpy(other, sendbuf, (size_t) sendcount);
        if (rank && rank == given.bad_file) {
            other->errors = 1;
            strcpy(other->text, "file.json: wrong");
        }
        if (rank && rank == given.other_value) {
            other->values[ANYPI_MPIR_ALGORITHM_VARIABLES]++;
            other->hash++;
        }
    }
    return MPI_SUCCESS;
}

int MPIR_Bcast_intra_binomial(STUB_ARGUMENTS(MOVEMENT, BUFFER) MPIR_Comm *comm, STUB_FLAG)
{
    if (given.rank)
        strcpy(buffer, "the message");
    return MPI_SUCCESS;
}

/* ---- the tests ---- */

#define RUN(...) do { given = (__typeof__(given)) { __VA_ARGS__ }; run(); } while (0)

static int tests, wrong;

static void run(void)
{
    MPIR_Comm world = { .rank = given.rank, .local_size = RANKS };
    MPIR_Process.comm_world = &world;
    forcing = given.nothing ? MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM_auto : FORCED;
    messages = polls = shared = alone = 0;
    text[0] = '\0';
    const int error = anypi_mpir_init_report();
    const int reads = given.file && given.same_file, own = given.file && given.other_file;
    const int compared = given.nothing ? 0 : given.same_file || given.other_file ? 2 : 1;
    const bool good = error == given.error && messages == 2 * compared &&
        shared == reads && alone == own &&
        polls == (given.late ? ANYPI_PATIENCE : 0) && strstr(text, given.text) &&
        (given.error || !anypi_mpir_coordinates_fault() == !given.other_places);
    wrong += !good;
    printf("%sok %d - report: %s\n", good ? "" : "not ", ++tests, given.name);
    if (!good)
        printf("# error %d, %d messages, %d polls, read for all %d, alone %d: %s\n", error,
               messages, polls, shared, alone, text);
}

int main(void)
{
    RUN("nothing is configured", .nothing = true, .other_value = 2, .text = "");
    RUN("different variables", .other_value = 2, .error = REFUSED,
        .text = "anyp: ranks 0 and 2 have different VARIABLE, 0 and 1");
    RUN("a bad file", .bad_file = 3, .other_value = 2, .error = REFUSED,
        .text = "anyp: rank 3: file.json: wrong");
    RUN("its own bad file", .own_bad_file = true, .bad_file = 3, .error = REFUSED,
        .text = "anyp: rank 0: own.json: wrong (the first of 2 errors");
    RUN("another rank than 0", .rank = 2, .other_value = 3, .error = REFUSED,
        .text = "the message");
    RUN("a rank that comes late", .rank = 2, .late = true, .text = "");
    RUN("different coordinates", .other_places = true, .text = "");
    RUN("one reads the file for all", .file = "file.json", .same_file = true, .text = "");
    RUN("whose rules then differ", .file = "file.json", .same_file = true, .then_differ = true,
        .bad_file = 1, .error = REFUSED, .text = "anyp: rank 1: file.json: wrong");
    RUN("all read their own files", .file = "file.json", .other_file = true, .text = "");
    RUN("only others have a file", .other_file = true, .text = "");
    RUN("different variables, and a file", .file = "file.json", .other_value = 2,
        .error = REFUSED, .text = "anyp: ranks 0 and 2 have different VARIABLE, 0 and 1");
    printf("1..%d\n", tests);
    return wrong != 0;
}

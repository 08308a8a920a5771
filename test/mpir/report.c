/* SPDX-License-Identifier: BSD-3-Clause
 *
 * report.c - tests src/mpir/report.c where messages fail: rank 0 still receives from the other
 * ranks and answers them. This file and the headers of this folder stand in for MPICH;
 * test/mpir/compile compiles it. Writes TAP.
 */
#include "../../src/mpir/report.c"

enum { RANKS = 4, FAILED = 77, REFUSED = 5 };

/* What goes wrong; ranks, 0 is none. */
static struct {
    const char *name;
    int rank;                           /* this one */
    int bad_file, other_value;          /* these decide differently */
    bool own_bad_file;
    int lost, unreachable;              /* rank 0 cannot receive from, or send to */
    bool silent;                        /* rank 0 does not answer */
    int error;                          /* wanted */
    const char *text;                   /* wanted: in rank 0's answers, or in the error */
} given;

static int answers;                     /* of rank 0 */
static char text[MESSAGE];              /* the last answer, or of the error */
static int value;                       /* of the only variable */

/* ---- the rest of AnyP ---- */

const anypi_mpir_variable anypi_mpir_variables[] = { { "VARIABLE", &value }, { NULL, NULL } };
const anypi_mpir_variable anypi_mpir_algorithm_variables[2][ANYP_COLLECTIVES];
const int anypi_mpir_algorithm_values[2][ANYP_COLLECTIVES][ANYPI_ALGORITHMS];

const anypi_decision *anypi_mpir_decision(void) { return NULL; }
const char *anypi_mpir_decision_file(void) { return NULL; }
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

uint64_t anypi_decision_hash(const anypi_decision *decision) { return 0; }
bool anypi_decision_asks_threads(const anypi_decision *decision) { return false; }

const anyp_algorithm *anyp_algorithms(int *count)
{
    *count = 0;
    return NULL;
}

/* ---- MPICH ---- */

__typeof__(MPIR_Process) MPIR_Process;
__typeof__(MPIR_ThreadInfo) MPIR_ThreadInfo;
int MPIR_CVAR_COLLECTIVE_FALLBACK, MPIR_CVAR_ANYP_REPRODUCIBLE;

int stub_error(int class, const char *message)
{
    return REFUSED;
}

int stub_error_1(int class, const char *general, const char *special, const char *argument)
{
    snprintf(text, sizeof text, "%s", argument);
    return REFUSED;
}

/* Ranks are not equal. */
int MPIR_Allreduce_intra_recursive_doubling(STUB_ARGUMENTS(REDUCTION, COUNT) MPIR_Comm *comm,
                                            STUB_FLAG)
{
    memset(recvbuf, 0, (size_t) count * sizeof(uint64_t));
    return MPI_SUCCESS;
}

int MPIC_Isend(const void *buffer, MPI_Aint count, MPI_Datatype datatype, int to, int tag,
               MPIR_Comm *comm, MPIR_Request **request, STUB_FLAG)
{
    static MPIR_Request sent;
    *request = &sent;
    if (to && to == given.unreachable)
        return FAILED;
    if (!given.rank) {
        answers++;
        memcpy(text, buffer, sizeof text);
    }
    return MPI_SUCCESS;
}

int MPIC_Wait(MPIR_Request *request STUB_FLAG_OF_WAIT)
{
    return MPI_SUCCESS;
}

void MPIR_Request_free(MPIR_Request *request)
{
}

/* The record of a rank, or rank 0's answer. */
int MPIC_Recv(void *buffer, MPI_Aint count, MPI_Datatype datatype, int from, int tag,
              MPIR_Comm *comm, MPI_Status *status STUB_FLAG_OF_WAIT)
{
    record *other = buffer;
    if (given.rank) {
        strcpy(buffer, "the answer");
        return given.silent ? FAILED : MPI_SUCCESS;
    }
    if (from == given.lost)
        return FAILED;
    fill(other);
    other->errors = from == given.bad_file;     /* not rank 0's own */
    strcpy(other->text, "file.json: wrong");
    other->values[0] += from == given.other_value;
    return MPI_SUCCESS;
}

/* Nobody waits here. */
int nanosleep(const struct timespec *time, struct timespec *left)
{
    return 0;
}

/* ---- the tests ---- */

#define RUN(...) do { given = (__typeof__(given)) { __VA_ARGS__ }; run(); } while (0)

static int tests, wrong;

static void run(void)
{
    MPIR_Comm world = { .rank = given.rank, .local_size = RANKS };
    MPIR_Process.comm_world = &world;
    answers = 0;
    text[0] = '\0';
    const int error = anypi_mpir_init_report();
    const int expected = given.rank ? 0 : RANKS - 1 - (given.unreachable > 0);
    const bool good = error == given.error && answers == expected && strstr(text, given.text);
    wrong += !good;
    printf("%sok %d - report: %s\n", good ? "" : "not ", ++tests, given.name);
    if (!good)
        printf("# error %d, %d answers: %s\n", error, answers, text);
}

int main(void)
{
    RUN("different variables", .other_value = 2, .error = REFUSED,
        .text = "ranks 0 and 2 have different VARIABLE");
    RUN("a bad file", .bad_file = 3, .other_value = 2, .error = REFUSED,
        .text = "rank 3: file.json: wrong");
    RUN("its own bad file", .own_bad_file = true, .bad_file = 3, .error = REFUSED,
        .text = "rank 0: own.json: wrong (the first of 2 errors");
    RUN("a lost record", .lost = 1, .error = FAILED,
        .text = "ranks have different decision files or variables");
    RUN("a lost record, and a bad file", .lost = 1, .bad_file = 3, .error = FAILED,
        .text = "rank 3: file.json: wrong");
    RUN("a rank out of reach", .other_value = 3, .unreachable = 1, .error = FAILED,
        .text = "ranks 0 and 3 have different VARIABLE");
    RUN("an answer", .rank = 2, .error = REFUSED, .text = "the answer");
    RUN("no answer", .rank = 2, .silent = true, .error = FAILED, .text = "");
    printf("1..%d\n", tests);
    return wrong != 0;
}

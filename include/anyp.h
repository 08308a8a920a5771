/* SPDX-License-Identifier: BSD-3-Clause
 *
 * anyp.h - the public interface of AnyP.
 *
 * An algorithm is a pure function that writes the schedule of one rank. A schedule is a list of
 * rounds. A round starts all its sends and receives, waits for them, and then runs its local steps
 * one after the other. Schedules refer to blocks of a partition, not to bytes, so they do not
 * depend on MPI, data, types or time. Everything else in AnyP is a loop over schedules.
 *
 * Vocabulary: p processes, ranks 0..p-1; a vector of `count` elements, cut into blocks.
 * Block index i means block i mod n of the partition into n blocks: buffers may hold more than
 * one copy of the vector, or start anywhere in it, and a range of indices is always contiguous.
 * (Scratch buffers may keep the blocks in another order: see anyp_schedule.)
 */
#ifndef ANYP_H_INCLUDED
#define ANYP_H_INCLUDED

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Return values. */
typedef enum anyp_status {
    ANYP_SUCCESS = 0,
    ANYP_ERR_ARGUMENT,          /* the caller broke the function's contract */
    ANYP_ERR_MEMORY,            /* an allocation failed; nothing was changed */
    ANYP_ERR_NOT_APPLICABLE,    /* the algorithm does not support this call; a reason is given */
    ANYP_ERR_SCHEDULE,          /* the verifier found an error in a schedule */
    ANYP_ERR_FILE               /* a file cannot be read, or its content is wrong */
} anyp_status;

/* One sentence in English for a status; never NULL. */
const char *anyp_status_text(anyp_status status);

/* ---- calls ---- */

typedef enum anyp_collective {
    ANYP_ALLREDUCE = 0,
    ANYP_REDUCE,
    ANYP_REDUCE_SCATTER,        /* block r of the result goes to rank r; any block sizes */
    ANYP_REDUCE_SCATTER_BLOCK,  /* the same with equal blocks */
    ANYP_SCAN,                  /* rank r gets the sum of the ranks 0 to r */
    ANYP_EXSCAN,                /* rank r > 0 gets the sum of the ranks 0 to r-1 */
    ANYP_REDUCTIONS,            /* number of reductions; the others move data */
    ANYP_BCAST = ANYP_REDUCTIONS,
    ANYP_ALLGATHER,             /* block r of the result comes from rank r; equal blocks */
    ANYP_ALLGATHERV,            /* the same with any block sizes */
    ANYP_GATHER,                /* block r of the root's result comes from rank r */
    ANYP_SCATTER,               /* block r of the root's input goes to rank r */
    ANYP_ALLTOALL,              /* block r of a rank's input goes to rank r, which has it as the
                                 * block of that rank */
    /* the same with blocks of any sizes, which only their two ends know: */
    ANYP_ALLTOALLV,
    ANYP_ALLTOALLW,             /* a datatype for each block */
    ANYP_GATHERV,
    ANYP_SCATTERV,
    ANYP_BARRIER,               /* no rank ends before all have begun; there are no data */
    ANYP_COLLECTIVES            /* number of collectives */
} anyp_collective;

/* "allreduce", "reduce", ...: MPI's name in lower case. NULL for no collective. */
const char *anyp_collective_name(anyp_collective collective);

/* The collective of that name, or ANYP_COLLECTIVES. */
anyp_collective anyp_collective_find(const char *name);

/* Bits for sets of collectives: ANYP_IN_SET(ANYP_REDUCE) */
#define ANYP_IN_SET(collective) (1u << (collective))

/* Consecutive nodes that are the same: they have the same number of ranks. (In the shape of the
 * switches, consecutive switches that have the same nodes in the same order.) */
typedef struct anyp_span {
    int group;                  /* the first node of the span, */
    int unit;                   /* the position of its first rank, */
    int size;                   /* the ranks of each node, */
    int like;                   /* and the first node of the shape that is the same; of more than
                                 * 64 kinds, only those of the first 64 are told apart */
} anyp_span;

/* The shape of the machine: which ranks share a node; which nodes share a switch; and so on. The
 * ranks of a node are at consecutive positions of an order of all ranks. The same on every rank. */
typedef struct anyp_shape {
    int count;                  /* nodes, >= 1; each has a rank */
    int units;                  /* p */
    int spans_count;            /* 1: all nodes are the same, also inside */
    const anyp_span *spans;     /* in the order of nodes; each begins where the one before ends */
    const int *rank;            /* p: the rank at a position, a permutation; NULL: the position is
                                 * the rank, so that all ranks of a node are consecutive */
    const struct anyp_shape *above;     /* the switches: which nodes share one, as above, with nodes
                                 * instead of ranks; its `rank` is NULL, and it has at least two
                                 * switches, fewer than nodes. NULL: nodes are at one switch */
    const struct anyp_shape *runs;      /* where `rank` is not NULL, another shape of the same
                                 * ranks, whose nodes and switches are runs of consecutive ranks:
                                 * for operators that do not commute; else NULL */
    const struct anyp_shape *switches;  /* where `above` is not NULL, another shape of the same
                                 * ranks, whose nodes are the lowest switches, with nothing above;
                                 * else NULL */
} anyp_shape;

/* One call on one rank. All members but `rank`, `in_place` and the two about gaps are the same on
 * every rank, and nothing that must be the same on all ranks (messages, number of blocks) may
 * depend on these. */
typedef struct anyp_call {
    anyp_collective collective;
    int p;                      /* number of processes, >= 1 */
    int rank;                   /* 0..p-1 */
    int root;                   /* of reduce, bcast, gather and scatter; else 0 */
    int64_t count;              /* elements of the whole vector, >= 0 (all blocks together) */
    const int64_t *starts;      /* NULL: each rank's block has count / p elements, some one more.
                                 * Otherwise rank r's are the elements starts[r] to
                                 * starts[r + 1] - 1, and starts[p] == count */
    int64_t largest;            /* with starts, elements of the largest block; otherwise 0 */
    int64_t type_size;          /* bytes of data in one element, >= 0 */
    bool commutative;           /* the operator commutes, or there is none */
    bool reproducible;          /* the bracketing must be that of schedule/bracketing.h, in scans
                                 * from the left; then `commutative` is false, so that no operands
                                 * are exchanged */
    bool in_place;              /* this rank gave MPI_IN_PLACE: its input is in OUT. At the root
                                 * of a scatter: the root's block stays in IN, there is no OUT */
    bool gaps_in, gaps_out;     /* the blocks in this rank's IN (OUT) are not adjacent in memory.
                                 * Only for collectives that move data. Then no message or
                                 * reduction may name the buffer. One copy reads all of IN; copies
                                 * to OUT write all of it, or whole blocks of other ranks. In
                                 * place, OUT has its gaps from the beginning */
    const anyp_shape *nodes;    /* of the p ranks; NULL: unknown */
} anyp_call;

/* ---- schedules ---- */

/* The buffer of a slice. Scratch buffers are ANYP_SCRATCH, ANYP_SCRATCH + 1, ... */
enum {
    ANYP_IN = 0,                /* the caller's input: read only */
    ANYP_OUT = 1,               /* the caller's output; holds the input first if in place */
    ANYP_SCRATCH = 2,
    ANYP_MAX_SCRATCH = 4,
    ANYP_BUFFERS = ANYP_SCRATCH + ANYP_MAX_SCRATCH
};

/* The maximum number of later rounds that may begin before a round has ended. */
enum { ANYP_MAX_OVERLAP = 7 };

/* Blocks first .. end-1 of a buffer; block index i holds block i mod n of the vector (or, in
 * scratch buffers of a schedule with an order, block order[i mod n]). */
typedef struct anyp_slice {
    int buffer;
    int first;
    int end;
} anyp_slice;

typedef enum anyp_step_kind {
    ANYP_SEND,                  /* `from` to rank `peer` */
    ANYP_RECV,                  /* `to` from rank `peer` */
    ANYP_REDUCE_LOCAL,          /* to = from (+) to: `from` is the left operand */
    ANYP_COPY                   /* to = from */
} anyp_step_kind;

typedef struct anyp_step {
    anyp_step_kind kind;
    int peer;                   /* SEND, RECV; -1 otherwise */
    anyp_slice from;            /* unused by RECV; of a barrier all are empty */
    anyp_slice to;              /* unused by SEND */
} anyp_step;

/* One rank's schedule. Messages between two ranks match in the order of their steps; several to the
 * same peer in one round are the pieces of one message.
 * Buffers: IN has blocks [0, n), but only the rank's own for gather and the allgathers, and none
 * for other ranks than the root of scatter; OUT has [0, n), but none for other ranks than the root
 * of reduce and gather, and only the rank's own for scatter and the reduce-scatters; scratch k has
 * scratch[k]. Where ranks have blocks of their own, n is a multiple of p: each is cut into n/p
 * parts, and rank r's are [r * n/p, (r + 1) * n/p). In an alltoall, whose n = p blocks are equal,
 * block i of IN is for rank i and that of OUT from rank i, and an index of scratch is only a place.
 * In place: a schedule names OUT only, never IN; so does that of a bcast. The reduce-scatters name
 * IN, whose memory OUT overlays: the first write to OUT ends the life of IN.
 * All ranks have the same `order`. IN and OUT always keep the natural one, so that a step between
 * them and a scratch buffer may only name blocks that follow each other in both. */
typedef struct anyp_schedule {
    int p, rank;
    int blocks;                 /* n: blocks of the partition, >= 1 */
    const int *order;           /* n blocks, a permutation: index i of a scratch buffer holds block
                                 * order[i mod n]; NULL: block i mod n, as in IN and OUT */
    int rounds;
    int *round_start;           /* rounds + 1 indices into steps */
    anyp_step *steps;
    int steps_count;            /* == round_start[rounds] */
    int overlap;                /* number of later rounds that begin before a round has ended, if
                                 * they do not depend on it: 0 to ANYP_MAX_OVERLAP. It affects the
                                 * time, not the result */
    int scratch_count;
    struct {
        int first, end;         /* block indices that the buffer must hold, ... */
        int window_first, window_end, period;   /* but only these of each `period`: 0, n and n
                                                 * unless it holds a few blocks of many copies of
                                                 * the vector, or of equal parts of it */
    } scratch[ANYP_MAX_SCRATCH];
    struct anypi_builder *builder;      /* internal state of its construction */
} anyp_schedule;

/* An empty schedule. Generating into it again reuses its memory. */
void anyp_schedule_init(anyp_schedule *schedule);
/* Frees what the schedule holds and makes it empty. */
void anyp_schedule_free(anyp_schedule *schedule);

/* ---- algorithms ---- */

/* Properties. */
enum {
    ANYP_CANONICAL = 1,         /* x0 (+) x1 (+) ... (+) x(p-1) up to bracketing: any operator; for
                                 * one that commutes, operands of a sum may be exchanged where
                                 * that saves a copy, in the same way on all ranks that compute the
                                 * sum */
    ANYP_SAME_BRACKETING = 2,   /* the same bracketing of all elements on all ranks */
    ANYP_REFERENCE = 4,         /* for comparison with its paper; verified and available like the
                                 * others, but no benchmark chooses it: the tuner tries it only on
                                 * request */
    ANYP_REPRODUCIBLE = 8,      /* it can bracket as reproducible results do (bracketing.h), at any
                                 * p, with all parameters, */
    ANYP_REPRODUCIBLE_POWERS = 16, /* or where p is a power of two */
    ANYP_REPRODUCIBLE_SCANS = 32, /* the two above are not about scans; its scans add from the
                                 * left, which is their reproducible bracketing */
    ANYP_FORWARDS = 64,         /* it does not run backwards, to move data; its row says why */
    ANYP_UNEVEN = 128,          /* its closed form knows blocks of different sizes; those of others
                                 * are for equal ones */
    ANYP_NEIGHBOURS = 256,      /* in scans, ranks send to the next rank only: one of a node's ranks
                                 * sends to another node, if they are consecutive; in reduces, most
                                 * messages go to near ranks */
    ANYP_TREE = 512             /* reduces by a tree in rank order: few of a node's ranks send to
                                 * other nodes, if they are consecutive */
};

/* The value "auto" of a number: the algorithm's closed form chooses it for the call. */
enum { ANYP_AUTO = -1 };

/* A parameter is an int; an enum's value is the index of its name in `values`. */
typedef struct anyp_parameter {
    const char *name;
    const char *values;         /* an enum: "name|name|..."; NULL: a number */
    const char *list;           /* an enum that also accepts a list of numbers: an example of one
                                 * ("6,3,2,1"). A value above `maximum` means a list.
                                 * NULL: it accepts no lists */
    int minimum, maximum;       /* the range */
    int default_value;
    int automatic;              /* the value "auto": ANYP_AUTO, of an enum an index; an enum without
                                 * it has ANYP_AUTO, which is no value of it */
    bool bytes;                 /* a number of bytes */
    const char *help;           /* what it does, with its unit */
    bool of_nodes;              /* it is tried only if nodes are known */
    bool of_local_sizes;        /* it is for calls whose ranks know only the sizes of their own
                                 * blocks; no search tries it, and settle.h leaves it "auto" */
} anyp_parameter;

/* The maximum number of heights above the nodes: switches, groups of switches, and so on. */
enum { ANYP_MODEL_HEIGHTS = 7 };

/* Latency, per byte sent, per byte reduced, overhead per message at each end: seconds, or any
 * unit. */
typedef struct anyp_model {
    double alpha, beta, gamma, overhead;
    bool eager;                 /* messages are sent before the receiver is ready */
    double skew;                /* time within which all ranks enter; see analysis/simulate.h */
    /* Nodes; NULL: each rank has ports of its own. Otherwise alpha and beta are those of messages
     * between nodes. */
    const anyp_shape *nodes;
    double inside_alpha, inside_beta;   /* of messages inside a node */
    int cards;                  /* network cards of a node, >= 1; its ranks use them in turn */
    /* The heights above the nodes: those of nodes->above, nodes->above->above, and so on. */
    struct {
        double alpha;           /* of messages between different groups of this height */
        double beta;            /* time per byte of the link that joins a group of this height to
                                 * the others, one in each direction; its messages share it; 0: no
                                 * limit */
    } above[ANYP_MODEL_HEIGHTS];
    /* Without nodes: groups of `group` neighbouring ranks have such a link, whose rate is
     * group / taper ports; 0: no groups. */
    int group;
    double taper;
} anyp_model;

/* Closed form of an algorithm's time on the critical path (full duplex):
 * alpha * latencies + beta * bytes_sent + gamma * bytes_reduced + overhead * overheads. */
typedef struct anyp_cost {
    double latencies, bytes_sent, bytes_reduced, overheads;
} anyp_cost;

/* Defined by an algorithm's file: `const anyp_algorithm_code anypi_<name>_code`. */
typedef struct anyp_algorithm_code {
    const char *summary;        /* what it is good for */
    const char *source;         /* paper and section */
    /* Returns NULL if a list is valid for the algorithm's parameter that accepts lists, else what
     * is wrong with it (static text). A NULL pointer if no parameter does. */
    const char *(*list_fault)(const int *numbers, int count);
    /* Returns the number of blocks of the vector, >= 1; the same on every rank. */
    int (*blocks)(const anyp_call *call, const int *parameters);
    /* Returns NULL if the algorithm supports the call with these parameters, else why not (static
     * text). Collective, commutativity and parameter ranges are checked before. May be NULL. */
    const char *(*refusal)(const anyp_call *call, const int *parameters);
    /* Closed form: an upper bound of the simulated time, reached where the file's head says so. No
     * parameter is "auto", here and below. */
    anyp_cost (*cost)(const anyp_call *call, const int *parameters);
    /* An estimate of the time, to compare settings and algorithms. It is no bound; model->nodes, if
     * not NULL, share network cards. The call is the reduction or gather whose schedules run, but a
     * scatter for itself. NULL: the closed form serves for that, too. */
    double (*time)(const anyp_call *call, const int *parameters, const anyp_model *model);
    /* What it adds to `time` of a bcast that a rank's messages share its port, since none waits for
     * a receive; NULL: nothing */
    double (*unpaced_time)(const anyp_call *call, const int *parameters, const anyp_model *model);
    /* Writes the values of parameter `index` that are worth a try if it is "auto", at most
     * ANYPI_TRIES (shared/values.h), and returns their number; 0: the usual ones. The enums
     * among parameters[], and the numbers after `index`, are chosen already. May be NULL. */
    int (*tries)(const anyp_call *call, const anyp_model *model, const int *parameters, int index,
                 int *list);
    /* Appends the rounds of call->rank (schedule/schedule.h); schedule->blocks is set. */
    void (*generate)(const anyp_call *call, const int *parameters, anyp_schedule *schedule);
} anyp_algorithm_code;

/* The code and the contents of the algorithm's rows in algorithms.def. */
typedef struct anyp_algorithm {
    const char *name;
    unsigned collectives;       /* a set of ANYP_IN_SET() */
    unsigned properties;        /* a set of the properties above */
    const anyp_parameter *parameters;
    int parameters_count;
    const anyp_algorithm_code *code;
} anyp_algorithm;

/* All algorithms, in the order of algorithms.def; *count is their number. */
const anyp_algorithm *anyp_algorithms(int *count);

/* The algorithm of that name, or NULL. */
const anyp_algorithm *anyp_algorithm_find(const char *name);

/* Sets parameters[0 .. parameters_count-1] to the algorithm's defaults, "auto" if it is a value. */
void anyp_parameters_default(const anyp_algorithm *algorithm, int *parameters);

/* Writes the valid values of a parameter into text, for messages: "halving|pow2|..., or a list such
 * as 6,3,2,1" or "auto, or 2 to 64". Returns text. */
char *anyp_parameter_range(const anyp_parameter *parameter, char *text, size_t size);

/* Sets one parameter from text: name and value, a number, an enum's name or a list ("6,3,2,1").
 * ANYP_ERR_ARGUMENT with *reason (static text) if there is no such parameter or the value is
 * not valid. A list gets its int when it is first read, so the ints of lists, and only they, may
 * differ between processes; a process keeps at most 16384 different lists. */
anyp_status anyp_parameter_set(const anyp_algorithm *algorithm, int *parameters, const char *name,
                               const char *value, const char **reason);

/* Size of a buffer for the text of any value, with the terminating null. */
#define ANYP_VALUE_SIZE 256

/* Writes a value of a parameter as users write it ("8192", "auto", "halving", "6,3,2,1") into text;
 * returns text. */
char *anyp_parameter_text(const anyp_parameter *parameter, int value, char *text, size_t size);

/* The maximum number of parameters of an algorithm. */
#define ANYP_MAX_PARAMETERS 8

/* Does the algorithm support the call? ANYP_SUCCESS, or ANYP_ERR_NOT_APPLICABLE with *reason. */
anyp_status anyp_applicable(const anyp_algorithm *algorithm, const anyp_call *call,
                            const int *parameters, const char **reason);

/* Writes the schedule of call->rank. ANYP_ERR_NOT_APPLICABLE as above, ANYP_ERR_MEMORY. */
anyp_status anyp_generate(const anyp_algorithm *algorithm, const anyp_call *call,
                          const int *parameters, anyp_schedule *schedule);

/* The closed form's time under a model. */
double anyp_cost_time(anyp_cost cost, const anyp_model *model);

#ifdef __cplusplus
}
#endif

#endif

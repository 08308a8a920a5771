/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decision.h - decision files: which algorithm serves which call.
 *
 * A decision file is MPICH's CSEL JSON: nested objects whose keys are conditions ("comm_size<=8"),
 * tried in order; an object with the one key "algorithm=NAME" ends the walk and holds the
 * algorithm's parameters ("threshold=8192": {}). A branch that was taken is never left: where it
 * ends without an algorithm ({} or no condition holds) the file has a hole, and MPICH's defaults
 * decide.
 *
 * Reading is strict: whatever MPICH's own reader would crash on, misread or silently drop is an
 * error here, with its position, the reason and what is expected.
 */
#ifndef ANYPI_DECISION_H_INCLUDED
#define ANYPI_DECISION_H_INCLUDED

#include "anyp.h"

#include <stdio.h>

typedef struct anypi_decision anypi_decision;

/* What is wrong with a file. */
typedef struct anypi_diagnosis {
    int line, column;           /* from 1; 0: the file as a whole */
    char path[256];             /* the keys down to the wrong one, joined by " / "; "" at the top */
    char text[768];             /* the message in one line: file, position, reason, expected */
    int errors;                 /* how many there are; path and text are of the first */
} anypi_diagnosis;

/* Called for every error; `error->errors` is its number, counted from 1. */
typedef void anypi_listener(void *context, const anypi_diagnosis *error);

/* A listener is called for at most this number of errors; the rest are only counted. */
#define ANYPI_MAX_REPORTED 100

/* Reads a decision file. On success *decision is new (anypi_decision_free) and diagnosis->errors is
 * 0. ANYP_ERR_FILE: the file is missing, unreadable or wrong, see diagnosis. ANYP_ERR_MEMORY. */
anyp_status anypi_decision_read(const char *file, anypi_decision **decision,
                                anypi_diagnosis *diagnosis);
/* As above; `listener` (NULL: none) is called with `context` for every error in turn. */
anyp_status anypi_decision_check(const char *file, anypi_listener *listener, void *context,
                                 anypi_decision **decision, anypi_diagnosis *diagnosis);
/* As anypi_decision_read(), from memory; messages call the text `name`. */
anyp_status anypi_decision_parse(const char *text, size_t length, const char *name,
                                 anypi_decision **decision, anypi_diagnosis *diagnosis);
/* The rules of MPICH's own defaults (JSON text), read as MPICH executes them. ANYP_ERR_FILE: they
 * hold what AnyP does not know. */
anyp_status anypi_defaults_parse(const char *text, anypi_decision **decision);
/* NULL is allowed. */
void anypi_decision_free(anypi_decision *decision);

/* A hash of the rules: the same for files that differ only in formatting, comments, order of
 * parameters or parameters that have their defaults. */
uint64_t anypi_decision_hash(const anypi_decision *decision);

/* The rules as `*count` numbers, for another process (new: anypi_free). The decision must not
 * change afterwards. NULL if there is no memory. */
int32_t *anypi_decision_pack(anypi_decision *decision, int *count);
/* From such numbers; on success *decision is new. ANYP_ERR_MEMORY; ANYP_ERR_ARGUMENT: numbers that
 * anypi_decision_pack() does not make, or too many lists in this process. */
anyp_status anypi_decision_unpack(const int32_t *numbers, int count, anypi_decision **decision);
/* The same for processes that can unpack each other's numbers. */
uint64_t anypi_decision_format(void);

/* Does a rule test is_multi_threaded? It is the one condition in which ranks may differ: each may
 * request its own thread level from MPI. */
bool anypi_decision_asks_threads(const anypi_decision *decision);

/* Fills all holes from MPICH's own defaults (the JSON text of its generic tree) and brings the tree
 * into the shape that MPICH's reader demands: collectives on top, communicator kinds below them,
 * every walk ending at an algorithm. *text is new (anypi_free), and so is what the reader makes of
 * it. `decision` NULL: no rules. If `reproducible`, the first of AnyP's algorithms that makes
 * results reproducible at any p replaces holes and MPICH's own algorithms in AnyP's collectives.
 * ANYP_ERR_FILE: the defaults are not what AnyP knows, or leave a hole themselves. */
anyp_status anypi_decision_complete(const anypi_decision *decision, const char *defaults,
                                    bool reproducible, char **text);

/* Writes the rules as a decision file; `lines`: for people to read, else without blanks. Comments
 * and formatting of a file that the rules came from are lost. Not for a decision with names of any
 * MPICH (mpich.h). Errors are the stream's. */
void anypi_decision_write(const anypi_decision *decision, bool lines, FILE *file);

/* Kinds of communicators in MPICH's hierarchy of nodes. */
typedef enum anypi_hierarchy {
    ANYPI_HIERARCHY_FLAT = 0,   /* none of the below */
    ANYPI_HIERARCHY_PARENT,     /* a user's, with node and node_roots below it */
    ANYPI_HIERARCHY_NODE_ROOTS, /* one process of each node */
    ANYPI_HIERARCHY_NODE        /* the processes of one node */
} anypi_hierarchy;

/* All that a rule can test. Sizes are what MPICH's selection computes for the collective, see
 * anypi_signature_init(). */
typedef struct anypi_signature {
    const char *collective;     /* MPICH's name: "allreduce", "iallreduce", ... */
    bool inter;                 /* an intercommunicator */
    bool multi_threaded;        /* MPI_THREAD_MULTIPLE is in force */
    int p;                      /* comm_size */
    int ppn;                    /* comm_avg_ppn: processes per node, rounded up */
    int levels;                 /* comm_levels: heights of the shape (anypi_shape_heights()) */
    bool one_node;              /* comm_size=node_comm_size */
    bool node_consecutive;      /* ranks of a node follow each other */
    anypi_hierarchy hierarchy;
    int64_t avg_msg_size, total_msg_size;       /* bytes */
    int64_t count;              /* elements */
    bool commutative, builtin_op, block_regular, in_place;
} anypi_signature;

/* The signature of a call of `collective` by p processes on vectors of `count` elements (of all
 * blocks together, as in anyp_call) of `type_size` bytes. Sizes are computed as MPICH 4.0.2 does:
 * total_msg_size of allreduce is p times the vector, that of reduce_scatter the vector; count of
 * reduce_scatter_block is a block. The rest is set to what is usual: one communicator of the user
 * on one node (ppn = p, consecutive, parent), no threads, a commutative built-in operator, equal
 * blocks, not in place. Change members afterwards. `collective` is not copied. */
void anypi_signature_init(anypi_signature *signature, const char *collective, int p, int64_t count,
                          int64_t type_size);

/* Sets what conditions on nodes test. NULL: all ranks are on one. */
void anypi_signature_nodes(anypi_signature *signature, const anyp_shape *nodes);

/* Which rule fires. */
typedef struct anypi_choice {
    bool hole;                  /* none: MPICH's defaults decide */
    char name[128];             /* "MPIR_Allreduce_intra_anyp_butterfly"; "" in a hole */
    const anyp_algorithm *algorithm;    /* AnyP's algorithm; NULL: MPICH's own, or a hole */
    int parameters[ANYP_MAX_PARAMETERS];        /* of AnyP's algorithm */
    char path[512];             /* the conditions that held, joined by " / " */
} anypi_choice;

/* ANYP_ERR_ARGUMENT: there is no such collective. An algorithm for the other kind of
 * communicator counts as a hole. */
anyp_status anypi_decision_select(const anypi_decision *decision, const anypi_signature *signature,
                                  anypi_choice *choice);

/* Calls around another that keep its rule; NULL: there are none on that side. */
typedef struct anypi_neighbours {
    const anypi_signature *fewer, *more;        /* processes */
    const anypi_signature *shorter, *longer;    /* vectors, of as many processes */
} anypi_neighbours;

/* Takes out the rule that serves such calls: there is a hole instead. It stays for the calls of
 * `keep` (NULL: none) and those beyond them. False: there is a hole already; or no memory, and the
 * rule may be lost for all its calls. */
bool anypi_decision_remove(anypi_decision *decision, const anypi_signature *signature,
                           const anypi_neighbours *keep);

#endif

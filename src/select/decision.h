/* SPDX-License-Identifier: BSD-3-Clause
 *
 * decision.h - decision files: which algorithm serves which call.
 *
 * A decision file is MPICH's CSEL JSON: nested objects whose keys are conditions ("comm_size<=8").
 * The conditions of an object are tried in order. An object with the single key "algorithm=NAME"
 * ends the walk and contains the algorithm's parameters ("threshold=8192": {}). The walk never
 * leaves a branch again: if the branch ends without an algorithm ({}, or no condition holds), the
 * file has a hole, and MPICH's defaults decide.
 *
 * Reading is strict. If MPICH's own reader would crash on a part of the file, misread it or
 * silently drop it, this is an error here. The message tells the position, the reason and what is
 * expected.
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
    int errors;                 /* their number; path and text describe the first */
} anypi_diagnosis;

/* Is called for every error; `error->errors` is the number of this error, counted from 1. */
typedef void anypi_listener(void *context, const anypi_diagnosis *error);

/* At most this number of errors is reported to a listener; the others are only counted. */
#define ANYPI_MAX_REPORTED 100

/* Reads a decision file. On success *decision is new (anypi_decision_free) and diagnosis->errors is
 * 0. ANYP_ERR_FILE: the file is missing, unreadable or wrong; diagnosis tells why.
 * ANYP_ERR_MEMORY. */
anyp_status anypi_decision_read(const char *file, anypi_decision **decision,
                                anypi_diagnosis *diagnosis);
/* As above; `listener` (NULL: none) is called with `context` for every error in turn. */
anyp_status anypi_decision_check(const char *file, anypi_listener *listener, void *context,
                                 anypi_decision **decision, anypi_diagnosis *diagnosis);
/* As anypi_decision_read(). On success *text (new: anypi_free) is the text of the file, from which
 * other processes make the same decision by anypi_decision_parse(). */
anyp_status anypi_decision_read_text(const char *file, anypi_decision **decision, char **text,
                                     anypi_diagnosis *diagnosis);
/* As anypi_decision_read(), but from memory; messages call the text `name`. */
anyp_status anypi_decision_parse(const char *text, size_t length, const char *name,
                                 anypi_decision **decision, anypi_diagnosis *diagnosis);
/* Reads the rules of MPICH's own defaults (JSON text), in the sense in which MPICH executes them.
 * ANYP_ERR_FILE: they contain something that AnyP does not know. */
anyp_status anypi_defaults_parse(const char *text, anypi_decision **decision);
/* Frees a decision; NULL is allowed. */
void anypi_decision_free(anypi_decision *decision);

/* Returns a hash of the rules. Formatting, comments, the order of parameters, and parameters that
 * have their default values do not change it. */
uint64_t anypi_decision_hash(const anypi_decision *decision);

/* Does a rule test is_multi_threaded? Only this condition can differ between ranks: each rank may
 * request another thread level from MPI. */
bool anypi_decision_asks_threads(const anypi_decision *decision);
/* Does a rule test memory? */
bool anypi_decision_asks_memory(const anypi_decision *decision);

/* Fills all holes from MPICH's own defaults (the JSON text of its generic tree), and gives the tree
 * the shape that MPICH's reader requires: collectives on top, communicator kinds below them, an
 * algorithm at the end of every walk. *text is new (anypi_free); so is the tree that the reader
 * makes of it. `decision` NULL: no rules. If `reproducible`, then in AnyP's collectives the first
 * of AnyP's algorithms whose results are reproducible at any p replaces holes and MPICH's
 * algorithms. An object of an algorithm also contains "rule": N, for anypi_decision_rule(), which
 * MPICH must not read; where it is missing, N is ANYPI_RULE_OF_DEFAULTS. ANYP_ERR_FILE: AnyP cannot
 * read the defaults, or they leave a hole themselves. */
anyp_status anypi_decision_complete(const anypi_decision *decision, const char *defaults,
                                    bool reproducible, char **text);

/* Writes the rules as a decision file; with `lines` for people to read, otherwise without blanks.
 * Comments and formatting of the original file are lost. Do not use it for a decision with names of
 * any MPICH (mpich.h). After a write error, the stream's error indicator is set. */
void anypi_decision_write(const anypi_decision *decision, bool lines, FILE *file);

/* Kinds of communicators in MPICH's hierarchy of nodes. */
typedef enum anypi_hierarchy {
    ANYPI_HIERARCHY_FLAT = 0,   /* none of the below */
    ANYPI_HIERARCHY_PARENT,     /* a user's, with node and node_roots below it */
    ANYPI_HIERARCHY_NODE_ROOTS, /* one process of each node */
    ANYPI_HIERARCHY_NODE        /* the processes of one node */
} anypi_hierarchy;

/* All values that a rule can test. Sizes are those that MPICH's selection computes for the
 * collective, see anypi_signature_init(). */
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
    bool device;                /* memory=device */
} anypi_signature;

/* Sets the signature of a call of `collective` by p processes on vectors of `count` elements (of
 * all blocks together, as in anyp_call) of `type_size` bytes. Sizes are computed as MPICH 4.0.2
 * does:
 * - total_msg_size of allreduce is p times the vector, total_msg_size of reduce_scatter the vector;
 * - count of reduce_scatter_block is the count of one block.
 * The other members are set to the usual case: a user's communicator on one node (ppn = p,
 * consecutive, parent), no threads, a commutative built-in operator, equal blocks, not in place,
 * host memory.
 * Change them afterwards. `collective` is not copied. */
void anypi_signature_init(anypi_signature *signature, const char *collective, int p, int64_t count,
                          int64_t type_size);

/* Sets the members that conditions on nodes test. NULL: all ranks are on one node. */
void anypi_signature_nodes(anypi_signature *signature, const anyp_shape *nodes);

/* The rule that fires. */
typedef struct anypi_choice {
    bool hole;                  /* none: MPICH's defaults decide */
    char name[128];             /* "MPIR_Allreduce_intra_anyp_butterfly"; "" in a hole */
    const anyp_algorithm *algorithm;    /* AnyP's algorithm; NULL: MPICH's own, or a hole */
    int parameters[ANYP_MAX_PARAMETERS];        /* of AnyP's algorithm */
    char path[512];             /* the conditions that held, joined by " / " */
    bool by_memory;             /* the walk tested memory */
} anypi_choice;

/* Finds the rule for a call. ANYP_ERR_ARGUMENT: there is no such collective. An algorithm for the
 * other kind of communicator counts as a hole. */
anyp_status anypi_decision_select(const anypi_decision *decision, const anypi_signature *signature,
                                  anypi_choice *choice);

/* N of a rule of MPICH's defaults in a completed tree. */
enum { ANYPI_RULE_OF_DEFAULTS = -1 };

/* Sets choice->path and choice->name to those of the rule of `decision` from which rule N of the
 * completed tree was made. Of a rule of MPICH's defaults, choice->hole is true, and choice->name is
 * that of MPICH's algorithm if AnyP's replaces it; otherwise it is "". */
void anypi_decision_rule(const anypi_decision *decision, int n, anypi_choice *choice);

/* Neighbours of a call that keep its rule; NULL: there is none on that side. */
typedef struct anypi_neighbours {
    const anypi_signature *fewer, *more;        /* fewer or more processes */
    const anypi_signature *shorter, *longer;    /* other vectors, as many processes */
} anypi_neighbours;

/* Removes the rule that serves these calls, which leaves a hole. The rule stays for the calls of
 * `keep` (NULL: none) and for calls beyond them. Returns false if there is a hole already, or if
 * there is no memory; without memory the rule may be lost for all its calls. */
bool anypi_decision_remove(anypi_decision *decision, const anypi_signature *signature,
                           const anypi_neighbours *keep);

#endif

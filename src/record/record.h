/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record.h - what the collectives of a program's run took: kinds of calls, how often they were
 * made, and the time that ranks spent in them. The plug-in fills one on each rank, adds them up
 * when MPI ends, and rank 0 writes the file, which `anyp report`, `anyp cost` and anyp-tune read.
 *
 * FILE: one JSON object; times are seconds.
 *
 *   {"anyp-record": 1, "written by": "0.1.0", "library": "MPICH 4.0.2", "command": "./solver -n 8",
 *    "begun": "2026-11-27T08:00:00Z", "decided by": "tuned.json", "p": 96, "nodes": "12x8",
 *    "seconds": 81.5, "complete": true,
 *    "calls": [
 *      {"collective": "allreduce", "form": "blocking", "p": 96, "nodes": "12x8",
 *       "bytes": {"least": 8, "mean": 8, "largest": 8}, "class": false, "operator": "sum",
 *       "commutative": true, "type size": 8, "derived": false, "in place": true, "uneven": 1,
 *       "root": 0,
 *       "ranks": 96, "calls": 5000, "seconds": {"least": 2.1, "mean": 9.5, "largest": 10.2},
 *       "gap": {"least": 5.2, "mean": 5.9, "largest": 13.0, "latest": 0},
 *       "work": {"samples": 40, "seconds": 3.1e-05, "spread": 0.0004}}, ...]}
 *
 * - "complete": false: the run was killed, or did not call MPI_Finalize. Such a file has what rank
 *   0 knew a minute before its end at most, and "ranks" is 1.
 * - "bytes" are those of `anyp cost` for this collective: of the whole vector; of alltoallv,
 *   alltoallw, gatherv and scatterv the mean of a block. They differ where calls of several sizes
 *   are one kind.
 * - "class": the kind has a class of sizes, though perhaps only one of them was called.
 * - "uneven": the largest block divided by the mean, rounded up to a power of two.
 * - "root": the root of all calls, or -1 if they have several; not there without a root.
 * - "calls": on one rank, the mean of those that made some. "seconds" are those of one rank in all
 *   these calls; of a nonblocking or persistent one, in the call that begins it and in the wait or
 *   test that ends it.
 * - "gap": what a rank spends between the end of its last collective and such a call, in all calls;
 *   "latest" is the rank, in its communicator, with the largest. Blocking calls only.
 * - "work": the mean time of one call without waiting for ranks that are late, by samples: where
 *   all ranks wait for all others, the least time of a rank in the call, which is that of the rank
 *   that came last; else, after all ranks have met, the time of the slowest rank. "spread": the
 *   largest gap in front of one call less the least. Not there if no call was sampled.
 */
#ifndef ANYPI_RECORD_H_INCLUDED
#define ANYPI_RECORD_H_INCLUDED

#include "anyp.h"

enum { ANYPI_RECORD_VERSION = 1 };

/* The collectives of MPI: those of AnyP, then these. */
enum {
    ANYPI_NEIGHBOR_ALLGATHER = ANYP_COLLECTIVES, ANYPI_NEIGHBOR_ALLGATHERV,
    ANYPI_NEIGHBOR_ALLTOALL, ANYPI_NEIGHBOR_ALLTOALLV, ANYPI_NEIGHBOR_ALLTOALLW,
    ANYPI_RECORDED
};

typedef enum anypi_call_form {
    ANYPI_FORM_BLOCKING, ANYPI_FORM_NONBLOCKING, ANYPI_FORM_PERSISTENT, ANYPI_CALL_FORMS
} anypi_call_form;

/* Operators by their names in MPI; those of the user at the end. */
typedef enum anypi_recorded_op {
    ANYPI_OP_NONE, ANYPI_OP_MAX, ANYPI_OP_MIN, ANYPI_OP_SUM, ANYPI_OP_PROD, ANYPI_OP_LAND,
    ANYPI_OP_BAND, ANYPI_OP_LOR, ANYPI_OP_BOR, ANYPI_OP_LXOR, ANYPI_OP_BXOR, ANYPI_OP_MAXLOC,
    ANYPI_OP_MINLOC, ANYPI_OP_USERS, ANYPI_OP_USERS_ORDERED, ANYPI_OPS
} anypi_recorded_op;

/* "allreduce", "neighbor_alltoall"; "blocking"; "sum", "user": static texts. */
const char *anypi_recorded_name(int collective);
const char *anypi_call_form_name(anypi_call_form form);
const char *anypi_operator_name(anypi_recorded_op op);

/* A kind of calls. The members up to type_size are the same for all its calls. */
typedef struct anypi_calls {
    int64_t size;               /* bytes that all have, or if there are several the least of their
                                 * class, and 2^62 more: two classes per power of two */
    int collective, form, p;
    int nodes;                  /* index of the shape's text in the record; 0: unknown */
    int op, uneven, type_size;
    bool derived, in_place;
    /* sums over calls, and over ranks */
    int64_t least, largest;     /* bytes */
    double bytes;               /* the sum over all calls */
    int64_t calls;
    double seconds;
    int ranks;
    double least_seconds, largest_seconds;      /* of one rank */
    int64_t samples;            /* of one rank */
    double work;                /* mean of the sampled calls */
    int root;                   /* -1: several */
    /* of blocking calls: the seconds from the end of the last collective to the call */
    double gap, least_gap, largest_gap;         /* as the seconds */
    int latest;                 /* the rank, in its communicator, of the largest; -1: unknown */
    double spread;              /* mean of the sampled calls: the largest gap less the least */
} anypi_calls;

typedef struct anypi_record {
    char version[32], library[96], command[512], begun[32], decided[256];
    int p, nodes;
    double seconds;             /* of the run, from MPI_Init to MPI_Finalize */
    bool complete;
    anypi_calls *kinds;
    int count, room;
    char **shapes;              /* texts of shapes; [0] is "" */
    int shapes_count, shapes_room;
    int *slots, slots_room;     /* hash table of the kinds: indices plus one */
} anypi_record;

/* The most kinds in a file. */
enum { ANYPI_RECORD_KINDS = 400 };

/* Does each rank of such a call wait for all others, whatever their arguments are? */
bool anypi_waits_for_all(int collective);

/* The kind with the same key; a new one, with no calls, if there is none. NULL: no memory. Valid
 * until the next call. Kinds of a table that is full are joined first. */
anypi_calls *anypi_record_find(anypi_record *record, const anypi_calls *key);

/* The size in the key of calls of a collective with these bytes: of a class if it has several, or
 * if sizes are local, since ranks differ in them. */
int64_t anypi_record_size(int collective, int64_t bytes, bool several);
/* Is it a class? */
bool anypi_calls_differ(const anypi_calls *kind);

/* The index of a shape's text; 0 if it is empty, or there is no memory. */
int anypi_record_shape(anypi_record *record, const char *text);

/* The mean bytes of a kind's calls, and how often one rank makes them. */
double anypi_calls_bytes(const anypi_calls *kind);
double anypi_calls_of_rank(const anypi_calls *kind);
/* The mean of a rank of the run, in all calls of the kind: ranks without such calls count. */
double anypi_calls_seconds(const anypi_record *record, const anypi_calls *kind);
/* At most this of anypi_calls_seconds() is work, the rest is waiting for late ranks: by the
 * samples, or if there are none by the rank that spent the least time, since all ranks wait for the
 * last (*sampled is false). Negative: nothing is known, since ranks do not wait for all others. */
double anypi_calls_work(const anypi_record *record, const anypi_calls *kind, bool *sampled);

/* Adds the kinds of another record, of another rank. ANYP_ERR_MEMORY. */
anyp_status anypi_record_add(anypi_record *record, const anypi_record *other);
/* Joins kinds that differ in their sizes only, until at most this many are left or all sizes are
 * classes. */
anyp_status anypi_record_join(anypi_record *record, int most);

/* ---- the file ---- */

/* As text, to be freed with anypi_free(); NULL if there is no memory. */
char *anypi_record_write(const anypi_record *record);
/* Fills an empty record from such a text. ANYP_ERR_FILE with a message (one line, without the
 * file's name) if it is something else; ANYP_ERR_MEMORY. */
anyp_status anypi_record_parse(anypi_record *record, const char *text, char *message, size_t size);
/* The same from a file, in which some call must be; the message begins with its name. */
anyp_status anypi_record_read(anypi_record *record, const char *file, char *message, size_t size);

/* Frees what it holds; it is empty then. */
void anypi_record_free(anypi_record *record);

#endif

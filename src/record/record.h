/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record.h - a record of the collectives in a program's run: the kinds of calls, how often ranks
 * made them, and the time that ranks spent in them. The plug-in fills a record on each rank. When
 * MPI ends, it adds them up, and rank 0 writes the file. `anyp report`, `anyp cost` and anyp-tune
 * read the file. anyp-record(5) describes its format and what each number means.
 */
#ifndef ANYPI_RECORD_H_INCLUDED
#define ANYPI_RECORD_H_INCLUDED

#include "anyp.h"

#include <stdio.h>

enum { ANYPI_RECORD_VERSION = 1 };

/* The collectives of MPI: first those of AnyP, then these. */
enum {
    ANYPI_NEIGHBOR_ALLGATHER = ANYP_COLLECTIVES, ANYPI_NEIGHBOR_ALLGATHERV,
    ANYPI_NEIGHBOR_ALLTOALL, ANYPI_NEIGHBOR_ALLTOALLV, ANYPI_NEIGHBOR_ALLTOALLW,
    ANYPI_RECORDED
};

typedef enum anypi_call_form {
    ANYPI_FORM_BLOCKING, ANYPI_FORM_NONBLOCKING, ANYPI_FORM_PERSISTENT, ANYPI_CALL_FORMS
} anypi_call_form;

/* MPI's operators by name; user operators are last. */
typedef enum anypi_recorded_op {
    ANYPI_OP_NONE, ANYPI_OP_MAX, ANYPI_OP_MIN, ANYPI_OP_SUM, ANYPI_OP_PROD, ANYPI_OP_LAND,
    ANYPI_OP_BAND, ANYPI_OP_LOR, ANYPI_OP_BOR, ANYPI_OP_LXOR, ANYPI_OP_BXOR, ANYPI_OP_MAXLOC,
    ANYPI_OP_MINLOC, ANYPI_OP_USERS, ANYPI_OP_USERS_ORDERED, ANYPI_OPS
} anypi_recorded_op;

/* Return static texts: "allreduce", "neighbor_alltoall"; "blocking"; "sum", "user". */
const char *anypi_recorded_name(int collective);
const char *anypi_call_form_name(int form);
const char *anypi_operator_name(int op);

/* A kind of calls. The members up to type_size are the same for all its calls. */
typedef struct anypi_calls {
    int64_t size;               /* bytes of each call; if the kind has several sizes, the least of
                                 * their class plus 2^62. There are two classes per power of two */
    int collective, form, p;
    int nodes;                  /* index of the shape's text in the record; 0: unknown */
    int op, uneven, type_size;
    int phase;                  /* level of MPI_Pcontrol; 0: default; -1: a phase beyond the most */
    bool derived, in_place;
    /* sums over calls, and over ranks */
    int64_t least, largest;     /* in bytes */
    double bytes;               /* the sum over all calls */
    int64_t calls;
    double seconds;
    int ranks;
    double least_seconds, largest_seconds;      /* of one rank */
    int64_t samples;            /* of one rank */
    double work;                /* mean of the sampled calls */
    int root;                   /* -1: several roots */
    /* Of blocking calls: the seconds between the end of the last collective and the call */
    double gap, least_gap, largest_gap;         /* sum and extremes, like `seconds` */
    int latest;                 /* the rank with the largest gap, in its communicator; -1:
                                 * unknown */
    double spread;              /* mean of the sampled calls: the largest gap minus the least */
} anypi_calls;

/* A place in the program, and the calls of a collective from there. */
typedef struct anypi_site {
    char *at;                   /* file and return address in it, "/usr/bin/lmp+0x1f20"; "": other
                                 * places, or unknown */
    int collective, ranks;
    /* as of a kind */
    int64_t calls;
    double bytes, seconds, least_seconds, largest_seconds;
} anypi_site;

typedef struct anypi_record {
    char version[32], library[96], command[512], begun[32], decided[256];
    int p, nodes;
    double seconds;             /* of the run, from MPI_Init to MPI_Finalize */
    bool complete;
    anypi_calls *kinds;
    int count, room;
    char **shapes;              /* texts of shapes; [0] is "" */
    int shapes_count, shapes_room;
    int *slots, slots_room;     /* hash table of the kinds: each index plus one */
    int phases[32];             /* of the kinds, but the default; others become -1 */
    int phases_count;
    anypi_site *sites;
    int sites_count, sites_room;
} anypi_record;

/* The maximum number of kinds in a file, and of its places with an address. */
enum { ANYPI_RECORD_KINDS = 400, ANYPI_RECORD_SITES = 400 };

/* Returns whether each rank of such a call waits for all others, for any arguments. */
bool anypi_waits_for_all(int collective);

/* Returns the kind with the same key; if there is none, adds one without calls. If there are many
 * kinds, this is a class of sizes. The result is valid until the next call; its index stays until
 * kinds are joined. NULL: no memory. */
anypi_calls *anypi_record_find(anypi_record *record, const anypi_calls *key);
/* Returns the kind with the key of another record's calls. NULL: there is none. */
const anypi_calls *anypi_record_same(const anypi_record *record, const anypi_record *other,
                                     const anypi_calls *calls);

/* Returns the size in the key of calls of a collective with these bytes. It is a class if the kind
 * has several sizes, or if sizes are local, because they differ between ranks. */
int64_t anypi_record_size(int collective, int64_t bytes, bool several);
/* Returns whether the kind is a class of sizes. */
bool anypi_calls_differ(const anypi_calls *kind);

/* Returns the index of a shape's text; 0 if the text is empty, or if there is no memory. */
int anypi_record_shape(anypi_record *record, const char *text);

/* Returns the index of a place; if there is none, adds it. If there are many, this is "". -1: no
 * memory. */
int anypi_record_site(anypi_record *record, const char *at, int collective);
/* Adds the places of another rank's record. Without memory, some are missing. */
void anypi_record_add_sites(anypi_record *record, const anypi_record *other);
void anypi_record_free_sites(anypi_record *record);

/* Return the mean bytes of a kind's calls, and how often one rank makes them. */
double anypi_calls_bytes(const anypi_calls *kind);
double anypi_calls_of_rank(const anypi_calls *kind);
/* Returns the mean seconds of a rank of the run in all calls of the kind. Ranks without such calls
 * count. */
double anypi_calls_seconds(const anypi_record *record, const anypi_calls *kind);
/* Values from fewer sampled calls than this are uncertain. */
enum { ANYPI_FEW_SAMPLES = 5 };
/* Returns an upper bound of the work in anypi_calls_seconds(); the rest is waiting for late ranks.
 * The bound comes from the samples. If there are none, or if it is less (*sampled is false), it is
 * the time of the rank that spent the least time, if all ranks wait for the last one. Negative:
 * unknown, because ranks do not wait for all others, and there are no samples or they exceed
 * anypi_calls_seconds(). */
double anypi_calls_work(const anypi_record *record, const anypi_calls *kind, bool *sampled);

/* Adds the kinds and places of another rank's record. ANYP_ERR_MEMORY: there is no memory. */
anyp_status anypi_record_add(anypi_record *record, const anypi_record *other);
/* Joins kinds that differ only in their sizes, until at most this many are left or all sizes are
 * classes. ANYP_ERR_MEMORY: there is no memory. */
anyp_status anypi_record_join(anypi_record *record, int most);
/* Joins kinds that differ only in their phases. ANYP_ERR_MEMORY: there is no memory. */
anyp_status anypi_record_join_phases(anypi_record *record);

/* ---- the file ---- */

/* Writes the file's text. False: it cannot be written. */
bool anypi_record_write(const anypi_record *record, FILE *file);
/* Fills an empty record from such a text. ANYP_ERR_FILE: the text is wrong; message[] is one line,
 * without the file's name. ANYP_ERR_MEMORY: there is no memory. */
anyp_status anypi_record_parse(anypi_record *record, const char *text, char *message, size_t size);
/* Does the same from a file. A file without calls is wrong. The message begins with the file's
 * name. */
anyp_status anypi_record_read(anypi_record *record, const char *file, char *message, size_t size);

/* Frees the memory of a record and makes it empty. */
void anypi_record_free(anypi_record *record);

#endif

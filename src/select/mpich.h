/* SPDX-License-Identifier: BSD-3-Clause
 *
 * mpich.h - the names that decision files may use in one release of MPICH.
 *
 * One vocabulary is in force in a program. It is that of mpich.def (inside MPICH: of this MPICH),
 * or one that the program has read from the table that the graft installs (share/anyp/mpich.json).
 */
#ifndef ANYPI_MPICH_H_INCLUDED
#define ANYPI_MPICH_H_INCLUDED

#include "algorithms/registry.h"

typedef enum anypi_kind {
    ANYPI_INTRA = 1,            /* bits: the values of comm_type */
    ANYPI_INTER = 2,
    ANYPI_ALLCOMM = 3
} anypi_kind;

/* An algorithm of MPICH's own. Lists are "name|name" (registry.h). */
typedef struct anypi_mpich_algorithm {
    int collective;
    anypi_kind kind;
    const char *name;           /* in full: MPIR_Allreduce_intra_tree */
    const char *parameters;     /* those that a rule must give */
    const char *optional;       /* parameters that MPICH's reader also accepts */
    const char *variables;      /* the control variables of `parameters`, in the same order */
    const char *needs;          /* what a call must be; ANYPI_NEED in conditions.def */
    const char *unusable;       /* why no rule can use it: "parameters", "recursion"; "": it can */
} anypi_mpich_algorithm;

/* A name and a list of names that belong to it. An array of pairs ends with a pair without name. */
typedef struct anypi_mpich_pair {
    const char *name, *text;
} anypi_mpich_pair;

typedef struct anypi_mpich {
    const char *release;        /* "4.0.2" */
    bool any;                   /* names of any MPICH: unknown ones are the MPI library's own */
    int hierarchies;            /* kinds of communicators that comm_hierarchy has: 4 or 2 */
    int collectives_count, algorithms_count;
    const char *const *collectives;     /* by number */
    const char *conditions;     /* the texts of conditions.def that MPICH's reader knows, a list */
    const anypi_mpich_pair *defined;    /* what its selection computes, and for which collectives */
    const anypi_mpich_pair *values;     /* a parameter given by name, and its values */
    const anypi_mpich_algorithm *algorithms;
} anypi_mpich;

/* The vocabulary in force. */
const anypi_mpich *anypi_mpich_now(void);
/* Puts another vocabulary in force, without copying it; NULL: that of mpich.def. Earlier decisions
 * and numbers of words become invalid. Do not call it while another thread reads a file or
 * decides. */
void anypi_mpich_use(const anypi_mpich *mpich);
/* Accepts the names of any release. For a program that leaves MPICH's own algorithms to the MPI
 * library. */
void anypi_mpich_use_any(void);

/* ---- tables (share/anyp/mpich.json), for programs outside MPICH: AnyP inside MPICH is built
 * without mpich_table.c ---- */

/* Puts a vocabulary in force. `where` is the prefix of a grafted MPICH, a table, or a release whose
 * table AnyP installs, like "5.0". NULL: the table in the prefix of the running program; if there
 * is none, mpich.def. ANYP_ERR_FILE: no table was found, or the file is no table; the message (one
 * line) says what to do. ANYP_ERR_MEMORY. */
anyp_status anypi_mpich_open(const char *where, char *message, size_t size);
/* Sets path to PREFIX/share/anyp/`name`, if the running program is PREFIX/bin/program. False if
 * this file does not exist. */
bool anypi_installed_file(const char *name, char *path, size_t size);
/* Returns the table in force; NULL if the vocabulary is mpich.def's. */
struct json_object *anypi_mpich_table(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * settings.h - the user's settings of the plug-in: the environment variables of variables.def, and
 * the decision file that one of them names. They are read once, in the plug-in's first call.
 * Programs may change them (anyp_control.h). Another process may read the file instead of this one.
 */
#ifndef ANYPI_SETTINGS_H_INCLUDED
#define ANYPI_SETTINGS_H_INCLUDED

#include "anyp.h"
#include "select/decision.h"

/* An algorithm that a variable forces. */
typedef struct anypi_forced {
    const anyp_algorithm *algorithm;    /* NULL: no algorithm is forced */
    int parameters[ANYP_MAX_PARAMETERS];
} anypi_forced;

/* The variable that makes wrong settings an error. If ranks differ, the largest value applies. */
typedef enum anypi_strictness {
    ANYPI_LENIENT,              /* no variable */
    ANYPI_STRICT_FOR_BITS,      /* ANYP_REPRODUCIBLE */
    ANYPI_STRICT                /* ANYP_STRICT */
} anypi_strictness;

enum { ANYPI_WRONG_SIZE = 1024 };

typedef struct anypi_settings {
    anypi_forced forced[ANYP_COLLECTIVES];
    anypi_decision *decision;   /* NULL: no rules */
    anyp_shape *nodes;          /* ANYP_NODES, for communicators with its number of ranks; NULL: ask
                                 * MPI */
    int verbose;                /* 0, 1, 2 */
    anypi_strictness strict;
    bool reproducible;
    bool shares_memory;         /* ranks of a node may exchange messages over memory */
    bool nonblocking;           /* AnyP also runs nonblocking and persistent collectives */
    int neighbors;              /* AnyP combines messages of neighborhood collectives: 0: never; 1:
                                 * by the model of the machine; 2: always */
    bool asks;                  /* an algorithm of AnyP's is requested; the same on all ranks with
                                 * the same hash */
    bool quiet;                 /* nothing is set, so every call may be forwarded */
    uint64_t hash;              /* the same for settings that lead to the same decisions */
    char wrong[ANYPI_WRONG_SIZE];       /* the error, or "". Wrong settings force nothing and have
                                         * no rules */
} anypi_settings;

/* Returns the decision file that the environment names, or NULL if the settings have been read. */
const char *anypi_settings_file_ahead(void);
/* Reads that file now, for the settings, which will not read it again. Sets *text (new: anypi_free)
 * to its text for other processes; NULL: the file is wrong, and wrong[] is the error. Call this
 * after anypi_settings_file_ahead(), in the same thread. */
void anypi_settings_read_ahead(const char *file, char **text, char wrong[ANYPI_WRONG_SIZE]);
/* Lets the settings use the text of that file, which another process has read, instead of reading
 * the file. If `wrong` is not "", it is the error of the file; then `text` is not used. */
void anypi_settings_take_text(const char *file, const char *text, size_t length,
                              const char *wrong);

/* Returns the settings in force, or NULL if there is no memory. The first call reads them. */
const anypi_settings *anypi_settings_get(void);

/* Changes with every anyp_control_set(). */
extern unsigned anypi_settings_changes;
static inline unsigned anypi_settings_age(void)
{
    return __atomic_load_n(&anypi_settings_changes, __ATOMIC_RELAXED);
}

/* Writes the deciding settings to text[]: "FILE, allreduce by NAME PARAMETER=VALUE ..., ..." */
void anypi_settings_describe(const anypi_settings *settings, char *text, size_t size);

/* Frees the settings and variables. */
void anypi_settings_free(void);

#endif

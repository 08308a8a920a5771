/* SPDX-License-Identifier: BSD-3-Clause
 *
 * settings.h - the user's settings of the plug-in: the environment variables of variables.def, and
 * the decision file that one of them names. Read once, at the plug-in's first call; programs may
 * change them (anyp_control.h). Another process may have read the file.
 */
#ifndef ANYPI_SETTINGS_H_INCLUDED
#define ANYPI_SETTINGS_H_INCLUDED

#include "anyp.h"
#include "select/decision.h"

/* An algorithm that a variable forces. */
typedef struct anypi_forced {
    const anyp_algorithm *algorithm;    /* NULL: none */
    int parameters[ANYP_MAX_PARAMETERS];
} anypi_forced;

/* What makes wrong settings an error; if several ranks say so, the largest one does. */
typedef enum anypi_strictness {
    ANYPI_LENIENT,              /* nothing */
    ANYPI_STRICT_FOR_BITS,      /* ANYP_REPRODUCIBLE */
    ANYPI_STRICT                /* ANYP_STRICT */
} anypi_strictness;

enum { ANYPI_WRONG_SIZE = 1024 };

typedef struct anypi_settings {
    anypi_forced forced[ANYP_COLLECTIVES];
    anypi_decision *decision;   /* NULL: no rules */
    anyp_shape *nodes;          /* of communicators with that many processes; NULL: ask MPI */
    int verbose;                /* 0, 1, 2 */
    anypi_strictness strict;
    bool reproducible;
    bool asks;                  /* for an algorithm of AnyP's; the same where the hash is */
    bool quiet;                 /* nothing is set: every call may be passed on */
    uint64_t hash;              /* the same for settings that decide alike */
    char wrong[ANYPI_WRONG_SIZE];       /* what is wrong; "": nothing. Settings that are wrong
                                 * force nothing and have no rules */
} anypi_settings;

/* The decision file that the environment names, if settings are not read yet; else NULL. */
const char *anypi_settings_file_ahead(void);
/* Its rules, or what is wrong with it ("": nothing), as another process has read them: the
 * settings take them instead of reading the file. To be called after the above, by the same
 * thread. */
void anypi_settings_take_rules(anypi_decision *decision, const char *wrong);
/* Reads a decision file as the settings do. False: there is no memory; *decision is NULL and *wrong
 * says why if the file is wrong. */
bool anypi_settings_read_rules(const char *file, anypi_decision **decision,
                               char wrong[ANYPI_WRONG_SIZE]);

/* The settings in force; the first call reads them. NULL if there is no memory. */
const anypi_settings *anypi_settings_get(void);

/* Changes with every anyp_control_set(). */
extern unsigned anypi_settings_changes;
static inline unsigned anypi_settings_age(void)
{
    return __atomic_load_n(&anypi_settings_changes, __ATOMIC_RELAXED);
}

/* What decides, as text: "FILE, allreduce by NAME PARAMETER=VALUE ..., ..." */
void anypi_settings_describe(const anypi_settings *settings, char *text, size_t size);

/* Frees the settings and variables. */
void anypi_settings_free(void);

#endif

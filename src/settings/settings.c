/* SPDX-License-Identifier: BSD-3-Clause */
#include "settings/settings.h"

#include "algorithms/network.h"
#include "algorithms/registry.h"
#include "anyp_control.h"
#include "schedule/memory.h"
#include "schedule/shape.h"
#include "select/text.h"
#include "select/vocabulary.h"
#include "settings/variables.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    pthread_mutex_t lock;
    anypi_settings *now;        /* NULL: not read yet */
    bool read;                  /* the environment has been read */
    bool given;                 /* another process has read the decision file: */
    anypi_decision *rules;
    char fault[ANYPI_WRONG_SIZE];
    anyp_shape **shapes;        /* of all settings so far; operations under way may use them */
    int shapes_count, shapes_room;
} held = { .lock = PTHREAD_MUTEX_INITIALIZER };

unsigned anypi_settings_changes;

static void free_settings(anypi_settings *settings)
{
    if (!settings)
        return;
    anypi_decision_free(settings->decision);
    anypi_free(settings);
}

/* ---- from variables to settings ---- */

/* Only the first error is reported. */
#define WRONG(settings, ...)                                                                       \
    do {                                                                                           \
        if (!*(settings)->wrong)                                                                   \
            snprintf((settings)->wrong, sizeof (settings)->wrong, __VA_ARGS__);                    \
    } while (0)

/* Returns the value of a variable, from 0 to maximum. Returns 0 if it is not set, and -1 if it is
 * anything else. */
static int read_level(anypi_settings *settings, const char *name, int maximum)
{
    const char *text = anypi_variable_value(name);
    if (!text)
        return 0;
    if (text[0] >= '0' && text[0] <= '0' + maximum && !text[1])
        return text[0] - '0';
    WRONG(settings, "ANYP_%s=%s: expected 0%s or %d", name, text, maximum > 1 ? ", 1" : "",
          maximum);
    return -1;
}

static void read_levels(anypi_settings *settings)
{
    const int verbose = read_level(settings, "VERBOSE", 2);
    const int strict = read_level(settings, "STRICT", 1);
    const int reproducible = read_level(settings, "REPRODUCIBLE", 1);
    const int shares = read_level(settings, "SHARED_MEMORY", 1);
    const int nonblocking = read_level(settings, "NONBLOCKING", 1);
    const int neighbors = read_level(settings, "NEIGHBORS", 2);
    settings->verbose = verbose > 0 ? verbose : 0;
    settings->reproducible = reproducible > 0;
    settings->shares_memory = shares > 0 || !anypi_variable_value("SHARED_MEMORY");
    settings->nonblocking = nonblocking > 0 || !anypi_variable_value("NONBLOCKING");
    settings->neighbors = neighbors > 0 ? neighbors : 0;
    /* with wrong settings, the MPI library's collectives would run */
    settings->strict = strict ? ANYPI_STRICT : reproducible ? ANYPI_STRICT_FOR_BITS : ANYPI_LENIENT;
}

/* Returns a shape that lives as long as the settings may change; NULL: there is no memory. */
static anyp_shape *keep_shape(anyp_shape *shape)
{
    for (int i = 0; i < held.shapes_count; i++)
        if (anypi_shape_equal(held.shapes[i], shape)) {
            anypi_shape_free(shape);
            return held.shapes[i];
        }
    anyp_shape **more = anypi_grow(held.shapes, &held.shapes_room, held.shapes_count,
                                   sizeof *more);
    if (!more) {
        anypi_shape_free(shape);
        return NULL;
    }
    held.shapes = more;
    return held.shapes[held.shapes_count++] = shape;
}

static void read_nodes(anypi_settings *settings)
{
    const char *text = anypi_variable_value("NODES"), *reason;
    anyp_shape *shape = text ? anypi_shape_read(text, 0, &reason) : NULL;
    settings->nodes = shape ? keep_shape(shape) : NULL;
    if (text && !settings->nodes)
        WRONG(settings, "ANYP_NODES=%s: %s", text,
              shape ? anyp_status_text(ANYP_ERR_MEMORY) : reason);
}

static void read_network(anypi_settings *settings)
{
    const char *text = anypi_variable_value("NETWORK");
    const char *fault = anypi_network_set(text);
    if (fault)
        WRONG(settings, "ANYP_NETWORK=%s: %s; expected a list such as %s", text, fault,
              ANYPI_NETWORK_DEFAULT);
}

static void read_parameters(anypi_settings *settings, anyp_collective collective)
{
    anypi_forced *forced = &settings->forced[collective];
    const anyp_algorithm *algorithm = forced->algorithm;
    for (int i = 0; i < algorithm->parameters_count; i++) {
        const anyp_parameter *parameter = &algorithm->parameters[i];
        char range[512], name[ANYPI_NAME_SIZE];
        const char *reason, *value =
            anypi_variable_value(anypi_variable_name(name, collective, parameter->name));
        if (!value)
            continue;
        const anyp_status status = anyp_parameter_set(algorithm, forced->parameters,
                                                      parameter->name, value, &reason);
        if (status != ANYP_SUCCESS)
            WRONG(settings, "ANYP_%s=%s: %s; expected %s", name, value,
                  status == ANYP_ERR_ARGUMENT ? reason : anyp_status_text(status),
                  anyp_parameter_range(parameter, range, sizeof range));
    }
}

static void read_forced(anypi_settings *settings, anyp_collective collective)
{
    char all[512], variable[ANYPI_NAME_SIZE];
    const char *value =
        anypi_variable_value(anypi_variable_name(variable, collective, "ALGORITHM"));
    const char *name = value && !strncmp(value, "anyp_", 5) ? value + 5 : value;
    const anyp_algorithm *algorithm = name ? anyp_algorithm_find(name) : NULL;
    if (!value)
        return;
    if (!algorithm || !(algorithm->collectives & ANYP_IN_SET(collective))) {
        anypi_algorithms_text(collective, all, sizeof all);
        WRONG(settings, "ANYP_%s=%s: unknown algorithm of %s; expected one of %s%s", variable,
              value, anyp_collective_name(collective), all,
              strchr(value, ':') ? "; for its parameters set ANYP_<COLLECTIVE>_<PARAMETER>" : "");
        return;
    }
    settings->forced[collective].algorithm = algorithm;
    anyp_parameters_default(algorithm, settings->forced[collective].parameters);
    read_parameters(settings, collective);
}

/* Reads a decision file or, if `given` is not NULL, its text of `length` bytes. *text (NULL: not
 * wanted) becomes the text that was read. If there is an error, *decision is NULL and wrong[] is
 * the error; otherwise that is "". */
static void read_rules(const char *file, const char *given, size_t length,
                       anypi_decision **decision, char **text, char wrong[ANYPI_WRONG_SIZE])
{
    anypi_diagnosis diagnosis;
    char more[64] = "";
    *wrong = '\0';
    anypi_mpich_use_any();      /* a name that is not AnyP's means the MPI library's algorithm */
    const anyp_status status = given
        ? anypi_decision_parse(given, length, file, decision, &diagnosis)
        : anypi_decision_read_text(file, decision, text, &diagnosis);
    if (status == ANYP_SUCCESS)
        return;
    *decision = NULL;
    if (diagnosis.errors > 1)
        snprintf(more, sizeof more, " (the first of %d errors: anyp check lists them all)",
                 diagnosis.errors);
    if (status == ANYP_ERR_MEMORY)
        snprintf(wrong, ANYPI_WRONG_SIZE, "%s: %s", file, anyp_status_text(status));
    else
        snprintf(wrong, ANYPI_WRONG_SIZE, "%s%s", diagnosis.text, more);
}

/* Sets the rules: those of `old` if it has any and they may be kept; otherwise those that were read
 * ahead, if they belong to the environment's file; otherwise those of the file. */
static void find_rules(anypi_settings *settings, const anypi_settings *old)
{
    const char *file = anypi_variable_value("TUNING_FILE");
    char wrong[ANYPI_WRONG_SIZE];
    if (!file)
        return;
    if (old && old->decision) {
        settings->decision = old->decision;
        return;
    }
    if (held.given) {
        settings->decision = held.rules;
        held.rules = NULL;
        memcpy(wrong, held.fault, sizeof wrong);
    } else {
        read_rules(file, NULL, 0, &settings->decision, NULL, wrong);
    }
    if (*wrong)
        WRONG(settings, "%s", wrong);
}

/* Adds the settings that decide, except the file, to text[]. */
static void describe(const anypi_settings *settings, char *text, size_t size)
{
    size_t length = strlen(text);
#define ADD(...)                                                                                   \
    do {                                                                                           \
        if (length < size)                                                                         \
            length += (size_t) snprintf(text + length, size - length, __VA_ARGS__);                \
    } while (0)
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        const anypi_forced *forced = &settings->forced[i];
        if (!forced->algorithm)
            continue;
        char parameters[1024];
        anypi_parameters_text(forced->algorithm, forced->parameters, " ", parameters,
                              sizeof parameters);
        ADD(", %s by %s%s%s", anyp_collective_name((anyp_collective) i), forced->algorithm->name,
            *parameters ? " " : "", parameters);
    }
    if (anypi_variable_value("NETWORK"))
        ADD(", network %s", anypi_variable_value("NETWORK"));
    if (settings->reproducible)
        ADD(", reproducible");
    if (anypi_variable_value("NEIGHBORS"))
        ADD(", neighbors %d", settings->neighbors);
    if (settings->nodes)        /* last: nodes may be a long text */
        ADD(", nodes %s", anypi_variable_value("NODES"));
#undef ADD
}

void anypi_settings_describe(const anypi_settings *settings, char *text, size_t size)
{
    const char *file = anypi_variable_value("TUNING_FILE");
    snprintf(text, size, "%s", file ? file : "no decision file");
    describe(settings, text, size);
}

/* Returns a hash (FNV-1a) of all settings that decide, but not of the file's name. Forced
 * algorithms are hashed as text, because list numbers differ between processes. */
static uint64_t hash_of(const anypi_settings *settings)
{
    char text[ANYP_COLLECTIVES * 1280] = "";
    describe(settings, text, sizeof text);
    uint64_t hash = anypi_hash_text(ANYPI_HASH, text);
    /* these may be longer than text[] */
    if (anypi_variable_value("NETWORK"))
        hash = anypi_hash_text(hash, anypi_variable_value("NETWORK"));
    if (settings->nodes)
        hash = anypi_hash_text(hash, anypi_variable_value("NODES"));
    hash = anypi_hash_word(hash, anypi_variable_value("RECORD") != NULL);
    return settings->decision ? anypi_hash_word(hash, anypi_decision_hash(settings->decision))
        : hash;
}

/* Returns new settings from the variables, or NULL if there is no memory. `wrong` is the error
 * found so far, or "". If `old` is not NULL, the file is the same, and the new settings keep the
 * rules of `old`. */
static anypi_settings *make(const char *wrong, const anypi_settings *old)
{
    anypi_settings *settings = anypi_realloc(NULL, sizeof *settings);
    if (!settings)
        return NULL;
    memset(settings, 0, sizeof *settings);
    snprintf(settings->wrong, sizeof settings->wrong, "%s", wrong);
    read_levels(settings);
    read_nodes(settings);
    read_network(settings);
    for (int i = 0; i < ANYP_COLLECTIVES; i++)
        read_forced(settings, (anyp_collective) i);
    find_rules(settings, old);
    if (*settings->wrong) {
        if (!old || settings->decision != old->decision)
            anypi_decision_free(settings->decision);
        settings->decision = NULL;
        char raw[sizeof settings->wrong];
        memcpy(raw, settings->wrong, sizeof raw);
        *settings->wrong = '\0';
        anypi_append(settings->wrong, sizeof settings->wrong, raw);
    }
    settings->asks = settings->decision || settings->reproducible;
    for (int i = 0; i < ANYP_COLLECTIVES; i++) {
        if (*settings->wrong)
            settings->forced[i].algorithm = NULL;
        settings->asks = settings->asks || settings->forced[i].algorithm;
    }
    if (*settings->wrong)
        settings->neighbors = 0;
    else if (!anypi_variable_value("NEIGHBORS"))
        settings->neighbors = settings->asks && anypi_variable_value("NETWORK");
    settings->asks = settings->asks || settings->neighbors;
    settings->quiet = !settings->asks && !settings->verbose;
    settings->hash = hash_of(settings);
    return settings;
}

/* ---- in force ---- */

/* The caller holds the lock. */
static void read_environment(void)
{
    char wrong[sizeof held.now->wrong];
    held.read = true;
    if (anypi_variables_read(wrong, sizeof wrong))
        __atomic_store_n(&held.now, make(wrong, NULL), __ATOMIC_RELEASE);
    held.given = false;
}

const char *anypi_settings_file_ahead(void)
{
    const char *file = held.read ? NULL : getenv("ANYP_TUNING_FILE");
    return file && *file ? file : NULL;
}

void anypi_settings_read_ahead(const char *file, char **text, char wrong[ANYPI_WRONG_SIZE])
{
    *text = NULL;
    held.given = true;
    read_rules(file, NULL, 0, &held.rules, text, held.fault);
    memcpy(wrong, held.fault, sizeof held.fault);
}

void anypi_settings_take_text(const char *file, const char *text, size_t length,
                              const char *wrong)
{
    held.given = true;
    held.rules = NULL;
    if (*wrong)
        snprintf(held.fault, sizeof held.fault, "%s", wrong);
    else
        read_rules(file, text, length, &held.rules, NULL, held.fault);
}

const anypi_settings *anypi_settings_get(void)
{
    const anypi_settings *now = __atomic_load_n(&held.now, __ATOMIC_ACQUIRE);
    if (now)
        return now;
    pthread_mutex_lock(&held.lock);
    if (!held.read)
        read_environment();
    now = held.now;
    pthread_mutex_unlock(&held.lock);
    return now;
}

int anyp_control_set(const char *name, const char *value, const char **reason)
{
    static char text[sizeof held.now->wrong + 256];
    char nearest[128];
    *reason = anyp_status_text(ANYP_ERR_MEMORY);
    if (!anypi_settings_get())
        return -1;
    if (!anypi_variable_exists(name, nearest, sizeof nearest)) {
        snprintf(text, sizeof text, "ANYP_%s: unknown variable%s%s%s", name,
                 *nearest ? "; did you mean ANYP_" : "; man anyp-variables lists all", nearest,
                 *nearest ? "?" : "");
        *reason = text;
        return -1;
    }
    int status = -1;
    pthread_mutex_lock(&held.lock);
    const char *before = anypi_variable_value(name);
    char *kept = before ? strdup(before) : NULL;
    if ((before && !kept) || !anypi_variable_set(name, value))
        goto end;
    anypi_settings *settings = make("", strcmp(name, "TUNING_FILE") ? held.now : NULL);
    if (settings && !*settings->wrong) {
        if (settings->decision == held.now->decision)
            held.now->decision = NULL;
        free_settings(held.now);
        __atomic_store_n(&held.now, settings, __ATOMIC_RELEASE);
        __atomic_add_fetch(&anypi_settings_changes, 1, __ATOMIC_RELAXED);
        status = 0;
        goto end;
    }
    if (settings) {
        snprintf(text, sizeof text, "%s", settings->wrong);
        *reason = text;
        free_settings(settings);
    }
    anypi_variable_set(name, kept);
  end:
    free(kept);
    pthread_mutex_unlock(&held.lock);
    return status;
}

void anypi_settings_free(void)
{
    pthread_mutex_lock(&held.lock);
    free_settings(held.now);
    held.now = NULL;
    held.read = false;
    for (int i = 0; i < held.shapes_count; i++)
        anypi_shape_free(held.shapes[i]);
    anypi_free(held.shapes);
    held.shapes = NULL;
    held.shapes_count = held.shapes_room = 0;
    if (held.given)             /* but not used */
        anypi_decision_free(held.rules);
    held.given = false;
    anypi_variables_free();
    pthread_mutex_unlock(&held.lock);
}

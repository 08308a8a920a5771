/* SPDX-License-Identifier: BSD-3-Clause */
#include "settings/variables.h"

#include "schedule/memory.h"
#include "select/text.h"

#include <stdio.h>
#include <string.h>

/* A variable that is set. */
typedef struct variable {
    struct variable *next;
    char *value;                /* after the name, in the same memory */
    char name[];
} variable;

static variable *variables;

/* ---- names ---- */

char *anypi_variable_name(char name[ANYPI_NAME_SIZE], anyp_collective collective, const char *last)
{
    snprintf(name, ANYPI_NAME_SIZE, "%s_%s", anyp_collective_name(collective), last);
    anypi_upper(name);
    return name;
}

/* Calls visit(context, name) for every name until it returns true. A parameter of several
 * algorithms is visited several times. */
static bool each_name(bool (*visit)(void *context, const char *name), void *context)
{
    static const struct {
        const char *name;
        bool each;              /* there is one for each collective */
    } rows[] = {
#define ANYP_VARIABLE(name, argument, help) { #name, false },
#define ANYP_VARIABLE_EACH(name, argument, help) { #name, true },
#include "settings/variables.def"
#undef ANYP_VARIABLE
#undef ANYP_VARIABLE_EACH
    };
    const size_t rows_count = sizeof rows / sizeof rows[0];
    char name[ANYPI_NAME_SIZE];
    int count;
    const anyp_algorithm *algorithms = anyp_algorithms(&count);
    for (size_t i = 0; i < rows_count; i++)
        if (!rows[i].each && visit(context, rows[i].name))
            return true;
    for (int collective = 0; collective < ANYP_COLLECTIVES; collective++) {
        for (size_t i = 0; i < rows_count; i++) {
            anypi_variable_name(name, (anyp_collective) collective, rows[i].name);
            if (rows[i].each && visit(context, name))
                return true;
        }
        for (int i = 0; i < count; i++)
            for (int k = 0; k < algorithms[i].parameters_count; k++) {
                anypi_variable_name(name, (anyp_collective) collective,
                                    algorithms[i].parameters[k].name);
                if (algorithms[i].collectives & ANYP_IN_SET(collective) && visit(context, name))
                    return true;
            }
    }
    return false;
}

static bool is_same(void *context, const char *name)
{
    return !strcmp(context, name);
}

static bool try_nearest(void *context, const char *name)
{
    anypi_nearest_try(context, name);
    return false;
}

bool anypi_variable_exists(const char *name, char *nearest, size_t size)
{
    anypi_nearest near;
    *nearest = '\0';
    if (each_name(is_same, (void *) name))
        return true;
    if (strlen(name) < ANYPI_NAME_SIZE) {
        anypi_nearest_init(&near, name);
        each_name(try_nearest, &near);
        snprintf(nearest, size, "%s", near.text);
    }
    return false;
}

/* Returns whether the name begins with the name of a collective. */
static bool names_a_collective(const char *name)
{
    for (int collective = 0; collective < ANYP_COLLECTIVES; collective++) {
        char begin[ANYPI_NAME_SIZE];
        anypi_variable_name(begin, (anyp_collective) collective, "");
        if (!strncmp(name, begin, strlen(begin)))
            return true;
    }
    return false;
}

/* ---- values ---- */

static variable **find_link(const char *name)
{
    variable **link = &variables;
    while (*link && strcmp((*link)->name, name))
        link = &(*link)->next;
    return link;
}

const char *anypi_variable_value(const char *name)
{
    const variable *found = *find_link(name);
    return found ? found->value : NULL;
}

bool anypi_variable_set(const char *name, const char *value)
{
    variable **link = find_link(name), *old = *link, *new = NULL;
    if (value) {
        const size_t name_size = strlen(name) + 1, value_size = strlen(value) + 1;
        new = anypi_realloc(NULL, sizeof *new + name_size + value_size);
        if (!new)
            return false;
        memcpy(new->name, name, name_size);
        new->value = new->name + name_size;
        memcpy(new->value, value, value_size);
        new->next = old ? old->next : NULL;
        *link = new;
    } else if (old) {
        *link = old->next;
    }
    anypi_free(old);
    return true;
}

bool anypi_variables_read(char *wrong, size_t size)
{
    extern char **environ;
    bool memory = true;
    *wrong = '\0';
    for (char **entry = environ; entry && *entry; entry++) {
        const char *equals = strchr(*entry, '=');
        char name[ANYPI_NAME_SIZE], nearest[ANYPI_NAME_SIZE];
        if (strncmp(*entry, "ANYP_", 5) || !equals)
            continue;
        const char *begin = *entry + 5;
        snprintf(name, sizeof name, "%.*s", (int) (equals - begin), begin);
        if (anypi_variable_exists(name, nearest, sizeof nearest)) {
            if (*(equals + 1))  /* empty means unset */
                memory = anypi_variable_set(name, equals + 1) && memory;
        } else if ((*nearest || names_a_collective(name)) && !*wrong) {
            snprintf(wrong, size, "ANYP_%s: unknown variable%s%s%s", name,
                     *nearest ? "; did you mean ANYP_" : "; man anyp-variables lists all",
                     nearest, *nearest ? "?" : "");
        }
    }
    return memory;
}

void anypi_variables_free(void)
{
    while (variables)
        anypi_variable_set(variables->name, NULL);
}

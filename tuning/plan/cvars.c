/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan/cvars.h"

#include "plan/json_member.h"

#include "select/mpich.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct anypi_cvars {
    struct json_object *root, *variables;
};

static bool is_table(struct json_object *table)
{
    if (!json_object_is_type(table, json_type_object))
        return false;
    json_object_object_foreach(table, name, value) {
        if (!json_object_is_type(value, json_type_int) || strlen(name) >= ANYPI_NAME_SIZE)
            return false;
    }
    return true;
}

anypi_cvars *anypi_cvars_parse(const char *text, const char *file, char *message, size_t size)
{
    struct json_object *root = json_tokener_parse(text);
    struct json_object *variables = anypi_json_member(root, "cvars", json_type_object);
    anypi_cvars *cvars = calloc(1, sizeof *cvars);
    bool right = cvars && variables;
    if (right) {
        json_object_object_foreach(variables, name, table) {
            (void) name;
            right = right && is_table(table);
        }
    }
    if (!right) {
        snprintf(message, size, "%s: not the table of control variables that maint/graft writes "
                 "and MPICH's make install installs; install the grafted MPICH again", file);
        json_object_put(root);
        free(cvars);
        return NULL;
    }
    *cvars = (anypi_cvars) { root, variables };
    return cvars;
}

void anypi_cvars_free(anypi_cvars *cvars)
{
    if (cvars)
        json_object_put(cvars->root);
    free(cvars);
}

const char *anypi_cvars_value(const anypi_cvars *cvars, const char *variable, int i, int *value)
{
    struct json_object *table = anypi_json_member(cvars->variables, variable, json_type_object);
    if (!table)
        return NULL;
    json_object_object_foreach(table, name, number) {
        if (!i--) {
            *value = json_object_get_int(number);
            return name;
        }
    }
    return NULL;
}

int anypi_cvars_find(const anypi_cvars *cvars, const char *variable, const char *name,
                     int otherwise)
{
    struct json_object *table = anypi_json_member(cvars->variables, variable, json_type_object);
    struct json_object *number = anypi_json_member(table, name, json_type_int);
    return number ? json_object_get_int(number) : otherwise;
}

void anypi_cvars_keep(anypi_cvars *cvars, const char *variable, const char *name)
{
    const int number = anypi_cvars_find(cvars, variable, name, -1);
    if (!anypi_json_member(cvars->variables, variable, json_type_object))
        return;
    struct json_object *kept = json_object_new_object();
    json_object_object_add(kept, name, json_object_new_int(number));
    json_object_object_add(cvars->variables, variable, kept);
}

bool anypi_cvars_agree(const anypi_cvars *cvars, const char *file, char *message, size_t size)
{
    struct json_object *said = anypi_json_member(cvars->root, "mpich", json_type_string);
    const char *own = anypi_mpich_now()->release, *release = json_object_get_string(said);
    const bool agree = anypi_mpich_same_series(own, release ? release : "");
    if (!agree)
        snprintf(message, size, "%s is a table of MPICH %s, but the names of algorithms are those "
                 "of MPICH %s; name this MPICH with --mpich PREFIX, or install it again", file,
                 release ? release : "", own);
    return agree;
}

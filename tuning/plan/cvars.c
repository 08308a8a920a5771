/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cvars.c - the numbers of the names that control variables take. An MPI library's tool interface
 * shows these variables as plain ints, so the graft writes the names into cvars.json:
 * {"mpich": "4.0.2", "cvars": {"MPIR_CVAR_...": {"auto": 0, ...}, ...}}
 */
#include "plan/plan.h"

#include "select/jsonc.h"
#include "select/mpich.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct anypi_names {
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

anypi_names *anypi_names_parse(const char *text, const char *file, char *message, size_t size)
{
    struct json_object *root = json_tokener_parse(text), *variables = NULL;
    anypi_names *names = calloc(1, sizeof *names);
    bool right = names && json_object_is_type(root, json_type_object) &&
        json_object_object_get_ex(root, "cvars", &variables) &&
        json_object_is_type(variables, json_type_object);
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
        free(names);
        return NULL;
    }
    names->root = root;
    names->variables = variables;
    return names;
}

void anypi_names_free(anypi_names *names)
{
    if (!names)
        return;
    json_object_put(names->root);
    free(names);
}

const char *anypi_names_value(const anypi_names *names, const char *variable, int i, int *value)
{
    struct json_object *table;
    if (!json_object_object_get_ex(names->variables, variable, &table))
        return NULL;
    json_object_object_foreach(table, name, number) {
        if (!i--) {
            *value = json_object_get_int(number);
            return name;
        }
    }
    return NULL;
}

int anypi_names_find(const anypi_names *names, const char *variable, const char *name,
                     int otherwise)
{
    struct json_object *table, *number;
    if (!json_object_object_get_ex(names->variables, variable, &table) ||
        !json_object_object_get_ex(table, name, &number))
        return otherwise;
    return json_object_get_int(number);
}

void anypi_names_keep(anypi_names *names, const char *variable, const char *name)
{
    struct json_object *table, *kept = json_object_new_object();
    if (!json_object_object_get_ex(names->variables, variable, &table)) {
        json_object_put(kept);
        return;
    }
    json_object_object_add(kept, name,
                           json_object_new_int(anypi_names_find(names, variable, name, -1)));
    json_object_object_add(names->variables, variable, kept);
}

bool anypi_names_open(const char *which, char *message, size_t size)
{
    char reason[512];
    const anyp_status status = anypi_mpich_open(which, reason, sizeof reason);
    if (status != ANYP_SUCCESS)
        snprintf(message, size, "%s%s", which ? "--mpich: " : "",
                 status == ANYP_ERR_FILE ? reason : anyp_status_text(status));
    return status == ANYP_SUCCESS;
}

bool anypi_names_agree(const anypi_names *names, const char *file, char *message, size_t size)
{
    struct json_object *said;
    const char *own = anypi_mpich_now()->release, *release = "";
    if (json_object_object_get_ex(names->root, "mpich", &said) &&
        json_object_is_type(said, json_type_string))
        release = json_object_get_string(said);
    const bool agree = anypi_mpich_same_series(own, release);
    if (!agree)
        snprintf(message, size, "%s is a table of MPICH %s, but the names of algorithms are those "
                 "of MPICH %s; name this MPICH with --mpich PREFIX, or install it again", file,
                 release, own);
    return agree;
}

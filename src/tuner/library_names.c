/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/candidates.h"

#include "select/jsonc.h"
#include "schedule/collectives.h"

#include <string.h>

/* ---- collectives ---- */

static bool nonblocking;

void anypi_form_set(bool is)
{
    nonblocking = is;
}

bool anypi_form_nonblocking(void)
{
    return nonblocking;
}

const char *anypi_form_name(anyp_collective collective)
{
    const anypi_collective *its = &anypi_collectives[collective];
    return nonblocking ? its->nonblocking : its->name;
}

const char *anypi_form_prefix(void)
{
    return nonblocking ? "tsp_anyp_" : "anyp_";
}

/* ---- control variables ---- */

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

anypi_cvars *anypi_cvars_of(const struct json_object *table)
{
    struct json_object *variables = anypi_json_member(table, "cvars", json_type_object);
    bool right = variables;
    if (right) {
        json_object_object_foreach(variables, name, values) {
            (void) name;
            right = right && is_table(values);
        }
    }
    return right ? variables : NULL;
}

int anypi_cvars_find(const anypi_cvars *cvars, const char *variable, const char *name,
                     int otherwise)
{
    struct json_object *table = anypi_json_member(cvars, variable, json_type_object);
    struct json_object *number = anypi_json_member(table, name, json_type_int);
    return number ? json_object_get_int(number) : otherwise;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * jsonc.h - includes json-c: MPICH's copy (0.13.99), or the system's, which is in another folder.
 * Use only what json-c 0.13 has.
 */
#ifndef ANYPI_JSONC_H_INCLUDED
#define ANYPI_JSONC_H_INCLUDED

#ifdef ANYP_IN_MPICH
#include <json.h>
#else
#include <json-c/json.h>
#endif

/* Returns the member of this name and type. NULL: there is none, or `object` is no object. */
static inline struct json_object *anypi_json_member(const struct json_object *object,
                                                    const char *name, enum json_type type)
{
    struct json_object *value = NULL;
    return json_object_is_type(object, json_type_object) &&
        json_object_object_get_ex(object, name, &value) && json_object_is_type(value, type)
        ? value : NULL;
}

#endif

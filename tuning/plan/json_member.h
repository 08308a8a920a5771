/* SPDX-License-Identifier: BSD-3-Clause
 *
 * json_member.h - members of JSON objects in files with any content.
 */
#ifndef ANYPI_MEMBER_H_INCLUDED
#define ANYPI_MEMBER_H_INCLUDED

#include "select/jsonc.h"

/* The member of that name and type; NULL if there is none, or if `object` is no object. */
static inline struct json_object *anypi_json_member(struct json_object *object, const char *name,
                                                    enum json_type type)
{
    struct json_object *value = NULL;
    if (!json_object_is_type(object, json_type_object) ||
        !json_object_object_get_ex(object, name, &value) || !json_object_is_type(value, type))
        return NULL;
    return value;
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "unit/mpich_way.h"

#include "select/mpich.h"
#include "unit/common.h"

#include <stdlib.h>
#include <string.h>

static bool starts(const char *key, const char *text, const char **rest)
{
    *rest = key + strlen(text);
    return !strncmp(key, text, strlen(text));
}

void mpich_strip(const char *key, char *stripped, size_t size)
{
    size_t length = 0;
    for (; *key && length + 1 < size; key++)
        if (*key != ' ')
            stripped[length++] = *key;
    stripped[length] = '\0';
}

static bool is_any(const char *key)
{
    return !strcmp(key, "any") || (strlen(key) > 4 && !strcmp(key + strlen(key) - 4, "=any"));
}

/* Does the key hold? `*searched`: after a condition on the call, where comm_size< means <=. */
static bool holds(const char *key, const anypi_signature *s, bool *searched)
{
    static const char *const hierarchies[] = { "flat", "parent", "node_roots", "node" };
    const struct {
        const char *name;
        bool value;
    } flags[] = {
        { "is_multi_threaded=", s->multi_threaded }, { "is_commutative=", s->commutative },
        { "is_op_built_in=", s->builtin_op }, { "is_block_regular=", s->block_regular },
        { "is_sendbuf_inplace=", s->in_place }, { "is_node_consecutive=", s->node_consecutive },
    };
    const struct {
        const char *name;
        int64_t value;
    } numbers[] = {
        { "avg_msg_size<", s->avg_msg_size }, { "total_msg_size<", s->total_msg_size },
        { "count<", s->count }, { "comm_avg_ppn<", s->ppn }, { "comm_size<", s->p },
        { "comm_levels<", s->levels },
    };
    const char *rest;
    const bool was_searched = *searched;
    if (strncmp(key, "comm_", 5) && strncmp(key, "is_node_consecutive", 19) && strcmp(key, "any"))
        *searched = true;
    if (starts(key, "collective=", &rest)) {
        *searched = false;
        return !strcmp(rest, s->collective);
    }
    if (is_any(key))
        return true;
    if (!strcmp(key, "comm_type=intra") || !strcmp(key, "comm_type=inter"))
        return s->inter == !strcmp(key, "comm_type=inter");
    if (!strcmp(key, "comm_size=pow2"))
        return !(s->p & (s->p - 1));
    if (!strcmp(key, "comm_size=node_comm_size"))
        return s->one_node;
    if (starts(key, "comm_hierarchy=", &rest) && anypi_mpich_now()->hierarchies == 2)
        return (s->hierarchy == ANYPI_HIERARCHY_PARENT) == !strcmp(rest, "parent");
    if (starts(key, "memory=", &rest))  /* MPICH does not know where the data are */
        return !strcmp(rest, "host");
    if (starts(key, "comm_hierarchy=", &rest))
        return !strcmp(rest, hierarchies[s->hierarchy]);
    if (!strcmp(key, "count<pow2")) {
        int power = 1;
        while (2 * power <= s->p)
            power *= 2;
        return s->count < power;
    }
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (starts(key, flags[i].name, &rest))
            return flags[i].value == !strcmp(rest, "yes");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (starts(key, numbers[i].name, &rest)) {
            const bool equal = *rest == '=' ||
                (was_searched && !strcmp(numbers[i].name, "comm_size<"));
            const int64_t number = atoi(rest + (*rest == '='));
            return numbers[i].value < number || (equal && numbers[i].value == number);
        }
    ck_abort_msg("%s", key);
    return false;
}

struct json_object *mpich_search(struct json_object *object, const anypi_signature *s)
{
    bool searched = false;
    for (;;) {
        struct json_object *taken = NULL;
        json_object_object_foreach(object, key, value) {
            char stripped[256];
            mpich_strip(key, stripped, sizeof stripped);
            if (!strncmp(stripped, "algorithm=", 10))
                return object;
            if (!taken && holds(stripped, s, &searched))
                taken = value;
            if (taken)
                break;
        }
        if (!taken)
            return NULL;
        object = taken;
    }
}

/* Keys in front of a place in a tree: above it, or before it in an object that is open. */
typedef struct asked {
    const struct asked *up;
    const char *key;
} asked;

static double demand_below(struct json_object *object, int depth, const asked *up)
{
    double looks = 0;
    const int length = json_object_object_length(object);
    int place = 0;
    ck_assert_int_le(depth, 31);
    ck_assert_int_gt(length, 0);
    ck_assert_int_le(length, 100);
    asked here[100];
    json_object_object_foreach(object, key, value) {
        const char *rest;
        place++;
        if (depth == 1)
            ck_assert(starts(key, "collective=", &rest));
        else
            ck_assert(!starts(key, "collective=", &rest));
        if (starts(key, "algorithm=", &rest)) {
            ck_assert_int_eq(length, 1 + json_object_object_get_ex(object, "rule", NULL));
            return 1;
        }
        const bool any = is_any(key);
        const bool may_end = !strncmp(key, "is_", 3) || !strncmp(key, "comm_type=", 10) ||
            !strncmp(key, "comm_hierarchy=", 15) || depth == 1;
        if (any && strcmp(key, "comm_hierarchy=any"))
            ck_assert_int_eq(place, length);
        else if (!may_end)
            ck_assert_int_lt(place, length);
        ck_assert_msg(!starts(key, "comm_levels", &rest) && !starts(key, "memory", &rest), "%s",
                      key);
        ck_assert_msg(strncmp(key, "comm_size<", 10) || key[10] == '=', "%s", key);
        for (const asked *earlier = up; earlier; earlier = earlier->up)
            ck_assert_msg(any || strcmp(earlier->key, key), "%s twice", key);
        here[place - 1] = (asked) { up, key };
        up = &here[place - 1];
        looks += 1 + 2 * demand_below(value, depth + 1, up);
    }
    return looks;
}

double mpich_demand(struct json_object *tree)
{
    return demand_below(tree, 1, NULL);
}

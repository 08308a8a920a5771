/* SPDX-License-Identifier: BSD-3-Clause */
#include "tuner/timing_file.h"

#include "select/jsonc.h"

#include <stdio.h>
#include <string.h>

static const char *value(struct json_object *run, const char *name)
{
    struct json_object *text = anypi_json_member(run, name, json_type_string);
    return text ? json_object_get_string(text) : "";
}

bool anypi_same_machine(struct json_object *one, bool exact, struct json_object *other,
                        bool other_exact, char *text, size_t size)
{
    static const char *const compared[] = { "MPI", "AnyP", "processor", "cores", "binding" };
    const int count = exact && other_exact ? 2 : (int) (sizeof compared / sizeof *compared);
    size_t used = (size_t) snprintf(text, size, "%s", exact == other_exact ? ""
                                    : exact ? "the first is simulated, the second is not"
                                    : "the second is simulated, the first is not");
    for (int i = 0; i < count && used < size; i++) {
        const char *a = value(one, compared[i]), *b = value(other, compared[i]);
        if (strcmp(a, b))
            used += (size_t) snprintf(text + used, size - used, "%s%s is \"%s\" and \"%s\"",
                                      used ? "; " : "", compared[i], a, b);
    }
    if (used)
        return false;
    if (!exact && !strcmp(value(one, "hosts"), value(other, "hosts")) &&
        strcmp(value(one, "host names"), value(other, "host names")))
        snprintf(text, size, "the hosts are different, but of the same kind");
    return true;
}

bool anypi_same_run(struct json_object *old, struct json_object *run, char *text, size_t size)
{
    static const char *const compared[] = {
        "MPI", "AnyP", "hosts", "processor", "cores", "ranks of a host", "binding", "processes",
        "sizes", "collectives", "operators"
    };
    for (size_t i = 0; i < sizeof compared / sizeof *compared; i++) {
        const char *before = value(old, compared[i]), *now = value(run, compared[i]);
        if (strcmp(before, now)) {
            snprintf(text, size, "%s was \"%s\" and is now \"%s\"", compared[i], before, now);
            return false;
        }
    }
    return true;
}

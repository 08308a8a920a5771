/* SPDX-License-Identifier: BSD-3-Clause
 *
 * objects.c - what check.c and leaf.c have in common: the keys of an object, each of which stands
 * in it once, their values, and rules.
 */
#include "select/check.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A key without its spaces, as MPICH reads it. A key that is too long is no word anyway. */
static void frame_open(anypi_frame *frame, const anypi_frame *up, const char *key, size_t offset)
{
    size_t length = 0;
    for (; *key && length + 1 < sizeof frame->key; key++)
        if (*key != ' ')
            frame->key[length++] = *key;
    frame->key[length] = '\0';
    if (*key)
        memcpy(frame->key + length - 3, "...", 3);
    frame->up = up;
    frame->offset = offset;
}

/* Keys of the object whose first key comes next in the text: those at its depth. */
static int keys_in_text(const anypi_checker *checker, int depth)
{
    int keys = 0;
    for (int i = checker->place; i < checker->source->count; i++) {
        if (checker->source->places[i].depth < depth)
            break;
        keys += checker->source->places[i].depth == depth;
    }
    return keys;
}

void anypi_skip_deeper(anypi_checker *checker, int depth)
{
    while (checker->place < checker->source->count &&
           checker->source->places[checker->place].depth > depth)
        checker->place++;
}

/* Length of the text of a key, quotes included. */
static size_t raw_length(const char *text)
{
    size_t i = 1;
    while (text[i] && text[i] != text[0])
        i += text[i] == '\\' && text[i + 1] ? 2 : 1;
    return i + 1;
}

/* The first key of the object that equals an earlier one of it, or -1 (if escapes hide that). */
static int find_duplicate(const anypi_checker *checker, int depth)
{
    const anypi_source *source = checker->source;
    const anypi_place *places = source->places;
    for (int i = checker->place; i < source->count && places[i].depth >= depth; i++) {
        if (places[i].depth > depth)
            continue;
        const char *later = source->text + places[i].offset;
        const size_t length = raw_length(later);
        for (int j = checker->place; j < i; j++)
            if (places[j].depth == depth &&
                !strncmp(source->text + places[j].offset, later, length))
                return i;
    }
    return -1;
}

/* Of two equal keys json-c has kept one. */
static void tell_duplicate(anypi_checker *checker, const anypi_frame *up, int depth)
{
    anypi_frame frame = *up;
    const int i = anypi_is_told(checker) ? find_duplicate(checker, depth) : -1;
    if (i >= 0) {
        const size_t offset = checker->source->places[i].offset;
        const char *text = checker->source->text + offset;
        char key[sizeof frame.key];
        snprintf(key, sizeof key, "%.*s", (int) raw_length(text) - 2, text + 1);
        frame_open(&frame, up, key, offset);
    }
    anypi_tell(checker, &frame, "%s, and MPICH drops the first; expected each key once",
               i >= 0 ? "this key stands twice in its object" :
               "a key stands twice in this object");
}

bool anypi_object_begin(anypi_checker *checker, struct json_object *object, const anypi_frame *up,
                        int depth)
{
    const int keys = keys_in_text(checker, depth);
    if (keys > ANYPI_MAX_KEYS)
        anypi_tell(checker, up, "this object has %d keys; expected at most %d", keys,
                   ANYPI_MAX_KEYS);
    else if (keys != json_object_object_length(object))
        tell_duplicate(checker, up, depth);
    else
        return true;
    anypi_skip_deeper(checker, depth - 1);
    return false;
}

bool anypi_key_begin(anypi_checker *checker, const char *key, struct json_object *value,
                     const anypi_frame *up, anypi_frame *frame)
{
    frame_open(frame, up, key, checker->source->places[checker->place++].offset);
    if (json_object_is_type(value, json_type_object))
        return true;
    anypi_tell(checker, frame, "its value is of type %s; expected an object: {...}",
               json_type_to_name(json_object_get_type(value)));
    return false;
}

bool anypi_read_number(anypi_checker *checker, const anypi_frame *frame, const char *text,
                       int least, int most, int *number)
{
    const char *digits = text + (*text == '-');
    const size_t length = strspn(digits, "0123456789");
    if (!length || digits[length]) {
        anypi_tell(checker, frame, "'%s' is not a whole number; expected one from %d to %d", text,
                   least, most);
        return false;
    }
    const long long value = strtoll(text, NULL, 10);    /* saturates */
    if (value < least || value > most) {
        anypi_tell(checker, frame, "%s is out of range%s; expected a whole number from %d to %d",
                   text, value > most && most == INT_MAX ? ": MPICH keeps it in an int" : "",
                   least, most);
        return false;
    }
    *number = (int) value;
    return true;
}

int anypi_add_rule(anypi_checker *checker, const anypi_rule *rule)
{
    const int added = anypi_rule_add(checker->tree, rule);
    if (added < 0)
        checker->status = ANYP_ERR_MEMORY;
    return added;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * check_keys.c - the functions that check_rules.c and check_algorithm.c share: they check that the
 * keys of an object are unique, read their values, and add rules.
 */
#include "select/check_rules.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Stores a key without spaces, as MPICH reads it. A key that is too long is unknown anyway. */
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

/* Returns the number of keys of the object whose first key is the next one in the text. */
static int keys_in_text(const anypi_checker *checker, int depth)
{
    int keys = 0;
    for (int i = checker->next_key; i < checker->source->count; i++) {
        if (checker->source->positions[i].depth < depth)
            break;
        keys += checker->source->positions[i].depth == depth;
    }
    return keys;
}

void anypi_skip_deeper(anypi_checker *checker, int depth)
{
    while (checker->next_key < checker->source->count &&
           checker->source->positions[checker->next_key].depth > depth)
        checker->next_key++;
}

/* Returns the length of a key in the text, including the quotes. */
static size_t raw_length(const char *text)
{
    size_t i = 1;
    while (text[i] && text[i] != text[0])
        i += text[i] == '\\' && text[i + 1] ? 2 : 1;
    return i + 1;
}

/* Returns the first key of the object that equals an earlier one in the text; -1 if the equal keys
 * are escaped differently. */
static int find_duplicate(const anypi_checker *checker, int depth)
{
    const anypi_source *source = checker->source;
    const anypi_key_position *positions = source->positions;
    for (int i = checker->next_key; i < source->count && positions[i].depth >= depth; i++) {
        if (positions[i].depth > depth)
            continue;
        const char *later = source->text + positions[i].offset;
        const size_t length = raw_length(later);
        for (int j = checker->next_key; j < i; j++)
            if (positions[j].depth == depth &&
                !strncmp(source->text + positions[j].offset, later, length))
                return i;
    }
    return -1;
}

/* Reports a key that occurs twice; json-c keeps only one of them. */
static void report_duplicate(anypi_checker *checker, const anypi_frame *up, int depth)
{
    anypi_frame frame = *up;
    const int i = anypi_is_reported(checker) ? find_duplicate(checker, depth) : -1;
    if (i >= 0) {
        const size_t offset = checker->source->positions[i].offset;
        const char *text = checker->source->text + offset;
        char key[sizeof frame.key];
        snprintf(key, sizeof key, "%.*s", (int) raw_length(text) - 2, text + 1);
        frame_open(&frame, up, key, offset);
    }
    anypi_report(checker, &frame, "%s, and MPICH ignores the first; remove one",
                 i >= 0 ? "this key occurs twice in its object" :
                 "a key occurs twice in this object");
}

bool anypi_object_begin(anypi_checker *checker, struct json_object *object, const anypi_frame *up,
                        int depth)
{
    const int keys = keys_in_text(checker, depth);
    if (keys > ANYPI_MAX_KEYS)
        anypi_report(checker, up, "this object has %d keys; expected at most %d", keys,
                     ANYPI_MAX_KEYS);
    else if (keys != json_object_object_length(object))
        report_duplicate(checker, up, depth);
    else
        return true;
    anypi_skip_deeper(checker, depth - 1);
    return false;
}

bool anypi_key_begin(anypi_checker *checker, const char *key, struct json_object *value,
                     const anypi_frame *up, anypi_frame *frame)
{
    frame_open(frame, up, key, checker->source->positions[checker->next_key++].offset);
    return json_object_is_type(value, json_type_object) ||
        anypi_report(checker, frame, "the value of this key is of type %s; expected an object, "
                     "{...}", json_type_to_name(json_object_get_type(value)));
}

bool anypi_read_number(anypi_checker *checker, const anypi_frame *frame, const char *text,
                       int minimum, int maximum, int *number)
{
    const char *digits = text + (*text == '-');
    const size_t length = strspn(digits, "0123456789");
    if (!length || digits[length])
        return anypi_report(checker, frame, "'%s' is not a whole number; expected one from %d to "
                            "%d", text, minimum, maximum);
    const long long value = strtoll(text, NULL, 10);    /* saturates */
    if (value < minimum || value > maximum)
        return anypi_report(checker, frame, "%s is out of range%s; expected a whole number from %d "
                            "to %d", text,
                            value > maximum && maximum == INT_MAX ? " of MPICH's int" : "",
                            minimum, maximum);
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

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record_text.c - writes and reads the file of a record.
 */
#include "record/record.h"

#include "schedule/collectives.h"
#include "schedule/shape.h"
#include "select/jsonc.h"
#include "select/rule_tree.h"
#include "select/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- writing ---- */

/* Returns the text as JSON. Bytes that are not UTF-8 become question marks. */
static struct json_object *text_of(const char *text)
{
    char valid[512];
    size_t length = 0;
    while (*text && length + 4 < sizeof valid) {
        const int bytes = anypi_character(text);
        if (bytes)
            memcpy(valid + length, text, (size_t) bytes);
        else
            valid[length] = '?';
        length += (size_t) (bytes ? bytes : 1);
        text += bytes ? bytes : 1;
    }
    return json_object_new_string_len(valid, (int) length);
}

static struct json_object *seconds_of(double seconds)
{
    char text[32];
    snprintf(text, sizeof text, "%.6g", seconds);
    char *const comma = strchr(text, ',');
    if (comma)                  /* the program has set a locale */
        *comma = '.';
    return json_object_new_double_s(seconds, text);
}

static void put(struct json_object *object, const char *name, struct json_object *value)
{
    json_object_object_add(object, name, value);
}

static struct json_object *bytes_of(const anypi_calls *kind)
{
    struct json_object *bytes = json_object_new_object();
    put(bytes, "least", json_object_new_int64(kind->least));
    put(bytes, "mean", json_object_new_int64((int64_t) (anypi_calls_bytes(kind) + 0.5)));
    put(bytes, "largest", json_object_new_int64(kind->largest));
    return bytes;
}

static bool has_root(const anypi_calls *kind)
{
    const anyp_call call = { .collective = (anyp_collective) kind->collective };
    return kind->collective < ANYP_COLLECTIVES && anypi_has_root(&call);
}

static struct json_object *kind_object(const anypi_record *record, const anypi_calls *kind)
{
    struct json_object *object = json_object_new_object();
    struct json_object *seconds = json_object_new_object();
    put(object, "collective", json_object_new_string(anypi_recorded_name(kind->collective)));
    put(object, "form", json_object_new_string(anypi_call_form_name(kind->form)));
    if (kind->phase)
        put(object, "phase", json_object_new_int(kind->phase));
    put(object, "p", json_object_new_int(kind->p));
    if (kind->nodes)
        put(object, "nodes", json_object_new_string(record->shapes[kind->nodes]));
    put(object, "bytes", bytes_of(kind));
    put(object, "class", json_object_new_boolean(anypi_calls_differ(kind)));
    if (kind->op != ANYPI_OP_NONE) {
        put(object, "operator", json_object_new_string(anypi_operator_name(kind->op)));
        put(object, "commutative", json_object_new_boolean(kind->op != ANYPI_OP_USERS_ORDERED));
    }
    put(object, "type size", json_object_new_int(kind->type_size));
    put(object, "derived", json_object_new_boolean(kind->derived));
    put(object, "in place", json_object_new_boolean(kind->in_place));
    put(object, "uneven", json_object_new_int(kind->uneven));
    if (has_root(kind))
        put(object, "root", json_object_new_int(kind->root));
    put(object, "ranks", json_object_new_int(kind->ranks));
    put(object, "calls", seconds_of(anypi_calls_of_rank(kind)));
    put(seconds, "least", seconds_of(kind->least_seconds));
    put(seconds, "mean", seconds_of(kind->ranks ? kind->seconds / kind->ranks : 0));
    put(seconds, "largest", seconds_of(kind->largest_seconds));
    put(object, "seconds", seconds);
    if (kind->largest_gap > 0) {
        struct json_object *gap = json_object_new_object();
        put(gap, "least", seconds_of(kind->least_gap));
        put(gap, "mean", seconds_of(kind->ranks ? kind->gap / kind->ranks : 0));
        put(gap, "largest", seconds_of(kind->largest_gap));
        put(gap, "latest", json_object_new_int(kind->latest));
        put(object, "gap", gap);
    }
    if (kind->samples) {
        struct json_object *work = json_object_new_object();
        put(work, "samples", json_object_new_int64(kind->samples));
        put(work, "seconds", seconds_of(kind->work));
        put(work, "spread", seconds_of(kind->spread));
        put(object, "work", work);
    }
    return object;
}

static struct json_object *site_object(const anypi_site *site)
{
    struct json_object *object = json_object_new_object();
    struct json_object *seconds = json_object_new_object();
    const double ranks = site->ranks ? site->ranks : 1;
    put(object, "at", text_of(site->at));
    put(object, "collective", json_object_new_string(anypi_recorded_name(site->collective)));
    put(object, "ranks", json_object_new_int(site->ranks));
    put(object, "calls", seconds_of((double) site->calls / ranks));
    put(object, "bytes", seconds_of(site->calls ? site->bytes / (double) site->calls : 0));
    put(seconds, "least", seconds_of(site->least_seconds));
    put(seconds, "mean", seconds_of(site->seconds / ranks));
    put(seconds, "largest", seconds_of(site->largest_seconds));
    put(object, "seconds", seconds);
    return object;
}

bool anypi_record_write(const anypi_record *record, FILE *file)
{
    struct json_object *head = json_object_new_object();
    put(head, "anyp-record", json_object_new_int(ANYPI_RECORD_VERSION));
    put(head, "written by", text_of(record->version));
    put(head, "library", text_of(record->library));
    put(head, "command", text_of(record->command));
    put(head, "begun", text_of(record->begun));
    put(head, "decided by", text_of(record->decided));
    put(head, "p", json_object_new_int(record->p));
    if (record->nodes)
        put(head, "nodes", json_object_new_string(record->shapes[record->nodes]));
    put(head, "seconds", seconds_of(record->seconds));
    put(head, "complete", json_object_new_boolean(record->complete));
    const char *const plain = json_object_to_json_string_ext(head, JSON_C_TO_STRING_PLAIN);
    /* "calls" is one more member, so the closing brace of the head comes later */
    fprintf(file, "%.*s,\n\"calls\":[", (int) strlen(plain) - 1, plain);
    json_object_put(head);
    for (int i = 0; i < record->count; i++) {
        struct json_object *kind = kind_object(record, &record->kinds[i]);
        fprintf(file, "%s\n%s", i ? "," : "",
                json_object_to_json_string_ext(kind, JSON_C_TO_STRING_PLAIN));
        json_object_put(kind);
    }
    fputs("\n]", file);
    for (int i = 0; i < record->sites_count; i++) {
        struct json_object *site = site_object(&record->sites[i]);
        fprintf(file, "%s\n%s", i ? "," : ",\n\"sites\":[",
                json_object_to_json_string_ext(site, JSON_C_TO_STRING_PLAIN));
        json_object_put(site);
    }
    fputs(record->sites_count ? "\n]}\n" : "}\n", file);
    return !ferror(file);
}

/* ---- reading ---- */

/* The state of reading; it keeps the first fault. */
typedef struct reader {
    char *message;
    size_t size;
    bool wrong;
} reader;

__attribute__((format(printf, 2, 3)))
static void fault(reader *in, const char *format, ...)
{
    va_list list;
    if (in->wrong)
        return;
    in->wrong = true;
    va_start(list, format);
    vsnprintf(in->message, in->size, format, list);
    va_end(list);
}

/* Returns a number from `least` to `most`, or `missing` if there is none. */
static double number(reader *in, const struct json_object *object, const char *name, double least,
                     double most, double missing)
{
    struct json_object *value = NULL;
    if (!json_object_object_get_ex(object, name, &value))
        return missing;
    const double its = json_object_is_type(value, json_type_int) ||
        json_object_is_type(value, json_type_double) ? json_object_get_double(value) : least - 1;
    if (!(its >= least && its <= most)) {
        fault(in, "\"%s\" must be a number from %g to %g", name, least, most);
        return least;
    }
    return its;
}

static const char *word(const struct json_object *object, const char *name)
{
    struct json_object *value = anypi_json_member(object, name, json_type_string);
    return value ? json_object_get_string(value) : "";
}

static bool truth(const struct json_object *object, const char *name, bool missing)
{
    struct json_object *value = anypi_json_member(object, name, json_type_boolean);
    return value ? json_object_get_boolean(value) : missing;
}

/* Returns the index of a word among names. Another word is a fault. */
static int named(reader *in, const struct json_object *object, const char *name, int count,
                 const char *(*name_of)(int))
{
    const char *const its = word(object, name);
    for (int i = 0; i < count; i++)
        if (!strcmp(its, name_of(i)))
            return i;
    char shown[64] = "";
    anypi_append(shown, sizeof shown, its);
    fault(in, "unknown %s \"%s\"", name, shown);
    return 0;
}

/* Returns the index of a shape. A text that is no shape, or of another p, is a fault. */
static int shape(reader *in, anypi_record *record, const struct json_object *object, int p)
{
    const char *reason;
    const char *text = word(object, "nodes");
    if (!*text)
        return 0;
    anyp_shape *nodes = anypi_shape_read(text, p, &reason);
    if (!nodes)
        fault(in, "\"nodes\" of %d processes: %s", p, reason);
    anypi_shape_free(nodes);
    return nodes ? anypi_record_shape(record, text) : 0;
}

enum { MOST_P = INT32_MAX };
/* Limits of bytes and of the calls of all ranks, so that sums over many kinds fit into 64 bits. */
static const double most_number = 1e15, most_seconds = 1e12;

static anyp_status read_kind(reader *in, anypi_record *record, const struct json_object *object)
{
    const struct json_object *bytes = anypi_json_member(object, "bytes", json_type_object);
    const struct json_object *seconds = anypi_json_member(object, "seconds", json_type_object);
    const struct json_object *work = anypi_json_member(object, "work", json_type_object);
    const struct json_object *gap = anypi_json_member(object, "gap", json_type_object);
    if (!bytes || !seconds) {
        fault(in, "\"%s\" is missing", bytes ? "seconds" : "bytes");
        return ANYP_ERR_FILE;
    }
    anypi_calls key = {
        .collective = named(in, object, "collective", ANYPI_RECORDED, anypi_recorded_name),
        .form = named(in, object, "form", ANYPI_CALL_FORMS, anypi_call_form_name),
        .p = (int) number(in, object, "p", 1, MOST_P, 1),
        .uneven = (int) number(in, object, "uneven", 1, 1 << 30, 1),
        .type_size = (int) number(in, object, "type size", 0, INT32_MAX, 1),
        .phase = (int) number(in, object, "phase", -1, INT32_MAX, 1),
        .derived = truth(object, "derived", false), .in_place = truth(object, "in place", false),
    };
    if (key.phase == 1)
        key.phase = 0;
    if (*word(object, "operator"))
        key.op = named(in, object, "operator", ANYPI_OPS, anypi_operator_name);
    key.nodes = in->wrong ? 0 : shape(in, record, object, key.p);
    const int64_t least = (int64_t) number(in, bytes, "least", 0, most_number, 0);
    const int64_t largest = (int64_t) number(in, bytes, "largest", (double) least, most_number,
                                             (double) least);
    const double mean = number(in, bytes, "mean", 0, most_number, (double) least);
    key.size = anypi_record_size(key.collective, least,
                                 least != largest || truth(object, "class", false));
    const int ranks = (int) number(in, object, "ranks", 1, record->p, 1);
    const double calls = number(in, object, "calls", 0, most_number / ranks, 0);
    if (in->wrong)
        return ANYP_ERR_FILE;
    anypi_calls *kind = anypi_record_find(record, &key);
    if (!kind)
        return ANYP_ERR_MEMORY;
    if (kind->ranks)
        fault(in, "there is another entry of the same kind");
    kind->least = least;
    kind->largest = largest;
    kind->ranks = ranks;
    kind->calls = (int64_t) (calls * ranks + 0.5);
    kind->bytes = fmin(fmax(mean, (double) least), (double) largest) * (double) kind->calls;
    kind->seconds = number(in, seconds, "mean", 0, most_seconds, 0) * ranks;
    kind->least_seconds = number(in, seconds, "least", 0, most_seconds, 0);
    kind->largest_seconds = number(in, seconds, "largest", 0, most_seconds, 0);
    kind->root = (int) number(in, object, "root", -1, MOST_P, 0);
    kind->latest = -1;
    if (gap) {
        kind->gap = number(in, gap, "mean", 0, most_seconds, 0) * ranks;
        kind->least_gap = number(in, gap, "least", 0, most_seconds, 0);
        kind->largest_gap = number(in, gap, "largest", 0, most_seconds, 0);
        kind->latest = (int) number(in, gap, "latest", -1, kind->p - 1, -1);
    }
    if (work) {
        kind->samples = (int64_t) number(in, work, "samples", 0, most_number, 0);
        kind->work = number(in, work, "seconds", 0, most_seconds, 0);
        kind->spread = number(in, work, "spread", 0, most_seconds, 0);
    }
    return in->wrong ? ANYP_ERR_FILE : ANYP_SUCCESS;
}

static anyp_status read_site(reader *in, anypi_record *record, const struct json_object *object)
{
    const struct json_object *seconds = anypi_json_member(object, "seconds", json_type_object);
    const int collective = named(in, object, "collective", ANYPI_RECORDED, anypi_recorded_name);
    const int ranks = (int) number(in, object, "ranks", 1, record->p, 1);
    const double calls = number(in, object, "calls", 0, most_number / ranks, 0);
    if (!seconds)
        fault(in, "\"seconds\" is missing");
    if (in->wrong)
        return ANYP_ERR_FILE;
    const int index = anypi_record_site(record, word(object, "at"), collective);
    if (index < 0)
        return ANYP_ERR_MEMORY;
    anypi_site *site = &record->sites[index];
    if (site->ranks)
        fault(in, "there is another entry of the same place");
    site->ranks = ranks;
    site->calls = (int64_t) (calls * ranks + 0.5);
    site->bytes = number(in, object, "bytes", 0, most_number, 0) * (double) site->calls;
    site->seconds = number(in, seconds, "mean", 0, most_seconds, 0) * ranks;
    site->least_seconds = number(in, seconds, "least", 0, most_seconds, 0);
    site->largest_seconds = number(in, seconds, "largest", 0, most_seconds, 0);
    return in->wrong ? ANYP_ERR_FILE : ANYP_SUCCESS;
}

static void copy(char *to, size_t size, const char *text)
{
    *to = '\0';
    anypi_append(to, size, text);
}

static anyp_status read_head(reader *in, anypi_record *record, const struct json_object *root)
{
    const struct json_object *version = anypi_json_member(root, "anyp-record", json_type_int);
    if (!version)
        fault(in, "this is no record of `anyp run --record`");
    else if (json_object_get_int(version) != ANYPI_RECORD_VERSION)
        fault(in, "this record is of version %d, and this AnyP reads version %d: read it with the "
              "AnyP that wrote it, or record again", json_object_get_int(version),
              ANYPI_RECORD_VERSION);
    copy(record->version, sizeof record->version, word(root, "written by"));
    copy(record->library, sizeof record->library, word(root, "library"));
    copy(record->command, sizeof record->command, word(root, "command"));
    copy(record->begun, sizeof record->begun, word(root, "begun"));
    copy(record->decided, sizeof record->decided, word(root, "decided by"));
    if (in->wrong)
        return ANYP_ERR_FILE;
    record->p = (int) number(in, root, "p", 1, MOST_P, 0);
    if (record->p == 0)
        fault(in, "\"p\" is missing");
    record->seconds = number(in, root, "seconds", 0, most_seconds, 0);
    record->complete = truth(root, "complete", false);
    record->nodes = in->wrong ? 0 : shape(in, record, root, record->p);
    return in->wrong ? ANYP_ERR_FILE : ANYP_SUCCESS;
}

/* Reads the entries of a list (NULL: none), unless something failed before. */
static anyp_status read_list(reader *in, anypi_record *record, const struct json_object *list,
                             const char *name, anyp_status (*read)(reader *, anypi_record *,
                                                                   const struct json_object *),
                             anyp_status status)
{
    const size_t count = list ? json_object_array_length(list) : 0;
    for (size_t i = 0; i < count && status == ANYP_SUCCESS; i++) {
        status = read(in, record, json_object_array_get_idx(list, i));
        if (status == ANYP_ERR_FILE) {
            const size_t used = strlen(in->message);
            snprintf(in->message + used, in->size - used, " (entry %zu of \"%s\")", i + 1, name);
        }
    }
    return status;
}

anyp_status anypi_record_parse(anypi_record *record, const char *text, char *message, size_t size)
{
    reader in = { message, size, false };
    enum json_tokener_error error;
    struct json_object *root = json_tokener_parse_verbose(text, &error);
    if (!root) {
        snprintf(message, size, "damaged: %s", json_tokener_error_desc(error));
        return ANYP_ERR_FILE;
    }
    anyp_status status = read_head(&in, record, root);
    const struct json_object *calls = anypi_json_member(root, "calls", json_type_array);
    if (status == ANYP_SUCCESS && !calls) {
        fault(&in, "\"calls\" is missing");
        status = ANYP_ERR_FILE;
    }
    status = read_list(&in, record, calls, "calls", read_kind, status);
    status = read_list(&in, record, anypi_json_member(root, "sites", json_type_array), "sites",
                       read_site, status);
    json_object_put(root);
    if (status == ANYP_ERR_MEMORY)
        snprintf(message, size, "no memory");
    if (status != ANYP_SUCCESS)
        anypi_record_free(record);
    return status;
}

anyp_status anypi_record_read(anypi_record *record, const char *file, char *message, size_t size)
{
    anypi_source source = { .name = file };
    const char *reason = "no memory";
    char fault_text[256] = "";
    anyp_status status = anypi_source_read(&source, file, &reason);
    if (status == ANYP_SUCCESS) {
        status = anypi_record_parse(record, source.text, fault_text, sizeof fault_text);
        reason = fault_text;
    }
    if (status == ANYP_SUCCESS && !record->count) {
        status = ANYP_ERR_FILE;
        reason = record->complete ? "the record has no collective: the program called none"
            : "the record has no collective: the program is still running, or was killed in its "
            "first minute; the file is written once a minute, and in MPI_Finalize";
        anypi_record_free(record);
    }
    if (status != ANYP_SUCCESS) {
        copy(message, size, file);
        anypi_append(message, size, ": ");
        anypi_append(message, size, reason);
    }
    anypi_source_free(&source);
    return status;
}

/* SPDX-License-Identifier: BSD-3-Clause
 *
 * record.c - keeps the table of kinds, and adds up the kinds of several ranks or of several sizes.
 */
#include "record/record.h"

#include "schedule/collectives.h"
#include "schedule/memory.h"
#include "select/text.h"

#include <math.h>
#include <string.h>

/* Added to the size of a kind that is a class of sizes. */
#define IS_CLASS (INT64_C(1) << 62)

/* A table of more kinds than this adds only classes of sizes. */
enum { MOST_EXACT = 2000, FIRST_SLOTS = 64 };

const char *anypi_recorded_name(int collective)
{
    static const char *const others[] = {
        "neighbor_allgather", "neighbor_allgatherv", "neighbor_alltoall", "neighbor_alltoallv",
        "neighbor_alltoallw"
    };
    return collective < ANYP_COLLECTIVES ? anyp_collective_name((anyp_collective) collective)
        : others[collective - ANYP_COLLECTIVES];
}

const char *anypi_call_form_name(int form)
{
    static const char *const names[] = { "blocking", "nonblocking", "persistent" };
    return names[form];
}

const char *anypi_operator_name(int op)
{
    static const char *const names[] = {
        "none", "max", "min", "sum", "prod", "land", "band", "lor", "bor", "lxor", "bxor",
        "maxloc", "minloc", "user", "user, ordered"
    };
    return names[op];
}

/* ---- the table ---- */

static uint64_t hash_of(const anypi_calls *kind)
{
    const int64_t words[] = { kind->size, kind->collective, kind->form, kind->p, kind->nodes,
                              kind->op, kind->uneven, kind->type_size, kind->phase,
                              2 * kind->derived + kind->in_place };
    uint64_t hash = ANYPI_HASH;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        hash = anypi_hash_word(hash, (uint64_t) words[i]);
    return hash ^ hash >> 32;
}

static bool same_key(const anypi_calls *a, const anypi_calls *b)
{
    return a->size == b->size && a->collective == b->collective && a->form == b->form &&
        a->p == b->p && a->nodes == b->nodes && a->op == b->op && a->uneven == b->uneven &&
        a->type_size == b->type_size && a->phase == b->phase && a->derived == b->derived &&
        a->in_place == b->in_place;
}

/* Returns the slot of an equal kind, or the empty slot for it. */
static int *slot_of(const anypi_record *record, const anypi_calls *key)
{
    const unsigned mask = (unsigned) record->slots_room - 1;
    unsigned i = (unsigned) hash_of(key) & mask;
    while (record->slots[i] && !same_key(&record->kinds[record->slots[i] - 1], key))
        i = (i + 1) & mask;
    return &record->slots[i];
}

/* Makes room in the hash table, of whose slots at most half are used. */
static bool grow_slots(anypi_record *record)
{
    if (2 * (record->count + 1) <= record->slots_room)
        return true;
    const int room = record->slots_room ? 2 * record->slots_room : FIRST_SLOTS;
    int *slots = anypi_realloc(record->slots, (size_t) room * sizeof *slots);
    if (!slots)
        return false;
    memset(slots, 0, (size_t) room * sizeof *slots);
    record->slots = slots;
    record->slots_room = room;
    for (int i = 0; i < record->count; i++)
        *slot_of(record, &record->kinds[i]) = i + 1;
    return true;
}

static anypi_calls *add(anypi_record *record, const anypi_calls *key)
{
    anypi_calls *kinds = grow_slots(record)
        ? anypi_grow(record->kinds, &record->room, record->count, sizeof *kinds) : NULL;
    if (!kinds)
        return NULL;
    record->kinds = kinds;
    anypi_calls *kind = &kinds[record->count];
    *slot_of(record, key) = ++record->count;
    *kind = (anypi_calls) {
        .size = key->size, .collective = key->collective, .form = key->form, .p = key->p,
        .nodes = key->nodes, .op = key->op, .uneven = key->uneven, .type_size = key->type_size,
        .phase = key->phase, .derived = key->derived, .in_place = key->in_place,
    };
    return kind;
}

/* Returns the phase of a new kind: -1 if the record has no room for a further phase. */
static int phase_of(anypi_record *record, int phase)
{
    if (phase <= 0)
        return phase;
    for (int i = 0; i < record->phases_count; i++)
        if (record->phases[i] == phase)
            return phase;
    if (record->phases_count == (int) (sizeof record->phases / sizeof *record->phases))
        return -1;
    return record->phases[record->phases_count++] = phase;
}

/* Returns the size class of bytes, half an octave: the largest of 2^n and 1.5 * 2^n that is not
 * larger. */
static int64_t class_of(int64_t size)
{
    int64_t least = 1;
    if (size & IS_CLASS)
        return size;
    if (size < 2)
        return size | IS_CLASS;
    while (least <= size / 2)
        least *= 2;
    return (least + (size >= least + least / 2 ? least / 2 : 0)) | IS_CLASS;
}

int64_t anypi_record_size(int collective, int64_t bytes, bool several)
{
    const bool local = collective < ANYP_COLLECTIVES &&
        anypi_has_local_sizes((anyp_collective) collective);
    return several || local ? class_of(bytes) : bytes;
}

bool anypi_calls_differ(const anypi_calls *kind)
{
    return kind->size & IS_CLASS;
}

anypi_calls *anypi_record_find(anypi_record *record, const anypi_calls *key)
{
    anypi_calls its = *key;
    its.phase = phase_of(record, its.phase);
    int slot = record->slots_room ? *slot_of(record, &its) : 0;
    if (!slot && record->count >= MOST_EXACT) {
        its.size = class_of(its.size);
        slot = *slot_of(record, &its);
    }
    return slot ? &record->kinds[slot - 1] : add(record, &its);
}

const anypi_calls *anypi_record_same(const anypi_record *record, const anypi_record *other,
                                     const anypi_calls *calls)
{
    anypi_calls key = *calls;
    key.nodes = 0;
    for (int i = 1; calls->nodes && i < record->shapes_count; i++)
        if (!strcmp(record->shapes[i], other->shapes[calls->nodes]))
            key.nodes = i;
    const int slot = record->slots_room && !key.nodes == !calls->nodes ? *slot_of(record, &key) : 0;
    return slot ? &record->kinds[slot - 1] : NULL;
}

int anypi_record_shape(anypi_record *record, const char *text)
{
    if (!*text)
        return 0;
    for (int i = 1; i < record->shapes_count; i++)
        if (!strcmp(record->shapes[i], text))
            return i;
    const int used = record->shapes_count ? record->shapes_count : 1;
    char **shapes = anypi_grow(record->shapes, &record->shapes_room, used, sizeof *shapes);
    if (!shapes)
        return 0;
    record->shapes = shapes;
    shapes[0] = NULL;
    const size_t size = strlen(text) + 1;
    shapes[used] = anypi_realloc(NULL, size);
    if (!shapes[used])
        return 0;
    memcpy(shapes[used], text, size);
    record->shapes_count = used + 1;
    return used;
}

/* ---- sums ---- */

/* Returns the mean of two sampled values, weighted by the calls of their kinds. */
static double mean_of(const anypi_calls *one, const anypi_calls *other, double its, double others)
{
    return !other->samples ? its : !one->samples ? others
        : (its * (double) one->calls + others * (double) other->calls) /
        (double) (one->calls + other->calls);
}

/* Adds a kind to another one, whose key is equal or that of a class. `same_ranks`: the same ranks
 * have made the calls of both; otherwise other ranks have. */
static void add_kind(anypi_calls *to, const anypi_calls *from, bool same_ranks)
{
    const int64_t samples = to->samples + from->samples;
    if (!to->calls) {
        to->least = from->least;
        to->largest = from->largest;
        to->root = from->root;
        to->least_seconds = from->least_seconds;
        to->largest_seconds = from->largest_seconds;
        to->least_gap = from->least_gap;
        to->largest_gap = from->largest_gap;
        to->latest = from->latest;
    } else if (same_ranks) {
        to->least_seconds += from->least_seconds;
        to->largest_seconds += from->largest_seconds;
        to->least_gap += from->least_gap;
        to->largest_gap += from->largest_gap;
    } else {
        to->least_seconds = fmin(to->least_seconds, from->least_seconds);
        to->least_gap = fmin(to->least_gap, from->least_gap);
        if (from->largest_gap > to->largest_gap) {
            to->largest_gap = from->largest_gap;
            to->latest = from->latest;
        }
        to->largest_seconds = fmax(to->largest_seconds, from->largest_seconds);
    }
    to->least = from->least < to->least ? from->least : to->least;
    to->largest = from->largest > to->largest ? from->largest : to->largest;
    if (from->root != to->root)
        to->root = -1;
    if (same_ranks) {
        to->work = mean_of(to, from, to->work, from->work);
        to->spread = mean_of(to, from, to->spread, from->spread);
        to->samples = samples;
        to->ranks = to->ranks > from->ranks ? to->ranks : from->ranks;
    } else {
        to->work = fmax(to->work, from->work);
        to->spread = fmax(to->spread, from->spread);
        to->samples = from->samples > to->samples ? from->samples : to->samples;
        to->ranks += from->ranks;
    }
    to->bytes += from->bytes;
    to->calls += from->calls;
    to->seconds += from->seconds;
    to->gap += from->gap;
}

anyp_status anypi_record_add(anypi_record *record, const anypi_record *other)
{
    for (int i = 0; i < other->count; i++) {
        anypi_calls key = other->kinds[i];
        key.nodes = key.nodes ? anypi_record_shape(record, other->shapes[key.nodes]) : 0;
        anypi_calls *kind = anypi_record_find(record, &key);
        if (!kind)
            return ANYP_ERR_MEMORY;
        add_kind(kind, &other->kinds[i], false);
    }
    anypi_record_add_sites(record, other);
    return ANYP_SUCCESS;
}

/* Returns whether two kinds differ only in their sizes. */
static bool same_family(const anypi_calls *a, const anypi_calls *b)
{
    anypi_calls its = *a;
    its.size = b->size;
    return same_key(&its, b);
}

/* Returns whether there are more than `most` kinds that differ from one only in their sizes. */
static bool has_more(const anypi_record *record, const anypi_calls *kind, int most)
{
    int sizes = 0;
    for (int i = 0; i < record->count && sizes <= most; i++)
        sizes += same_family(&record->kinds[i], kind);
    return sizes > most;
}

/* Joins kinds that differ only in their phases, if `phases`; otherwise kinds that differ only in
 * their sizes, if there are more than this number of sizes. */
static anyp_status join(anypi_record *record, int sizes, bool phases)
{
    anypi_record joined = { 0 };
    anyp_status status = ANYP_SUCCESS;
    for (int i = 0; i < record->count && status == ANYP_SUCCESS; i++) {
        const anypi_calls *from = &record->kinds[i];
        anypi_calls key = *from;
        if (phases)
            key.phase = 0;
        else if (has_more(record, from, sizes))
            key.size = class_of(from->size);
        anypi_calls *kind = joined.count < record->count ? anypi_record_find(&joined, &key) : NULL;
        if (kind)
            add_kind(kind, from, true);
        else
            status = ANYP_ERR_MEMORY;
    }
    if (status != ANYP_SUCCESS) {
        anypi_record_free(&joined);
        return status;
    }
    anypi_free(record->kinds);
    anypi_free(record->slots);
    record->kinds = joined.kinds;
    record->count = joined.count;
    record->room = joined.room;
    record->slots = joined.slots;
    record->slots_room = joined.slots_room;
    return ANYP_SUCCESS;
}

anyp_status anypi_record_join(anypi_record *record, int most)
{
    anyp_status status = ANYP_SUCCESS;
    /* begin with families of many sizes; a family of few sizes keeps them as long as there is
     * room */
    for (int sizes = 8; sizes >= 0 && record->count > most && status == ANYP_SUCCESS;
         sizes = sizes ? sizes / 4 : -1)
        status = join(record, sizes, false);
    return status;
}

anyp_status anypi_record_join_phases(anypi_record *record)
{
    return record->phases_count ? join(record, 0, true) : ANYP_SUCCESS;
}

/* ---- what they mean ---- */

double anypi_calls_bytes(const anypi_calls *kind)
{
    return kind->calls ? kind->bytes / (double) kind->calls : 0;
}

double anypi_calls_of_rank(const anypi_calls *kind)
{
    return kind->ranks ? (double) kind->calls / kind->ranks : 0;
}

double anypi_calls_seconds(const anypi_record *record, const anypi_calls *kind)
{
    return record->complete && record->p ? kind->seconds / record->p
        : kind->ranks ? kind->seconds / kind->ranks : 0;
}

bool anypi_waits_for_all(int collective)
{
    if (collective >= ANYP_COLLECTIVES)
        return false;
    const anypi_collective *of = &anypi_collectives[collective];
    return !anypi_takes_local_sizes(of->arguments) && of->input != ANYPI_AT_ROOT &&
        of->output != ANYPI_AT_ROOT && of->output != ANYPI_HAS_PREFIX &&
        of->output != ANYPI_HAS_BEFORE;
}

/* By how much samples may exceed the seconds of all calls, because they are few. */
static const double too_much = 1.1;

/* Returns whether all ranks of the run make these calls, and each waits for the last one. */
static bool has_bound(const anypi_record *record, const anypi_calls *kind)
{
    return anypi_waits_for_all(kind->collective) && kind->form == ANYPI_FORM_BLOCKING &&
        kind->p == record->p && kind->ranks == record->p;
}

double anypi_calls_work(const anypi_record *record, const anypi_calls *kind, bool *sampled)
{
    const double all = anypi_calls_seconds(record, kind);
    const double share = record->complete && record->p ? (double) kind->ranks / record->p : 1;
    const double samples = kind->samples ? kind->work * anypi_calls_of_rank(kind) * share
        : INFINITY;
    const double bound = has_bound(record, kind) ? kind->least_seconds : INFINITY;
    const double work = fmin(samples, bound);
    *sampled = samples <= bound && samples <= too_much * all;
    /* samples that exceed the time of all calls tell nothing about the rest */
    return work <= all || *sampled ? fmin(work, all) : bound < INFINITY ? all : -1;
}

void anypi_record_free(anypi_record *record)
{
    for (int i = 1; i < record->shapes_count; i++)
        anypi_free(record->shapes[i]);
    anypi_free(record->shapes);
    anypi_free(record->kinds);
    anypi_free(record->slots);
    anypi_record_free_sites(record);
    memset(record, 0, sizeof *record);
}

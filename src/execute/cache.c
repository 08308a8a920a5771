/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cache.c - entries in the order of their last use, searched from the front: recent calls are found
 * by one or two comparisons, without a hash.
 */
#include "execute/cache.h"

#include "algorithms/automatic.h"
#include "schedule/memory.h"

#include <string.h>

/* The maximum bytes of all kept programs of a communicator; the program of the last call may be
 * larger. Those of long pipelines have thousands of operations. */
enum { PROGRAMS_KEPT = 64 * 1024 };

static void free_program(anypi_entry *entry)
{
    anypi_program_release(entry->program);
    entry->program = NULL;
    entry->ready = false;
    anypi_local_plan_release(entry->plan);
    entry->plan = NULL;
}

static size_t program_size(const anypi_entry *entry)
{
    return (entry->program ? anypi_program_size(entry->program) : 0) +
        (entry->plan ? anypi_local_plan_size(entry->plan) : 0);
}

/* Makes the k-th in the order of use the first. */
static anypi_entry *use(anypi_cache *cache, int k)
{
    const unsigned char index = cache->order[k];
    anypi_entry *last = &cache->entries[cache->order[0]];
    if (k > 0 && program_size(last) > PROGRAMS_KEPT)
        free_program(last);
    memmove(cache->order + 1, cache->order, (size_t) k);
    cache->order[0] = index;
    return &cache->entries[index];
}

anypi_entry *anypi_cache_search(anypi_cache *cache, const anypi_call_key *key)
{
    for (int k = 0; k < cache->count; k++)
        if (anypi_same_key(&cache->entries[cache->order[k]].key, key))
            return use(cache, k);
    return NULL;
}

/* The entry to replace by a new key, as an index into the order: the less recently used half takes
 * turns. (If it were always the last one, a cycle of one more call than there are entries would
 * never find an entry.) */
static int replaceable(anypi_cache *cache)
{
    return ANYPI_ENTRIES / 2 + (int) (cache->replaced++ % (ANYPI_ENTRIES / 2));
}

bool anypi_cache_open(anypi_cache *cache)
{
    const size_t size = ANYPI_ENTRIES * sizeof *cache->entries;
    if (cache->entries)
        return true;
    cache->entries = anypi_realloc(NULL, size);
    if (!cache->entries)
        return false;
    memset(cache->entries, 0, size);
    return true;
}

anypi_entry *anypi_cache_add(anypi_cache *cache, const anypi_call_key *key, const anyp_call *call)
{
    if (!anypi_cache_open(cache))
        return NULL;
    if (cache->count < ANYPI_ENTRIES)
        cache->order[cache->count] = (unsigned char) cache->count;
    const int k = cache->count < ANYPI_ENTRIES ? cache->count : replaceable(cache);
    int64_t *starts = NULL;
    if (key->irregular) {
        anypi_entry *replaced = &cache->entries[cache->order[k]];
        starts = anypi_reserve(replaced->starts, &replaced->starts_room,
                               key->irregular + INT64_C(1), sizeof *starts);
        if (!starts)
            return NULL;
        replaced->starts = starts;
        memcpy(starts, key->starts, ((size_t) key->irregular + 1) * sizeof *starts);
    }
    cache->count += k == cache->count;
    anypi_entry *entry = use(cache, k);
    entry->key = *key;
    entry->key.parameters = entry->requested;
    entry->key.starts = starts;
    entry->call = *call;
    entry->call.starts = starts;
    entry->algorithm = key->algorithm;
    entry->reason = NULL;
    for (int i = 0; key->algorithm && i < key->algorithm->parameters_count; i++)
        entry->requested[i] = entry->asked[i] = entry->parameters[i] = key->parameters[i];
    entry->ready = false;
    anypi_local_plan_release(entry->plan);
    entry->plan = NULL;
    return entry;
}

void anypi_cache_settle(anypi_cache *cache, const anyp_algorithm *algorithm, const anyp_call *call,
                        const int *asked, int *parameters)
{
    const size_t size = (size_t) algorithm->parameters_count * sizeof *asked;
    const int64_t count = anypi_count_class(call), largest = anypi_largest_class(call);
    if (!anypi_any_automatic(algorithm, asked)) {
        if (size > 0)
            memmove(parameters, asked, size);
        return;
    }
    for (int i = 0; cache->settled && i < ANYPI_SETTLED; i++) {
        const anypi_settled *one = &cache->settled[i];
        if (one->algorithm == algorithm && one->count == count && one->largest == largest &&
            one->type_size == call->type_size && one->collective == (int) call->collective &&
            one->commutative == call->commutative && one->reproducible == call->reproducible &&
            one->nodes == call->nodes && !memcmp(one->asked, asked, size)) {
            memcpy(parameters, one->parameters, size);
            return;
        }
    }
    anypi_settled new = { .algorithm = algorithm, .count = count, .largest = largest,
                          .type_size = call->type_size, .collective = (int) call->collective,
                          .commutative = call->commutative, .reproducible = call->reproducible,
                          .nodes = call->nodes };
    memcpy(new.asked, asked, size);
    anypi_settle(algorithm, call, asked, new.parameters);
    memcpy(parameters, new.parameters, size);
    if (!cache->settled) {
        cache->settled = anypi_realloc(NULL, ANYPI_SETTLED * sizeof *cache->settled);
        if (!cache->settled)
            return;             /* it only saves time */
        memset(cache->settled, 0, ANYPI_SETTLED * sizeof *cache->settled);
    }
    cache->settled[cache->settled_next++ % ANYPI_SETTLED] = new;
}

/* Frees the programs of old entries until the rest is within PROGRAMS_KEPT; keeps the first. */
static void limit_programs(anypi_cache *cache)
{
    size_t size = 0;
    for (int k = 0; k < cache->count; k++) {
        anypi_entry *entry = &cache->entries[cache->order[k]];
        size += program_size(entry);
        if (k > 0 && size > PROGRAMS_KEPT) {
            size -= program_size(entry);
            free_program(entry);
        }
    }
}

anyp_status anypi_cache_program(anypi_cache *cache, anypi_entry *entry, anyp_schedule *schedule,
                                anypi_element element)
{
    if (entry->ready)
        return ANYP_SUCCESS;
    anyp_status status =
        anyp_generate(entry->algorithm, &entry->call, entry->parameters, schedule);
    if (status != ANYP_SUCCESS)
        return status;
    if (!anypi_program_own(&entry->program))
        return ANYP_ERR_MEMORY;
    const anypi_shape shape = anypi_shape_of(&entry->call, schedule->blocks, element);
    status = anypi_program_make(entry->program, schedule, &shape);
    entry->ready = status == ANYP_SUCCESS;
    limit_programs(cache);
    return status;
}

anyp_status anypi_cache_plan(anypi_cache *cache, anypi_entry *entry)
{
    if (!entry->plan) {
        entry->plan = anypi_local_plan_new(entry->algorithm, &entry->call, entry->parameters);
        limit_programs(cache);
    }
    return entry->plan ? ANYP_SUCCESS : ANYP_ERR_MEMORY;
}

void anypi_cache_forget(anypi_cache *cache)
{
    for (int k = 0; k < cache->count; k++)
        free_program(&cache->entries[cache->order[k]]);
    cache->count = 0;
    anypi_free(cache->settled);
    cache->settled = NULL;
}

void anypi_cache_free(anypi_cache *cache)
{
    anypi_cache_forget(cache);
    for (int i = 0; cache->entries && i < ANYPI_ENTRIES; i++)
        anypi_free(cache->entries[i].starts);
    anypi_free(cache->entries);
    *cache = (anypi_cache) { .entries = NULL };
}

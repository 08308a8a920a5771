/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cache.c - keeps the entries in the order of their last use and searches from the front. So recent
 * calls are found by one or two comparisons, without a hash.
 */
#include "execute/cache.h"

#include "execute/adapt.h"
#include "execute/hold.h"
#include "schedule/memory.h"
#include "schedule/threads.h"

#include <string.h>

/* The maximum bytes of all programs that a communicator keeps. The program of the last call may be
 * larger. Programs of long pipelines have thousands of operations. */
enum { PROGRAMS_KEPT = 64 * 1024 };

/* Working memory, shared by all communicators. A thread that finds none makes a new one. */
static struct {
    anypi_lock lock;
    bool there;
    anyp_schedule schedule;
} spare = { .lock = ANYPI_UNLOCKED };

static void take_spare(anyp_schedule *schedule)
{
    anypi_lock_enter(&spare.lock);
    if (spare.there)
        *schedule = spare.schedule;
    else
        anyp_schedule_init(schedule);
    spare.there = false;
    anypi_lock_leave(&spare.lock);
}

static void give_spare(anyp_schedule *schedule)
{
    anypi_lock_enter(&spare.lock);
    const bool there = spare.there;
    if (!there)
        spare.schedule = *schedule;
    spare.there = true;
    anypi_lock_leave(&spare.lock);
    if (there)
        anyp_schedule_free(schedule);
}

void anypi_cache_end(void)
{
    anyp_schedule last;
    take_spare(&last);
    anyp_schedule_free(&last);
}

static void free_parts(anypi_entry *entry)
{
    for (int i = 0; i < 2; i++) {
        anypi_program_release(entry->parts[i]);
        entry->parts[i] = NULL;
    }
}

static void free_program(anypi_entry *entry)
{
    anypi_program_release(entry->program);
    entry->program = NULL;
    entry->ready = entry->whole = false;
    free_parts(entry);
    anypi_local_plan_release(entry->plan);
    entry->plan = NULL;
}

static size_t program_size(const anypi_entry *entry)
{
    size_t parts = 0;
    for (int i = 0; i < 2; i++)
        parts += entry->parts[i] ? anypi_program_size(entry->parts[i]) : 0;
    return parts + (entry->program ? anypi_program_size(entry->program) : 0) +
        (entry->plan ? anypi_local_plan_size(entry->plan) : 0);
}

/* Moves the k-th entry in the order of use to the front, and returns it. */
static anypi_entry *use(anypi_cache *cache, int k)
{
    const unsigned char index = cache->order[k];
    if (k > 0 && program_size(cache->last) > PROGRAMS_KEPT)
        free_program(cache->last);
    memmove(cache->order + 1, cache->order, (size_t) k);
    cache->order[0] = index;
    return cache->last = cache->entries[index];
}

anypi_entry *anypi_cache_search(anypi_cache *cache, const anypi_call_key *key)
{
    for (int k = 0; k < cache->count; k++)
        if (anypi_same_key(&cache->entries[cache->order[k]]->key, key))
            return use(cache, k);
    return NULL;
}

/* Makes entry number `i`, unless it exists. Returns false if there is no memory. */
static bool make_entry(anypi_cache *cache, int i)
{
    if (cache->entries[i])
        return true;
    anypi_entry *entry = cache->entries[i] = anypi_realloc(NULL, sizeof *entry);
    if (entry)
        *entry = (anypi_entry) { .ready = false };
    return entry;
}

bool anypi_cache_open(anypi_cache *cache)
{
    return make_entry(cache, 0);
}

/* Returns the place of a new key, as an index into the order, or -1 if there is no memory. While
 * there is room, it is a new entry. Afterwards the less recently used half of the entries is
 * replaced in turn. (If it were always the last entry, a cycle with one more call than there are
 * entries would never find an entry.) */
static int place_of_new(anypi_cache *cache)
{
    if (cache->count < ANYPI_ENTRIES && make_entry(cache, cache->count)) {
        cache->order[cache->count] = (unsigned char) cache->count;
        return cache->count;
    }
    const int young = cache->count / 2;
    return cache->count == 0 ? -1
        : young + (int) (cache->replaced++ % (unsigned) (cache->count - young));
}

anypi_entry *anypi_cache_add(anypi_cache *cache, const anypi_call_key *key, const anyp_call *call)
{
    const int k = place_of_new(cache);
    if (k < 0)
        return NULL;
    int64_t *starts = NULL;
    if (key->irregular) {
        anypi_entry *replaced = cache->entries[cache->order[k]];
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
    entry->ready = entry->whole = false;
    free_parts(entry);
    anypi_local_plan_release(entry->plan);
    entry->plan = NULL;
    return entry;
}

static bool same_class(const anypi_size_class *a, const anypi_size_class *b)
{
    const size_t size = (size_t) a->requested->parameters_count * sizeof *a->request;
    return a->requested == b->requested && a->adapts == b->adapts && a->count == b->count &&
        a->largest == b->largest && a->type_size == b->type_size &&
        a->collective == b->collective && a->commutative == b->commutative &&
        a->reproducible == b->reproducible && a->nodes == b->nodes &&
        (size == 0 || !memcmp(a->request, b->request, size));
}

/* Returns the place for another size class, or NULL if there is no memory. */
static anypi_size_class *next_class(anypi_cache *cache)
{
    if (cache->settled_count < ANYPI_SETTLED) {
        /* many communicators settle only one call */
        const int room = cache->settled_count < cache->settled_room ? cache->settled_room
            : 2 * cache->settled_room + 1;
        anypi_size_class *more = anypi_reserve(cache->settled, &cache->settled_room, room,
                                               sizeof *more);
        if (!more)
            return NULL;
        cache->settled = more;
        cache->settled_count++;
    }
    return &cache->settled[cache->settled_next++ % ANYPI_SETTLED];
}

void anypi_cache_settle(anypi_cache *cache, anypi_settled_call *one, int *asked, bool adapts)
{
    const anyp_call *call = &one->call;
    if (!adapts && !anypi_any_automatic(one->algorithm, asked)) {
        anypi_settle_call(one, asked);
        return;
    }
    anypi_size_class new = { .requested = one->algorithm,
                             .adapts = adapts ? 1 + anypi_adapts(call) : 0,
                             .count = anypi_count_class(call),
                             .largest = anypi_largest_class(call), .type_size = call->type_size,
                             .collective = (int) call->collective,
                             .commutative = call->commutative,
                             .reproducible = call->reproducible, .nodes = call->nodes };
    const size_t size = sizeof new.asked;
    memcpy(new.request, asked, (size_t) one->algorithm->parameters_count * sizeof *asked);
    for (int i = 0; i < cache->settled_count; i++) {
        const anypi_size_class *known = &cache->settled[i];
        if (same_class(known, &new)) {
            one->algorithm = known->algorithm;
            memcpy(asked, known->asked, size);
            memcpy(one->parameters, known->parameters, size);
            return;
        }
    }
    if (adapts)
        anypi_adapt(one, asked);
    else
        anypi_settle_call(one, asked);
    new.algorithm = one->algorithm;
    memcpy(new.asked, asked, size);
    memcpy(new.parameters, one->parameters, size);
    anypi_size_class *place = next_class(cache);
    if (place)                  /* remembering only saves time */
        *place = new;
}

/* Frees the programs of old entries until the remaining ones fit into PROGRAMS_KEPT. Keeps the
 * program of the last call. */
static void limit_programs(anypi_cache *cache)
{
    size_t size = 0;
    for (int k = 0; k < cache->count; k++) {
        anypi_entry *entry = cache->entries[cache->order[k]];
        size += program_size(entry);
        if (k > 0 && size > PROGRAMS_KEPT) {
            size -= program_size(entry);
            free_program(entry);
        }
    }
}

/* Makes a program of a call for an entry's algorithm. */
static anyp_status make_program(const anypi_cache *cache, const anypi_entry *entry,
                                const anyp_call *call, anypi_element element,
                                anypi_program **program)
{
    anyp_schedule schedule;
    take_spare(&schedule);
    anyp_status status = anyp_generate(entry->algorithm, call, entry->parameters, &schedule);
    if (status == ANYP_SUCCESS && !anypi_program_own(program))
        status = ANYP_ERR_MEMORY;
    if (status == ANYP_SUCCESS) {
        const anypi_placement vector = anypi_placement_of(call, schedule.blocks, element);
        status = anypi_program_make(*program, &schedule, &vector);
        /* without memory the program stays as it is; other ranks need not know */
        if (status == ANYP_SUCCESS && cache->holds && element.low == 0 &&
            element.high == element.extent && element.extent > 0)
            anypi_program_let_hold(*program, call->in_place);
    }
    give_spare(&schedule);
    return status;
}

anyp_status anypi_cache_make_program(anypi_cache *cache, anypi_entry *entry, anypi_element element)
{
    const anyp_status status = make_program(cache, entry, &entry->call, element, &entry->program);
    entry->ready = status == ANYP_SUCCESS;
    limit_programs(cache);
    return status;
}

/* Bytes of a part: so many stay in the cache between a rank and the next one. */
enum { PART_BYTES = 256 * 1024 };

/* Returns the elements of a part, or 0 if the call is not cut. */
static int64_t part_of(const anyp_call *call)
{
    const bool cuts = call->collective == ANYP_ALLREDUCE || call->collective == ANYP_REDUCE ||
        call->collective == ANYP_SCAN || call->collective == ANYP_EXSCAN;
    const int64_t size = call->type_size;
    const int64_t part = size > 0 && size < PART_BYTES ? PART_BYTES / size : 0;
    return cuts && call->count > part ? part : 0;
}

/* Makes the programs for parts of so many elements, or none. */
static anyp_status make_parts(anypi_cache *cache, anypi_entry *entry, anypi_element element,
                              int64_t part)
{
    anyp_call call = entry->call;
    anyp_status status = ANYP_SUCCESS;
    for (int i = 0; i < 2 && status == ANYP_SUCCESS; i++) {
        call.count = i ? entry->call.count % part : part;
        if (call.count > 0)
            status = make_program(cache, entry, &call, element, &entry->parts[i]);
    }
    if (status != ANYP_SUCCESS)
        free_parts(entry);
    entry->whole = status != ANYP_SUCCESS && status != ANYP_ERR_MEMORY;
    limit_programs(cache);
    return status;
}

anyp_status anypi_cache_parts(anypi_cache *cache, anypi_entry *entry, anypi_element element,
                              bool inside, anypi_parts *parts)
{
    const int64_t part = inside && !entry->whole ? part_of(&entry->call) : 0;
    anyp_status status = ANYP_SUCCESS;
    if (part > 0 && !entry->parts[0])
        status = make_parts(cache, entry, element, part);
    if (part > 0 && entry->parts[0]) {
        *parts = (anypi_parts) { .programs = { entry->parts[0], entry->parts[1] },
                                 .whole = entry->call.count / part,
                                 .bytes = part * element.extent };
    } else if (status != ANYP_ERR_MEMORY) {
        status = anypi_cache_program(cache, entry, element);
        *parts = anypi_one_part(entry->program);
    }
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
        free_program(cache->entries[cache->order[k]]);
    cache->count = 0;
    cache->last = NULL;
    anypi_free(cache->settled);
    cache->settled = NULL;
    cache->settled_count = cache->settled_room = 0;
    cache->settled_next = 0;
}

void anypi_cache_free(anypi_cache *cache)
{
    anypi_cache_forget(cache);
    for (int i = 0; i < ANYPI_ENTRIES && cache->entries[i]; i++) {
        anypi_free(cache->entries[i]->starts);
        anypi_free(cache->entries[i]);
    }
    *cache = (anypi_cache) { .count = 0 };
}

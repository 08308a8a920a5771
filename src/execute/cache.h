/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cache.h - the last distinct calls on a communicator, each with the chosen algorithm and the
 * program. A call that is found here needs neither the decision file nor a new schedule. For every
 * back end.
 */
#ifndef ANYPI_CACHE_H_INCLUDED
#define ANYPI_CACHE_H_INCLUDED

#include "anyp.h"
#include "execute/local_sizes.h"

/* What identifies a call on its communicator: calls with equal keys have the same choice and the
 * same program. Members that a back end does not use are 0 in all of its keys. */
typedef struct anypi_call_key {
    int64_t count;              /* elements, as the back end counts them */
    int simple;                 /* count, handles, collective, root and in_place identify it */
    uint64_t datatype, op;      /* handles that are never reused; else 0, and the key has: */
    int64_t type_size;
    anypi_element element;
    int commutative, reproducible;
    int collective, root, in_place, gaps_in, gaps_out;
    int forced;                 /* a variable requests the algorithm */
    int overlaps;               /* the elements of the datatype overlap */
    int irregular;              /* blocks with counts of their own differ in size: their starts, */
    uint64_t starts_hash;       /* a hash of these, */
    const int64_t *starts;      /* and irregular + 1 numbers; as in anyp_call */
    const anyp_algorithm *algorithm;    /* requested; NULL: the back end chooses */
    const int *parameters;      /* of the algorithm */
} anypi_call_key;

typedef struct anypi_entry {
    anypi_call_key key;
    anyp_call call;
    int64_t *starts;            /* those of the key and the call, if they have any */
    int starts_room;
    /* decide.h: the choice; NULL: none of AnyP's */
    const anyp_algorithm *algorithm;
    int asked[ANYP_MAX_PARAMETERS];     /* its parameters, some of which may be "auto" */
    int parameters[ANYP_MAX_PARAMETERS];        /* none is "auto" */
    const char *reason;         /* why it is not what was requested (static text); NULL: it is */
    int requested[ANYP_MAX_PARAMETERS]; /* the key's parameters, if it has an algorithm */
    bool ready;                 /* the program is valid */
    anypi_program *program;     /* may have other holders; NULL: none was made */
    anypi_local_plan *plan;     /* likewise, of calls with local sizes, which have no program */
} anypi_entry;

/* What parameters that are "auto" became, for calls of one size class (algorithms/automatic.h). */
typedef struct anypi_settled {
    const anyp_algorithm *algorithm;    /* NULL: none */
    int64_t count, largest, type_size;
    int collective, commutative, reproducible;
    const anyp_shape *nodes;
    int asked[ANYP_MAX_PARAMETERS], parameters[ANYP_MAX_PARAMETERS];
} anypi_settled;

enum { ANYPI_ENTRIES = 16, ANYPI_SETTLED = 32 };

typedef struct anypi_cache {
    anypi_entry *entries[ANYPI_ENTRIES];        /* NULL until needed; their addresses stay */
    anypi_entry *last;          /* that of the last call; NULL: there is none */
    int count;                  /* entries that have a key */
    unsigned char order[ANYPI_ENTRIES]; /* their indices, most recently used first */
    unsigned replaced;          /* number of replaced keys */
    anypi_settled *settled;     /* at most ANYPI_SETTLED of them */
    int settled_count, settled_room;
    unsigned settled_next;      /* the one to be replaced next, modulo their number */
} anypi_cache;

/* Adds the starts of a call's blocks to its key. */
static inline void anypi_key_starts(anypi_call_key *key, const anyp_call *call)
{
    if (!call->starts)
        return;
    key->irregular = call->p;
    key->starts = call->starts;
    for (int i = 1; i <= call->p; i++) {
        key->starts_hash = (key->starts_hash ^ (uint64_t) call->starts[i]) * 0x9e3779b97f4a7c15u;
        key->starts_hash ^= key->starts_hash >> 29;
    }
}

/* The key of a call for which an algorithm is requested. */
static inline anypi_call_key anypi_key_of(const anyp_call *call, anypi_element element,
                                          const anyp_algorithm *algorithm, const int *parameters)
{
    anypi_call_key key = {
        .count = call->count, .type_size = call->type_size, .element = element,
        .commutative = call->commutative, .reproducible = call->reproducible,
        .collective = (int) call->collective, .root = call->root, .in_place = call->in_place,
        .gaps_in = call->gaps_in, .gaps_out = call->gaps_out,
        .algorithm = algorithm, .parameters = parameters,
    };
    anypi_key_starts(&key, call);
    return key;
}

/* Compares member by member: the key was just written, and memcmp() would stall on that. */
static inline bool anypi_same_key(const anypi_call_key *a, const anypi_call_key *b)
{
    bool same = a->count == b->count && a->simple == b->simple &&
        a->datatype == b->datatype && a->op == b->op &&
        a->collective == b->collective && a->root == b->root && a->in_place == b->in_place &&
        a->gaps_in == b->gaps_in && a->gaps_out == b->gaps_out &&
        a->forced == b->forced && a->overlaps == b->overlaps && a->irregular == b->irregular &&
        a->starts_hash == b->starts_hash && a->type_size == b->type_size &&
        a->element.low == b->element.low && a->element.high == b->element.high &&
        a->element.extent == b->element.extent && a->commutative == b->commutative &&
        a->reproducible == b->reproducible &&
        a->algorithm == b->algorithm;
    for (int i = 0; same && a->algorithm && i < a->algorithm->parameters_count; i++)
        same = a->parameters[i] == b->parameters[i];
    for (int i = 0; same && i < a->irregular; i++)
        same = a->starts[i + 1] == b->starts[i + 1];
    return same;
}

/* As anypi_cache_find(), for calls that differ from the last one. */
anypi_entry *anypi_cache_search(anypi_cache *cache, const anypi_call_key *key);

/* Returns the entry of a key, or NULL. */
static inline anypi_entry *anypi_cache_find(anypi_cache *cache, const anypi_call_key *key)
{
    if (cache->last && anypi_same_key(&cache->last->key, key))
        return cache->last;
    return anypi_cache_search(cache, key);
}

/* Allocates the first entry, unless it is there. False: no memory. */
bool anypi_cache_open(anypi_cache *cache);

/* Adds an entry for a key that has none; it replaces an entry that was not used recently if the
 * cache is full, or if there is no memory for more. The choice is the algorithm that the key
 * requests, with its parameters. NULL: no memory; not after anypi_cache_open(), unless the key is
 * irregular. */
anypi_entry *anypi_cache_add(anypi_cache *cache, const anypi_call_key *key, const anyp_call *call);

/* Sets parameters[] to asked[], and those that are "auto" to numbers, as anypi_settle() does. Calls
 * of the size classes that were last settled on this communicator cost no search. `parameters` may
 * be `asked`. */
void anypi_cache_settle(anypi_cache *cache, const anyp_algorithm *algorithm, const anyp_call *call,
                        const int *asked, int *parameters);

/* Makes the entry's program, if it is not ready; others that hold an earlier one keep it. The entry
 * must be the last one that was found or added. ANYP_ERR_MEMORY, or as anyp_generate(). */
anyp_status anypi_cache_make_program(anypi_cache *cache, anypi_entry *entry, anypi_element element);
static inline anyp_status anypi_cache_program(anypi_cache *cache, anypi_entry *entry,
                                              anypi_element element)
{
    return entry->ready ? ANYP_SUCCESS : anypi_cache_make_program(cache, entry, element);
}

/* Frees the memory in which all caches of the process make schedules. It is made again if needed.
 * Thread-safe. */
void anypi_cache_end(void);

/* The same for the plan of an entry whose call has local sizes. ANYP_ERR_MEMORY. */
anyp_status anypi_cache_plan(anypi_cache *cache, anypi_entry *entry);

/* Forgets all calls and frees their programs and plans. */
void anypi_cache_forget(anypi_cache *cache);

void anypi_cache_free(anypi_cache *cache);

#endif

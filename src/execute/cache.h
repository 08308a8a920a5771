/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cache.h - what became of a communicator's last different calls: the choice of an algorithm, and
 * the program. An application that alternates between a few sizes walks through no decision file
 * and generates no schedule. For every back end.
 */
#ifndef ANYPI_CACHE_H_INCLUDED
#define ANYPI_CACHE_H_INCLUDED

#include "anyp.h"
#include "execute/program.h"

/* What identifies a call on its communicator: calls with equal keys have the same choice and the
 * same program. What a back end does not use is 0 in all of its keys. */
typedef struct anypi_call_key {
    int64_t count;              /* elements: as the back end counts them */
    uint64_t datatype, op;      /* handles that always mean the same; else 0, and these tell: */
    int64_t type_size;
    anypi_element element;
    int commutative;
    int collective, root, in_place;
    int irregular;              /* blocks of a reduce_scatter differ in size: only the choice is
                                 * kept, since the key does not have the sizes */
    const anyp_algorithm *algorithm;    /* what is asked for; NULL: the back end chooses */
    const int *parameters;      /* its */
} anypi_call_key;

typedef struct anypi_entry {
    anypi_call_key key;
    anyp_call call;
    const anyp_algorithm *algorithm;    /* the choice; NULL: the MPI library's own */
    int parameters[ANYP_MAX_PARAMETERS];        /* also the key's, if it asks for an algorithm */
    bool ready;                 /* the program is made */
    anypi_program program;
} anypi_entry;

enum { ANYPI_ENTRIES = 16 };

typedef struct anypi_cache {
    anypi_entry *entries;       /* ANYPI_ENTRIES of them; NULL until one is needed */
    int count;                  /* those that have a key */
    unsigned char order[ANYPI_ENTRIES]; /* their indices, the last used first */
    unsigned replaced;          /* how many keys had to go */
} anypi_cache;

/* The key of a call for which an algorithm is asked. */
static inline anypi_call_key anypi_key_of(const anyp_call *call, anypi_element element,
                                          bool regular, const anyp_algorithm *algorithm,
                                          const int *parameters)
{
    return (anypi_call_key) {
        .count = call->count, .type_size = call->type_size, .element = element,
        .commutative = call->commutative, .collective = (int) call->collective,
        .root = call->root, .in_place = call->in_place, .irregular = !regular,
        .algorithm = algorithm, .parameters = parameters,
    };
}

/* Member by member: a comparison of bytes would wait for all of a key that was just written. */
static inline bool anypi_same_key(const anypi_call_key *a, const anypi_call_key *b)
{
    bool same = a->count == b->count && a->datatype == b->datatype && a->op == b->op &&
        a->collective == b->collective && a->root == b->root && a->in_place == b->in_place &&
        a->irregular == b->irregular && a->type_size == b->type_size &&
        a->element.low == b->element.low && a->element.high == b->element.high &&
        a->element.extent == b->element.extent && a->commutative == b->commutative &&
        a->algorithm == b->algorithm;
    for (int i = 0; same && a->algorithm && i < a->algorithm->parameters_count; i++)
        same = a->parameters[i] == b->parameters[i];
    return same;
}

/* As the following, for what is not the last call again. */
anypi_entry *anypi_cache_search(anypi_cache *cache, const anypi_call_key *key);

/* The entry of a key; NULL: there is none. */
static inline anypi_entry *anypi_cache_find(anypi_cache *cache, const anypi_call_key *key)
{
    if (cache->count > 0 && anypi_same_key(&cache->entries[cache->order[0]].key, key))
        return &cache->entries[cache->order[0]];
    return anypi_cache_search(cache, key);
}

/* A new entry for a key that has none, in place of one that was not used for long if there is no
 * room. The choice is what the key asks for. NULL: no memory. */
anypi_entry *anypi_cache_add(anypi_cache *cache, const anypi_call_key *key, const anyp_call *call);

/* Makes the entry's program, if it is not ready. `schedule` is memory to work in; `starts`
 * as for anypi_partition, not NULL for an irregular key. ANYP_ERR_MEMORY, or as anyp_generate(). */
anyp_status anypi_cache_program(anypi_cache *cache, anypi_entry *entry, anyp_schedule *schedule,
                                const int64_t *starts, anypi_element element);

/* Forgets all calls; the memory stays. */
void anypi_cache_forget(anypi_cache *cache);

void anypi_cache_free(anypi_cache *cache);

#endif

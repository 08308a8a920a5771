/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cache.h - remembers the last distinct calls on a communicator, each with the chosen algorithm and
 * the program. A call that is found here needs neither the decision file nor a new schedule. For
 * every back end.
 */
#ifndef ANYPI_CACHE_H_INCLUDED
#define ANYPI_CACHE_H_INCLUDED

#include "algorithms/settle.h"
#include "execute/local_sizes.h"

/* Where the data of a call are, on all ranks. */
typedef enum anypi_memory {
    ANYPI_ANY_MEMORY,           /* not found, since no rule tests it */
    ANYPI_ON_HOST,
    ANYPI_ON_DEVICE             /* some data of some rank are in device memory */
} anypi_memory;

/* The key of a call on its communicator. Calls with equal keys have the same choice and the same
 * program. A member that a back end does not use is 0 in all of its keys. */
typedef struct anypi_call_key {
    int64_t count;              /* elements, as the back end counts them */
    int simple;                 /* count, handles, collective, root and in_place suffice to identify
                                 * the call */
    uint64_t datatype, op;      /* handles that are never reused; otherwise 0, and these members are
                                 * used: */
    int64_t type_size;
    anypi_element element;
    int commutative, reproducible;
    int collective, root, in_place, gaps_in, gaps_out;
    int forced;                 /* a variable requests the algorithm */
    int nonblocking;            /* or persistent, if other rules may apply to such calls */
    int memory;                 /* an anypi_memory, if the rules test it */
    int overlaps;               /* the elements of the datatype overlap */
    int irregular;              /* p, if the blocks have different sizes; otherwise 0 */
    uint64_t starts_hash;       /* a hash of starts[] */
    const int64_t *starts;      /* irregular + 1 numbers; as in anyp_call */
    const anyp_algorithm *algorithm;    /* requested; NULL: the back end chooses */
    const int *parameters;      /* of the algorithm */
} anypi_call_key;

typedef struct anypi_entry {
    anypi_call_key key;
    anyp_call call;
    int64_t *starts;            /* of the key and the call, if they have any */
    int starts_room;
    /* The choice (decide.h). NULL: the MPI library decides. */
    const anyp_algorithm *algorithm;
    int asked[ANYP_MAX_PARAMETERS];     /* parameters before "auto" is settled */
    int parameters[ANYP_MAX_PARAMETERS];        /* parameters after that */
    const char *reason;         /* why another algorithm was chosen than requested (static text), or
                                 * NULL */
    bool by_memory;             /* no choice: it is in the entries of both memories */
    int requested[ANYP_MAX_PARAMETERS]; /* the key's parameters, if it has an algorithm */
    bool ready;                 /* the program is valid */
    anypi_program *program;     /* may have other holders; NULL: there is none */
    anypi_program *parts[2];    /* anypi_cache_parts(); NULL: there is none */
    bool whole;                 /* the algorithm does not serve parts */
    anypi_local_plan *plan;     /* the same for a call with local sizes, which has no program */
} anypi_entry;

/* What was settled for the calls of one size class (algorithms/settle.h). */
typedef struct anypi_size_class {
    const anyp_algorithm *requested;
    int adapts;                 /* 0: no; 1: to the shape; 2: to the blocks (adapt.h) */
    int64_t count, largest, type_size;
    int collective, commutative, reproducible;
    const anyp_shape *nodes;
    int request[ANYP_MAX_PARAMETERS];   /* parameters of the requested algorithm */
    /* The result: */
    const anyp_algorithm *algorithm;
    int asked[ANYP_MAX_PARAMETERS], parameters[ANYP_MAX_PARAMETERS];
} anypi_size_class;

enum { ANYPI_ENTRIES = 16, ANYPI_SETTLED = 32 };

typedef struct anypi_cache {
    anypi_entry *entries[ANYPI_ENTRIES];        /* NULL until needed; an entry never moves */
    anypi_entry *last;          /* of the last call; NULL: there is none */
    int count;                  /* entries that have a key */
    unsigned char order[ANYPI_ENTRIES]; /* indices of entries, most recently used first */
    unsigned replaced;          /* number of keys replaced so far */
    bool holds;                 /* programs are changed by anypi_program_let_hold() */
    anypi_size_class *settled;  /* at most ANYPI_SETTLED of them */
    int settled_count, settled_room;
    unsigned settled_next;      /* the next one to replace, modulo ANYPI_SETTLED */
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

/* Returns the key of a call for which an algorithm is requested. */
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

/* Compares member by member. The key was just written, and memcmp() would stall on these writes. */
static inline bool anypi_same_key(const anypi_call_key *a, const anypi_call_key *b)
{
    bool same = a->count == b->count && a->simple == b->simple &&
        a->datatype == b->datatype && a->op == b->op &&
        a->collective == b->collective && a->root == b->root && a->in_place == b->in_place &&
        a->gaps_in == b->gaps_in && a->gaps_out == b->gaps_out &&
        a->forced == b->forced && a->nonblocking == b->nonblocking &&
        a->memory == b->memory && a->overlaps == b->overlaps && a->irregular == b->irregular &&
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

/* Does the work of anypi_cache_find() for a call that differs from the last one. */
anypi_entry *anypi_cache_search(anypi_cache *cache, const anypi_call_key *key);

/* Returns the entry of a key, or NULL if there is none. */
static inline anypi_entry *anypi_cache_find(anypi_cache *cache, const anypi_call_key *key)
{
    if (cache->last && anypi_same_key(&cache->last->key, key))
        return cache->last;
    return anypi_cache_search(cache, key);
}

/* Allocates the first entry, unless it exists. Returns false if there is no memory. */
bool anypi_cache_open(anypi_cache *cache);

/* Adds an entry for a key that has none. If the cache is full, or if there is no memory for another
 * entry, replaces an entry that was not used recently. The choice is the algorithm that the key
 * requests, with the key's parameters. Returns NULL if there is no memory. After anypi_cache_open()
 * this can only happen if the key is irregular. */
anypi_entry *anypi_cache_add(anypi_cache *cache, const anypi_call_key *key, const anyp_call *call);

/* Sets one->parameters[] as anypi_settle_call() does; if the call adapts, does what anypi_adapt()
 * does. The communicator remembers the size classes that were settled last; for these there is no
 * search. */
void anypi_cache_settle(anypi_cache *cache, anypi_settled_call *one, int *asked, bool adapts);

/* Makes the entry's program if it is not ready. Other holders of an earlier program keep that
 * program. The entry must be the last one that was found or added. ANYP_ERR_MEMORY: there is no
 * memory. Other errors are those of anyp_generate(). */
anyp_status anypi_cache_make_program(anypi_cache *cache, anypi_entry *entry, anypi_element element);
static inline anyp_status anypi_cache_program(anypi_cache *cache, anypi_entry *entry,
                                              anypi_element element)
{
    return entry->ready ? ANYP_SUCCESS : anypi_cache_make_program(cache, entry, element);
}

/* The programs of a call, which run one after the other on parts of the vector. */
typedef struct anypi_parts {
    anypi_program *programs[2]; /* of each part; of the last part, if it is shorter, or NULL */
    int64_t whole;              /* parts of the first program */
    int64_t bytes;              /* from a part to the next one, in IN and OUT */
} anypi_parts;

static inline anypi_parts anypi_one_part(anypi_program *program)
{
    return (anypi_parts) { .programs = { program }, .whole = 1 };
}

/* Makes the entry's programs, unless they exist. A long reduction is cut into parts if all ranks
 * are `inside` one node, so that they work at different parts at a time: by the algorithm and the
 * parameters of the whole vector, if these serve a part. All ranks cut the same. Returns the same
 * as anypi_cache_program(). */
anyp_status anypi_cache_parts(anypi_cache *cache, anypi_entry *entry, anypi_element element,
                              bool inside, anypi_parts *parts);

/* Frees the memory in which all caches of the process make schedules. It is allocated again when
 * needed. Thread-safe. */
void anypi_cache_end(void);

/* Makes the plan of an entry whose call has local sizes, if there is none. ANYP_ERR_MEMORY: there
 * is no memory. */
anyp_status anypi_cache_plan(anypi_cache *cache, anypi_entry *entry);

/* Forgets all calls and frees their programs and plans. */
void anypi_cache_forget(anypi_cache *cache);

void anypi_cache_free(anypi_cache *cache);

#endif

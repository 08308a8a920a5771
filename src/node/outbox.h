/* SPDX-License-Identifier: BSD-3-Clause
 *
 * outbox.h - the part of a process's segment to which it copies long messages (lanes.h). It is a
 * ring of chunks. A chunk is free when all its readers have taken it, the oldest one first.
 */
#ifndef ANYPI_OUTBOX_H_INCLUDED
#define ANYPI_OUTBOX_H_INCLUDED

#include "schedule/threads.h"

#include <stdint.h>

/* It must fit into a core's cache. A test makes it small. */
#ifndef ANYPI_OUTBOX_SIZE
#define ANYPI_OUTBOX_SIZE (256 * 1024)
#endif

/* A longer message has several chunks. Shorter chunks cost up to 40 %, longer ones gain nothing. */
enum { ANYPI_CHUNK = ANYPI_OUTBOX_SIZE / 4 };

/* The number of chunks in an outbox, and of their readers. */
enum { ANYPI_CHUNKS = 256, ANYPI_READERS = 1024 };

/* A process that reads a chunk. It has done so when its counter is at least `number`. */
typedef struct anypi_reader {
    const anypi_shared *taken;
    uint64_t number;
    int next;                   /* of the same chunk, or free; -1: none */
} anypi_reader;

typedef struct anypi_chunk {
    int64_t begin, bytes;       /* in the outbox */
    const char *source;         /* of its data */
    uint64_t age;               /* of the outbox, when they were copied */
    int reader;                 /* the first one; -1: none */
} anypi_chunk;

typedef struct anypi_outbox {
    char *memory;
    uint64_t age;               /* slices are the same as long as it is the same */
    anypi_chunk chunks[ANYPI_CHUNKS];   /* in the order of their memory */
    unsigned first, end;        /* those in use, modulo ANYPI_CHUNKS */
    int64_t next;               /* where the next chunk begins */
    anypi_reader readers[ANYPI_READERS];
    int free_reader;
} anypi_outbox;

void anypi_outbox_init(anypi_outbox *outbox, char *memory);

/* Returns a chunk with these bytes (NULL: any bytes) for a reader. If a chunk of the same age has
 * the same source, that one also gets this reader. NULL: the outbox is full. */
const char *anypi_outbox_put(anypi_outbox *outbox, const char *source, int64_t bytes,
                             anypi_reader reader);

#endif

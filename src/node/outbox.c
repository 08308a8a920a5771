/* SPDX-License-Identifier: BSD-3-Clause */
#include "node/outbox.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { ALIGNMENT = 64 };

void anypi_outbox_init(anypi_outbox *outbox, char *memory)
{
    *outbox = (anypi_outbox) { .memory = memory };
    for (int i = 0; i < ANYPI_READERS; i++)
        outbox->readers[i].next = i + 1 < ANYPI_READERS ? i + 1 : -1;
}

static anypi_chunk *chunk_at(anypi_outbox *outbox, unsigned index)
{
    return &outbox->chunks[index % ANYPI_CHUNKS];
}

/* Frees the oldest chunks, as far as all their readers have taken them. */
static void reclaim(anypi_outbox *outbox)
{
    for (; outbox->first != outbox->end; outbox->first++) {
        anypi_chunk *chunk = chunk_at(outbox, outbox->first);
        while (chunk->reader >= 0) {
            const int i = chunk->reader;
            anypi_reader *reader = &outbox->readers[i];
            if (anypi_shared_load(reader->taken) < reader->number)
                return;
            chunk->reader = reader->next;
            reader->next = outbox->free_reader;
            outbox->free_reader = i;
        }
    }
}

/* Returns where so many bytes are free, or -1. */
static int64_t find_place(const anypi_outbox *outbox, int64_t size)
{
    if (outbox->first == outbox->end)
        return 0;
    const int64_t oldest = outbox->chunks[outbox->first % ANYPI_CHUNKS].begin;
    if (outbox->next <= oldest)         /* the ring has wrapped around */
        return outbox->next + size <= oldest ? outbox->next : -1;
    if (outbox->next + size <= ANYPI_OUTBOX_SIZE)
        return outbox->next;
    return size <= oldest ? 0 : -1;
}

static bool has_room(const anypi_outbox *outbox, int64_t size)
{
    return outbox->end - outbox->first < ANYPI_CHUNKS && find_place(outbox, size) >= 0;
}

/* Returns a chunk of the present age with these bytes, or NULL. */
static anypi_chunk *find_equal(anypi_outbox *outbox, const char *source, int64_t bytes)
{
    for (unsigned i = outbox->end; source && i != outbox->first; i--) {
        anypi_chunk *chunk = chunk_at(outbox, i - 1);
        if (chunk->age != outbox->age)
            return NULL;
        if (chunk->source == source && chunk->bytes == bytes)
            return chunk;
    }
    return NULL;
}

const char *anypi_outbox_put(anypi_outbox *outbox, const char *source, int64_t bytes,
                             anypi_reader reader)
{
    const int64_t size = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    anypi_chunk *chunk = find_equal(outbox, source, bytes);
    if (outbox->free_reader < 0 || (!chunk && !has_room(outbox, size))) {
        reclaim(outbox);
        chunk = find_equal(outbox, source, bytes);
        if (outbox->free_reader < 0 || (!chunk && !has_room(outbox, size)))
            return NULL;
    }
    if (!chunk) {
        const int64_t begin = find_place(outbox, size);
        chunk = chunk_at(outbox, outbox->end++);
        *chunk = (anypi_chunk) { .begin = begin, .bytes = bytes, .source = source,
                                 .age = outbox->age, .reader = -1 };
        outbox->next = begin + size;
        if (source)
            memcpy(outbox->memory + begin, source, (size_t) bytes);
    }
    const int i = outbox->free_reader;
    outbox->free_reader = outbox->readers[i].next;
    reader.next = chunk->reader;
    outbox->readers[i] = reader;
    chunk->reader = i;
    return outbox->memory + chunk->begin;
}

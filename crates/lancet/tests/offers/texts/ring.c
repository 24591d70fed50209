#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ring.h"

/* A ring of bytes. One byte stays free, so that full and empty differ. */
struct ring {
    uint8_t *bytes;
    size_t capacity;
    size_t head;
    size_t tail;
};

struct ring *ring_new(size_t capacity)
{
    struct ring *ring = calloc(1, sizeof(*ring));

    if (ring == NULL)
        return NULL;
    ring->bytes = malloc(capacity + 1);
    if (ring->bytes == NULL) {
        free(ring);
        return NULL;
    }
    ring->capacity = capacity + 1;
    return ring;
}

void ring_free(struct ring *ring)
{
    if (ring == NULL)
        return;
    free(ring->bytes);
    free(ring);
}

size_t ring_used(const struct ring *ring)
{
    if (ring->head >= ring->tail)
        return ring->head - ring->tail;
    return ring->capacity - ring->tail + ring->head;
}

size_t ring_left(const struct ring *ring)
{
    return ring->capacity - 1 - ring_used(ring);
}

/* Takes as many bytes as there is room for. */
size_t ring_write(struct ring *ring, const void *from, size_t count)
{
    const uint8_t *bytes = from;
    size_t room = ring_left(ring);
    size_t written = 0;

    if (count > room)
        count = room;
    while (written < count) {
        size_t stretch = ring->capacity - ring->head;

        if (stretch > count - written)
            stretch = count - written;
        memcpy(ring->bytes + ring->head, bytes + written, stretch);
        ring->head = (ring->head + stretch) % ring->capacity;
        written += stretch;
    }
    return written;
}

size_t ring_read(struct ring *ring, void *to, size_t count)
{
    uint8_t *bytes = to;
    size_t used = ring_used(ring);
    size_t done = 0;

    if (count > used)
        count = used;
    while (done < count) {
        size_t stretch = ring->capacity - ring->tail;

        if (stretch > count - done)
            stretch = count - done;
        memcpy(bytes + done, ring->bytes + ring->tail, stretch);
        ring->tail = (ring->tail + stretch) % ring->capacity;
        done += stretch;
    }
    return done;
}

int ring_grow(struct ring *ring, size_t capacity)
{
    size_t used = ring_used(ring);
    uint8_t *bytes;

    if (capacity < used)
        return -EINVAL;
    bytes = malloc(capacity + 1);
    if (bytes == NULL)
        return -ENOMEM;
    ring_read(ring, bytes, used);
    free(ring->bytes);
    ring->bytes = bytes;
    ring->capacity = capacity + 1;
    ring->tail = 0;
    ring->head = used;
    return 0;
}

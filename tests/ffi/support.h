/* Checks, masks, and the parts of what the programs read and write. */

#ifndef SUPPORT_H
#define SUPPORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            fprintf(stderr, "%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                                       \
        }                                                                                  \
    } while (0)

static inline bool allows(const uint32_t *mask, uint32_t token) { return mask[token / 32] >> token % 32 & 1; }

/* Random numbers from a seed. */
static uint64_t state;

static inline uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static inline uint32_t number(void) {
    uint32_t read;
    CHECK(fread(&read, sizeof read, 1, stdin) == 1);
    return read;
}

static inline char *block(size_t length) {
    char *text = malloc(length + 1);
    CHECK(text != NULL && fread(text, 1, length, stdin) == length);
    text[length] = 0;
    return text;
}

static inline void put(const void *data, size_t length) { CHECK(fwrite(data, 1, length, stdout) == length); }

#endif

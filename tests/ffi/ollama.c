/* A program of C that loads libfrisket_dropin as Ollama's MLX runner loads libollama_xgrammar: driven by test_dropin.py. */

#include <dlfcn.h>
#include <string.h>

#include "support.h"

typedef struct Compiler Compiler;
typedef struct Matcher Matcher;

static const char *(*version)(void);
static const char *(*last_error)(void);
static int (*compiler_new)(const char *, size_t, const uint64_t *, size_t, int32_t, const int32_t *, size_t, int32_t,
                           int64_t, Compiler **);
static void (*compiler_free)(Compiler *);
/* Older versions of Ollama tell it the kind of the grammar, newer ones do not. */
static int (*matcher_new_of_kind)(Compiler *, int, const char *, size_t, Matcher **);
static int (*matcher_new)(Compiler *, const char *, size_t, Matcher **);
static void (*matcher_free)(Matcher *);
static int (*matcher_fill)(Matcher *, int32_t *, size_t, int *);
static int (*matcher_accept)(Matcher *, int32_t, int *);
static int (*matcher_rollback)(Matcher *, int32_t);
static int (*matcher_is_terminated)(Matcher *, int *);

static void load(const char *path) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) fprintf(stderr, "%s\n", dlerror());
    CHECK(library != NULL);
#define LOAD(function, name) CHECK((*(void **)&function = dlsym(library, "ollama_xgrammar_" name)) != NULL)
    LOAD(version, "version");
    LOAD(last_error, "last_error");
    LOAD(compiler_new, "compiler_new");
    LOAD(compiler_free, "compiler_free");
    LOAD(matcher_new_of_kind, "matcher_new");
    LOAD(matcher_new, "matcher_new");
    LOAD(matcher_free, "matcher_free");
    LOAD(matcher_fill, "matcher_fill");
    LOAD(matcher_accept, "matcher_accept");
    LOAD(matcher_rollback, "matcher_rollback");
    LOAD(matcher_is_terminated, "matcher_is_terminated");
}

enum { END = 256, SIZE = 260, WORDS = 9 };

/* The 256 bytes, a token that ends a text and has one nonetheless, and three ids of the logits alone. */
static Compiler *bytes_compiler(void) {
    char texts[261];
    uint64_t ends[257];
    for (int byte = 0; byte < 256; byte++) {
        texts[byte] = (char)byte;
        ends[byte] = (uint64_t)byte + 1;
    }
    memcpy(texts + 256, "<eos>", 5);
    ends[256] = 261;
    const int32_t stops[] = {END};
    Compiler *compiler = NULL;
    CHECK(compiler_new(texts, 261, ends, 257, SIZE, stops, 1, 8, 1 << 20, &compiler) == 0 && compiler != NULL);
    return compiler;
}

static bool fails(int code, const char *part) {
    bool is_said = code == 1 && strstr(last_error(), part) != NULL;
    if (!is_said) fprintf(stderr, "code %d, no %s: %s\n", code, part, last_error());
    return is_said;
}

static bool filled(Matcher *matcher, int32_t *row) {
    int needs_apply = 7;
    CHECK(matcher_fill(matcher, row, WORDS, &needs_apply) == 0 && (needs_apply == 0 || needs_apply == 1));
    return needs_apply == 1;
}

static bool accepts(Matcher *matcher, int32_t token) {
    int accepted = 7;
    CHECK(matcher_accept(matcher, token, &accepted) == 0 && (accepted == 0 || accepted == 1));
    return accepted == 1;
}

static bool is_terminated(Matcher *matcher) {
    int terminated = 7;
    CHECK(matcher_is_terminated(matcher, &terminated) == 0 && (terminated == 0 || terminated == 1));
    return terminated == 1;
}

#define SCHEMA "{\"type\": \"array\", \"items\": {\"enum\": [7, true]}, \"minItems\": 1}"
#define TAG "{\"type\":\"structural_tag\",\"format\":{\"type\":\"json_schema\",\"json_schema\":" SCHEMA "}}"

static void used(Matcher *matcher) {
    int32_t row[WORDS], first[WORDS];
    uint32_t *mask = (uint32_t *)row;
    CHECK(filled(matcher, first) && allows((uint32_t *)first, '[') && !allows((uint32_t *)first, '<'));
    CHECK(!accepts(matcher, ']') && accepts(matcher, '['));
    /* A round of drafts: a mask for each position, the fourth draft is refused, and all are taken back. */
    static const int32_t drafts[] = {'7', ',', 't', ']'};
    int taken = 0;
    for (; taken < 4; taken++) {
        CHECK(filled(matcher, row) && allows(mask, (uint32_t)drafts[taken]) == (taken < 3));
        if (!accepts(matcher, drafts[taken])) break;
    }
    CHECK(taken == 3 && matcher_rollback(matcher, taken) == 0);
    CHECK(filled(matcher, row) && allows(mask, '7') && allows(mask, 't') && !allows(mask, 'r'));
    for (const char *rest = "true]"; *rest; rest++) CHECK(accepts(matcher, *rest));
    CHECK(filled(matcher, row) && allows(mask, END) && !allows(mask, END + 1) && !is_terminated(matcher));
    CHECK(accepts(matcher, END) && is_terminated(matcher) && !filled(matcher, row));
    CHECK(!accepts(matcher, '['));
    /* The token that ended the text can be taken back. */
    CHECK(matcher_rollback(matcher, 1) == 0 && !is_terminated(matcher) && filled(matcher, row) && allows(mask, END));
    CHECK(matcher_rollback(matcher, 6) == 0 && filled(matcher, row) && memcmp(row, first, sizeof row) == 0);
    CHECK(fails(matcher_rollback(matcher, 1), "0") && fails(matcher_rollback(matcher, -1), "-1"));
    CHECK(matcher_rollback(matcher, 0) == 0 && last_error()[0] == 0);
}

static void basic(void) {
    CHECK(strncmp(version(), "frisket ", 8) == 0 && last_error()[0] == 0);
    Compiler *compiler = bytes_compiler();
    Matcher *matchers[3] = {NULL};
    CHECK(matcher_new_of_kind(compiler, 0, SCHEMA, strlen(SCHEMA), &matchers[0]) == 0);
    CHECK(matcher_new(compiler, SCHEMA, strlen(SCHEMA), &matchers[1]) == 0);
    CHECK(matcher_new(compiler, TAG, strlen(TAG), &matchers[2]) == 0);
    for (int at = 0; at < 3; at++) used(matchers[at]);

    static const char *refused[][2] = {
        {"", "empty"},
        {"\xff", "UTF-8"},
        {"{\"items\": {\"type\": \"int\"}}", "/items/type"},
        {"{\"type\":\"structural_tag\",\"format\":{\"type\":\"json_schema\",\"json_schema\":\"yaml\"}}", "schema"},
        {"{\"type\":\"structural_tag\",\"format\":{\"type\":\"yaml\"}}", "yaml"},
    };
    Matcher *none = NULL;
    for (size_t at = 0; at < sizeof refused / sizeof *refused; at++) {
        const char *source = refused[at][0];
        CHECK(fails(matcher_new_of_kind(compiler, 0, source, strlen(source), &none), refused[at][1]) && none == NULL);
        CHECK(fails(matcher_new(compiler, source, strlen(source), &none), refused[at][1]) && none == NULL);
    }
    CHECK(fails(matcher_new(NULL, SCHEMA, strlen(SCHEMA), &none), "compiler"));
    CHECK(fails(matcher_new(compiler, SCHEMA, strlen(SCHEMA), NULL), "matcher"));
    CHECK(fails(matcher_new_of_kind(compiler, 0, NULL, 7, &none), "source"));

    int32_t row[WORDS];
    int flag;
    CHECK(fails(matcher_fill(matchers[0], row, WORDS - 1, &flag), "9"));
    CHECK(fails(matcher_fill(NULL, row, WORDS, &flag), "matcher"));
    CHECK(fails(matcher_fill(matchers[0], NULL, WORDS, &flag), "bitmask"));
    CHECK(fails(matcher_fill(matchers[0], row, WORDS, NULL), "needs_apply"));
    CHECK(fails(matcher_accept(matchers[0], -1, &flag), "-1") && !accepts(matchers[0], 1 << 20));
    CHECK(fails(matcher_accept(NULL, 1, &flag), "matcher") && fails(matcher_rollback(NULL, 0), "matcher"));
    CHECK(fails(matcher_is_terminated(NULL, &flag), "matcher"));
    compiler_free(compiler);
    for (int at = 0; at < 3; at++) matcher_free(matchers[at]);

    const uint64_t ends[] = {1, 0};
    const int32_t stops[] = {1, 9, -1};
    CHECK(fails(compiler_new("ab", 2, ends, 2, 2, stops, 1, 1, 0, &compiler), "token_offsets[1]") && compiler == NULL);
    CHECK(fails(compiler_new("ab", 2, ends, 1, 2, stops, 1, 1, 0, &compiler), "1 of 2"));
    CHECK(fails(compiler_new("a", 1, ends, 1, 0, stops, 1, 1, 0, &compiler), "vocab_size"));
    CHECK(fails(compiler_new("a", 1, ends, 1, 2, stops + 1, 1, 1, 0, &compiler), "9"));
    CHECK(fails(compiler_new("a", 1, ends, 1, 2, stops + 2, 1, 1, 0, &compiler), "beyond"));
    CHECK(fails(compiler_new(NULL, 1, ends, 1, 2, stops, 1, 1, 0, &compiler), "token_data"));
    CHECK(fails(compiler_new("a", 1, ends, 1, 2, stops, 1, 1, 0, NULL), "compiler"));
    compiler_free(NULL);
    matcher_free(NULL);
}

/* Calls in any order, with and without NULL. */
static void fuzz(uint64_t seed, int calls) {
    enum { SLOTS = 4 };
    static const char *texts[] = {SCHEMA, TAG, "{\"type\": \"integer\"}", "{\"$ref\": \"#\"}", "true", "", "\xff", "{"};
    state = seed;
    Compiler *compilers[SLOTS] = {bytes_compiler()};
    Matcher *matchers[SLOTS] = {0};
    for (int call = 0; call < calls; call++) {
        uint32_t one = draw(SLOTS);
        const char *text = draw(20) ? texts[draw(8)] : NULL;
        size_t length = text ? strlen(text) : draw(2), words = draw(9) ? WORDS : draw(20);
        Compiler *compiler = compilers[draw(SLOTS)];
        Matcher *matcher = matchers[one], **made = draw(20) ? &matchers[one] : NULL;
        int32_t row[20];
        int flag, *flags = draw(20) ? &flag : NULL, code = 0;
        switch (draw(9)) {
        case 0: if (!compilers[one]) compilers[one] = bytes_compiler(); break;
        case 1: if (!draw(9)) { compiler_free(compilers[one]); compilers[one] = NULL; } break;
        case 2: if (!matcher) code = matcher_new_of_kind(compiler, 0, text, length, made); break;
        case 3: if (!matcher) code = matcher_new(compiler, text ? text : "", length, made); break;
        case 4: if (!draw(4)) { matcher_free(matcher); matchers[one] = NULL; } break;
        case 5: code = matcher_rollback(matcher, (int32_t)draw(5) - 1); break;
        case 6: code = matcher_is_terminated(matcher, flags); break;
        case 7: code = matcher_accept(matcher, (int32_t)draw(300) - 2, flags); break;
        default:
            code = matcher_fill(matcher, draw(20) ? row : NULL, words, flags);
            for (int32_t token = 0; token < SIZE && code == 0; token++) {
                if (allows((uint32_t *)row, (uint32_t)token) && draw(3) == 0) {
                    CHECK(matcher_accept(matcher, token, &flag) == 0 && flag == 1);
                    break;
                }
            }
        }
        CHECK(code == 0 || (code == 1 && last_error()[0] != 0));
    }
    for (int at = 0; at < SLOTS; at++) {
        matcher_free(matchers[at]);
        compiler_free(compilers[at]);
    }
}

/* A vocabulary, then cases: a schema, and tokens after each of which the mask is written. */
static void masks(void) {
    uint32_t size = number(), end = number(), length = number(), count;
    char *lengths = block(4 * (size_t)size), *texts = block(length);
    uint64_t *ends = malloc(sizeof *ends * size), total = 0;
    CHECK(ends != NULL);
    for (uint32_t token = 0; token < size; token++) ends[token] = total += ((uint32_t *)lengths)[token];
    const int32_t stops[] = {(int32_t)end};
    Compiler *compiler = NULL;
    CHECK(compiler_new(texts, length, ends, size, (int32_t)size, stops, 1, 8, 1 << 27, &compiler) == 0);
    size_t words = (size + 31) / 32;
    int32_t *row = malloc(4 * words);
    CHECK(row != NULL);
    while (fread(&count, sizeof count, 1, stdin) == 1) {
        length = number();
        char *schema = block(length), *tokens = block(4 * (size_t)count);
        Matcher *matcher = NULL;
        uint32_t failed = (uint32_t)matcher_new(compiler, schema, length, &matcher);
        put(&failed, 4);
        for (uint32_t at = 0; at <= count && !failed; at++) {
            int needs_apply = 0;
            CHECK(matcher_fill(matcher, row, words, &needs_apply) == 0 && needs_apply == 1);
            put(row, 4 * words);
            if (at < count) {
                int32_t token;
                memcpy(&token, tokens + 4 * (size_t)at, 4);
                CHECK(accepts(matcher, token));
            }
        }
        matcher_free(matcher);
        free(schema);
        free(tokens);
    }
    compiler_free(compiler);
    free(row);
    free(ends);
    free(lengths);
    free(texts);
}

int main(int count, char **arguments) {
    CHECK(count > 2);
    load(arguments[1]);
    if (strcmp(arguments[2], "basic") == 0) {
        basic();
    } else if (strcmp(arguments[2], "fuzz") == 0) {
        CHECK(count == 4);
        fuzz(strtoull(arguments[3], NULL, 10), 20000);
    } else {
        CHECK(strcmp(arguments[2], "masks") == 0);
        masks();
    }
    return 0;
}

/* A program of C that calls libfrisket_dropin as llama.cpp's common/llguidance.cpp does: driven by test_dropin.py. */

#include <string.h>

#include "llguidance.h"
#include "support.h"

enum { END = 256, TOOL = 257, SIZE = 258, WORDS = 9 };

/* All 256 bytes, and two special tokens: their bytes are 0xff and a name. */
static LlgTokenizer *bytes_tokenizer(void) {
    static const char *names[] = {"\xff<|im_end|>", "\xff<|tool|>"};
    uint8_t texts[300];
    uint32_t lengths[SIZE], at = 0;
    for (uint32_t token = 0; token < SIZE; token++) {
        const char byte = (char)token, *text = token < 256 ? &byte : names[token - 256];
        lengths[token] = token < 256 ? 1 : (uint32_t)strlen(text);
        memcpy(texts + at, text, lengths[token]);
        at += lengths[token];
    }
    LlgTokenizerInit init = {.vocab_size = SIZE, .tok_eos = END, .token_lens = lengths, .token_bytes = texts,
                             .tokenize_assumes_string = true};
    char error[100] = "untouched";
    LlgTokenizer *tokenizer = llg_new_tokenizer(&init, error, sizeof error);
    CHECK(tokenizer != NULL && strcmp(error, "untouched") == 0);
    return tokenizer;
}

static LlgMatcher *new_matcher(const LlgTokenizer *tokenizer, const char *kind, const char *grammar) {
    /* What follows the struct in llguidance's own header is not written. */
    struct {
        LlgConstraintInit init;
        uint64_t limits[8];
    } both;
    memset(&both, 0x55, sizeof both);
    llg_constraint_init_set_defaults(&both.init, tokenizer);
    for (int at = 0; at < 8; at++) CHECK(both.limits[at] == 0x5555555555555555u);
    LlgMatcher *matcher = llg_new_matcher(&both.init, kind, grammar);
    CHECK(matcher != NULL);
    return matcher;
}

/* The mask, computed where the position has none yet, as llama_sampler_llg_apply does. */
static const uint32_t *mask_of(LlgMatcher *matcher) {
    const uint32_t *mask = llg_matcher_get_mask(matcher);
    if (mask == NULL) {
        CHECK(llg_matcher_compute_mask(matcher) == 0);
        mask = llg_matcher_get_mask(matcher);
    }
    CHECK(mask != NULL && mask == llg_matcher_get_mask(matcher));
    return mask;
}

static bool says(LlgMatcher *matcher, const char *part) {
    const char *error = llg_matcher_get_error(matcher);
    bool is_said = error != NULL && strstr(error, part) != NULL;
    if (!is_said) fprintf(stderr, "no %s: %s\n", part, error ? error : "(no error)");
    return is_said && error == llg_matcher_get_error(matcher);
}

static void basic(void) {
    LlgTokenizer *first = bytes_tokenizer(), *tokenizer = llg_clone_tokenizer(first);
    llg_free_tokenizer(first);
    LlgMatcher *matcher = new_matcher(tokenizer, "lark",
                                      "%llguidance {}\nstart: %json {\"type\":\"array\",\"items\":{\"enum\":[7,true]}}");
    CHECK(llg_matcher_get_error(matcher) == NULL && llg_matcher_get_mask_byte_size(matcher) == 4 * WORDS);
    CHECK(llg_matcher_get_mask(matcher) == NULL);
    CHECK(allows(mask_of(matcher), '[') && !allows(mask_of(matcher), '{') && !allows(mask_of(matcher), END));
    CHECK(llg_matcher_consume_token(matcher, '[') == 0 && llg_matcher_get_mask(matcher) == NULL);

    LlgMatcher *clone = llg_clone_matcher(matcher);
    for (const char *rest = "7,true]"; *rest; rest++) {
        CHECK(allows(mask_of(clone), (uint8_t)*rest) && llg_matcher_consume_token(clone, (uint8_t)*rest) == 0);
    }
    CHECK(allows(mask_of(clone), END) && !allows(mask_of(clone), TOOL));
    CHECK(llg_matcher_consume_token(clone, END) == 0 && allows(mask_of(clone), END) && !allows(mask_of(clone), '7'));
    CHECK(llg_matcher_reset(clone) == 0 && allows(mask_of(clone), '[') && !allows(mask_of(clone), ']'));
    CHECK(allows(mask_of(matcher), ']') && llg_matcher_consume_token(matcher, '8') == -1);
    CHECK(says(matcher, "token 56"));
    CHECK(llg_matcher_get_mask(matcher) == NULL && llg_matcher_compute_mask(matcher) == -1);
    CHECK(llg_matcher_reset(matcher) == -1 && llg_matcher_consume_token(matcher, ']') == -1);
    llg_free_matcher(matcher);
    llg_free_matcher(clone);

    /* The end of a prompt comes before the first mask, even where a part of it could begin a text. */
    matcher = new_matcher(tokenizer, "json_schema", "{\"type\": \"array\"}");
    CHECK(llg_matcher_consume_token(matcher, TOOL) == 0);
    for (const char *rest = "[/INST]\n"; *rest; rest++) CHECK(llg_matcher_consume_token(matcher, (uint8_t)*rest) == 0);
    CHECK(allows(mask_of(matcher), '[') && !allows(mask_of(matcher), '1') && llg_matcher_consume_token(matcher, '[') == 0);
    CHECK(allows(mask_of(matcher), '1') && llg_matcher_consume_token(matcher, TOOL) == -1);
    llg_free_matcher(matcher);

    matcher = new_matcher(tokenizer, "lark", "start: \"a\"+ <|tool|> /b{2}/");
    CHECK(llg_matcher_consume_token(matcher, 'a') == 0 && allows(mask_of(matcher), TOOL));
    CHECK(llg_matcher_consume_token(matcher, TOOL) == 0 && allows(mask_of(matcher), 'b'));
    llg_free_matcher(matcher);
    matcher = new_matcher(tokenizer, "json_object", "");
    CHECK(allows(mask_of(matcher), '{') && !allows(mask_of(matcher), '['));
    llg_free_matcher(matcher);

    static const char *refused[][3] = {
        {"lark", "start: \"a\"\n  | other", "2:5"},
        {"lark", "start: %json {\"properties\": {\"a\": {\"type\": \"int\"}}}", "/properties/a/type"},
        {"json_schema", "{\"enum\": []}", "no value"},
        {"json", "{", "1:2"},
        {"regex", "a", "lark"},
        {"lark", "start: \"\xff\"", "UTF-8"},
        {"lark", NULL, "data"},
        {NULL, "a", "constraint_type"},
    };
    for (size_t at = 0; at < sizeof refused / sizeof *refused; at++) {
        matcher = new_matcher(tokenizer, refused[at][0], refused[at][1]);
        CHECK(says(matcher, refused[at][2]) && llg_matcher_get_mask_byte_size(matcher) == 0);
        clone = llg_clone_matcher(matcher);
        CHECK(says(clone, refused[at][2]) && llg_matcher_compute_mask(clone) == -1);
        llg_free_matcher(clone);
        llg_free_matcher(matcher);
    }
    matcher = llg_new_matcher(NULL, "lark", "start: \"a\"");
    CHECK(says(matcher, "init"));
    llg_free_matcher(matcher);
    matcher = new_matcher(NULL, "lark", "start: \"a\"");
    CHECK(says(matcher, "tokenizer"));
    llg_free_matcher(matcher);
    llg_free_tokenizer(tokenizer);
}

static void without_handles(void) {
    char error[12];
    LlgTokenizerInit init = {.vocab_size = 3, .tok_eos = 7};
    CHECK(llg_new_tokenizer(&init, error, sizeof error) == NULL && strlen(error) == 11);
    CHECK(llg_new_tokenizer(&init, error, 1) == NULL && error[0] == 0);
    CHECK(llg_new_tokenizer(&init, NULL, 100) == NULL && llg_new_tokenizer(NULL, error, sizeof error) == NULL);
    init.tokenizer_json = "{}";
    CHECK(llg_new_tokenizer(&init, error, sizeof error) == NULL);
    CHECK(llg_clone_tokenizer(NULL) == NULL && llg_clone_matcher(NULL) == NULL);
    CHECK(llg_matcher_compute_mask(NULL) == -1 && llg_matcher_consume_token(NULL, 1) == -1);
    CHECK(llg_matcher_reset(NULL) == -1 && llg_matcher_get_mask(NULL) == NULL);
    CHECK(llg_matcher_get_mask_byte_size(NULL) == 0 && says(NULL, "NULL"));
    llg_constraint_init_set_defaults(NULL, NULL);
    llg_free_tokenizer(NULL);
    llg_free_matcher(NULL);
}

/* Calls in any order, with and without NULL. */
static void fuzz(uint64_t seed, int calls) {
    enum { SLOTS = 4 };
    static const char *texts[] = {"start: %json {\"type\": \"integer\"}", "{\"enum\": [1, \"a\"]}", "start: \"a\"+ <|tool|>",
                                  "start: %json {\"$ref\": \"#\"}", "true", "", "\xff", "start: %json", "((", "%llguidance"};
    static const char *kinds[] = {"lark", "lark", "json_schema", "json_object", "regex", ""};
    state = seed;
    LlgTokenizer *tokenizers[SLOTS] = {bytes_tokenizer()};
    LlgMatcher *matchers[SLOTS] = {0};
    for (int call = 0; call < calls; call++) {
        uint32_t one = draw(SLOTS), other = draw(SLOTS);
        LlgMatcher *matcher = matchers[one];
        LlgConstraintInit init;
        switch (draw(11)) {
        case 0: if (!tokenizers[one]) tokenizers[one] = llg_clone_tokenizer(tokenizers[other]); break;
        case 1: if (!draw(9)) { llg_free_tokenizer(tokenizers[one]); tokenizers[one] = draw(4) ? NULL : bytes_tokenizer(); } break;
        case 2:
        case 3:
            llg_constraint_init_set_defaults(&init, tokenizers[other]);
            if (!matcher) matchers[one] = llg_new_matcher(draw(20) ? &init : NULL, draw(20) ? kinds[draw(6)] : NULL,
                                                          draw(20) ? texts[draw(10)] : NULL);
            break;
        case 4: if (!matcher) matchers[one] = llg_clone_matcher(matchers[other]); break;
        case 5: if (!draw(4)) { llg_free_matcher(matcher); matchers[one] = NULL; } break;
        case 6: llg_matcher_reset(matcher); break;
        case 7: (void)!llg_matcher_get_error(matcher); break;
        case 8: CHECK(llg_matcher_compute_mask(matcher) != 0 || llg_matcher_get_mask(matcher) != NULL); break;
        default: {
            /* As a sampler: a token that the mask has, and now and then any. */
            const uint32_t *mask = llg_matcher_compute_mask(matcher) == 0 ? llg_matcher_get_mask(matcher) : NULL;
            uint32_t token = draw(SIZE + 2);
            for (int turn = 0; turn < SIZE && mask && !allows(mask, token % SIZE); turn++) token = (token + 1) % SIZE;
            llg_matcher_consume_token(matcher, draw(20) ? token : draw(1000));
        }
        }
    }
    for (int at = 0; at < SLOTS; at++) {
        llg_free_matcher(matchers[at]);
        llg_free_tokenizer(tokenizers[at]);
    }
}

/* A vocabulary, then cases: a schema, and tokens after each of which the mask is written. */
static void masks(void) {
    uint32_t size = number(), end = number(), length = number(), count;
    char *lengths = block(4 * (size_t)size), *texts = block(length), error[200];
    LlgTokenizerInit init = {.vocab_size = size, .tok_eos = end, .token_lens = (uint32_t *)lengths,
                             .token_bytes = (uint8_t *)texts};
    LlgTokenizer *tokenizer = llg_new_tokenizer(&init, error, sizeof error);
    CHECK(tokenizer != NULL);
    while (fread(&count, sizeof count, 1, stdin) == 1) {
        static const char header[] = "%llguidance {}\nstart: %json ";
        length = number();
        char *schema = block(length), *tokens = block(4 * (size_t)count), *grammar = malloc(sizeof header + length);
        CHECK(grammar != NULL);
        strcpy(strcpy(grammar, header) + sizeof header - 1, schema);
        LlgMatcher *matcher = new_matcher(tokenizer, "lark", grammar);
        uint32_t failed = llg_matcher_get_error(matcher) != NULL;
        put(&failed, 4);
        for (uint32_t at = 0; at <= count && !failed; at++) {
            put(mask_of(matcher), llg_matcher_get_mask_byte_size(matcher));
            if (at < count) {
                uint32_t token;
                memcpy(&token, tokens + 4 * (size_t)at, 4);
                CHECK(llg_matcher_consume_token(matcher, token) == 0);
            }
        }
        llg_free_matcher(matcher);
        free(schema);
        free(tokens);
        free(grammar);
    }
    llg_free_tokenizer(tokenizer);
    free(lengths);
    free(texts);
}

int main(int count, char **arguments) {
    CHECK(count > 1);
    if (strcmp(arguments[1], "basic") == 0) {
        basic();
        without_handles();
    } else if (strcmp(arguments[1], "fuzz") == 0) {
        CHECK(count == 3);
        fuzz(strtoull(arguments[2], NULL, 10), 20000);
    } else {
        CHECK(strcmp(arguments[1], "masks") == 0);
        masks();
    }
    return 0;
}

/* A program of C that uses libfrisket as an engine does: driven by tests/ffi/test_ffi.py, one mode a run. */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "frisket.h"
#include "support.h"

/* Ends the program with the error, unless the call did what it says. */
static void must(FrisketCode code, char **error) {
    if (code != FRISKET_CODE_OK) {
        fprintf(stderr, "code %d: %s\n", (int)code, *error ? *error : "(no error)");
        exit(1);
    }
    CHECK(*error == NULL);
}

/* Whether the call failed with this code, and said so in JSON. */
static bool fails(FrisketCode expected, FrisketCode code, char **error) {
    bool is_said = *error != NULL && **error == '{' && strstr(*error, "\"message\"") != NULL;
    frisket_text_free(*error);
    *error = NULL;
    return code == expected && is_said;
}

/* A vocabulary of the 256 bytes, and 256 as the end. */
static FrisketVocabulary *bytes_vocabulary(void) {
    uint8_t texts[256];
    uint32_t lengths[257], eos = 256;
    for (int byte = 0; byte < 256; byte++) {
        texts[byte] = (uint8_t)byte;
        lengths[byte] = 1;
    }
    lengths[256] = 0;
    FrisketSpecialToken special = {"<end>", 256};
    FrisketVocabulary *vocabulary = NULL;
    char *error = NULL;
    must(frisket_vocabulary_from_bytes(texts, 256, lengths, 257, &special, 1, &eos, 1, &vocabulary, &error), &error);
    return vocabulary;
}

static FrisketCompiled *compiled_schema(const FrisketVocabulary *vocabulary, const char *schema) {
    FrisketGrammar *grammar = NULL;
    FrisketCompiled *compiled = NULL;
    char *error = NULL;
    must(frisket_grammar_from_json_schema(schema, strlen(schema), NULL, 0, NULL, &grammar, &error), &error);
    must(frisket_compile(grammar, vocabulary, NULL, &compiled, &error), &error);
    frisket_grammar_free(grammar);
    return compiled;
}

static FrisketMatcher *new_matcher(const FrisketCompiled *compiled) {
    FrisketMatcher *matcher = NULL;
    char *error = NULL;
    must(frisket_matcher_new(compiled, NULL, &matcher, &error), &error);
    return matcher;
}

/* -- basic: every function once, as its description says ------------------------------------------------------- */

static void basic(void) {
    CHECK(frisket_abi_version() == FRISKET_ABI_VERSION);
    CHECK(frisket_version()[0] != 0);
    FrisketVocabulary *vocabulary = bytes_vocabulary();
    CHECK(frisket_vocabulary_size(vocabulary) == 257 && frisket_vocabulary_mask_words(vocabulary) == 9);
    size_t length = 7;
    CHECK(*frisket_vocabulary_token(vocabulary, 'a', &length) == 'a' && length == 1);
    CHECK(frisket_vocabulary_token(vocabulary, 256, &length) == NULL && length == 0);
    CHECK(frisket_vocabulary_token(vocabulary, 1000, NULL) == NULL);

    const char *schema =
        "{\"type\": \"object\", \"properties\": {\"name\": {\"enum\": [\"Ada\", \"Bob\"]}}, \"required\": [\"name\"],"
        " \"additionalProperties\": false, \"title\": \"person\"}";
    const char *options = "{\"whitespace\": \"compact\"}";
    FrisketLimits limits = {0};
    FrisketGrammar *grammar = NULL;
    char *error = NULL, *report = NULL;
    must(frisket_grammar_from_json_schema(schema, strlen(schema), options, strlen(options), &limits, &grammar, &error),
         &error);
    must(frisket_grammar_report(grammar, &report, &error), &error);
    CHECK(strstr(report, "/properties/name") && strstr(report, "\"enforced\""));
    frisket_text_free(report);

    FrisketCompiled *compiled = NULL;
    must(frisket_compile(grammar, vocabulary, &limits, &compiled, &error), &error);
    FrisketMatcher *matcher = new_matcher(compiled);
    frisket_grammar_free(grammar);
    frisket_compiled_free(compiled);
    frisket_vocabulary_free(vocabulary);

    uint32_t mask[10];
    memset(mask, 0xff, sizeof mask);
    must(frisket_matcher_fill_mask(matcher, mask, 10, &error), &error);
    CHECK(allows(mask, '{') && !allows(mask, '[') && !allows(mask, 256) && mask[9] == 0);
    CHECK(fails(FRISKET_CODE_MISUSE, frisket_matcher_fill_mask(matcher, mask, 8, &error), &error));
    must(frisket_matcher_advance(matcher, '{', &error), &error);
    CHECK(fails(FRISKET_CODE_TOKEN_REJECTED, frisket_matcher_advance(matcher, '}', &error), &error));
    CHECK(fails(FRISKET_CODE_TOKEN_REJECTED, frisket_matcher_advance(matcher, 4000000000u, &error), &error));
    CHECK(frisket_matcher_steps(matcher) == 1);

    uint8_t forced[1024];
    must(frisket_matcher_forced_bytes(matcher, forced, sizeof forced, &length, &error), &error);
    CHECK(length == 8 && memcmp(forced, "\"name\":\"", 8) == 0);
    length = 0;
    CHECK(fails(FRISKET_CODE_MISUSE, frisket_matcher_forced_bytes(matcher, forced, 3, &length, &error), &error));
    CHECK(length == 8);
    must(frisket_matcher_advance_bytes(matcher, forced, 8, &error), &error);

    const uint32_t tokens[] = {'A', 'd', 'a', '"', '}', 256, 'x'};
    size_t taken = 0;
    must(frisket_matcher_validate(matcher, tokens, 7, &taken, &error), &error);
    CHECK(taken == 6 && frisket_matcher_steps(matcher) == 2);
    uint32_t least = 0;
    bool can_finish = true;
    must(frisket_matcher_least_tokens(matcher, &least, &error), &error);
    CHECK(least == 5);
    must(frisket_matcher_can_finish(matcher, 4, &can_finish, &error), &error);
    CHECK(!can_finish);
    CHECK(fails(FRISKET_CODE_BUDGET, frisket_matcher_fill_mask_within(matcher, 4, mask, 10, &error), &error));
    must(frisket_matcher_fill_mask_within(matcher, 5, mask, 10, &error), &error);
    CHECK(allows(mask, 'A') && allows(mask, 'B'));

    FrisketMatcher *fork = NULL;
    must(frisket_matcher_fork(matcher, &fork, &error), &error);
    for (int at = 0; at < 6; at++) {
        CHECK(frisket_matcher_can_end(fork) == (at == 5));
        must(frisket_matcher_advance(fork, tokens[at], &error), &error);
    }
    CHECK(frisket_matcher_ended(fork) && !frisket_matcher_ended(matcher));
    must(frisket_matcher_rollback(fork, 6, &error), &error);
    CHECK(fails(FRISKET_CODE_MISUSE, frisket_matcher_rollback(fork, 3, &error), &error));
    must(frisket_matcher_reset(fork, &error), &error);
    CHECK(frisket_matcher_steps(fork) == 0);

    FrisketMatcher *both[] = {matcher, fork};
    const uint32_t rooms[] = {4, FRISKET_ANY_ROOM};
    uint32_t masks[2][10];
    size_t failed = 7;
    must(frisket_fill_masks(both, 2, NULL, masks[0], 10, 0, &failed, &error), &error);
    CHECK(failed == 7 && allows(masks[0], 'A') && allows(masks[1], '{') && masks[1][9] == 0);
    masks[1][0] = 1;
    CHECK(fails(FRISKET_CODE_BUDGET, frisket_fill_masks(both, 2, rooms, masks[0], 10, 1, &failed, &error), &error));
    CHECK(failed == 0 && masks[1][0] == 0 && allows(masks[1], '{'));
    CHECK(fails(FRISKET_CODE_MISUSE, frisket_fill_masks(both, 2, NULL, masks[0], 8, 1, &failed, &error), &error));
    frisket_matcher_free(matcher);
    frisket_matcher_free(fork);
}

/* -- errors: each kind of text, wrong in its own way ----------------------------------------------------------- */

static void said(FrisketCode expected, FrisketCode code, char **error, const char *part) {
    if (code != expected || *error == NULL || strstr(*error, part) == NULL) {
        fprintf(stderr, "code %d, not %d, or no %s: %s\n", (int)code, (int)expected, part, *error ? *error : "");
        exit(1);
    }
    frisket_text_free(*error);
    *error = NULL;
}

static void errors(void) {
    FrisketGrammar *grammar = NULL;
    FrisketVocabulary *vocabulary = NULL;
    char *error = NULL;
#define TEXT(text) text, strlen(text)
    said(FRISKET_CODE_SCHEMA_INVALID,
         frisket_grammar_from_json_schema(TEXT("{\"type\": 7}"), NULL, 0, NULL, &grammar, &error), &error, "/type");
    said(FRISKET_CODE_SCHEMA_INVALID,
         frisket_grammar_from_json_schema(TEXT("{"), NULL, 0, NULL, &grammar, &error), &error, "JSON");
    said(FRISKET_CODE_SCHEMA_UNSATISFIABLE,
         frisket_grammar_from_json_schema(TEXT("false"), NULL, 0, NULL, &grammar, &error), &error, "hint");
    said(FRISKET_CODE_MISUSE,
         frisket_grammar_from_json_schema(TEXT("true"), TEXT("{\"indents\": 1}"), NULL, &grammar, &error), &error,
         "indents");
    said(FRISKET_CODE_MISUSE, frisket_grammar_from_regex(TEXT("\xff"), NULL, &grammar, &error), &error, "UTF-8");
    said(FRISKET_CODE_GRAMMAR_SYNTAX, frisket_grammar_from_regex(TEXT("a(b"), NULL, &grammar, &error), &error,
         "offset 1");
    said(FRISKET_CODE_GRAMMAR_SYNTAX,
         frisket_grammar_from_structural_tag(TEXT("{\"type\": \"structural_tag\", \"format\": {\"type\": \"any\"}}"), NULL, 0,
                                             NULL, &grammar, &error), &error, "/format/type");
    said(FRISKET_CODE_MISUSE,
         frisket_grammar_from_structural_tag(TEXT("{}"), TEXT("{\"indents\": 1}"), NULL, &grammar, &error), &error,
         "indents");
    said(FRISKET_CODE_GRAMMAR_SYNTAX,
         frisket_grammar_from_gbnf(TEXT("root ::= a\na ::= \"b"), NULL, 0, NULL, &grammar, &error), &error, "2:7");
    said(FRISKET_CODE_GRAMMAR_SYNTAX,
         frisket_grammar_from_gbnf(TEXT("root ::= other"), NULL, 0, NULL, &grammar, &error), &error, "1:10");
    said(FRISKET_CODE_GRAMMAR_EMPTY,
         frisket_grammar_from_gbnf(TEXT("root ::= \"a\" root"), NULL, 0, NULL, &grammar, &error), &error, "root");
    said(FRISKET_CODE_GRAMMAR_SYNTAX,
         frisket_grammar_from_lark(TEXT("start: \"a\" $"), NULL, 0, NULL, &grammar, &error), &error, "1:12");
    said(FRISKET_CODE_GRAMMAR_SYNTAX,
         frisket_grammar_from_ebnf(TEXT("a = b;"), FRISKET_EBNF_DIALECT_ISO, NULL, 0, NULL, &grammar, &error), &error,
         "1:5");
    said(FRISKET_CODE_MISUSE, frisket_grammar_from_ebnf(TEXT("a ::= 'b'"), 3, NULL, 0, NULL, &grammar, &error), &error,
         "0 to 2");
    said(FRISKET_CODE_GRAMMAR_SYNTAX,
         frisket_grammar_from_abnf(TEXT("a = %x"), FRISKET_ABNF_VALUES_BYTES, NULL, 0, NULL, &grammar, &error), &error,
         "1:");
    said(FRISKET_CODE_MISUSE, frisket_grammar_from_abnf(TEXT("a = b"), 2, NULL, 0, NULL, &grammar, &error), &error,
         "0 to 1");
    said(FRISKET_CODE_VOCABULARY,
         frisket_vocabulary_from_tokenizer_json(TEXT("{}"), 0, NULL, 0, &vocabulary, &error), &error, "no model");
    FrisketCancellation *flag = frisket_cancellation_new();
    FrisketLimits limits = {.cancellation = flag};
    frisket_cancellation_cancel(flag);
    said(FRISKET_CODE_CANCELLED, frisket_grammar_from_regex(TEXT("a"), &limits, &grammar, &error), &error, "cancelled");
    frisket_cancellation_free(flag);
    limits = (FrisketLimits){.steps = 10};
    said(FRISKET_CODE_LIMIT, frisket_grammar_from_regex(TEXT("(a|b){50}c"), &limits, &grammar, &error), &error, "steps");
    limits = (FrisketLimits){.seconds = -1};
    said(FRISKET_CODE_MISUSE, frisket_grammar_from_regex(TEXT("a"), &limits, &grammar, &error), &error, "seconds");
    CHECK(grammar == NULL && vocabulary == NULL);

    must(frisket_grammar_from_gbnf(TEXT("root ::= <|call|>"), NULL, 0, NULL, &grammar, &error), &error);
    vocabulary = bytes_vocabulary();
    FrisketCompiled *compiled = NULL;
    said(FRISKET_CODE_VOCABULARY, frisket_compile(grammar, vocabulary, NULL, &compiled, &error), &error, "<end>");
    CHECK(compiled == NULL);
    frisket_grammar_free(grammar);
    frisket_vocabulary_free(vocabulary);
}

/* -- fuzz: calls in any order, with and without NULL ------------------------------------------------------------ */

static void fuzz(uint64_t seed, int calls) {
    enum { SLOTS = 4 };
    static const char *texts[] = {"{\"type\": \"integer\"}", "[a-c]+", "root ::= \"a\" | root \"b\"", "start: \"a\"+",
                                  "{\"enum\": [1, \"a\"]}",
                                  "{\"triggers\": [\"<\"], \"structures\": [{\"begin\": \"<a>\", \"schema\": true, \"end\": \"</a>\"}]}",
                                  "", "\xff", "((", "{\"$ref\": \"#\"}", "true", "a ::= [a-z]+ 'b'", "a = 2DIGIT / \"b\""};
    state = seed;
    FrisketVocabulary *vocabularies[SLOTS] = {bytes_vocabulary()};
    FrisketGrammar *grammars[SLOTS] = {0};
    FrisketCompiled *compiled[SLOTS] = {0};
    FrisketMatcher *matchers[SLOTS] = {0};
    FrisketCancellation *flags[SLOTS] = {0};
    uint32_t masks[SLOTS * 9], tokens[8];
    uint8_t bytes[64];
    for (int call = 0; call < calls; call++) {
        char *error = NULL, **errors = draw(4) ? &error : NULL;
        uint32_t one = draw(SLOTS), other = draw(SLOTS);
        const char *text = draw(20) ? texts[draw(12)] : NULL;
        size_t length = text ? strlen(text) : 0, count = draw(9);
        FrisketLimits limits = {.steps = draw(3) ? 0 : draw(5000), .memory_bytes = draw(3) ? 0 : draw(1 << 20),
                                .seconds = draw(9) ? 0 : draw(3) - 1.0, .cancellation = draw(9) ? NULL : flags[other]};
        const FrisketLimits *given = draw(2) ? &limits : NULL;
        bool flag;
        uint32_t number;
        for (int at = 0; at < 8; at++) tokens[at] = draw(260);
        memset(bytes, (int)draw(256), sizeof bytes);
        FrisketMatcher *matcher = matchers[one];
        size_t words = draw(4) ? 9 : draw(9);
        switch (draw(29)) {
        case 0: if (!grammars[one]) frisket_grammar_from_json_schema(text, length, NULL, 0, given, &grammars[one], errors); break;
        case 1:
            if (grammars[one]) break;
            if (draw(2)) frisket_grammar_from_regex(text, length, given, &grammars[one], errors);
            else frisket_grammar_from_structural_tag(text, length, draw(3) ? NULL : text, length, given, &grammars[one], errors);
            break;
        case 2: if (!grammars[one]) frisket_grammar_from_gbnf(text, length, NULL, 0, given, &grammars[one], errors); break;
        case 3: if (!grammars[one]) frisket_grammar_from_lark(text, length, NULL, 0, given, &grammars[one], errors); break;
        case 4: if (!compiled[one]) frisket_compile(grammars[other], vocabularies[draw(SLOTS)], given, &compiled[one], errors); break;
        case 5: if (!matchers[one]) frisket_matcher_new(compiled[other], draw(9) ? NULL : flags[other], &matchers[one], errors); break;
        case 6: if (!matchers[one]) frisket_matcher_fork(matchers[other], &matchers[one], errors); break;
        case 7: if (!vocabularies[one]) vocabularies[one] = bytes_vocabulary(); break;
        case 8: if (!flags[one]) flags[one] = frisket_cancellation_new(); break;
        case 9: if (!draw(9)) frisket_cancellation_cancel(flags[one]); break;
        case 10: if (!draw(4)) { frisket_grammar_free(grammars[one]); grammars[one] = NULL; } break;
        case 11: if (!draw(4)) { frisket_compiled_free(compiled[one]); compiled[one] = NULL; } break;
        case 12: if (!draw(4)) { frisket_matcher_free(matcher); matchers[one] = NULL; } break;
        case 13: if (!draw(4)) { frisket_vocabulary_free(vocabularies[one]); vocabularies[one] = NULL; } break;
        case 14: frisket_matcher_fill_mask(matcher, draw(20) ? masks : NULL, words, errors); break;
        case 15: frisket_matcher_fill_mask_within(matcher, draw(6), masks, words, errors); break;
        case 16: frisket_matcher_advance(matcher, draw(260), errors); break;
        case 17: frisket_matcher_advance_bytes(matcher, draw(20) ? bytes : NULL, draw(64), errors); break;
        case 18: frisket_matcher_validate(matcher, tokens, count > 8 ? 8 : count, draw(20) ? &count : NULL, errors); break;
        case 19: frisket_matcher_rollback(matcher, draw(5), errors); break;
        case 20: frisket_matcher_reset(matcher, errors); break;
        case 21: frisket_matcher_forced_bytes(matcher, bytes, draw(64), &count, errors); break;
        case 22: frisket_matcher_can_finish(matcher, draw(9), draw(20) ? &flag : NULL, errors); break;
        case 23: frisket_matcher_least_tokens(matcher, draw(20) ? &number : NULL, errors); break;
        case 24: frisket_fill_masks(draw(20) ? matchers : NULL, 1 + draw(SLOTS), NULL, masks, words, draw(4), NULL, errors); break;
        case 25: frisket_grammar_report(grammars[one], errors, NULL); break;
        case 26: if (!grammars[one]) frisket_grammar_from_ebnf(text, length, draw(4), draw(3) ? NULL : text, draw(2) ? length : 1, given, &grammars[one], errors); break;
        case 27: if (!grammars[one]) frisket_grammar_from_abnf(text, length, draw(3), draw(3) ? NULL : "a", 1, given, &grammars[one], errors); break;
        default:
            /* A row of living matchers, the last of them twice. */
            if (matcher && matchers[other]) {
                FrisketMatcher *batch[] = {matcher, matchers[other], matchers[other]};
                frisket_fill_masks(batch, 3, tokens, masks, words, draw(4), &count, errors);
            }
            frisket_matcher_can_end(matcher);
            frisket_matcher_ended(matcher);
            frisket_vocabulary_token(vocabularies[one], draw(300), draw(2) ? &count : NULL);
        }
        frisket_text_free(error);
    }
    for (int at = 0; at < SLOTS; at++) {
        frisket_cancellation_free(flags[at]);
        frisket_vocabulary_free(vocabularies[at]);
        frisket_grammar_free(grammars[at]);
        frisket_compiled_free(compiled[at]);
        frisket_matcher_free(matchers[at]);
    }
}

/* -- threads: one matcher, one compiled grammar, a batch, a cancellation ----------------------------------------- */

static FrisketCompiled *shared_grammar;
static FrisketMatcher *shared_matcher;

static void *run_thread(void *unused) {
    (void)unused;
    FrisketMatcher *own = new_matcher(shared_grammar);
    uint32_t mask[9], other[9];
    char *error = NULL;
    for (int turn = 0; turn < 200; turn++) {
        must(frisket_matcher_fill_mask(own, mask, 9, &error), &error);
        uint32_t token = 0;
        while (!allows(mask, token)) token = (token + 1 + (uint32_t)turn % 256) % 257;
        must(frisket_matcher_advance(own, token, &error), &error);
        if (frisket_matcher_ended(own)) must(frisket_matcher_reset(own, &error), &error);
        must(frisket_matcher_fill_mask(shared_matcher, other, 9, &error), &error);
        must(frisket_matcher_advance(shared_matcher, '[', &error), &error);
    }
    frisket_matcher_free(own);
    return NULL;
}

static void threads(void) {
    FrisketVocabulary *vocabulary = bytes_vocabulary();
    shared_grammar = compiled_schema(vocabulary, "{\"type\": [\"array\", \"string\"], \"items\": {\"$ref\": \"#\"}}");
    shared_matcher = new_matcher(shared_grammar);
    pthread_t workers[4];
    for (int at = 0; at < 4; at++) CHECK(pthread_create(&workers[at], NULL, run_thread, NULL) == 0);
    for (int at = 0; at < 4; at++) pthread_join(workers[at], NULL);
    CHECK(frisket_matcher_steps(shared_matcher) == 800);
    frisket_matcher_free(shared_matcher);
    frisket_compiled_free(shared_grammar);
    frisket_vocabulary_free(vocabulary);
}

/* -- masks, times: walks on the standard input -> masks, or times, on the standard output ------------------------- */

static FrisketVocabulary *file_vocabulary(const char *path) {
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    size_t length = (size_t)ftell(file);
    char *text = malloc(length), *error = NULL;
    rewind(file);
    CHECK(text != NULL && fread(text, 1, length, file) == length);
    fclose(file);
    FrisketVocabulary *vocabulary = NULL;
    must(frisket_vocabulary_from_tokenizer_json(text, length, 0, NULL, 0, &vocabulary, &error), &error);
    free(text);
    return vocabulary;
}

static FrisketGrammar *read_grammar(uint32_t notation, const char *text, size_t length) {
    FrisketGrammar *grammar = NULL;
    switch (notation) {
    case 0: frisket_grammar_from_json_schema(text, length, NULL, 0, NULL, &grammar, NULL); break;
    case 1: frisket_grammar_from_regex(text, length, NULL, &grammar, NULL); break;
    case 2: frisket_grammar_from_gbnf(text, length, NULL, 0, NULL, &grammar, NULL); break;
    case 3: frisket_grammar_from_lark(text, length, NULL, 0, NULL, &grammar, NULL); break;
    case 4: frisket_grammar_from_ebnf(text, length, FRISKET_EBNF_DIALECT_W3C, NULL, 0, NULL, &grammar, NULL); break;
    default: frisket_grammar_from_abnf(text, length, FRISKET_ABNF_VALUES_CHARACTERS, NULL, 0, NULL, &grammar, NULL);
    }
    return grammar;
}

/* A mask before each token until one may not come, and the mask behind the last. */
static void masks(FrisketMatcher *matcher, const uint32_t *tokens, uint32_t count, uint32_t *mask, size_t words) {
    char *error = NULL;
    for (uint32_t at = 0;; at++) {
        must(frisket_matcher_fill_mask(matcher, mask, words, &error), &error);
        put(mask, 4 * words);
        if (at == count || !allows(mask, tokens[at])) return;
        must(frisket_matcher_advance(matcher, tokens[at], &error), &error);
    }
}

static uint64_t now(void) {
    struct timespec read;
    clock_gettime(CLOCK_MONOTONIC, &read);
    return (uint64_t)read.tv_sec * 1000000000u + (uint64_t)read.tv_nsec;
}

/* The nanoseconds of each mask and of each advance; how many tokens came. */
static uint32_t times(FrisketMatcher *matcher, const uint32_t *tokens, uint32_t count, uint32_t *mask, size_t words,
                      uint32_t *filling, uint32_t *advancing) {
    for (uint32_t at = 0; at < count; at++) {
        uint64_t begun = now();
        frisket_matcher_fill_mask(matcher, mask, words, NULL);
        filling[at] = (uint32_t)(now() - begun);
        if (!allows(mask, tokens[at])) return at;
        begun = now();
        frisket_matcher_advance(matcher, tokens[at], NULL);
        advancing[at] = (uint32_t)(now() - begun);
    }
    return count;
}

/* tests/runtimes/program.py says what is read and written. */
static void walks(const char *path, bool is_timed) {
    uint64_t begun = now();
    FrisketVocabulary *vocabulary = file_vocabulary(path);
    uint32_t words = (uint32_t)frisket_vocabulary_mask_words(vocabulary), notation;
    uint32_t head[] = {words, (uint32_t)((now() - begun) / 1000)};
    put(head, sizeof head);
    fflush(stdout);
    uint32_t *mask = malloc(4 * (size_t)words);
    CHECK(mask != NULL);
    while (fread(&notation, sizeof notation, 1, stdin) == 1) {
        uint32_t length = number(), count = number();
        char *text = block(length), *tokens = block(4 * (size_t)count);
        begun = now();
        FrisketCompiled *compiled = NULL;
        FrisketGrammar *grammar = read_grammar(notation, text, length);
        if (grammar != NULL) frisket_compile(grammar, vocabulary, NULL, &compiled, NULL);
        uint32_t said[] = {compiled != NULL, (uint32_t)(now() - begun), 0};
        put(said, 4);
        if (compiled != NULL && !is_timed) {
            FrisketMatcher *matcher = new_matcher(compiled);
            masks(matcher, (const uint32_t *)tokens, count, mask, words);
            frisket_matcher_free(matcher);
        } else if (compiled != NULL) {
            uint32_t *spent = malloc(16 * (size_t)count + 4);
            CHECK(spent != NULL);
            for (int turn = 0; turn < 2; turn++) {
                FrisketMatcher *matcher = new_matcher(compiled);
                uint32_t *filling = spent + 2 * (size_t)turn * count, *advancing = filling + count;
                said[2] = times(matcher, (const uint32_t *)tokens, count, mask, words, filling, advancing);
                frisket_matcher_free(matcher);
            }
            put(said + 1, 8);
            for (int row = 0; row < 4; row++) put(spent + row * (size_t)count, 4 * (size_t)said[2]);
            free(spent);
        }
        fflush(stdout);
        frisket_compiled_free(compiled);
        frisket_grammar_free(grammar);
        free(text);
        free(tokens);
    }
    free(mask);
    frisket_vocabulary_free(vocabulary);
}

int main(int count, char **arguments) {
    CHECK(count > 1);
    const char *mode = arguments[1];
    if (strcmp(mode, "basic") == 0) {
        basic();
        errors();
    } else if (strcmp(mode, "fuzz") == 0) {
        CHECK(count == 4);
        fuzz(strtoull(arguments[2], NULL, 10), atoi(arguments[3]));
    } else if (strcmp(mode, "threads") == 0) {
        threads();
    } else {
        bool is_timed = strcmp(mode, "times") == 0;
        CHECK((is_timed || strcmp(mode, "masks") == 0) && count == 3);
        walks(arguments[2], is_timed);
    }
    return 0;
}

#ifndef FRISKET_H
#define FRISKET_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * The version of the interface. It grows where a function or a struct changes; functions that are added leave it.
 */
#define FRISKET_ABI_VERSION 1

/**
 * Any number of tokens, among the rooms of frisket_fill_masks.
 */
#define FRISKET_ANY_ROOM UINT32_MAX

/**
 * The result of a call. Numbers stay as they are from version to version.
 */
enum FrisketCode
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : int32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * The call did what it says.
   */
  FRISKET_CODE_OK = 0,
  /**
   * The schema is no JSON, or no schema.
   */
  FRISKET_CODE_SCHEMA_INVALID = 1,
  /**
   * The schema has places that cannot be enforced exactly.
   */
  FRISKET_CODE_SCHEMA_UNSUPPORTED = 2,
  /**
   * No value is valid under the schema.
   */
  FRISKET_CODE_SCHEMA_UNSATISFIABLE = 3,
  /**
   * The grammar is put together wrongly.
   */
  FRISKET_CODE_GRAMMAR = 4,
  /**
   * The text is not in its notation.
   */
  FRISKET_CODE_GRAMMAR_SYNTAX = 5,
  /**
   * The grammar has no text.
   */
  FRISKET_CODE_GRAMMAR_EMPTY = 6,
  /**
   * The vocabulary is broken, or cannot spell what the grammar asks for.
   */
  FRISKET_CODE_VOCABULARY = 7,
  /**
   * A limit was reached.
   */
  FRISKET_CODE_LIMIT = 8,
  /**
   * The call was cancelled.
   */
  FRISKET_CODE_CANCELLED = 9,
  /**
   * The tokens that are left do not finish the text.
   */
  FRISKET_CODE_BUDGET = 10,
  /**
   * The token or text may not come next.
   */
  FRISKET_CODE_TOKEN_REJECTED = 11,
  /**
   * An argument is wrong: NULL, no UTF-8, or a buffer that is too small.
   */
  FRISKET_CODE_MISUSE = 12,
  /**
   * Another thread was in a call of the object when its process forked this one.
   */
  FRISKET_CODE_FORKED = 13,
  /**
   * A bug in the library.
   */
  FRISKET_CODE_BUG = 14,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FrisketCode FrisketCode;
#else
typedef int32_t FrisketCode;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The dialect of an EBNF. Numbers stay as they are from version to version.
 */
enum FrisketEbnfDialect
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * That of the W3C's specifications: `name ::= [a-z]+ | '-'`.
   */
  FRISKET_EBNF_DIALECT_W3C = 0,
  /**
   * That of ISO 14977: `name = {"a"}, letter;`.
   */
  FRISKET_EBNF_DIALECT_ISO = 1,
  /**
   * That of xgrammar: GBNF with options of rules, and macros.
   */
  FRISKET_EBNF_DIALECT_XGRAMMAR = 2,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FrisketEbnfDialect FrisketEbnfDialect;
#else
typedef uint32_t FrisketEbnfDialect;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The meaning of numbers in ABNF. Numbers stay as they are from version to version.
 */
enum FrisketAbnfValues
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
  /**
   * Characters of Unicode.
   */
  FRISKET_ABNF_VALUES_CHARACTERS = 0,
  /**
   * Bytes of UTF-8.
   */
  FRISKET_ABNF_VALUES_BYTES = 1,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum FrisketAbnfValues FrisketAbnfValues;
#else
typedef uint32_t FrisketAbnfValues;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * Ends calls from another thread, for good.
 */
typedef struct FrisketCancellation FrisketCancellation;

/**
 * A grammar over a vocabulary; shared by threads.
 */
typedef struct FrisketCompiled FrisketCompiled;

/**
 * Rules over bytes, which know no tokenizer; shared by threads.
 */
typedef struct FrisketGrammar FrisketGrammar;

/**
 * One sequence's position in a text of the grammar. Calls of several threads wait for each other; one that fails leaves it
 * as it was.
 */
typedef struct FrisketMatcher FrisketMatcher;

/**
 * The bytes of every token of a tokenizer; shared by threads and grammars.
 */
typedef struct FrisketVocabulary FrisketVocabulary;

/**
 * The limits of one call.
 */
typedef struct {
  /**
   * Bytes of a grammar; 0 for 256 MiB.
   */
  uint64_t memory_bytes;
  /**
   * Elementary steps, 40 nanoseconds each at most; 0 for 50 million. They are the same on every machine.
   */
  uint64_t steps;
  /**
   * Seconds; 0 for any time.
   */
  double seconds;
  /**
   * The cancellation that may end the call, or NULL. It may be freed once the call has returned.
   */
  const FrisketCancellation *cancellation;
} FrisketLimits;

/**
 * A token that is no text, by its name.
 */
typedef struct {
  /**
   * The name, which ends with a zero byte.
   */
  const char *name;
  /**
   * The id.
   */
  uint32_t id;
} FrisketSpecialToken;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * The version of the interface that the library has; compare it with FRISKET_ABI_VERSION of this header.
 */
uint32_t frisket_abi_version(void);

/**
 * The version of the library, as text that lives as long as the library.
 */
const char *frisket_version(void);

/**
 * Tells the library that this process is the child of a fork; to be called there before any thread begins.
 */
void frisket_enter_child(void);

/**
 * Makes the grammar of the JSON documents that a schema allows.
 *
 * `options` is a JSON object of the fields of Python's JSONSchemaOptions, or NULL: {"whitespace": "compact"}.
 *
 * # Safety
 * Pointers are NULL or valid, texts for as many bytes as the number that follows them says.
 */
FrisketCode frisket_grammar_from_json_schema(const char *schema,
                                             size_t length,
                                             const char *options,
                                             size_t options_length,
                                             const FrisketLimits *limits,
                                             FrisketGrammar **grammar,
                                             char **error);

/**
 * Makes the grammar of the texts of a structural tag, the JSON in requests to vLLM and SGLang.
 *
 * `options`, an object as `frisket_grammar_from_json_schema` takes it, or NULL, holds for the schemas inside. With NULL they
 * have any white space and escapes.
 *
 * # Safety
 * Pointers are NULL or valid, texts for as many bytes as the number that follows them says.
 */
FrisketCode frisket_grammar_from_structural_tag(const char *tag,
                                                size_t length,
                                                const char *options,
                                                size_t options_length,
                                                const FrisketLimits *limits,
                                                FrisketGrammar **grammar,
                                                char **error);

/**
 * Makes the grammar of the texts that a regular expression of ECMA-262 matches from beginning to end.
 *
 * # Safety
 * Pointers are NULL or valid, texts for as many bytes as the number that follows them says.
 */
FrisketCode frisket_grammar_from_regex(const char *pattern,
                                       size_t length,
                                       const FrisketLimits *limits,
                                       FrisketGrammar **grammar,
                                       char **error);

/**
 * Makes the grammar of the texts of a rule (NULL: `root`) of a grammar in GBNF, llama.cpp's notation.
 *
 * # Safety
 * Pointers are NULL or valid, texts for as many bytes as the number that follows them says.
 */
FrisketCode frisket_grammar_from_gbnf(const char *text,
                                      size_t length,
                                      const char *root,
                                      size_t root_length,
                                      const FrisketLimits *limits,
                                      FrisketGrammar **grammar,
                                      char **error);

/**
 * Makes the grammar of the texts of a rule (NULL: `start`) of a grammar in Lark's notation, as llguidance reads it.
 *
 * # Safety
 * Pointers are NULL or valid, texts for as many bytes as the number that follows them says.
 */
FrisketCode frisket_grammar_from_lark(const char *text,
                                      size_t length,
                                      const char *start,
                                      size_t start_length,
                                      const FrisketLimits *limits,
                                      FrisketGrammar **grammar,
                                      char **error);

/**
 * Makes the grammar of the texts of a rule of a grammar in EBNF. `dialect` is a FrisketEbnfDialect; without a rule (NULL)
 * the first one is meant, or in xgrammar's dialect the rule `root`.
 *
 * # Safety
 * Pointers are NULL or valid, texts for as many bytes as the number that follows them says.
 */
FrisketCode frisket_grammar_from_ebnf(const char *text,
                                      size_t length,
                                      uint32_t dialect,
                                      const char *root,
                                      size_t root_length,
                                      const FrisketLimits *limits,
                                      FrisketGrammar **grammar,
                                      char **error);

/**
 * Makes the grammar of the texts of a rule (NULL: the first one) of a grammar in ABNF, RFC 5234 and RFC 7405. `values` is a
 * FrisketAbnfValues.
 *
 * # Safety
 * Pointers are NULL or valid, texts for as many bytes as the number that follows them says.
 */
FrisketCode frisket_grammar_from_abnf(const char *text,
                                      size_t length,
                                      uint32_t values,
                                      const char *root,
                                      size_t root_length,
                                      const FrisketLimits *limits,
                                      FrisketGrammar **grammar,
                                      char **error);

/**
 * Gives the outcome for each keyword of a schema, as JSON that `frisket_text_free` frees; NULL for other notations.
 *
 * # Safety
 * `grammar` is NULL or not freed; `report` and `error` are NULL or valid for writes.
 */
FrisketCode frisket_grammar_report(const FrisketGrammar *grammar,
                                   char **report,
                                   char **error);

/**
 * Frees a grammar, once. Compiled grammars may go on.
 *
 * # Safety
 * `grammar` is NULL or not freed.
 */
void frisket_grammar_free(FrisketGrammar *grammar);

/**
 * Composes a grammar with a vocabulary, in microseconds. The limits (NULL: the default ones) hold for this call and for
 * each call of its matchers.
 *
 * # Safety
 * Handles are NULL or not freed; other pointers are NULL or valid.
 */
FrisketCode frisket_compile(const FrisketGrammar *grammar,
                            const FrisketVocabulary *vocabulary,
                            const FrisketLimits *limits,
                            FrisketCompiled **compiled,
                            char **error);

/**
 * Frees a compiled grammar, once. Its matchers may go on.
 *
 * # Safety
 * `compiled` is NULL or not freed.
 */
void frisket_compiled_free(FrisketCompiled *compiled);

/**
 * Frees a text that the library has given, once; NULL is fine.
 *
 * # Safety
 * `text` is NULL or was given by this library and is not freed yet.
 */
void frisket_text_free(char *text);

/**
 * A cancellation that was not used yet.
 */
FrisketCancellation *frisket_cancellation_new(void);

/**
 * Ends every call that was given it, under way or to come: it returns FRISKET_CODE_CANCELLED, with its object as it was.
 *
 * # Safety
 * `cancellation` is NULL or not freed.
 */
void frisket_cancellation_cancel(const FrisketCancellation *cancellation);

/**
 * Frees a cancellation, once; calls that were given it can then be cancelled no more.
 *
 * # Safety
 * `cancellation` is NULL or not freed.
 */
void frisket_cancellation_free(FrisketCancellation *cancellation);

/**
 * Makes a matcher at the beginning of a text. `cancellation`, or NULL, ends its calls and those of its forks, as that of the
 * limits does.
 *
 * # Safety
 * Handles are NULL or not freed; other pointers are NULL or valid for writes.
 */
FrisketCode frisket_matcher_new(const FrisketCompiled *compiled,
                                const FrisketCancellation *cancellation,
                                FrisketMatcher **matcher,
                                char **error);

/**
 * Makes another matcher at the same position, with the same steps to take back; either goes on alone.
 *
 * # Safety
 * `matcher` is NULL or not freed; other pointers are NULL or valid for writes.
 */
FrisketCode frisket_matcher_fork(const FrisketMatcher *matcher,
                                 FrisketMatcher **fork,
                                 char **error);

/**
 * Writes the tokens that may come next: bit t % 32 of word t / 32 is 1 if token t may. Words beyond the vocabulary are 0.
 *
 * # Safety
 * `matcher` is NULL or not freed; `mask` is NULL or valid for writes of `words` words.
 */
FrisketCode frisket_matcher_fill_mask(FrisketMatcher *matcher,
                                      uint32_t *mask,
                                      size_t words,
                                      char **error);

/**
 * As frisket_matcher_fill_mask, for tokens after which the text can be finished within `room` tokens, this one included.
 * Returns FRISKET_CODE_BUDGET if there are none.
 *
 * # Safety
 * As for frisket_matcher_fill_mask.
 */
FrisketCode frisket_matcher_fill_mask_within(FrisketMatcher *matcher,
                                             uint32_t room,
                                             uint32_t *mask,
                                             size_t words,
                                             char **error);

/**
 * Takes a token. Returns FRISKET_CODE_TOKEN_REJECTED if it may not come next; the error says what was expected.
 *
 * # Safety
 * `matcher` is NULL or not freed.
 */
FrisketCode frisket_matcher_advance(FrisketMatcher *matcher,
                                    uint32_t token,
                                    char **error);

/**
 * Takes a text, whatever tokens spell it. Returns FRISKET_CODE_TOKEN_REJECTED if it may not come next.
 *
 * # Safety
 * `matcher` is NULL or not freed; `text` is NULL or valid for `length` bytes.
 */
FrisketCode frisket_matcher_advance_bytes(FrisketMatcher *matcher,
                                          const uint8_t *text,
                                          size_t length,
                                          char **error);

/**
 * Gives the number of tokens, from the first on, that could be taken one after the other; takes none.
 *
 * # Safety
 * `matcher` is NULL or not freed; `tokens` is NULL or valid for `count` tokens, `taken` NULL or valid for writes.
 */
FrisketCode frisket_matcher_validate(FrisketMatcher *matcher,
                                     const uint32_t *tokens,
                                     size_t count,
                                     size_t *taken,
                                     char **error);

/**
 * Takes the last `steps` steps back: each token, and each text taken as bytes, is one. Returns FRISKET_CODE_MISUSE if fewer
 * were taken.
 *
 * # Safety
 * `matcher` is NULL or not freed.
 */
FrisketCode frisket_matcher_rollback(FrisketMatcher *matcher,
                                     size_t steps,
                                     char **error);

/**
 * Goes back to the beginning of the text.
 *
 * # Safety
 * `matcher` is NULL or not freed.
 */
FrisketCode frisket_matcher_reset(FrisketMatcher *matcher, char **error);

/**
 * Writes the text that must come next, whatever the model prefers, and its number of bytes: 1,024 at most. Returns
 * FRISKET_CODE_MISUSE, with the number set, if the buffer is too small.
 *
 * # Safety
 * `matcher` is NULL or not freed; `text` is NULL or valid for writes of `capacity` bytes, `length` NULL or valid for writes.
 */
FrisketCode frisket_matcher_forced_bytes(FrisketMatcher *matcher,
                                         uint8_t *text,
                                         size_t capacity,
                                         size_t *length,
                                         char **error);

/**
 * Says whether `room` tokens finish the text from here.
 *
 * # Safety
 * `matcher` is NULL or not freed; `can_finish` is NULL or valid for writes.
 */
FrisketCode frisket_matcher_can_finish(FrisketMatcher *matcher,
                                       uint32_t room,
                                       bool *can_finish,
                                       char **error);

/**
 * Gives a number of tokens that is enough to finish the text from here, though some text may take fewer. Returns
 * FRISKET_CODE_VOCABULARY if the vocabulary cannot spell a short end.
 *
 * # Safety
 * `matcher` is NULL or not freed; `count` is NULL or valid for writes.
 */
FrisketCode frisket_matcher_least_tokens(FrisketMatcher *matcher,
                                         uint32_t *count,
                                         char **error);

/**
 * Whether the text may end here; false for NULL.
 *
 * # Safety
 * `matcher` is NULL or not freed.
 */
bool frisket_matcher_can_end(const FrisketMatcher *matcher);

/**
 * Whether a token that ends the text was taken; false for NULL.
 *
 * # Safety
 * `matcher` is NULL or not freed.
 */
bool frisket_matcher_ended(const FrisketMatcher *matcher);

/**
 * How many steps can be rolled back; 0 for NULL.
 *
 * # Safety
 * `matcher` is NULL or not freed.
 */
size_t frisket_matcher_steps(const FrisketMatcher *matcher);

/**
 * Frees a matcher, once.
 *
 * # Safety
 * `matcher` is NULL or not freed, and in no call.
 */
void frisket_matcher_free(FrisketMatcher *matcher);

/**
 * Writes the masks of `count` matchers into rows of `words` words each, one after another.
 *
 * `rooms`, or NULL, has the tokens that each has left. Long work is shared by up to `threads` threads (0: as many as there
 * are cores), short work is done by the caller's. Where matchers fail, all other rows are written; the code and the error
 * are those of the first, whose number goes to `failed` unless that is NULL.
 *
 * # Safety
 * Matchers are NULL or not freed; `masks` is NULL or valid for writes of `count * words` words, other pointers NULL or valid
 * for `count` items, `failed` NULL or valid for writes.
 */
FrisketCode frisket_fill_masks(FrisketMatcher *const *matchers,
                               size_t count,
                               const uint32_t *rooms,
                               uint32_t *masks,
                               size_t words,
                               size_t threads,
                               size_t *failed,
                               char **error);

/**
 * Makes a vocabulary of the bytes of its tokens.
 *
 * `texts` has the bytes of all tokens, one after another, `lengths` the number of bytes of each: 0 for a token without
 * text. Give as many tokens as the model's logits have rows. `special` names tokens that are no text, `eos` are the ids
 * that end a text.
 *
 * # Safety
 * Pointers are NULL or valid for as many items as the number that follows them says.
 */
FrisketCode frisket_vocabulary_from_bytes(const uint8_t *texts,
                                          size_t texts_length,
                                          const uint32_t *lengths,
                                          size_t count,
                                          const FrisketSpecialToken *special,
                                          size_t special_count,
                                          const uint32_t *eos,
                                          size_t eos_count,
                                          FrisketVocabulary **vocabulary,
                                          char **error);

/**
 * Makes a vocabulary of the text of a Hugging Face tokenizer.json.
 *
 * `size`: the rows of the model's logits if they are more than the tokenizer's ids, else 0. `eos`: the ids that end a text;
 * with `eos_count` 0, the special tokens with well-known names for it.
 *
 * # Safety
 * Pointers are NULL or valid for as many items as the number that follows them says.
 */
FrisketCode frisket_vocabulary_from_tokenizer_json(const char *text,
                                                   size_t length,
                                                   size_t size,
                                                   const uint32_t *eos,
                                                   size_t eos_count,
                                                   FrisketVocabulary **vocabulary,
                                                   char **error);

/**
 * The number of ids, including those without text; 0 for NULL.
 *
 * # Safety
 * `vocabulary` is NULL or not freed.
 */
size_t frisket_vocabulary_size(const FrisketVocabulary *vocabulary);

/**
 * The uint32 words of one mask, (size + 31) / 32; 0 for NULL.
 *
 * # Safety
 * `vocabulary` is NULL or not freed.
 */
size_t frisket_vocabulary_mask_words(const FrisketVocabulary *vocabulary);

/**
 * The bytes of a token, which live as long as the vocabulary, and their number; NULL and 0 for a token without text.
 *
 * # Safety
 * `vocabulary` is NULL or not freed; `length` is NULL or valid for writes.
 */
const uint8_t *frisket_vocabulary_token(const FrisketVocabulary *vocabulary,
                                        uint32_t token,
                                        size_t *length);

/**
 * Frees a vocabulary, once. Compiled grammars and their matchers may go on.
 *
 * # Safety
 * `vocabulary` is NULL or not freed.
 */
void frisket_vocabulary_free(FrisketVocabulary *vocabulary);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* FRISKET_H */

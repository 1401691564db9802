/*
 * The functions of llguidance's C interface that llama.cpp calls, as libfrisket_dropin has them.
 * Made by cbindgen from crates/dropin/src/llguidance.rs; do not edit.
 */

#ifndef LLGUIDANCE_H
#define LLGUIDANCE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/**
 * One sequence's position in a text of a grammar, with its last mask; or the error that ended it.
 */
typedef struct LlgMatcher LlgMatcher;

/**
 * A vocabulary. Clones share it, and all masks that were composed for it.
 */
typedef struct LlgTokenizer LlgTokenizer;

/**
 * Tokenizes bytes; never called.
 */
typedef size_t (*LlgTokenizeFn)(const void *user_data,
                                const uint8_t *bytes,
                                size_t bytes_len,
                                uint32_t *output_tokens,
                                size_t output_tokens_len);

/**
 * A tokenizer, as the caller describes it.
 */
typedef struct {
  /**
   * The number of tokens.
   */
  uint32_t vocab_size;
  /**
   * The token that ends a text.
   */
  uint32_t tok_eos;
  /**
   * The number of bytes of each token.
   */
  const uint32_t *token_lens;
  /**
   * The bytes of all tokens, one after another: 0xff and its name for a special token.
   */
  const uint8_t *token_bytes;
  /**
   * The text of a tokenizer.json, or NULL; read where it is given, in place of lengths and bytes.
   */
  const char *tokenizer_json;
  /**
   * Not read.
   */
  bool tokenize_assumes_string;
  /**
   * Not read: masks need no tokenization.
   */
  LlgTokenizeFn tokenize_fn;
  /**
   * Not read.
   */
  bool use_approximate_greedy_tokenize_fn;
  /**
   * Not read.
   */
  const void *tokenize_user_data;
  /**
   * Not read.
   */
  const char *const *slices;
} LlgTokenizerInit;

/**
 * The beginning of llguidance's struct of that name. Limits follow there, in other sizes from version to version: they are
 * neither written nor read here.
 */
typedef struct {
  /**
   * The tokenizer.
   */
  const LlgTokenizer *tokenizer;
  /**
   * Not read.
   */
  uint32_t log_buffer_level;
  /**
   * Not read.
   */
  uint32_t log_stderr_level;
  /**
   * Not read.
   */
  bool ff_tokens_ok;
  /**
   * Not read.
   */
  bool backtrack_ok;
} LlgConstraintInit;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Makes a tokenizer. NULL if that fails; then `error_string` has the reason, cut to `error_string_len` bytes.
 *
 * # Safety
 * Pointers are NULL or valid for what the fields say.
 */
LlgTokenizer *llg_new_tokenizer(const LlgTokenizerInit *tok_init,
                                char *error_string,
                                size_t error_string_len);

/**
 * Another handle of the tokenizer, to be freed, too.
 *
 * # Safety
 * `tok` is NULL or not freed.
 */
LlgTokenizer *llg_clone_tokenizer(const LlgTokenizer *tok);

/**
 * Frees a tokenizer, once; its matchers may go on.
 *
 * # Safety
 * `tok` is NULL or not freed.
 */
void llg_free_tokenizer(LlgTokenizer *tok);

/**
 * Writes the tokenizer and zeros.
 *
 * # Safety
 * `init` is NULL or valid for writes.
 */
void llg_constraint_init_set_defaults(LlgConstraintInit *init, const LlgTokenizer *tokenizer);

/**
 * Makes a matcher at the beginning of a text; never NULL. If that fails, `llg_matcher_get_error` says why.
 *
 * `constraint_type` is `lark`, `json_schema` (or `json`) or `json_object`.
 *
 * # Safety
 * Pointers are NULL or valid, texts end with a zero byte.
 */
LlgMatcher *llg_new_matcher(const LlgConstraintInit *init,
                            const char *constraint_type,
                            const char *data);

/**
 * Another matcher at the same position; either goes on alone.
 *
 * # Safety
 * `matcher` is NULL or not freed.
 */
LlgMatcher *llg_clone_matcher(const LlgMatcher *matcher);

/**
 * Frees a matcher, once.
 *
 * # Safety
 * `matcher` is NULL or not freed.
 */
void llg_free_matcher(LlgMatcher *matcher);

/**
 * The error of the matcher, which it keeps until it is freed; NULL if there is none.
 *
 * # Safety
 * `matcher` is NULL, or not freed, and nobody else uses it.
 */
const char *llg_matcher_get_error(LlgMatcher *matcher);

/**
 * Computes the mask of the tokens that may come next; once the text has ended, of the token that ends it. 0, or -1.
 *
 * # Safety
 * `matcher` is NULL, or not freed, and nobody else uses it.
 */
int32_t llg_matcher_compute_mask(LlgMatcher *matcher);

/**
 * The mask, bit t % 32 of word t / 32 for token t, as it is up to the next call; NULL if the position has none yet.
 *
 * # Safety
 * `matcher` is NULL, or not freed, and nobody else uses it.
 */
const uint32_t *llg_matcher_get_mask(LlgMatcher *matcher);

/**
 * The bytes of a mask; 0 of a matcher whose grammar has an error.
 *
 * # Safety
 * `matcher` is NULL or not freed.
 */
size_t llg_matcher_get_mask_byte_size(const LlgMatcher *matcher);

/**
 * Takes a token: 0, or -1 if it may not come next, which ends the matcher.
 *
 * Before the first mask, a token that may not come next leads back to the beginning: in a chat, llama.cpp hands over the
 * end of the prompt first, which is no part of the text.
 *
 * # Safety
 * `matcher` is NULL, or not freed, and nobody else uses it.
 */
int32_t llg_matcher_consume_token(LlgMatcher *matcher,
                                  uint32_t token);

/**
 * Goes back to the beginning: 0, or -1 of a matcher with an error.
 *
 * # Safety
 * `matcher` is NULL, or not freed, and nobody else uses it.
 */
int32_t llg_matcher_reset(LlgMatcher *matcher);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* LLGUIDANCE_H */

//! The functions of llguidance that llama.cpp calls (`common/llguidance.cpp`), over the crate frisket.
//!
//! Source of names and layouts: llguidance 1.0.1, `llguidance.h`, the version that llama.cpp builds.

use crate::message::{caught, terminated};
use crate::pointer::{answered, buffer, free, handle, items, reference};
use frisket::{Code, Error, Grammar, Limits, Matcher, Result, SchemaOptions, Vocabulary};
use std::ffi::{c_char, c_void, CString};
use std::ptr::{null, null_mut};

/// The byte before the name of a special token among the bytes of the tokens.
const SPECIAL: u8 = 0xff;

/// A vocabulary. Clones share it, and all masks that were composed for it.
pub struct LlgTokenizer(Vocabulary);

/// One sequence's position in a text of a grammar, with its last mask; or the error that ended it.
#[derive(Clone)]
pub struct LlgMatcher {
    /// Nothing if the grammar has an error.
    matcher: Option<Matcher>,
    mask: Vec<u32>,
    /// Whether the mask is that of the position.
    is_computed: bool,
    /// Whether a mask was computed since the beginning.
    is_begun: bool,
    error: Option<CString>,
}

/// Tokenizes bytes; never called.
pub type LlgTokenizeFn = Option<
    unsafe extern "C" fn(
        user_data: *const c_void,
        bytes: *const u8,
        bytes_len: usize,
        output_tokens: *mut u32,
        output_tokens_len: usize,
    ) -> usize,
>;

/// A tokenizer, as the caller describes it.
#[repr(C)]
pub struct LlgTokenizerInit {
    /// The number of tokens.
    pub vocab_size: u32,
    /// The token that ends a text.
    pub tok_eos: u32,
    /// The number of bytes of each token.
    pub token_lens: *const u32,
    /// The bytes of all tokens, one after another: 0xff and its name for a special token.
    pub token_bytes: *const u8,
    /// The text of a tokenizer.json, or NULL; read where it is given, in place of lengths and bytes.
    pub tokenizer_json: *const c_char,
    /// Not read.
    pub tokenize_assumes_string: bool,
    /// Not read: masks need no tokenization.
    pub tokenize_fn: LlgTokenizeFn,
    /// Not read.
    pub use_approximate_greedy_tokenize_fn: bool,
    /// Not read.
    pub tokenize_user_data: *const c_void,
    /// Not read.
    pub slices: *const *const c_char,
}

/// The beginning of llguidance's struct of that name. Limits follow there, in other sizes from version to version: they are
/// neither written nor read here.
#[repr(C)]
pub struct LlgConstraintInit {
    /// The tokenizer.
    pub tokenizer: *const LlgTokenizer,
    /// Not read.
    pub log_buffer_level: u32,
    /// Not read.
    pub log_stderr_level: u32,
    /// Not read.
    pub ff_tokens_ok: bool,
    /// Not read.
    pub backtrack_ok: bool,
}

impl LlgMatcher {
    /// Does something with the matcher: 0, or -1, and from then on the error is the matcher's.
    fn act(&mut self, act: impl FnOnce(&mut Matcher, &mut Vec<u32>) -> Result<()>) -> i32 {
        let Some(matcher) = self.matcher.as_mut().filter(|_| self.error.is_none()) else { return -1 };
        match caught(|| act(matcher, &mut self.mask)) {
            Ok(()) => 0,
            Err(error) => {
                self.error = Some(error);
                -1
            }
        }
    }
}

/// What `act` answers of a matcher; `otherwise` if it is null.
///
/// # Safety
/// `matcher` is null, or not freed, and nobody else uses it.
unsafe fn with<T>(matcher: *mut LlgMatcher, otherwise: T, act: impl FnOnce(&mut LlgMatcher) -> T) -> T {
    // SAFETY: promised by the caller.
    answered(otherwise, || unsafe { matcher.as_mut() }.map(act))
}

/// Makes a tokenizer. NULL if that fails; then `error_string` has the reason, cut to `error_string_len` bytes.
///
/// # Safety
/// Pointers are NULL or valid for what the fields say.
#[no_mangle]
pub unsafe extern "C" fn llg_new_tokenizer(
    tok_init: *const LlgTokenizerInit,
    error_string: *mut c_char,
    error_string_len: usize,
) -> *mut LlgTokenizer {
    // SAFETY: promised by the caller.
    match caught(|| unsafe { vocabulary(reference(tok_init, "tok_init")?) }) {
        Ok(vocabulary) => handle(LlgTokenizer(vocabulary)),
        Err(error) => {
            // SAFETY: promised by the caller.
            if let Ok(place) = unsafe { buffer(error_string.cast::<u8>(), error_string_len, "error_string") } {
                write(&error, place);
            }
            null_mut()
        }
    }
}

/// The vocabulary that the caller describes.
///
/// # Safety
/// Pointers are null or valid for what the fields say.
unsafe fn vocabulary(init: &LlgTokenizerInit) -> Result<Vocabulary> {
    let size = init.vocab_size as usize;
    if !init.tokenizer_json.is_null() {
        // SAFETY: promised by the caller.
        let text = unsafe { terminated(init.tokenizer_json, "tokenizer_json") }?;
        return Vocabulary::from_tokenizer_json(text, (size > 0).then_some(size), Some(&[init.tok_eos]));
    }
    // SAFETY: promised by the caller.
    let lengths = unsafe { items(init.token_lens, size, "token_lens") }?;
    let total = lengths.iter().map(|&length| length as usize).sum();
    // SAFETY: promised by the caller.
    let mut rest = unsafe { items(init.token_bytes, total, "token_bytes") }?;
    let (mut texts, mut special) = (Vec::with_capacity(size), Vec::new());
    for (id, &length) in (0..).zip(lengths) {
        let (text, after) = rest.split_at(length as usize);
        rest = after;
        texts.push(match text {
            [SPECIAL, name @ ..] if !name.is_empty() => {
                special.push((String::from_utf8_lossy(name), id));
                &[]
            }
            text => text,
        });
    }
    Vocabulary::from_bytes(texts, special, &[init.tok_eos])
}

/// Writes as many characters of a text as there is place for, and a zero byte.
fn write(text: &CString, place: &mut [u8]) {
    let Some(most) = place.len().checked_sub(1) else { return };
    let text = text.to_str().unwrap_or_default();
    let end = (0..=most.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    place[..end].copy_from_slice(&text.as_bytes()[..end]);
    place[end] = 0;
}

/// Another handle of the tokenizer, to be freed, too.
///
/// # Safety
/// `tok` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn llg_clone_tokenizer(tok: *const LlgTokenizer) -> *mut LlgTokenizer {
    // SAFETY: promised by the caller.
    answered(null_mut(), || Some(handle(LlgTokenizer(unsafe { tok.as_ref() }?.0.clone()))))
}

/// Frees a tokenizer, once; its matchers may go on.
///
/// # Safety
/// `tok` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn llg_free_tokenizer(tok: *mut LlgTokenizer) {
    // SAFETY: promised by the caller.
    unsafe { free(tok) }
}

/// Writes the tokenizer and zeros.
///
/// # Safety
/// `init` is NULL or valid for writes.
#[no_mangle]
pub unsafe extern "C" fn llg_constraint_init_set_defaults(
    init: *mut LlgConstraintInit,
    tokenizer: *const LlgTokenizer,
) {
    // SAFETY: promised by the caller.
    if let Some(init) = unsafe { init.as_mut() } {
        *init = LlgConstraintInit {
            tokenizer,
            log_buffer_level: 0,
            log_stderr_level: 0,
            ff_tokens_ok: false,
            backtrack_ok: false,
        };
    }
}

/// Makes a matcher at the beginning of a text; never NULL. If that fails, `llg_matcher_get_error` says why.
///
/// `constraint_type` is `lark`, `json_schema` (or `json`) or `json_object`.
///
/// # Safety
/// Pointers are NULL or valid, texts end with a zero byte.
#[no_mangle]
pub unsafe extern "C" fn llg_new_matcher(
    init: *const LlgConstraintInit,
    constraint_type: *const c_char,
    data: *const c_char,
) -> *mut LlgMatcher {
    let made = caught(|| {
        // SAFETY: promised by the caller, for all of the block.
        let (tokenizer, kind, data) = unsafe {
            let tokenizer = reference(reference(init, "init")?.tokenizer, "the tokenizer")?;
            (tokenizer, terminated(constraint_type, "constraint_type")?, terminated(data, "data")?)
        };
        let compiled = grammar(kind, data)?.compile(&tokenizer.0, &Limits::default())?;
        Ok((compiled.matcher(), vec![0; tokenizer.0.mask_words()]))
    });
    handle(match made {
        Ok((matcher, mask)) => {
            LlgMatcher { matcher: Some(matcher), mask, is_computed: false, is_begun: false, error: None }
        }
        Err(error) => {
            LlgMatcher { matcher: None, mask: Vec::new(), is_computed: false, is_begun: false, error: Some(error) }
        }
    })
}

/// The grammar of a text of a kind.
fn grammar(kind: &str, text: &str) -> Result<Grammar> {
    let limits = Limits::default();
    let of_schema = |schema| Grammar::from_json_schema(schema, &SchemaOptions::default(), &limits);
    match kind {
        "lark" => Grammar::from_lark(text, "start", &limits),
        "json" | "json_schema" => of_schema(text),
        "json_object" => of_schema("{\"type\": \"object\"}"),
        _ => {
            Err(Error::misuse(format!("there is no kind {kind}"), "there are lark, json_schema, json and json_object"))
        }
    }
}

/// Another matcher at the same position; either goes on alone.
///
/// # Safety
/// `matcher` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn llg_clone_matcher(matcher: *const LlgMatcher) -> *mut LlgMatcher {
    // SAFETY: promised by the caller.
    answered(null_mut(), || Some(handle(unsafe { matcher.as_ref() }?.clone())))
}

/// Frees a matcher, once.
///
/// # Safety
/// `matcher` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn llg_free_matcher(matcher: *mut LlgMatcher) {
    // SAFETY: promised by the caller.
    unsafe { free(matcher) }
}

/// The error of the matcher, which it keeps until it is freed; NULL if there is none.
///
/// # Safety
/// `matcher` is NULL, or not freed, and nobody else uses it.
#[no_mangle]
pub unsafe extern "C" fn llg_matcher_get_error(matcher: *mut LlgMatcher) -> *const c_char {
    // SAFETY: promised by the caller.
    unsafe {
        with(matcher, c"matcher is NULL".as_ptr(), |matcher| {
            matcher.error.as_ref().map_or(null(), |text| text.as_ptr())
        })
    }
}

/// Computes the mask of the tokens that may come next; once the text has ended, of the token that ends it. 0, or -1.
///
/// # Safety
/// `matcher` is NULL, or not freed, and nobody else uses it.
#[no_mangle]
pub unsafe extern "C" fn llg_matcher_compute_mask(matcher: *mut LlgMatcher) -> i32 {
    // SAFETY: promised by the caller.
    unsafe {
        with(matcher, -1, |matcher| {
            let code = matcher.act(|inner, mask| inner.fill_mask(mask));
            matcher.is_computed = code == 0;
            matcher.is_begun = true;
            code
        })
    }
}

/// The mask, bit t % 32 of word t / 32 for token t, as it is up to the next call; NULL if the position has none yet.
///
/// # Safety
/// `matcher` is NULL, or not freed, and nobody else uses it.
#[no_mangle]
pub unsafe extern "C" fn llg_matcher_get_mask(matcher: *mut LlgMatcher) -> *const u32 {
    // SAFETY: promised by the caller.
    unsafe { with(matcher, null(), |matcher| if matcher.is_computed { matcher.mask.as_ptr() } else { null() }) }
}

/// The bytes of a mask; 0 of a matcher whose grammar has an error.
///
/// # Safety
/// `matcher` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn llg_matcher_get_mask_byte_size(matcher: *const LlgMatcher) -> usize {
    // SAFETY: promised by the caller.
    answered(0, || Some(unsafe { matcher.as_ref() }?.mask.len() * size_of::<u32>()))
}

/// Takes a token: 0, or -1 if it may not come next, which ends the matcher.
///
/// Before the first mask, a token that may not come next leads back to the beginning: in a chat, llama.cpp hands over the
/// end of the prompt first, which is no part of the text.
///
/// # Safety
/// `matcher` is NULL, or not freed, and nobody else uses it.
#[no_mangle]
pub unsafe extern "C" fn llg_matcher_consume_token(matcher: *mut LlgMatcher, token: u32) -> i32 {
    // SAFETY: promised by the caller.
    unsafe {
        with(matcher, -1, |matcher| {
            matcher.is_computed = false;
            let is_begun = matcher.is_begun;
            matcher.act(|inner, _| match inner.advance(token) {
                Err(error) if !is_begun && error.code() == Code::TokenRejected => {
                    inner.reset();
                    Ok(())
                }
                taken => taken,
            })
        })
    }
}

/// Goes back to the beginning: 0, or -1 of a matcher with an error.
///
/// # Safety
/// `matcher` is NULL, or not freed, and nobody else uses it.
#[no_mangle]
pub unsafe extern "C" fn llg_matcher_reset(matcher: *mut LlgMatcher) -> i32 {
    // SAFETY: promised by the caller.
    unsafe {
        with(matcher, -1, |matcher| {
            (matcher.is_computed, matcher.is_begun) = (false, false);
            matcher.act(|inner, _| {
                inner.reset();
                Ok(())
            })
        })
    }
}

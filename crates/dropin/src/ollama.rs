//! The functions that Ollama's MLX runner looks up in `libollama_xgrammar`, over the crate frisket.
//!
//! Source of names and layouts: github.com/ollama/ollama, `x/mlxrunner/xgrammar`. Every function that can fail returns 0,
//! or 1, and then `ollama_xgrammar_last_error` says why on the same thread.

use crate::message::caught;
use crate::pointer::{buffer, free, handle, items, place, reference, utf8};
use frisket::{Code, Error, Grammar, Limits, Matcher, Result, SchemaOptions, Vocabulary};
use serde::Deserialize;
use std::cell::RefCell;
use std::ffi::{c_char, c_int, CString};
use std::ptr::null_mut;

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Does something: 0, or 1, with the error kept for `ollama_xgrammar_last_error`.
fn act(act: impl FnOnce() -> Result<()>) -> c_int {
    let (code, error) = match caught(act) {
        Ok(()) => (0, CString::default()),
        Err(error) => (1, error),
    };
    // Nothing is kept by a thread that is ending.
    let _ = LAST_ERROR.try_with(|last| *last.borrow_mut() = error);
    code
}

/// Name and version of the library.
#[no_mangle]
pub extern "C" fn ollama_xgrammar_version() -> *const c_char {
    concat!("frisket ", env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// The error of the thread's last call, empty if there was none; valid up to the thread's next call.
#[no_mangle]
pub extern "C" fn ollama_xgrammar_last_error() -> *const c_char {
    LAST_ERROR.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Makes the vocabulary of a model, under the name of a compiler.
///
/// `token_offsets` has the end of each token in `token_data`. Ids from `token_count` to `vocab_size` have no text, and
/// `stop_token_ids` end a text. Threads and cache are not read: grammars are compiled by the caller's thread in
/// microseconds, and what they have in common is kept with the vocabulary.
///
/// # Safety
/// Pointers are null or valid for as many items as the number that follows them says.
#[no_mangle]
pub unsafe extern "C" fn ollama_xgrammar_compiler_new(
    token_data: *const c_char,
    token_data_size: usize,
    token_offsets: *const u64,
    token_count: usize,
    vocab_size: i32,
    stop_token_ids: *const i32,
    stop_token_count: usize,
    _max_threads: i32,
    _cache_bytes: i64,
    compiler: *mut *mut Vocabulary,
) -> c_int {
    // SAFETY: promised by the caller, for all of the block.
    act(|| unsafe {
        let made = place(compiler, "compiler")?;
        *made = null_mut();
        let data = items(token_data.cast::<u8>(), token_data_size, "token_data")?;
        let ends = items(token_offsets, token_count, "token_offsets")?;
        let stops = items(stop_token_ids, stop_token_count, "stop_token_ids")?;
        *made = handle(vocabulary(data, ends, vocab_size, stops)?);
        Ok(())
    })
}

/// The vocabulary of tokens that end at these places of their texts.
fn vocabulary(data: &[u8], ends: &[u64], size: i32, stops: &[i32]) -> Result<Vocabulary> {
    let size = usize::try_from(size).ok().filter(|&size| size >= ends.len());
    let size =
        size.ok_or_else(|| Error::misuse("vocab_size is less than token_count", "give the width of the logits"))?;
    let (mut texts, mut begin) = (Vec::with_capacity(size), 0);
    for (token, &end) in ends.iter().enumerate() {
        let end = usize::try_from(end).unwrap_or(usize::MAX);
        let text = data.get(begin..end).ok_or_else(|| {
            Error::misuse(
                format!("token_offsets[{token}] is {end}"),
                "give the end of each token, none before the last",
            )
        })?;
        texts.push(text);
        begin = end;
    }
    if begin != data.len() {
        let message = format!("the tokens end at {begin} of {} bytes", data.len());
        return Err(Error::misuse(message, "give the end of each token"));
    }
    texts.resize(size, &[]);
    let stops = stops.iter().map(|&stop| u32::try_from(stop).unwrap_or(u32::MAX));
    Vocabulary::from_bytes(texts, [("", 0); 0], &stops.collect::<Vec<_>>())
}

/// Frees a compiler, once; its matchers may go on.
///
/// # Safety
/// `compiler` is null or not freed.
#[no_mangle]
pub unsafe extern "C" fn ollama_xgrammar_compiler_free(compiler: *mut Vocabulary) {
    // SAFETY: promised by the caller.
    unsafe { free(compiler) }
}

/// Makes a matcher of a JSON Schema, or of a structural tag.
///
/// Older versions of Ollama call it with `(compiler, kind, source, source_size, matcher)`, where the kind is 0 for a schema.
/// Newer ones leave the kind out, and all others move up by one place. The second word tells: a source is not at address 0.
///
/// # Safety
/// Pointers are null or valid, the source for as many bytes as its size says.
#[no_mangle]
pub unsafe extern "C" fn ollama_xgrammar_matcher_new(
    compiler: *const Vocabulary,
    second: usize,
    third: usize,
    fourth: usize,
    fifth: usize,
) -> c_int {
    let (source, size, matcher) = if second == 0 { (third, fourth, fifth) } else { (second, third, fourth) };
    // SAFETY: promised by the caller, for all of the block.
    act(|| unsafe {
        let source = utf8(source as *const c_char, size, "source")?;
        if source.is_empty() {
            return Err(Error::misuse("the source is empty", "give a JSON Schema"));
        }
        let made = place(matcher as *mut *mut Matcher, "matcher")?;
        *made = null_mut();
        let vocabulary = reference(compiler, "compiler")?;
        let limits = Limits::default();
        *made = handle(grammar(source, &limits)?.compile(vocabulary, &limits)?.matcher());
        Ok(())
    })
}

/// The member that tells a structural tag from a schema.
#[derive(Deserialize)]
struct Tag<'a> {
    r#type: &'a str,
}

/// The grammar of a source: a structural tag, or a schema. Both spell JSON as schemas do by default.
fn grammar(source: &str, limits: &Limits) -> Result<Grammar> {
    let options = SchemaOptions::default();
    match serde_json::from_str(source) {
        Ok(Tag { r#type: "structural_tag" }) => Grammar::from_structural_tag(source, Some(&options), limits),
        _ => Grammar::from_json_schema(source, &options, limits),
    }
}

/// Frees a matcher, once.
///
/// # Safety
/// `matcher` is null or not freed.
#[no_mangle]
pub unsafe extern "C" fn ollama_xgrammar_matcher_free(matcher: *mut Matcher) {
    // SAFETY: promised by the caller.
    unsafe { free(matcher) }
}

/// Writes the tokens that may come next, bit t % 32 of word t / 32 for token t. `needs_apply` is 0 once the text has
/// ended, else 1. A mask without any token says that no token spells what must come.
///
/// # Safety
/// `matcher` is null, or not freed and nobody else uses it; other pointers are null or valid.
#[no_mangle]
pub unsafe extern "C" fn ollama_xgrammar_matcher_fill(
    matcher: *mut Matcher,
    bitmask: *mut i32,
    bitmask_words: usize,
    needs_apply: *mut c_int,
) -> c_int {
    // SAFETY: promised by the caller, for all of the block.
    act(|| unsafe {
        let matcher = place(matcher, "matcher")?;
        let mask = buffer(bitmask.cast::<u32>(), bitmask_words, "bitmask")?;
        let needs_apply = place(needs_apply, "needs_apply")?;
        if mask.len() != matcher.mask_words() {
            let message = format!("bitmask_words is {bitmask_words}");
            return Err(Error::misuse(message, format!("give {} words", matcher.mask_words())));
        }
        match matcher.fill_mask(mask) {
            Err(error) if error.code() == Code::Vocabulary => mask.fill(0),
            filled => filled?,
        }
        *needs_apply = c_int::from(!matcher.ended());
        Ok(())
    })
}

/// Takes a token. `accepted` is 0 if it may not come next; the matcher is then as it was.
///
/// # Safety
/// `matcher` is null, or not freed and nobody else uses it; `accepted` is null or valid for writes.
#[no_mangle]
pub unsafe extern "C" fn ollama_xgrammar_matcher_accept(
    matcher: *mut Matcher,
    token_id: i32,
    accepted: *mut c_int,
) -> c_int {
    // SAFETY: promised by the caller, for all of the block.
    act(|| unsafe {
        let matcher = place(matcher, "matcher")?;
        let accepted = place(accepted, "accepted")?;
        let token = u32::try_from(token_id)
            .map_err(|_| Error::misuse(format!("token_id is {token_id}"), "give a token of the vocabulary"))?;
        *accepted = match matcher.advance(token) {
            Ok(()) => 1,
            Err(error) if error.code() == Code::TokenRejected => 0,
            Err(error) => return Err(error),
        };
        Ok(())
    })
}

/// Takes back the last tokens, that which ended the text among them. Errors: fewer were taken.
///
/// # Safety
/// `matcher` is null, or not freed and nobody else uses it.
#[no_mangle]
pub unsafe extern "C" fn ollama_xgrammar_matcher_rollback(matcher: *mut Matcher, num_tokens: i32) -> c_int {
    // SAFETY: promised by the caller.
    act(|| unsafe {
        let matcher = place(matcher, "matcher")?;
        let steps = usize::try_from(num_tokens)
            .map_err(|_| Error::misuse(format!("num_tokens is {num_tokens}"), "give 0 or more"))?;
        matcher.rollback(steps)
    })
}

/// Says whether a token that ends the text was taken.
///
/// # Safety
/// `matcher` is null or not freed; `terminated` is null or valid for writes.
#[no_mangle]
pub unsafe extern "C" fn ollama_xgrammar_matcher_is_terminated(
    matcher: *const Matcher,
    terminated: *mut c_int,
) -> c_int {
    // SAFETY: promised by the caller, for all of the block.
    act(|| unsafe {
        *place(terminated, "terminated")? = c_int::from(reference(matcher, "matcher")?.ended());
        Ok(())
    })
}

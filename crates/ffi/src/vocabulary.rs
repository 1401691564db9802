//! Tokens of C → vocabularies.

use crate::guard::{guarded, FrisketCode};
use crate::pointer::{answered, free, handle, items, place, reference, utf8};
use frisket::{Error, Result, Vocabulary};
use std::ffi::{c_char, CStr};

/// The bytes of every token of a tokenizer; shared by threads and grammars.
pub struct FrisketVocabulary(pub(crate) Vocabulary);

/// A token that is no text, by its name.
#[repr(C)]
pub struct FrisketSpecialToken {
    /// The name, which ends with a zero byte.
    pub name: *const c_char,
    /// The id.
    pub id: u32,
}

/// Makes a vocabulary of the bytes of its tokens.
///
/// `texts` has the bytes of all tokens, one after another, `lengths` the number of bytes of each: 0 for a token without
/// text. Give as many tokens as the model's logits have rows. `special` names tokens that are no text, `eos` are the ids
/// that end a text.
///
/// # Safety
/// Pointers are NULL or valid for as many items as the number that follows them says.
#[no_mangle]
pub unsafe extern "C" fn frisket_vocabulary_from_bytes(
    texts: *const u8,
    texts_length: usize,
    lengths: *const u32,
    count: usize,
    special: *const FrisketSpecialToken,
    special_count: usize,
    eos: *const u32,
    eos_count: usize,
    vocabulary: *mut *mut FrisketVocabulary,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        guarded(error, || {
            let made = place(vocabulary, "vocabulary")?;
            let texts = items(texts, texts_length, "texts")?;
            let lengths = items(lengths, count, "lengths")?;
            let special = items(special, special_count, "special")?;
            let eos = items(eos, eos_count, "eos")?;
            if lengths.iter().map(|&length| u64::from(length)).sum::<u64>() != texts_length as u64 {
                return Err(Error::misuse("the lengths are not those of the texts", "give the bytes of all tokens"));
            }
            let named = special.iter().map(|token| named(token)).collect::<Result<Vec<_>>>()?;
            *made =
                handle(FrisketVocabulary(Vocabulary::from_block(lengths, texts, named, eos.to_vec(), lengths.len())?));
            Ok(())
        })
    }
}

/// # Safety
/// The name is null, or ends with a zero byte.
unsafe fn named(token: &FrisketSpecialToken) -> Result<(String, u32)> {
    // SAFETY: promised by the caller.
    let name = unsafe { CStr::from_ptr(reference(token.name, "the name of a special token")?) };
    match name.to_str() {
        Ok(name) => Ok((name.to_owned(), token.id)),
        Err(_) => Err(Error::misuse("the name of a special token is no UTF-8", "encode it as UTF-8")),
    }
}

/// Makes a vocabulary of the text of a Hugging Face tokenizer.json.
///
/// `size`: the rows of the model's logits if they are more than the tokenizer's ids, else 0. `eos`: the ids that end a text;
/// with `eos_count` 0, the special tokens with well-known names for it.
///
/// # Safety
/// Pointers are NULL or valid for as many items as the number that follows them says.
#[no_mangle]
pub unsafe extern "C" fn frisket_vocabulary_from_tokenizer_json(
    text: *const c_char,
    length: usize,
    size: usize,
    eos: *const u32,
    eos_count: usize,
    vocabulary: *mut *mut FrisketVocabulary,
    error: *mut *mut c_char,
) -> FrisketCode {
    // SAFETY: promised by the caller, for all of the block.
    unsafe {
        guarded(error, || {
            let made = place(vocabulary, "vocabulary")?;
            let text = utf8(text, length, "text")?;
            let eos = items(eos, eos_count, "eos")?;
            let (size, eos) = ((size > 0).then_some(size), (!eos.is_empty()).then_some(eos));
            *made = handle(FrisketVocabulary(Vocabulary::from_tokenizer_json(text, size, eos)?));
            Ok(())
        })
    }
}

/// The number of ids, including those without text; 0 for NULL.
///
/// # Safety
/// `vocabulary` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn frisket_vocabulary_size(vocabulary: *const FrisketVocabulary) -> usize {
    // SAFETY: promised by the caller.
    answered(0, || Some(unsafe { vocabulary.as_ref() }?.0.size()))
}

/// The uint32 words of one mask, (size + 31) / 32; 0 for NULL.
///
/// # Safety
/// `vocabulary` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn frisket_vocabulary_mask_words(vocabulary: *const FrisketVocabulary) -> usize {
    // SAFETY: promised by the caller.
    answered(0, || Some(unsafe { vocabulary.as_ref() }?.0.mask_words()))
}

/// The bytes of a token, which live as long as the vocabulary, and their number; NULL and 0 for a token without text.
///
/// # Safety
/// `vocabulary` is NULL or not freed; `length` is NULL or valid for writes.
#[no_mangle]
pub unsafe extern "C" fn frisket_vocabulary_token(
    vocabulary: *const FrisketVocabulary,
    token: u32,
    length: *mut usize,
) -> *const u8 {
    // SAFETY: promised by the caller.
    let text = answered(None, || Some(unsafe { vocabulary.as_ref() }?.0.token(token)));
    // SAFETY: promised by the caller.
    if let Some(length) = unsafe { length.as_mut() } {
        *length = text.map_or(0, <[u8]>::len);
    }
    text.map_or(std::ptr::null(), <[u8]>::as_ptr)
}

/// Frees a vocabulary, once. Compiled grammars and their matchers may go on.
///
/// # Safety
/// `vocabulary` is NULL or not freed.
#[no_mangle]
pub unsafe extern "C" fn frisket_vocabulary_free(vocabulary: *mut FrisketVocabulary) {
    // SAFETY: promised by the caller.
    unsafe { free(vocabulary) }
}

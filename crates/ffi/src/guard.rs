//! A call of C → its result: 0, or a code with the error as JSON. Nothing unwinds into C.

use frisket::Result;
use std::ffi::{c_char, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::null_mut;

/// The result of a call. Numbers stay as they are from version to version.
#[repr(i32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrisketCode {
    /// The call did what it says.
    Ok = 0,
    /// The schema is no JSON, or no schema.
    SchemaInvalid = 1,
    /// The schema has places that cannot be enforced exactly.
    SchemaUnsupported = 2,
    /// No value is valid under the schema.
    SchemaUnsatisfiable = 3,
    /// The grammar is put together wrongly.
    Grammar = 4,
    /// The text is not in its notation.
    GrammarSyntax = 5,
    /// The grammar has no text.
    GrammarEmpty = 6,
    /// The vocabulary is broken, or cannot spell what the grammar asks for.
    Vocabulary = 7,
    /// A limit was reached.
    Limit = 8,
    /// The call was cancelled.
    Cancelled = 9,
    /// The tokens that are left do not finish the text.
    Budget = 10,
    /// The token or text may not come next.
    TokenRejected = 11,
    /// An argument is wrong: NULL, no UTF-8, or a buffer that is too small.
    Misuse = 12,
    /// Another thread was in a call of the object when its process forked this one.
    Forked = 13,
    /// A bug in the library.
    Bug = 14,
}

impl From<frisket::Code> for FrisketCode {
    fn from(code: frisket::Code) -> Self {
        match code {
            frisket::Code::SchemaInvalid => FrisketCode::SchemaInvalid,
            frisket::Code::SchemaUnsupported => FrisketCode::SchemaUnsupported,
            frisket::Code::SchemaUnsatisfiable => FrisketCode::SchemaUnsatisfiable,
            frisket::Code::Grammar => FrisketCode::Grammar,
            frisket::Code::GrammarSyntax => FrisketCode::GrammarSyntax,
            frisket::Code::GrammarEmpty => FrisketCode::GrammarEmpty,
            frisket::Code::Vocabulary => FrisketCode::Vocabulary,
            frisket::Code::Limit => FrisketCode::Limit,
            frisket::Code::Cancelled => FrisketCode::Cancelled,
            frisket::Code::Budget => FrisketCode::Budget,
            frisket::Code::TokenRejected => FrisketCode::TokenRejected,
            frisket::Code::Misuse => FrisketCode::Misuse,
            frisket::Code::Forked => FrisketCode::Forked,
            _ => FrisketCode::Bug,
        }
    }
}

/// The code of the result of `act`. `error`, unless it is null, gets null, or the error as JSON.
///
/// # Safety
/// `error` is null or valid for writes.
pub unsafe fn guarded(error: *mut *mut c_char, act: impl FnOnce() -> Result<()>) -> FrisketCode {
    // The conversion of the error is inside: it must not unwind either.
    let done = catch_unwind(AssertUnwindSafe(|| match act() {
        Ok(()) => (FrisketCode::Ok, null_mut()),
        Err(failure) => (failure.code().into(), if error.is_null() { null_mut() } else { text(failure.to_json()) }),
    }));
    let (code, json) = done.unwrap_or((FrisketCode::Bug, null_mut()));
    if !error.is_null() {
        // SAFETY: valid for writes, by the caller's promise.
        unsafe { error.write(json) };
    }
    code
}

/// A text of C, which `frisket_text_free` frees.
pub fn text(text: String) -> *mut c_char {
    CString::new(text).map_or(null_mut(), CString::into_raw)
}

/// Frees a text that the library has given, once; NULL is fine.
///
/// # Safety
/// `text` is NULL or was given by this library and is not freed yet.
#[no_mangle]
pub unsafe extern "C" fn frisket_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: made by `text`, by the caller's promise.
        drop(unsafe { CString::from_raw(text) });
    }
}

//! A call of C → its result: 0, or a code with the error as JSON. Nothing unwinds into C.

use frisket::{Error, Result};
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

/// The code of what `act` makes. `error`, unless it is null, gets null, or the error as JSON.
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

/// The result of a question that cannot fail; `otherwise` where the handle is null or the answer panics.
pub fn answered<T>(otherwise: T, act: impl FnOnce() -> Option<T>) -> T {
    catch_unwind(AssertUnwindSafe(act)).ok().flatten().unwrap_or(otherwise)
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

/// What a pointer of C refers to. Errors: null.
///
/// # Safety
/// `pointer` is null, or valid for as long as the result is used.
pub unsafe fn reference<'a, T>(pointer: *const T, name: &str) -> Result<&'a T> {
    // SAFETY: promised by the caller.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// The place of a result. Errors: null.
///
/// # Safety
/// `pointer` is null, or valid for writes for as long as the result is used.
pub unsafe fn place<'a, T>(pointer: *mut T, name: &str) -> Result<&'a mut T> {
    // SAFETY: promised by the caller.
    unsafe { pointer.as_mut() }.ok_or_else(|| null(name))
}

fn null(name: &str) -> Box<Error> {
    Error::misuse(format!("{name} is NULL"), "give what the function's description says")
}

/// The items of an array of C. Errors: null, unless there are none; more bytes than an array may have.
///
/// # Safety
/// `pointer` is null, or valid for `length` items for as long as the result is used.
pub unsafe fn items<'a, T>(pointer: *const T, length: usize, name: &str) -> Result<&'a [T]> {
    if length == 0 {
        return Ok(&[]);
    }
    check(pointer, length, name)?;
    // SAFETY: promised by the caller; checked above.
    Ok(unsafe { std::slice::from_raw_parts(pointer, length) })
}

/// As `items`, to be written.
///
/// # Safety
/// `pointer` is null, or valid for `length` items, which nobody else uses, for as long as the result is used.
pub unsafe fn buffer<'a, T>(pointer: *mut T, length: usize, name: &str) -> Result<&'a mut [T]> {
    if length == 0 {
        return Ok(&mut []);
    }
    check(pointer, length, name)?;
    // SAFETY: promised by the caller; checked above.
    Ok(unsafe { std::slice::from_raw_parts_mut(pointer, length) })
}

fn check<T>(pointer: *const T, length: usize, name: &str) -> Result<()> {
    if pointer.is_null() {
        return Err(null(name));
    }
    if !pointer.is_aligned() {
        return Err(Error::misuse(format!("{name} is not aligned"), "give an array of its type"));
    }
    match length.checked_mul(size_of::<T>()).is_some_and(|bytes| isize::try_from(bytes).is_ok()) {
        true => Ok(()),
        false => Err(Error::misuse(format!("{name} cannot have {length} items"), "give the number of items")),
    }
}

/// A text of C, of so many bytes. Errors: null, no UTF-8.
///
/// # Safety
/// As for `items`.
pub unsafe fn utf8<'a>(pointer: *const c_char, length: usize, name: &str) -> Result<&'a str> {
    // SAFETY: promised by the caller.
    let bytes = unsafe { items(pointer.cast::<u8>(), length, name) }?;
    std::str::from_utf8(bytes).map_err(|fault| {
        Error::misuse(format!("{name} is no UTF-8 from byte {} on", fault.valid_up_to()), "encode it as UTF-8")
    })
}

/// A handle of C.
pub fn handle<T>(value: T) -> *mut T {
    Box::into_raw(Box::new(value))
}

/// Frees a handle; what its destructor panics with is dropped.
///
/// # Safety
/// `pointer` is null, or was made by `handle` and is not freed yet.
pub unsafe fn free<T>(pointer: *mut T) {
    if !pointer.is_null() {
        // SAFETY: promised by the caller.
        let value = unsafe { Box::from_raw(pointer) };
        answered((), || {
            drop(value);
            Some(())
        });
    }
}

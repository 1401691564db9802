//! An error → a text of C; a panic → an error.

use frisket::{Error, Result};
use std::ffi::{c_char, CStr, CString};
use std::panic::{catch_unwind, AssertUnwindSafe};

/// The result of `act`; the error, or a panic, as a text of C.
pub fn caught<T>(act: impl FnOnce() -> Result<T>) -> std::result::Result<T, CString> {
    let done = catch_unwind(AssertUnwindSafe(|| act().map_err(|error| text(&error.to_string()))));
    done.unwrap_or_else(|_| Err(c"a bug in frisket: report it, with what you called".to_owned()))
}

/// The text up to the first zero byte.
fn text(text: &str) -> CString {
    let end = text.find('\0').unwrap_or(text.len());
    CString::new(&text[..end]).unwrap_or_default()
}

/// A text of C that ends with a zero byte. Errors: null, no UTF-8.
///
/// # Safety
/// `pointer` is null, or a text that lives for as long as the result is used.
pub unsafe fn terminated<'a>(pointer: *const c_char, name: &str) -> Result<&'a str> {
    if pointer.is_null() {
        return Err(Error::misuse(format!("{name} is NULL"), "give a text that ends with a zero byte"));
    }
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(pointer) }.to_str().map_err(|fault| {
        Error::misuse(format!("{name} is no UTF-8 from byte {} on", fault.valid_up_to()), "encode it as UTF-8")
    })
}

//! Pointers of C → references, slices and texts, checked; values → handles of C. Shared with `crates/dropin`.

use frisket::{Error, Result};
use std::ffi::c_char;
use std::panic::{catch_unwind, AssertUnwindSafe};

/// The result of a question that cannot fail; `otherwise` if the handle is null or the answer panics.
pub fn answered<T>(otherwise: T, act: impl FnOnce() -> Option<T>) -> T {
    catch_unwind(AssertUnwindSafe(act)).ok().flatten().unwrap_or(otherwise)
}

/// The value that a pointer of C refers to. Errors: null.
///
/// # Safety
/// `pointer` is null, or valid for as long as the result is used.
pub unsafe fn reference<'a, T>(pointer: *const T, name: &str) -> Result<&'a T> {
    // SAFETY: promised by the caller.
    unsafe { pointer.as_ref() }.ok_or_else(|| null(name))
}

/// The place where a result is written. Errors: null.
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

/// A text of C, of `length` bytes. Errors: null, no UTF-8.
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

/// Frees a handle; a panic of its destructor is dropped.
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

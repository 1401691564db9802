//! Python's integers → Rust integers, or an error that says what range is accepted.
//!
//! Python's integers are unbounded, and each type of Rust has its own range.

use pyo3::exceptions::{PyOverflowError, PyValueError};
use pyo3::prelude::*;
use std::fmt;

/// A number of steps, rows or bytes; ValueError if Rust's type cannot hold it.
pub struct Whole<T>(pub T);

impl<'py, T: FromPyObject<'py> + Bounded> FromPyObject<'py> for Whole<T> {
    fn extract_bound(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        given.extract().map(Whole).map_err(|error| match error.is_instance_of::<PyOverflowError>(given.py()) {
            true => PyValueError::new_err(match given.lt(0) {
                Ok(true) => format!("a number from 0 on is wanted, not {}", written(given)),
                _ => format!("{} is not between 0 and {}", written(given), T::GREATEST),
            }),
            false => error,
        })
    }
}

pub trait Bounded {
    const GREATEST: u64;
}

impl Bounded for u32 {
    const GREATEST: u64 = u32::MAX as u64;
}

impl Bounded for u64 {
    const GREATEST: u64 = u64::MAX;
}

impl Bounded for usize {
    const GREATEST: u64 = usize::MAX as u64;
}

/// A token's id: any integer. An id that is negative or beyond all vocabularies is no token, and may never come.
pub enum TokenId {
    Known(u32),
    Beyond(String),
}

/// An id that no vocabulary has.
const NOBODYS: u32 = u32::MAX;

impl TokenId {
    /// The id; for integers that are no token, an id that no vocabulary has.
    pub fn id(&self) -> u32 {
        match *self {
            TokenId::Known(id) => id,
            TokenId::Beyond(_) => NOBODYS,
        }
    }
}

impl fmt::Display for TokenId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TokenId::Known(id) => id.fmt(f),
            TokenId::Beyond(text) => text.fmt(f),
        }
    }
}

impl<'py> FromPyObject<'py> for TokenId {
    fn extract_bound(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        match given.extract() {
            Ok(id) => Ok(TokenId::Known(id)),
            Err(error) if error.is_instance_of::<PyOverflowError>(given.py()) => Ok(TokenId::Beyond(written(given))),
            Err(error) => Err(error),
        }
    }
}

pub fn written(given: &Bound<'_, PyAny>) -> String {
    // Python itself refuses to write out thousands of digits.
    given.str().map_or_else(|_| "an integer of thousands of digits".into(), |text| text.to_string())
}

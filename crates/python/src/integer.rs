//! Python's values → Rust's own: integers, or an error that says what range is accepted; bytes.
//!
//! Python's integers are unbounded, and each type of Rust has its own range.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyBytes, PyInt, PyString};
use std::fmt;

/// Integers, alone or in lists and tuples; ValueError if Rust's type cannot hold one.
#[derive(Clone, Copy)]
pub struct Whole<T>(pub T);

impl<'py, T: FromPyObject<'py> + Bounded> FromPyObject<'py> for Whole<T> {
    fn extract_bound(given: &Bound<'py, PyAny>) -> PyResult<Self> {
        given.extract().map(Whole).map_err(|error| match error.is_instance_of::<PyOverflowError>(given.py()) {
            true => PyValueError::new_err(match (given.is_instance_of::<PyInt>(), given.lt(0)) {
                (true, Ok(true)) => format!("a number from 0 on is wanted, not {}", written(given)),
                (true, _) => format!("{} is not between 0 and {}", written(given), T::GREATEST),
                (false, _) => format!("it holds a number that is not between 0 and {}", T::GREATEST),
            }),
            false => error,
        })
    }
}

/// A type with a greatest integer.
pub trait Bounded {
    const GREATEST: u64;
}

macro_rules! bounded {
    ($($($name:ident)* => $type:ty: $greatest:expr;)*) => {
        $(impl<$($name: Bounded),*> Bounded for $type { const GREATEST: u64 = $greatest; })*
    };
}

bounded! {
    => bool: 0;
    => String: 0;
    => u8: u8::MAX as u64;
    => u32: u32::MAX as u64;
    => u64: u64::MAX;
    => usize: usize::MAX as u64;
    T => Vec<T>: T::GREATEST;
    A B => (A, B): if A::GREATEST > B::GREATEST { A::GREATEST } else { B::GREATEST };
    A B C => (A, B, C): <(A, (B, C))>::GREATEST;
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
            Err(_) if given.is_instance_of::<PyString>() || given.is_instance_of::<PyBytes>() => {
                Err(PyTypeError::new_err("a token is given by its id; Matcher.advance_bytes takes bytes of text"))
            }
            Err(error) => Err(error),
        }
    }
}

fn written(given: &Bound<'_, PyAny>) -> String {
    // Python itself refuses to write out thousands of digits.
    given.str().map_or_else(|_| "an integer of thousands of digits".into(), |text| text.to_string())
}

/// Bytes; a str is refused with the call that was meant.
pub fn bytes(given: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    match given.is_instance_of::<PyString>() {
        true => Err(PyTypeError::new_err("bytes are wanted, got a str: write text.encode()")),
        false => given.extract(),
    }
}

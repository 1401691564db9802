//! Arguments from Python → Rust's own values: integers of `GrammarBuilder`, or a ValueError that names the argument and
//! its range; bytes.
//!
//! Python's integers are unbounded. PyO3 reports one that does not fit as an OverflowError that names no argument.

use crate::integer::written;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyInt, PyString};

/// A reader for each argument: `#[pyo3(from_py_with = argument::node)]`.
macro_rules! arguments {
    ($($name:ident: $kind:ty, $range:expr;)*) => {
        $(pub fn $name(given: &Bound<'_, PyAny>) -> PyResult<$kind> {
            within(given, stringify!($name), $range)
        })*
    };
}

const NODE: &str = "from 0 to 4294967295";
const COUNT: &str = "from 0 to 18446744073709551615";
const VALUES: &str = "from 0 to 4294967295 (nodes) or 18446744073709551615 (marks)";

arguments! {
    node: u32, NODE;
    nodes: Vec<u32>, NODE;
    left: u32, NODE;
    right: u32, NODE;
    rule: u32, NODE;
    body: u32, NODE;
    root: u32, NODE;
    prefix: Vec<u32>, NODE;
    rest: Option<u32>, NODE;
    open: u32, NODE;
    close: u32, NODE;
    colon: u32, NODE;
    comma: u32, NODE;
    empty: u32, NODE;
    of: u32, NODE;
    implies: Vec<(u32, u32)>, NODE;
    orders: Vec<Vec<u32>>, NODE;
    byte_ranges: Vec<(u8, u8)>, "from 0 to 255";
    char_ranges: Vec<(u32, u32)>, NODE;
    min: u64, COUNT;
    max: Option<u64>, COUNT;
    limit: usize, COUNT;
    steps: u64, COUNT;
    memory_bytes: usize, COUNT;
    min_properties: u64, COUNT;
    max_properties: Option<u64>, COUNT;
    required_marks: u64, COUNT;
    clauses: Vec<(u64, u64)>, COUNT;
    min_items: u64, COUNT;
    max_items: Option<u64>, COUNT;
    properties: Vec<(String, bool, Vec<(u32, u64)>)>, VALUES;
    extras: Vec<(u32, Vec<(u32, u64)>)>, VALUES;
    states: Vec<(bool, Vec<(u32, u32)>)>, NODE;
}

fn within<'py, T: FromPyObject<'py>>(given: &Bound<'py, PyAny>, name: &str, range: &str) -> PyResult<T> {
    given.extract().map_err(|error| {
        if !error.is_instance_of::<PyOverflowError>(given.py()) {
            return error;
        }
        let name = if name.ends_with("_ranges") { "ranges" } else { name };
        PyValueError::new_err(match given.is_instance_of::<PyInt>() {
            true => format!("{name} is an integer {range}, not {}", written(given)),
            false => format!("{name} holds integers {range} only"),
        })
    })
}

/// Bytes; a str is refused with the call that was meant.
pub fn bytes(given: &Bound<'_, PyAny>) -> PyResult<PyBackedBytes> {
    match given.is_instance_of::<PyString>() {
        true => Err(PyTypeError::new_err("bytes are wanted, got a str: write text.encode()")),
        false => given.extract(),
    }
}

/// Whether every escape of JSON may be used, as `escapes` says.
pub fn is_free(escapes: &str) -> PyResult<bool> {
    match escapes {
        "raw" => Ok(false),
        "free" => Ok(true),
        other => Err(PyValueError::new_err(format!("escapes is \"raw\" or \"free\", not {other:?}"))),
    }
}

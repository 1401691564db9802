//! A JSON text × where a value lies in it → the text without that value.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;

/// Nothing where there is no such value, or where the text is not JSON by the letter: that is for Python to judge.
#[pyfunction]
pub fn without<'py>(text: &Bound<'py, PyBytes>, keys: Vec<String>) -> Option<Bound<'py, PyBytes>> {
    let (py, bytes) = (text.py(), text.as_bytes());
    let (from, to) = py.detach(|| place(std::str::from_utf8(bytes).ok()?, &keys))?;
    Some(PyBytes::new(py, &[&bytes[..from], b"null", &bytes[to..]].concat()))
}

fn place(text: &str, keys: &[String]) -> Option<(usize, usize)> {
    let mut value = text;
    for key in keys {
        let members: HashMap<Cow<str>, &RawValue> = serde_json::from_str(value).ok()?;
        value = members.get(key.as_str())?.get();
    }
    let from = value.as_ptr() as usize - text.as_ptr() as usize;
    Some((from, from + value.len()))
}

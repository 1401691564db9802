//! JSON text × the keys that lead to a value in it → the text with null in place of that value.
//!
//! Part of a document can thus be read apart from the rest, without parsing what is cut out.

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::fmt;

/// A JSON text with null in place of the value that these keys lead to, which is not read; None if there is none, or
/// if the text is not JSON by the letter (`json.loads` takes more).
#[pyfunction]
pub fn without<'py>(text: &Bound<'py, PyBytes>, keys: Vec<String>) -> Option<Bound<'py, PyBytes>> {
    let (py, bytes) = (text.py(), text.as_bytes());
    let (from, to) = py.detach(|| place(std::str::from_utf8(bytes).ok()?, &keys))?;
    Some(PyBytes::new(py, &[&bytes[..from], b"null", &bytes[to..]].concat()))
}

fn place(text: &str, keys: &[String]) -> Option<(usize, usize)> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = At(keys).deserialize(&mut reader).ok()??.get();
    reader.end().ok()?;
    let from = value.as_ptr() as usize - text.as_ptr() as usize;
    Some((from, from + value.len()))
}

/// The value that keys lead to, all others only checked. Of members with one name, the last one counts.
struct At<'a>(&'a [String]);

impl<'de> DeserializeSeed<'de> for At<'_> {
    type Value = Option<&'de RawValue>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if self.0.is_empty() {
            return <&RawValue>::deserialize(deserializer).map(Some);
        }
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for At<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(key) = members.next_key::<String>()? {
            if key == self.0[0] {
                found = members.next_value_seed(At(&self.0[1..]))?;
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

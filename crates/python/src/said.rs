//! Subschema without titles and descriptions → canonical bytes: subschemas with equal bytes accept equal values.
//!
//! Generated schemas repeat a constraint in full (a member and the pattern that covers it, a base and its extension).
//! Equal bytes show that a member needs to meet one schema rather than a conjunction of two equal ones.

use pyo3::prelude::*;
use pyo3::types::{PyAnyMethods, PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

/// Values that are looked at: what is larger is one place only.
const VALUES: usize = 512;
const DEPTH: usize = 32;

/// What of a keyword's value may be schemas, as in `resolve.py`: the value itself, its items, or its members.
const ITSELF: u8 = 1;
const ITEMS: u8 = 2;
const MEMBERS: u8 = 4;
/// What such a keyword means depends on more than the place, or on options.
const ELSEWHERE: [&str; 6] = ["$id", "id", "$schema", "$dynamicRef", "$recursiveRef", "nullable"];

/// What a schema says by these keywords, each with what its values hold (`HOLDS` of `resolve.py`), all else aside:
/// the same bytes, the same values. None if it is large, or if it says what depends on where it stands or on an
/// option.
#[pyfunction]
pub fn said(schema: &Bound<'_, PyAny>, keywords: &Bound<'_, PyDict>) -> Option<Vec<u8>> {
    said_by(schema, &|keyword| keywords.get_item(keyword).ok()??.extract().ok())
}

/// `holds` says of a keyword that counts what its value holds.
pub fn said_by(schema: &Bound<'_, PyAny>, holds: &dyn Fn(&str) -> Option<u8>) -> Option<Vec<u8>> {
    let mut writer = Writer { holds, bytes: Vec::new(), left: VALUES };
    writer.schema(schema, 0)?;
    Some(writer.bytes)
}

struct Writer<'a> {
    holds: &'a dyn Fn(&str) -> Option<u8>,
    bytes: Vec<u8>,
    left: usize,
}

impl Writer<'_> {
    fn schema(&mut self, schema: &Bound<'_, PyAny>, depth: usize) -> Option<()> {
        let Ok(dict) = schema.downcast_exact::<PyDict>() else {
            return schema.is_exact_instance_of::<PyBool>().then(|| self.value(schema, depth))?;
        };
        self.begin(b'S', depth)?;
        for (keyword, value) in dict.iter() {
            let keyword = keyword.downcast_exact::<PyString>().ok()?;
            let keyword = keyword.to_str().ok()?;
            if ELSEWHERE.contains(&keyword) {
                return None;
            }
            let Some(holds) = (self.holds)(keyword) else { continue };
            self.text(b'k', keyword);
            match (value.downcast_exact::<PyDict>(), value.downcast_exact::<PyList>()) {
                (Ok(_), _) if holds & ITSELF != 0 => self.schema(&value, depth + 1)?,
                (Ok(map), _) if holds & MEMBERS != 0 => {
                    self.begin(b'M', depth)?;
                    for (key, schema) in map.iter() {
                        self.text(b'k', key.downcast_exact::<PyString>().ok()?.to_str().ok()?);
                        if schema.is_exact_instance_of::<PyDict>() {
                            self.schema(&schema, depth + 1)?;
                        } else {
                            self.value(&schema, depth + 1)?;
                        }
                    }
                    self.bytes.push(b'.');
                }
                (_, Ok(list)) if holds & ITEMS != 0 => {
                    self.begin(b'L', depth)?;
                    for schema in list.iter() {
                        self.schema(&schema, depth + 1)?;
                    }
                    self.bytes.push(b'.');
                }
                _ => self.value(&value, depth + 1)?,
            }
        }
        self.bytes.push(b'.');
        Some(())
    }

    /// Data: all of it counts.
    fn value(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> Option<()> {
        self.begin(b'V', depth)?;
        if let Ok(text) = value.downcast_exact::<PyString>() {
            self.text(b'u', text.to_str().ok()?);
        } else if let Ok(list) = value.downcast_exact::<PyList>() {
            self.bytes.push(b'[');
            for item in list.iter() {
                self.value(&item, depth + 1)?;
            }
            self.bytes.push(b'.');
        } else if let Ok(dict) = value.downcast_exact::<PyDict>() {
            self.bytes.push(b'{');
            for (key, item) in dict.iter() {
                self.text(b'k', key.downcast_exact::<PyString>().ok()?.to_str().ok()?);
                self.value(&item, depth + 1)?;
            }
            self.bytes.push(b'.');
        } else if let Ok(flag) = value.downcast_exact::<PyBool>() {
            self.bytes.push(if flag.is_true() { b'T' } else { b'F' });
        } else if value.is_exact_instance_of::<PyInt>() {
            self.bytes.push(b'i');
            self.bytes.extend(value.extract::<i64>().ok()?.to_le_bytes());
        } else if let Ok(float) = value.downcast_exact::<PyFloat>() {
            self.bytes.push(b'g');
            self.bytes.extend(float.value().to_le_bytes());
        } else {
            value.is_none().then(|| self.bytes.push(b'N'))?;
        }
        Some(())
    }

    fn begin(&mut self, kind: u8, depth: usize) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        self.bytes.push(kind);
        (depth < DEPTH).then_some(())
    }

    fn text(&mut self, kind: u8, text: &str) {
        self.bytes.push(kind);
        self.bytes.extend((text.len() as u64).to_le_bytes());
        self.bytes.extend(text.as_bytes());
    }
}

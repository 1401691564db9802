//! Plain JSON value → the bytes of `marshal.dumps(value, 2)`.
//!
//! These bytes are the key under which recent compiles are found. This walk does not touch the code of `marshal`, which
//! no other step of a compile needs and which would first have to be read into the processor's caches.

use crate::error::build;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// Levels; what is deeper is for Python.
const DEEPEST: usize = 200;

/// Levels after which `marshal` gives up.
const DEEPEST_OF_MARSHAL: usize = 2_000;

/// Bytes of a value that is written out, about 0.1 s of this walk. A dict may hold another one twice, and that one a
/// third one twice: sixty such levels are a small object in memory and never end when written out. The recent results
/// hold no more bytes than these together, so a larger schema would not be kept anyway.
const LARGEST: usize = 32_000_000;

/// `marshal.dumps(value, 2)` of a JSON value; None if that is not plain (a subclass, a lone surrogate) or deep.
/// LimitExceededError if it is larger than 32 MB.
#[pyfunction]
pub fn content<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let mut bytes = Vec::with_capacity(4096);
    if write(value, &mut bytes, 0).is_some() {
        return Ok(Some(PyBytes::new(value.py(), &bytes)));
    }
    if bytes.len() > LARGEST || is_too_large(value) {
        return Err(too_large(value.py()));
    }
    Ok(None)
}

/// Whether a value that is not plain is too large for Python to write out.
fn is_too_large(value: &Bound<'_, PyAny>) -> bool {
    let mut left = LARGEST;
    let mut stack = vec![(value.clone(), 0)];
    while let Some((value, depth)) = stack.pop() {
        let text = value.downcast::<PyString>().map_or(0, |text| text.len().unwrap_or(0));
        match left.checked_sub(text + 8) {
            Some(rest) => left = rest,
            None => return true,
        }
        if depth == DEEPEST_OF_MARSHAL {
            continue;
        }
        if let Ok(dict) = value.downcast::<PyDict>() {
            stack.extend(dict.iter().flat_map(|(key, value)| [key, value]).map(|below| (below, depth + 1)));
        } else if let Ok(list) = value.downcast::<PyList>() {
            stack.extend(list.iter().map(|below| (below, depth + 1)));
        } else if let Ok(tuple) = value.downcast::<PyTuple>() {
            stack.extend(tuple.iter().map(|below| (below, depth + 1)));
        }
    }
    false
}

fn too_large(py: Python<'_>) -> PyErr {
    let message = format!("the schema is too large: written out it takes more than {} MB", LARGEST / 1_000_000);
    let hint = "put what occurs in several places into $defs and refer to it";
    build(py, "LimitExceededError", &message, hint, None).unwrap_or_else(|failure| failure)
}

fn write(value: &Bound<'_, PyAny>, bytes: &mut Vec<u8>, depth: usize) -> Option<()> {
    if bytes.len() > LARGEST {
        return None;
    }
    let length = |length: usize| u32::try_from(length).ok().filter(|&length| length < 1 << 31).map(u32::to_le_bytes);
    if let Ok(text) = value.downcast_exact::<PyString>() {
        let text = text.to_str().ok()?;
        bytes.push(b'u');
        bytes.extend(length(text.len())?);
        bytes.extend(text.as_bytes());
    } else if let Ok(dict) = value.downcast_exact::<PyDict>() {
        if depth == DEEPEST {
            return None;
        }
        bytes.push(b'{');
        for (key, value) in dict.iter() {
            write(&key, bytes, depth + 1)?;
            write(&value, bytes, depth + 1)?;
        }
        bytes.push(b'0');
    } else if let Ok(list) = value.downcast_exact::<PyList>() {
        if depth == DEEPEST {
            return None;
        }
        bytes.push(b'[');
        bytes.extend(length(list.len())?);
        for value in list.iter() {
            write(&value, bytes, depth + 1)?;
        }
    } else if let Ok(flag) = value.downcast_exact::<PyBool>() {
        bytes.push(if flag.is_true() { b'T' } else { b'F' });
    } else if value.is_exact_instance_of::<PyInt>() {
        bytes.push(b'i');
        bytes.extend(value.extract::<i32>().ok()?.to_le_bytes());
    } else if let Ok(float) = value.downcast_exact::<PyFloat>() {
        bytes.push(b'g');
        bytes.extend(float.value().to_le_bytes());
    } else {
        value.is_none().then(|| bytes.push(b'N'))?;
    }
    Some(())
}

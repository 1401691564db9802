//! A plain JSON value → its bytes, as `marshal.dumps(value, 2)` has them.
//!
//! Every compile asks whether the schema was compiled lately. Python's own walk would do, but the code that it takes is
//! for nothing else, and what is read once for each schema costs more than what is done with it.

use crate::sorted::Order;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};

/// Levels; what is deeper is for Python.
const DEEPEST: usize = 200;

/// `marshal.dumps(value, 2)` of a JSON value; None if that is not plain (a subclass, a lone surrogate), large or
/// deep.
#[pyfunction]
pub fn content<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyBytes>> {
    content_and_order(value).map(|(bytes, _)| bytes)
}

/// And whether the properties of a schema come in an order that a tool made (`sorted`): one walk for both.
pub fn content_and_order<'py>(value: &Bound<'py, PyAny>) -> Option<(Bound<'py, PyBytes>, bool)> {
    let mut bytes = Vec::with_capacity(4096);
    let mut order = Order::default();
    write(value, &mut bytes, Some(&mut order), 0)?;
    Some((PyBytes::new(value.py(), &bytes), order.is_sorted()))
}

/// `order` looks at what is no data.
fn write(value: &Bound<'_, PyAny>, bytes: &mut Vec<u8>, mut order: Option<&mut Order>, depth: usize) -> Option<()> {
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
            write(&key, bytes, None, depth + 1)?;
            let mut below = order.as_deref_mut();
            if value.is_exact_instance_of::<PyDict>() || value.is_exact_instance_of::<PyList>() {
                if let Ok(keyword) = key.downcast_exact::<PyString>() {
                    below = below.and_then(|order| order.look(keyword.to_str().ok()?, &value).then_some(order));
                }
            }
            write(&value, bytes, below, depth + 1)?;
        }
        bytes.push(b'0');
    } else if let Ok(list) = value.downcast_exact::<PyList>() {
        if depth == DEEPEST {
            return None;
        }
        bytes.push(b'[');
        bytes.extend(length(list.len())?);
        for value in list.iter() {
            write(&value, bytes, order.as_deref_mut(), depth + 1)?;
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

//! Tree of the native front end → value of Python.

use frisket::front_end::schema::json::{Key, NodeId, Text, Tree, Value};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString};

/// The value of a tree; numbers are their numerals, as bytes.
pub fn written<'py>(py: Python<'py>, tree: &Tree) -> PyResult<Bound<'py, PyAny>> {
    written_node(py, tree, tree.root())
}

/// Recursive, as tests write trees of few levels.
fn written_node<'py>(py: Python<'py>, tree: &Tree, node: NodeId) -> PyResult<Bound<'py, PyAny>> {
    Ok(match tree.value(node) {
        Value::Null => py.None().into_bound(py),
        Value::Boolean(flag) => PyBool::new(py, flag).to_owned().into_any(),
        Value::Number(numeral) | Value::NonFinite(numeral) | Value::Foreign(numeral) => {
            numeral.as_bytes().into_pyobject(py)?.into_any()
        }
        Value::String(text) => string(py, text)?,
        Value::Array(items) => {
            let items = items.iter().map(|&item| written_node(py, tree, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any()
        }
        Value::Object(members) => {
            let dict = PyDict::new(py);
            for member in members.iter() {
                let key = match member.key {
                    Key::Text(text) => string(py, text)?,
                    Key::Foreign(name) => PyString::new(py, name).into_any(),
                };
                dict.set_item(key, written_node(py, tree, member.value)?)?;
            }
            dict.into_any()
        }
    })
}

fn string<'py>(py: Python<'py>, text: Text<'_>) -> PyResult<Bound<'py, PyAny>> {
    match text {
        Text::Unicode(text) => Ok(PyString::new(py, text).into_any()),
        Text::Surrogates(points) => {
            let bytes: Vec<u8> = points.iter().flat_map(|point| point.to_le_bytes()).collect();
            pyo3::types::PyBytes::new(py, &bytes).call_method1("decode", ("utf-32-le", "surrogatepass"))
        }
    }
}

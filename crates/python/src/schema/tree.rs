//! Value of Python → tree of the native front end.

use crate::content::members;
use crate::schema::numeral;
use frisket::front_end::schema::error::{Error, Result};
use frisket::front_end::schema::json::{NodeId, OwnedText, Text, Tree, TreeBuilder};
use frisket::front_end::Watch;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use rustc_hash::FxHashMap;

/// Parts that are still to be pushed, the innermost last.
enum Task<'py> {
    Value(Bound<'py, PyAny>),
    Member(Bound<'py, PyAny>, Bound<'py, PyAny>),
    End(usize),
}

/// The tree of a value; lists and dicts that occur twice are one node.
pub fn read(value: &Bound<'_, PyAny>, watch: Watch) -> Result<Tree> {
    let mut builder = TreeBuilder::default();
    builder.watched_by(watch);
    // None while a list or dict is open: a value that holds itself is no tree.
    let mut known: FxHashMap<usize, Option<NodeId>> = FxHashMap::default();
    let mut tasks = vec![Task::Value(value.clone())];
    while let Some(task) = tasks.pop() {
        let value = match task {
            Task::End(address) => {
                known.insert(address, Some(builder.end()?));
                continue;
            }
            Task::Member(key, value) => {
                match key.downcast::<PyString>() {
                    Ok(key) => text(key, |text| builder.key(text))?,
                    Err(_) => builder.foreign_key(&key.to_string())?,
                }
                value
            }
            Task::Value(value) => value,
        };
        if let Ok(string) = value.downcast_exact::<PyString>() {
            text(string, |text| builder.string(text))?;
        } else if let Some(&node) = known.get(&(value.as_ptr() as usize)) {
            builder.shared(node.ok_or_else(holds_itself)?)?;
        } else if let Ok(dict) = value.downcast::<PyDict>() {
            builder.begin_object()?;
            known.insert(value.as_ptr() as usize, None);
            tasks.push(Task::End(value.as_ptr() as usize));
            let first = tasks.len();
            members(dict, |key, value| tasks.push(Task::Member(key, value)));
            tasks[first..].reverse();
        } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
            builder.begin_array()?;
            known.insert(value.as_ptr() as usize, None);
            tasks.push(Task::End(value.as_ptr() as usize));
            let first = tasks.len();
            let items = value.try_iter().and_then(|items| items.collect::<PyResult<Vec<_>>>());
            tasks.extend(items.map_err(failed)?.into_iter().map(Task::Value));
            tasks[first..].reverse();
        } else {
            scalar(&mut builder, &value)?;
        }
    }
    Ok(builder.finish())
}

fn scalar(builder: &mut TreeBuilder, value: &Bound<'_, PyAny>) -> Result<NodeId> {
    if value.is_none() {
        builder.null()
    } else if let Ok(flag) = value.downcast::<PyBool>() {
        builder.boolean(flag.is_true())
    } else if let Ok(string) = value.downcast::<PyString>() {
        text(string, |text| builder.string(text))
    } else if value.is_instance_of::<PyInt>() {
        numeral::integer(builder, value)
    } else if let Ok(float) = value.downcast::<PyFloat>() {
        numeral::float(builder, float.value())
    } else {
        let name = value.get_type().name().map_err(failed)?.to_string();
        match &*name {
            "Decimal" => {
                let shown = value.str().map_err(failed)?.to_string();
                match value.call_method0("is_finite").and_then(|flag| flag.is_truthy()).map_err(failed)? {
                    true => builder.number(&shown),
                    false => builder.non_finite(&shown),
                }
            }
            _ => builder.foreign(&name),
        }
    }
}

/// The result of `make` for a string, which in Python may hold half of a surrogate pair.
fn text<T>(string: &Bound<'_, PyString>, make: impl FnOnce(Text<'_>) -> T) -> T {
    match string.to_str() {
        Ok(text) => make(Text::Unicode(text)),
        Err(_) => {
            let points = string.call_method1("encode", ("utf-32-le", "surrogatepass")).and_then(|bytes| {
                let bytes: Vec<u8> = bytes.extract()?;
                Ok(bytes.chunks(4).map(|point| u32::from_le_bytes([point[0], point[1], point[2], point[3]])).collect())
            });
            make(OwnedText::from_code_points(&points.unwrap_or_else(|_: PyErr| Vec::new())).as_text())
        }
    }
}

fn holds_itself() -> Box<Error> {
    Error::invalid("the schema holds itself, which no JSON does")
        .at("")
        .with_hint("name the part that recurs in $defs and refer to it with $ref")
}

fn failed(error: PyErr) -> Box<Error> {
    Error::invalid(format!("a value cannot be read: {error}"))
        .at("")
        .with_hint("JSON has null, booleans, numbers, strings, lists and dicts")
}

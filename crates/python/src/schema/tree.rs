//! Value of Python → tree of the native front end.

use crate::gil::take_turns;
use crate::walk::{Part, Walk};
use frisket::front_end::schema::error::{Error, Result};
use frisket::front_end::schema::json::{NodeId, Text, Tree, TreeBuilder};
use frisket::front_end::{Error as EngineError, Limit, Watch};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyString, PyType};
use rustc_hash::FxHashMap;

/// Digits beyond which Python does not write an integer out.
const LONGEST: usize = 4_300;

/// Bytes of a usual schema as JSON, for which room is made at once.
const USUAL: usize = 2_048;

/// Parts of a value after which other threads have their turn.
const SLICE: usize = 8_192;

/// The tree of a value; lists and dicts that occur twice are one node.
pub fn read(value: &Bound<'_, PyAny>, watch: Watch) -> Result<Tree> {
    let mut builder = TreeBuilder::default();
    builder.reserve(USUAL);
    builder.watched_by(watch);
    // No node while a list or dict is open: a value that holds itself is no tree. Values are kept, so that no other one can
    // have the address of one that a thread in its turn takes away.
    let mut known: FxHashMap<usize, (Bound<'_, PyAny>, Option<NodeId>)> = FxHashMap::default();
    let mut walk = Walk::new(value);
    let mut done = 0usize;
    while let Some(part) = walk.next() {
        done += 1;
        if done.is_multiple_of(SLICE) && !take_turns() {
            return Err(Box::new(EngineError::Limit(Limit::Cancelled)).into());
        }
        let value = match part {
            Part::End(whole) => {
                let node = builder.end()?;
                known.entry(whole.as_ptr() as usize).and_modify(|(_, known)| *known = Some(node));
                continue;
            }
            Part::Member(key, value) => {
                match key.downcast::<PyString>() {
                    Ok(key) => text(key, |text| builder.key(text))?,
                    Err(_) => builder.foreign_key(&key.to_string())?,
                }
                value
            }
            Part::Value(value) => value,
        };
        if let Ok(string) = value.downcast_exact::<PyString>() {
            text(string, |text| builder.string(text))?;
        } else if let Some((_, node)) = known.get(&(value.as_ptr() as usize)) {
            builder.shared(node.ok_or_else(holds_itself)?)?;
        } else if walk.open(&value).is_some() {
            match value.is_instance_of::<PyDict>() {
                true => builder.begin_object()?,
                false => builder.begin_array()?,
            }
            known.insert(value.as_ptr() as usize, (value, None));
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
        match value.extract::<i64>() {
            Ok(small) => builder.number(&small.to_string()),
            Err(_) => number(builder, value, &value.py().get_type::<PyInt>()),
        }
    } else if value.is_instance_of::<PyFloat>() {
        number(builder, value, &value.py().get_type::<PyFloat>())
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

/// Pushes a number as its plain class writes it: numpy's floats write themselves as `np.float64(0.1)`, members of an enum by
/// their names.
fn number(builder: &mut TreeBuilder, number: &Bound<'_, PyAny>, class: &Bound<'_, PyType>) -> Result<NodeId> {
    match class.call_method1("__repr__", (number,)).and_then(|digits| digits.extract::<String>()) {
        Ok(name) if name.ends_with(['n', 'f']) => builder.non_finite(&name),
        Ok(digits) => builder.number(&digits),
        // Python refuses to write out thousands of digits, and the front end to read them: here only their number
        // matters.
        Err(_) => builder.number(&"9".repeat(LONGEST)),
    }
}

/// The result of `make` for a string, which in Python may hold half of a surrogate pair.
fn text<T>(string: &Bound<'_, PyString>, make: impl FnOnce(Text<'_>) -> T) -> T {
    match string.to_str() {
        Ok(text) => make(Text::Unicode(text)),
        Err(_) => {
            let shown = string.call_method1("encode", ("utf-8", "backslashreplace"));
            let shown: Vec<u8> = shown.and_then(|bytes| bytes.extract()).unwrap_or_default();
            make(Text::Surrogates(&String::from_utf8_lossy(&shown)))
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

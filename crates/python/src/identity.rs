//! Subschema → what it has in common with the subschemas that the algebra treats as the same.
//!
//! Two subschemas of equal identity need neither be intersected nor told apart.

use crate::stock::Stock;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};

/// What two places have in common if they are one to the algebra.
#[derive(PartialEq, Eq, Clone, Debug)]
pub enum Identity {
    Anything,
    Nothing,
    Content(Box<[u8]>),
    Reference(String),
    Place(usize),
}

/// One condition, as it compares to others.
#[derive(PartialEq, Eq, Clone)]
pub enum Sign {
    Demands(Identity),
    Unique(Identity),
    Required(Vec<String>),
    Implies(Vec<(String, String)>),
    Least(u64),
    Most(u64),
}

/// Longer lists are not compared to find places that say the same (`SHORT` in place.py).
const SHORT: usize = 64;

pub fn identity(stock: &Stock, draft: u64, schema: &Bound<'_, PyAny>) -> Identity {
    if says_nothing(stock, schema) {
        return Identity::Anything;
    }
    let Ok(dict) = schema.downcast_exact::<PyDict>() else { return Identity::Nothing };
    let place = Identity::Place(dict.as_ptr() as usize);
    let (mut said, mut reference) = (0, None);
    for (keyword, value) in dict.iter() {
        let Ok(keyword) = keyword.downcast_exact::<PyString>() else { return place };
        let Ok(keyword) = keyword.to_str() else { return place };
        if !stock.keywords.contains_key(keyword) {
            continue;
        }
        said += 1;
        if let Ok(text) = value.downcast_exact::<PyString>() {
            if keyword.starts_with('$') {
                reference = Some((keyword == "$ref", text.to_string()));
            }
        } else if let Ok(list) = value.downcast_exact::<PyList>() {
            if list.len() >= SHORT
                || list.is_empty()
                || !list.iter().all(|item| item.is_exact_instance_of::<PyString>())
            {
                return place;
            }
        } else if value.is_none() || value.is_exact_instance_of::<PyDict>() {
            return place;
        }
    }
    match reference {
        Some((true, reference)) if said == 1 => Identity::Reference(reference),
        Some(_) => place,
        None => content(stock, draft, dict).map_or(place, Identity::Content),
    }
}

/// Whether a subschema asks nothing of a value.
pub fn says_nothing(stock: &Stock, schema: &Bound<'_, PyAny>) -> bool {
    if let Ok(dict) = schema.downcast_exact::<PyDict>() {
        return dict.keys().iter().all(|key| {
            let key = key.downcast_exact::<PyString>();
            key.is_ok_and(|key| key.to_str().is_ok_and(|key| !stock.keywords.contains_key(key)))
        });
    }
    schema.downcast_exact::<PyBool>().is_ok_and(|flag| flag.is_true())
}

/// What the keywords that count say, if all of that is scalars and lists of them.
pub fn content(stock: &Stock, draft: u64, schema: &Bound<'_, PyDict>) -> Option<Box<[u8]>> {
    let mut out = vec![draft as u8];
    for (keyword, value) in schema.iter() {
        let keyword = keyword.downcast_exact::<PyString>().ok()?;
        let keyword = keyword.to_str().ok()?;
        if stock.keywords.contains_key(keyword) {
            write(&mut out, b'k', keyword.as_bytes());
            match value.downcast_exact::<PyList>() {
                Ok(list) => {
                    write(&mut out, b'l', &(list.len() as u64).to_le_bytes());
                    list.iter().try_for_each(|item| scalar(&mut out, &item))?;
                }
                Err(_) => scalar(&mut out, &value)?,
            }
        }
    }
    Some(out.into())
}

fn write(out: &mut Vec<u8>, tag: u8, bytes: &[u8]) {
    out.push(tag);
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend(bytes);
}

fn scalar(out: &mut Vec<u8>, value: &Bound<'_, PyAny>) -> Option<()> {
    if let Ok(text) = value.downcast_exact::<PyString>() {
        write(out, b's', text.to_str().ok()?.as_bytes());
    } else if let Ok(flag) = value.downcast_exact::<PyBool>() {
        write(out, b'b', &[u8::from(flag.is_true())]);
    } else if value.is_none() {
        write(out, b'n', &[]);
    } else if value.is_exact_instance_of::<PyInt>() {
        write(out, b'i', &value.extract::<i64>().ok()?.to_le_bytes());
    } else {
        write(out, b'f', &value.downcast_exact::<PyFloat>().ok()?.value().to_bits().to_le_bytes());
    }
    Some(())
}

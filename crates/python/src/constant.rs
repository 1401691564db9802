//! JSON value → the node of the documents that spell it, as lower.py builds it from a subschema per part.
//!
//! A constant may be most of a schema, and the algebra has no conditions to read in it. Python takes 30 µs per part,
//! this walk less than one. Parts that the value holds several times (Python shares lists and dicts) are built once.

use crate::builder::GrammarBuilder;
use crate::error::raise;
use crate::lower::punctuation;
use crate::number;
use crate::order::orders_of;
use frisket_core::error::Result;
use frisket_core::grammar::builder::{Builder, ObjectRules};
use frisket_core::regular::term::TermId;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString};
use rustc_hash::{FxHashMap, FxHashSet};

/// Levels of one walk; deeper values are for Python, which cuts the levels into rules.
const DEEPEST: usize = 32;
/// Steps of a limit that a part costs, about 2 µs in a list, and that a call costs, most of it Python's.
const PER_PART: u64 = 100;
const PER_CALL: u64 = 300;
/// Parts between two looks at the limits.
const CHECKED: u64 = 256;

/// The nodes of constants under one schema's options, made by a builder without a step of Python.
///
/// `punctuation`: open, close, colon, comma, empty of objects; open, close, empty of arrays. `digits`: of an integer
/// that nothing bounds, None if integers may be written in other ways, too.
#[pyclass(frozen, module = "frisket._core")]
pub struct Constants {
    builder: Py<GrammarBuilder>,
    /// open, close, colon, comma, empty of objects; open, close, empty of arrays.
    punctuation: [u32; 8],
    free: bool,
    any_order: bool,
    /// Digits of an unbounded integer, if integers are digits only.
    digits: Option<usize>,
}

#[pymethods]
impl Constants {
    #[new]
    #[pyo3(signature = (builder, punctuation, *, free, any_order, digits))]
    fn new(
        builder: Py<GrammarBuilder>,
        punctuation: [u32; 8],
        free: bool,
        any_order: bool,
        digits: Option<usize>,
    ) -> Self {
        Constants { builder, punctuation, free, any_order, digits }
    }

    /// (whether the value was lowered, its node if any document spells it). Lists and dicts that it holds several
    /// times are made once. `otherwise` makes the node of a scalar that is not read here, None if no document spells
    /// it; a value that nests deep is left to the caller.
    #[pyo3(signature = (value, otherwise, /))]
    fn lower(&self, value: &Bound<'_, PyAny>, otherwise: &Bound<'_, PyAny>) -> PyResult<(bool, Option<u32>)> {
        let builder = self.builder.bind(value.py());
        let mut walk = Walk { constants: self, builder, otherwise, known: FxHashMap::default(), parts: 0, spelled: 0 };
        let made = walk.node(value, 0)?;
        walk.charge(PER_CALL)?;
        Ok((made.is_some(), made.flatten()))
    }
}

struct Walk<'a, 'py> {
    constants: &'a Constants,
    builder: &'a Bound<'py, GrammarBuilder>,
    otherwise: &'a Bound<'py, PyAny>,
    /// Lists and dicts that were met, by identity, with the parts that they spell.
    known: FxHashMap<usize, (Option<u32>, u64)>,
    /// Parts since the limits were last looked at.
    parts: u64,
    /// Parts so far. A list is one expression with its items, however often they are shared: their parts count each
    /// time. An object is an expression of its own, and counts once.
    spelled: u64,
}

impl<'py> Walk<'_, 'py> {
    /// The node, an inner nothing if no document spells the value; nothing if Python should lower the value.
    fn node(&mut self, value: &Bound<'py, PyAny>, depth: usize) -> PyResult<Option<Option<u32>>> {
        self.spell(1)?;
        if let Ok(text) = value.downcast_exact::<PyString>() {
            if let Ok(text) = text.to_str() {
                let free = self.constants.free;
                return self.made(|builder| {
                    let node = builder.words(vec![text.as_bytes().into()])?;
                    builder.quoted(node.number(), free)
                });
            }
        } else if value.is_none() {
            return self.word(b"null");
        } else if let Ok(flag) = value.downcast_exact::<PyBool>() {
            return self.word(if flag.is_true() { b"true" } else { b"false" });
        } else if value.is_exact_instance_of::<PyInt>() {
            if let (Some(digits), Ok(value)) = (self.constants.digits, value.extract::<i64>()) {
                let bound = Some((value, false));
                return self.call(|builder| number::integers(builder, bound, bound, digits)).map(Some);
            }
        } else {
            let dict = value.downcast_exact::<PyDict>();
            let list = value.downcast_exact::<PyList>();
            if dict.is_ok() || list.is_ok() {
                if depth == DEEPEST {
                    return Ok(None);
                }
                let place = value.as_ptr() as usize;
                if let Some(&(known, parts)) = self.known.get(&place) {
                    self.spell(parts)?;
                    return Ok(Some(known));
                }
                let before = self.spelled;
                let made = match dict {
                    Ok(dict) => {
                        let made = self.object(dict, depth)?;
                        self.spelled = before;
                        made
                    }
                    Err(_) => self.array(list?, depth)?,
                };
                if let Some(node) = made {
                    self.known.insert(place, (node, self.spelled - before));
                }
                return Ok(made);
            }
        }
        self.otherwise.call1((value,))?.extract().map(Some)
    }

    fn array(&mut self, list: &Bound<'py, PyList>, depth: usize) -> PyResult<Option<Option<u32>>> {
        let mut items = Vec::with_capacity(list.len());
        for item in list.iter() {
            match self.node(&item, depth + 1)? {
                Some(Some(node)) => items.push(node),
                other => return Ok(other),
            }
        }
        let [.., comma, _, open, close, empty] = self.constants.punctuation;
        self.made(|builder| {
            let signs = punctuation(builder, [open, close, comma, comma, empty])?;
            builder.array(&items, None, signs, items.len() as u32, None)
        })
    }

    fn object(&mut self, dict: &Bound<'py, PyDict>, depth: usize) -> PyResult<Option<Option<u32>>> {
        let mut properties = Vec::with_capacity(dict.len());
        for (key, value) in dict.iter() {
            let Ok(key) = key.downcast_exact::<PyString>() else { return Ok(None) };
            let Ok(key) = key.to_str() else { return Ok(None) };
            match self.node(&value, depth + 1)? {
                Some(Some(node)) => properties.push((key.to_owned(), true, vec![(node, 0)])),
                other => return Ok(other),
            }
        }
        let Constants { punctuation: [open, close, colon, comma, empty, ..], free, any_order, .. } = *self.constants;
        let orders = if any_order { Vec::new() } else { orders_of(&properties) };
        let rules = ObjectRules { any_order, extras_last: true, orders, free, ..ObjectRules::default() };
        self.made(|builder| {
            let signs = punctuation(builder, [open, close, colon, comma, empty])?;
            builder.object(properties, Vec::new(), signs, rules)
        })
    }

    fn word(&mut self, word: &[u8]) -> PyResult<Option<Option<u32>>> {
        self.made(|builder| builder.words(vec![word.into()]))
    }

    fn made(&self, call: impl FnOnce(&mut Builder) -> Result<TermId>) -> PyResult<Option<Option<u32>>> {
        Ok(Some(Some(self.call(call)?.number())))
    }

    fn call<T>(&self, call: impl FnOnce(&mut Builder) -> Result<T>) -> PyResult<T> {
        call(self.builder.borrow_mut().builder()?).map_err(raise)
    }

    fn spell(&mut self, parts: u64) -> PyResult<()> {
        self.spelled += parts;
        self.parts += parts;
        if self.parts < CHECKED {
            return Ok(());
        }
        self.charge(0)
    }

    fn charge(&mut self, more: u64) -> PyResult<()> {
        let steps = more + PER_PART * std::mem::take(&mut self.parts);
        self.call(|builder| builder.check(steps))
    }
}

/// Whether a value is JSON without a doubt: plain lists, dicts, texts and finite numbers, and no levels to speak of.
/// False says nothing.
#[pyfunction]
pub fn is_json(value: &Bound<'_, PyAny>) -> bool {
    let mut met = FxHashSet::default();
    is_plain(value, 0, &mut met)
}

fn is_plain(value: &Bound<'_, PyAny>, depth: usize, met: &mut FxHashSet<(usize, usize)>) -> bool {
    let is_text = |value: &Bound<'_, PyAny>| value.downcast_exact::<PyString>().is_ok_and(|text| text.to_str().is_ok());
    if let Ok(dict) = value.downcast_exact::<PyDict>() {
        // By level: a value within itself comes to an end, too.
        !met.insert((value.as_ptr() as usize, depth))
            || depth < DEEPEST && dict.iter().all(|(key, value)| is_text(&key) && is_plain(&value, depth + 1, met))
    } else if let Ok(list) = value.downcast_exact::<PyList>() {
        !met.insert((value.as_ptr() as usize, depth))
            || depth < DEEPEST && list.iter().all(|value| is_plain(&value, depth + 1, met))
    } else if value.is_exact_instance_of::<PyInt>() {
        value.extract::<i64>().is_ok()
    } else if let Ok(number) = value.downcast_exact::<PyFloat>() {
        number.value().is_finite()
    } else {
        value.is_none() || value.is_exact_instance_of::<PyBool>() || is_text(value)
    }
}

//! Value of Python → its parts, one after another, without recursion.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};

/// A part of a value that is being read.
pub enum Part<'py> {
    /// The value itself, or an item.
    Value(Bound<'py, PyAny>),
    /// A key and its value.
    Member(Bound<'py, PyAny>, Bound<'py, PyAny>),
    /// The end of a list, tuple or dict.
    End(Bound<'py, PyAny>),
}

/// Parts that are still to be read, the next one last.
pub struct Walk<'py>(Vec<Part<'py>>);

impl<'py> Walk<'py> {
    /// The walk through a value.
    pub fn new(value: &Bound<'py, PyAny>) -> Self {
        Walk(vec![Part::Value(value.clone())])
    }

    /// The next part.
    pub fn next(&mut self) -> Option<Part<'py>> {
        self.0.pop()
    }

    /// Makes the parts of a list, tuple or dict the next ones, and its end after them; returns how many parts it has.
    /// None for other values.
    ///
    /// Another thread may change the value later, so its parts are taken all at once.
    pub fn open(&mut self, value: &Bound<'py, PyAny>) -> Option<usize> {
        let end = self.0.len();
        self.0.push(Part::End(value.clone()));
        if let Ok(dict) = value.downcast::<PyDict>() {
            let member = |(key, value)| Part::Member(key, value);
            if cfg!(Py_GIL_DISABLED) {
                // The iterator of a dict that another thread changes meanwhile panics.
                self.0.extend(dict.items().into_iter().filter_map(|pair| pair.extract().ok()).map(member));
            } else {
                self.0.extend(dict.iter().map(member));
            }
        } else if let Ok(list) = value.downcast::<PyList>() {
            self.0.extend(list.iter().map(Part::Value));
        } else if let Ok(tuple) = value.downcast::<PyTuple>() {
            self.0.extend(tuple.iter().map(Part::Value));
        } else {
            self.0.truncate(end);
            return None;
        }
        self.0[end + 1..].reverse();
        Some(self.0.len() - end - 1)
    }
}

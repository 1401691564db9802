//! Content → the result computed for it recently: a bounded cache that drops the least recently used result first.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::atomic::{AtomicUsize, Ordering};

/// At most `count` results that weigh at most `weight` bytes together; the least recently used is dropped first.
/// Thread-safe. Keys are texts, bytes, numbers, or tuples of these: comparing them runs no Python code.
#[pyclass(frozen, module = "frisket._core.front_end")]
pub struct Recent {
    /// How many results are kept at most.
    #[pyo3(get)]
    count: usize,
    /// How many bytes they may weigh together.
    #[pyo3(get)]
    weight: usize,
    held: AtomicUsize,
    /// key → (value, weight), in the order of their last use.
    entries: Py<PyDict>,
}

#[pymethods]
impl Recent {
    #[new]
    #[pyo3(signature = (*, count, weight))]
    fn new(py: Python<'_>, count: usize, weight: usize) -> Self {
        Recent { count, weight, held: AtomicUsize::new(0), entries: PyDict::new(py).unbind() }
    }

    /// The result of a key; None if it was dropped or never put.
    #[pyo3(signature = (key, /))]
    pub fn get<'py>(&self, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let entries = self.entries.bind(key.py());
        let Some(entry) = entries.get_item(key)? else { return Ok(None) };
        entries.del_item(key)?;
        entries.set_item(key, &entry)?;
        entry.downcast::<PyTuple>()?.get_item(0).map(Some)
    }

    /// Keep a result, unless it alone weighs more than the cache holds.
    #[pyo3(signature = (key, value, weight, /))]
    pub fn put(&self, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, weight: usize) -> PyResult<()> {
        if weight > self.weight {
            return Ok(());
        }
        let entries = self.entries.bind(key.py());
        // What goes is freed at the end: that may take a while, and calls whatever its owner likes.
        let mut gone = Vec::new();
        if let Some(before) = entries.get_item(key)? {
            entries.del_item(key)?;
            self.let_go(before, &mut gone)?;
        }
        entries.set_item(key, (value, weight))?;
        self.held.fetch_add(weight, Ordering::Relaxed);
        while entries.len() > self.count || self.held.load(Ordering::Relaxed) > self.weight {
            let Some((first, entry)) = entries.iter().next() else { break };
            entries.del_item(first)?;
            self.let_go(entry, &mut gone)?;
        }
        Ok(())
    }

    /// Forget everything.
    fn clear(&self, py: Python<'_>) -> PyResult<()> {
        let entries = self.entries.bind(py);
        self.held.store(0, Ordering::Relaxed);
        entries.clear();
        Ok(())
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.entries.bind(py).len()
    }
}

impl Recent {
    fn let_go<'py>(&self, entry: Bound<'py, PyAny>, gone: &mut Vec<Bound<'py, PyAny>>) -> PyResult<()> {
        let weight: usize = entry.downcast::<PyTuple>()?.get_item(1)?.extract()?;
        self.held.fetch_sub(weight, Ordering::Relaxed);
        gone.push(entry);
        Ok(())
    }
}

//! Content → the result computed for it recently: a bounded cache that drops the least recently used result first.

use pyo3::prelude::*;
use pyo3::sync::with_critical_section;
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
    /// key → (value, weight), in the order of their last use. Where Python has no GIL, its lock of this object guards them.
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
    pub fn get<'py>(slf: &Bound<'py, Self>, key: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let entries = slf.get().entries.bind(key.py());
        let entry = with_critical_section(slf, || -> PyResult<_> {
            let Some(entry) = entries.get_item(key)? else { return Ok(None) };
            entries.del_item(key)?;
            entries.set_item(key, &entry)?;
            Ok(Some(entry))
        })?;
        entry.map(|entry| entry.downcast::<PyTuple>()?.get_item(0)).transpose()
    }

    /// Keep a result, unless it alone weighs more than the cache holds.
    #[pyo3(signature = (key, value, weight, /))]
    pub fn put(slf: &Bound<'_, Self>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>, weight: usize) -> PyResult<()> {
        let this = slf.get();
        if weight > this.weight {
            return Ok(());
        }
        // What goes is freed at the end: that may take a while, and calls whatever its owner likes.
        let mut gone = Vec::new();
        let entry = (value, weight).into_pyobject(key.py())?;
        with_critical_section(slf, || this.replace(key, &entry, weight, &mut gone))
    }

    /// Forget everything.
    fn clear(slf: &Bound<'_, Self>) {
        let this = slf.get();
        with_critical_section(slf, || {
            this.held.store(0, Ordering::Relaxed);
            this.entries.bind(slf.py()).clear();
        });
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.entries.bind(py).len()
    }
}

impl Recent {
    /// Put an entry last, and drop the first ones until there is room for it.
    fn replace<'py>(
        &self,
        key: &Bound<'py, PyAny>,
        entry: &Bound<'py, PyTuple>,
        weight: usize,
        gone: &mut Vec<Bound<'py, PyAny>>,
    ) -> PyResult<()> {
        let entries = self.entries.bind(key.py());
        if let Some(before) = entries.get_item(key)? {
            entries.del_item(key)?;
            self.let_go(before, gone)?;
        }
        entries.set_item(key, entry)?;
        self.held.fetch_add(weight, Ordering::Relaxed);
        while entries.len() > self.count || self.held.load(Ordering::Relaxed) > self.weight {
            let Some((first, entry)) = entries.iter().next() else { break };
            entries.del_item(first)?;
            self.let_go(entry, gone)?;
        }
        Ok(())
    }

    fn let_go<'py>(&self, entry: Bound<'py, PyAny>, gone: &mut Vec<Bound<'py, PyAny>>) -> PyResult<()> {
        let weight: usize = entry.downcast::<PyTuple>()?.get_item(1)?.extract()?;
        self.held.fetch_sub(weight, Ordering::Relaxed);
        gone.push(entry);
        Ok(())
    }
}

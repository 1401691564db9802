//! Grammar × Vocabulary → `frisket._core.CompiledGrammar`.

use crate::array_cache::ArrayCache;
use crate::limit::{Cancellation, Limits};
use crate::matcher::Matcher;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use std::sync::Arc;

/// A grammar over a vocabulary: a lazy automaton that threads can share. Every thread uses the masks and steps that
/// others have computed, and a call that needs no computation waits for none.
#[pyclass(frozen, module = "frisket._core")]
pub struct CompiledGrammar {
    pub inner: frisket::CompiledGrammar,
    pub arrays: Arc<ArrayCache>,
    /// The `frisket.Grammar` that was compiled, None if it was one of the engine's.
    #[pyo3(get)]
    pub grammar: Option<Py<PyAny>>,
    /// The very vocabulary that the grammar was compiled for.
    #[pyo3(get)]
    pub vocabulary: Py<PyAny>,
    /// The limits of each call and of the memory that the automaton holds.
    #[pyo3(get)]
    pub limits: Py<Limits>,
}

#[pymethods]
impl CompiledGrammar {
    /// A matcher at the beginning. `cancellation`, too, ends its calls and those of its forks.
    #[pyo3(signature = (*, cancellation=None))]
    fn matcher(slf: &Bound<'_, Self>, cancellation: Option<&Bound<'_, Cancellation>>) -> Matcher {
        let matcher = slf.get().inner.matcher_with(cancellation.map(|flag| &flag.get().0));
        Matcher::new(matcher, slf.clone().unbind(), &slf.get().arrays)
    }

    /// Which keywords of a JSON Schema are enforced, by JSON pointer; None for other notations.
    #[getter]
    fn report(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        self.grammar.as_ref().map_or_else(|| Ok(py.None()), |grammar| grammar.getattr(py, "report"))
    }

    /// How often the automaton was dropped because it had reached the limit of memory.
    #[getter]
    fn epoch(&self) -> u64 {
        self.inner.epoch()
    }

    /// How many masks were composed. All other masks came from a cache of this grammar or of another one with its
    /// vocabulary.
    #[getter]
    fn masks_composed(&self) -> usize {
        self.inner.masks_composed()
    }

    /// Bytes of the automaton and of its masks, as of the last call that computed something, with the parts that it
    /// uses of the data that grammars of a vocabulary share.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let grammar = match &self.grammar {
            Some(grammar) => format!("of {} ", grammar.bind(py).repr()?),
            None => String::new(),
        };
        let (size, masks) = (grouped(self.inner.vocabulary().size()), grouped(self.inner.masks_composed()));
        Ok(format!("<CompiledGrammar {grammar}for {size} tokens, {masks} masks composed>"))
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a CompiledGrammar cannot be pickled or copied: threads share it as it is, and another process is sent its \
             grammar and its vocabulary, to compile them there (grammar.compile(vocabulary) takes microseconds)",
        ))
    }
}

/// A number with commas between the thousands, as Python writes them.
pub(crate) fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group));
    groups.collect::<Vec<_>>().join(",")
}

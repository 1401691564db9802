//! Grammar → CompiledGrammar, accepted texts, dump.

use crate::compiled::CompiledGrammar;
use crate::error::raise;
use crate::gil::{briefly_unless_large, without};
use crate::limit::{given, Limits};
use crate::vocabulary::Vocabulary;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;

/// Rules over bytes; knows no tokenizer; immutable and thread-safe.
#[pyclass(frozen, module = "frisket._core")]
pub struct Grammar(pub(crate) frisket::Grammar);

#[pymethods]
impl Grammar {
    /// Takes microseconds, as the automaton is lazy. `CompiledGrammar.grammar` will be `grammar`.
    ///
    /// Raises VocabularyError if no token begins as the grammar must or a special token is missing; a vocabulary that
    /// fails to spell something later is found by `fill_mask`.
    #[pyo3(signature = (vocabulary, *, limits=None, grammar=None))]
    fn compile(
        &self,
        py: Python<'_>,
        vocabulary: &Bound<'_, PyAny>,
        limits: Option<Bound<'_, Limits>>,
        grammar: Option<Py<PyAny>>,
    ) -> PyResult<CompiledGrammar> {
        let given_vocabulary = vocabulary.clone().unbind();
        let vocabulary = match vocabulary.downcast::<Vocabulary>() {
            Ok(vocabulary) => vocabulary.get().clone(),
            Err(_) => {
                let inner = vocabulary.getattr(intern!(py, "_core"));
                let inner = inner.ok().and_then(|inner| inner.downcast_into::<Vocabulary>().ok());
                let kind = vocabulary.get_type();
                let wanted = || PyTypeError::new_err(format!("a grammar is compiled for a Vocabulary, not for {kind}"));
                inner.ok_or_else(wanted)?.get().clone()
            }
        };
        let bounds = given(limits.as_ref());
        let compile = || self.0.compile(&vocabulary.inner, &bounds);
        let compiled = briefly_unless_large(py, self.0.memory_bytes(), compile).map_err(raise)?;
        let limits = limits.map_or_else(|| Py::new(py, Limits::default()), |limits| Ok(limits.unbind()))?;
        let arrays = vocabulary.arrays;
        Ok(CompiledGrammar { inner: compiled, arrays, grammar, vocabulary: given_vocabulary, limits })
    }

    /// How many nodes were built.
    #[getter]
    fn node_count(&self) -> usize {
        self.0.rules().node_count()
    }

    /// A hash of all that was built: equal for grammars built alike, in whatever order their nodes were made.
    #[getter]
    fn fingerprint(&self) -> u128 {
        self.0.rules().fingerprint()
    }

    /// The rules as text, in the notation of `frisket.Grammar.dump`.
    fn dump(&self, py: Python<'_>) -> String {
        without(py, || self.0.rules().dump())
    }

    /// Bytes that the grammar itself takes.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }

    /// Whether the text is a whole sentence of the grammar (special tokens cannot be written).
    #[pyo3(signature = (data, *, limits=None))]
    fn accepts(&self, py: Python<'_>, data: &[u8], limits: Option<&Bound<'_, Limits>>) -> PyResult<bool> {
        let limits = given(limits);
        without(py, || self.0.accepts(data, &limits)).map_err(raise)
    }

    /// Whether some sentence begins with this text.
    #[pyo3(signature = (data, *, limits=None))]
    fn accepts_prefix(&self, py: Python<'_>, data: &[u8], limits: Option<&Bound<'_, Limits>>) -> PyResult<bool> {
        let limits = given(limits);
        without(py, || self.0.accepts_prefix(data, &limits)).map_err(raise)
    }

    /// The lengths of all beginnings of the text that are whole sentences, shortest first.
    #[pyo3(signature = (data, *, limits=None))]
    fn ends(&self, py: Python<'_>, data: &[u8], limits: Option<&Bound<'_, Limits>>) -> PyResult<Vec<usize>> {
        let limits = given(limits);
        without(py, || self.0.ends(data, &limits)).map_err(raise)
    }
}

//! Token bytes → `frisket._core.Vocabulary`, with the arrays of masks that its grammars hand out.

use crate::array_cache::ArrayCache;
use crate::error::raise;
use crate::integer::{TokenId, Whole};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::sync::Arc;

/// Token id → bytes, and the trie; built once per tokenizer, shared by all grammars and threads.
///
/// `tokens[i]` is the text of token i; None (special, unused) never matches text. `special`: name → id of special
/// tokens. `eos` ids are allowed exactly where a document may end. `size`: rows of the model's logits when larger than
/// `len(tokens)`; the ids beyond are always forbidden. The empty byte string counts as None.
#[pyclass(frozen, module = "frisket._core")]
#[derive(Clone)]
pub struct Vocabulary {
    pub(crate) inner: frisket::Vocabulary,
    pub(crate) arrays: Arc<ArrayCache>,
}

impl Vocabulary {
    fn made(
        py: Python<'_>,
        (lengths, block): (&[u32], &[u8]),
        special: Option<&Bound<'_, PyDict>>,
        eos: Vec<Whole<u32>>,
        size: usize,
    ) -> PyResult<Self> {
        let special = special.into_iter().flat_map(|special| special.iter());
        let special: PyResult<_> =
            special.map(|(name, id)| Ok((name.extract()?, id.extract::<Whole<u32>>()?.0))).collect();
        let (special, eos) = (special?, eos.into_iter().map(|Whole(id)| id).collect());
        let made = py.detach(|| frisket::Vocabulary::from_block(lengths, block, special, eos, size));
        Ok(Vocabulary { inner: made.map_err(raise)?, arrays: Arc::default() })
    }
}

#[pymethods]
impl Vocabulary {
    #[new]
    #[pyo3(signature = (tokens, *, special=None, eos=Vec::new(), size=None))]
    fn new(
        py: Python<'_>,
        tokens: Vec<Option<Bound<'_, PyBytes>>>,
        special: Option<&Bound<'_, PyDict>>,
        eos: Vec<Whole<u32>>,
        size: Option<Whole<usize>>,
    ) -> PyResult<Self> {
        let texts = || tokens.iter().map(|token| token.as_ref().map_or(&[][..], |bytes| bytes.as_bytes()));
        let lengths: Vec<u32> = texts().map(|text| text.len() as u32).collect();
        let size = size.map_or(lengths.len(), |Whole(size)| size);
        Vocabulary::made(py, (&lengths, &texts().collect::<Vec<_>>().concat()), special, eos, size)
    }

    /// A vocabulary from one block: the length of each token (little-endian uint32, 0: no text), and their texts one
    /// after another. VocabularyError if the lengths are not those of the texts.
    #[staticmethod]
    #[pyo3(signature = (lengths, texts, *, special=None, eos=Vec::new()))]
    fn from_block(
        py: Python<'_>,
        lengths: &[u8],
        texts: &[u8],
        special: Option<&Bound<'_, PyDict>>,
        eos: Vec<Whole<u32>>,
    ) -> PyResult<Self> {
        if !lengths.len().is_multiple_of(4) {
            return Err(PyValueError::new_err("lengths are little-endian uint32, four bytes each"));
        }
        let counts = lengths.chunks_exact(4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
        let lengths: Vec<u32> = counts.collect();
        Vocabulary::made(py, (&lengths, texts), special, eos, lengths.len())
    }

    /// The lengths and texts of all tokens, as `from_block` takes them.
    #[getter]
    fn block<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, Bound<'py, PyBytes>) {
        let texts = || (0..self.size() as u32).map(|id| self.inner.token(id).unwrap_or_default());
        let lengths: Vec<u8> = texts().flat_map(|text| (text.len() as u32).to_le_bytes()).collect();
        (PyBytes::new(py, &lengths), PyBytes::new(py, &texts().collect::<Vec<_>>().concat()))
    }

    /// How many ids there are, with those that have no text.
    #[getter]
    fn size(&self) -> usize {
        self.inner.size()
    }

    /// The ids that end a text.
    #[getter]
    fn eos(&self) -> Vec<u32> {
        self.inner.eos().to_vec()
    }

    /// The ids of the special tokens by name; a new dict each time.
    #[getter]
    fn special<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let special = PyDict::new(py);
        for (name, id) in self.inner.special() {
            special.set_item(name, id)?;
        }
        Ok(special)
    }

    /// The text of a token, None if it has none; IndexError beyond the vocabulary.
    fn token<'py>(&self, py: Python<'py>, token_id: TokenId) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let size = self.size();
        if token_id.id() as usize >= size {
            return Err(PyIndexError::new_err(format!("token {token_id} is beyond the vocabulary of {size}")));
        }
        Ok(self.inner.token(token_id.id()).map(|bytes| PyBytes::new(py, bytes)))
    }

    /// uint32 words in one mask: ceil(size / 32).
    #[getter]
    fn mask_words(&self) -> usize {
        self.inner.mask_words()
    }

    /// Bytes of the trie and of all that grammars have learned about the tokens.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.inner.memory_bytes() + self.arrays.memory_bytes()
    }
}

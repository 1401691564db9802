//! Mask → a read-only array, shared by all callers that ask for the same mask.
//!
//! Masks recur. A cache of their arrays replaces a copy of the vocabulary's size per call.

use frisket::front_end::Cache;
use frisket::Mask;
use numpy::{PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use std::sync::Arc;

/// Bytes of arrays that a vocabulary keeps, for masks of all its grammars. Chosen without measurement.
const ROOM: usize = 16 << 20;

/// An array and its mask. The entry keeps the mask alive, so that no other mask can have its address.
type Array = Arc<(Arc<Mask>, Py<PyArray1<u32>>)>;

/// Address of a mask → its array, for the masks of one vocabulary.
pub struct ArrayCache(Cache<usize, Array>);

impl Default for ArrayCache {
    fn default() -> Self {
        ArrayCache(Cache::new(ROOM))
    }
}

impl ArrayCache {
    /// Bytes of all arrays.
    pub fn memory_bytes(&self) -> usize {
        self.0.memory_bytes()
    }

    /// The array of a mask, from the cache or new.
    pub fn array<'py>(&self, py: Python<'py>, mask: Arc<Mask>, words: usize) -> PyResult<Bound<'py, PyArray1<u32>>> {
        let address = Arc::as_ptr(&mask) as usize;
        if let Some(known) = self.0.get(address) {
            return Ok(known.1.bind(py).clone());
        }
        let mut bits = vec![0; words];
        mask.write(&mut bits);
        let array = PyArray1::from_vec(py, bits);
        array.try_readwrite()?.make_nonwriteable();
        self.0.put(address, Arc::new((mask, array.clone().unbind())), 4 * words);
        Ok(array)
    }
}

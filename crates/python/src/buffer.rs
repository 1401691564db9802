//! numpy array, or an object with a numpy view (CPU tensors) → writable rows of 32-bit words that the caller owns.
//!
//! The one file that turns an address from Python into a Rust slice, and checks its type, layout and size.

use numpy::npyffi::flags::{NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_WRITEABLE};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// Rows of `width` words at an address that `_owner` keeps alive.
pub struct Bitmask {
    address: usize,
    rows: usize,
    width: usize,
    _owner: Py<PyAny>,
}

impl Bitmask {
    /// The rows of an array; TypeError or ValueError if it has another type, layout or number of dimensions.
    pub fn new(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        let Ok(array) = given.cast::<PyUntypedArray>() else {
            let wanted = "a bitmask is a numpy array (or a CPU tensor) of uint32 or int32";
            let view = given.call_method0("numpy").map_err(|_| PyTypeError::new_err(wanted))?;
            if !view.is_instance_of::<PyUntypedArray>() {
                return Err(PyTypeError::new_err(wanted));
            }
            return Self::new(&view);
        };
        let dtype = array.dtype();
        if dtype.itemsize() != 4 || !matches!(dtype.kind(), b'i' | b'u') {
            return Err(PyTypeError::new_err(format!("a bitmask has dtype uint32 or int32, this array has {dtype}")));
        }
        if dtype.is_native_byteorder() == Some(false) {
            return Err(PyTypeError::new_err(
                "a bitmask has the byte order of the machine, this array has the other one",
            ));
        }
        // SAFETY: the pointer is that of a live array object, read only.
        let (flags, address) = unsafe { ((*array.as_array_ptr()).flags, (*array.as_array_ptr()).data as usize) };
        if flags & NPY_ARRAY_C_CONTIGUOUS == 0 {
            return Err(PyValueError::new_err("a bitmask must be C-contiguous"));
        }
        if flags & NPY_ARRAY_WRITEABLE == 0 {
            return Err(PyValueError::new_err("the bitmask is read-only"));
        }
        let (rows, width) = match *array.shape() {
            [width] => (1, width),
            [rows, width] => (rows, width),
            _ => return Err(PyValueError::new_err("a bitmask has one or two dimensions")),
        };
        Ok(Bitmask { address, rows, width, _owner: given.clone().unbind() })
    }

    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// An error if there is no such row, or if rows have fewer than `words` words.
    pub fn check(&self, row: usize, words: usize) -> PyResult<()> {
        if row >= self.rows {
            return Err(PyValueError::new_err(format!("row {row} is beyond the bitmask's {} rows", self.rows)));
        }
        if self.width < words {
            return Err(PyValueError::new_err(format!(
                "a row of the bitmask has {} words; this vocabulary needs {words}",
                self.width
            )));
        }
        Ok(())
    }

    /// One row; the words beyond the vocabulary's are cleared by the caller.
    ///
    /// # Safety
    /// `check` has passed for this row, and no two rows in use at once are the same.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn row(&self, row: usize) -> &mut [u32] {
        // SAFETY: the owner keeps the memory alive, `new` has seen its shape, and `check` the row.
        unsafe { std::slice::from_raw_parts_mut((self.address as *mut u32).add(row * self.width), self.width) }
    }
}

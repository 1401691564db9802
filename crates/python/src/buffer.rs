//! A writable array of 32-bit words, given by the caller through the buffer protocol or `__array_interface__`.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// Rows of `width` words at an address that `_owner` keeps alive.
pub struct Bitmask {
    address: usize,
    pub rows: usize,
    pub width: usize,
    _owner: Py<PyAny>,
}

impl Bitmask {
    /// Accepts numpy arrays and whatever offers `__array_interface__` or `numpy()` (CPU torch tensors).
    pub fn new(array: &Bound<'_, PyAny>) -> PyResult<Self> {
        let interface = match array.getattr("__array_interface__") {
            Ok(interface) => interface,
            Err(_) => {
                let view = array
                    .call_method0("numpy")
                    .map_err(|_| PyTypeError::new_err("a bitmask is a numpy array (or CPU tensor) of uint32 or int32"))?;
                return Self::new(&view);
            }
        };
        let interface = interface.cast_into::<PyDict>()?;
        let field = |name: &str| {
            interface.get_item(name)?.ok_or_else(|| PyTypeError::new_err(format!("__array_interface__ lacks {name}")))
        };
        let kind: String = field("typestr")?.extract()?;
        if kind != "<u4" && kind != "<i4" {
            return Err(PyTypeError::new_err(format!("a bitmask has dtype uint32 or int32, this array has {kind}")));
        }
        let shape: Vec<usize> = field("shape")?.extract()?;
        if let Some(strides) = interface.get_item("strides")?.filter(|strides| !strides.is_none()) {
            let strides: Vec<isize> = strides.extract()?;
            let mut expected = 4;
            for (&size, &stride) in shape.iter().zip(&strides).rev() {
                if size > 1 && stride != expected {
                    return Err(PyValueError::new_err("a bitmask must be C-contiguous"));
                }
                expected *= size as isize;
            }
        }
        let data = field("data")?.cast_into::<PyTuple>()?;
        let address: usize = data.get_item(0)?.extract()?;
        if data.get_item(1)?.extract::<bool>()? {
            return Err(PyValueError::new_err("the bitmask is read-only"));
        }
        let (rows, width) = match shape[..] {
            [width] => (1, width),
            [rows, width] => (rows, width),
            _ => return Err(PyValueError::new_err("a bitmask has one or two dimensions")),
        };
        Ok(Bitmask { address, rows, width, _owner: array.clone().unbind() })
    }

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

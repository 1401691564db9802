//! numpy array, or an object with a numpy view (CPU tensors) → rows of its elements, which the caller owns.
//!
//! The one file that turns an address from Python into a Rust slice, and checks its type, layout and size.

use numpy::npyffi::flags::{NPY_ARRAY_ALIGNED, NPY_ARRAY_WRITEABLE};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The rows of an array.
pub struct Rows {
    address: usize,
    pub count: usize,
    pub width: usize,
    /// Bytes from one row to the next.
    stride: isize,
    /// Bytes of an element.
    pub size: usize,
    pub kind: u8,
    is_writable: bool,
}

impl Rows {
    /// TypeError for a foreign byte order, ValueError if the elements of a row do not lie side by side and aligned.
    #[inline]
    pub fn of(array: &Bound<'_, PyUntypedArray>, name: &str) -> PyResult<Self> {
        let dtype = array.dtype();
        // SAFETY: the pointer is that of a live array object, read only.
        let (flags, address) = unsafe { ((*array.as_array_ptr()).flags, (*array.as_array_ptr()).data as usize) };
        if dtype.is_native_byteorder() == Some(false) {
            return Err(PyTypeError::new_err(format!("{name} must be in the byte order of the machine")));
        }
        if flags & NPY_ARRAY_ALIGNED == 0 {
            return Err(PyValueError::new_err(format!("{name} must be aligned")));
        }
        let (count, width, stride, step) = match (array.shape(), array.strides()) {
            (&[width], &[step]) => (1, width, 0, step),
            (&[count, width], &[stride, step]) => (count, width, stride, step),
            _ => return Err(PyValueError::new_err(format!("{name} must have one or two dimensions"))),
        };
        let size = dtype.itemsize();
        if width > 1 && step != size as isize {
            return Err(PyValueError::new_err(format!("the elements of a row of {name} must lie side by side")));
        }
        if count > 1 && stride.unsigned_abs() < width * size {
            return Err(PyValueError::new_err(format!("the rows of {name} must not share memory")));
        }
        Ok(Rows {
            address,
            count,
            width,
            stride,
            size,
            kind: dtype.kind(),
            is_writable: flags & NPY_ARRAY_WRITEABLE != 0,
        })
    }

    /// Rows of 32-bit words; TypeError for other elements.
    #[inline]
    pub fn of_words(array: &Bound<'_, PyUntypedArray>) -> PyResult<Self> {
        let rows = Rows::of(array, "a bitmask")?;
        match (rows.kind, rows.size) {
            (b'i' | b'u', 4) => Ok(rows),
            _ => Err(PyTypeError::new_err(format!(
                "a bitmask has dtype uint32 or int32, this one has {}",
                array.dtype()
            ))),
        }
    }

    /// ValueError if the array is read-only.
    pub fn check_writable(&self, name: &str) -> PyResult<()> {
        match self.is_writable {
            true => Ok(()),
            false => Err(PyValueError::new_err(format!("{name} is read-only"))),
        }
    }

    fn row(&self, row: usize) -> usize {
        self.address.wrapping_add_signed(self.stride * row as isize)
    }

    /// One row.
    ///
    /// # Safety
    /// The array lives, nobody writes it, and `T` has the size of an element.
    pub unsafe fn slice<T>(&self, row: usize) -> &[T] {
        // An array without elements may have no address.
        if self.width == 0 {
            return &[];
        }
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts(self.row(row) as *const T, self.width) }
    }

    /// One row to write.
    ///
    /// # Safety
    /// As `slice`; nobody else reads or writes the row.
    #[allow(clippy::mut_from_ref)]
    pub unsafe fn slice_mut<T>(&self, row: usize) -> &mut [T] {
        if self.width == 0 {
            return &mut [];
        }
        // SAFETY: as above.
        unsafe { std::slice::from_raw_parts_mut(self.row(row) as *mut T, self.width) }
    }

    /// Whether the memory ranges of both overlap.
    pub fn overlaps(&self, other: &Rows) -> bool {
        let range = |rows: &Rows| {
            let last = rows.row(rows.count.saturating_sub(1));
            (rows.address.min(last), rows.address.max(last) + rows.width * rows.size)
        };
        let ((begin, end), (from, to)) = (range(self), range(other));
        begin < to && from < end
    }
}

/// Writable rows of 32-bit words, kept alive by `_owner`.
pub struct Bitmask {
    rows: Rows,
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
        let rows = Rows::of_words(array)?;
        rows.check_writable("the bitmask")?;
        Ok(Bitmask { rows, _owner: given.clone().unbind() })
    }

    /// How many rows there are.
    pub fn count(&self) -> usize {
        self.rows.count
    }

    /// An error if there is no such row, or if rows have fewer than `words` words.
    pub fn check(&self, row: usize, words: usize) -> PyResult<()> {
        let Rows { count, width, .. } = self.rows;
        if row >= count {
            return Err(PyValueError::new_err(format!("row {row} is beyond the bitmask's {count} rows")));
        }
        if width < words {
            let message = format!("a row of the bitmask has {width} words; this vocabulary needs {words}");
            return Err(PyValueError::new_err(message));
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
        unsafe { self.rows.slice_mut(row) }
    }
}

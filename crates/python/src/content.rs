//! Plain JSON value → the bytes of `marshal.dumps(value, 2)`.
//!
//! These bytes are the key under which recent compiles are found. This walk does not touch the code of `marshal`, which
//! no other step of a compile needs and which would first have to be read into the processor's caches.

use crate::error::raise;
use crate::gil::take_turns;
use crate::limit::{given, Limits};
use crate::walk::{Part, Walk};
use frisket::front_end::{Error, Limit, Watch};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};

/// The deepest nesting that is written here; deeper values are left to Python.
const DEEPEST: usize = 200;

/// Levels after which `marshal` gives up.
const DEEPEST_OF_MARSHAL: usize = 2_000;

/// Bytes of a value that is written out, about 0.1 s of this walk. A dict may hold another one twice, and that one a
/// third one twice: sixty such levels are a small object in memory and never end when written out. The recent results
/// hold no more bytes than these together, so a larger schema would not be kept anyway.
const LARGEST: usize = 32_000_000;

/// Bytes after which the limits are checked and other threads have their turn.
const SLICE: usize = 8_192;

/// `marshal.dumps(value, 2)` of a JSON value; None if that is not plain (a subclass, a lone surrogate) or deep.
/// LimitExceededError if it is larger than 32 MB, or by the time and cancellation of the limits.
#[pyfunction]
#[pyo3(signature = (value, limits=None))]
pub fn content<'py>(
    value: &Bound<'py, PyAny>,
    limits: Option<&Bound<'py, Limits>>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let (limits, cancellation) = given(limits).parts();
    let watch = Watch::new(&limits, cancellation);
    let mut writer = Writer { bytes: Vec::with_capacity(4096), is_plain: true, watch, next_look: SLICE };
    writer.write(value)?;
    Ok(writer.is_plain.then(|| PyBytes::new(value.py(), &writer.bytes)))
}

struct Writer {
    /// For a value that is not plain, about as many bytes as it takes when written out.
    bytes: Vec<u8>,
    is_plain: bool,
    watch: Watch,
    /// Bytes at which the limits are checked.
    next_look: usize,
}

impl Writer {
    fn write(&mut self, value: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut walk = Walk::new(value);
        let mut depth = 0;
        while let Some(part) = walk.next() {
            let value = match part {
                Part::End(whole) => {
                    depth -= 1;
                    self.bytes.extend(whole.is_instance_of::<PyDict>().then_some(b'0'));
                    continue;
                }
                Part::Member(key, value) => {
                    if !self.scalar(&key) {
                        self.other(&key);
                    }
                    value
                }
                Part::Value(value) => value,
            };
            if self.bytes.len() >= self.next_look {
                self.look()?;
            }
            if self.scalar(&value) {
                continue;
            }
            let parts = if depth < DEEPEST_OF_MARSHAL { walk.open(&value) } else { None };
            let Some(parts) = parts else {
                self.other(&value);
                continue;
            };
            if value.is_exact_instance_of::<PyDict>() {
                self.bytes.push(b'{');
            } else {
                self.is_plain &= value.is_exact_instance_of::<PyList>();
                self.bytes.push(b'[');
                self.length(parts);
            }
            self.is_plain &= depth < DEEPEST;
            depth += 1;
        }
        Ok(())
    }

    /// Checks the size and the limits, and gives other threads of Python their turn. Errors: the call must end.
    #[cold]
    fn look(&mut self) -> PyResult<()> {
        if self.bytes.len() > LARGEST {
            let message = format!("the schema is too large: written out it takes more than {} MB", LARGEST / 1_000_000);
            let hint = "put what occurs in several places into $defs and refer to it";
            return Err(raise(frisket::Error::limit(message, hint)));
        }
        self.next_look = self.bytes.len() + SLICE;
        self.watch.check().map_err(raise)?;
        take_turns().then_some(()).ok_or_else(|| raise(Box::new(Error::Limit(Limit::Cancelled))))
    }

    fn length(&mut self, length: usize) {
        self.is_plain &= i32::try_from(length).is_ok();
        self.bytes.extend((length as u32).to_le_bytes());
    }

    /// Writes a plain scalar; false for another value.
    fn scalar(&mut self, value: &Bound<'_, PyAny>) -> bool {
        if let Ok(text) = value.downcast_exact::<PyString>() {
            let Ok(text) = text.to_str() else { return false };
            self.bytes.push(b'u');
            self.length(text.len());
            self.bytes.extend(text.as_bytes());
        } else if let Ok(flag) = value.downcast_exact::<PyBool>() {
            self.bytes.push(if flag.is_true() { b'T' } else { b'F' });
        } else if value.is_exact_instance_of::<PyInt>() {
            let Ok(small) = value.extract::<i32>() else { return false };
            self.bytes.push(b'i');
            self.bytes.extend(small.to_le_bytes());
        } else if let Ok(float) = value.downcast_exact::<PyFloat>() {
            self.bytes.push(b'g');
            self.bytes.extend(float.value().to_le_bytes());
        } else if value.is_none() {
            self.bytes.push(b'N');
        } else {
            return false;
        }
        true
    }

    /// Writes as many bytes as a value takes that is not plain.
    fn other(&mut self, value: &Bound<'_, PyAny>) {
        self.is_plain = false;
        let letters = value.downcast::<PyString>().map_or(0, |text| text.len().unwrap_or(0));
        self.bytes.resize(self.bytes.len() + letters + 8, 0);
    }
}

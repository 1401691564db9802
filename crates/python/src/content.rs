//! Plain JSON value → the bytes of `marshal.dumps(value, 2)`.
//!
//! These bytes are the key under which recent compiles are found. This walk does not touch the code of `marshal`, which
//! no other step of a compile needs and which would first have to be read into the processor's caches.

use crate::error::raise;
use crate::gil::take_turns;
use crate::limit::{given, Limits};
use frisket::front_end::{Error, Limit, Watch};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};

/// The deepest nesting that is written here; deeper values are left to Python.
const DEEPEST: usize = 200;

/// Levels after which `marshal` gives up.
const DEEPEST_OF_MARSHAL: usize = 2_000;

/// Bytes of a value that is written out, about 0.1 s of this walk. A dict may hold another one twice, and that one a
/// third one twice: sixty such levels are a small object in memory and never end when written out. The recent results
/// hold no more bytes than these together, so a larger schema would not be kept anyway.
const LARGEST: usize = 32_000_000;

/// Bytes, or values, after which the limits are checked and other threads have their turn.
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
    let mut writer = Writer { bytes: Vec::with_capacity(4096), watch: &watch, next_look: SLICE };
    let failure = match writer.write(value) {
        Ok(()) => return Ok(Some(PyBytes::new(value.py(), &writer.bytes))),
        Err(Failure::NotPlain) => match is_too_large(value, &watch) {
            Ok(false) => return Ok(None),
            Ok(true) => Failure::TooLarge,
            Err(ended) => ended,
        },
        Err(failure) => failure,
    };
    Err(match failure {
        Failure::Ended(error) => raise(error),
        _ => too_large(),
    })
}

/// The reason why there are no bytes.
enum Failure {
    NotPlain,
    TooLarge,
    /// The call was cancelled, or its time is over.
    Ended(Box<Error>),
}

/// Checks the limits, and gives other threads of Python their turn. Errors: the call must end.
fn look(watch: &Watch) -> Result<(), Failure> {
    watch.check().map_err(Failure::Ended)?;
    match take_turns() {
        true => Ok(()),
        false => Err(Failure::Ended(Error::Limit(Limit::Cancelled).into())),
    }
}

/// Whether a value that is not plain is too large for Python to write out.
fn is_too_large(value: &Bound<'_, PyAny>, watch: &Watch) -> Result<bool, Failure> {
    let mut left = LARGEST;
    let mut stack = vec![(value.clone(), 0)];
    let mut values = 0usize;
    while let Some((value, depth)) = stack.pop() {
        values += 1;
        if values.is_multiple_of(SLICE) {
            look(watch)?;
        }
        let text = value.downcast::<PyString>().map_or(0, |text| text.len().unwrap_or(0));
        match left.checked_sub(text + 8) {
            Some(rest) => left = rest,
            None => return Ok(true),
        }
        if depth == DEEPEST_OF_MARSHAL {
            continue;
        }
        if let Ok(dict) = value.downcast::<PyDict>() {
            members(dict, |key, value| stack.extend([key, value].map(|below| (below, depth + 1))));
        } else if let Ok(list) = value.downcast::<PyList>() {
            stack.extend(list.iter().map(|below| (below, depth + 1)));
        } else if let Ok(tuple) = value.downcast::<PyTuple>() {
            stack.extend(tuple.iter().map(|below| (below, depth + 1)));
        }
    }
    Ok(false)
}

/// Calls `each` with the members that a dict has now: without the GIL, another thread may change it meanwhile.
pub fn members<'py>(dict: &Bound<'py, PyDict>, mut each: impl FnMut(Bound<'py, PyAny>, Bound<'py, PyAny>)) {
    if cfg!(Py_GIL_DISABLED) {
        let pairs = dict.items().into_iter().filter_map(|pair| pair.extract().ok());
        pairs.for_each(|(key, value)| each(key, value));
    } else {
        dict.iter().for_each(|(key, value)| each(key, value));
    }
}

fn too_large() -> PyErr {
    let message = format!("the schema is too large: written out it takes more than {} MB", LARGEST / 1_000_000);
    raise(frisket::Error::limit(message, "put what occurs in several places into $defs and refer to it"))
}

/// Parts that are still to be written, the next one last. Another thread that has its turn may change an open list or
/// dict, so its parts are taken all at once.
enum Task<'py> {
    Value(Bound<'py, PyAny>),
    Member(Bound<'py, PyAny>, Bound<'py, PyAny>),
    EndOfDict,
    EndOfList,
}

struct Writer<'w> {
    bytes: Vec<u8>,
    watch: &'w Watch,
    /// Bytes at which the limits are checked.
    next_look: usize,
}

impl Writer<'_> {
    fn write(&mut self, value: &Bound<'_, PyAny>) -> Result<(), Failure> {
        let mut tasks = vec![Task::Value(value.clone())];
        let mut depth = 0;
        while let Some(task) = tasks.pop() {
            let value = match task {
                Task::EndOfDict => {
                    self.bytes.push(b'0');
                    depth -= 1;
                    continue;
                }
                Task::EndOfList => {
                    depth -= 1;
                    continue;
                }
                Task::Member(key, value) => {
                    self.scalar(&key).ok_or(Failure::NotPlain)?;
                    value
                }
                Task::Value(value) => value,
            };
            if self.bytes.len() >= self.next_look {
                self.look()?;
            }
            let first = if let Ok(dict) = value.downcast_exact::<PyDict>() {
                self.bytes.push(b'{');
                tasks.push(Task::EndOfDict);
                let first = tasks.len();
                members(dict, |key, value| tasks.push(Task::Member(key, value)));
                first
            } else if let Ok(list) = value.downcast_exact::<PyList>() {
                self.bytes.push(b'[');
                tasks.push(Task::EndOfList);
                let first = tasks.len();
                tasks.extend(list.iter().map(Task::Value));
                self.length(tasks.len() - first).ok_or(Failure::NotPlain)?;
                first
            } else {
                self.scalar(&value).ok_or(Failure::NotPlain)?;
                continue;
            };
            tasks[first..].reverse();
            if depth == DEEPEST {
                return Err(Failure::NotPlain);
            }
            depth += 1;
        }
        Ok(())
    }

    #[cold]
    fn look(&mut self) -> Result<(), Failure> {
        if self.bytes.len() > LARGEST {
            return Err(Failure::TooLarge);
        }
        self.next_look = self.bytes.len() + SLICE;
        look(self.watch)
    }

    fn length(&mut self, length: usize) -> Option<()> {
        let length = u32::try_from(length).ok().filter(|&length| length < 1 << 31)?;
        self.bytes.extend(length.to_le_bytes());
        Some(())
    }

    /// Writes a scalar; None if the value is no scalar, or not plain.
    fn scalar(&mut self, value: &Bound<'_, PyAny>) -> Option<()> {
        if let Ok(text) = value.downcast_exact::<PyString>() {
            let text = text.to_str().ok()?;
            self.bytes.push(b'u');
            self.length(text.len())?;
            self.bytes.extend(text.as_bytes());
        } else if let Ok(flag) = value.downcast_exact::<PyBool>() {
            self.bytes.push(if flag.is_true() { b'T' } else { b'F' });
        } else if value.is_exact_instance_of::<PyInt>() {
            self.bytes.push(b'i');
            self.bytes.extend(value.extract::<i32>().ok()?.to_le_bytes());
        } else if let Ok(float) = value.downcast_exact::<PyFloat>() {
            self.bytes.push(b'g');
            self.bytes.extend(float.value().to_le_bytes());
        } else {
            value.is_none().then(|| self.bytes.push(b'N'))?;
        }
        Some(())
    }
}

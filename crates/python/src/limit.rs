//! Limits and Cancellation of Python → those of the crate `frisket`.

use crate::gil::pause;
use crate::integer::Whole;
use frisket::front_end::Limits as Numbers;
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::time::Duration;

/// The limits of a grammar and its calls; frozen. LimitExceededError names the limit that was reached and its value.
///
/// `steps`: elementary steps of one call (of the builder, of `compile`, of a matcher). A dear operation counts as
/// several, so that a step takes some 40 nanoseconds at most.
/// A whole build, the reading of its schema included, may take as many as one call.
/// They are the same on every machine, so that what is refused once is refused always. The default, 50 million, is a
/// hundred times what the dearest masks of real schemas take, and at most two seconds of a processor.
///
/// `memory_bytes`: the size to which a compiled grammar (or a builder) may grow; 256 MiB by default, a real schema's
/// takes a few hundred KB to a few MB. A compiled grammar that reaches it forgets what it has learned and goes on:
/// it keeps the positions of its matchers, and a matcher that is next used takes some last steps again and gives the
/// same masks. Only a call that alone needs more is an error; its additions to caches of all grammars count until it
/// ends. The memory that grammars of a vocabulary share has a bound of its own (`Vocabulary`).
///
/// `seconds`: wall-clock time of one call of `compile` and of a matcher, and of a whole build, the reading of its
/// schema included. None by default: the clock would make what is refused depend on how busy the machine is.
///
/// `cancellation`: who may end the calls.
#[pyclass(frozen, module = "frisket._core")]
#[derive(Default)]
pub struct Limits {
    inner: Numbers,
    /// Who may end the calls, if anybody.
    #[pyo3(get)]
    cancellation: Option<Py<Cancellation>>,
}

fn seconds(given: &Bound<'_, PyAny>) -> PyResult<Option<f64>> {
    given.extract().map_err(|error| match error.is_instance_of::<PyOverflowError>(given.py()) {
        true => PyValueError::new_err("seconds is a number that a float holds"),
        false => error,
    })
}

/// The limits of a call, in which other threads of Python have their turn; the default ones without limits.
pub fn given(limits: Option<&Bound<'_, Limits>>) -> frisket::Limits {
    let given = limits.map(|limits| limits.get());
    let flag = given.and_then(|limits| limits.cancellation.as_ref()).map(|flag| flag.get().0.clone());
    frisket::Limits::of_parts(given.map_or_else(Numbers::default, |limits| limits.inner), flag).pause(pause)
}

impl Limits {
    /// Limits with a cancellation of their own.
    pub fn of(py: Python<'_>, limits: frisket::Limits) -> PyResult<Self> {
        let (inner, flag) = limits.parts();
        Ok(Limits { inner, cancellation: flag.map(|flag| Py::new(py, Cancellation(flag))).transpose()? })
    }
}

#[pymethods]
impl Limits {
    #[new]
    #[pyo3(signature = (
        *,
        memory_bytes=Whole(Numbers::default().memory),
        steps=Whole(Numbers::default().steps),
        seconds=None,
        cancellation=None,
        **others,
    ), text_signature = "(*, memory_bytes=..., steps=..., seconds=None, cancellation=None)")]
    fn new(
        memory_bytes: Whole<usize>,
        steps: Whole<u64>,
        #[pyo3(from_py_with = seconds)] seconds: Option<f64>,
        cancellation: Option<Py<Cancellation>>,
        others: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        if let Some((name, value)) = others.and_then(|others| others.iter().next()) {
            let unknown = name.py().import("frisket.argument_name")?.getattr("unknown_limit")?;
            return Err(PyErr::from_value(unknown.call1((&name, &value))?));
        }
        if let Some(seconds) = seconds.filter(|seconds| seconds.is_nan() || *seconds < 0.0) {
            return Err(PyValueError::new_err(format!("seconds is 0 or more, got {seconds}")));
        }
        // A time that a Duration cannot hold is as good as none.
        let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        Ok(Limits { inner: Numbers { memory: memory_bytes.0, steps: steps.0, time, begun: None }, cancellation })
    }

    /// Bytes that a compiled grammar, or a builder, may grow to.
    #[getter]
    fn memory_bytes(&self) -> usize {
        self.inner.memory
    }

    /// Elementary steps that one call may take.
    #[getter]
    fn steps(&self) -> u64 {
        self.inner.steps
    }

    /// Seconds that one call, or a whole build, may take; None for any time.
    #[getter]
    fn seconds(&self) -> Option<f64> {
        self.inner.time.map(|time| time.as_secs_f64())
    }

    /// These limits for several calls, which together take no more than `seconds` from now on.
    fn started(&self, py: Python<'_>) -> Self {
        Limits { inner: self.inner.started(), cancellation: self.cancellation.as_ref().map(|flag| flag.clone_ref(py)) }
    }

    fn __eq__(&self, other: &Self) -> bool {
        let flag = |limits: &Self| limits.cancellation.as_ref().map(|flag| flag.as_ptr());
        self.inner == other.inner && flag(self) == flag(other)
    }

    fn __copy__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __deepcopy__(this: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        this
    }

    /// The arguments for pickles, which cannot hold a cancellation.
    fn __getnewargs_ex__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, PyDict>)> {
        let keywords = PyDict::new(py);
        keywords.set_item("memory_bytes", self.memory_bytes())?;
        keywords.set_item("steps", self.steps())?;
        keywords.set_item("seconds", self.seconds())?;
        keywords.set_item("cancellation", self.cancellation.as_ref())?;
        Ok((PyTuple::empty(py), keywords))
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        (self.memory_bytes(), self.steps(), self.seconds()).into_pyobject(py)?.hash()
    }

    fn __repr__(&self) -> String {
        let seconds = self.seconds().map_or("None".into(), |seconds| format!("{seconds:?}"));
        let flag = if self.cancellation.is_some() { ", cancellation=..." } else { "" };
        format!("Limits(memory_bytes={}, steps={}, seconds={seconds}{flag})", self.inner.memory, self.inner.steps)
    }
}

/// Ends calls from another thread, for good.
///
/// Every call that was given it, under way or to come, raises LimitExceededError with the code `cancelled` and leaves
/// its object as it was. A call under way sees it within some tens of microseconds, in rare cases milliseconds. That
/// of a large schema ends within half a millisecond: what it has built is freed in a thread of its own.
#[pyclass(frozen, module = "frisket._core")]
#[derive(Default)]
pub struct Cancellation(pub frisket::Cancellation);

#[pymethods]
impl Cancellation {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// End every call that was given this, now and later.
    fn cancel(&self) {
        self.0.cancel();
    }

    /// Whether `cancel` was called.
    #[getter]
    fn cancelled(&self) -> bool {
        self.0.is_cancelled()
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(PyTypeError::new_err(
            "a Cancellation ends calls of its own process, and cannot be pickled or copied: send Limits without it, and \
             make another where the calls are",
        ))
    }

    fn __repr__(&self) -> String {
        format!("<Cancellation, {}>", if self.cancelled() { "cancelled" } else { "not cancelled" })
    }
}

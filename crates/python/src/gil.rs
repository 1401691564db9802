//! Calls that are short most of the time → with the GIL held, given away only once they turn out to be long.
//!
//! Where another thread computes in Python, it keeps what it was given for five milliseconds: thousands of masks.

use pyo3::ffi::{PyEval_RestoreThread, PyEval_SaveThread, PyThreadState};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use std::cell::{Cell, RefCell};

thread_local! {
    static BRIEF: Cell<Brief> = const { Cell::new(Brief::No) };
    static INTERRUPTION: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

#[derive(Clone, Copy)]
enum Brief {
    /// The thread is in no brief call: it has no GIL, or it is not for `let_go` to give away.
    No,
    Holds,
    LetGo(*mut PyThreadState),
}

/// Act with the GIL held, until `let_go` is called below. What acts must be fit to run without it: `Send` keeps out what
/// belongs to Python, as it does for `Python::detach`; and no lock that it holds when it is let go may outlive it.
pub fn briefly<T>(_py: Python<'_>, act: impl FnOnce() -> T + Send) -> T {
    struct Back;
    impl Drop for Back {
        fn drop(&mut self) {
            if let Brief::LetGo(state) = BRIEF.replace(Brief::No) {
                // SAFETY: saved by this thread, in this call.
                unsafe { PyEval_RestoreThread(state) };
            }
        }
    }
    BRIEF.set(Brief::Holds);
    let _back = Back;
    act()
}

/// The same, but without the GIL from the beginning where so many bytes are gone through that it takes long anyway.
pub fn briefly_unless_large<T: Send>(py: Python<'_>, bytes: usize, act: impl FnOnce() -> T + Send) -> T {
    const LARGE: usize = 1 << 20;
    if bytes < LARGE {
        briefly(py, act)
    } else {
        without(py, act)
    }
}

/// `Python::detach`, known to `take_turns`.
pub fn without<T>(py: Python<'_>, act: impl FnOnce() -> T + Send) -> T {
    briefly(py, || {
        let_go();
        act()
    })
}

/// The call takes its time, or is about to wait: the GIL is another's until it is over.
pub fn let_go() -> bool {
    if let Brief::Holds = BRIEF.get() {
        // SAFETY: `briefly` was called with the GIL held, and nothing has given it away since.
        BRIEF.set(Brief::LetGo(unsafe { PyEval_SaveThread() }));
    }
    true
}

/// One of the many calls of a builder takes its time, with Python's objects in its hands: another thread's turn, if it
/// has waited for its turn, as between two instructions of Python. False where a signal's handler has raised.
///
/// To give the GIL away and take it back would do the opposite: whoever waits for it is woken, comes too late, and begins
/// to wait for another five milliseconds before Python hears of it.
pub fn take_turns() -> bool {
    static NOTHING: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if !matches!(BRIEF.get(), Brief::No) {
        return let_go();
    }
    let called = Python::attach(|py| {
        // With globals of its own: it would keep those of `__main__`, and the files that they have open, beyond the end.
        let make = || py.eval(c"lambda: None", Some(&PyDict::new(py)), None).map(Bound::unbind);
        NOTHING.get_or_try_init(py, make)?.call0(py)
    });
    match called {
        Ok(_) => INTERRUPTION.with_borrow(Option::is_none),
        Err(raised) => {
            INTERRUPTION.set(Some(raised));
            false
        }
    }
}

/// What a signal's handler has raised; the call in which it did so was cancelled.
pub fn interruption() -> Option<PyErr> {
    INTERRUPTION.take()
}

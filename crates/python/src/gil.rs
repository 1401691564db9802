//! Calls that are short most of the time → with the GIL held, given away only once they turn out to be long.
//!
//! Where another thread computes in Python, it keeps what it was given for five milliseconds: thousands of masks.

use pyo3::ffi::{PyEval_RestoreThread, PyEval_SaveThread, PyThreadState};
use pyo3::prelude::*;
use std::cell::Cell;

thread_local! {
    static BRIEF: Cell<Brief> = const { Cell::new(Brief::No) };
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
        py.detach(act)
    }
}

/// The call takes its time, or is about to wait: the GIL is another's until it is over.
pub fn let_go() {
    if let Brief::Holds = BRIEF.get() {
        // SAFETY: `briefly` was called with the GIL held, and nothing has given it away since.
        BRIEF.set(Brief::LetGo(unsafe { PyEval_SaveThread() }));
    }
}

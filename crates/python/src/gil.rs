//! Calls into the core → calls that hold the GIL while they are short, and release it once they turn out to be long.
//!
//! A thread that releases the GIL while another one computes in Python waits up to five milliseconds for it, as long as
//! thousands of masks take.
//!
//! Free-threaded Python has no GIL. There a thread is attached to Python while it touches objects, and whoever collects
//! garbage waits until all are detached: it is right to let go of the one as of the other.

use frisket::front_end::{generation, Once};
use pyo3::ffi::{PyEval_RestoreThread, PyEval_SaveThread, PyThreadState};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::cell::{Cell, RefCell};
use std::hint::spin_loop;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

thread_local! {
    static BRIEF: Cell<Brief> = const { Cell::new(Brief::No) };
    static INTERRUPTION: RefCell<Option<PyErr>> = const { RefCell::new(None) };
    static NEXT_LOOK: Cell<Option<Instant>> = const { Cell::new(None) };
    /// (fork generation, whether handlers of signals run in this thread), once known. In a child of a fork they run in
    /// the thread that forked it.
    static HANDLES: Cell<Option<(u64, bool)>> = const { Cell::new(None) };
}

/// Time between two looks for a signal in a call that released the GIL.
const LOOK: Duration = Duration::from_millis(3);

/// A call waits for the GIL during at most one part in this many of its time, while other threads compute in Python.
const SHARE: u32 = 8;

#[derive(Clone, Copy)]
enum Brief {
    /// The thread is in no call of `briefly`: it does not hold the GIL, or `let_go` must not release it.
    No,
    /// The thread is unknown to Python: it has no GIL and no signals.
    Apart,
    Holds,
    LetGo(*mut PyThreadState),
}

/// The result of `act`, which runs with the GIL held until something below calls `let_go`. `act` must be fit to run without
/// the GIL: `Send` keeps out objects of Python, as for `Python::detach`. No lock held at `let_go` may outlive `act`.
pub fn briefly<T>(_py: Python<'_>, act: impl FnOnce() -> T + Send) -> T {
    /// Restores the previous state of the thread: a signal's handler may call while another call pauses.
    struct Back(Brief);
    impl Drop for Back {
        fn drop(&mut self) {
            if let Brief::LetGo(state) = BRIEF.replace(self.0) {
                // SAFETY: saved by this thread, in this call.
                unsafe { take_back(state) };
            }
        }
    }
    let _back = Back(BRIEF.replace(Brief::Holds));
    act()
}

/// `briefly`, but without the GIL from the beginning if `act` reads more than 1 MiB and therefore takes long anyway.
pub fn briefly_unless_large<T: Send>(py: Python<'_>, bytes: usize, act: impl FnOnce() -> T + Send) -> T {
    const LARGE: usize = 1 << 20;
    if bytes < LARGE {
        briefly(py, act)
    } else {
        without(py, act)
    }
}

/// `Python::detach` that `take_turns` knows about.
pub fn without<T>(py: Python<'_>, act: impl FnOnce() -> T + Send) -> T {
    briefly(py, || {
        let_go();
        act()
    })
}

/// Says that this thread is one of the core's own, unless it is in a call of `briefly`.
pub fn apart() {
    if let Brief::No = BRIEF.get() {
        BRIEF.set(Brief::Apart);
    }
}

/// Release the GIL until the call below `briefly` is over, because it takes long or is about to wait.
pub fn let_go() -> bool {
    if let Brief::Holds = BRIEF.get() {
        let known = HANDLES.get().filter(|&(process, _)| process == generation());
        let ask = || Python::attach(|py| Some((generation(), is_main_thread(py).ok()?)));
        HANDLES.set(known.or_else(ask));
        NEXT_LOOK.set(Some(Instant::now() + LOOK));
        IS_TAKEN.store(false, Ordering::Relaxed);
        // SAFETY: `briefly` was called with the GIL held, and nothing has given it away since.
        BRIEF.set(Brief::LetGo(unsafe { PyEval_SaveThread() }));
    }
    true
}

/// Whether some call that had let go of the GIL has taken it back, and no call has let it go since. Only a guess: Python
/// passes the GIL on without a word.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

/// Takes the GIL at the end of a call.
///
/// A thread that finds it taken sleeps, and waking takes longer than another thread that compiles holds the GIL. So the
/// thread spins for that long before it sleeps (Karlin, Li, Manasse, Owicki, *Empirical studies of competitive
/// spinning*, 1991).
///
/// # Safety
///
/// This thread saved the state and has not restored it.
unsafe fn take_back(state: *mut PyThreadState) {
    // Some tens of microseconds.
    const TURNS: usize = 1_000;
    // Where Python has no GIL, nobody takes it.
    let turns = if cfg!(Py_GIL_DISABLED) { 0 } else { TURNS };
    for _ in 0..turns {
        if !IS_TAKEN.load(Ordering::Relaxed) {
            break;
        }
        spin_loop();
    }
    // SAFETY: promised by the caller.
    unsafe { PyEval_RestoreThread(state) };
    IS_TAKEN.store(true, Ordering::Relaxed);
}

/// Pauses a long call: releases the GIL, and now and then lets a signal's handler run. False if that raised.
pub fn pause() -> bool {
    match BRIEF.get() {
        Brief::No | Brief::Apart => true,
        Brief::Holds => let_go(),
        Brief::LetGo(state) => {
            if !HANDLES.get().is_some_and(|(_, handles)| handles)
                || NEXT_LOOK.get().is_some_and(|next| Instant::now() < next)
            {
                return true;
            }
            look_at_signals(state)
        }
    }
}

#[cold]
fn look_at_signals(state: *mut PyThreadState) -> bool {
    let began = Instant::now();
    // SAFETY: saved by this thread, in the call that pauses.
    unsafe { PyEval_RestoreThread(state) };
    let waited = began.elapsed();
    BRIEF.set(Brief::No);
    let handled = Python::attach(|py| py.check_signals());
    // SAFETY: the GIL was taken back above.
    BRIEF.set(Brief::LetGo(unsafe { PyEval_SaveThread() }));
    NEXT_LOOK.set(Some(Instant::now() + LOOK.max(SHARE * waited)));
    match handled {
        Ok(()) => true,
        Err(raised) => {
            INTERRUPTION.set(Some(raised));
            false
        }
    }
}

/// The result of a call that needs Python, inside one that may have released the GIL.
pub fn attached<T>(call: impl FnOnce(Python<'_>) -> T) -> T {
    let Brief::LetGo(state) = BRIEF.get() else { return Python::attach(call) };
    // SAFETY: saved by this thread, in the call around this one.
    unsafe { PyEval_RestoreThread(state) };
    BRIEF.set(Brief::No);
    let made = Python::attach(call);
    // SAFETY: the GIL was taken back above.
    BRIEF.set(Brief::LetGo(unsafe { PyEval_SaveThread() }));
    made
}

fn is_main_thread(py: Python<'_>) -> PyResult<bool> {
    let threading = py.import("threading")?;
    threading.call_method0("main_thread")?.getattr("ident")?.eq(threading.call_method0("get_ident")?)
}

/// Gives another thread its turn, if one waits, in a long call of a builder that holds Python's objects, as Python does
/// between two instructions. False if a signal's handler has raised.
///
/// Releasing the GIL and taking it back would do the opposite: a thread that waits for it wakes too late, and waits
/// another five milliseconds before Python hears of it.
pub fn take_turns() -> bool {
    static NOTHING: Once<Py<PyAny>> = Once::new();
    if !matches!(BRIEF.get(), Brief::No) {
        return pause();
    }
    let called = Python::attach(|py| {
        // The function has globals of its own: those of `__main__`, with their open files, would live beyond the end.
        let make = || py.eval(c"lambda: None", Some(&PyDict::new(py)), None).map(Bound::unbind);
        NOTHING.get_or_try_init(make)?.call0(py)
    });
    match called {
        Ok(_) => INTERRUPTION.with_borrow(Option::is_none),
        Err(raised) => {
            INTERRUPTION.set(Some(raised));
            false
        }
    }
}

/// The exception that a signal's handler has raised; it cancelled the call.
pub fn interruption() -> Option<PyErr> {
    INTERRUPTION.take()
}

//! Matchers × rows of one array → their masks, written by several threads.
//!
//! Masks that are known are copied first. The others are composed, those of one grammar by one thread.

use crate::buffer::Bitmask;
use crate::error::{bug, raise};
use crate::gil::without;
use crate::integer::Whole;
use crate::matcher::{fill, Matcher};
use frisket_core::error::Result;
use frisket_core::storage::{lock::Lock, once::Lazy};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::mem::take;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One row per matcher in one call, the GIL released; `rooms`: the tokens that each has left, None: any number.
#[pyfunction]
#[pyo3(signature = (matchers, bitmask, rows=None, rooms=None))]
pub fn fill_masks(
    py: Python<'_>,
    matchers: Vec<Py<Matcher>>,
    bitmask: &Bound<'_, PyAny>,
    rows: Option<Vec<Whole<usize>>>,
    rooms: Option<Vec<Option<Whole<u32>>>>,
) -> PyResult<()> {
    let target = Bitmask::new(bitmask)?;
    let rows: Vec<usize> = match rows {
        Some(rows) => rows.into_iter().map(|Whole(row)| row).collect(),
        None => (0..matchers.len()).collect(),
    };
    if rows.len() != matchers.len() {
        return Err(PyValueError::new_err(format!("{} rows for {} matchers", rows.len(), matchers.len())));
    }
    let rooms: Vec<Option<u32>> = match rooms {
        Some(rooms) => rooms.into_iter().map(|room| room.map(|Whole(room)| room)).collect(),
        None => vec![None; matchers.len()],
    };
    if rooms.len() != matchers.len() {
        return Err(PyValueError::new_err(format!("{} rooms for {} matchers", rooms.len(), matchers.len())));
    }
    let mut distinct = rows.clone();
    distinct.sort_unstable();
    if let Some(pair) = distinct.windows(2).find(|pair| pair[0] == pair[1]) {
        return Err(PyValueError::new_err(format!("row {} is given twice", pair[0])));
    }
    for (matcher, &row) in matchers.iter().zip(&rows) {
        target.check(row, matcher.get().mask_words)?;
    }
    let mut work: Vec<Row> = matchers
        .iter()
        .zip(rows)
        .zip(rooms)
        .map(|((matcher, row), room)| Row { matcher: matcher.get(), row, room })
        .collect();
    let done = without(py, || {
        // One grammar's masks are found out by one thread: the others would wait for it.
        work.sort_by_key(|one| (one.matcher.grammar(), one.row));
        // SAFETY: every row was checked, and no row comes twice.
        let row_of = |row: usize| unsafe { target.row(row) };
        let missing = Lock::<Vec<_>>::default();
        each(&work.chunks(ROWS).collect::<Vec<_>>(), |part| {
            for &one in *part {
                match one.matcher.known().filter(|_| one.room.is_none()) {
                    Some(mask) => fill(&mask, row_of(one.row), one.matcher.mask_words),
                    None => missing.lock().push(one),
                }
            }
        });
        let mut missing = take(&mut *missing.lock());
        missing.sort_by_key(|one| (one.matcher.grammar(), one.row));
        let failed = Lock::<Vec<_>>::default();
        each(&missing.chunk_by(|a, b| a.matcher.grammar() == b.matcher.grammar()).collect::<Vec<_>>(), |group| {
            for &Row { matcher, row, room } in *group {
                let mask = matcher.act(|matcher| match room {
                    Some(room) => matcher.mask_within(room),
                    None => matcher.mask(),
                });
                match mask {
                    Some(Ok(mask)) => fill(&mask, row_of(row), matcher.mask_words),
                    other => {
                        failed.lock().push((row, other.and_then(Result::err)));
                        break;
                    }
                }
            }
        });
        // The same error whichever thread was first.
        let failed = take(&mut *failed.lock());
        failed.into_iter().min_by_key(|&(row, _)| row).map(|(_, error)| error)
    });
    match done {
        None => Ok(()),
        Some(Some(error)) => Err(raise(error)),
        Some(None) => Err(bug("a matcher was left in the middle of a call")),
    }
}

/// A matcher, the row of its mask, and the tokens that it has left.
#[derive(Clone, Copy)]
struct Row<'a> {
    matcher: &'a Matcher,
    row: usize,
    room: Option<u32>,
}

/// Rows that one thread copies at a time: copying them takes about as long as starting a thread.
const ROWS: usize = 64;

/// Call `act` with each part, on as many threads as there are cores; all threads have ended when this returns.
fn each<T: Sync>(parts: &[T], act: impl Fn(&T) + Sync) {
    static CORES: Lazy<usize> = Lazy::new(|| std::thread::available_parallelism().map_or(1, usize::from));
    let next = AtomicUsize::new(0);
    let work = || {
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            act(part);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..CORES.min(parts.len()) {
            scope.spawn(work);
        }
        work();
    });
}

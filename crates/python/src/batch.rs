//! Matchers × rows of one array → their masks, written by one thread, or by several if that pays.
//!
//! Masks that are known are copied; the others are composed, those of one grammar by one thread at a time.

use crate::buffer::Bitmask;
use crate::error::{bug, raise};
use crate::gil::{briefly, let_go};
use crate::integer::Whole;
use crate::matcher::{fill, Matcher};
use frisket_core::error::Result;
use frisket_core::storage::lock::Lock;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::mem::take;

/// Write one row per matcher in one call; `rooms`: the tokens that each has left, None: any number.
///
/// Long work releases the GIL, and is shared by as many threads as there are cores.
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
    check_distinct(rows.iter().map(|&row| row..row + 1).collect())?;
    for (matcher, &row) in matchers.iter().zip(&rows) {
        target.check(row, matcher.get().mask_words)?;
    }
    let mut work: Vec<Row> = matchers
        .iter()
        .zip(rows)
        .zip(rooms)
        .map(|((matcher, row), room)| Row { matcher: matcher.get(), row, room })
        .collect();
    let done = briefly(py, || {
        let failed = Lock::<Vec<_>>::default();
        let grammar = |one: &Row| one.matcher.grammar();
        each(&mut work, grammar, |&mut Row { matcher, row, room }| {
            let known = matcher.known().filter(|_| room.is_none());
            let mask = known.map(|mask| Some(Ok(mask))).unwrap_or_else(|| {
                matcher.act(|matcher| match room {
                    Some(room) => matcher.mask_within(room),
                    None => matcher.mask(),
                })
            });
            match mask {
                // SAFETY: every row was checked, and no row comes twice.
                Some(Ok(mask)) => fill(&mask, unsafe { target.row(row) }, matcher.mask_words),
                other => failed.lock().push((row, other.and_then(Result::err))),
            }
        });
        // The error of the first row, whichever thread was first.
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

/// ValueError if some row lies in two of the ranges.
pub fn check_distinct(mut ranges: Vec<std::ops::Range<usize>>) -> PyResult<()> {
    ranges.sort_unstable_by_key(|range| range.start);
    match ranges.windows(2).find(|pair| pair[0].end > pair[1].start) {
        Some(pair) => Err(PyValueError::new_err(format!("row {} is given twice", pair[1].start))),
        None => Ok(()),
    }
}

/// Calls `act` with all items, by several threads if that pays, then without the GIL. All other threads have ended when
/// this returns, so that a fork finds none.
pub fn each<T: Send>(items: &mut [T], grammar: impl Fn(&T) -> usize, act: impl Fn(&mut T) + Sync) {
    let before_sharing = || {
        let_go();
    };
    frisket::share(items, 0, grammar, before_sharing, act);
}

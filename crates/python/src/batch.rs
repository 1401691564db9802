//! Matchers × rows of one array → their masks, written by one thread, or by several if that pays.
//!
//! Masks that are known are copied; the others are composed, those of one grammar by one thread at a time.

use crate::buffer::Bitmask;
use crate::error::raise;
use crate::gil::{briefly, let_go};
use crate::integer::Whole;
use crate::matcher::Matcher;
use frisket::{fill_rows, MaskRow};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

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
    let count = matchers.len();
    let rows: Vec<usize> = rows.map_or_else(|| (0..count).collect(), |rows| rows.iter().map(|row| row.0).collect());
    let rooms = rooms.unwrap_or_else(|| (0..count).map(|_| None).collect());
    for (given, name) in [(rows.len(), "rows"), (rooms.len(), "rooms")] {
        if given != count {
            return Err(PyValueError::new_err(format!("{given} {name} for {count} matchers")));
        }
    }
    check_distinct(rows.iter().map(|&row| row..row + 1).collect())?;
    let (mut work, mut first) = (Vec::with_capacity(count), None);
    for ((matcher, row), room) in matchers.iter().zip(rows).zip(rooms) {
        let matcher = &matcher.get().inner;
        let size = matcher.compiled().vocabulary().size();
        if *first.get_or_insert(size) != size {
            return Err(PyValueError::new_err(
                "the matchers are of vocabularies of different sizes: fill a bitmask for each vocabulary",
            ));
        }
        target.check(row, matcher.mask_words())?;
        // SAFETY: checked here, and no row comes twice.
        work.push(MaskRow { matcher, mask: unsafe { target.row(row) }, room: room.map(|Whole(room)| room) });
    }
    briefly(py, || fill_rows(work, 0, Some(let_go))).map_err(|(_, error)| raise(error))
}

/// ValueError if some row lies in two of the ranges.
pub fn check_distinct(mut ranges: Vec<std::ops::Range<usize>>) -> PyResult<()> {
    ranges.sort_unstable_by_key(|range| range.start);
    match ranges.windows(2).find(|pair| pair[0].end > pair[1].start) {
        Some(pair) => Err(PyValueError::new_err(format!("row {} is given twice", pair[1].start))),
        None => Ok(()),
    }
}

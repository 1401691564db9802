//! The requests of an engine's step → the rows of its bitmask, and which requests need attention.
//!
//! An engine keeps one array for all steps. Each row remembers its mask, and is not written again while that stays.

use crate::batch::check_distinct;
use crate::buffer::Bitmask;
use crate::error::raise;
use crate::gil::{briefly, let_go};
use crate::integer::TokenId;
use crate::matcher::Matcher;
use frisket::front_end::Lock;
use frisket::{fill_drafts, Request, Row};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// Take tokens up to the one that ends the text. Returns whether that is among them, and how many tokens were the
/// only allowed ones, as far as caches know. An error leaves the matcher as it was.
#[pyfunction]
pub fn advance_all(py: Python<'_>, matcher: &Bound<'_, Matcher>, tokens: Vec<TokenId>) -> PyResult<(bool, usize)> {
    let tokens: Vec<u32> = tokens.iter().map(TokenId::id).collect();
    let matcher = matcher.get();
    match matcher.inner.try_call(|matcher| matcher.advance_all_known(&tokens)) {
        Some(taken) => Ok(taken),
        None => matcher.with(py, |matcher| matcher.advance_all(&tokens)),
    }
}

/// Whether a token is the only allowed one; None if it ends the text, or if caches do not know that it may come
/// next.
///
/// Such a token may be taken later, by `MaskRows.fill`: the step and the mask after it need the same memory.
#[pyfunction]
pub fn may_take_later(matcher: &Bound<'_, Matcher>, token: i64) -> Option<bool> {
    let token = u32::try_from(token).ok()?;
    let (matcher, mask) = (&matcher.get().inner, matcher.get().inner.known_mask()?);
    let goes_on = !matcher.compiled().vocabulary().eos().contains(&token);
    (goes_on && mask.allows(token)).then(|| mask.is_single())
}

/// The rows of an engine's bitmask (as `Matcher.fill_mask` takes it), which nobody else may write.
#[pyclass(frozen, module = "frisket._core.front_end")]
pub struct MaskRows {
    bitmask: Bitmask,
    held: Vec<Lock<Row>>,
}

/// (place of a request, place of the first of its rows without a mask, error): this row and all later ones are not
/// written.
type Failed = (usize, usize, PyErr);
/// (tokens left before the first row, tokens that one token may add to those that the text needs, whether to compare
/// masks with ordinary ones)
type Room = (i64, u32, bool);
/// (place of a request whose text may be cut, error)
type Cut = (usize, PyErr);

#[pymethods]
impl MaskRows {
    #[new]
    fn new(bitmask: &Bound<'_, PyAny>) -> PyResult<Self> {
        let bitmask = Bitmask::new(bitmask)?;
        let held = (0..bitmask.count()).map(|_| Lock::default()).collect();
        Ok(MaskRows { bitmask, held })
    }

    /// How many rows there are.
    fn __len__(&self) -> usize {
        self.held.len()
    }

    /// Write `count` rows from `first` on: all tokens if `allowed`, else none; for `tokens`, the opposite.
    #[pyo3(signature = (first, count, tokens, *, allowed))]
    fn write(&self, first: usize, count: usize, tokens: Vec<u32>, allowed: bool) -> PyResult<()> {
        for row in first..first + count {
            self.bitmask.check(row, 0)?;
            let mut held = self.held[row].lock();
            if allowed && tokens.is_empty() {
                if held.is(&Row::All) {
                    continue;
                }
                *held = Row::All;
            } else {
                *held = Row::Unknown;
            }
            // SAFETY: checked above; whoever else writes this row waits for the lock.
            let words = unsafe { self.bitmask.row(row) };
            words.fill(if allowed { u32::MAX } else { 0 });
            for token in &tokens {
                if let Some(word) = words.get_mut(*token as usize >> 5) {
                    *word ^= 1 << (token & 31);
                }
            }
        }
        Ok(())
    }

    /// Write the rows of each request from `rows` on: its mask, the mask after its first draft, and so on.
    ///
    /// A matcher stays where it is. After a draft that is refused, all rows have the mask before it. A draft below 0
    /// is no token: the rows after it allow all tokens, as rows after the end of a text do.
    ///
    /// `rooms`: the tokens that are left before the first row, the tokens that one token may add to those that the
    /// text needs, and whether to tell if a mask lost tokens for it; None: any number. `taken`: a token that each
    /// request takes first, for good; None: there is none. Returns the requests that have failed (with the first of
    /// their rows that is not written), the requests of which a mask lost tokens, and those that may be cut.
    #[pyo3(signature = (matchers, rows, drafts=None, rooms=None, taken=None))]
    fn fill(
        &self,
        py: Python<'_>,
        matchers: Vec<Py<Matcher>>,
        rows: Vec<usize>,
        drafts: Option<Vec<Vec<i64>>>,
        rooms: Option<Vec<Option<Room>>>,
        taken: Option<Vec<Option<u32>>>,
    ) -> PyResult<(Vec<Failed>, Vec<usize>, Vec<Cut>)> {
        if matchers.len() != rows.len() {
            return Err(PyValueError::new_err(format!("{} rows for {} matchers", rows.len(), matchers.len())));
        }
        let drafts = drafts.unwrap_or_default();
        let mut requests = Vec::with_capacity(matchers.len());
        for (place, (matcher, &row)) in matchers.iter().zip(&rows).enumerate() {
            let matcher = &matcher.get().inner;
            let drafts = drafts.get(place).map_or(&[][..], |drafts| drafts);
            self.bitmask.check(row + drafts.len(), matcher.mask_words())?;
            let room = rooms.as_ref().and_then(|rooms| rooms.get(place).copied().flatten());
            let room = room.map(|(tokens, margin, compares)| frisket::Room { tokens, margin, compares });
            let taken = taken.as_ref().and_then(|taken| taken.get(place).copied().flatten());
            requests.push(Request { matcher, row, drafts, room, taken });
        }
        check_distinct(requests.iter().map(|request| request.row..request.row + request.drafts.len() + 1).collect())?;
        let put = |row, wanted: &Row, mask_words| self.put(row, wanted, mask_words);
        let outcomes = briefly(py, || fill_drafts(&requests, Some(let_go), put));
        let (mut failed, mut bent, mut cut) = (vec![], vec![], vec![]);
        for (place, outcome) in outcomes {
            failed.extend(outcome.failed.map(|(row, error)| (place, row, raise(error))));
            bent.extend(outcome.is_bent.then_some(place));
            cut.extend(outcome.cut.map(|error| (place, raise(error))));
        }
        Ok((failed, bent, cut))
    }
}

impl MaskRows {
    /// Writes a row, unless it holds the same content already.
    fn put(&self, row: usize, wanted: &Row, mask_words: usize) {
        let mut held = self.held[row].lock();
        if !held.is(wanted) {
            // SAFETY: the row was checked; whoever else writes it waits for the lock.
            wanted.write_over(&held, unsafe { self.bitmask.row(row) }, mask_words);
            *held = wanted.clone();
        }
    }
}

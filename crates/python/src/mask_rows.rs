//! The requests of an engine's step → the rows of its bitmask, and which requests need attention.
//!
//! An engine keeps one array for all steps. Each row remembers its mask, and is not written again while that stays.

use crate::batch::{check_distinct, each};
use crate::buffer::Bitmask;
use crate::error::{bug, raise};
use crate::gil::briefly;
use crate::integer::TokenId;
use crate::matcher::{fill, Matcher};
use frisket_core::error::{Error, Result};
use frisket_core::mask::mask::Mask;
use frisket_core::matcher::{self as core, NearMask};
use frisket_core::storage::lock::Lock;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::mem::take;
use std::sync::Arc;

/// Take tokens up to the one that ends the text. Returns whether that is among them, and how many tokens were the
/// only allowed ones, as far as caches know. An error leaves the matcher as it was.
#[pyfunction]
pub fn advance_all(py: Python<'_>, matcher: &Bound<'_, Matcher>, tokens: Vec<TokenId>) -> PyResult<(bool, usize)> {
    let tokens: Vec<u32> = tokens.iter().map(TokenId::id).collect();
    matcher.get().advance_all(py, &tokens)
}

/// Whether a token is the only allowed one; None if it ends the text, or if caches do not know that it may come
/// next.
///
/// Such a token may be taken later, by `MaskRows.fill`: the step and the mask after it need the same memory.
#[pyfunction]
pub fn may_take_later(matcher: &Bound<'_, Matcher>, token: i64) -> Option<bool> {
    let token = u32::try_from(token).ok()?;
    matcher.get().at_once(|matcher| {
        let goes_on = !matcher.compiled().vocabulary().eos.contains(&token);
        let mask = matcher.cached_mask()?;
        (goes_on && mask.allows(token)).then(|| mask.is_single())
    })
}

/// The content of a row; the mask is kept, so that no other mask can have its address.
#[derive(Clone, Default)]
enum Held {
    #[default]
    Unknown,
    /// All tokens are allowed, and all bits beyond them are set, as engines set them.
    All,
    Mask(Arc<Mask>),
}

impl Held {
    fn is(&self, other: &Held) -> bool {
        match (self, other) {
            (Held::All, Held::All) => true,
            (Held::Mask(one), Held::Mask(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }
}

/// The rows of an engine's bitmask (as `Matcher.fill_mask` takes it), which nobody else may write.
#[pyclass(frozen, module = "frisket._core.front_end")]
pub struct MaskRows {
    bitmask: Bitmask,
    held: Vec<Lock<Held>>,
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
        let held = (0..bitmask.rows()).map(|_| Lock::default()).collect();
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
                if held.is(&Held::All) {
                    continue;
                }
                *held = Held::All;
            } else {
                *held = Held::Unknown;
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
            let matcher = matcher.get();
            let drafts = drafts.get(place).map_or(&[][..], |drafts| drafts);
            self.bitmask.check(row + drafts.len(), matcher.mask_words)?;
            let room = rooms.as_ref().and_then(|rooms| rooms.get(place).copied().flatten());
            let taken = taken.as_ref().and_then(|taken| taken.get(place).copied().flatten());
            requests.push(Request { place, matcher, row, drafts, room, taken });
        }
        check_distinct(requests.iter().map(|request| request.row..request.row + request.drafts.len() + 1).collect())?;
        let mut outcomes = briefly(py, || {
            let outcomes = Lock::<Vec<_>>::default();
            each(
                &mut requests,
                |request| request.matcher.grammar(),
                |request| {
                    if request.matcher.at_once(|matcher| request.fill(matcher, self, true)).is_none() {
                        let outcome = request.matcher.act(|matcher| Ok(request.fill(matcher, self, false)));
                        outcomes.lock().push((request.place, outcome));
                    }
                },
            );
            let outcomes = take(&mut *outcomes.lock());
            outcomes
        });
        // The order of the requests, whichever thread was first.
        outcomes.sort_by_key(|&(place, _)| place);
        let (mut failed, mut bent, mut cut) = (vec![], vec![], vec![]);
        for (place, outcome) in outcomes {
            match outcome {
                Some(Ok(Some(outcome))) => {
                    failed.extend(outcome.failed.map(|(row, error)| (place, row, raise(error))));
                    bent.extend(outcome.is_bent.then_some(place));
                    cut.extend(outcome.cut.map(|error| (place, raise(error))));
                }
                Some(Err(error)) => failed.push((place, 0, raise(error))),
                _ => failed.push((place, 0, bug("a matcher was left in the middle of a call"))),
            }
        }
        Ok((failed, bent, cut))
    }
}

/// One request's part of a call.
struct Request<'a> {
    place: usize,
    matcher: &'a Matcher,
    row: usize,
    drafts: &'a [i64],
    room: Option<Room>,
    /// A token that is taken first, for good.
    taken: Option<u32>,
}

/// The outcome of writing the rows of one request.
#[derive(Default)]
struct Outcome {
    failed: Option<(usize, Box<Error>)>,
    is_bent: bool,
    cut: Option<Box<Error>>,
}

impl Request<'_> {
    /// Writes all rows. If `known`, only from caches: None, with the matcher as it was, if they lack a mask or a step.
    fn fill(&self, matcher: &mut core::Matcher, target: &MaskRows, known: bool) -> Option<Outcome> {
        let before = matcher.steps();
        match self.taken {
            Some(token) if known => matcher.try_advance_cached(token).then_some(())?,
            Some(token) => {
                if let Err(error) = matcher.advance(token) {
                    return Some(Outcome { failed: Some((0, error)), ..Outcome::default() });
                }
            }
            None => {}
        }
        let after = matcher.steps();
        let outcome = self.fill_along(matcher, target, known);
        matcher.truncate(if outcome.is_some() { after } else { before });
        outcome
    }

    fn fill_along(&self, matcher: &mut core::Matcher, target: &MaskRows, known: bool) -> Option<Outcome> {
        let mut outcome = Outcome::default();
        let mut held = Held::All;
        let count = self.drafts.iter().take_while(|&&draft| draft >= 0).count();
        let mut is_refused = false;
        for place in 0..=self.drafts.len() {
            if !is_refused {
                held = match place > count || matcher.ended() {
                    true => Held::All,
                    false => match self.mask(matcher, place, known, &mut outcome)? {
                        Ok(mask) => Held::Mask(mask),
                        Err(error) => {
                            outcome.failed = Some((place, error));
                            break;
                        }
                    },
                };
            }
            target.put(self.row + place, &held, self.matcher.mask_words);
            if place < count && !is_refused {
                is_refused = !advance(matcher, self.drafts[place], known)?;
            }
        }
        Some(outcome)
    }

    /// The mask of a row; None if it has to be `known` to a cache and is not.
    fn mask(
        &self,
        matcher: &mut core::Matcher,
        place: usize,
        known: bool,
        outcome: &mut Outcome,
    ) -> Option<Result<Arc<Mask>>> {
        // The engine drops drafts beyond the budget, so any mask will do there.
        let room = self.room.and_then(|(room, ..)| u32::try_from(room - place as i64).ok());
        let (Some(room), Some((_, margin, compares))) = (room, self.room) else {
            let mask = matcher.cached_mask().map(Ok);
            return if known { mask } else { mask.or_else(|| Some(matcher.mask())) };
        };
        if known {
            return None;
        }
        Some(matcher.mask_near(room, margin, compares && !outcome.is_bent).map(|near| match near {
            NearMask::Whole(mask) => mask,
            NearMask::Bent(mask) => {
                outcome.is_bent = true;
                mask
            }
            NearMask::Cut(mask, error) => {
                outcome.cut = Some(error);
                mask
            }
        }))
    }
}

/// Whether a draft was taken; None if the state after it has to be `known` to a cache and is not.
fn advance(matcher: &mut core::Matcher, draft: i64, known: bool) -> Option<bool> {
    let draft = u32::try_from(draft).unwrap_or(u32::MAX);
    match known {
        true => matcher.try_advance_cached(draft).then_some(true),
        false => Some(matcher.try_advance(draft).unwrap_or(false)),
    }
}

impl MaskRows {
    /// Writes a row, unless it holds the same content already.
    fn put(&self, row: usize, wanted: &Held, mask_words: usize) {
        let mut held = self.held[row].lock();
        if held.is(wanted) {
            return;
        }
        // SAFETY: the row was checked; whoever else writes it waits for the lock.
        let words = unsafe { self.bitmask.row(row) };
        match (&*held, wanted) {
            (Held::Mask(before), Held::Mask(mask)) if before.is_sparse() && mask.is_sparse() => {
                mask.write_over(before, words);
            }
            (_, Held::Mask(mask)) => fill(mask, words, mask_words),
            _ => words.fill(u32::MAX),
        }
        *held = wanted.clone();
    }
}

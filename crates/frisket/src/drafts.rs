//! Requests of an engine's step, with drafts × rows that are kept from step to step → the rows that change.

use crate::batch::share;
use crate::error::{Error, Result};
use crate::matcher::Matcher;
use crate::shared::SharedMatcher;
use frisket_core::limits::Pause;
use frisket_core::mask::mask::Mask;
use frisket_core::matcher::NearMask;
use frisket_core::storage::lock::Lock;
use std::mem::take;
use std::sync::Arc;

/// The content of a row. A mask is kept, so that no other one can have its address.
#[derive(Clone, Default)]
pub enum Row {
    /// Nobody knows.
    #[default]
    Unknown,
    /// All tokens, and all bits beyond them.
    All,
    /// The tokens of a mask.
    Mask(Arc<Mask>),
}

impl Row {
    /// Whether both are known to be the same.
    pub fn is(&self, other: &Row) -> bool {
        match (self, other) {
            (Row::All, Row::All) => true,
            (Row::Mask(one), Row::Mask(other)) => Arc::ptr_eq(one, other),
            _ => false,
        }
    }

    /// Writes the content over that of `before`, for masks of `mask_words` words.
    pub fn write_over(&self, before: &Row, words: &mut [u32], mask_words: usize) {
        match (before, self) {
            (Row::Mask(before), Row::Mask(mask)) if before.is_sparse() && mask.is_sparse() => {
                mask.write_over(before, words);
            }
            (_, Row::Mask(mask)) => crate::matcher::write(mask, words, mask_words),
            _ => words.fill(u32::MAX),
        }
    }
}

/// The tokens that a request has left.
#[derive(Clone, Copy)]
pub struct Room {
    /// Tokens before the first row.
    pub tokens: i64,
    /// Tokens that one token may add to those that the text needs.
    pub margin: u32,
    /// Whether to tell if a mask lost tokens.
    pub compares: bool,
}

/// One request: a row for its mask, one for the mask after its first draft, and so on.
pub struct Request<'a> {
    /// Its matcher, which stays where it is.
    pub matcher: &'a SharedMatcher,
    /// The first of its rows.
    pub row: usize,
    /// Tokens that may come. One below 0 is no token: all tokens are allowed after it, as after the end of a text.
    pub drafts: &'a [i64],
    /// The tokens that are left; None for any number.
    pub room: Option<Room>,
    /// A token that the matcher takes first, for good.
    pub taken: Option<u32>,
}

/// The outcome of writing the rows of a request.
#[derive(Default)]
pub struct Outcome {
    /// The first of its rows that has no mask, and the reason: neither that row nor a later one was written.
    pub failed: Option<(usize, Box<Error>)>,
    /// Whether a mask lost tokens for want of room.
    pub is_bent: bool,
    /// The reason why the text may be cut.
    pub cut: Option<Box<Error>>,
}

/// Gives `put` the rows of all requests, by several threads if that pays; then `pause` is called first. The outcomes of those
/// that took computation, by their place among the requests.
pub fn fill_drafts(
    requests: &[Request<'_>],
    pause: Option<Pause>,
    put: impl Fn(usize, &Row, usize) + Sync,
) -> Vec<(usize, Outcome)> {
    let outcomes = Lock::<Vec<_>>::default();
    let mut places: Vec<_> = requests.iter().enumerate().collect();
    let fill = |&mut (place, request): &mut (usize, &Request<'_>)| {
        let known = request.matcher.try_call(|matcher| request.fill(matcher, &put, true));
        if known.is_none() {
            let done =
                request.matcher.call(pause, |matcher| Ok(request.fill(matcher, &put, false).unwrap_or_default()));
            let failed = |error| Outcome { failed: Some((0, error)), ..Outcome::default() };
            outcomes.lock().push((place, done.unwrap_or_else(failed)));
        }
    };
    share(&mut places, 0, |(_, request)| request.matcher.compiled().address(), pause, fill);
    let mut outcomes = take(&mut *outcomes.lock());
    // The order of the requests, whichever thread was first.
    outcomes.sort_by_key(|&(place, _)| place);
    outcomes
}

impl Request<'_> {
    /// Writes all rows. If `known`, only what takes no computation: None, with the matcher as it was, if something does.
    fn fill(&self, matcher: &mut Matcher, put: &impl Fn(usize, &Row, usize), known: bool) -> Option<Outcome> {
        let before = matcher.steps();
        match self.taken {
            Some(token) if known => matcher.advance_known(token).then_some(())?,
            Some(token) => {
                if let Err(error) = matcher.advance(token) {
                    return Some(Outcome { failed: Some((0, error)), ..Outcome::default() });
                }
            }
            None => {}
        }
        let after = matcher.steps();
        let outcome = self.fill_along(matcher, put, known);
        matcher.back_to(if outcome.is_some() { after } else { before });
        outcome
    }

    fn fill_along(&self, matcher: &mut Matcher, put: &impl Fn(usize, &Row, usize), known: bool) -> Option<Outcome> {
        let mut outcome = Outcome::default();
        let mut held = Row::All;
        let count = self.drafts.iter().take_while(|&&draft| draft >= 0).count();
        let mut is_refused = false;
        for place in 0..=self.drafts.len() {
            if !is_refused {
                held = match place > count || matcher.ended() {
                    true => Row::All,
                    false => match self.mask(matcher, place, known, &mut outcome)? {
                        Ok(mask) => Row::Mask(mask),
                        Err(error) => {
                            outcome.failed = Some((place, error));
                            break;
                        }
                    },
                };
            }
            put(self.row + place, &held, self.matcher.mask_words());
            if place < count && !is_refused {
                let draft = u32::try_from(self.drafts[place]).unwrap_or(u32::MAX);
                is_refused = match known {
                    true => !matcher.advance_known(draft).then_some(true)?,
                    false => !matcher.try_advance(draft).unwrap_or(false),
                };
            }
        }
        Some(outcome)
    }

    /// The mask of a row; None if it has to be `known` and is not.
    fn mask(
        &self,
        matcher: &mut Matcher,
        place: usize,
        known: bool,
        outcome: &mut Outcome,
    ) -> Option<Result<Arc<Mask>>> {
        // The engine drops drafts beyond the budget, so any mask will do there.
        let left = self.room.and_then(|room| u32::try_from(room.tokens - place as i64).ok());
        let (Some(left), Some(Room { margin, compares, .. })) = (left, self.room) else {
            return if known { matcher.known_mask().map(Ok) } else { Some(matcher.mask(None)) };
        };
        if known {
            return None;
        }
        Some(matcher.mask_near(left, margin, compares && !outcome.is_bent).map(|near| match near {
            NearMask::Whole(mask) => mask,
            NearMask::Bent(mask) => {
                outcome.is_bent = true;
                mask
            }
            NearMask::Cut(mask, error) => {
                outcome.cut = Some(error.into());
                mask
            }
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, Grammar, Limits, Vocabulary};
    use std::collections::BTreeMap;

    fn matcher(pattern: &str) -> SharedMatcher {
        let vocabulary = Vocabulary::from_bytes(["a", "b", "c", ""], [("<end>", 3)], &[3]).unwrap();
        let grammar = Grammar::from_regex(pattern, &Limits::default()).unwrap();
        SharedMatcher::new(grammar.compile(&vocabulary, &Limits::default()).unwrap().matcher())
    }

    fn filled(request: Request<'_>) -> (Vec<(usize, u32)>, Option<Outcome>) {
        let rows = Lock::<BTreeMap<usize, u32>>::default();
        let outcomes = fill_drafts(&[request], None, |row, content, mask_words| {
            let mut words = vec![0; mask_words];
            content.write_over(&Row::Unknown, &mut words, mask_words);
            rows.lock().insert(row, words[0]);
        });
        let rows = rows.lock().iter().map(|(&row, &word)| (row, word)).collect();
        (rows, outcomes.into_iter().next().map(|(_, outcome)| outcome))
    }

    #[test]
    fn a_row_for_each_draft_and_the_matcher_stays() {
        let matcher = matcher("ab*c");
        let request = Request { matcher: &matcher, row: 5, drafts: &[0, 1, 0, 1], room: None, taken: None };
        let (rows, outcome) = filled(request);
        assert_eq!(rows, [(5, 1), (6, 6), (7, 6), (8, 6), (9, 6)], "after a refused draft, the mask before it");
        assert!(outcome.is_some_and(|outcome| outcome.failed.is_none() && !outcome.is_bent));
        let (rows, outcome) = filled(Request { matcher: &matcher, row: 0, drafts: &[0], room: None, taken: None });
        assert_eq!((rows, outcome.is_none()), (vec![(0, 1), (1, 6)], true), "all of it was known");
        assert_eq!(matcher.try_call(|matcher| Some(matcher.steps())), Some(0));
        let request = Request { matcher: &matcher, row: 0, drafts: &[2, -1], room: None, taken: Some(0) };
        let (rows, _) = filled(request);
        assert_eq!(rows, [(0, 6), (1, 8), (2, u32::MAX)], "all tokens behind what is no token");
        assert_eq!(matcher.try_call(|matcher| Some(matcher.steps())), Some(1), "what is taken is taken for good");
    }

    #[test]
    fn a_request_says_why_a_row_is_missing_and_that_its_text_may_be_cut() {
        let matcher = matcher("abc");
        let request = Request { matcher: &matcher, row: 0, drafts: &[], room: None, taken: Some(2) };
        let (rows, outcome) = filled(request);
        let (place, error) = outcome.and_then(|outcome| outcome.failed).unwrap();
        assert_eq!((rows.len(), place, error.code()), (0, 0, Code::TokenRejected));
        let room = Some(Room { tokens: 1, margin: 9, compares: true });
        let (rows, outcome) = filled(Request { matcher: &matcher, row: 0, drafts: &[], room, taken: None });
        let cut = outcome.and_then(|outcome| outcome.cut).unwrap();
        assert_eq!((rows, cut.code()), (vec![(0, 1)], Code::Budget));
        assert_eq!(cut.least(), Some(3));
    }
}

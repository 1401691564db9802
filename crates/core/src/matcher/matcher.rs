//! CompiledGrammar → Matcher: one sequence's state, and every state before it.
//!
//! A matcher holds what belongs to one sequence: its inputs, the states after them, and its checkpoints. Everything that
//! several sequences can share is in `compiled` and `lazy`.

use crate::error::{Error, Limit, Result};
use crate::limits::Cancellation;
use crate::mask::mask::Mask;
use crate::matcher::checkpoint::Trail;
use crate::matcher::compiled::CompiledGrammar;
use crate::matcher::lazy::{Input, MatcherState};
use std::sync::Arc;

/// Bytes of a rejected text that its error shows.
const SHOWN_BYTES: usize = 80;

/// One input that a matcher took.
#[derive(Clone)]
pub(super) enum Taken {
    Token(u32),
    Text(Arc<[u8]>),
}

/// The epoch of a matcher whose current state is known in none.
const NO_EPOCH: u64 = u64::MAX;

/// One sequence's state, and every state before it.
#[derive(Clone)]
pub struct Matcher {
    pub(super) compiled: Arc<CompiledGrammar>,
    pub(super) cancellation: Option<Cancellation>,
    /// The epoch to which the states belong, from step `valid_from` on.
    pub(super) epoch: u64,
    pub(super) valid_from: usize,
    /// The start, and the state after each input.
    pub(super) history: Vec<MatcherState>,
    pub(super) trail: Trail,
    pub(super) taken: Vec<Taken>,
    /// The step at which a mask with room took too long: from it on, masks near the end follow the closing text.
    pub(super) closes_from: Option<usize>,
}

impl Matcher {
    pub(super) fn new(compiled: Arc<CompiledGrammar>, start: MatcherState, cancellation: Option<Cancellation>) -> Self {
        Matcher {
            compiled,
            cancellation,
            epoch: 0,
            valid_from: 0,
            history: vec![start],
            trail: Trail::default(),
            taken: Vec::new(),
            closes_from: None,
        }
    }

    /// The grammar that the matcher follows.
    pub fn compiled(&self) -> &Arc<CompiledGrammar> {
        &self.compiled
    }

    pub(super) fn state(&self) -> MatcherState {
        self.history[self.history.len() - 1]
    }

    /// How many inputs were taken: tokens, and texts as a whole.
    pub fn steps(&self) -> usize {
        self.taken.len()
    }

    /// The bytes of the inputs, in order; special tokens have none.
    pub fn text(&self) -> Vec<u8> {
        self.taken.iter().filter_map(|taken| self.bytes_of(taken).ok()).flatten().copied().collect()
    }

    /// Each input in order: its bytes, or the id of a token that has none.
    pub fn inputs(&self) -> Vec<std::result::Result<&[u8], u32>> {
        self.taken.iter().map(|taken| self.bytes_of(taken)).collect()
    }

    /// The bytes of an input, or the id of a token that has none.
    pub(super) fn bytes_of<'a>(&'a self, taken: &'a Taken) -> std::result::Result<&'a [u8], u32> {
        match taken {
            Taken::Token(token) => self.compiled.vocabulary().token(*token).ok_or(*token),
            Taken::Text(text) => Ok(text),
        }
    }

    /// Whether an end-of-sequence token was taken.
    pub fn ended(&self) -> bool {
        self.state().ended
    }

    /// Whether the sequence is complete as it stands.
    pub fn can_end(&self) -> bool {
        let state = self.state();
        state.ended || state.accepting
    }

    /// Record one more input and the state after it.
    fn push(&mut self, state: MatcherState, taken: Taken) {
        self.history.push(state);
        self.taken.push(taken);
        let step = self.steps();
        if self.trail.is_due(step) && !state.ended {
            self.trail.add(&self.compiled.checkpoints, step, self.epoch, state.position);
        }
    }

    /// The flags that end its calls: the grammar's and its own.
    pub fn cancellations(&self) -> [Option<Cancellation>; 2] {
        [self.compiled.cancellation.clone(), self.cancellation.clone()]
    }

    /// An error if the grammar's or the matcher's calls were cancelled.
    pub(super) fn check_cancelled(&self) -> Result<()> {
        let both = [&self.compiled.cancellation, &self.cancellation];
        if both.into_iter().flatten().any(Cancellation::is_cancelled) {
            return Err(Error::Limit(Limit::Cancelled).into());
        }
        Ok(())
    }

    /// The mask, if a cache has it: never waits for another matcher's call. None if the mask must be computed, or if
    /// `mask` would return an error.
    pub fn cached_mask(&self) -> Option<Arc<Mask>> {
        if self.ended() || self.check_cancelled().is_err() {
            return None;
        }
        let mask = self.compiled.tables.read().mask(self.epoch, self.state().position)?;
        (self.can_end() || !mask.is_empty()).then_some(mask)
    }

    /// Take a token if a cache has the state after it; false if `try_advance` must compute or refuse it.
    pub fn try_advance_cached(&mut self, token: u32) -> bool {
        let state = self.state();
        if state.ended || self.check_cancelled().is_err() {
            return false;
        }
        let in_text = state.in_text && self.compiled.vocabulary().is_text(token);
        let next = match in_text {
            // A checkpoint needs the number that the position has in this epoch.
            true => (self.compiled.tables.read().epoch == self.epoch).then_some(state),
            false => self.compiled.tables.read().next(self.epoch, state.position, token),
        };
        let Some(next) = next else { return false };
        self.push(next, Taken::Token(token));
        true
    }

    /// The tokens that may come next.
    ///
    /// Errors: a vocabulary in which no token can spell what must come next; a limit or a cancellation.
    pub fn mask(&mut self) -> Result<Arc<Mask>> {
        if let Some(mask) = self.cached_mask() {
            return Ok(mask);
        }
        self.check_cancelled()?;
        if self.ended() {
            return Ok(Arc::new(Mask::from_tokens(&self.compiled.vocabulary().eos)));
        }
        let mask = self.on_automaton(|compiled, automaton, state| {
            automaton.mask(&compiled.tables, &compiled.masks, state.position)
        })?;
        if !self.can_end() && mask.is_empty() {
            return Err(Error::Vocabulary(format!(
                "no token of the vocabulary can spell what must come next: {}",
                self.expected()?
            ))
            .into());
        }
        Ok(mask)
    }

    /// Write the mask into `out`: one bit per token, `mask_words` words.
    pub fn fill(&mut self, out: &mut [u32]) -> Result<()> {
        self.mask()?.write(out);
        Ok(())
    }

    /// Take a token; false, with the matcher as it was, if the token may not come next.
    pub fn try_advance(&mut self, token: u32) -> Result<bool> {
        if self.try_advance_cached(token) {
            return Ok(true);
        }
        self.check_cancelled()?;
        let next =
            self.on_automaton(|compiled, automaton, state| compiled.step(automaton, state, Input::Token(token)))?;
        if let Some(next) = next {
            self.push(next, Taken::Token(token));
        }
        Ok(next.is_some())
    }

    /// Take a token; an error that names what was expected if the token may not come next.
    pub fn advance(&mut self, token: u32) -> Result<()> {
        if self.try_advance(token)? {
            return Ok(());
        }
        let shown = match self.compiled.vocabulary().token(token) {
            Some(bytes) => format!("{:?}", String::from_utf8_lossy(bytes)),
            None => "a special or unknown token".into(),
        };
        let advice = match self.can_end() && self.compiled.vocabulary().eos.is_empty() {
            true => "; the vocabulary has no end token (eos), so stop where the text can end",
            false => "",
        };
        let expected = self.expected()?;
        Err(Error::Rejected(format!("token {token}, {shown}, may not come next; expected {expected}{advice}")).into())
    }

    /// Take a text, whatever tokens spell it; an error that says up to where the text is right, and what was expected
    /// there, if it may not come next.
    pub fn advance_bytes(&mut self, data: &[u8]) -> Result<()> {
        self.check_cancelled()?;
        if self.try_advance_bytes(data)? {
            return Ok(());
        }
        let before = self.steps();
        let refusal = self.refusal(data);
        self.truncate(before);
        Err(Error::Rejected(refusal?).into())
    }

    /// The message for a refused text. The matcher takes the part of the text that may come next.
    fn refusal(&mut self, data: &[u8]) -> Result<String> {
        let right = self.advance_longest(data)?;
        let place = if right == 0 { String::new() } else { format!(", at offset {right} of the text") };
        Ok(format!("{} may not come next{place}; expected {}", quoted(&data[right..]), self.expected()?))
    }

    /// Take a text; false, with the matcher as it was, if the text may not come next.
    fn try_advance_bytes(&mut self, data: &[u8]) -> Result<bool> {
        let next =
            self.on_automaton(|compiled, automaton, state| compiled.step(automaton, state, Input::Text(data)))?;
        if let Some(next) = next {
            self.push(next, Taken::Text(data.into()));
        }
        Ok(next.is_some())
    }

    /// Take as many leading bytes of a refused text as may come next, and count them.
    fn advance_longest(&mut self, data: &[u8]) -> Result<usize> {
        let mut taken = 0;
        // The count in binary: each power of two is asked for once, the largest below the length first.
        let mut part = data.len().next_power_of_two() / 2;
        while part > 0 {
            if data.get(taken..taken + part).map_or(Ok(false), |part| self.try_advance_bytes(part))? {
                taken += part;
            }
            part /= 2;
        }
        Ok(taken)
    }

    /// How many leading tokens the matcher would take. The matcher stays as it was.
    pub fn validate(&mut self, tokens: &[u32]) -> Result<usize> {
        let before = self.steps();
        let mut refused = Ok(true);
        for &token in tokens {
            refused = self.try_advance(token);
            if !matches!(refused, Ok(true)) {
                break;
            }
        }
        let taken = self.steps() - before;
        self.truncate(before);
        refused.map(|_| taken)
    }

    /// Undo the last `steps` inputs; false if there were fewer.
    pub fn rollback(&mut self, steps: usize) -> bool {
        let left = self.steps().checked_sub(steps);
        left.map(|left| self.truncate(left)).is_some()
    }

    /// Undo all inputs.
    pub fn reset(&mut self) {
        self.truncate(0);
    }

    /// Undo all inputs but the first `left`, which may not be more than were taken.
    pub fn truncate(&mut self, left: usize) {
        self.taken.truncate(left);
        self.history.truncate(left + 1);
        self.trail.truncate(left);
        if left < self.valid_from {
            self.epoch = NO_EPOCH;
        }
    }
}

/// The beginning of a text as an error shows it.
fn quoted(text: &[u8]) -> String {
    let more = if text.len() > SHOWN_BYTES { " …" } else { "" };
    format!("{:?}{more}", String::from_utf8_lossy(&text[..text.len().min(SHOWN_BYTES)]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::matcher::checkpoint::SPACING;
    use crate::matcher::fixture::{begin_epoch, known_steps, message, over};

    #[test]
    fn what_no_token_can_spell_is_an_error_of_the_vocabulary() {
        let compiled = over(|builder| builder.literal(b"ab").unwrap().number(), &[b"a", b"c"]).unwrap();
        let mut matcher = compiled.matcher(None);
        matcher.advance(0).unwrap();
        for _ in 0..2 {
            assert!(message(matcher.mask()).ends_with("can spell what must come next: b"));
            assert!(matcher.cached_mask().is_none(), "an empty mask is not handed out");
        }
        matcher.advance_bytes(b"b").unwrap();
        assert!(matcher.mask().unwrap().allows(2), "at its end only the end may come");
    }

    #[test]
    fn who_is_cancelled_learns_and_takes_nothing() {
        let compiled = over(|builder| builder.literal(b"xx").unwrap().number(), &[b"x"]).unwrap();
        let cancellation = Cancellation::default();
        let mut matcher = compiled.matcher(Some(cancellation.clone()));
        matcher.mask().unwrap();
        matcher.advance(0).unwrap();
        matcher.mask().unwrap();
        cancellation.cancel();
        assert!(matcher.cached_mask().is_none() && !matcher.try_advance_cached(0));
        assert!(message(matcher.mask()).contains("cancelled") && message(matcher.try_advance(0)).contains("cancelled"));
        assert!(message(matcher.advance_bytes(b"x")).contains("cancelled"));
        assert!(
            message(matcher.forced_bytes()).contains("cancelled")
                && message(matcher.completion()).contains("cancelled")
        );
        assert_eq!(matcher.steps(), 1);
        assert!(compiled.matcher(None).mask().is_ok(), "others go on");
    }

    #[test]
    fn back_is_where_it_was_with_texts_and_tokens() {
        let compiled = over(|builder| builder.literal(b"abcdef").unwrap().number(), &[b"a", b"b", b"d", b"f"]).unwrap();
        let mut matcher = compiled.matcher(None);
        let mut states = vec![matcher.state()];
        for (token, text) in [(Some(0), None), (None, Some(b"bc")), (Some(2), None), (None, Some(b"ef"))] {
            match (token, text) {
                (Some(token), _) => matcher.advance(token).unwrap(),
                (_, text) => matcher.advance_bytes(text.unwrap()).unwrap(),
            }
            states.push(matcher.state());
        }
        assert!(matcher.can_end() && !matcher.ended());
        assert_eq!(
            (matcher.inputs(), matcher.text()),
            (vec![Ok(&b"a"[..]), Ok(b"bc"), Ok(b"d"), Ok(b"ef")], b"abcdef".to_vec())
        );
        assert!(!matcher.rollback(5), "not before the start");
        assert!(matcher.rollback(0) && matcher.steps() == 4);
        for left in [3, 1] {
            assert!(matcher.rollback(matcher.steps() - left));
            assert_eq!((matcher.state(), matcher.steps(), matcher.inputs().len()), (states[left], left, left));
        }
        matcher.advance_bytes(b"bcd").unwrap();
        assert_eq!(matcher.state(), states[3]);
        matcher.reset();
        assert_eq!((matcher.state(), matcher.steps(), matcher.text()), (states[0], 0, Vec::new()));
    }

    #[test]
    fn characters_of_a_text_need_not_be_looked_up() {
        let make = |builder: &mut Builder| {
            let any = builder.any_text().unwrap();
            builder.quoted(any.number(), false).unwrap().number()
        };
        let compiled = over(make, &[b"\"", b"a", b"bc", b"\\n"]).unwrap();
        let mut matcher = compiled.matcher(None);
        matcher.advance(0).unwrap();
        let before = (known_steps(&compiled), matcher.state());
        for _ in 0..3 * SPACING {
            assert!(matcher.try_advance_cached(1) && matcher.try_advance_cached(2));
        }
        assert_eq!((known_steps(&compiled), matcher.state()), before);
        assert!(!matcher.try_advance_cached(3), "an escape is");
        // In a new epoch its position must be found first.
        begin_epoch(&compiled);
        assert!(!matcher.try_advance_cached(1));
        matcher.advance(1).unwrap();
        assert_eq!(bits_of(&mut matcher, 6), [0, 1, 2, 3]);
        assert!(matcher.try_advance(0).unwrap() && matcher.can_end());
    }

    fn bits_of(matcher: &mut Matcher, size: u32) -> Vec<u32> {
        let mask = matcher.mask().unwrap();
        (0..size).filter(|&token| mask.allows(token)).collect()
    }
}

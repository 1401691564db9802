//! One sequence: its position, the mask of the tokens that may come next, and steps back.

use crate::compiled::CompiledGrammar;
use crate::error::{guarded, Error, Result};
use crate::limits::Limits;
use frisket_core::mask::mask::Mask;
pub use frisket_core::matcher::Likely;
use frisket_core::matcher::{self as core, NearMask};
use std::sync::Arc;

/// One sequence's position in a text of the grammar. A call that fails leaves it as it was; a clone goes on alone.
#[derive(Clone)]
pub struct Matcher(core::Matcher);

impl Matcher {
    pub(crate) fn new(matcher: core::Matcher) -> Self {
        Matcher(matcher)
    }

    /// The grammar and vocabulary that it was made from.
    pub fn compiled(&self) -> CompiledGrammar {
        CompiledGrammar::of(self.0.compiled())
    }

    /// The limits of each of its calls. Their flag is set once that of the grammar's limits or its own is.
    pub fn limits(&self) -> Limits {
        let flag = match self.0.cancellations() {
            [Some(one), Some(other)] => Some(one.join(&other)),
            [one, other] => one.or(other),
        };
        Limits::of_parts(self.0.compiled().limits, flag)
    }

    /// A number that tells compiled grammars apart.
    pub(crate) fn grammar(&self) -> usize {
        Arc::as_ptr(self.0.compiled()) as usize
    }

    /// The uint32 words of a mask: bit t of it (word t / 32, bit t % 32) is token t.
    pub fn mask_words(&self) -> usize {
        self.0.compiled().vocabulary().mask_words()
    }

    /// The tokens that may come next; with `room`, those after which the text can be finished within so many tokens, theirs
    /// included. Matchers share masks, so that a result made of one can be kept by its address.
    ///
    /// Errors: the text must go on and no token spells what must come; the code `budget` if no token leaves enough room;
    /// limits.
    pub fn mask(&mut self, room: Option<u32>) -> Result<Arc<Mask>> {
        match (room, self.known_mask()) {
            // A known mask takes no computation: nothing can panic.
            (None, Some(mask)) => Ok(mask),
            (None, None) => guarded(|| Ok(self.0.mask()?)),
            (Some(room), _) => guarded(|| Ok(self.0.mask_within(room)?)),
        }
    }

    /// The mask without room, if it takes no computation. None, too, where `mask` has an error.
    pub fn known_mask(&self) -> Option<Arc<Mask>> {
        self.0.cached_mask()
    }

    /// The mask with `room` tokens left, for an engine that counts them: one token raises the number that the text still
    /// needs by at most `margin`.
    pub(crate) fn mask_near(&mut self, room: u32, margin: u32, compares: bool) -> Result<NearMask> {
        guarded(|| Ok(self.0.mask_near(room, margin, compares)?))
    }

    /// Writes the tokens that may come next, and zeros into words beyond the vocabulary.
    ///
    /// Errors: the slice is shorter than `mask_words`; those of `mask`.
    pub fn fill_mask(&mut self, mask: &mut [u32]) -> Result<()> {
        self.fill(None, mask)
    }

    /// As `fill_mask`, for tokens after which the text can be finished within `room` tokens, this one included.
    ///
    /// Errors: those of `fill_mask`, and the code `budget` if there are none.
    pub fn fill_mask_within(&mut self, room: u32, mask: &mut [u32]) -> Result<()> {
        self.fill(Some(room), mask)
    }

    pub(crate) fn fill(&mut self, room: Option<u32>, out: &mut [u32]) -> Result<()> {
        let words = self.mask_words();
        if out.len() < words {
            return Err(Error::misuse(
                format!("a mask of {} words for a vocabulary that takes {words}", out.len()),
                "give Vocabulary::mask_words words",
            ));
        }
        write(&*self.mask(room)?, out, words);
        Ok(())
    }

    /// Takes a token. Errors: it may not come next, with what was expected; limits.
    pub fn advance(&mut self, token: u32) -> Result<()> {
        match self.advance_known(token) {
            true => Ok(()),
            false => guarded(|| Ok(self.0.advance(token)?)),
        }
    }

    /// Takes a token if it may come next, and says whether it may. Errors: limits.
    pub fn try_advance(&mut self, token: u32) -> Result<bool> {
        Ok(self.advance_known(token) || guarded(|| Ok(self.0.try_advance(token)?))?)
    }

    /// Takes a token if that takes no computation; false, with nothing changed, if it does, or if the token may not come
    /// next.
    pub fn advance_known(&mut self, token: u32) -> bool {
        self.0.try_advance_cached(token)
    }

    /// Takes tokens up to the one that ends the text. Gives whether that is among them, and how many tokens were the only
    /// ones allowed, as far as masks are known. Errors, with nothing changed: those of `advance`.
    pub fn advance_all(&mut self, tokens: &[u32]) -> Result<(bool, usize)> {
        let taken = self.take_all(tokens, |matcher, token| matcher.advance(token).map(|()| true))?;
        Ok(taken.unwrap_or_default())
    }

    /// As `advance_all`, if that takes no computation; None, with nothing changed, if it does or has an error.
    pub fn advance_all_known(&mut self, tokens: &[u32]) -> Option<(bool, usize)> {
        self.take_all(tokens, |matcher, token| Ok(matcher.advance_known(token))).ok().flatten()
    }

    /// Takes tokens, each by `take`; None, with nothing changed, if that does not take one.
    fn take_all(
        &mut self,
        tokens: &[u32],
        take: impl Fn(&mut Matcher, u32) -> Result<bool>,
    ) -> Result<Option<(bool, usize)>> {
        let (before, had_ended, mut forced) = (self.steps(), self.ended(), 0);
        for &token in tokens {
            if self.ended() {
                break;
            }
            forced += usize::from(self.known_mask().is_some_and(|mask| mask.is_single()));
            let taken = take(self, token);
            if !matches!(taken, Ok(true)) {
                self.back_to(before);
                return taken.map(|_| None);
            }
        }
        Ok(Some((self.ended() && !had_ended, forced)))
    }

    /// Goes back to an earlier step.
    pub(crate) fn back_to(&mut self, step: usize) {
        self.0.truncate(step);
    }

    /// Takes a text, whatever tokens spell it. Errors: it may not come next; limits.
    pub fn advance_bytes(&mut self, text: &[u8]) -> Result<()> {
        guarded(|| Ok(self.0.advance_bytes(text)?))
    }

    /// How many of the tokens, from the first on, could be taken one after the other; takes none. Errors: limits.
    pub fn validate(&mut self, tokens: &[u32]) -> Result<usize> {
        guarded(|| Ok(self.0.validate(tokens)?))
    }

    /// As `validate`, with `room` tokens left before the first.
    pub fn validate_within(&mut self, tokens: &[u32], room: u32) -> Result<usize> {
        guarded(|| Ok(self.0.validate_within(tokens, room)?))
    }

    /// Takes the last `steps` steps back: each token, and each text taken as bytes, is one. Errors: fewer were taken.
    pub fn rollback(&mut self, steps: usize) -> Result<()> {
        let taken = self.0.steps();
        match self.0.rollback(steps) {
            true => Ok(()),
            false => Err(Error::misuse(
                format!("cannot roll back {steps} steps: only {taken} were taken"),
                "go back no further than Matcher::steps",
            )),
        }
    }

    /// Goes back to the beginning.
    pub fn reset(&mut self) {
        self.0.reset();
    }

    /// The text that must come next, whatever the model prefers: at most 1,024 bytes of it. Errors: limits.
    pub fn forced_bytes(&mut self) -> Result<Vec<u8>> {
        guarded(|| Ok(self.0.forced_bytes()?))
    }

    /// Text that must come, with white space as it was so far, of about `most` bytes; and beginnings of the text behind it.
    /// Errors: limits.
    pub fn likely_bytes(&mut self, most: usize) -> Result<Likely> {
        guarded(|| Ok(self.0.likely(most)?))
    }

    /// A short text after which the text may end; None if that takes a special token. Errors: limits.
    pub fn completion(&mut self) -> Result<Option<Vec<u8>>> {
        guarded(|| Ok(self.0.completion()?))
    }

    /// Whether `room` tokens finish the text from here. Errors: limits.
    pub fn can_finish(&mut self, room: u32) -> Result<bool> {
        guarded(|| Ok(self.0.can_finish(room)?))
    }

    /// A number of tokens that is enough to end the text, though some text may take fewer; None if the vocabulary cannot
    /// spell a short end. Errors: limits.
    pub fn least_tokens(&mut self) -> Result<Option<u32>> {
        guarded(|| Ok(self.0.least_tokens()?))
    }

    /// Whether the text may end here.
    pub fn can_end(&self) -> bool {
        self.0.can_end()
    }

    /// Whether a token that ends the text was taken.
    pub fn ended(&self) -> bool {
        self.0.ended()
    }

    /// How many steps can be rolled back.
    pub fn steps(&self) -> usize {
        self.0.steps()
    }

    /// The bytes taken so far; special tokens have none.
    pub fn text(&self) -> Vec<u8> {
        self.0.text()
    }

    /// The steps taken so far: the bytes of each, or the id of a token that has none.
    pub fn inputs(&self) -> Vec<std::result::Result<&[u8], u32>> {
        self.0.inputs()
    }
}

/// Writes a mask, and zeros into the words beyond the vocabulary's, whose masks have `words` words.
#[doc(hidden)]
pub fn write(mask: &Mask, out: &mut [u32], words: usize) {
    let (out, beyond) = out.split_at_mut(words);
    mask.write(out);
    beyond.fill(0);
}

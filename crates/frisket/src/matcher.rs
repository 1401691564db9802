//! One sequence: its position, the mask of the tokens that may come next, and steps back.

use crate::error::{guarded, Error, Result};
use frisket_core::mask::mask::Mask;
use frisket_core::matcher as core;
use std::sync::Arc;

/// One sequence's position in a text of the grammar. A call that fails leaves it as it was; a clone goes on alone.
#[derive(Clone)]
pub struct Matcher(core::Matcher);

impl Matcher {
    pub(crate) fn new(matcher: core::Matcher) -> Self {
        Matcher(matcher)
    }

    /// A number that tells compiled grammars apart.
    #[doc(hidden)]
    pub fn grammar(&self) -> usize {
        Arc::as_ptr(self.0.compiled()) as usize
    }

    /// The uint32 words of a mask: bit t of it (word t / 32, bit t % 32) is token t.
    pub fn mask_words(&self) -> usize {
        self.0.compiled().vocabulary().mask_words()
    }

    /// Writes the tokens that may come next, and zeros into words beyond the vocabulary.
    ///
    /// Errors: the slice is shorter than `mask_words`; the text must go on and no token spells what must come; limits.
    pub fn fill_mask(&mut self, mask: &mut [u32]) -> Result<()> {
        self.check_mask(mask)?;
        // A cached mask is a copy: nothing in it can panic.
        match self.0.cached_mask() {
            Some(known) => write(&known, mask, self.mask_words()),
            None => {
                let made = guarded(|| Ok(self.0.mask()?))?;
                write(&made, mask, self.mask_words());
            }
        }
        Ok(())
    }

    /// As `fill_mask`, for tokens after which the text can be finished within `room` tokens, this one included.
    ///
    /// Errors: those of `fill_mask`, and the code `budget` if there are none.
    pub fn fill_mask_within(&mut self, room: u32, mask: &mut [u32]) -> Result<()> {
        self.check_mask(mask)?;
        let made = guarded(|| Ok(self.0.mask_within(room)?))?;
        write(&made, mask, self.mask_words());
        Ok(())
    }

    fn check_mask(&self, mask: &[u32]) -> Result<()> {
        let words = self.mask_words();
        match mask.len() < words {
            true => Err(Error::misuse(
                format!("a mask of {} words for a vocabulary that takes {words}", mask.len()),
                "give Vocabulary::mask_words words",
            )),
            false => Ok(()),
        }
    }

    /// Takes a token. Errors: it may not come next, with what was expected; limits.
    pub fn advance(&mut self, token: u32) -> Result<()> {
        match self.0.try_advance_cached(token) {
            true => Ok(()),
            false => guarded(|| Ok(self.0.advance(token)?)),
        }
    }

    /// Takes a text, whatever tokens spell it. Errors: it may not come next; limits.
    pub fn advance_bytes(&mut self, text: &[u8]) -> Result<()> {
        guarded(|| Ok(self.0.advance_bytes(text)?))
    }

    /// How many of the tokens, from the first on, could be taken one after the other; takes none. Errors: limits.
    pub fn validate(&mut self, tokens: &[u32]) -> Result<usize> {
        guarded(|| Ok(self.0.validate(tokens)?))
    }

    /// Takes the last `steps` steps back: each token, and each text taken as bytes, is one. Errors: fewer were taken.
    pub fn rollback(&mut self, steps: usize) -> Result<()> {
        let taken = self.0.steps();
        match guarded(|| Ok(self.0.rollback(steps)?))? {
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
}

/// Writes a mask, and zeros into the words beyond the vocabulary.
fn write(mask: &Mask, out: &mut [u32], words: usize) {
    let (out, beyond) = out.split_at_mut(words);
    mask.write(out);
    beyond.fill(0);
}

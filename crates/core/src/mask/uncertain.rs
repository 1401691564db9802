//! Head of a unique item × its head mask → the tokens whose answer depends on the values that came.
//!
//! `uniqueItems` forbids a token that completes an item to an earlier value, or after which only earlier values are left.
//! A draft (`draft`) is the mask without those values; this file collects the tokens that the draft must check.

use crate::automaton::frame::FrameId;
use crate::error::Result;
use crate::mask::composer::Composer;
use crate::mask::head_mask::HeadMask;
use crate::regular::term::{Term, TermId};
use crate::vocabulary::id::NodeId;

/// Heads with fewer first bytes are walked to find the tokens; for others all tokens count. Chosen without measurement.
const FEW_FIRST_BYTES: u32 = 24;

/// Tokens whose answer depends on the values that came, for the item that was open when the mask began.
#[derive(Default)]
pub(crate) struct UncertainTokens {
    /// Tokens that may end the item with a value that came.
    pub equal: Vec<u32>,
    /// Tokens after which too few other values may be left.
    pub exhausting: Vec<u32>,
    /// Tokens with an exponent: they may leave too few values if the numeral is zero so far.
    pub exponents: Vec<u32>,
    /// Whether any token may leave too few values.
    pub any_exhausts: bool,
}

impl Composer<'_> {
    /// Tokens that may end an item with a value that came.
    pub(super) fn note_equal(&mut self, tokens: &[u32]) {
        if self.first { &mut self.uncertain.equal } else { &mut self.always }.extend_from_slice(tokens);
    }

    /// Tokens after which too few values may be left for an item.
    pub(super) fn note_exhausting(&mut self, tokens: &[u32]) {
        if self.first { &mut self.uncertain.exhausting } else { &mut self.always }.extend_from_slice(tokens);
    }

    /// Tokens with an exponent: after a numeral that is zero so far, zero is the only value left.
    pub(super) fn note_exponents(&mut self, tokens: &[u32]) {
        if self.first { &mut self.uncertain.exponents } else { &mut self.always }.extend_from_slice(tokens);
    }

    /// Collect the tokens of a head whose answer depends on the values that came.
    pub fn note_uncertain_tokens(&mut self, head: TermId, frame: FrameId, head_mask: &HeadMask) -> Result<()> {
        if self.machine.has_enough_values_after_end(head, frame)? {
            return Ok(());
        }
        let language = self.machine.arena.open_key(head).map_or(head, |(inner, _)| inner);
        if let Term::Quoted { text, .. } = *self.machine.arena.term(language) {
            let ends: Vec<u32> = head_mask.core.ends().collect();
            self.note_equal(&ends);
            if self.machine.arena.is_cofinite(text) {
                // Every beginning has more texts than can be excluded.
                return Ok(());
            }
        }
        if self.machine.arena.first_bytes(language).len() < FEW_FIRST_BYTES {
            self.descend(self.shared.view(), NodeId::ROOT, head, frame)?;
        } else if self.first {
            self.uncertain.any_exhausts = true;
        } else {
            self.always.extend(head_mask.tokens());
        }
        Ok(())
    }
}

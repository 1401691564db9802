//! A matcher's state × tokens left → the tokens after which the text can still be finished.
//!
//! The tokens left are an argument of every call. A token of a draft has one fewer than the token before it.

use crate::error::{Error, Limit, Result};
use crate::mask::mask::Mask;
use crate::matcher::matcher::Matcher;
use crate::room::masks::Least;
use std::sync::Arc;

impl Matcher {
    /// The fewest tokens, special ones too, after which the text may end: 0 where it may end now.
    ///
    /// `room` tokens are enough for all masks with room up to the end if they are at least as many.
    pub fn least_tokens(&mut self) -> Result<Least> {
        self.check_cancelled()?;
        if self.can_end() {
            return Ok(Least { count: Some(0), exact: true });
        }
        self.on_automaton(|compiled, automaton, state| {
            automaton.least(&compiled.tables, &compiled.masks, state.position)
        })
    }

    /// Whether `room` tokens finish the text from here: as `least_tokens`, without a search where it is not needed.
    pub fn can_finish(&mut self, room: u32) -> Result<bool> {
        self.check_cancelled()?;
        if self.can_end() {
            return Ok(true);
        }
        self.on_automaton(|compiled, automaton, state| {
            automaton.can_finish(&compiled.tables, &compiled.masks, state.position, room)
        })
    }

    /// The tokens that may come next and after which the text can be finished within `room` tokens, theirs included.
    ///
    /// Errors: `Limit::Room` if there are none; those of `mask`.
    pub fn mask_within(&mut self, room: u32) -> Result<Arc<Mask>> {
        self.check_cancelled()?;
        if self.ended() {
            return self.mask();
        }
        let mask = self.on_automaton(|compiled, automaton, state| {
            automaton.mask_within(&compiled.tables, &compiled.masks, state.position, room)
        })?;
        if mask.is_empty() {
            let Least { count: least, exact } = self.least_tokens()?;
            return Err(Error::Limit(Limit::Room { room, least, exact }).into());
        }
        Ok(mask)
    }

    /// How many leading tokens the matcher would take if `room` tokens were left before the first. It stays as it was.
    pub fn validate_within(&mut self, tokens: &[u32], room: u32) -> Result<usize> {
        let before = self.steps();
        let mut taken = Ok(0);
        for (place, &token) in tokens.iter().enumerate() {
            match self.take_within(token, room.saturating_sub(place as u32)) {
                Ok(true) => taken = Ok(place + 1),
                Ok(false) => break,
                Err(error) => {
                    taken = Err(error);
                    break;
                }
            }
        }
        self.truncate(before);
        taken
    }

    /// Take a token if the mask with room allows it.
    fn take_within(&mut self, token: u32, room: u32) -> Result<bool> {
        match self.mask_within(room) {
            Ok(mask) if !mask.allows(token) => Ok(false),
            Ok(_) => self.try_advance(token),
            Err(error) if matches!(*error, Error::Limit(Limit::Room { .. })) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

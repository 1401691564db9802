//! A matcher's state × tokens left → the tokens after which the text can still be finished.
//!
//! The number of tokens left is an argument of every call. It falls by one with each token of a draft.

use crate::error::{Error, Limit, Result};
use crate::mask::mask::Mask;
use crate::matcher::matcher::Matcher;
use std::sync::Arc;

/// Budget steps of a mask near the end, in addition to those of the ordinary mask: about 50 ms, while requests wait.
const MOST_STEPS_NEAR: u64 = 2_000_000;

/// A mask for an engine that counts the tokens of a request.
pub enum NearMask {
    /// After each token of the mask, the tokens left suffice to end the text.
    Whole(Arc<Mask>),
    /// As `Whole`, and the ordinary mask has further tokens.
    Bent(Arc<Mask>),
    /// The ordinary mask, after which the text may be cut off, and the reason why there is no mask with room.
    Cut(Arc<Mask>, Box<Error>),
}

impl Matcher {
    /// The mask with `room` tokens left, if one token raises the number that the text still needs by at most `margin`.
    ///
    /// Without `compares`, `Whole` stands for `Bent`, too: comparing takes the ordinary mask. Errors: those of `mask`.
    pub fn mask_near(&mut self, room: u32, margin: u32, compares: bool) -> Result<NearMask> {
        // The mask with room reports the errors.
        let known = |matcher: &mut Matcher| matcher.least_tokens().ok().flatten();
        if room > margin && known(self).is_some_and(|count| count <= room - margin) {
            return self.mask().map(NearMask::Whole);
        }
        match self.mask_within_or_closing(room) {
            Ok(mask) => {
                let words = self.compiled().vocabulary().mask_words();
                let is_bent = compares && self.mask().is_ok_and(|ordinary| !mask.is_equal(&ordinary, words));
                Ok(if is_bent { NearMask::Bent(mask) } else { NearMask::Whole(mask) })
            }
            Err(error) if matches!(*error, Error::Limit(Limit::Cancelled)) => Err(error),
            Err(error) if matches!(*error, Error::Limit(_)) => Ok(NearMask::Cut(self.mask()?, error)),
            Err(error) => Err(error),
        }
    }

    /// A number of tokens, special ones too, that is enough to end the text: 0 where it may end now.
    ///
    /// It is that of the closing text, a text of few bytes; another text may take fewer tokens. None if the vocabulary
    /// cannot spell the closing text. With at least as much room, no mask with room is empty up to the end.
    pub fn least_tokens(&mut self) -> Result<Option<u32>> {
        self.check_cancelled()?;
        if self.can_end() {
            return Ok(Some(0));
        }
        self.on_automaton(|compiled, automaton, state| automaton.least_tokens(&compiled.masks, state.position))
    }

    /// Whether `room` tokens are enough to end the text: at least `least_tokens`.
    pub fn can_finish(&mut self, room: u32) -> Result<bool> {
        Ok(self.least_tokens()?.is_some_and(|least| least <= room))
    }

    /// The tokens that may come next and after which the text can be finished within `room` tokens, theirs included.
    ///
    /// The end-of-sequence token does not count. Errors: `Limit::Room` if `room` is less than `least_tokens`; those
    /// of `mask`.
    pub fn mask_within(&mut self, room: u32) -> Result<Arc<Mask>> {
        self.mask_within_steps(room, u64::MAX)
    }

    /// `mask_within` with at most `steps` steps in addition to those of the ordinary mask.
    fn mask_within_steps(&mut self, room: u32, steps: u64) -> Result<Arc<Mask>> {
        self.check_cancelled()?;
        if self.ended() {
            return self.mask();
        }
        let mask = self.on_automaton(|compiled, automaton, state| {
            automaton.mask_within(&compiled.tables, &compiled.masks, state.position, (room, steps))
        })?;
        if mask.is_empty() && self.can_end() {
            return Ok(Arc::new(Mask::from_tokens(&self.compiled().vocabulary().eos)));
        }
        if mask.is_empty() {
            let least = self.least_tokens()?;
            return Err(Error::Limit(Limit::Room { room, least }).into());
        }
        Ok(mask)
    }

    /// `mask_within`, or `closing_mask` from the first place on at which `mask_within` takes too many steps.
    fn mask_within_or_closing(&mut self, room: u32) -> Result<Arc<Mask>> {
        if self.closes_from.is_some_and(|from| from <= self.steps()) && !self.ended() {
            if let Ok(mask) = self.closing_mask(room) {
                return Ok(mask);
            }
        }
        match self.mask_within_steps(room, MOST_STEPS_NEAR) {
            Err(error) if matches!(*error, Error::Limit(Limit::Steps(_))) => {
                let mask = self.closing_mask(room).map_err(|_| error)?;
                self.closes_from = Some(self.steps());
                Ok(mask)
            }
            mask => mask,
        }
    }

    /// The first tokens of the closing text, a short text to the end. Errors: `Limit::Room` if it takes over `room`.
    fn closing_mask(&mut self, room: u32) -> Result<Arc<Mask>> {
        if self.can_end() {
            return Ok(Arc::new(Mask::from_tokens(&self.compiled().vocabulary().eos)));
        }
        let mask = self
            .on_automaton(|compiled, automaton, state| automaton.closing_mask(&compiled.masks, state.position, room))?;
        match mask.is_empty() {
            true => Err(Error::Limit(Limit::Room { room, least: None }).into()),
            false => Ok(mask),
        }
    }

    /// How many leading tokens the matcher would take if `room` tokens were left before the first. It stays as it was.
    ///
    /// Where a mask with room takes too many steps, only tokens of the closing text count, as in `mask_near`.
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
        match self.mask_within_or_closing(room) {
            Ok(mask) if !mask.allows(token) => Ok(false),
            Ok(_) => self.try_advance(token),
            Err(error) if matches!(*error, Error::Limit(Limit::Room { .. })) => Ok(false),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::matcher::fixture::{message, object_of_any_keys, over};

    /// The allowed tokens within a room; empty if it is too small.
    fn within(matcher: &mut Matcher, room: u32) -> Vec<u32> {
        let size = matcher.compiled().vocabulary().size() as u32;
        matcher
            .mask_within(room)
            .map(|mask| (0..size).filter(|&token| mask.allows(token)).collect())
            .unwrap_or_default()
    }

    #[test]
    fn tokens_that_leave_too_few_go() {
        let compiled =
            over(|builder| builder.literal(b"abcd").unwrap().number(), &[b"a", b"ab", b"bcd", b"c", b"d"]).unwrap();
        let mut matcher = compiled.matcher(None);
        assert_eq!(matcher.least_tokens().unwrap(), Some(2));
        assert_eq!(
            [0, 1, 2, 3, 9].map(|room| within(&mut matcher, room)),
            [vec![], vec![], vec![0], vec![0, 1], vec![0, 1]]
        );
        assert!(message(matcher.mask_within(1)).contains("shortest known end of the text takes 2"));
        assert_eq!([1, 2].map(|room| matcher.can_finish(room).unwrap()), [false, true]);
    }

    #[test]
    fn a_closing_text_leads_to_the_end_where_a_mask_takes_too_long() {
        let compiled =
            over(|builder| builder.literal(b"abcd").unwrap().number(), &[b"a", b"ab", b"bcd", b"c", b"d"]).unwrap();
        let mut matcher = compiled.matcher(None);
        assert!(message(matcher.mask_within_steps(2, 0)).contains("steps"));
        assert!(message(matcher.closing_mask(1)).contains("1 tokens are left"));
        for token in [0, 2] {
            let mask = matcher.closing_mask(2).unwrap();
            assert_eq!((0..6).filter(|&other| mask.allows(other)).collect::<Vec<_>>(), [token]);
            matcher.advance(token).unwrap();
        }
        assert!(matcher.closing_mask(0).unwrap().allows(5), "the end takes no room");
    }

    #[test]
    fn after_a_mask_that_took_too_long_the_closing_text_is_followed() {
        let compiled = over(
            |builder| {
                let words = [b"abcd".as_slice(), b"ddddd"];
                builder.words(words.map(Into::into).to_vec()).unwrap().number()
            },
            &[b"a", b"ab", b"bcd", b"c", b"d"],
        )
        .unwrap();
        let near = |matcher: &mut Matcher| match matcher.mask_near(5, 5, false).unwrap() {
            NearMask::Whole(mask) => (0..6).filter(|&token| mask.allows(token)).collect::<Vec<_>>(),
            NearMask::Bent(_) | NearMask::Cut(..) => panic!("nothing is compared or cut"),
        };
        let mut matcher = compiled.matcher(None);
        assert_eq!(near(&mut matcher), [0, 1, 4]);
        assert_eq!(matcher.validate_within(&[4, 4, 4, 4, 4], 5).unwrap(), 5);
        matcher.closes_from = Some(0);
        assert_eq!(near(&mut matcher), [0]);
        assert_eq!(matcher.validate_within(&[4, 4, 4, 4, 4], 5).unwrap(), 0);
        assert_eq!(matcher.validate_within(&[0, 2, 5], 5).unwrap(), 3);
        // Before step 1, masks are not restricted to the closing text.
        matcher.closes_from = Some(1);
        assert_eq!(near(&mut matcher), [0, 1, 4]);
        // Too few tokens for the closing text.
        matcher.closes_from = Some(0);
        assert!(matches!(matcher.mask_near(1, 1, false), Ok(NearMask::Cut(..))));
    }

    #[test]
    fn each_token_of_a_draft_has_one_fewer_left() {
        let compiled =
            over(|builder| builder.literal(b"abcd").unwrap().number(), &[b"a", b"ab", b"bcd", b"c", b"d"]).unwrap();
        let mut matcher = compiled.matcher(None);
        for (tokens, room, taken) in
            [(&[1, 3, 4][..], 3, 3), (&[1, 3, 4], 2, 0), (&[0, 2], 2, 2), (&[0, 2], 1, 0), (&[3], 9, 0)]
        {
            assert_eq!(matcher.validate_within(tokens, room).unwrap(), taken, "{tokens:?} within {room}");
            assert_eq!(matcher.steps(), 0);
        }
    }

    #[test]
    fn at_an_end_no_token_is_needed() {
        let make = |builder: &mut Builder| {
            let letter = builder.literal(b"a").unwrap();
            builder.repeat(letter.number(), 1, None).unwrap().number()
        };
        let compiled = over(make, &[b"a", b"aaa"]).unwrap();
        let mut matcher = compiled.matcher(None);
        matcher.advance(0).unwrap();
        assert_eq!(matcher.least_tokens().unwrap(), Some(0));
        assert!(matcher.can_finish(0).unwrap());
        assert_eq!(within(&mut matcher, 1), [0, 1, 2], "more may come, and the end");
        assert_eq!(within(&mut matcher, 0), [2], "the end takes no room");
        matcher.advance(2).unwrap();
        assert_eq!(within(&mut matcher, 1), [2], "after the end the end");
    }

    #[test]
    fn what_no_tokens_spell_has_no_least() {
        let compiled = over(|builder| builder.literal(b"ab").unwrap().number(), &[b"a", b"c"]).unwrap();
        let mut matcher = compiled.matcher(None);
        assert_eq!(matcher.least_tokens().unwrap(), None);
        assert!(message(matcher.mask_within(9)).contains("cannot spell"));
    }

    #[test]
    fn all_texts_of_a_key_cost_the_same_unless_the_key_came() {
        let compiled = object_of_any_keys();
        let mut matcher = compiled.matcher(None);
        matcher.advance_bytes(b"{\"ab\":1,\"").unwrap();
        // `":1}` ends the object after every key but "ab".
        for (text, least) in [(&b""[..], 4), (b"a", 4), (b"b", 4), (b"ab", 5), (b"abc", 4)] {
            let mut after = matcher.clone();
            after.advance_bytes(text).unwrap();
            assert_eq!(after.least_tokens().unwrap(), Some(least), "after {text:?}");
        }
        matcher.advance_bytes(b"a").unwrap();
        assert!(!within(&mut matcher, 5).contains(&u32::from(b'b')), "\"ab\" takes one letter more");
        assert!(
            within(&mut matcher, 5).contains(&u32::from(b'c')) && within(&mut matcher, 6).contains(&u32::from(b'b'))
        );
    }
}

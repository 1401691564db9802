//! A matcher's state → the bytes that must come next, bytes that complete the text, and what may come next in words.
//!
//! These answers look at bytes and at no token, so the file needs neither the masks nor the vocabulary.

use crate::automaton::machine::Machine;
use crate::automaton::position::PositionId;
use crate::error::Result;
use crate::matcher::matcher::Matcher;
use crate::matcher::next_bytes::{next_byte_ranges, shown};

/// Bytes of forced text that one call returns at most. In an ambiguous grammar each byte takes longer than the one before:
/// a thousand bytes take a moment, four thousand take seconds.
const FORCED_LIMIT: usize = 1024;

/// How many byte ranges `expected` names.
const EXPECTED_RANGES: usize = 12;

impl Matcher {
    /// The text that must come next, at most 1,024 bytes of it.
    pub fn forced_bytes(&mut self) -> Result<Vec<u8>> {
        self.check_cancelled()?;
        if self.ended() {
            return Ok(Vec::new());
        }
        self.on_automaton(|_, automaton, state| {
            let machine = &mut automaton.machine;
            let mut id = state.position;
            let mut forced = Vec::new();
            while forced.len() < FORCED_LIMIT {
                let Some((byte, next)) = forced_byte(machine, id)? else { break };
                forced.push(byte);
                id = next;
            }
            Ok(forced)
        })
    }

    /// Few bytes after which the text may end; None if the text cannot end without a special token.
    pub fn completion(&mut self) -> Result<Option<Vec<u8>>> {
        self.check_cancelled()?;
        if self.can_end() {
            return Ok(Some(Vec::new()));
        }
        self.on_automaton(|_, automaton, state| automaton.machine.completion(&mut automaton.distances, state.position))
    }

    /// What may come next, in words for an error message.
    pub fn expected(&mut self) -> Result<String> {
        if self.ended() {
            return Ok("an end token alone: the sequence has ended".into());
        }
        self.on_automaton(|_, automaton, state| {
            let machine = &mut automaton.machine;
            let position = machine.position(state.position).clone();
            let ranges = next_byte_ranges(machine, state.position, EXPECTED_RANGES)?;
            let mut parts = vec![shown(&ranges)];
            if !position.specials.is_empty() {
                parts.push("a special token".into());
            }
            if position.accepting {
                parts.push("the end".into());
            }
            parts.retain(|part| !part.is_empty());
            Ok(parts.join(", "))
        })
    }
}

/// The only byte that may come next, and the position after it.
fn forced_byte(machine: &mut Machine, id: PositionId) -> Result<Option<(u8, PositionId)>> {
    let position = machine.position(id);
    if position.accepting || !position.specials.is_empty() {
        return Ok(None);
    }
    match next_byte_ranges(machine, id, 2)?[..] {
        [(low, high)] if low == high => Ok(Some((low, machine.step(id, low)?))),
        _ => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::matcher::fixture::{message, over};

    #[test]
    fn what_is_expected_is_told_for_people() {
        let make = |builder: &mut Builder| {
            let class =
                builder.byte_class(&[(b'a', b'c'), (b' ', b' '), (b'\n', b'\n'), (1, 1), (b'x', b'x')]).unwrap();
            let special = builder.special("<s>").unwrap();
            let more = builder.alt(&[class.number(), special.number()]).unwrap();
            builder.repeat(more.number(), 0, Some(2)).unwrap().number()
        };
        let compiled = over(make, &[b"a", b"d"]).unwrap();
        let mut matcher = compiled.matcher(None);
        let all = "byte 0x01, a line break, a space, a\u{2013}c, x, a special token, the end";
        assert_eq!(matcher.expected().unwrap(), all);
        let refused = |what: &str| format!("{what}; expected {all}");
        assert!(message(matcher.advance(1)).ends_with(&refused("token 1, \"d\", may not come next")));
        assert!(
            message(matcher.advance(7)).ends_with(&refused("token 7, a special or unknown token, may not come next"))
        );
        assert!(message(matcher.advance_bytes(b"ad"))
            .ends_with(&refused("\"d\" may not come next, at offset 1 of the text")));
        let long = "d".repeat(81);
        let cut = format!("\"{}\" … may not come next", &long[..80]);
        assert!(message(matcher.advance_bytes(long.as_bytes())).ends_with(&refused(&cut)));
        let just = format!("\"{}\" may not come next", &long[..80]);
        assert!(message(matcher.advance_bytes(&long.as_bytes()[..80])).ends_with(&refused(&just)));
        assert_eq!(matcher.steps(), 0);
        matcher.advance(2).unwrap();
        assert!(matcher.ended() && matcher.can_end());
        assert_eq!(matcher.expected().unwrap(), "an end token alone: the sequence has ended");
        assert_eq!(matcher.forced_bytes().unwrap(), b"");
        assert_eq!(matcher.completion().unwrap().as_deref(), Some(&b""[..]));
        assert!(matcher.cached_mask().is_none());
        assert!(matcher.mask().unwrap().allows(2) && !matcher.mask().unwrap().allows(0));
        assert!(!matcher.try_advance_cached(0) && !matcher.try_advance(0).unwrap());
    }

    #[test]
    fn forced_text_comes_in_pieces() {
        let compiled = over(|builder| builder.literal(&b"x".repeat(3_000)).unwrap().number(), &[b"x"]).unwrap();
        let mut matcher = compiled.matcher(None);
        assert_eq!(matcher.forced_bytes().unwrap().len(), FORCED_LIMIT);
        matcher.advance_bytes(&b"x".repeat(2_990)).unwrap();
        assert_eq!(matcher.forced_bytes().unwrap(), b"x".repeat(10));
        assert_eq!(matcher.completion().unwrap(), Some(b"x".repeat(10)));
    }
}

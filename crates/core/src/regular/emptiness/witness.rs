//! Texts by which searches lately came to their end → whether one of them leads to the end of another state, too: states
//! that are looked for one after the other are alike. Operand by operand, of which each remembers where it was led: no
//! state of an intersection is made for what is only looked at.

use crate::error::Result;
use crate::regular::arena::{Arena, DERIVATION};
use crate::regular::term::{Term, TermId, EMPTY};
use smallvec::{smallvec, SmallVec};

/// So many are remembered: where searches are nested, theirs take turns.
const LATEST: usize = 4;

/// A longer one tells of a single state.
const LONGEST: usize = 256;

pub(crate) type Witness = SmallVec<[u8; 24]>;

/// The latest first.
#[derive(Clone, Debug)]
pub(crate) struct Witnesses(SmallVec<[Witness; LATEST]>);

impl Default for Witnesses {
    fn default() -> Self {
        Witnesses(smallvec![smallvec![b'a']])
    }
}

impl Witnesses {
    /// A copy: recent witnesses are few.
    pub fn above(&self) -> Self {
        self.clone()
    }

    /// Nothing is shared, so nothing freezes.
    pub fn freeze(&mut self) {}

    /// The byte with which the last search came to its end.
    pub fn last_byte(&self) -> u8 {
        self.0[0][self.0[0].len() - 1]
    }

    /// `way` is not empty.
    pub fn remember(&mut self, way: Witness) {
        if way.len() <= LONGEST {
            let place = self.0.iter().position(|known| *known == way).unwrap_or_else(|| {
                self.0.truncate(LATEST - 1);
                self.0.push(way);
                self.0.len() - 1
            });
            self.0[..=place].rotate_right(1);
        }
    }
}

impl Arena {
    /// Whether a way of late leads a state to one that is plainly live.
    pub(crate) fn try_witnesses(&mut self, start: TermId) -> Result<bool> {
        for place in 0..self.terms.witnesses.0.len() {
            let way = self.terms.witnesses.0[place].clone();
            let leads = match *self.term(start) {
                Term::And(ref parts) => {
                    let parts = SmallVec::from_slice(parts);
                    self.leads_all(parts, &way)?
                }
                _ => self.leads(start, &way)?,
            };
            if leads {
                self.terms.witnesses.remember(way);
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn leads_all(&mut self, mut parts: SmallVec<[TermId; 8]>, way: &[u8]) -> Result<bool> {
        for &byte in way {
            self.spend(parts.len() as u64)?;
            for &part in &parts {
                if !self.first_bytes(part).contains(byte) {
                    return Ok(false);
                }
            }
            for part in &mut parts {
                *part = self.derive(*part, byte)?;
                if *part == EMPTY {
                    return Ok(false);
                }
            }
        }
        if parts.iter().all(|&part| self.info(part).nullable) {
            return Ok(true);
        }
        self.spend(DERIVATION)?;
        let end = self.and_unchecked(parts.into_vec())?;
        Ok(self.plainly_live(end) == Some(true))
    }

    fn leads(&mut self, start: TermId, way: &[u8]) -> Result<bool> {
        let mut id = start;
        for &byte in way {
            self.spend(DERIVATION)?;
            id = self.derive_now(id, byte, false)?;
        }
        Ok(self.plainly_live(id) == Some(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::byteset::ByteSet;
    use crate::regular::term::MANY;

    #[test]
    fn a_way_that_one_search_found_is_taken_only_where_it_leads_to_an_end() {
        let mut arena = Arena::new();
        let arena = &mut arena;
        let (letter, digit) = (ByteSet::range(b'a', b'z'), ByteSet::range(b'0', b'9'));
        let either = arena.class(letter.union(&digit)).unwrap();
        let both = arena.repeat(either, 0, MANY).unwrap();
        let found = |arena: &mut Arena, text: &[u8]| {
            let text = arena.literal(text).unwrap();
            let rest = arena.cat(text, both).unwrap();
            arena.cat(both, rest).unwrap()
        };
        let (nine, far) = (found(arena, b"9q7"), found(arena, b"77"));
        let not_far = arena.not(far).unwrap();
        let start = arena.and_unchecked(vec![nine, not_far]).unwrap();
        assert!(!arena.try_witnesses(start).unwrap());
        assert!(arena.is_nonempty(start).unwrap());
        assert_eq!(arena.terms.witnesses.0[0].as_slice(), b"9q7");
        // (operands, what was read of them, whether the way leads on)
        let short = arena.bounded(nine, 0, 4).unwrap();
        let no_end = arena.literal(b"9q7").and_then(|text| arena.not(text)).unwrap();
        let only = arena.literal(b"9q7").unwrap();
        for (parts, read, leads) in [
            (vec![nine, not_far], "8", true),
            (vec![nine, not_far], "7", true),
            (vec![short, not_far], "1", true),
            (vec![short, not_far], "12", false),
            (vec![only, not_far], "", true),
            (vec![only, no_end], "", false),
        ] {
            let parts =
                parts.into_iter().map(|part| read.bytes().fold(part, |part, byte| arena.derive(part, byte).unwrap()));
            let parts: Vec<_> = parts.collect();
            let state = arena.and_unchecked(parts).unwrap();
            assert_eq!(arena.try_witnesses(state).unwrap(), leads, "{:?} after {read}", arena.term(state));
            if leads {
                assert!(arena.is_nonempty(state).unwrap());
            }
        }
    }

    #[test]
    fn the_latest_ways_are_remembered() {
        let mut ways = Witnesses::default();
        for number in 0..9 {
            ways.remember(smallvec![b'0' + number]);
            ways.remember(smallvec![b'x', b'y']);
        }
        ways.remember(Witness::from_elem(b'z', LONGEST + 1));
        assert_eq!(ways.last_byte(), b'y');
        let known: Vec<&[u8]> = ways.0.iter().map(|way| way.as_slice()).collect();
        assert_eq!(known, [b"xy".as_slice(), b"8", b"7", b"6"]);
    }
}

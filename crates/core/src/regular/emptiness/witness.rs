//! Recent witnesses, tried before a new emptiness search: similar languages often share one.
//!
//! A witness is tried operand by operand, whose derivatives are cached, so no new intersections are created.

use crate::error::Result;
use crate::regular::term::{Term, TermId, EMPTY};
use crate::regular::terms::{Terms, DERIVATION};
use smallvec::SmallVec;

impl Terms {
    /// Whether a recent witness leads `start` to a state that is known to be nonempty. Errors if the budget ends.
    pub(crate) fn try_witnesses(&mut self, start: TermId) -> Result<bool> {
        for place in 0..self.emptiness.witnesses.latest.len() {
            let witness = self.emptiness.witnesses.latest[place].clone();
            let leads = match *self.term(start) {
                Term::And(ref parts) => {
                    let parts = SmallVec::from_slice(parts);
                    self.is_witness_of_all(parts, &witness)?
                }
                _ => self.is_witness(start, &witness)?,
            };
            if leads {
                self.emptiness.witnesses.remember(witness);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether `witness` leads the intersection of `parts` to a state that is known to be nonempty.
    fn is_witness_of_all(&mut self, mut parts: SmallVec<[TermId; 8]>, witness: &[u8]) -> Result<bool> {
        for &byte in witness {
            self.spend(2 * parts.len() as u64)?;
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
        Ok(self.nonempty_without_search(end) == Some(true))
    }

    /// Whether `witness` leads `start` to a state that is known to be nonempty.
    fn is_witness(&mut self, start: TermId, witness: &[u8]) -> Result<bool> {
        let mut id = start;
        for &byte in witness {
            self.spend(DERIVATION)?;
            id = self.derive_uncached(id, byte, false)?;
        }
        Ok(self.nonempty_without_search(id) == Some(true))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::byteset::ByteSet;
    use crate::regular::term::MANY;

    #[test]
    fn a_witness_counts_only_where_it_leads_to_a_nonempty_state() {
        let mut terms = Terms::new();
        let terms = &mut terms;
        let (letter, digit) = (ByteSet::range(b'a', b'z'), ByteSet::range(b'0', b'9'));
        let either = terms.class(letter.union(&digit)).unwrap();
        let both = terms.repeat(either, 0, MANY).unwrap();
        let found = |terms: &mut Terms, text: &[u8]| {
            let text = terms.literal(text).unwrap();
            let rest = terms.cat(text, both).unwrap();
            terms.cat(both, rest).unwrap()
        };
        let (nine, far) = (found(terms, b"9q7"), found(terms, b"77"));
        let not_far = terms.not(far).unwrap();
        let start = terms.and_unchecked(vec![nine, not_far]).unwrap();
        assert!(!terms.try_witnesses(start).unwrap());
        assert!(terms.is_nonempty(start).unwrap());
        assert_eq!(terms.emptiness.witnesses.latest[0].as_slice(), b"9q7");
        // (operands, bytes read before, whether the witness applies)
        let short = terms.bounded(nine, 0, 4).unwrap();
        let no_end = terms.literal(b"9q7").and_then(|text| terms.not(text)).unwrap();
        let only = terms.literal(b"9q7").unwrap();
        for (parts, read, leads) in [
            (vec![nine, not_far], "8", true),
            (vec![nine, not_far], "7", true),
            (vec![short, not_far], "1", true),
            (vec![short, not_far], "12", false),
            (vec![only, not_far], "", true),
            (vec![only, no_end], "", false),
        ] {
            let parts =
                parts.into_iter().map(|part| read.bytes().fold(part, |part, byte| terms.derive(part, byte).unwrap()));
            let parts: Vec<_> = parts.collect();
            let state = terms.and_unchecked(parts).unwrap();
            assert_eq!(terms.try_witnesses(state).unwrap(), leads, "{:?} after {read}", terms.term(state));
            if leads {
                assert!(terms.is_nonempty(state).unwrap());
            }
        }
    }
}

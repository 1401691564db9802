//! Head → its closed region: a few states and a class of characters that leads from each of them to one of them.
//!
//! Searches (`.*foo.*`), excluded patterns and separated words have such regions. Inside one, every token of the class
//! is allowed, so a mask needs no walk of the trie for these tokens.

use crate::bytes::byteset::ByteSet;
use crate::bytes::char_class::CharClass;
use crate::error::Result;
use crate::regular::memo::ClosedRegion;
use crate::regular::term::TermId;
use crate::regular::terms::Terms;
use crate::regular::transitions::{NonAsciiTransitions, ALL_LEADS, MAX_STATES, MIN_CLASS};
use std::sync::Arc;

impl ClosedRegion {
    /// The region around a head, or `None` if there is no wide one. States that have an equal region share it.
    pub fn get(terms: &mut Terms, head: TermId) -> Result<Option<Arc<ClosedRegion>>> {
        if let Some(known) = terms.regions.get(&head) {
            return Ok(known.clone());
        }
        let region = ClosedRegion::compute(terms, head)?.map(Arc::new);
        let states = match &region {
            Some(region) => region.sharing_states(terms)?,
            None => vec![head],
        };
        for state in states {
            if terms.regions.get(&state).is_none() {
                terms.regions.insert(state, region.clone(), &mut terms.budget);
            }
        }
        Ok(region)
    }

    /// The states of the region whose own region is equal. A state that never leads back to the head may differ: its own
    /// region may hold characters that the head refuses.
    fn sharing_states(&self, terms: &mut Terms) -> Result<Vec<TermId>> {
        let mut sharing = vec![self.states[0]];
        let mut others: Vec<(TermId, Vec<TermId>)> = Vec::new();
        for &state in &self.states[1..] {
            let targets = terms.ascii_targets(state)?;
            let mut keeps_more = false;
            for (target, bytes) in &targets {
                keeps_more |= bytes.ascii() & !self.class.ascii() != 0 && terms.has_wide_ascii(*target)?;
            }
            match keeps_more {
                true => others.push((state, targets.into_iter().map(|(target, _)| target).collect())),
                false => sharing.push(state),
            }
        }
        let mut known = 0;
        while known < sharing.len() && !others.is_empty() {
            let nearer = sharing[known..].to_vec();
            known = sharing.len();
            others.retain(|(state, targets)| {
                let back = targets.iter().any(|target| nearer.contains(target));
                sharing.extend(back.then_some(*state));
                !back
            });
        }
        Ok(sharing)
    }

    /// The region of all ASCII characters that lead from the head to states with wide classes.
    fn compute(terms: &mut Terms, head: TermId) -> Result<Option<ClosedRegion>> {
        let mut ascii = ByteSet::EMPTY;
        for (target, bytes) in terms.ascii_targets(head)? {
            if terms.has_wide_ascii(target)? {
                ascii = ascii.union(&bytes);
            }
        }
        ClosedRegion::largest_within(terms, head, ascii)
    }

    /// The region of the largest subset of `ascii` that all reached states keep, by a greatest fixed point.
    fn largest_within(terms: &mut Terms, head: TermId, mut ascii: ByteSet) -> Result<Option<ClosedRegion>> {
        // Transitions on non-ASCII characters are expensive, so they are computed for the states that ASCII leaves.
        let mut leads = None;
        let mut non_ascii = NonAsciiTransitions::default();
        // Each round removes the characters that some reached state refuses, until none is removed.
        loop {
            if ascii.len() < MIN_CLASS {
                return Ok(None);
            }
            let mut states = vec![head];
            let mut place = 0;
            let before = (ascii, leads);
            while place < states.len() {
                let state = states[place];
                place += 1;
                if terms.info(state).nullable || states.len() > MAX_STATES {
                    return Ok(None);
                }
                let mut next_bytes = ByteSet::EMPTY;
                for (target, bytes) in terms.ascii_targets(state)? {
                    let span = bytes.intersection(&ascii);
                    let known = states.contains(&target);
                    if span.is_empty() || !known && !terms.has_wide_ascii(target)? {
                        continue;
                    }
                    if !known {
                        // Drop the bytes that lead to a state if that state would cost the class more bytes.
                        if ascii.difference(&terms.next_ascii(target)?).len() > span.len() {
                            continue;
                        }
                        states.push(target);
                    }
                    next_bytes = next_bytes.union(&span);
                }
                ascii = ascii.intersection(&next_bytes);
                if let Some(leads) = &mut leads {
                    // The vocabulary's index has no entries for continuation bytes.
                    if !terms.has_no_transition(state, 0x80, 0xbf)? {
                        return Ok(None);
                    }
                    let non_ascii = non_ascii.get(terms, state)?;
                    let kept =
                        non_ascii.iter().filter(|(_, targets)| targets.iter().all(|target| states.contains(target)));
                    *leads &= kept.fold(0, |kept, (those, _)| kept | those);
                }
            }
            if before != (ascii, leads) {
                continue;
            }
            if let Some(leads) = leads {
                let mut next_bytes = ByteSet::EMPTY;
                for &state in &states {
                    next_bytes = next_bytes.union(&terms.next_bytes(state)?);
                }
                return Ok(Some(ClosedRegion { states, class: CharClass::new(ascii.ascii(), leads), next_bytes }));
            }
            leads = Some(ALL_LEADS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::term::{Spelling, EMPTY, MANY};

    #[test]
    fn states_share_a_region_that_keep_no_more_than_it_or_lead_back_to_its_head() {
        let terms = &mut Terms::new();
        let without = |terms: &mut Terms, left_out: &[u8]| {
            let mut kept = vec![(0x20, 0x10_ffff)];
            for &byte in left_out {
                let (low, high) = kept.pop().unwrap();
                kept.extend([(low, u32::from(byte) - 1), (u32::from(byte) + 1, high)]);
            }
            let one = terms.char_class(&kept).unwrap();
            terms.repeat(one, 0, MANY).unwrap()
        };
        let (plain, no_c, no_end) = (without(terms, b"#c"), without(terms, b"c"), without(terms, b"~"));
        let (any, end) = (terms.any_text().unwrap(), terms.class(ByteSet::range(b'~', b'~')).unwrap());
        // Texts without `c`, except after a mark: (text after the mark, repeated?, may hold `c`?, shares the region?).
        let cases = [
            (any, false, true, false),
            (no_c, false, false, true),
            (terms.cat(no_end, end).unwrap(), true, true, true),
        ];
        for (begun, again, keeps_more, shares) in cases {
            let mark = terms.class(ByteSet::range(b'#', b'#')).unwrap();
            let marked = terms.cat(mark, begun).unwrap();
            let one = terms.cat(plain, marked).unwrap();
            let text = if again {
                let several = terms.repeat(one, 0, MANY).unwrap();
                terms.cat(several, plain).unwrap()
            } else {
                terms.alt(vec![one, plain]).unwrap()
            };
            let head = terms.quoted_state(text, Spelling::Body, false).unwrap();
            let marked = terms.derive(head, b'#').unwrap();
            let region = ClosedRegion::get(terms, head).unwrap().unwrap();
            assert!(region.states.contains(&marked));
            assert!(region.class.contains(b'#') && !region.class.contains(b'c'));
            assert_eq!(terms.derive(marked, b'c').unwrap() != EMPTY, keeps_more);
            assert_eq!(region.sharing_states(terms).unwrap().contains(&marked), shares);
            let own = ClosedRegion::get(terms, marked).unwrap().unwrap();
            assert_eq!(Arc::ptr_eq(&own, &region), shares);
            assert_eq!(own.class.contains(b'c'), keeps_more && !shares);
        }
    }
}

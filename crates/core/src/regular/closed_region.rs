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

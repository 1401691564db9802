//! State → targets of whole characters: of ASCII byte by byte, of all others lead byte by lead byte.
//!
//! Regions and counter loops reason about characters; `byte_transitions` knows single bytes only.

use crate::bytes::byteset::ByteSet;
use crate::bytes::utf8::UNESCAPED_ASCII;
use crate::error::Result;
use crate::regular::derivative::byte_transitions::bytes_of;
use crate::regular::term::{TermId, EMPTY};
use crate::regular::terms::Terms;
use rustc_hash::FxHashMap;
use smallvec::{smallvec, SmallVec};
use std::sync::Arc;

/// ASCII bytes of a wide class. Narrower classes cover too few tokens to be worth more than a walk. Not measured.
pub(crate) const MIN_CLASS: u32 = 20;

/// States of a region. More states mean a counter, or a pattern without repeated states. Chosen without measurement.
pub(crate) const MAX_STATES: usize = 96;

/// (first and last lead byte, first and last second byte, number of bytes after these) of well-formed UTF-8
/// (Unicode 15, table 3-7).
const UTF8_SHAPES: [(u8, u8, u8, u8, usize); 8] = [
    (0xc2, 0xdf, 0x80, 0xbf, 0),
    (0xe0, 0xe0, 0xa0, 0xbf, 1),
    (0xe1, 0xec, 0x80, 0xbf, 1),
    (0xed, 0xed, 0x80, 0x9f, 1),
    (0xee, 0xef, 0x80, 0xbf, 1),
    (0xf0, 0xf0, 0x90, 0xbf, 2),
    (0xf1, 0xf3, 0x80, 0xbf, 2),
    (0xf4, 0xf4, 0x80, 0x8f, 2),
];

/// All lead bytes of `UTF8_SHAPES`: bit n stands for byte 0xc0 + n.
pub(crate) const ALL_LEADS: u64 = (1 << 0x35) - 4;

/// The states that some characters lead to, sorted.
type Targets = SmallVec<[TermId; 2]>;

/// Groups of lead bytes all of whose characters are allowed, each group with the targets of its characters.
type LeadTargets = SmallVec<[(u64, Targets); 8]>;

/// Transitions on non-ASCII characters, memoised: many states agree on the bytes after a lead byte.
#[derive(Default)]
pub(crate) struct NonAsciiTransitions {
    states: FxHashMap<TermId, Arc<LeadTargets>>,
    /// (state after a lead byte, the lead's index in `UTF8_SHAPES`) → targets; `None` if some character is refused.
    after: FxHashMap<(TermId, usize), Option<Targets>>,
}

impl NonAsciiTransitions {
    /// The transitions of a state. Errors if the budget ends.
    pub fn get(&mut self, terms: &mut Terms, state: TermId) -> Result<Arc<LeadTargets>> {
        if let Some(known) = self.states.get(&state) {
            return Ok(known.clone());
        }
        let found = Arc::new(self.compute(terms, state)?);
        self.states.insert(state, found.clone());
        Ok(found)
    }

    fn compute(&mut self, terms: &mut Terms, state: TermId) -> Result<LeadTargets> {
        let mut found = LeadTargets::new();
        if let Some(next) = terms.any_char_target(state)? {
            found.push((ALL_LEADS, smallvec![next]));
            return Ok(found);
        }
        if !terms.first_bytes(state).has_any_in(0xc2, 0xf4) {
            return Ok(found);
        }
        let boundaries = terms.boundaries(state);
        for (place, &(low, high, ..)) in UTF8_SHAPES.iter().enumerate() {
            for (first, last) in boundaries.intervals(low, high) {
                let (first, last) = (first.max(low), last.min(high));
                let inner = terms.derive(state, first)?;
                if let Some(targets) = self.targets_after_lead(terms, inner, place)? {
                    let leads = (first..=last).fold(0, |leads, byte| leads | 1 << (byte - 0xc0));
                    found.push((leads, targets));
                }
            }
        }
        Ok(found)
    }

    fn targets_after_lead(&mut self, terms: &mut Terms, inner: TermId, place: usize) -> Result<Option<Targets>> {
        if inner == EMPTY {
            return Ok(None);
        }
        if let Some(known) = self.after.get(&(inner, place)) {
            return Ok(known.clone());
        }
        let (_, _, second_low, second_high, rest) = UTF8_SHAPES[place];
        let mut layer = Some(smallvec![inner]);
        for depth in 0..=rest {
            let (low, high) = if depth == 0 { (second_low, second_high) } else { (0x80, 0xbf) };
            let Some(states) = layer.take() else { break };
            layer = terms.targets_if_total(&states, low, high)?.filter(|next| next.len() <= MAX_STATES);
        }
        self.after.insert((inner, place), layer.clone());
        Ok(layer)
    }
}

impl Terms {
    /// The targets of the ASCII bytes, each with its bytes.
    pub(crate) fn ascii_targets(&mut self, state: TermId) -> Result<SmallVec<[(TermId, ByteSet); 8]>> {
        let mut targets: SmallVec<[(TermId, ByteSet); 8]> = SmallVec::new();
        for (low, high, target) in self.byte_transitions_up_to(state, 0x7f)? {
            let bytes = ByteSet::range(low, high.min(0x7f));
            match targets.iter_mut().find(|(other, _)| *other == target) {
                Some((_, all)) => *all = all.union(&bytes),
                None => targets.push((target, bytes)),
            }
        }
        Ok(targets)
    }

    /// Whether at least `MIN_CLASS` ASCII bytes can come next.
    pub(crate) fn has_wide_ascii(&mut self, state: TermId) -> Result<bool> {
        if self.first_bytes(state).intersection(&ByteSet::range(0, 0x7f)).len() < MIN_CLASS {
            return Ok(false);
        }
        Ok(self.next_ascii(state)?.len() >= MIN_CLASS)
    }

    /// The ASCII bytes that can come next, exactly.
    pub(crate) fn next_ascii(&mut self, state: TermId) -> Result<ByteSet> {
        let ascii = ByteSet::range(0, 0x7f);
        if self.any_char_target(state)?.is_some() {
            return Ok(self.next_bytes(state)?.intersection(&ascii));
        }
        Ok(bytes_of(self.byte_transitions_up_to(state, 0x7f)?.iter()).intersection(&ascii))
    }

    /// The lead bytes all of whose characters lead from `head` to `target`, as bits from 0xc0 on.
    pub(crate) fn lead_bytes_to(&mut self, head: TermId, target: TermId) -> Result<u64> {
        let transitions = NonAsciiTransitions::default().get(self, head)?;
        let matching = transitions.iter().filter(|(_, targets)| targets[..] == [target]);
        Ok(matching.fold(0, |all, (leads, _)| all | leads))
    }

    /// The targets of the bytes `low..=high`, if every state reads each of these bytes and no other, and may not end.
    fn targets_if_total(&mut self, states: &[TermId], low: u8, high: u8) -> Result<Option<Targets>> {
        let mut targets = Targets::new();
        for &state in states {
            // The text may end behind the lead byte: that is an exit in the middle of a character.
            if self.info(state).nullable {
                return Ok(None);
            }
            let mut next = Some(low);
            for (from, to, target) in self.byte_transitions(state)? {
                if next != Some(from) || to > high {
                    return Ok(None);
                }
                next = to.checked_add(1);
                targets.push(target);
            }
            if next != high.checked_add(1) {
                return Ok(None);
            }
        }
        targets.sort_unstable();
        targets.dedup();
        Ok(Some(targets))
    }

    /// Whether the state can read no byte of `low..=high`.
    pub(crate) fn has_no_transition(&mut self, state: TermId, low: u8, high: u8) -> Result<bool> {
        if (low, high) == (0x80, 0xbf) && self.any_char_target(state)?.is_some() {
            return Ok(true);
        }
        if !self.first_bytes(state).has_any_in(low, high) {
            return Ok(true);
        }
        for (first, _) in self.boundaries(state).intervals(low, high) {
            if self.derive(state, first.max(low))? != EMPTY {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The target that most ASCII bytes lead to, with these bytes; `None` if they are fewer than `MIN_CLASS`.
pub(crate) fn majority_target(terms: &mut Terms, head: TermId) -> Result<Option<(TermId, ByteSet)>> {
    if let Some(next) = terms.any_char_target(head)? {
        return Ok(Some((next, UNESCAPED_ASCII)));
    }
    let targets = terms.ascii_targets(head)?;
    let most = targets.into_iter().max_by_key(|&(target, set)| (set.len(), std::cmp::Reverse(target)));
    Ok(most.filter(|(_, set)| set.len() >= MIN_CLASS))
}

//! A head → a few states that the same characters keep among themselves: what a search (`.*foo.*`), an excluded pattern
//! or words and separators are while none of their special characters comes.

use crate::bytes::byteset::ByteSet;
use crate::bytes::char_class::CharClass;
use crate::error::Result;
use crate::regular::arena::Arena;
use crate::regular::term::TermId;
use crate::regular::transitions::{majority, Beyond, ALL_LEADS, MOST_STATES, WIDE_CLASS};
use std::sync::Arc;

pub(crate) struct ClosedRegion {
    states: Vec<TermId>,
    /// The characters that lead from every state to one of the states.
    pub class: CharClass,
    /// The bytes that lead from some state anywhere.
    pub live: ByteSet,
}

impl ClosedRegion {
    /// The region around a head. Its states share it: whatever they reach is in it, and keeps its characters.
    pub fn of(arena: &mut Arena, head: TermId) -> Result<Option<Arc<ClosedRegion>>> {
        if let Some(known) = arena.terms.regions.get(&head) {
            return Ok(known.clone());
        }
        let region = ClosedRegion::around(arena, head)?.map(Arc::new);
        let states = match &region {
            Some(region) => region.sharing(arena)?,
            None => vec![head],
        };
        for state in states {
            if arena.terms.regions.get(&state).is_none() {
                arena.terms.regions.insert(state, region.clone(), &mut arena.budget);
            }
        }
        Ok(region)
    }

    /// The states around which it is the region. One that never leads back to the head may keep characters that the head
    /// refuses.
    fn sharing(&self, arena: &mut Arena) -> Result<Vec<TermId>> {
        let mut sharing = vec![self.states[0]];
        let mut others: Vec<(TermId, Vec<TermId>)> = Vec::new();
        for &state in &self.states[1..] {
            let targets = arena.targets(state)?;
            let mut more = false;
            for (target, bytes) in &targets {
                more |= bytes.ascii() & !self.class.ascii() != 0 && arena.is_wide(*target)?;
            }
            match more {
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

    fn around(arena: &mut Arena, head: TermId) -> Result<Option<ClosedRegion>> {
        let mut ascii = ByteSet::EMPTY;
        for (target, bytes) in arena.targets(head)? {
            if arena.is_wide(target)? {
                ascii = ascii.union(&bytes);
            }
        }
        ClosedRegion::kept(arena, head, ascii)
    }

    /// A smaller region: the characters that keep the state to which most lead, without those that make many states of
    /// it, of which each reads on in a way of its own: a dot in a name of dots, say.
    pub fn of_one(arena: &mut Arena, head: TermId) -> Result<Option<ClosedRegion>> {
        let Some((near, _)) = majority(arena, head)? else { return Ok(None) };
        let own = arena.ascii_onto(near, near)?;
        ClosedRegion::kept(arena, head, own)
    }

    /// The region that those of the characters make which all its states keep.
    fn kept(arena: &mut Arena, head: TermId, mut ascii: ByteSet) -> Result<Option<ClosedRegion>> {
        // What characters beyond ASCII do takes longer to find out: they are asked of the states that the others leave.
        let mut leads = None;
        let mut beyond = Beyond::default();
        // Each round gives up what the states reached last time refuse; what is left is kept by all of them.
        loop {
            if ascii.len() < WIDE_CLASS {
                return Ok(None);
            }
            let mut states = vec![head];
            let mut place = 0;
            let before = (ascii, leads);
            while place < states.len() {
                let state = states[place];
                place += 1;
                if arena.info(state).nullable || states.len() > MOST_STATES {
                    return Ok(None);
                }
                let mut live = ByteSet::EMPTY;
                for (target, bytes) in arena.targets(state)? {
                    let span = bytes.intersection(&ascii);
                    let known = states.contains(&target);
                    if span.is_empty() || !known && !arena.is_wide(target)? {
                        continue;
                    }
                    if !known {
                        // Rather without the bytes that lead to a state than without the more that it refuses.
                        if ascii.without(&arena.live_ascii(target)?).len() > span.len() {
                            continue;
                        }
                        states.push(target);
                    }
                    live = live.union(&span);
                }
                ascii = ascii.intersection(&live);
                if let Some(leads) = &mut leads {
                    // The index does not know bytes in the middle of a character.
                    if !arena.lead_nowhere(state, 0x80, 0xbf)? {
                        return Ok(None);
                    }
                    let beyond = beyond.of(arena, state)?;
                    let kept =
                        beyond.iter().filter(|(_, targets)| targets.iter().all(|target| states.contains(target)));
                    *leads &= kept.fold(0, |kept, (those, _)| kept | those);
                }
            }
            if before != (ascii, leads) {
                continue;
            }
            if let Some(leads) = leads {
                let mut live = ByteSet::EMPTY;
                for &state in &states {
                    live = live.union(&arena.live_bytes(state)?);
                }
                return Ok(Some(ClosedRegion { states, class: CharClass::new(ascii.ascii(), leads), live }));
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
        let arena = &mut Arena::new();
        let without = |arena: &mut Arena, left_out: &[u8]| {
            let mut kept = vec![(0x20, 0x10_ffff)];
            for &byte in left_out {
                let (low, high) = kept.pop().unwrap();
                kept.extend([(low, u32::from(byte) - 1), (u32::from(byte) + 1, high)]);
            }
            let one = arena.char_class(&kept).unwrap();
            arena.repeat(one, 0, MANY).unwrap()
        };
        let (plain, no_c, no_end) = (without(arena, b"#c"), without(arena, b"c"), without(arena, b"~"));
        let (any, end) = (arena.any_text().unwrap(), arena.class(ByteSet::range(b'~', b'~')).unwrap());
        // Texts without `c` but for what a mark begins: (that, whether another one may come, whether `c` may, who shares).
        let cases = [
            (any, false, true, false),
            (no_c, false, false, true),
            (arena.cat(no_end, end).unwrap(), true, true, true),
        ];
        for (begun, again, keeps_more, shares) in cases {
            let mark = arena.class(ByteSet::range(b'#', b'#')).unwrap();
            let marked = arena.cat(mark, begun).unwrap();
            let one = arena.cat(plain, marked).unwrap();
            let text = if again {
                let several = arena.repeat(one, 0, MANY).unwrap();
                arena.cat(several, plain).unwrap()
            } else {
                arena.alt(vec![one, plain]).unwrap()
            };
            let head = arena.quoted_state(text, Spelling::Body, false).unwrap();
            let marked = arena.derive(head, b'#').unwrap();
            let region = ClosedRegion::of(arena, head).unwrap().unwrap();
            assert!(region.states.contains(&marked));
            assert!(region.class.contains(b'#') && !region.class.contains(b'c'));
            assert_eq!(arena.derive(marked, b'c').unwrap() != EMPTY, keeps_more);
            assert_eq!(region.sharing(arena).unwrap().contains(&marked), shares);
            let own = ClosedRegion::of(arena, marked).unwrap().unwrap();
            assert_eq!(Arc::ptr_eq(&own, &region), shares);
            assert_eq!(own.class.contains(b'c'), keeps_more && !shares);
        }
    }
}

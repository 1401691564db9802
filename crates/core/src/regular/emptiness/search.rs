//! Term → its derivatives, the most promising first, until one is known to be live.

use crate::error::Result;
use crate::regular::arena::{Arena, DERIVATION};
use crate::regular::emptiness::antichain::{Antichain, Seen};
use crate::regular::emptiness::witness::Witness;
use crate::regular::term::TermId;
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A search that has found so many states is long.
const LONG: usize = 64;

/// Whose end is nearer goes first; of equal promise what was found last: depth first.
type Promise = (Reverse<u32>, usize);

pub struct Search {
    /// Whether the first byte that brings the end nearer is followed at once, while all others wait. Where many bytes
    /// may come most searches are over before they are looked at; where all bytes bring it nearer, and few lead there,
    /// it is lost.
    hasty: bool,
    /// From which state each was found, and by which byte.
    parent: FxHashMap<TermId, (TermId, u8)>,
    /// With the byte from which on it was not looked at.
    open: BinaryHeap<(Promise, TermId, u8)>,
    /// Where the search is long: which of them must be looked into.
    front: Option<Antichain>,
}

impl Search {
    pub fn new(arena: &mut Arena, start: TermId, hasty: bool) -> Self {
        let promise = (Reverse(arena.distance(start)), 0);
        let parent = FxHashMap::from_iter([(start, (start, 0))]);
        Search { hasty, parent, open: BinaryHeap::from([(promise, start, 0)]), front: None }
    }

    /// Go on for about so many derivatives → whether the start is live, if that was found out. What lies on the way to a live
    /// state is live; where there is none all that was seen is dead.
    pub fn go(&mut self, arena: &mut Arena, mut most: usize) -> Result<Option<bool>> {
        'open: while let Some((promise, id, mut byte)) = self.open.pop() {
            if let Some(front) = &mut self.front {
                if !front.keeps(arena, id)? {
                    continue;
                }
            }
            if byte == 0 {
                // Where the last search came to its end: states that are looked for one after the other are alike.
                arena.spend(DERIVATION)?;
                let last = arena.terms.witnesses.last_byte();
                let next = arena.derive_now(id, last, false)?;
                if arena.plainly_live(next) == Some(true) {
                    self.tell_way(arena, id, last);
                    return Ok(Some(true));
                }
            }
            let cuts = arena.cuts(id);
            loop {
                if most == 0 {
                    self.open.push((promise, id, byte));
                    return Ok(None);
                }
                most -= 1;
                arena.spend(DERIVATION)?;
                let next = arena.derive_now(id, byte, false)?;
                let rest = cuts.interval(byte).1.checked_add(1);
                match arena.plainly_live(next) {
                    Some(true) => {
                        self.tell_way(arena, id, byte);
                        return Ok(Some(true));
                    }
                    Some(false) => {}
                    None => {
                        let found = self.parent.len();
                        self.parent.entry(next).or_insert((id, byte));
                        if self.parent.len() > found && self.is_new(arena, next)? {
                            let nearer = Reverse(arena.distance(next));
                            self.open.push(((nearer, found), next, 0));
                            if self.hasty && nearer > promise.0 {
                                self.open.extend(rest.map(|rest| (promise, id, rest)));
                                continue 'open;
                            }
                        }
                    }
                }
                match rest {
                    Some(rest) => byte = rest,
                    None => break,
                }
            }
        }
        self.parent.keys().for_each(|&id| arena.terms.nonempty.insert(id, false, &mut arena.budget));
        Ok(Some(false))
    }

    /// Whether a state that was found now must be looked into.
    fn is_new(&mut self, arena: &mut Arena, state: TermId) -> Result<bool> {
        let Some(front) = &mut self.front else {
            if self.parent.len() == LONG {
                let front = self.front.insert(Antichain::default());
                for &seen in self.parent.keys() {
                    front.tell(arena, seen)?;
                }
            }
            return Ok(true);
        };
        let seen = front.tell(arena, state)?;
        if seen == Seen::Unknown {
            self.front = None;
        }
        Ok(seen != Seen::Held)
    }

    /// What leads to a state that a byte leads on to its end.
    fn tell_way(&self, arena: &mut Arena, mut id: TermId, byte: u8) {
        let mut way = Witness::from_slice(&[byte]);
        loop {
            arena.terms.nonempty.insert(id, true, &mut arena.budget);
            let (parent, byte) = self.parent[&id];
            if parent == id {
                break;
            }
            way.push(byte);
            id = parent;
        }
        way.reverse();
        arena.terms.witnesses.remember(way);
    }
}

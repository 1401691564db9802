//! Position → bytes that end the text: a best-first search over positions.
//!
//! A* (Hart, Nilsson, Raphael 1968) with the bound of `least`: where that is exact the search goes straight to the end,
//! and what it finds is shortest. Bytes between which no head makes a difference stand for one another. If after many
//! positions there is no end yet, the search begins again and trusts the bound more than the length: what it finds
//! then is short, but perhaps not shortest.

use crate::error::Result;
use crate::least::NEVER;
use crate::machine::{Machine, PositionId, DEAD};
use crate::term::{Term, TermId, EMPTY};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Positions after which the shortest text is given up for a short one.
const PATIENCE: usize = 20_000;

/// How much more a byte that is still needed weighs then than one that was written.
const HASTE: u64 = 8;

/// A place in the search: where it is, how it was reached, and how far that is.
struct Place {
    position: PositionId,
    before: u32,
    byte: u8,
    length: u64,
}

/// What to look at next: the least promise first, then what is farthest along, then the plainest byte.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Promise {
    total: u64,
    length: Reverse<u64>,
    rank: u8,
    order: u32,
    place: u32,
    byte: u8,
    /// The bytes that this one stands for.
    span: (u8, u8),
}

impl Machine {
    /// Bytes after which the text may end; None if that takes a special token.
    pub(crate) fn completion(&mut self, start: PositionId) -> Result<Option<Vec<u8>>> {
        if self.position(start).accepting {
            return Ok(Some(Vec::new()));
        }
        match self.way_out(start, 1, PATIENCE)? {
            Found::Text(text) => Ok(Some(text)),
            Found::Nothing => Ok(None),
            Found::Tired => match self.way_out(start, HASTE, usize::MAX)? {
                Found::Text(text) => Ok(Some(text)),
                _ => Ok(None),
            },
        }
    }

    fn way_out(&mut self, start: PositionId, weight: u64, patience: usize) -> Result<Found> {
        let mut places = vec![Place { position: start, before: 0, byte: 0, length: 0 }];
        let mut reached: FxHashMap<PositionId, u64> = FxHashMap::default();
        reached.insert(start, 0);
        let mut open = BinaryHeap::new();
        let mut order = 0;
        self.promise(&places, 0, weight, &mut open, &mut order)?;
        while let Some(Reverse(next)) = open.pop() {
            let Promise { place, byte, span: (low, high), total, length, .. } = next;
            let before = places[place as usize].position;
            let position = self.step(before, byte)?;
            if position == DEAD {
                // It repeats a key or an item; the others may not.
                for byte in (low..=high).filter(|&other| other != byte) {
                    order += 1;
                    let span = (byte, byte);
                    open.push(Reverse(Promise { total, length, rank: rank(byte), order, place, byte, span }));
                }
                continue;
            }
            let length = length.0;
            let alike = self.alike(position)?;
            match reached.get_mut(&alike) {
                Some(known) if *known <= length => continue,
                Some(known) => *known = length,
                None => {
                    reached.insert(alike, length);
                }
            }
            places.push(Place { position, before: place, byte, length });
            let at = places.len() as u32 - 1;
            if self.position(position).accepting {
                return Ok(Found::Text(spelled(&places, at)));
            }
            if places.len() > patience {
                return Ok(Found::Tired);
            }
            self.promise(&places, at, weight, &mut open, &mut order)?;
        }
        Ok(Found::Nothing)
    }

    /// The position that stands for all those that differ only in the letters of an open key: what may follow them
    /// differs in nothing but that key.
    fn alike(&mut self, id: PositionId) -> Result<PositionId> {
        let position = self.position(id).clone();
        let mut alike = (*position).clone();
        let mut key = false;
        for (head, _) in &mut alike.heads {
            if let Term::KeyExtra { .. } = self.arena.term(*head) {
                *head = self.unknown(*head)?;
                key = true;
            }
        }
        if !key {
            return Ok(id);
        }
        alike.heads.sort_unstable();
        Ok(self.intern(alike))
    }

    /// Look ahead by one byte: what may come, and what it promises.
    fn promise(
        &mut self,
        places: &[Place],
        place: u32,
        weight: u64,
        open: &mut BinaryHeap<Reverse<Promise>>,
        order: &mut u32,
    ) -> Result<()> {
        let Place { position, length, .. } = places[place as usize];
        let position = self.position(position).clone();
        let length = length + 1;
        // A head that holds its text tells all bytes apart; what it reads does not.
        let reading = |machine: &Machine, head: TermId| machine.arena.held(head).map_or(head, |(inner, _)| inner);
        let mut byte = 0u8;
        let mut cuts: SmallVec<[_; 4]> = SmallVec::new();
        for &(head, _) in &position.heads {
            let inner = reading(self, head);
            cuts.push(self.arena.cuts(inner));
        }
        loop {
            let high = cuts.iter().map(|cuts| cuts.interval(byte).1).min().unwrap_or(255);
            let plain = (byte..=high).min_by_key(|&byte| rank(byte)).unwrap_or(byte);
            let mut least = NEVER;
            for &(head, frame) in &position.heads {
                self.arena.spend(1)?;
                let inner = reading(self, head);
                let next = self.arena.derive(inner, plain)?;
                if next != EMPTY {
                    least = least.min(self.least_after(head, inner, next, frame)?);
                }
            }
            if least < NEVER {
                *order += 1;
                open.push(Reverse(Promise {
                    total: length + weight * least,
                    length: Reverse(length),
                    rank: rank(plain),
                    order: *order,
                    place,
                    byte: plain,
                    span: (byte, high),
                }));
            }
            match high.checked_add(1) {
                Some(next) => byte = next,
                None => return Ok(()),
            }
        }
    }
}

enum Found {
    Text(Vec<u8>),
    Nothing,
    /// There was no end within the patience.
    Tired,
}

/// What people would rather read comes first.
fn rank(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        0x20..=0x7e => 3,
        _ => 4,
    }
}

fn spelled(places: &[Place], mut at: u32) -> Vec<u8> {
    let mut text = Vec::new();
    while at != 0 {
        let place = &places[at as usize];
        text.push(place.byte);
        at = place.before;
    }
    text.reverse();
    text
}

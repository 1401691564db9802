//! Position → bytes that end the text: a best-first search over positions.
//!
//! A* (Hart, Nilsson, Raphael 1968) with the bound of `least`: where that is exact the search goes straight to the end,
//! and what it finds is shortest. Bytes between which no head makes a difference stand for one another. If after many
//! positions there is no end yet, the search begins again and trusts the bound more than the length: what it finds
//! then is short, but perhaps not shortest.

use crate::automaton::distance::NEVER;
use crate::automaton::machine::{Machine, Position, PositionId, DEAD};
use crate::bytes::utf8::is_unescaped;
use crate::error::{Error, Limit, Result};
use crate::regular::arena::Arena;
use crate::regular::json_string::escape;
use crate::regular::literal::Literal;
use crate::regular::term::{Spelling, Term, TermId, EMPTY, EPSILON, MANY};
use rustc_hash::FxHashMap;
use smallvec::{smallvec, SmallVec};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// Positions after which the shortest text is given up for a short one.
const PATIENCE: usize = 20_000;

/// No text is written out that is longer.
const LONGEST: u64 = 1 << 22;

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

/// Steps that a position of the search costs beside its derivatives: about 2 µs to settle, to compare and to queue it.
const PER_POSITION: u64 = 96;

/// Steps that a byte on the straight way costs, beside its derivatives: about 1 µs for the position after it.
const PER_BYTE: u64 = 48;

/// A place with its entry among those that were reached, and the few promises that it makes.
const PER_PLACE: usize = size_of::<Place>() + 32 + 4 * size_of::<Promise>();

impl Machine {
    /// Bytes after which the text may end; None if that takes a special token.
    pub(crate) fn completion(&mut self, start: PositionId) -> Result<Option<Vec<u8>>> {
        let position = self.position(start).clone();
        let least = self.distance_from(&position)?;
        match least {
            _ if position.accepting => return Ok(Some(Vec::new())),
            NEVER => return Ok(None),
            LONGEST.. => return Err(Error::Limit(Limit::Completion(LONGEST)).into()),
            _ => {}
        }
        if let Some(text) = self.straight(&position, least)? {
            return Ok(Some(text));
        }
        let found = match self.find_way_out(start, 1, PATIENCE)? {
            Found::Tired => self.find_way_out(start, HASTE, usize::MAX)?,
            found => found,
        };
        Ok(match found {
            Found::Text(text) => Some(text),
            _ => None,
        })
    }

    /// What the search itself holds counts as long as it lasts.
    fn find_way_out(&mut self, start: PositionId, weight: u64, patience: usize) -> Result<Found> {
        let mut open = BinaryHeap::new();
        let mut places = Vec::new();
        let found = self.way_out(start, weight, patience, &mut places, &mut open);
        self.arena.budget.release(places.len() * PER_PLACE);
        found
    }

    /// The text to which the bound leads without a detour: every byte brings the end nearer by as much. None if it
    /// promises too much somewhere: a search has to find out what can be kept.
    fn straight(&mut self, start: &Position, mut least: u64) -> Result<Option<Vec<u8>>> {
        if !self.arena.registers.uniques.is_empty() {
            return Ok(None);
        }
        let (mut position, mut text) = (start.clone(), Vec::new());
        // A byte may take six to be spelled. What takes longer has been led astray by a bound that is too low.
        let most = 8 * least + 1_024;
        while !position.accepting {
            if text.len() as u64 > most {
                return Ok(None);
            }
            self.arena.spend(PER_BYTE)?;
            if let Some(next) = self.run(&position, &mut text)? {
                position = next;
                least = self.distance_from(&position)?;
                continue;
            }
            let mut best: Option<(u64, u8, u8)> = None;
            self.each_promise(&position, |least, byte, _| {
                if best.is_none_or(|best| (least, rank(byte)) < (best.0, best.1)) {
                    best = Some((least, rank(byte), byte));
                }
            })?;
            let Some((left, _, byte)) = best.filter(|&(left, ..)| left < least) else { return Ok(None) };
            position = self.moved(&position.heads, position.register, byte)?;
            text.push(byte);
            least = left;
        }
        Ok(Some(text))
    }

    /// What is spelled out next, in one step, and the position after it; None where there is a choice.
    fn run(&mut self, position: &Position, text: &mut Vec<u8>) -> Result<Option<Position>> {
        let [(head, frame)] = position.heads[..] else { return Ok(None) };
        if !position.specials.is_empty() || position.ask {
            return Ok(None);
        }
        let next = match *self.arena.term(head) {
            Term::Quoted { text: inner, state: Spelling::Body, free } => {
                let Some((run, after)) = self.arena.run(inner)? else { return Ok(None) };
                self.arena.spend(run.len() as u64 / 8)?;
                for byte in run.bytes() {
                    match escape(byte) {
                        Some(escape) => text.extend(escape.bytes()),
                        None => text.push(byte),
                    }
                }
                self.arena.quoted_state(after, Spelling::Body, free)?
            }
            Term::KeyNamed { object, state, low, high, depth } if high - low == 1 => {
                let (spelling, property) = &self.arena.registers.objects[object as usize].sorted[low as usize];
                text.extend_from_slice(&spelling[depth as usize..]);
                let property = *property;
                self.arena.key_done(object, state, property)?
            }
            _ => {
                let Some((run, after)) = self.arena.run(head)? else { return Ok(None) };
                self.arena.spend(run.len() as u64 / 8)?;
                text.extend(run.bytes());
                after
            }
        };
        self.close_heads(smallvec![(next, frame)], position.register).map(Some)
    }

    fn way_out(
        &mut self,
        start: PositionId,
        weight: u64,
        patience: usize,
        places: &mut Vec<Place>,
        open: &mut BinaryHeap<Reverse<Promise>>,
    ) -> Result<Found> {
        places.push(Place { position: start, before: 0, byte: 0, length: 0 });
        self.arena.budget.grow(PER_PLACE);
        let mut reached: FxHashMap<PositionId, u64> = FxHashMap::default();
        reached.insert(start, 0);
        let mut order = 0;
        self.promise(places, 0, weight, open, &mut order)?;
        while let Some(Reverse(next)) = open.pop() {
            let Promise { place, byte, span: (low, high), total, length, .. } = next;
            self.arena.spend(PER_POSITION)?;
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
            self.arena.budget.grow(PER_PLACE);
            let at = places.len() as u32 - 1;
            if self.position(position).accepting {
                return Ok(Found::Text(spelled(places, at)));
            }
            if places.len() > patience {
                return Ok(Found::Tired);
            }
            self.promise(places, at, weight, open, &mut order)?;
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
        self.each_promise(&position, |least, byte, span| {
            *order += 1;
            open.push(Reverse(Promise {
                total: length + weight * least,
                length: Reverse(length),
                rank: rank(byte),
                order: *order,
                place,
                byte,
                span,
            }));
        })?;
        Ok(())
    }

    /// Of the bytes that may come, one of each interval, and what is needed at least after it.
    fn each_promise(&mut self, position: &Position, mut tell: impl FnMut(u64, u8, (u8, u8))) -> Result<()> {
        // A head that holds its text tells all bytes apart; what it reads does not.
        let reading = |machine: &Machine, head: TermId| machine.arena.open_key(head).map_or(head, |(inner, _)| inner);
        let mut byte = 0u8;
        let mut boundaries: SmallVec<[_; 4]> = SmallVec::new();
        for &(head, _) in &position.heads {
            let inner = reading(self, head);
            boundaries.push(self.arena.boundaries(inner));
        }
        loop {
            let high = boundaries.iter().map(|boundaries| boundaries.interval(byte).1).min().unwrap_or(255);
            let plain = (byte..=high).min_by_key(|&byte| rank(byte)).unwrap_or(byte);
            let mut least = NEVER;
            for &(head, frame) in &position.heads {
                self.arena.spend(1)?;
                let inner = reading(self, head);
                let next = self.arena.derive(inner, plain)?;
                if next != EMPTY {
                    least = least.min(self.distance_after(head, inner, next, frame)?);
                }
            }
            if least < NEVER {
                tell(least, plain, (byte, high));
            }
            match high.checked_add(1) {
                Some(next) => byte = next,
                None => return Ok(()),
            }
        }
    }
}

impl Arena {
    /// The bytes that a regular term spells out next, and what is left of it then. Of a count of characters those that
    /// must come, each the plainest.
    fn run(&mut self, id: TermId) -> Result<Option<(Run, TermId)>> {
        Ok(match *self.term(id) {
            Term::Literal { literal, position } => {
                Some((Run::Spelled(self.terms.literals[literal as usize].clone(), position as usize), EPSILON))
            }
            Term::Words { set, low, high, depth } => {
                let words = self.terms.word_sets[set as usize].words.clone();
                let count = shared(&words[low as usize..high as usize], depth as usize);
                if count < 2 {
                    return Ok(None);
                }
                let after = self.words_rest(set, low, high, depth + count as u32)?;
                Some((Run::Shared(words, low as usize, depth as usize, count), after))
            }
            Term::Bounded { body, min: min @ 2.., max } if self.info(body).nullable => {
                let Some(byte) = self.plainest(body, |body, next| body == next)? else { return Ok(None) };
                let max = if max == MANY { MANY } else { max - min };
                Some((Run::Repeated(byte, min), self.bounded(body, 0, max)?))
            }
            Term::Repeat { body, min: min @ 2.., max } => {
                let Some(byte) = self.plainest(body, |_, next| next == EPSILON)? else { return Ok(None) };
                let max = if max == MANY { MANY } else { max - min };
                Some((Run::Repeated(byte, min), self.repeat(body, 0, max)?))
            }
            Term::Cat(left, right) => match self.run(left)? {
                Some((run, after)) => Some((run, self.cat(after, right)?)),
                None => None,
            },
            _ => None,
        })
    }

    /// The plainest byte that leads from a term where `leads` says, and is one character.
    fn plainest(&mut self, id: TermId, leads: impl Fn(TermId, TermId) -> bool) -> Result<Option<u8>> {
        let moves = self.byte_transitions(id)?;
        let led = moves.iter().filter(|&&(_, _, next)| leads(id, next));
        let bytes = led.flat_map(|&(low, high, _)| low..=high).filter(|&byte| byte < 0x80 && is_unescaped(byte));
        Ok(bytes.min_by_key(|&byte| rank(byte)))
    }
}

/// Bytes that come one after another.
enum Run {
    Spelled(Arc<Literal>, usize),
    /// What several words share: that of the first one, from a place on, so many bytes.
    Shared(Arc<[Box<[u8]>]>, usize, usize, usize),
    Repeated(u8, u32),
}

impl Run {
    fn len(&self) -> usize {
        match self {
            Run::Spelled(text, from) => text.len() - from,
            Run::Shared(_, _, _, count) => *count,
            Run::Repeated(_, count) => *count as usize,
        }
    }

    fn bytes(&self) -> impl Iterator<Item = u8> + '_ {
        (0..self.len()).map(|at| match self {
            Run::Spelled(text, from) => text[from + at],
            Run::Shared(words, word, from, _) => words[*word][from + at],
            Run::Repeated(byte, _) => *byte,
        })
    }
}

/// Bytes that sorted words have in common from a place on.
fn shared(words: &[Box<[u8]>], from: usize) -> usize {
    let (Some(first), Some(last)) = (words.first(), words.last()) else { return 0 };
    first[from..].iter().zip(&last[from..]).take_while(|(one, other)| one == other).count()
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

//! A position × what tokens see of keys → one position for all that no token tells apart.
//!
//! What follows a value depends on the members that came, on those that may come, and on the same of every object around
//! it. But a token that ends a value hardly goes on behind the quote of the next key: nearly all it can see is whether
//! the object may be closed and whether another member may come. So in the frames of a mask's position one state stands
//! for all that look the same, and their masks are one.

use crate::byteset::ByteSet;
use crate::error::Result;
use crate::machine::{FrameId, Machine, BOTTOM};
use crate::object::Look;
use crate::term::{Arena, Term, TermId, EPSILON};
use rustc_hash::FxHashMap;

/// What tokens hold behind the quote that opens a key, where it stands behind one of `BEFORE`.
pub(crate) struct Openings {
    /// The first bytes of it.
    pub bytes: ByteSet,
    /// The first bytes of what it says, escapes read; all if one is told by number.
    pub says: ByteSet,
    /// Whether some token goes on behind a key and its colon: into the value.
    pub crosses: bool,
}

/// With what ends that which comes before a key, with what begins that which comes behind it, and white space.
const BEFORE: &[u8] = b"{, \t\n\r";
const BEHIND: &[u8] = b": \t\n\r";

impl Openings {
    /// Of the tokens that hold a quote.
    pub fn of<'a>(texts: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut found = Openings { bytes: ByteSet::EMPTY, says: ByteSet::EMPTY, crosses: false };
        for text in texts {
            for (place, pair) in text.windows(2).enumerate() {
                if pair[1] == b'"' && BEFORE.contains(&pair[0]) {
                    found.look_at(&text[place + 2..]);
                }
            }
        }
        found
    }

    fn look_at(&mut self, key: &[u8]) {
        let one = |byte| ByteSet::range(byte, byte);
        let says = match *key {
            [] => return,
            [b'\\', b'u', ..] => ByteSet::FULL,
            // The character itself, or a control character from backspace to carriage return.
            [b'\\', byte, ..] => one(byte).union(&ByteSet::range(8, 13)),
            [byte, ..] => one(byte),
        };
        self.bytes = self.bytes.union(&one(key[0]));
        self.says = self.says.union(&says);
        for (place, pair) in key.windows(2).enumerate() {
            let behind = key[place + 1..].iter().position(|byte| !BEHIND.contains(byte));
            self.crosses |= pair[0] == b'"' && behind.is_some_and(|count| count > 0);
        }
    }
}

/// What is known of blurring, for one machine.
#[derive(Default)]
pub(crate) struct Blur {
    frames: FxHashMap<FrameId, FrameId>,
    /// (object, state) → the state that stands for it.
    states: FxHashMap<(u32, u32), u32>,
    /// The first state of an object that looks like this.
    looks: FxHashMap<(u32, Look), u32>,
    /// Whether an object is written with what `Openings` takes for granted.
    usual: FxHashMap<u32, bool>,
}

impl Machine {
    /// The frame that stands for this one in masks. Its parents are older than a frame: no circle, and no recursion, for
    /// texts may nest deep.
    pub(crate) fn blurred(&mut self, frame: FrameId, openings: &Openings) -> Result<FrameId> {
        let mut work = vec![frame];
        while let Some(&at) = work.last() {
            if at == BOTTOM || self.blur.frames.contains_key(&at) {
                work.pop();
                continue;
            }
            let mut members = self.members(at).to_vec();
            let known = work.len();
            work.extend(
                members
                    .iter()
                    .map(|&(_, parent)| parent)
                    .filter(|parent| *parent != BOTTOM && !self.blur.frames.contains_key(parent)),
            );
            if work.len() > known {
                continue;
            }
            self.arena.spend(members.len() as u64)?;
            for (term, parent) in &mut members {
                *term = self.blurred_term(*term, openings)?;
                *parent = self.blur.frames.get(parent).copied().unwrap_or(*parent);
            }
            let made = self.frame(members);
            self.arena.budget.grow(2 * 16);
            self.blur.frames.insert(at, made);
            self.blur.frames.insert(made, made);
        }
        Ok(self.blur.frames.get(&frame).copied().unwrap_or(frame))
    }

    fn blurred_term(&mut self, term: TermId, openings: &Openings) -> Result<TermId> {
        match *self.arena.term(term) {
            Term::ObjectNext { object, state } => {
                let state = self.seen_as(object, state, openings)?;
                self.arena.object_term(Term::ObjectNext { object, state })
            }
            Term::ObjectKey { object, state } => {
                let state = self.seen_as(object, state, openings)?;
                self.arena.object_term(Term::ObjectKey { object, state })
            }
            // A value that is still to come, and what follows it; one of several.
            Term::Seq(value, next) if matches!(self.arena.term(next), Term::ObjectNext { .. }) => {
                let next = self.blurred_term(next, openings)?;
                self.arena.seq(value, next)
            }
            Term::Alt(ref parts) if parts.iter().all(|&part| matches!(self.arena.term(part), Term::Seq(..))) => {
                let parts: Vec<TermId> = parts.to_vec();
                self.arena.spend(parts.len() as u64)?;
                let parts = parts.into_iter().map(|part| self.blurred_term(part, openings)).collect::<Result<_>>()?;
                self.arena.alt(parts)
            }
            _ => Ok(term),
        }
    }

    /// The state that stands for this one.
    fn seen_as(&mut self, object: u32, state: u32, openings: &Openings) -> Result<u32> {
        if let Some(&known) = self.blur.states.get(&(object, state)) {
            return Ok(known);
        }
        let usual = match self.blur.usual.get(&object) {
            Some(&usual) => usual,
            None => {
                let usual = self.arena.is_usual(object);
                self.blur.usual.insert(object, usual);
                usual
            }
        };
        let look = if usual { self.arena.look(object, state, openings)? } else { None };
        let stands = look.map_or(state, |look| *self.blur.looks.entry((object, look)).or_insert(state));
        self.arena.budget.grow(3 * 16 + 64);
        self.blur.states.insert((object, state), stands);
        Ok(stands)
    }
}

impl Arena {
    /// Whether what comes before a key ends with one of `BEFORE`, and what comes behind it is of `BEHIND`.
    fn is_usual(&mut self, object: u32) -> bool {
        let spec = self.objects[object as usize].clone();
        let is_of = |bytes: ByteSet, few: &[u8]| (0..=255u8).all(|byte| !bytes.contains(byte) || few.contains(&byte));
        let ends = |id| !self.info(id).nullable && self.last_bytes(id).is_some_and(|bytes| is_of(bytes, BEFORE));
        let before = !spec.free && ends(spec.open) && ends(spec.comma);
        before && !self.info(spec.colon).nullable && is_of(self.may(spec.colon), BEHIND)
    }

    /// The bytes with which texts end, of what separators are made of.
    fn last_bytes(&self, id: TermId) -> Option<ByteSet> {
        match *self.term(id) {
            Term::Class(bytes) => Some(bytes),
            Term::Literal { literal, .. } => {
                self.literals[literal as usize].last().map(|&last| ByteSet::range(last, last))
            }
            Term::Repeat { body, .. } => self.last_bytes(body),
            Term::Cat(left, right) | Term::Seq(left, right) => match self.info(right).nullable {
                true => Some(self.last_bytes(left)?.union(&self.last_bytes(right)?)),
                false => self.last_bytes(right),
            },
            Term::Alt(ref parts) => {
                let mut all = ByteSet::EMPTY;
                for &part in parts.iter().filter(|&&part| part != EPSILON) {
                    all = all.union(&self.last_bytes(part)?);
                }
                Some(all)
            }
            _ => None,
        }
    }
}

//! Values to be avoided × what was read of an item → the rests of those that begin like it: a walk down the set.

use crate::automaton::machine::{FrameId, Machine, Position};
use crate::automaton::unique::Register;
use crate::bytes::byteset::ByteSet;
use crate::error::Result;
use crate::json::partial_value::{is_numeral, Place};
use crate::json::value::NUMERAL_END;
use crate::regular::key_set::{KeySets, NO_KEYS};
use crate::regular::term::{Term, TermId};

/// Longer numerals may be written with an exponent in the set.
const LONGEST: usize = 30;

/// What a text that must not be completed goes on with.
#[derive(Clone, Copy)]
pub(crate) struct Rest {
    pub(super) set: u32,
    /// Whether these are all and no more; else the set has at least the values that are left.
    pub(super) exact: bool,
}

impl Machine {
    pub(super) fn rest_of_item(&mut self, array: u32, state: u32, step: u32, start: u32, reading: u32) -> Result<Rest> {
        let Some(mut set) = self.excluded(array, state, step)? else { return Ok(Rest { set: NO_KEYS, exact: false }) };
        if set == NO_KEYS {
            return Ok(Rest { set, exact: true });
        }
        let text = self.known.partial_values.text(start, reading);
        self.arena.spend(1 + text.len() as u64 / 4)?;
        let place = self.known.partial_values.place(reading);
        let (whole, numeral) = text.split_at(text.len() - self.known.partial_values.numeral(reading).min(text.len()));
        let ordered = self.is_ordered(array);
        let keys = &self.arena.registers.keys;
        for &byte in whole {
            if byte == b'{' && !ordered {
                // Members may come in another order: any value with an object here may be meant.
                return Ok(Rest { set: keys.child(set, byte), exact: false });
            }
            set = keys.child(set, byte);
            if set == NO_KEYS {
                return Ok(Rest { set, exact: true });
            }
        }
        if numeral.is_empty() {
            // What an open escape will say is not known.
            return Ok(Rest { set, exact: matches!(place, Place::Between | Place::Inside) });
        }
        if self.known.partial_values.place(reading).is_zero() {
            let zero = keys.child(keys.child(set, b'0'), NUMERAL_END);
            return Ok(Rest { set: zero, exact: false });
        }
        let at = self.arena.registers.unique_states[state as usize].at;
        let item = self.arena.registers.uniques[array as usize].steps[at as usize][step as usize].0;
        if self.is_odd(item)?
            || numeral.len() > LONGEST
            || numeral[0] == b'-' && matches!(numeral.get(1), None | Some(b'0'))
        {
            return Ok(Rest { set, exact: false });
        }
        let keys = &self.arena.registers.keys;
        Ok(Rest { set: numeral.iter().fold(set, |set, &byte| keys.child(set, byte)), exact: true })
    }

    /// The item that is open at a position, if it is one, with what it must not go on with.
    pub(crate) fn open_item(&mut self, position: &Position) -> Result<Option<OpenItem>> {
        let Register::At(reading) = position.register else { return Ok(None) };
        let frames = position.heads.iter().map(|&(_, frame)| frame);
        let frames = frames.chain(position.specials.iter().map(|&(_, frame)| frame));
        let &[(array, state, step, start)] = &self.open_ends(frames)[..] else { return Ok(None) };
        let rest = self.rest_of_item(array, state, step, start, reading)?;
        if rest.set != NO_KEYS && !self.is_ordered(array) {
            // Members in another order say the same: a walk along the texts of the set would miss them.
            return Ok(None);
        }
        let at = self.arena.registers.unique_states[state as usize].at;
        let item = self.arena.registers.uniques[array as usize].steps[at as usize][step as usize].0;
        let odd = self.has_odd_numerals(item)?;
        let in_numeral = matches!(self.known.partial_values.place(reading), Place::Number { .. });
        if !rest.exact || odd && in_numeral {
            return Ok(None);
        }
        let mut heads = position.heads.iter().filter(|&&(_, frame)| self.openness(frame).open);
        let head = match (heads.next(), heads.next()) {
            (Some(&(head, frame)), None) if self.ends_item(frame) => Some(head),
            _ => None,
        };
        let cursor =
            Cursor { place: self.known.partial_values.place(reading), set: rest.set, from: rest.set, minus: false };
        Ok(Some(OpenItem { array, state, at, step, head, odd, cursor }))
    }

    /// Whether a numeral may begin here, or one is open that is zero so far.
    pub(crate) fn may_be_zero(&self, position: &Position) -> bool {
        match position.register {
            Register::At(reading) => {
                !matches!(self.known.partial_values.place(reading), Place::Number { zero: false, .. })
            }
            _ => true,
        }
    }

    /// What tokens are compared with that go on to another item: of arrays of strings, each of which has many others to
    /// become, wherever it is.
    pub(crate) fn values_that_came(&mut self, position: &Position) -> Result<Option<Came>> {
        let heads = position.heads.iter().map(|&(_, frame)| frame);
        let frames: Vec<FrameId> = heads.chain(position.specials.iter().map(|&(_, frame)| frame)).collect();
        let mut arrays = Vec::new();
        let mut open = Vec::new();
        for frame in self.exact_frames(frames.into_iter()) {
            for &(term, _) in self.members(frame) {
                match *self.arena.term(term) {
                    Term::UniqueItem { array, state } => arrays.push((array, state)),
                    Term::UniqueEnd { array, state, start, .. } => {
                        arrays.push((array, state));
                        open.push(start);
                    }
                    _ => {}
                }
            }
        }
        arrays.sort_unstable();
        arrays.dedup();
        let &[(array, state)] = &arrays[..] else { return Ok(None) };
        let spec = self.arena.registers.uniques[array as usize].clone();
        let state = self.arena.registers.unique_states[state as usize];
        let Some(item) = spec.only_item() else { return Ok(None) };
        let most = state.count.saturating_add(self.known.longest);
        let strings = matches!(self.arena.term(item), Term::Quoted { .. }) && self.is_insensitive_to(item, most)?;
        if !strings || !self.arena.is_made_of(spec.comma, b" \t\n\r,") {
            return Ok(None);
        }
        let (place, begun) = match (position.register, &open[..]) {
            (Register::At(reading), &[start]) => {
                (self.known.partial_values.place(reading), self.known.partial_values.text(start, reading))
            }
            (_, []) => (Place::Between, Vec::new()),
            _ => return Ok(None),
        };
        Ok(Some(Came { set: state.came, place, begun }))
    }

    /// Whether an item ends with what is over this frame.
    fn ends_item(&self, frame: FrameId) -> bool {
        matches!(*self.members(frame), [(term, _)] if matches!(self.arena.term(term), Term::UniqueEnd { .. }))
    }

    /// Whether a number in an item may be spelled otherwise than in the set.
    fn has_odd_numerals(&mut self, item: TermId) -> Result<bool> {
        Ok(match *self.arena.term(item) {
            Term::Quoted { .. } => false,
            Term::Words { .. } => !self.is_spelled_plainly(item)?,
            _ => self.is_odd(item)?,
        })
    }
}

/// The strings that came in an array, and what was read of the one that is open.
pub(crate) struct Came {
    set: u32,
    place: Place,
    begun: Vec<u8>,
}

impl Came {
    /// Whether some string in these bytes may be one that came, or two of them may be the same. What is behind the array
    /// is not known.
    pub(crate) fn may_meet(&self, keys: &KeySets, bytes: &[u8]) -> bool {
        let (mut place, mut text) = (self.place, self.begun.clone());
        let mut whole: Vec<Vec<u8>> = Vec::new();
        for &byte in bytes {
            if place == Place::Between && !matches!(byte, b'"' | b',' | b' ' | b'\t' | b'\n' | b'\r') {
                return true;
            }
            let was_inside = place != Place::Between;
            let (next, said) = place.read(byte);
            if byte != b',' || was_inside {
                text.extend_from_slice(&said);
            }
            place = next;
            if was_inside && place == Place::Between {
                let text = std::mem::take(&mut text);
                if keys.contains(self.set, &text) || whole.contains(&text) {
                    return true;
                }
                whole.push(text);
            }
        }
        false
    }
}

/// An item of regular texts that is open, with what was read of it.
pub(crate) struct OpenItem {
    array: u32,
    state: u32,
    /// The state of the automaton over items.
    at: u32,
    step: u32,
    /// What reads the rest of it, if that is one head.
    pub(crate) head: Option<TermId>,
    /// Whether a numeral in it may be spelled otherwise than in the set: none is compared before its end.
    odd: bool,
    pub(crate) cursor: Cursor,
}

/// A place in the texts to be avoided, as the bytes of tokens lead there.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Cursor {
    place: Place,
    set: u32,
    /// Where the numeral began that is open, and whether it is a minus so far: -0 is 0.
    from: u32,
    minus: bool,
}

/// Items of one language between which no walk can tell.
pub(crate) type ItemKey = (u32, u32, u32, bool);

impl OpenItem {
    /// Whether some bytes lead along a text to be avoided, or to the end of one.
    pub(crate) fn has_any_in(&self, keys: &KeySets, bytes: &[u8]) -> bool {
        self.cursor.has_any_in(keys, bytes, self.odd)
    }

    /// Whether a byte leads to a numeral whose spelling says nothing yet.
    pub(crate) fn begins_odd(&self, next: &Cursor) -> bool {
        self.odd && next.is_in_numeral()
    }

    /// The bytes that may lead on from a place in it; None: it takes a look at all.
    pub(crate) fn bytes(&self, keys: &KeySets, cursor: &Cursor) -> Option<ByteSet> {
        cursor.bytes(keys).filter(|_| !self.odd || cursor.place == Place::Inside)
    }

    /// `thin`: whether it matters how many values are left.
    pub(crate) fn key(&self, thin: bool) -> ItemKey {
        (self.array, self.at, self.step, thin)
    }
}

impl Cursor {
    /// The same for all that go on alike.
    pub(crate) fn settled(self) -> Cursor {
        Cursor { from: if self.minus { self.from } else { NO_KEYS }, ..self }
    }

    /// After another byte.
    pub(crate) fn next(mut self, keys: &KeySets, byte: u8) -> Cursor {
        if let Place::Number { .. } = self.place {
            if !is_numeral(byte) {
                self.set = keys.child(self.set, NUMERAL_END);
                self.place = Place::Between;
            } else if self.minus && byte == b'0' {
                self.set = self.from;
            }
            self.minus = false;
        }
        let (place, said) = self.place.read(byte);
        if let (Place::Between, Place::Number { .. }) = (self.place, place) {
            (self.from, self.minus) = (self.set, byte == b'-');
        }
        self.place = place;
        self.set = said.iter().fold(self.set, |set, &byte| keys.child(set, byte));
        self
    }

    /// In the middle of a numeral.
    fn is_in_numeral(&self) -> bool {
        matches!(self.place, Place::Number { .. })
    }

    /// Whether some text begins so.
    pub(crate) fn is_hindered(&self, keys: &KeySets) -> bool {
        self.set != NO_KEYS || self.minus && keys.child(self.from, b'0') != NO_KEYS
    }

    /// Whether some bytes lead along a text to be avoided, or to the end of one.
    fn has_any_in(mut self, keys: &KeySets, bytes: &[u8], odd: bool) -> bool {
        for &byte in bytes {
            if self.is_whole(keys) || self.ends_with(keys, byte) {
                return true;
            }
            self = self.next(keys, byte);
            if odd && self.is_in_numeral() {
                return true;
            }
            if !self.is_hindered(keys) {
                return false;
            }
        }
        true
    }

    /// Whether one ends here.
    pub(crate) fn is_whole(&self, keys: &KeySets) -> bool {
        keys.has_empty(self.set)
    }

    /// Whether one ends here because a byte follows that goes on with no numeral.
    pub(crate) fn ends_with(&self, keys: &KeySets, byte: u8) -> bool {
        !is_numeral(byte) && self.is_whole_numeral(keys)
    }

    /// Whether one ends here if no digit follows.
    fn is_whole_numeral(&self, keys: &KeySets) -> bool {
        matches!(self.place, Place::Number { .. }) && keys.child(self.set, NUMERAL_END) != NO_KEYS
    }

    /// The bytes that may lead on; None: it takes a look at all.
    fn bytes(&self, keys: &KeySets) -> Option<ByteSet> {
        if self.is_whole_numeral(keys) {
            return None;
        }
        let mut bytes =
            keys.children(self.set).fold(ByteSet::EMPTY, |all, (byte, _)| all.union(&ByteSet::range(byte, byte)));
        let more: &[u8] = match self.place {
            Place::Inside => b"\\",
            Place::Between => b" \t\n\r-",
            Place::Number { .. } => b"0",
            _ => return None,
        };
        for &byte in more {
            bytes = bytes.union(&ByteSet::range(byte, byte));
        }
        Some(bytes)
    }
}

impl Machine {
    /// Whether the item can end as another value after some bytes, with the head that is left; None if that is not plain.
    pub(crate) fn leaves_open(&mut self, item: &OpenItem, head: TermId, cursor: &Cursor) -> Result<Option<bool>> {
        if cursor.minus || !matches!(cursor.place, Place::Between | Place::Inside | Place::Number { .. }) {
            return Ok(None);
        }
        self.leaves(item.array, item.state, item.step, head, cursor.set)
    }
}

//! Term × byte → the term that is still to read, its derivative (Brzozowski 1964), remembered edge by edge.

use crate::bytes::byteset::{Boundaries, ByteSet};
use crate::bytes::utf8::is_lead;
use crate::bytes::utf8::raw;
use crate::bytes::utf8::RAW;
use crate::error::Result;
use crate::regular::arena::{Arena, Edge, DERIVATION};
use crate::regular::key_set::NO_KEYS;
use crate::regular::term::{Parts, Spelling, Term, TermId, Text, EMPTY, EPSILON, MANY};
use smallvec::{smallvec, SmallVec};

/// The edge of the interval that a byte is in; they are sorted.
#[inline]
fn edge_at(edges: &[Edge], byte: u8) -> Option<Edge> {
    let place = edges.partition_point(|&(_, high, _)| high < byte);
    edges.get(place).copied().filter(|&(low, _, _)| low <= byte)
}

/// Intervals of bytes and where they lead.
type Moves = SmallVec<[(u8, u8, TermId); 16]>;

/// A byte is compared with another in so few steps: less than a derivative takes.
const LIKENESS_STEPS: u32 = 16;

impl Arena {
    /// What may follow once `byte` was read; `EMPTY` if it may not be.
    pub fn derive(&mut self, id: TermId, byte: u8) -> Result<TermId> {
        if let Some(edge) = self.terms.edges.get(id.0 as usize).and_then(|edges| edge_at(edges, byte)) {
            return Ok(edge.2);
        }
        let known = self.terms.edges.lower(id.0 as usize).find_map(|edges| edge_at(edges, byte));
        let (low, high, target) = match known {
            Some(edge) => edge,
            None => self.new_edge(id, byte)?,
        };
        let edges = self.terms.edges.get_mut(id.0 as usize, &mut self.budget);
        let capacity = edges.capacity();
        let place = edges.partition_point(|&(_, high, _)| high < byte);
        edges.insert(place, (low, high, target));
        if edges.capacity() > capacity {
            let more = edges.capacity() - if capacity > edges.inline_size() { capacity } else { 0 };
            self.budget.grow(more * size_of::<Edge>());
        }
        Ok(target)
    }

    fn new_edge(&mut self, id: TermId, byte: u8) -> Result<Edge> {
        self.spend(DERIVATION)?;
        let target = match self.known_alike(id, byte) {
            Some(target) => target,
            None => self.derive_now(id, byte, true)?,
        };
        let (low, high) = match *self.term(id) {
            // Whoever reads one byte of these and goes on with another term seldom asks for a second.
            Term::KeyNamed { .. } | Term::Literal { .. } if target != EMPTY => (byte, byte),
            Term::KeyExtra { text: Text::Known(_), .. } => (byte, byte),
            _ => self.cuts(id).interval(byte),
        };
        Ok((low, high, target))
    }

    /// Where a byte leads in a string that tells it in nothing from most of those that were asked for before.
    fn known_alike(&self, id: TermId, byte: u8) -> Option<TermId> {
        let Term::Quoted { text, state: Spelling::Body, .. } = *self.term(id) else { return None };
        let edges =
            self.terms.edges.get(id.0 as usize)?.iter().filter(|&&(low, _, target)| target != EMPTY && raw(low));
        let &(low, _, target) = edges.max_by_key(|&&(low, high, _)| high - low)?;
        (raw(byte) && self.alike(text, low, byte, &mut { LIKENESS_STEPS })).then_some(target)
    }

    /// Whether two bytes mean the same to a term, as far as a few steps show.
    fn alike(&self, id: TermId, one: u8, other: u8, steps: &mut u32) -> bool {
        let Some(left) = steps.checked_sub(1) else { return false };
        *steps = left;
        let mut both = |id| self.alike(id, one, other, steps);
        match *self.term(id) {
            Term::Empty | Term::Epsilon => true,
            Term::Class(set) => set.contains(one) == set.contains(other),
            Term::Literal { literal, position } => {
                let first = self.terms.literals[literal as usize][position as usize];
                first != one && first != other
            }
            Term::Words { set, low, high, depth } => {
                let words = &self.terms.word_sets[set as usize].words;
                let none = |byte| {
                    let (low, high) = narrow(words, low, high, depth, byte);
                    low == high
                };
                none(one) && none(other)
            }
            Term::Keys(set) => [one, other].iter().all(|&byte| self.registers.keys.rest(set, byte) == NO_KEYS),
            Term::Cat(left, right) => both(left) && (!self.info(left).nullable || both(right)),
            Term::Alt(ref parts) | Term::And(ref parts) => parts.iter().all(|&part| both(part)),
            Term::Not(inner) => both(inner),
            Term::Repeat { body, .. } => both(body),
            Term::Bounded { body, .. } => is_lead(one) == is_lead(other) && both(body),
            _ => false,
        }
    }

    /// Bytes that may come, and perhaps some that may not: found without a derivative, to keep walks narrow.
    pub(crate) fn first_bytes(&mut self, id: TermId) -> ByteSet {
        if let Some(may) = self.terms.first_bytes.get(id.0 as usize) {
            return *may;
        }
        let may = match *self.term(id) {
            Term::Empty | Term::Epsilon | Term::KeyDone { .. } => ByteSet::EMPTY,
            Term::Class(set) => set,
            Term::Literal { literal, position } => {
                let byte = self.terms.literals[literal as usize][position as usize];
                ByteSet::range(byte, byte)
            }
            Term::Words { set, low, high, depth } => {
                let words = self.terms.word_sets[set as usize].words.clone();
                let mut bytes = ByteSet::EMPTY;
                let mut at = low;
                while at < high {
                    match words[at as usize].get(depth as usize) {
                        None => at += 1,
                        Some(&byte) => {
                            bytes.insert(byte);
                            at = narrow(&words, at, high, depth, byte).1;
                        }
                    }
                }
                bytes
            }
            Term::Keys(set) => ByteSet::of(self.registers.keys.rests(set).map(|(byte, _)| byte)),
            Term::Multiple { point, .. } => {
                let digits = ByteSet::range(b'0', b'9');
                if point {
                    digits.union(&ByteSet::range(b'.', b'.'))
                } else {
                    digits
                }
            }
            Term::Cat(left, right) => {
                let may = self.first_bytes(left);
                if self.info(left).nullable {
                    may.union(&self.first_bytes(right))
                } else {
                    may
                }
            }
            Term::Alt(ref parts) => {
                let parts = Parts::from_slice(parts);
                parts.iter().fold(ByteSet::EMPTY, |all, &part| all.union(&self.first_bytes(part)))
            }
            Term::And(ref parts) => {
                let parts = Parts::from_slice(parts);
                parts.iter().fold(ByteSet::FULL, |all, &part| all.intersection(&self.first_bytes(part)))
            }
            Term::Repeat { body, .. } | Term::Bounded { body, .. } => self.first_bytes(body),
            Term::Quoted { state: Spelling::Start, .. } => ByteSet::range(b'"', b'"'),
            Term::Quoted { text, state: Spelling::Body, .. } => {
                let escapes = ByteSet::of([b'"', b'\\'].into_iter());
                self.first_bytes(text).intersection(&ByteSet::range(0x20, 0xff)).union(&escapes)
            }
            Term::Quoted { state, .. } => match state {
                Spelling::Escape => ByteSet::of(b"\"\\/bfnrtu".iter().copied()),
                Spelling::LowEscape { .. } => ByteSet::range(b'\\', b'\\'),
                Spelling::LowU { .. } => ByteSet::range(b'u', b'u'),
                _ => ByteSet::of(b"0123456789ABCDEFabcdef".iter().copied()),
            },
            Term::KeyNamed { object, low, high, depth, .. } => {
                ByteSet::of(self.registers.objects[object as usize].key_bytes(low, high, depth))
            }
            Term::KeyExtra { inner, .. } => self.first_bytes(inner),
            _ => ByteSet::FULL,
        };
        *self.terms.first_bytes.get_mut(id.0 as usize, &mut self.budget) = may;
        may
    }

    /// The derivative itself. `check`: whether emptiness of the outermost And, Not or Bounded is looked into.
    pub(crate) fn derive_now(&mut self, id: TermId, byte: u8, check: bool) -> Result<TermId> {
        let made = match *self.term(id) {
            Term::Empty | Term::Epsilon => EMPTY,
            Term::Class(set) => {
                if set.contains(byte) {
                    EPSILON
                } else {
                    EMPTY
                }
            }
            Term::Literal { literal, position } => {
                if self.terms.literals[literal as usize][position as usize] == byte {
                    self.literal_rest(literal, position + 1)?
                } else {
                    EMPTY
                }
            }
            Term::Words { set, low, high, depth } => {
                let words = self.terms.word_sets[set as usize].words.clone();
                let (low, high) = narrow(&words, low, high, depth, byte);
                self.words_rest(set, low, high, depth + 1)?
            }
            Term::Keys(set) => self.key_set(self.registers.keys.rest(set, byte))?,
            Term::Multiple { of, rest, point } => match byte {
                b'0'..=b'9' => {
                    let rest = (u64::from(rest) * 10 + u64::from(byte - b'0')) % u64::from(of);
                    self.multiple_rest(of, rest as u32, point)?
                }
                b'.' if point => id,
                _ => EMPTY,
            },
            Term::Cat(left, right) => {
                let next = self.derive_part(left, byte)?;
                let through = self.cat(next, right)?;
                if self.info(left).nullable {
                    let skipped = self.derive_part(right, byte)?;
                    match (through, skipped) {
                        (EMPTY, only) | (only, EMPTY) => only,
                        _ => self.alt(smallvec![through, skipped])?,
                    }
                } else {
                    through
                }
            }
            Term::Alt(ref parts) => {
                let parts = Parts::from_slice(parts);
                let mut next = Parts::new();
                for part in parts {
                    match self.derive_part(part, byte)? {
                        EMPTY => {}
                        derived => next.push(derived),
                    }
                }
                match next[..] {
                    [] => EMPTY,
                    [only] => only,
                    _ => self.alt(next)?,
                }
            }
            Term::And(ref parts) => {
                let parts = Parts::from_slice(parts);
                // What one operand cannot read, no other has to.
                for &part in &parts {
                    if !self.first_bytes(part).contains(byte) {
                        return Ok(EMPTY);
                    }
                }
                let mut next = Parts::new();
                for part in parts {
                    let derived = self.derive(part, byte)?;
                    if derived == EMPTY {
                        return Ok(EMPTY);
                    }
                    next.push(derived);
                }
                let id = self.and_unchecked(next)?;
                return if check { self.checked(id) } else { Ok(id) };
            }
            Term::Not(inner) => {
                let derived = self.derive(inner, byte)?;
                let id = self.not_unchecked(derived)?;
                return if check { self.checked(id) } else { Ok(id) };
            }
            Term::Repeat { body, min, max } => {
                let next = self.derive_part(body, byte)?;
                if next == EMPTY {
                    return Ok(EMPTY);
                }
                let rest = self.repeat(body, min.saturating_sub(1), if max == MANY { MANY } else { max - 1 })?;
                self.cat(next, rest)?
            }
            Term::Bounded { body, min, max } => {
                let next = self.derive(body, byte)?;
                let id = if is_lead(byte) {
                    if max == 0 {
                        return Ok(EMPTY);
                    }
                    let max = if max == MANY { MANY } else { max - 1 };
                    self.bounded_unchecked(next, min.saturating_sub(1), max)?
                } else {
                    self.bounded_unchecked(next, min, max)?
                };
                return if check { self.checked(id) } else { Ok(id) };
            }
            Term::Quoted { text, state, free } => self.derive_quoted(text, state, free, byte)?,
            Term::KeyNamed { object, state, low, high, depth } => {
                self.derive_key(object, state, low, high, depth, byte)?
            }
            Term::KeyExtra { inner, text, .. } => {
                let next = self.derive(inner, byte)?;
                if next == EMPTY {
                    return Ok(EMPTY);
                }
                let text = match text {
                    Text::Known(text) => Text::Known(self.text_after(text, byte)),
                    Text::Unknown => Text::Unknown,
                };
                self.rehold(id, next, text)?
            }
            Term::KeyDone { .. } => EMPTY,
            ref term => unreachable!("a structural term is never a head: {term:?}"),
        };
        Ok(made)
    }

    /// The derivative of a part; nothing is noted down of bytes that it plainly cannot read.
    fn derive_part(&mut self, id: TermId, byte: u8) -> Result<TermId> {
        if self.first_bytes(id).contains(byte) {
            self.derive(id, byte)
        } else {
            Ok(EMPTY)
        }
    }

    /// Where each byte that may come leads, by intervals.
    pub(crate) fn moves(&mut self, id: TermId) -> Result<Moves> {
        self.moves_up_to(id, u8::MAX)
    }

    /// The same of the bytes up to `last`; an interval may end beyond.
    pub(crate) fn moves_up_to(&mut self, id: TermId, last: u8) -> Result<Moves> {
        let mut moves = Moves::new();
        let may = self.first_bytes(id);
        let end = u16::from(last) + 1;
        // Who has asked before has left an edge for every byte that may come.
        if let Some(edges) = self.terms.edges.get(id.0 as usize) {
            let unknown = |from: u16, to: u16| from < to && may.meets(from as u8, (to - 1) as u8);
            let (mut next, mut complete) = (0, true);
            for &(low, high, target) in edges.iter().take_while(|&&(low, ..)| low <= last) {
                complete &= !unknown(next, low.into());
                next = u16::from(high) + 1;
                if target != EMPTY {
                    moves.push((low, high, target));
                }
            }
            if complete && !unknown(next, end) {
                return Ok(moves);
            }
            moves.clear();
        }
        let cuts = self.cuts(id);
        let mut byte = 0u8;
        loop {
            let (low, high) = cuts.interval(byte);
            let target = if may.contains(low) { self.derive(id, low)? } else { EMPTY };
            if target != EMPTY {
                moves.push((low, high, target));
            }
            match high.checked_add(1).filter(|&next| next <= last) {
                Some(next) => byte = next,
                None => return Ok(moves),
            }
        }
    }

    /// The bytes that may come.
    pub(crate) fn live_bytes(&mut self, id: TermId) -> Result<ByteSet> {
        if self.any_next(id)?.is_some() {
            let mut live = RAW.union(&ByteSet::range(0xc2, 0xf4));
            live.insert(b'\\');
            if self.derive(id, b'"')? != EMPTY {
                live.insert(b'"');
            }
            return Ok(live);
        }
        let moves = self.moves(id)?;
        Ok(moves.iter().fold(ByteSet::EMPTY, |all, &(low, high, _)| all.union(&ByteSet::range(low, high))))
    }

    /// The ASCII bytes that lead to `onto`.
    pub(crate) fn ascii_onto(&mut self, id: TermId, onto: TermId) -> Result<ByteSet> {
        if self.any_next(id)? == Some(onto) {
            return Ok(RAW);
        }
        let moves = self.moves_up_to(id, 0x7f)?;
        let onto = moves.iter().filter(|&&(_, _, target)| target == onto);
        Ok(onto.fold(ByteSet::EMPTY, |all, &(low, high, _)| all.union(&ByteSet::range(low, high.min(0x7f)))))
    }

    /// Whether it is one of a few texts, by its kind.
    pub(crate) fn is_finite(&self, id: TermId) -> bool {
        matches!(self.term(id), Term::Words { .. } | Term::Keys(_) | Term::Literal { .. } | Term::Class(_))
    }

    /// Whether it is all texts but a few, by its kind.
    pub(crate) fn is_cofinite(&self, id: TermId) -> bool {
        match *self.term(id) {
            Term::Not(inner) => inner == EMPTY || self.is_finite(inner),
            Term::And(ref parts) => parts.iter().all(|&part| self.is_cofinite(part)),
            _ => Some(id) == self.any_text,
        }
    }

    /// Whether it is a JSON string of any characters, in its middle.
    pub(crate) fn is_in_any_text(&self, id: TermId) -> bool {
        matches!(*self.term(id), Term::Quoted { text, state: Spelling::Body, .. } if Some(text) == self.any_text)
    }

    /// Where one more character leads in a JSON string of any characters, as far as a count allows. Each leads there, and
    /// none has to be derived to know it.
    pub(crate) fn any_next(&mut self, id: TermId) -> Result<Option<TermId>> {
        let Term::Quoted { text, state: Spelling::Body, .. } = *self.term(id) else { return Ok(None) };
        let text = match *self.term(text) {
            Term::Bounded { body, max: 1.., .. } => body,
            _ => text,
        };
        if Some(text) != self.any_text {
            return Ok(None);
        }
        self.derive(id, b' ').map(Some)
    }

    /// The intervals of bytes on which the derivative is constant.
    pub fn cuts(&mut self, id: TermId) -> Boundaries {
        if let Some(cuts) = self.terms.cuts.get(id.0 as usize) {
            return *cuts;
        }
        let mut cuts = Boundaries::default();
        match *self.term(id) {
            Term::Class(set) => cuts = set.boundaries(),
            Term::Literal { literal, position } => {
                cuts = Boundaries::at(self.terms.literals[literal as usize][position as usize]);
            }
            Term::Words { set, low, high, depth } => {
                let words = self.terms.word_sets[set as usize].words.clone();
                let mut at = low;
                while at < high {
                    match words[at as usize].get(depth as usize) {
                        None => at += 1,
                        Some(&byte) => {
                            cuts.merge(&Boundaries::at(byte));
                            at = narrow(&words, at, high, depth, byte).1;
                        }
                    }
                }
            }
            Term::Keys(set) => {
                self.registers.keys.rests(set).for_each(|(byte, _)| cuts.merge(&Boundaries::at(byte)));
            }
            Term::Multiple { .. } => {
                cuts.merge(&Boundaries::at(b'.'));
                (b'0'..=b'9').for_each(|byte| cuts.merge(&Boundaries::at(byte)));
            }
            Term::Cat(left, right) => {
                cuts = self.cuts(left);
                if self.info(left).nullable {
                    cuts.merge(&self.cuts(right));
                }
            }
            Term::Alt(ref parts) | Term::And(ref parts) => {
                for part in Parts::from_slice(parts) {
                    cuts.merge(&self.cuts(part));
                }
            }
            Term::Not(inner) => cuts = self.cuts(inner),
            Term::Repeat { body, .. } => cuts = self.cuts(body),
            Term::Bounded { body, .. } => {
                cuts = self.cuts(body);
                cuts.cut(0x80);
                cuts.cut(0xc0);
            }
            Term::Quoted { text, state, .. } => match state {
                Spelling::Body => {
                    cuts = self.cuts(text);
                    cuts.cut(0x20);
                    cuts.merge(&Boundaries::at(b'"'));
                    cuts.merge(&Boundaries::at(b'\\'));
                }
                _ => (0x20..0x7f).for_each(|byte| cuts.merge(&Boundaries::at(byte))),
            },
            Term::KeyNamed { object, low, high, depth, .. } => {
                let spec = self.registers.objects[object as usize].clone();
                spec.key_bytes(low, high, depth).for_each(|byte| cuts.merge(&Boundaries::at(byte)));
            }
            Term::KeyExtra { inner, text, .. } => {
                cuts = self.cuts(inner);
                if text != Text::Unknown {
                    cuts = Boundaries::ALL;
                }
            }
            _ => {}
        }
        *self.terms.cuts.get_mut(id.0 as usize, &mut self.budget) = cuts;
        cuts
    }

    // -- heads that hold what they have read ------------------------------------------------------------------

    /// The language and the text of a head that remembers what it has read.
    pub(crate) fn held(&self, head: TermId) -> Option<(TermId, Text)> {
        match *self.term(head) {
            Term::KeyExtra { inner, text, .. } => Some((inner, text)),
            _ => None,
        }
    }

    /// The same head elsewhere in its language, with another text.
    pub(crate) fn rehold(&mut self, head: TermId, inner: TermId, text: Text) -> Result<TermId> {
        match *self.term(head) {
            Term::KeyExtra { object, state, extra, .. } => self.key_extra(object, state, extra, inner, text),
            _ => Ok(head),
        }
    }

    // -- texts ------------------------------------------------------------------------------------------------

    pub(crate) fn text_after(&mut self, text: u32, byte: u8) -> u32 {
        if let Some(&known) = self.registers.text_ids.get(&(text, byte)) {
            return known;
        }
        let id = self.registers.texts.len() as u32;
        self.registers.texts.push((text, byte), &mut self.budget);
        self.registers.text_ids.insert((text, byte), id, &mut self.budget);
        id
    }

    pub(crate) fn text(&self, mut text: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        while text != 0 {
            let (parent, byte) = self.registers.texts[text as usize];
            bytes.push(byte);
            text = parent;
        }
        bytes.reverse();
        bytes
    }
}

/// The words of `low..high` whose byte at `depth` is `byte`.
pub(crate) fn narrow(words: &[Box<[u8]>], low: u32, high: u32, depth: u32, byte: u8) -> (u32, u32) {
    let slice = &words[low as usize..high as usize];
    let at = |word: &[u8]| word.get(depth as usize).copied();
    let from = slice.partition_point(|word| at(word) < Some(byte));
    let to = slice.partition_point(|word| at(word) <= Some(byte));
    (low + from as u32, low + to as u32)
}

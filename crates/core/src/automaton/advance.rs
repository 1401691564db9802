//! A position × a text → the position after it, without one for each byte between: what is written is read once, and
//! where it has been is seldom asked for.

use crate::automaton::machine::{FrameId, Items, Machine, Position, PositionId, DEAD};
use crate::automaton::unique::Register;
use crate::bytes::utf8::is_lead;
use crate::bytes::utf8::is_unescaped;
use crate::error::Result;
use crate::json::object::Narrowed;
use crate::regular::arena::Arena;
use crate::regular::derivative::narrow;
use crate::regular::key_set::NO_KEYS;
use crate::regular::term::{Parts, Spelling, Term, TermId, Text, EMPTY, EPSILON, MANY};
use smallvec::{smallvec, SmallVec};

/// A head on its way: those that are spelled, or hold what they read, are terms again only where they stop.
#[derive(Clone, Copy)]
enum Cursor {
    Head(TermId),
    Literal {
        literal: u32,
        position: u32,
    },
    Words {
        set: u32,
        low: u32,
        high: u32,
        depth: u32,
    },
    Named {
        object: u32,
        state: u32,
        low: u32,
        high: u32,
        depth: u32,
    },
    /// A literal in a JSON string.
    Spelled {
        literal: u32,
        position: u32,
        free: bool,
    },
    /// A text of `min..=max` characters more in a JSON string: what each of them leads from is at `at`.
    Counted {
        body: TermId,
        at: TermId,
        min: u32,
        max: u32,
        free: bool,
    },
    Held {
        head: TermId,
        inner: TermId,
        text: u32,
    },
    /// One of the keys `open`.
    Open(usize),
}

/// A key in its middle that may be any text but a few: what it has read of those matters where it ends, and no term is
/// made before.
#[derive(Clone, Copy)]
struct Open {
    head: TermId,
    text: u32,
    /// The key as if it might be any text.
    near: TermId,
    excluded: [Rest; EXCLUDED],
}

/// What is named, and what came.
const EXCLUDED: usize = 2;

/// What may follow in some texts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    Nothing,
    Term(TermId),
    Literal { literal: u32, position: u32 },
    Words { set: u32, low: u32, high: u32, depth: u32 },
    Keys(u32),
}

type Cursors = SmallVec<[(Cursor, FrameId); 4]>;
type Opens = SmallVec<[Open; 1]>;

impl Machine {
    /// The position after some bytes.
    pub(crate) fn read(&mut self, id: PositionId, bytes: &[u8]) -> Result<PositionId> {
        if bytes.is_empty() {
            return Ok(id);
        }
        let position = self.position(id).clone();
        if position.register != Register::Closed {
            return self.read_items(id, bytes);
        }
        let (mut cursors, mut open) = (Cursors::new(), Opens::new());
        self.set_out(&position, &mut cursors, &mut open)?;
        let mut after = None;
        for (at, &byte) in bytes.iter().enumerate() {
            self.arena.spend(1)?;
            let (mut kept, mut ended) = (0, false);
            for place in 0..cursors.len() {
                let (cursor, frame) = cursors[place];
                if let Some(next) = self.arena.follow(cursor, byte, &mut open)? {
                    ended |= self.arena.may_end(next);
                    cursors[kept] = (next, frame);
                    kept += 1;
                }
            }
            cursors.truncate(kept);
            after = None;
            if ended {
                let position = self.settled(&cursors, &open)?;
                if position.register != Register::Closed {
                    let id = self.intern(position);
                    return self.read_items(id, &bytes[at + 1..]);
                }
                self.set_out(&position, &mut cursors, &mut open)?;
                after = Some(position);
            } else if cursors.is_empty() {
                return Ok(DEAD);
            }
        }
        let after = match after {
            Some(after) => after,
            None => self.settled(&cursors, &open)?,
        };
        Ok(self.intern(after))
    }

    /// The same where items are open that must differ: at every byte it matters whether they still can.
    fn read_items(&mut self, mut id: PositionId, bytes: &[u8]) -> Result<PositionId> {
        for (at, &byte) in bytes.iter().enumerate() {
            if self.position(id).register == Register::Closed {
                return self.read(id, &bytes[at..]);
            }
            id = self.step(id, byte)?;
            if id == DEAD {
                break;
            }
        }
        Ok(id)
    }

    fn set_out(&mut self, position: &Position, cursors: &mut Cursors, open: &mut Opens) -> Result<()> {
        cursors.clear();
        open.clear();
        for &(head, frame) in &position.heads {
            cursors.push((self.arena.cursor(head, open)?, frame));
        }
        Ok(())
    }

    fn settled(&mut self, cursors: &Cursors, open: &Opens) -> Result<Position> {
        let mut moved = Items::with_capacity(cursors.len());
        for &(cursor, frame) in cursors {
            moved.push((self.arena.head_of(cursor, open)?, frame));
        }
        self.close_heads(moved, Register::Closed)
    }
}

impl Arena {
    fn cursor(&mut self, head: TermId, open: &mut Opens) -> Result<Cursor> {
        Ok(match *self.term(head) {
            Term::Literal { literal, position } => Cursor::Literal { literal, position },
            Term::Words { set, low, high, depth } => Cursor::Words { set, low, high, depth },
            Term::KeyNamed { object, state, low, high, depth } => Cursor::Named { object, state, low, high, depth },
            Term::KeyExtra { inner, text: Text::Known(text), .. } => self.holding(head, inner, text, open)?,
            Term::Quoted { text, state: Spelling::Body, free } => match *self.term(text) {
                Term::Literal { literal, position } => Cursor::Spelled { literal, position, free },
                // However many of its characters are left, some text has as many.
                Term::Bounded { body, min, max } if self.info(body).nullable => {
                    Cursor::Counted { body, at: body, min, max, free }
                }
                _ => Cursor::Head(head),
            },
            _ => Cursor::Head(head),
        })
    }

    fn holding(&mut self, head: TermId, inner: TermId, text: u32, open: &mut Opens) -> Result<Cursor> {
        let Some((near, excluded)) = self.near(inner)? else { return Ok(Cursor::Held { head, inner, text }) };
        open.push(Open { head, text, near, excluded });
        Ok(Cursor::Open(open.len() - 1))
    }

    /// A string in its middle without what is excluded from it, and that.
    fn near(&mut self, inner: TermId) -> Result<Option<(TermId, [Rest; EXCLUDED])>> {
        let Term::Quoted { text, state: Spelling::Body, free } = *self.term(inner) else { return Ok(None) };
        let Term::And(parts) = self.term(text) else { return Ok(None) };
        let (mut kept, mut excluded, mut count) = (None, [Rest::Nothing; EXCLUDED], 0);
        for &part in parts.iter() {
            match *self.term(part) {
                Term::Not(inner) if count < EXCLUDED && (inner == EPSILON || self.is_finite(inner)) => {
                    excluded[count] = self.rest(inner);
                    count += 1;
                }
                // So many go on from anywhere that none is left without an end because those few are missing.
                _ if kept.is_none() && self.has_all_longer_lengths(part) => kept = Some(part),
                _ => return Ok(None),
            }
        }
        let Some(kept) = kept else { return Ok(None) };
        Ok(Some((self.quoted_state(kept, Spelling::Body, free)?, excluded)))
    }

    /// The string with what is excluded from it.
    fn excluding_rests(&mut self, near: TermId, excluded: [Rest; EXCLUDED]) -> Result<TermId> {
        let Term::Quoted { text, state, free } = *self.term(near) else { return Ok(near) };
        let mut parts: Parts = smallvec![text];
        for rest in excluded.into_iter().filter(|&rest| rest != Rest::Nothing) {
            let inner = self.rest_term(rest)?;
            parts.push(self.not_unchecked(inner)?);
        }
        if parts.len() == 1 {
            return Ok(near);
        }
        let text = self.and_unchecked(parts)?;
        self.quoted_state(text, state, free)
    }

    fn head_of(&mut self, cursor: Cursor, open: &Opens) -> Result<TermId> {
        match cursor {
            Cursor::Head(head) => Ok(head),
            Cursor::Literal { literal, position } => self.literal_rest(literal, position),
            Cursor::Words { set, low, high, depth } => self.words_rest(set, low, high, depth),
            Cursor::Named { object, state, low, high, depth } => self.key_named(object, state, low, high, depth),
            Cursor::Spelled { literal, position, free } => {
                let text = self.literal_rest(literal, position)?;
                self.quoted_state(text, Spelling::Body, free)
            }
            Cursor::Counted { at, min, max, free, .. } => {
                let text = self.bounded(at, min, max)?;
                self.quoted_state(text, Spelling::Body, free)
            }
            Cursor::Held { head, inner, text } => self.replace_open_key(head, inner, Text::Known(text)),
            Cursor::Open(place) => {
                let Open { head, text, near, excluded } = open[place];
                let inner = self.excluding_rests(near, excluded)?;
                self.replace_open_key(head, inner, Text::Known(text))
            }
        }
    }

    /// Whether a text may end here.
    fn may_end(&self, cursor: Cursor) -> bool {
        match cursor {
            Cursor::Head(head) | Cursor::Held { inner: head, .. } => self.info(head).nullable,
            Cursor::Literal { literal, position } => self.terms.literals[literal as usize].len() == position as usize,
            Cursor::Words { set, low, depth, .. } => {
                self.terms.word_sets[set as usize].words[low as usize].len() == depth as usize
            }
            Cursor::Named { .. } | Cursor::Spelled { .. } | Cursor::Counted { .. } | Cursor::Open(_) => false,
        }
    }

    fn follow(&mut self, cursor: Cursor, byte: u8, open: &mut Opens) -> Result<Option<Cursor>> {
        Ok(match cursor {
            Cursor::Head(head) => match self.derive(head, byte)? {
                EMPTY => None,
                // Where a string begins, what is in it may be spelled out or counted.
                next if byte == b'"' => Some(self.cursor(next, open)?),
                next => Some(Cursor::Head(next)),
            },
            Cursor::Literal { literal, position } => (self.terms.literals[literal as usize].get(position as usize)
                == Some(&byte))
            .then_some(Cursor::Literal { literal, position: position + 1 }),
            Cursor::Words { set, low, high, depth } => {
                let (low, high) = narrow(&self.terms.word_sets[set as usize].words, low, high, depth, byte);
                (low < high).then_some(Cursor::Words { set, low, high, depth: depth + 1 })
            }
            Cursor::Named { object, state, low, high, depth } => {
                match self.narrow_key(object, state, low, high, depth, byte)? {
                    None => None,
                    Some(Narrowed::Done(property)) => Some(Cursor::Head(self.key_done(object, state, property)?)),
                    Some(Narrowed::Named { low, high }) => {
                        Some(Cursor::Named { object, state, low, high, depth: depth + 1 })
                    }
                }
            }
            Cursor::Spelled { literal, position, free } => {
                if is_unescaped(byte) && self.terms.literals[literal as usize].get(position as usize) == Some(&byte) {
                    return Ok(Some(Cursor::Spelled { literal, position: position + 1, free }));
                }
                return self.follow_term(cursor, byte, open);
            }
            Cursor::Counted { body, at, min, max, free } => {
                if is_unescaped(byte) && (max > 0 || !is_lead(byte)) {
                    let next = self.derive(at, byte)?;
                    // In the middle of a character of any text nothing but that character is open.
                    if next == body || next != EMPTY && Some(body) == self.any_text {
                        let read = u32::from(is_lead(byte));
                        let max = if max == MANY { MANY } else { max - read };
                        return Ok(Some(Cursor::Counted { body, at: next, min: min.saturating_sub(read), max, free }));
                    }
                }
                return self.follow_term(cursor, byte, open);
            }
            Cursor::Held { head, inner, text } => match self.derive(inner, byte)? {
                EMPTY => None,
                inner => {
                    let text = self.text_after(text, byte);
                    Some(match byte {
                        b'"' => self.holding(head, inner, text, open)?,
                        _ => Cursor::Held { head, inner, text },
                    })
                }
            },
            Cursor::Open(place) => {
                let Open { head, text, near, excluded } = open[place];
                if !is_unescaped(byte) {
                    let inner = self.excluding_rests(near, excluded)?;
                    return self.follow(Cursor::Held { head, inner, text }, byte, open);
                }
                match self.derive(near, byte)? {
                    EMPTY => None,
                    near => {
                        let text = self.text_after(text, byte);
                        let [one, other] = excluded;
                        let excluded = [self.rest_after(one, byte)?, self.rest_after(other, byte)?];
                        open[place] = Open { head, text, near, excluded };
                        Some(cursor)
                    }
                }
            }
        })
    }

    /// The same by way of the term that the cursor stands for.
    fn follow_term(&mut self, cursor: Cursor, byte: u8, open: &mut Opens) -> Result<Option<Cursor>> {
        let head = self.head_of(cursor, open)?;
        Ok(match self.derive(head, byte)? {
            EMPTY => None,
            next => Some(self.cursor(next, open)?),
        })
    }

    fn rest(&self, id: TermId) -> Rest {
        match *self.term(id) {
            Term::Empty => Rest::Nothing,
            Term::Literal { literal, position } => Rest::Literal { literal, position },
            Term::Words { set, low, high, depth } => Rest::Words { set, low, high, depth },
            Term::Keys(set) => Rest::Keys(set),
            _ => Rest::Term(id),
        }
    }

    fn rest_term(&mut self, rest: Rest) -> Result<TermId> {
        match rest {
            Rest::Nothing => Ok(EMPTY),
            Rest::Term(id) => Ok(id),
            Rest::Literal { literal, position } => self.literal_rest(literal, position),
            Rest::Words { set, low, high, depth } => self.words_rest(set, low, high, depth),
            Rest::Keys(set) => self.key_set(set),
        }
    }

    fn rest_after(&mut self, rest: Rest, byte: u8) -> Result<Rest> {
        Ok(match rest {
            Rest::Nothing => Rest::Nothing,
            Rest::Term(id) => {
                let next = self.derive(id, byte)?;
                self.rest(next)
            }
            Rest::Literal { literal, position } => {
                match self.terms.literals[literal as usize].get(position as usize) == Some(&byte) {
                    true => Rest::Literal { literal, position: position + 1 },
                    false => Rest::Nothing,
                }
            }
            Rest::Words { set, low, high, depth } => {
                match narrow(&self.terms.word_sets[set as usize].words, low, high, depth, byte) {
                    (low, high) if low < high => Rest::Words { set, low, high, depth: depth + 1 },
                    _ => Rest::Nothing,
                }
            }
            Rest::Keys(set) => match self.registers.keys.child(set, byte) {
                NO_KEYS => Rest::Nothing,
                rest => Rest::Keys(rest),
            },
        })
    }
}

//! A position × a text → the position after it, without one for each byte between: what is written is read once, and
//! where it has been is seldom asked for.

use crate::derive::narrow;
use crate::error::Result;
use crate::machine::{FrameId, Machine, Position, PositionId, DEAD};
use crate::object::Narrowed;
use crate::term::{Arena, Term, TermId, Text, EMPTY};
use crate::unique::Register;
use smallvec::SmallVec;

/// A head on its way: those that are spelled, or hold what they read, are terms again only where they stop.
#[derive(Clone, Copy)]
enum Cursor {
    Head(TermId),
    Literal { literal: u32, position: u32 },
    Words { set: u32, low: u32, high: u32, depth: u32 },
    Named { object: u32, state: u32, low: u32, high: u32, depth: u32 },
    Held { head: TermId, inner: TermId, text: u32 },
}

type Cursors = SmallVec<[(Cursor, FrameId); 4]>;

impl Machine {
    /// The position after some bytes.
    pub(crate) fn read(&mut self, mut id: PositionId, bytes: &[u8]) -> Result<PositionId> {
        // Of items that must differ it matters at every byte whether they still can.
        if bytes.len() < 2 || !self.arena.uniques.is_empty() {
            for &byte in bytes {
                id = self.step(id, byte)?;
                if id == DEAD {
                    break;
                }
            }
            return Ok(id);
        }
        let position = self.position(id).clone();
        let mut cursors: Cursors =
            position.heads.iter().map(|&(head, frame)| (self.arena.cursor(head), frame)).collect();
        let mut after = None;
        for &byte in bytes {
            self.arena.spend(1)?;
            let (mut kept, mut ended) = (0, false);
            for at in 0..cursors.len() {
                let (cursor, frame) = cursors[at];
                if let Some(next) = self.arena.follow(cursor, byte)? {
                    ended |= self.arena.may_end(next);
                    cursors[kept] = (next, frame);
                    kept += 1;
                }
            }
            cursors.truncate(kept);
            after = None;
            if ended {
                let position = self.settled(&cursors)?;
                cursors.clear();
                cursors.extend(position.heads.iter().map(|&(head, frame)| (self.arena.cursor(head), frame)));
                after = Some(position);
            } else if cursors.is_empty() {
                return Ok(DEAD);
            }
        }
        let after = match after {
            Some(after) => after,
            None => self.settled(&cursors)?,
        };
        Ok(self.intern(after))
    }

    fn settled(&mut self, cursors: &Cursors) -> Result<Position> {
        let mut moved = Vec::with_capacity(cursors.len());
        for &(cursor, frame) in cursors {
            moved.push((self.arena.head_of(cursor)?, frame));
        }
        self.settle(moved, Register::Closed)
    }
}

impl Arena {
    fn cursor(&self, head: TermId) -> Cursor {
        match *self.term(head) {
            Term::Literal { literal, position } => Cursor::Literal { literal, position },
            Term::Words { set, low, high, depth } => Cursor::Words { set, low, high, depth },
            Term::KeyNamed { object, state, low, high, depth } => Cursor::Named { object, state, low, high, depth },
            Term::KeyExtra { inner, text: Text::Known(text), .. }
            | Term::Item { inner, text: Text::Known(text), .. } => Cursor::Held { head, inner, text },
            _ => Cursor::Head(head),
        }
    }

    fn head_of(&mut self, cursor: Cursor) -> Result<TermId> {
        match cursor {
            Cursor::Head(head) => Ok(head),
            Cursor::Literal { literal, position } => self.literal_rest(literal, position),
            Cursor::Words { set, low, high, depth } => self.words_rest(set, low, high, depth),
            Cursor::Named { object, state, low, high, depth } => self.key_named(object, state, low, high, depth),
            Cursor::Held { head, inner, text } => self.rehold(head, inner, Text::Known(text)),
        }
    }

    /// Whether a text may end here.
    fn may_end(&self, cursor: Cursor) -> bool {
        match cursor {
            Cursor::Head(head) | Cursor::Held { inner: head, .. } => self.info(head).nullable,
            Cursor::Literal { literal, position } => self.literals[literal as usize].len() == position as usize,
            Cursor::Words { set, low, depth, .. } => {
                self.word_sets[set as usize].words[low as usize].len() == depth as usize
            }
            Cursor::Named { .. } => false,
        }
    }

    fn follow(&mut self, cursor: Cursor, byte: u8) -> Result<Option<Cursor>> {
        Ok(match cursor {
            Cursor::Head(head) => Some(self.derive(head, byte)?).filter(|&next| next != EMPTY).map(Cursor::Head),
            Cursor::Literal { literal, position } => (self.literals[literal as usize].get(position as usize)
                == Some(&byte))
            .then_some(Cursor::Literal { literal, position: position + 1 }),
            Cursor::Words { set, low, high, depth } => {
                let (low, high) = narrow(&self.word_sets[set as usize].words, low, high, depth, byte);
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
            Cursor::Held { head, inner, text } => match self.derive(inner, byte)? {
                EMPTY => None,
                inner => Some(Cursor::Held { head, inner, text: self.text_after(text, byte) }),
            },
        })
    }
}

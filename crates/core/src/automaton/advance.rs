//! Position × text → the position after the text, without interning a position for every byte between.
//!
//! Long texts pass through positions that nobody asks for again. This file tracks their heads as plain cursors instead
//! of terms.

use crate::automaton::copies::Copies;
use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::automaton::position::{Items, Position, PositionId, Register, DEAD};
use crate::bytes::utf8::is_lead;
use crate::bytes::utf8::is_unescaped;
use crate::error::Result;
use crate::json::arena::Arena;
use crate::json::object::Narrowed;
use crate::regular::derivative::narrow;
use crate::regular::id::{LiteralId, ObjectId, ObjectStateId, TextId, WordSetId};
use crate::regular::term::{Escapes, Spelling, Term, TermId, Text, EMPTY, MANY};
use smallvec::SmallVec;

/// A head in motion. Literals and held texts become terms again only where the text stops.
#[derive(Clone, Copy)]
enum HeadCursor {
    Head(TermId),
    Literal {
        literal: LiteralId,
        position: u32,
    },
    Words {
        set: WordSetId,
        low: u32,
        high: u32,
        depth: u32,
    },
    Named {
        object: ObjectId,
        state: ObjectStateId,
        low: u32,
        high: u32,
        depth: u32,
    },
    /// A literal inside a JSON string.
    QuotedLiteral {
        literal: LiteralId,
        position: u32,
        free: bool,
    },
    /// Words inside a JSON string.
    QuotedWords {
        set: WordSetId,
        low: u32,
        high: u32,
        depth: u32,
        free: bool,
    },
    /// A string body of `min..=max` more characters. `at` is the derivative inside the current character of `body`.
    QuotedBounded {
        body: TermId,
        at: TermId,
        min: u32,
        max: u32,
        free: bool,
    },
    /// Counted copies; inside a JSON string if `quoted` says whether any escapes are allowed.
    Copies {
        copies: Copies,
        quoted: Option<bool>,
    },
    Held {
        head: TermId,
        inner: TermId,
        text: TextId,
    },
}

type HeadCursors = SmallVec<[(HeadCursor, FrameId); 4]>;

impl Machine {
    /// The position after some bytes; `DEAD` if no text begins so.
    pub(crate) fn read(&mut self, mut id: PositionId, bytes: &[u8]) -> Result<PositionId> {
        let mut rest = bytes;
        while let [byte, after @ ..] = rest {
            if id == DEAD {
                break;
            }
            if self.position(id).register == Register::Closed {
                (id, rest) = self.read_closed(id, rest)?;
            } else {
                // While unique items are open, every byte may decide whether an item can still differ.
                (id, rest) = (self.step(id, *byte)?, after);
            }
        }
        Ok(id)
    }

    /// Reads bytes until an item that must be unique opens: the position there, and the bytes that are left.
    fn read_closed<'a>(&mut self, id: PositionId, bytes: &'a [u8]) -> Result<(PositionId, &'a [u8])> {
        let position = self.position(id).clone();
        let mut cursors = HeadCursors::new();
        self.start_cursors(&position, &mut cursors);
        let mut after = None;
        for (at, &byte) in bytes.iter().enumerate() {
            self.arena.spend(1)?;
            let (mut kept, mut ended) = (0, false);
            for place in 0..cursors.len() {
                let (cursor, frame) = cursors[place];
                if let Some(next) = cursor.advance(&mut self.arena, byte)? {
                    ended |= next.can_end(&self.arena);
                    cursors[kept] = (next, frame);
                    kept += 1;
                }
            }
            cursors.truncate(kept);
            after = None;
            if ended {
                let position = self.close_cursors(&cursors)?;
                if position.register != Register::Closed {
                    return Ok((self.intern(position), &bytes[at + 1..]));
                }
                self.start_cursors(&position, &mut cursors);
                after = Some(position);
            } else if cursors.is_empty() {
                return Ok((DEAD, &[]));
            }
        }
        let after = match after {
            Some(after) => after,
            None => self.close_cursors(&cursors)?,
        };
        Ok((self.intern(after), &[]))
    }

    fn start_cursors(&self, position: &Position, cursors: &mut HeadCursors) {
        cursors.clear();
        for &(head, frame) in &position.heads {
            cursors.push((HeadCursor::of(&self.arena, head), frame));
        }
    }

    fn close_cursors(&mut self, cursors: &HeadCursors) -> Result<Position> {
        let mut moved = Items::with_capacity(cursors.len());
        for &(cursor, frame) in cursors {
            moved.push((cursor.head(&mut self.arena)?, frame));
        }
        self.close_heads(moved, Register::Closed)
    }
}

impl HeadCursor {
    /// The cursor of a head.
    fn of(arena: &Arena, head: TermId) -> Self {
        match *arena.term(head) {
            Term::Literal { literal, position } => HeadCursor::Literal { literal, position },
            Term::Words { set, low, high, depth } => HeadCursor::Words { set, low, high, depth },
            Term::KeyNamed { object, state, low, high, depth } => HeadCursor::Named { object, state, low, high, depth },
            Term::KeyExtra { inner, text: Text::Known(text), .. } => HeadCursor::Held { head, inner, text },
            Term::Quoted { text, state: Spelling::Body, escapes: Escapes { free, escaped: EMPTY } } => {
                match *arena.term(text) {
                    Term::Literal { literal, position } => HeadCursor::QuotedLiteral { literal, position, free },
                    Term::Words { set, low, high, depth } => HeadCursor::QuotedWords { set, low, high, depth, free },
                    // A nullable body always has texts of the remaining length, so no emptiness check is due.
                    Term::Bounded { body, min, max } if arena.info(body).nullable => {
                        HeadCursor::QuotedBounded { body, at: body, min, max, free }
                    }
                    _ => match Copies::of(arena, text) {
                        Some(copies) => HeadCursor::Copies { copies, quoted: Some(free) },
                        None => HeadCursor::Head(head),
                    },
                }
            }
            Term::Repeat { .. } | Term::Cat(..) => match Copies::of(arena, head) {
                Some(copies) => HeadCursor::Copies { copies, quoted: None },
                None => HeadCursor::Head(head),
            },
            _ => HeadCursor::Head(head),
        }
    }

    /// The term of the head from here on.
    fn head(self, arena: &mut Arena) -> Result<TermId> {
        match self {
            HeadCursor::Head(head) => Ok(head),
            HeadCursor::Literal { literal, position } => arena.literal_rest(literal, position),
            HeadCursor::Words { set, low, high, depth } => arena.words_rest(set, low, high, depth),
            HeadCursor::Named { object, state, low, high, depth } => arena.key_named(object, state, low, high, depth),
            HeadCursor::QuotedLiteral { literal, position, free } => {
                let text = arena.literal_rest(literal, position)?;
                arena.quoted_state(text, Spelling::Body, free)
            }
            HeadCursor::QuotedWords { set, low, high, depth, free } => {
                let text = arena.words_rest(set, low, high, depth)?;
                arena.quoted_state(text, Spelling::Body, free)
            }
            HeadCursor::QuotedBounded { at, min, max, free, .. } => {
                let text = arena.bounded(at, min, max)?;
                arena.quoted_state(text, Spelling::Body, free)
            }
            HeadCursor::Copies { copies, quoted } => {
                let text = copies.rest(arena)?;
                match quoted {
                    Some(free) => arena.quoted_state(text, Spelling::Body, free),
                    None => Ok(text),
                }
            }
            HeadCursor::Held { head, inner, text } => arena.replace_open_key(head, inner, Text::Known(text)),
        }
    }

    /// Whether the cursor may be at the end of its head.
    fn can_end(self, arena: &Arena) -> bool {
        match self {
            HeadCursor::Head(head) | HeadCursor::Held { inner: head, .. } => arena.info(head).nullable,
            HeadCursor::Literal { literal, position } => {
                arena.terms.literals[literal.index()].len() == position as usize
            }
            HeadCursor::Words { set, low, depth, .. } => {
                arena.terms.word_sets[set.index()].words[low as usize].len() == depth as usize
            }
            HeadCursor::Copies { copies, quoted } => quoted.is_none() && copies.can_end(arena),
            HeadCursor::Named { .. }
            | HeadCursor::QuotedLiteral { .. }
            | HeadCursor::QuotedWords { .. }
            | HeadCursor::QuotedBounded { .. } => false,
        }
    }

    /// The cursor after a byte; None if no text goes on so.
    fn advance(self, arena: &mut Arena, byte: u8) -> Result<Option<Self>> {
        Ok(match self {
            HeadCursor::Head(head) => match arena.derive(head, byte)? {
                EMPTY => None,
                // The body of a string may be a literal or a counted text, which need no terms.
                next if byte == b'"' => Some(HeadCursor::of(arena, next)),
                next => Some(HeadCursor::Head(next)),
            },
            HeadCursor::Literal { literal, position } => (arena.terms.literals[literal.index()].get(position as usize)
                == Some(&byte))
            .then_some(HeadCursor::Literal { literal, position: position + 1 }),
            HeadCursor::Words { set, low, high, depth } => {
                let (low, high) = narrow(&arena.terms.word_sets[set.index()].words, low, high, depth, byte);
                (low < high).then_some(HeadCursor::Words { set, low, high, depth: depth + 1 })
            }
            HeadCursor::Named { object, state, low, high, depth } => {
                match arena.narrow_key(object, state, low, high, depth, byte)? {
                    None => None,
                    Some(Narrowed::Done(property)) => Some(HeadCursor::Head(arena.key_done(object, state, property)?)),
                    Some(Narrowed::Named { low, high }) => {
                        Some(HeadCursor::Named { object, state, low, high, depth: depth + 1 })
                    }
                }
            }
            HeadCursor::QuotedLiteral { literal, position, free } => {
                if is_unescaped(byte) && arena.terms.literals[literal.index()].get(position as usize) == Some(&byte) {
                    return Ok(Some(HeadCursor::QuotedLiteral { literal, position: position + 1, free }));
                }
                return self.advance_term(arena, byte);
            }
            HeadCursor::QuotedWords { set, low, high, depth, free } => {
                if is_unescaped(byte) {
                    let (low, high) = narrow(&arena.terms.word_sets[set.index()].words, low, high, depth, byte);
                    let depth = depth + 1;
                    return Ok((low < high).then_some(HeadCursor::QuotedWords { set, low, high, depth, free }));
                }
                return self.advance_term(arena, byte);
            }
            HeadCursor::QuotedBounded { body, at, min, max, free } => {
                if is_unescaped(byte) && (max > 0 || !is_lead(byte)) {
                    let next = arena.derive(at, byte)?;
                    // Inside a character of any text, only the rest of that character is open.
                    if next == body || next != EMPTY && Some(body) == arena.any_text {
                        let read = u32::from(is_lead(byte));
                        let max = if max == MANY { MANY } else { max - read };
                        return Ok(Some(HeadCursor::QuotedBounded {
                            body,
                            at: next,
                            min: min.saturating_sub(read),
                            max,
                            free,
                        }));
                    }
                }
                return self.advance_term(arena, byte);
            }
            HeadCursor::Copies { copies, quoted } => {
                if quoted.is_none() || is_unescaped(byte) {
                    if let Some(copies) = copies.after(arena, byte)? {
                        return Ok(Some(HeadCursor::Copies { copies, quoted }));
                    }
                }
                return self.advance_term(arena, byte);
            }
            HeadCursor::Held { head, inner, text } => match arena.derive(inner, byte)? {
                EMPTY => None,
                inner => Some(HeadCursor::Held { head, inner, text: arena.text_after(text, byte) }),
            },
        })
    }

    /// Advances by way of the term.
    fn advance_term(self, arena: &mut Arena, byte: u8) -> Result<Option<Self>> {
        let head = self.head(arena)?;
        Ok(match arena.derive(head, byte)? {
            EMPTY => None,
            next => Some(HeadCursor::of(arena, next)),
        })
    }
}

#[cfg(test)]
mod tests;

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
use crate::regular::terms::Terms;
use smallvec::SmallVec;

/// A language in motion. Literals, words and counts become terms again only where the text stops.
#[derive(Clone, Copy)]
enum TextCursor {
    Term(TermId),
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
    /// `min..=max` more characters. `at` is the derivative inside the current character of `body`.
    Bounded {
        body: TermId,
        at: TermId,
        min: u32,
        max: u32,
    },
    Copies(Copies),
}

/// A head in motion. The text of an open key becomes a term again only where the text stops.
#[derive(Clone, Copy)]
enum HeadCursor {
    Plain(TextCursor),
    /// Inside a JSON string of this text; with any escapes if `free`.
    Quoted {
        text: TextCursor,
        free: bool,
    },
    Named {
        object: ObjectId,
        state: ObjectStateId,
        low: u32,
        high: u32,
        depth: u32,
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

impl TextCursor {
    /// The cursor of a language.
    fn of(terms: &Terms, text: TermId) -> Self {
        match *terms.term(text) {
            Term::Literal { literal, position } => TextCursor::Literal { literal, position },
            Term::Words { set, low, high, depth } => TextCursor::Words { set, low, high, depth },
            // A nullable body always has texts of the remaining length, so no emptiness check is due.
            Term::Bounded { body, min, max } if terms.info(body).nullable => {
                TextCursor::Bounded { body, at: body, min, max }
            }
            _ => Copies::of(terms, text).map_or(TextCursor::Term(text), TextCursor::Copies),
        }
    }

    /// The term of the language from here on.
    fn rest(self, terms: &mut Terms) -> Result<TermId> {
        match self {
            TextCursor::Term(text) => Ok(text),
            TextCursor::Literal { literal, position } => terms.literal_rest(literal, position),
            TextCursor::Words { set, low, high, depth } => terms.words_rest(set, low, high, depth),
            TextCursor::Bounded { at, min, max, .. } => terms.bounded(at, min, max),
            TextCursor::Copies(copies) => copies.rest(terms),
        }
    }

    /// Whether the text may end here.
    fn can_end(self, terms: &Terms) -> bool {
        match self {
            TextCursor::Term(text) => terms.info(text).nullable,
            TextCursor::Literal { literal, position } => terms.literals[literal.index()].len() == position as usize,
            TextCursor::Words { set, low, depth, .. } => {
                terms.word_sets[set.index()].words[low as usize].len() == depth as usize
            }
            TextCursor::Bounded { at, min, .. } => min == 0 && terms.info(at).nullable,
            TextCursor::Copies(copies) => copies.can_end(terms),
        }
    }

    /// The cursor after a byte: `EMPTY` if no text goes on so, None if only the term tells.
    fn after(self, arena: &mut Arena, byte: u8) -> Result<Option<Self>> {
        const DEAD_END: TextCursor = TextCursor::Term(EMPTY);
        Ok(match self {
            TextCursor::Term(text) => Some(TextCursor::Term(arena.derive(text, byte)?)),
            TextCursor::Literal { literal, position } => {
                let goes_on = arena.terms.literals[literal.index()].get(position as usize) == Some(&byte);
                Some(if goes_on { TextCursor::Literal { literal, position: position + 1 } } else { DEAD_END })
            }
            TextCursor::Words { set, low, high, depth } => {
                let (low, high) = narrow(&arena.terms.word_sets[set.index()].words, low, high, depth, byte);
                Some(if low < high { TextCursor::Words { set, low, high, depth: depth + 1 } } else { DEAD_END })
            }
            TextCursor::Bounded { body, at, min, max } => {
                if max == 0 && is_lead(byte) {
                    return Ok(Some(DEAD_END));
                }
                let next = arena.derive(at, byte)?;
                // Inside a character of any text, only the rest of that character is open.
                let is_known = next == body || next != EMPTY && Some(body) == arena.any_text;
                let read = u32::from(is_lead(byte));
                let max = if max == MANY { MANY } else { max - read };
                is_known.then_some(TextCursor::Bounded { body, at: next, min: min.saturating_sub(read), max })
            }
            TextCursor::Copies(copies) => copies.after(arena, byte)?.map(TextCursor::Copies),
        })
    }
}

impl HeadCursor {
    /// The cursor of a head.
    fn of(arena: &Arena, head: TermId) -> Self {
        match *arena.term(head) {
            Term::KeyNamed { object, state, low, high, depth } => HeadCursor::Named { object, state, low, high, depth },
            Term::KeyExtra { inner, text: Text::Known(text), .. } => HeadCursor::Held { head, inner, text },
            Term::Quoted { text, state: Spelling::Body, escapes: Escapes { free, escaped: EMPTY } } => {
                match TextCursor::of(arena, text) {
                    TextCursor::Term(_) => HeadCursor::Plain(TextCursor::Term(head)),
                    text => HeadCursor::Quoted { text, free },
                }
            }
            _ => HeadCursor::Plain(TextCursor::of(arena, head)),
        }
    }

    /// The term of the head from here on.
    fn head(self, arena: &mut Arena) -> Result<TermId> {
        match self {
            HeadCursor::Plain(text) => text.rest(arena),
            HeadCursor::Quoted { text, free } => {
                let text = text.rest(arena)?;
                arena.quoted_state(text, Spelling::Body, free)
            }
            HeadCursor::Named { object, state, low, high, depth } => arena.key_named(object, state, low, high, depth),
            HeadCursor::Held { head, inner, text } => arena.replace_open_key(head, inner, Text::Known(text)),
        }
    }

    /// Whether the cursor may be at the end of its head.
    fn can_end(self, arena: &Arena) -> bool {
        match self {
            HeadCursor::Plain(text) => text.can_end(arena),
            HeadCursor::Held { inner, .. } => arena.info(inner).nullable,
            HeadCursor::Named { .. } | HeadCursor::Quoted { .. } => false,
        }
    }

    /// The cursor after a byte; None if no text goes on so.
    fn advance(self, arena: &mut Arena, byte: u8) -> Result<Option<Self>> {
        let next = match self {
            HeadCursor::Plain(text) => text.after(arena, byte)?.map(HeadCursor::Plain),
            HeadCursor::Quoted { text, free } if is_unescaped(byte) => {
                text.after(arena, byte)?.map(|text| HeadCursor::Quoted { text, free })
            }
            HeadCursor::Quoted { .. } => None,
            HeadCursor::Named { object, state, low, high, depth } => {
                match arena.narrow_key(object, state, low, high, depth, byte)? {
                    None => return Ok(None),
                    Some(Narrowed::Done(property)) => {
                        Some(HeadCursor::Plain(TextCursor::Term(arena.key_done(object, state, property)?)))
                    }
                    Some(Narrowed::Named { low, high }) => {
                        Some(HeadCursor::Named { object, state, low, high, depth: depth + 1 })
                    }
                }
            }
            HeadCursor::Held { head, inner, text } => match arena.derive(inner, byte)? {
                EMPTY => return Ok(None),
                inner => Some(HeadCursor::Held { head, inner, text: arena.text_after(text, byte) }),
            },
        };
        match next {
            Some(
                HeadCursor::Plain(TextCursor::Term(EMPTY)) | HeadCursor::Quoted { text: TextCursor::Term(EMPTY), .. },
            ) => Ok(None),
            // The body of a string may be a literal or a counted text, which need no terms.
            Some(HeadCursor::Plain(TextCursor::Term(head))) if byte == b'"' => Ok(Some(HeadCursor::of(arena, head))),
            Some(next) => Ok(Some(next)),
            None => {
                let head = self.head(arena)?;
                let next = arena.derive(head, byte)?;
                Ok((next != EMPTY).then(|| HeadCursor::of(arena, next)))
            }
        }
    }
}

#[cfg(test)]
mod tests;

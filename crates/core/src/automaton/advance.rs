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
use crate::json::object::Narrowed;
use crate::regular::arena::Arena;
use crate::regular::derivative::narrow;
use crate::regular::id::{KeySetId, LiteralId, ObjectId, ObjectStateId, TextId, WordSetId};
use crate::regular::key_set::NO_KEYS;
use crate::regular::term::{Escapes, Parts, Spelling, Term, TermId, Text, EMPTY, EPSILON, MANY};
use smallvec::{smallvec, SmallVec};

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
    /// An index into the open keys.
    OpenKey(usize),
}

/// An unfinished key whose language is a simple one minus few texts. Exclusions matter only at its end, so no term is
/// made before.
#[derive(Clone, Copy)]
struct OpenKey {
    head: TermId,
    text: TextId,
    /// The key without its exclusions.
    unrestricted: TermId,
    excluded: [TextRest; MAX_EXCLUSIONS],
}

/// Exclusions of one key: the named keys, and the keys that came.
const MAX_EXCLUSIONS: usize = 2;

/// A regular language that is tracked by position where it is a literal or a set of words.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextRest {
    Nothing,
    Term(TermId),
    Literal { literal: LiteralId, position: u32 },
    Words { set: WordSetId, low: u32, high: u32, depth: u32 },
    Keys(KeySetId),
}

type HeadCursors = SmallVec<[(HeadCursor, FrameId); 4]>;
type OpenKeys = SmallVec<[OpenKey; 1]>;

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
        let (mut cursors, mut open_keys) = (HeadCursors::new(), OpenKeys::new());
        self.start_cursors(&position, &mut cursors, &mut open_keys)?;
        let mut after = None;
        for (at, &byte) in bytes.iter().enumerate() {
            self.arena.spend(1)?;
            let (mut kept, mut ended) = (0, false);
            for place in 0..cursors.len() {
                let (cursor, frame) = cursors[place];
                if let Some(next) = self.arena.advance_cursor(cursor, byte, &mut open_keys)? {
                    ended |= self.arena.can_end(next);
                    cursors[kept] = (next, frame);
                    kept += 1;
                }
            }
            cursors.truncate(kept);
            after = None;
            if ended {
                let position = self.close_cursors(&cursors, &open_keys)?;
                if position.register != Register::Closed {
                    return Ok((self.intern(position), &bytes[at + 1..]));
                }
                self.start_cursors(&position, &mut cursors, &mut open_keys)?;
                after = Some(position);
            } else if cursors.is_empty() {
                return Ok((DEAD, &[]));
            }
        }
        let after = match after {
            Some(after) => after,
            None => self.close_cursors(&cursors, &open_keys)?,
        };
        Ok((self.intern(after), &[]))
    }

    fn start_cursors(
        &mut self,
        position: &Position,
        cursors: &mut HeadCursors,
        open_keys: &mut OpenKeys,
    ) -> Result<()> {
        cursors.clear();
        open_keys.clear();
        for &(head, frame) in &position.heads {
            cursors.push((self.arena.head_cursor(head, open_keys)?, frame));
        }
        Ok(())
    }

    fn close_cursors(&mut self, cursors: &HeadCursors, open_keys: &OpenKeys) -> Result<Position> {
        let mut moved = Items::with_capacity(cursors.len());
        for &(cursor, frame) in cursors {
            moved.push((self.arena.head_of(cursor, open_keys)?, frame));
        }
        self.close_heads(moved, Register::Closed)
    }
}

impl Arena {
    fn head_cursor(&mut self, head: TermId, open_keys: &mut OpenKeys) -> Result<HeadCursor> {
        Ok(match *self.term(head) {
            Term::Literal { literal, position } => HeadCursor::Literal { literal, position },
            Term::Words { set, low, high, depth } => HeadCursor::Words { set, low, high, depth },
            Term::KeyNamed { object, state, low, high, depth } => HeadCursor::Named { object, state, low, high, depth },
            Term::KeyExtra { inner, text: Text::Known(text), .. } => {
                self.open_key_cursor(head, inner, text, open_keys)?
            }
            Term::Quoted { text, state: Spelling::Body, escapes: Escapes { free, escaped: EMPTY } } => {
                match *self.term(text) {
                    Term::Literal { literal, position } => HeadCursor::QuotedLiteral { literal, position, free },
                    Term::Words { set, low, high, depth } => HeadCursor::QuotedWords { set, low, high, depth, free },
                    // A nullable body always has texts of the remaining length, so no emptiness check is due.
                    Term::Bounded { body, min, max } if self.info(body).nullable => {
                        HeadCursor::QuotedBounded { body, at: body, min, max, free }
                    }
                    _ => match self.copies_of(text) {
                        Some(copies) => HeadCursor::Copies { copies, quoted: Some(free) },
                        None => HeadCursor::Head(head),
                    },
                }
            }
            Term::Repeat { .. } | Term::Cat(..) => match self.copies_of(head) {
                Some(copies) => HeadCursor::Copies { copies, quoted: None },
                None => HeadCursor::Head(head),
            },
            _ => HeadCursor::Head(head),
        })
    }

    fn open_key_cursor(
        &mut self,
        head: TermId,
        inner: TermId,
        text: TextId,
        open_keys: &mut OpenKeys,
    ) -> Result<HeadCursor> {
        let Some((unrestricted, excluded)) = self.split_exclusions(inner)? else {
            return Ok(HeadCursor::Held { head, inner, text });
        };
        open_keys.push(OpenKey { head, text, unrestricted, excluded });
        Ok(HeadCursor::OpenKey(open_keys.len() - 1))
    }

    /// Splits an unfinished string into its language without exclusions, and the exclusions; None if it has another
    /// form.
    fn split_exclusions(&mut self, inner: TermId) -> Result<Option<(TermId, [TextRest; MAX_EXCLUSIONS])>> {
        let Term::Quoted { text, state: Spelling::Body, escapes } = *self.term(inner) else { return Ok(None) };
        let Term::And(parts) = self.term(text) else { return Ok(None) };
        let (mut kept, mut excluded, mut count) = (None, [TextRest::Nothing; MAX_EXCLUSIONS], 0);
        for &part in parts.iter() {
            match *self.term(part) {
                Term::Not(inner) if count < MAX_EXCLUSIONS && (inner == EPSILON || self.terms.is_finite(inner)) => {
                    excluded[count] = self.rest(inner);
                    count += 1;
                }
                // `goes_on` languages stay infinite after every byte, so few exclusions never make them empty.
                _ if kept.is_none() && self.terms.has_all_longer_lengths(part) => kept = Some(part),
                _ => return Ok(None),
            }
        }
        let Some(kept) = kept else { return Ok(None) };
        Ok(Some((self.quoted_state(kept, Spelling::Body, escapes)?, excluded)))
    }

    /// The string `unrestricted` minus the exclusions.
    fn excluding_rests(&mut self, unrestricted: TermId, excluded: [TextRest; MAX_EXCLUSIONS]) -> Result<TermId> {
        let Term::Quoted { text, state, escapes } = *self.term(unrestricted) else { return Ok(unrestricted) };
        let mut parts: Parts = smallvec![text];
        for rest in excluded.into_iter().filter(|&rest| rest != TextRest::Nothing) {
            let inner = self.rest_term(rest)?;
            parts.push(self.not_unchecked(inner)?);
        }
        if parts.len() == 1 {
            return Ok(unrestricted);
        }
        let text = self.and_unchecked(parts)?;
        self.quoted_state(text, state, escapes)
    }

    fn head_of(&mut self, cursor: HeadCursor, open_keys: &OpenKeys) -> Result<TermId> {
        match cursor {
            HeadCursor::Head(head) => Ok(head),
            HeadCursor::Literal { literal, position } => self.literal_rest(literal, position),
            HeadCursor::Words { set, low, high, depth } => self.words_rest(set, low, high, depth),
            HeadCursor::Named { object, state, low, high, depth } => self.key_named(object, state, low, high, depth),
            HeadCursor::QuotedLiteral { literal, position, free } => {
                let text = self.literal_rest(literal, position)?;
                self.quoted_state(text, Spelling::Body, free)
            }
            HeadCursor::QuotedWords { set, low, high, depth, free } => {
                let text = self.words_rest(set, low, high, depth)?;
                self.quoted_state(text, Spelling::Body, free)
            }
            HeadCursor::QuotedBounded { at, min, max, free, .. } => {
                let text = self.bounded(at, min, max)?;
                self.quoted_state(text, Spelling::Body, free)
            }
            HeadCursor::Copies { copies, quoted } => {
                let text = self.copies_rest(copies)?;
                match quoted {
                    Some(free) => self.quoted_state(text, Spelling::Body, free),
                    None => Ok(text),
                }
            }
            HeadCursor::Held { head, inner, text } => self.replace_open_key(head, inner, Text::Known(text)),
            HeadCursor::OpenKey(place) => {
                let OpenKey { head, text, unrestricted, excluded } = open_keys[place];
                let inner = self.excluding_rests(unrestricted, excluded)?;
                self.replace_open_key(head, inner, Text::Known(text))
            }
        }
    }

    /// Whether the cursor may be at the end of its head.
    fn can_end(&self, cursor: HeadCursor) -> bool {
        match cursor {
            HeadCursor::Head(head) | HeadCursor::Held { inner: head, .. } => self.info(head).nullable,
            HeadCursor::Literal { literal, position } => {
                self.terms.literals[literal.index()].len() == position as usize
            }
            HeadCursor::Words { set, low, depth, .. } => {
                self.terms.word_sets[set.index()].words[low as usize].len() == depth as usize
            }
            HeadCursor::Copies { copies, quoted } => quoted.is_none() && self.copies_can_end(copies),
            HeadCursor::Named { .. }
            | HeadCursor::QuotedLiteral { .. }
            | HeadCursor::QuotedWords { .. }
            | HeadCursor::QuotedBounded { .. }
            | HeadCursor::OpenKey(_) => false,
        }
    }

    fn advance_cursor(&mut self, cursor: HeadCursor, byte: u8, open_keys: &mut OpenKeys) -> Result<Option<HeadCursor>> {
        Ok(match cursor {
            HeadCursor::Head(head) => match self.derive(head, byte)? {
                EMPTY => None,
                // The body of a string may be a literal or a counted text, which need no terms.
                next if byte == b'"' => Some(self.head_cursor(next, open_keys)?),
                next => Some(HeadCursor::Head(next)),
            },
            HeadCursor::Literal { literal, position } => (self.terms.literals[literal.index()].get(position as usize)
                == Some(&byte))
            .then_some(HeadCursor::Literal { literal, position: position + 1 }),
            HeadCursor::Words { set, low, high, depth } => {
                let (low, high) = narrow(&self.terms.word_sets[set.index()].words, low, high, depth, byte);
                (low < high).then_some(HeadCursor::Words { set, low, high, depth: depth + 1 })
            }
            HeadCursor::Named { object, state, low, high, depth } => {
                match self.narrow_key(object, state, low, high, depth, byte)? {
                    None => None,
                    Some(Narrowed::Done(property)) => Some(HeadCursor::Head(self.key_done(object, state, property)?)),
                    Some(Narrowed::Named { low, high }) => {
                        Some(HeadCursor::Named { object, state, low, high, depth: depth + 1 })
                    }
                }
            }
            HeadCursor::QuotedLiteral { literal, position, free } => {
                if is_unescaped(byte) && self.terms.literals[literal.index()].get(position as usize) == Some(&byte) {
                    return Ok(Some(HeadCursor::QuotedLiteral { literal, position: position + 1, free }));
                }
                return self.advance_term(cursor, byte, open_keys);
            }
            HeadCursor::QuotedWords { set, low, high, depth, free } => {
                if is_unescaped(byte) {
                    let (low, high) = narrow(&self.terms.word_sets[set.index()].words, low, high, depth, byte);
                    let depth = depth + 1;
                    return Ok((low < high).then_some(HeadCursor::QuotedWords { set, low, high, depth, free }));
                }
                return self.advance_term(cursor, byte, open_keys);
            }
            HeadCursor::QuotedBounded { body, at, min, max, free } => {
                if is_unescaped(byte) && (max > 0 || !is_lead(byte)) {
                    let next = self.derive(at, byte)?;
                    // Inside a character of any text, only the rest of that character is open.
                    if next == body || next != EMPTY && Some(body) == self.any_text {
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
                return self.advance_term(cursor, byte, open_keys);
            }
            HeadCursor::Copies { copies, quoted } => {
                if quoted.is_none() || is_unescaped(byte) {
                    if let Some(copies) = self.copies_after(copies, byte)? {
                        return Ok(Some(HeadCursor::Copies { copies, quoted }));
                    }
                }
                return self.advance_term(cursor, byte, open_keys);
            }
            HeadCursor::Held { head, inner, text } => match self.derive(inner, byte)? {
                EMPTY => None,
                inner => {
                    let text = self.text_after(text, byte);
                    Some(match byte {
                        b'"' => self.open_key_cursor(head, inner, text, open_keys)?,
                        _ => HeadCursor::Held { head, inner, text },
                    })
                }
            },
            HeadCursor::OpenKey(place) => {
                let OpenKey { head, text, unrestricted, excluded } = open_keys[place];
                if !is_unescaped(byte) {
                    let inner = self.excluding_rests(unrestricted, excluded)?;
                    return self.advance_cursor(HeadCursor::Held { head, inner, text }, byte, open_keys);
                }
                match self.derive(unrestricted, byte)? {
                    EMPTY => None,
                    unrestricted => {
                        let text = self.text_after(text, byte);
                        let [one, other] = excluded;
                        let excluded = [self.rest_after(one, byte)?, self.rest_after(other, byte)?];
                        open_keys[place] = OpenKey { head, text, unrestricted, excluded };
                        Some(cursor)
                    }
                }
            }
        })
    }

    /// Advances by way of the term of the cursor.
    fn advance_term(&mut self, cursor: HeadCursor, byte: u8, open_keys: &mut OpenKeys) -> Result<Option<HeadCursor>> {
        let head = self.head_of(cursor, open_keys)?;
        Ok(match self.derive(head, byte)? {
            EMPTY => None,
            next => Some(self.head_cursor(next, open_keys)?),
        })
    }

    fn rest(&self, id: TermId) -> TextRest {
        match *self.term(id) {
            Term::Empty => TextRest::Nothing,
            Term::Literal { literal, position } => TextRest::Literal { literal, position },
            Term::Words { set, low, high, depth } => TextRest::Words { set, low, high, depth },
            Term::Keys(set) => TextRest::Keys(set),
            _ => TextRest::Term(id),
        }
    }

    fn rest_term(&mut self, rest: TextRest) -> Result<TermId> {
        match rest {
            TextRest::Nothing => Ok(EMPTY),
            TextRest::Term(id) => Ok(id),
            TextRest::Literal { literal, position } => self.literal_rest(literal, position),
            TextRest::Words { set, low, high, depth } => self.words_rest(set, low, high, depth),
            TextRest::Keys(set) => self.key_set(set),
        }
    }

    fn rest_after(&mut self, rest: TextRest, byte: u8) -> Result<TextRest> {
        Ok(match rest {
            TextRest::Nothing => TextRest::Nothing,
            TextRest::Term(id) => {
                let next = self.derive(id, byte)?;
                self.rest(next)
            }
            TextRest::Literal { literal, position } => {
                match self.terms.literals[literal.index()].get(position as usize) == Some(&byte) {
                    true => TextRest::Literal { literal, position: position + 1 },
                    false => TextRest::Nothing,
                }
            }
            TextRest::Words { set, low, high, depth } => {
                match narrow(&self.terms.word_sets[set.index()].words, low, high, depth, byte) {
                    (low, high) if low < high => TextRest::Words { set, low, high, depth: depth + 1 },
                    _ => TextRest::Nothing,
                }
            }
            TextRest::Keys(set) => match self.registers.keys.child(set, byte) {
                NO_KEYS => TextRest::Nothing,
                rest => TextRest::Keys(rest),
            },
        })
    }
}

#[cfg(test)]
mod tests;

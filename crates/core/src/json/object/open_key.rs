//! `KeyExtra` head → the language and the text of the key that is being read, and back.
//!
//! An object must not repeat a key, so the heads inside a key remember the bytes that were read of it.

use crate::error::Result;
use crate::json::arena::Arena;
use crate::json::registers::{Registers, NO_TEXT};
use crate::regular::id::TextId;
use crate::regular::term::{Term, TermId, Text};

impl Registers {
    /// The bytes of a text.
    pub(crate) fn text(&self, mut text: TextId) -> Vec<u8> {
        let mut bytes = Vec::new();
        while text != NO_TEXT {
            let (parent, byte) = self.texts[text.index()];
            bytes.push(byte);
            text = parent;
        }
        bytes.reverse();
        bytes
    }
}

impl Arena {
    /// The rest of the key's language and the text read so far, if `head` is inside an extra key.
    pub(crate) fn open_key(&self, head: TermId) -> Option<(TermId, Text)> {
        match *self.term(head) {
            Term::KeyExtra { inner, text, .. } => Some((inner, text)),
            _ => None,
        }
    }

    /// The head with another rest of the language and another text; other heads stay as they are.
    pub(crate) fn replace_open_key(&mut self, head: TermId, inner: TermId, text: Text) -> Result<TermId> {
        match *self.term(head) {
            Term::KeyExtra { object, state, extra, .. } => self.key_extra(object, state, extra, inner, text),
            _ => Ok(head),
        }
    }

    /// A head without the text that it has read.
    pub(crate) fn forget_text(&mut self, head: TermId) -> Result<TermId> {
        match self.open_key(head) {
            Some((inner, _)) => self.replace_open_key(head, inner, Text::Unknown),
            None => Ok(head),
        }
    }

    /// The id of a text with one more byte; 0 is the empty text.
    pub(crate) fn text_after(&mut self, text: TextId, byte: u8) -> TextId {
        if let Some(&known) = self.registers.text_ids.get(&(text, byte)) {
            return known;
        }
        let id = TextId::at(self.registers.texts.len());
        self.registers.texts.push((text, byte), &mut self.terms.budget);
        self.registers.text_ids.insert((text, byte), id, &mut self.terms.budget);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::id::{ObjectId, ObjectStateId};
    use crate::regular::term::EPSILON;

    #[test]
    fn a_text_grows_by_bytes_and_equal_texts_have_equal_numbers() {
        let mut arena = Arena::new();
        let grown = |arena: &mut Arena, text: &[u8]| text.iter().fold(NO_TEXT, |id, &byte| arena.text_after(id, byte));
        let (ab, ac, abc) = (grown(&mut arena, b"ab"), grown(&mut arena, b"ac"), grown(&mut arena, b"abc"));
        assert_eq!([ab, ac, abc].map(|id| arena.registers.text(id)), [&b"ab"[..], b"ac", b"abc"]);
        assert_eq!(grown(&mut arena, b"ab"), ab);
        assert!(ab != ac && ab != abc);
        assert!(arena.registers.text(NO_TEXT).is_empty());
        assert_eq!(arena.registers.texts.len(), 5, "the empty text, a, ab, ac, abc");
    }

    #[test]
    fn the_head_of_an_open_key_tells_its_rest_and_its_text() {
        let mut arena = Arena::new();
        let rest = arena.literal(b"bc\"").unwrap();
        let text = arena.text_after(NO_TEXT, b'a');
        let (object, state) = (ObjectId::new(0), ObjectStateId::new(0));
        let head = arena.key_extra(object, state, 2, rest, Text::Known(text)).unwrap();
        assert_eq!(arena.open_key(head), Some((rest, Text::Known(text))));
        assert_eq!(arena.open_key(rest), None);
        let unknown = arena.replace_open_key(head, EPSILON, Text::Unknown).unwrap();
        assert_eq!(arena.open_key(unknown), Some((EPSILON, Text::Unknown)));
        assert_eq!(arena.key_extra(object, state, 2, EPSILON, Text::Unknown).unwrap(), unknown, "it is the same key");
        assert_eq!(arena.replace_open_key(rest, EPSILON, Text::Unknown).unwrap(), rest, "other heads stay");
    }

    #[test]
    fn a_derivative_reads_a_byte_into_the_text() {
        let mut arena = Arena::new();
        let rest = arena.literal(b"ab\"").unwrap();
        let (object, state) = (ObjectId::new(0), ObjectStateId::new(0));
        for (text, expected) in [(Text::Known(NO_TEXT), true), (Text::Unknown, false)] {
            let head = arena.key_extra(object, state, 0, rest, text).unwrap();
            let next = arena.derive(head, b'a').unwrap();
            let (_, read) = arena.open_key(next).unwrap();
            let known = match read {
                Text::Known(text) => arena.registers.text(text) == b"a",
                Text::Unknown => false,
            };
            assert_eq!(known, expected);
            assert_eq!(arena.derive(head, b'b').unwrap(), crate::regular::term::EMPTY);
        }
    }
}

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

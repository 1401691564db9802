//! A builder of grammars → calls that nest: the node of one call is the argument of the next.
//!
//! [`Builder`] asks for exclusive access, so `cat` of an `alt` would need a name for each part. Here access is taken
//! for one call at a time.

use frisket_core::builder::Builder;
use frisket_core::error::Result;
use frisket_core::regular::term::{TermId, EMPTY, EPSILON};
use std::cell::RefCell;

/// Items of a list between two checks of the limits.
const UNSEEN: usize = 4_096;

/// Nodes of a builder. Every method fails with the limits of the builder.
pub struct Terms<'b>(RefCell<&'b mut Builder>);

fn numbers(nodes: &[TermId]) -> Vec<u32> {
    nodes.iter().map(|node| node.number()).collect()
}

/// A count cut to 32 bits: no text is that long.
pub(crate) fn count(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX).min(u32::MAX - 1)
}

impl<'b> Terms<'b> {
    /// The nodes of this builder.
    pub fn new(builder: &'b mut Builder) -> Self {
        Terms(RefCell::new(builder))
    }

    /// The empty language.
    pub fn empty(&self) -> TermId {
        EMPTY
    }

    /// The empty text.
    pub fn epsilon(&self) -> TermId {
        EPSILON
    }

    /// The text of these bytes.
    pub fn literal(&self, bytes: impl AsRef<[u8]>) -> Result<TermId> {
        self.0.borrow_mut().literal(bytes.as_ref())
    }

    /// Any of these texts.
    pub fn words<T: AsRef<[u8]>>(&self, words: impl IntoIterator<Item = T>) -> Result<TermId> {
        let mut collected = Vec::new();
        for (place, word) in words.into_iter().enumerate() {
            self.look(place)?;
            collected.push(word.as_ref().into());
        }
        self.0.borrow_mut().words(collected)
    }

    /// Checks the limits once in `UNSEEN` places of a list.
    pub fn look(&self, place: usize) -> Result<()> {
        if place % UNSEEN == UNSEEN - 1 {
            self.0.borrow_mut().check(0)?;
        }
        Ok(())
    }

    /// One byte of these.
    pub fn bytes(&self, bytes: &[u8]) -> Result<TermId> {
        let ranges: Vec<(u8, u8)> = bytes.iter().map(|&byte| (byte, byte)).collect();
        self.0.borrow_mut().byte_class(&ranges)
    }

    /// One byte of an inclusive range.
    pub fn byte_range(&self, first: u8, last: u8) -> Result<TermId> {
        self.0.borrow_mut().byte_class(&[(first, last)])
    }

    /// The nodes one after another.
    pub fn cat(&self, nodes: &[TermId]) -> Result<TermId> {
        self.0.borrow_mut().cat(&numbers(nodes))
    }

    /// Any of the nodes.
    pub fn alt(&self, nodes: &[TermId]) -> Result<TermId> {
        self.0.borrow_mut().alt(&numbers(nodes))
    }

    /// The texts in all of the nodes.
    pub fn and(&self, nodes: &[TermId]) -> Result<TermId> {
        self.0.borrow_mut().and(&numbers(nodes))
    }

    /// All byte strings but those of the node.
    pub fn not(&self, node: TermId) -> Result<TermId> {
        self.0.borrow_mut().not(node.number())
    }

    /// The node or the empty text.
    pub fn optional(&self, node: TermId) -> Result<TermId> {
        self.alt(&[EPSILON, node])
    }

    /// The node `least` to `most` times; without `most`, any number of times above.
    pub fn repeat(&self, node: TermId, least: u32, most: impl Into<Option<u32>>) -> Result<TermId> {
        self.0.borrow_mut().repeat(node.number(), least, most.into())
    }

    /// Every text.
    pub fn any_text(&self) -> Result<TermId> {
        self.0.borrow_mut().any_text()
    }

    /// The texts of the node that have `least` to `most` characters.
    pub fn bounded(&self, node: TermId, least: u64, most: Option<u64>) -> Result<TermId> {
        self.0.borrow_mut().bounded(node.number(), count(least), most.map(count))
    }

    /// The texts of the node in which none of these words occurs.
    pub fn free_of<T: AsRef<[u8]>>(&self, node: TermId, words: impl IntoIterator<Item = T>) -> Result<TermId> {
        let everything = self.not(EMPTY)?;
        let holding = self.cat(&[everything, self.words(words)?, everything])?;
        self.and(&[node, self.not(holding)?])
    }

    /// Whether the node holds this text.
    pub fn accepts(&self, node: TermId, text: &str) -> Result<bool> {
        self.0.borrow_mut().accepts(node.number(), text.as_bytes())
    }

    /// Whether the node holds no text.
    pub fn is_empty(&self, node: TermId) -> Result<bool> {
        self.0.borrow_mut().is_empty(node.number())
    }

    /// The result of a call that asks for the builder itself.
    pub fn with<T>(&self, call: impl FnOnce(&mut Builder) -> T) -> T {
        call(&mut self.0.borrow_mut())
    }

    /// Digits whose number is a multiple of `of`; with `point`, points may stand between them.
    pub fn multiple(&self, of: u32, point: bool) -> Result<TermId> {
        self.0.borrow_mut().multiple(of, point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_nest() {
        let mut builder = Builder::default();
        let terms = Terms::new(&mut builder);
        let made = || {
            let sign = terms.optional(terms.literal("-")?)?;
            let tail = terms.repeat(terms.byte_range(b'0', b'9')?, 1, 2)?;
            let number = terms.cat(&[sign, terms.alt(&[tail, terms.words(["x", "yz"])?])?])?;
            terms.and(&[number, terms.not(terms.bytes(b"17")?)?])
        };
        let node = made().unwrap().number();
        for (text, expected) in [("1", false), ("2", true), ("-17", true), ("yz", true), ("-", false), ("123", false)] {
            assert_eq!(builder.accepts(node, text.as_bytes()), Ok(expected), "{text}");
        }
    }
}

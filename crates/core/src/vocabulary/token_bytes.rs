//! Token id → its bytes, all texts in one block.
//!
//! One block replaces an allocation per token, of which real vocabularies would make more than 128,000.

use crate::error::{Error, Result};
use rustc_hash::FxHashSet;

/// The texts of all tokens.
pub(crate) struct TokenBytes {
    block: Box<[u8]>,
    /// The end of each token's text in the block. An empty text means that the token never matches text.
    ends: Vec<u32>,
}

impl TokenBytes {
    /// Texts by their lengths; the ids in `without_text` get none. Errors if the lengths do not add up to the block.
    pub fn new(lengths: impl ExactSizeIterator<Item = u32>, block: &[u8], without_text: &[u32]) -> Result<Self> {
        let malformed = || Error::Vocabulary("the lengths of the tokens are not those of their texts".into());
        let mut ends = Vec::with_capacity(lengths.len());
        let mut end = 0u32;
        for length in lengths {
            end = end.checked_add(length).ok_or_else(malformed)?;
            ends.push(end);
        }
        if end as usize != block.len() {
            return Err(malformed().into());
        }
        let mut texts = TokenBytes { block: block.into(), ends };
        if without_text.iter().any(|&id| texts.get(id).is_some()) {
            let without_text: FxHashSet<u32> = without_text.iter().copied().collect();
            let mut kept = Vec::with_capacity(block.len());
            let ends = (0..).zip(texts.iter()).map(|(id, text)| {
                kept.extend_from_slice(if without_text.contains(&id) { b"" } else { text });
                kept.len() as u32
            });
            texts = TokenBytes { ends: ends.collect(), block: kept.into() };
        }
        Ok(texts)
    }

    /// The number of ids.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The text of a token, or `None` if it has none.
    pub fn get(&self, id: u32) -> Option<&[u8]> {
        let end = *self.ends.get(id as usize)?;
        let start = if id == 0 { 0 } else { self.ends[id as usize - 1] };
        let text = &self.block[start as usize..end as usize];
        (!text.is_empty()).then_some(text)
    }

    /// The texts of all tokens, empty for those without text.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len() as u32).map(|id| self.get(id).unwrap_or_default())
    }

    /// Heap bytes.
    pub fn memory_bytes(&self) -> usize {
        self.block.len() + self.ends.len() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_have_no_text() {
        let texts = TokenBytes::new([1, 0, 2, 3].into_iter(), b"abbccc", &[2, 9, 2]).unwrap();
        let all: Vec<Option<&[u8]>> = (0..5).map(|id| texts.get(id)).collect();
        assert_eq!(all, [Some(&b"a"[..]), None, None, Some(b"ccc"), None]);
        assert_eq!(texts.iter().collect::<Vec<_>>(), [&b"a"[..], b"", b"", b"ccc"]);
    }

    #[test]
    fn lengths_that_lie_are_refused() {
        assert!(TokenBytes::new([1, 2].into_iter(), b"ab", &[]).is_err());
        assert!(TokenBytes::new([1].into_iter(), b"ab", &[]).is_err());
        assert!(TokenBytes::new([u32::MAX, 1].into_iter(), b"ab", &[]).is_err());
    }
}

//! The texts of all tokens → one block of them: 128,000 allocations less.

use crate::error::{Error, Result};
use rustc_hash::FxHashSet;

pub(crate) struct TokenBytes {
    block: Box<[u8]>,
    /// Where each token's text ends. An empty one is no text.
    ends: Vec<u32>,
}

impl TokenBytes {
    /// Texts by their lengths; the ids in `silent` have none, whatever the block says.
    pub fn of(lengths: impl ExactSizeIterator<Item = u32>, block: &[u8], silent: &[u32]) -> Result<Self> {
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
        if silent.iter().any(|&id| texts.get(id).is_some()) {
            let silent: FxHashSet<u32> = silent.iter().copied().collect();
            let mut kept = Vec::with_capacity(block.len());
            let ends = (0..).zip(texts.iter()).map(|(id, text)| {
                kept.extend_from_slice(if silent.contains(&id) { b"" } else { text });
                kept.len() as u32
            });
            texts = TokenBytes { ends: ends.collect(), block: kept.into() };
        }
        Ok(texts)
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, id: u32) -> Option<&[u8]> {
        let end = *self.ends.get(id as usize)?;
        let start = if id == 0 { 0 } else { self.ends[id as usize - 1] };
        let text = &self.block[start as usize..end as usize];
        (!text.is_empty()).then_some(text)
    }

    /// Every token, those without text as the empty one.
    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.ends.len() as u32).map(|id| self.get(id).unwrap_or_default())
    }

    pub fn memory_bytes(&self) -> usize {
        self.block.len() + self.ends.len() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_have_no_text() {
        let texts = TokenBytes::of([1, 0, 2, 3].into_iter(), b"abbccc", &[2, 9, 2]).unwrap();
        let all: Vec<Option<&[u8]>> = (0..5).map(|id| texts.get(id)).collect();
        assert_eq!(all, [Some(&b"a"[..]), None, None, Some(b"ccc"), None]);
        assert_eq!(texts.iter().collect::<Vec<_>>(), [&b"a"[..], b"", b"", b"ccc"]);
    }

    #[test]
    fn lengths_that_lie_are_refused() {
        assert!(TokenBytes::of([1, 2].into_iter(), b"ab", &[]).is_err());
        assert!(TokenBytes::of([1].into_iter(), b"ab", &[]).is_err());
        assert!(TokenBytes::of([u32::MAX, 1].into_iter(), b"ab", &[]).is_err());
    }
}

//! Tokens → the few long ones in small tries of their own, and the set of all others.
//!
//! Saturated counters must be exact up to the longest token. With the long tokens apart, the horizon of the others is short.

use crate::vocabulary::token_bytes::TokenBytes;
use crate::vocabulary::token_set::TokenSet;
use crate::vocabulary::trie::Trie;
use std::collections::BTreeMap;

/// Code points of the longest token that is not long. Llama 3 has 797 longer ones among 128,256, of up to 128 code points.
pub(crate) const SHORT_TOKEN_CHARS: u32 = 16;

/// The long tokens by length, and the set of all others.
pub(crate) struct LongTokens {
    /// Tokens grouped by length, doubling from band to band: each band has its own horizon.
    pub bands: Vec<Band>,
    /// All ids but those of long tokens.
    pub others: TokenSet,
}

/// The long tokens of one range of lengths.
pub(crate) struct Band {
    /// Code points: an upper bound for the tokens of the band.
    pub longest: u32,
    /// The tokens of the band.
    pub trie: Trie,
}

impl LongTokens {
    /// From the tokens and their code points; `size` counts all ids.
    pub fn new(tokens: &TokenBytes, chars: &[u16], size: usize) -> Self {
        let mut others = vec![u32::MAX; size.div_ceil(32)];
        let mut bands: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (id, &chars) in (0..).zip(chars) {
            if u32::from(chars) > SHORT_TOKEN_CHARS && tokens.get(id).is_some() {
                others[id as usize >> 5] &= !(1 << (id & 31));
                bands.entry(u32::from(chars).next_power_of_two()).or_default().push(id);
            }
        }
        let band = |(longest, ids): (u32, Vec<u32>)| Band {
            longest,
            trie: Trie::new(ids.into_iter(), |id| tokens.get(id).unwrap_or_default()),
        };
        let bands = bands.into_iter().map(band).collect();
        LongTokens { bands, others: others.into() }
    }

    /// Heap bytes.
    pub fn memory_bytes(&self) -> usize {
        let bands = self.bands.iter().map(|band| band.trie.memory_bytes());
        bands.sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The long tokens of texts; empty texts have no token.
    fn of(texts: &[String], size: usize) -> LongTokens {
        let block: Vec<u8> = texts.iter().flat_map(|text| text.bytes()).collect();
        let lengths: Vec<u32> = texts.iter().map(|text| text.len() as u32).collect();
        let tokens = TokenBytes::new(lengths.into_iter(), &block, &[]).unwrap();
        let chars: Vec<u16> = texts.iter().map(|text| text.chars().count() as u16).collect();
        LongTokens::new(&tokens, &chars, size)
    }

    #[test]
    fn tokens_of_more_than_sixteen_characters_are_long() {
        let texts = ["a".repeat(16), "a".repeat(17), "é".repeat(16), "é".repeat(17), String::new()];
        let long = of(&texts, 40);
        // Tokens 1 and 3; ids without a text are among the others.
        assert_eq!(*long.others, [!0b1010, u32::MAX]);
        let [band] = &long.bands[..] else { panic!("one band") };
        assert_eq!((band.longest, band.trie.tokens_below(crate::vocabulary::id::NodeId::ROOT)), (32, &[1, 3][..]));
    }

    #[test]
    fn each_band_reaches_to_twice_the_length_of_the_one_before() {
        let texts = [17, 32, 33, 64, 65, 200].map(|count| "a".repeat(count));
        let long = of(&texts, 6);
        let told: Vec<_> = long
            .bands
            .iter()
            .map(|band| (band.longest, band.trie.tokens_below(crate::vocabulary::id::NodeId::ROOT).to_vec()))
            .collect();
        assert_eq!(told, [(32, vec![0, 1]), (64, vec![2, 3]), (128, vec![4]), (256, vec![5])]);
        let bytes: usize = long.bands.iter().map(|band| band.trie.memory_bytes()).sum();
        assert!(bytes > 200 && long.memory_bytes() == bytes);
    }

    #[test]
    fn a_vocabulary_of_short_tokens_has_no_band() {
        let long = of(&["a".into(), "b".into()], 2);
        assert!(long.bands.is_empty() && long.memory_bytes() == 0);
        assert_eq!(*long.others, [u32::MAX]);
    }
}

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

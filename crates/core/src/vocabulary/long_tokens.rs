//! Tokens → the few long ones, apart from all others.
//!
//! Counts must be exact as far as a token can read. Kept apart, the longest tokens no longer set that horizon for all.

use crate::vocabulary::token_bytes::TokenBytes;
use crate::vocabulary::token_set::TokenSet;
use crate::vocabulary::trie::Trie;
use std::collections::BTreeMap;

/// Code points of a long token. There are few longer ones (797 of Llama 3's 128,256), but on their account a count would
/// have to be kept exact from 128 on.
pub(crate) const FAR: u32 = 16;

/// The long tokens by themselves.
pub(crate) struct LongTokens {
    /// By length, doubled from band to band: in each, counts beyond its longest token are alike.
    pub bands: Vec<Band>,
    /// All tokens but these.
    pub others: TokenSet,
}

pub(crate) struct Band {
    pub longest: u32,
    pub trie: Trie,
}

impl LongTokens {
    pub fn of(tokens: &TokenBytes, chars: &[u16], size: usize) -> Self {
        let mut others = vec![u32::MAX; size.div_ceil(32)];
        let mut bands: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (id, &chars) in (0..).zip(chars) {
            if u32::from(chars) > FAR && tokens.get(id).is_some() {
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

    pub fn memory_bytes(&self) -> usize {
        let bands = self.bands.iter().map(|band| band.trie.memory_bytes());
        bands.sum()
    }
}

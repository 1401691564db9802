//! Byte → the tokens that hold it, and character class → the tokens made of it.
//!
//! The tokens of a class are a few set operations on these sets, whatever the number of tokens.

use crate::bytes::byteset::ones;
use crate::bytes::char_class::CharClass;
use crate::bytes::utf8::is_lead;
use crate::vocabulary::token_bytes::TokenBytes;
use crate::vocabulary::token_set::TokenSet;

/// The tokens that hold each byte, as bits: a binary tree over the ASCII bytes, so that a class is a few unions.
pub(crate) struct TokensByByte {
    /// Node n is the union of its children 2n and 2n + 1; leaf 128 + b belongs to byte b.
    holding: Vec<Vec<u32>>,
    /// All tokens with text.
    pub present: Vec<u32>,
    /// The tokens that hold bytes beyond ASCII.
    wide: Vec<u32>,
    /// The tokens of `wide` that are valid UTF-8, except for an incomplete last character.
    valid: Vec<u32>,
    /// The tokens that begin with a space and hold no other.
    pub space_prefixed: Vec<u32>,
    /// (lead byte - 0xc0, tokens that hold it).
    leads: Vec<(u32, Vec<u32>)>,
}

impl TokensByByte {
    /// The index of all tokens, and the code points of each.
    pub fn new(tokens: &TokenBytes, size: usize) -> (Self, Vec<u16>) {
        let words = size.div_ceil(32);
        let empty = || vec![0u32; words];
        let mut chars = Vec::with_capacity(tokens.len());
        let (mut holding, mut present, mut wide, mut valid) = (vec![empty(); 256], empty(), empty(), empty());
        let mut space_prefixed = empty();
        let mut leads = vec![Vec::new(); 64];
        // One word of every set at a time, so that the words being written fit the first-level cache.
        let mut held = [0u32; 256];
        let mut texts = tokens.iter();
        for word in 0..tokens.len().div_ceil(32) {
            for (place, text) in texts.by_ref().take(32).enumerate() {
                let bit = 1 << place;
                let mut bytes = 0;
                for &byte in text {
                    held[usize::from(byte)] |= bit;
                    bytes |= byte;
                }
                chars.push(text.len() as u16);
                present[word] |= u32::from(!text.is_empty()) * bit;
                space_prefixed[word] |= u32::from(matches!(text, [b' ', rest @ ..] if !rest.contains(&b' '))) * bit;
                if bytes >= 0x80 {
                    chars[word * 32 + place] = text.iter().filter(|&&byte| is_lead(byte)).count() as u16;
                    wide[word] |= bit;
                    // Only an incomplete character at the end is allowed.
                    let cut = |error: std::str::Utf8Error| error.error_len().is_none();
                    valid[word] |= u32::from(std::str::from_utf8(text).map_or_else(cut, |_| true)) * bit;
                }
            }
            for (holding, held) in holding[128..].iter_mut().zip(&held) {
                holding[word] = *held;
            }
            for (lead, &held) in leads.iter_mut().zip(&held[0xc0..]).filter(|(_, &held)| held != 0) {
                if lead.is_empty() {
                    *lead = empty();
                }
                lead[word] = held;
            }
            held.fill(0);
        }
        for node in (1..128).rev() {
            let (parents, children) = holding.split_at_mut(2 * node);
            let both = children[0].iter().zip(&children[1]);
            parents[node].iter_mut().zip(both).for_each(|(word, (one, two))| *word = one | two);
        }
        holding[0] = Vec::new();
        let leads = (0..).zip(leads).filter(|(_, holding): &(u32, Vec<u32>)| !holding.is_empty());
        (TokensByByte { holding, present, wide, valid, space_prefixed, leads: leads.collect() }, chars)
    }

    /// The tokens that hold an ASCII byte, ascending.
    pub fn holding(&self, byte: u8) -> impl Iterator<Item = u32> + '_ {
        let words = self.holding[128 + usize::from(byte & 0x7f)].iter().zip(0u32..);
        words.flat_map(|(&word, place)| ones(word.into()).map(move |bit| place * 32 + bit))
    }

    /// The tokens made of the characters of a class; the last character may be incomplete.
    pub fn tokens_of(&self, class: CharClass) -> TokenSet {
        let ascii = class.ascii();
        let mut bits = self.present.clone();
        let mut nodes = vec![(1usize, 0u32, 128u32)];
        while let Some((node, from, span)) = nodes.pop() {
            let inside = if span == 128 { ascii } else { ascii >> from & ((1 << span) - 1) };
            if inside == 0 {
                bits.iter_mut().zip(&self.holding[node]).for_each(|(word, holding)| *word &= !holding);
            } else if inside.count_ones() < span {
                nodes.push((2 * node, from, span / 2));
                nodes.push((2 * node + 1, from + span / 2, span / 2));
            }
        }
        for ((word, beyond), valid) in bits.iter_mut().zip(&self.wide).zip(&self.valid) {
            *word &= !beyond | if class.lead_bytes() != 0 { *valid } else { 0 };
        }
        // Without a lead byte no token beyond ASCII is left.
        let absent =
            self.leads.iter().filter(|(lead, _)| class.lead_bytes() != 0 && class.lead_bytes() >> lead & 1 == 0);
        for (_, holding) in absent {
            bits.iter_mut().zip(holding).for_each(|(word, holding)| *word &= !holding);
        }
        bits.into()
    }

    /// Heap bytes.
    pub fn memory_bytes(&self) -> usize {
        self.holding.iter().map(|words| words.len() * 4).sum::<usize>()
            + self.present.len() * 4 * (4 + self.leads.len())
    }
}

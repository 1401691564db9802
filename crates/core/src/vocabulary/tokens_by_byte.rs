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

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: &[&[u8]] = &[
        b"a",
        b"ab",
        b"",
        b" a",
        b" ",
        b" a b",
        "é".as_bytes(),
        "aé€".as_bytes(),
        b"a\xe2\x82",
        b"\x82",
        b"\xff",
        b"\x7f",
        b"b\xc3\xa9\xc3",
    ];

    fn index(texts: &[&[u8]]) -> (TokensByByte, Vec<u16>) {
        let block: Vec<u8> = texts.concat();
        let lengths: Vec<u32> = texts.iter().map(|text| text.len() as u32).collect();
        let tokens = TokenBytes::new(lengths.into_iter(), &block, &[]).unwrap();
        TokensByByte::new(&tokens, texts.len() + 3)
    }

    fn ids(bits: &[u32]) -> Vec<usize> {
        (0..32 * bits.len()).filter(|id| bits[id >> 5] >> (id & 31) & 1 == 1).collect()
    }

    #[test]
    fn characters_are_counted_by_their_first_bytes() {
        assert_eq!(index(TEXTS).1, [1, 2, 0, 2, 1, 4, 1, 3, 2, 0, 1, 1, 3]);
    }

    #[test]
    fn tokens_are_listed_by_what_they_hold() {
        let (by_byte, _) = index(TEXTS);
        assert_eq!(by_byte.holding(b'a').collect::<Vec<_>>(), [0, 1, 3, 5, 7, 8]);
        assert_eq!(by_byte.holding(b'b').collect::<Vec<_>>(), [1, 5, 12]);
        assert_eq!((by_byte.holding(0x7f).collect::<Vec<_>>(), by_byte.holding(0).count()), (vec![11], 0));
        assert_eq!(ids(&by_byte.present), [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
        assert_eq!(ids(&by_byte.space_prefixed), [3, 4], "one space alone, at the beginning");
    }

    #[test]
    fn a_class_has_the_tokens_of_its_characters() {
        let (by_byte, _) = index(TEXTS);
        let of = |bytes: &[u8]| {
            let class = bytes.iter().copied().fold(CharClass::default(), CharClass::with);
            ids(&by_byte.tokens_of(class))
        };
        assert_eq!(of(b""), [0; 0]);
        assert_eq!(of(b"a"), [0]);
        assert_eq!(of(b"ab"), [0, 1]);
        assert_eq!(of(b"ab "), [0, 1, 3, 4, 5]);
        assert_eq!(of(b"\xc3"), [6]);
        assert_eq!(of(b"a\xc3\xe2"), [0, 6, 7, 8], "the last character may be incomplete");
        assert_eq!(of(b"b\xc3"), [6, 12]);
        assert_eq!(of(b"a\xe2"), [0, 8]);
        let all: Vec<u8> = (0..=0x7f).chain(0xc0..=0xff).collect();
        assert_eq!(of(&all), [0, 1, 3, 4, 5, 6, 7, 8, 11, 12], "82 and ff begin no character");
        assert_eq!(of(&all[..128]), [0, 1, 3, 4, 5, 11]);
        assert_eq!(of(&[0x7f]), [11]);
    }

    #[test]
    fn classes_are_exact_over_many_words_of_tokens() {
        let texts: Vec<Vec<u8>> = (0..=127u8).map(|byte| vec![byte]).chain([b"az".to_vec()]).collect();
        let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
        let (by_byte, chars) = index(&texts);
        assert!(chars[..128].iter().all(|&count| count == 1));
        assert_eq!(by_byte.holding(b'z').collect::<Vec<_>>(), [122, 128]);
        for (low, high) in [(0, 127), (0, 0), (127, 127), (63, 64), (32, 95), (1, 126), (97, 122)] {
            let class = (low..=high).fold(CharClass::default(), CharClass::with);
            let mut expected: Vec<usize> = (usize::from(low)..=usize::from(high)).collect();
            if low <= b'a' && high >= b'z' {
                expected.push(128);
            }
            assert_eq!(ids(&by_byte.tokens_of(class)), expected, "{low} {high}");
        }
    }

    #[test]
    fn every_set_is_counted() {
        let (ascii, _) = index(&[b"a"]);
        // 255 sets of the tree, and four more; one word each.
        assert_eq!(ascii.memory_bytes(), 4 * 255 + 4 * 4);
        let (wide, _) = index(&["é€".as_bytes()]);
        assert_eq!(wide.memory_bytes(), 4 * 255 + 4 * (4 + 2), "and one for each lead byte");
    }
}

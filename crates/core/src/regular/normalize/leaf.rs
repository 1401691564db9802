//! Bytes, texts, keys and code points → terms without operands, or with few.
//!
//! Apart from `boolean`, because leaves compute their facts from data, not from operands.

use crate::bytes::byteset::ByteSet;
use crate::bytes::utf8::is_lead;
use crate::error::Result;
use crate::limits::sort_by;
use crate::regular::id::{KeySetId, LiteralId, WordSetId};
use crate::regular::key_set::NO_KEYS;
use crate::regular::literal::{self, code_points, Literal};
use crate::regular::term::{Info, Term, TermId, WordSet, EMPTY, EPSILON, MANY};
use crate::regular::terms::Terms;
use crate::storage::hash::Hasher128;
use regex_syntax::utf8::{Utf8Sequence, Utf8Sequences};
use smallvec::SmallVec;
use std::sync::Arc;

/// Words up to which the facts of a suffix set are computed; larger sets use the facts of the whole set. Not measured.
const MAX_MEASURED_WORDS: usize = 64;

/// Code points of the longest word up to which they are computed: each step measures all suffixes anew.
const MAX_MEASURED_CHARS: u32 = 512;

/// Words between two looks at the limits.
const LOOKED_AT_ONCE: usize = 4_096;

impl Terms {
    /// The texts of one byte of the set. Errors if the budget ends.
    pub fn class(&mut self, set: ByteSet) -> Result<TermId> {
        if set.is_empty() {
            return Ok(EMPTY);
        }
        let mut hash = Hasher128::new(3);
        set.0.iter().for_each(|&word| hash.word(word));
        let ascii = set.0[2] == 0 && set.0[3] == 0;
        // The third word holds exactly the continuation bytes (`is_lead`).
        let starts = set.0[0] | set.0[1] | set.0[3] != 0;
        let inner = set.0[2] != 0;
        self.intern(Term::Class(set), hash.finish(), |_| Info {
            utf8: ascii,
            min_chars: u32::from(!inner),
            max_chars: u32::from(starts),
            exact: true,
            ..Info::default()
        })
    }

    /// The one text `data`. Errors if the budget ends.
    pub fn literal(&mut self, data: &[u8]) -> Result<TermId> {
        match data {
            [] => Ok(EPSILON),
            [byte] => self.class(ByteSet::range(*byte, *byte)),
            _ => {
                if let Some(id) = self.by_hash(literal::hash_literal(data)) {
                    return Ok(id);
                }
                self.spend(data.len() as u64 / 16)?;
                let literal = Literal::new(data);
                self.budget.grow(literal.memory_bytes());
                self.literals.push(Arc::new(literal), &mut self.budget);
                self.literal_rest(LiteralId::at(self.literals.len() - 1), 0)
            }
        }
    }

    /// The suffix of a literal from a position.
    pub(crate) fn literal_rest(&mut self, literal: LiteralId, position: u32) -> Result<TermId> {
        let (data, from) = (self.literals[literal.index()].clone(), position as usize);
        match data[from..] {
            [] => Ok(EPSILON),
            [byte] => self.class(ByteSet::range(byte, byte)),
            _ => self.intern(Term::Literal { literal, position }, data.hash(from), |_| {
                let chars = data.chars(from);
                Info { utf8: data.is_utf8(from), min_chars: chars, max_chars: chars, exact: true, ..Info::default() }
            }),
        }
    }

    /// Any of these texts, in any order and with duplicates. Errors if the budget ends.
    pub fn words(&mut self, mut words: Vec<Box<[u8]>>) -> Result<TermId> {
        sort_by(&mut words, &Ord::cmp, &mut || self.budget.check())?;
        words.dedup();
        if words.len() <= 1 {
            return words.first().map_or(Ok(EMPTY), |word| self.literal(word));
        }
        let high = words.len() as u32;
        let set = self.word_set(words)?;
        self.words_rest(set, 0, high, 0)
    }

    /// The number of a set of sorted words, two or more. Errors: limits.
    pub(crate) fn word_set(&mut self, words: Vec<Box<[u8]>>) -> Result<WordSetId> {
        let mut hash = Hasher128::new(5);
        let (mut utf8, mut most) = (true, 0);
        for slice in words.chunks(LOOKED_AT_ONCE) {
            for word in slice {
                hash.bytes(word);
                utf8 &= std::str::from_utf8(word).is_ok();
                most = most.max(code_points(word));
            }
            self.budget.grow(slice.iter().map(|word| word.len() + 24).sum());
            self.budget.check()?;
        }
        self.budget.grow(64);
        self.word_sets.push(WordSet { words: words.into(), hash: hash.finish(), utf8, most }, &mut self.budget);
        Ok(WordSetId::at(self.word_sets.len() - 1))
    }

    /// The words `low..high` of a set without their first `depth` bytes.
    pub(crate) fn words_rest(&mut self, set: WordSetId, low: u32, high: u32, depth: u32) -> Result<TermId> {
        let WordSet { words, hash: set_hash, utf8, most } = self.word_sets[set.index()].clone();
        match high - low {
            0 => return Ok(EMPTY),
            1 => return self.literal(&words[low as usize][depth as usize..]),
            _ => {}
        }
        let mut hash = Hasher128::new(6);
        hash.wide(set_hash);
        hash.word(u64::from(low) << 32 | u64::from(high));
        hash.word(u64::from(depth));
        self.intern(Term::Words { set, low, high, depth }, hash.finish(), |_| {
            let all = &words[low as usize..high as usize];
            let nullable = all[0].len() == depth as usize;
            let rests = || all.iter().map(|word| &word[depth as usize..]);
            // The words share their first `depth` bytes, so all are at a character boundary or none is.
            let few = all.len() <= MAX_MEASURED_WORDS && most <= MAX_MEASURED_CHARS;
            let few_chars: SmallVec<[u32; 8]> = rests().filter(|_| few).map(code_points).collect();
            let are_utf8 = || rests().all(|rest| std::str::from_utf8(rest).is_ok());
            let between = rests().find_map(|rest| rest.first()).is_none_or(|&byte| is_lead(byte));
            Info {
                nullable,
                utf8: if utf8 { between } else { few && are_utf8() },
                min_chars: few_chars.iter().copied().min().unwrap_or(0),
                max_chars: few_chars.iter().copied().max().unwrap_or(most),
                ..Info::default()
            }
        })
    }

    /// The keys of a set, as texts.
    pub(crate) fn key_set(&mut self, set: KeySetId) -> Result<TermId> {
        if set == NO_KEYS {
            return Ok(EMPTY);
        }
        let nullable = self.keys.has_empty(set);
        if nullable && self.keys.children(set).next().is_none() {
            return Ok(EPSILON);
        }
        // The keys share the bytes read so far, so all are at a character boundary or none is.
        let between = nullable || self.keys.children(set).all(|(byte, _)| is_lead(byte));
        let hash = Hasher128::of(14, &[self.keys.hash(set)]);
        self.intern(Term::Keys(set), hash, |terms| {
            let (min_chars, max_chars) = terms.keys.char_bounds(set);
            Info { nullable, utf8: between, min_chars, max_chars, ..Info::default() }
        })
    }

    /// Texts of digits whose value is a multiple of `of`, the empty text included; points are skipped if `point`. Errors if
    /// the budget ends.
    ///
    /// A state per remainder is created on demand. None is a dead end, because enough digits reach every remainder.
    pub fn multiple(&mut self, of: u32, point: bool) -> Result<TermId> {
        if of == 0 {
            return Ok(EMPTY);
        }
        self.multiple_rest(of, 0, point)
    }

    /// The continuations of digits whose value has the remainder `rest`.
    pub(crate) fn multiple_rest(&mut self, of: u32, rest: u32, point: bool) -> Result<TermId> {
        let mut hash = Hasher128::new(15);
        hash.word(u64::from(of) << 32 | u64::from(rest));
        hash.word(u64::from(point));
        self.intern(Term::Multiple { of, rest, point }, hash.finish(), |_| Info {
            nullable: rest == 0,
            utf8: true,
            min_chars: u32::from(rest != 0),
            max_chars: MANY,
            ..Info::default()
        })
    }

    /// One code point of the inclusive ranges, as UTF-8. Errors if the budget ends.
    pub fn char_class(&mut self, ranges: &[(u32, u32)]) -> Result<TermId> {
        let mut sequences: Vec<Utf8Sequence> = Vec::with_capacity(ranges.len());
        for &(low, high) in ranges {
            for (low, high) in [(low, high.min(0xd7ff)), (low.max(0xe000), high.min(0x10_ffff))] {
                let (Some(low), Some(high)) = (char::from_u32(low), char::from_u32(high)) else { continue };
                if low <= high {
                    sequences.extend(Utf8Sequences::new(low, high));
                }
            }
        }
        let bounds = |sequence: &Utf8Sequence| {
            sequence.into_iter().map(|range| (range.start, range.end)).collect::<SmallVec<[_; 4]>>()
        };
        sequences.sort_unstable_by_key(bounds);
        let id = self.utf8_trie(&sequences, 0)?;
        self.mark_text(id);
        Ok(id)
    }

    /// Notes that a term's texts are whole characters, where its parts' are not.
    pub(crate) fn mark_text(&mut self, id: TermId) {
        if !self.info(id).utf8 {
            self.nodes.get_mut(id.index()).info.utf8 = true;
        }
    }

    /// What follows the first `level` bytes of sorted sequences that begin with the same ranges.
    ///
    /// A trie, because alternatives of one level are disjoint then, and few: a range of several bytes is followed by
    /// all continuations.
    fn utf8_trie(&mut self, sequences: &[Utf8Sequence], level: usize) -> Result<TermId> {
        let mut heads: Vec<(TermId, ByteSet)> = Vec::new();
        for same in sequences.chunk_by(|a, b| a.as_slice()[level] == b.as_slice()[level]) {
            let range = same[0].as_slice()[level];
            let rest = if same[0].len() == level + 1 { EPSILON } else { self.utf8_trie(same, level + 1)? };
            let bytes = ByteSet::range(range.start, range.end);
            match heads.iter_mut().find(|(other, _)| *other == rest) {
                Some((_, head)) => *head = head.union(&bytes),
                None => heads.push((rest, bytes)),
            }
        }
        let mut parts = Vec::with_capacity(heads.len());
        for (rest, head) in heads {
            let head = self.class(head)?;
            parts.push(self.cat(head, rest)?);
        }
        self.alt(parts)
    }

    /// All texts of valid UTF-8, made once. Errors if the budget ends.
    pub fn any_text(&mut self) -> Result<TermId> {
        if let Some(id) = self.any_text {
            return Ok(id);
        }
        let any = self.char_class(&[(0, 0x10_ffff)])?;
        let id = self.repeat(any, 0, MANY)?;
        self.any_text = Some(id);
        Ok(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::fixture::{after, bytes, regex, texts};

    /// (fewest, most) code points, whether all texts are whole characters, whether the empty text matches.
    fn facts(terms: &Terms, id: TermId) -> (u32, u32, bool, bool) {
        let Info { min_chars, max_chars, utf8, nullable, .. } = *terms.info(id);
        (min_chars, max_chars, utf8, nullable)
    }

    #[test]
    fn a_literal_is_its_text_and_so_is_the_rest_of_a_longer_one() {
        let mut terms = Terms::new();
        assert_eq!(terms.literal(b""), Ok(EPSILON));
        let (letter, class) = (terms.literal(b"a").unwrap(), terms.class(bytes("a")).unwrap());
        assert_eq!(letter, class);
        let whole = terms.literal("aéz!".as_bytes()).unwrap();
        assert_eq!(facts(&terms, whole), (4, 4, true, false));
        let rest = after(&mut terms, whole, b"a");
        assert_eq!(terms.literal("éz!".as_bytes()), Ok(rest));
        assert_eq!(facts(&terms, rest), (3, 3, true, false));
        let split = after(&mut terms, rest, b"\xc3");
        assert_eq!(facts(&terms, split), (2, 2, false, false), "half a character is not valid UTF-8");
        let last = after(&mut terms, split, b"\xa9z");
        assert_eq!(terms.literal(b"!"), Ok(last));
    }

    #[test]
    fn a_multiple_is_a_state_per_remainder() {
        let mut terms = Terms::new();
        let three = terms.multiple(3, false).unwrap();
        assert_eq!(texts(&mut terms, three, "0123", 2), ["", "0", "3", "00", "03", "12", "21", "30", "33"]);
        assert_eq!(facts(&terms, three), (0, MANY, true, true));
        let one = terms.multiple_rest(3, 1, false).unwrap();
        assert_eq!(facts(&terms, one), (1, MANY, true, false));
        let pointed = terms.multiple(3, true).unwrap();
        assert_eq!(texts(&mut terms, pointed, "1.2", 2), ["", ".", "12", "..", "21"]);
        let ids = [three, one, pointed, terms.multiple(4, false).unwrap(), terms.multiple_rest(4, 1, false).unwrap()];
        assert!((0..5).all(|one| (0..one).all(|other| ids[one] != ids[other])));
        assert_eq!(terms.multiple(0, false), Ok(EMPTY));
    }

    #[test]
    fn a_class_of_characters_is_their_utf8() {
        let mut terms = Terms::new();
        for (ranges, inside, outside) in [
            (&[(0x61, 0x63)][..], &["a", "c"][..], &["`", "d", "ab", ""][..]),
            (&[(0x7f, 0x80)], &["\u{7f}", "\u{80}"], &["~", "\u{81}"]),
            (&[(0x7fe, 0x800)], &["\u{7fe}", "\u{800}"], &["\u{7fd}", "\u{801}"]),
            (&[(0xd000, 0xe001)], &["\u{d7ff}", "\u{e000}", "\u{e001}"], &["\u{cfff}", "\u{e002}"]),
            (&[(0xffff, 0x1_0000)], &["\u{ffff}", "\u{10000}"], &["\u{fffe}", "\u{10001}"]),
            (&[(0x10_ffff, u32::MAX)], &["\u{10ffff}"], &["\u{10fffe}"]),
            (&[(0x61, 0x61), (0xe9, 0xe9)], &["a", "é"], &["b", "ê"]),
            (&[(5, 4)], &[], &["\u{4}", "\u{5}"]),
        ] {
            let id = terms.char_class(ranges).unwrap();
            assert!(inside.iter().all(|text| terms.matches(id, text.as_bytes()).unwrap()), "{ranges:x?}");
            assert!(!outside.iter().any(|text| terms.matches(id, text.as_bytes()).unwrap()), "{ranges:x?}");
            assert!(id == EMPTY || facts(&terms, id) == (1, 1, true, false), "{ranges:x?}");
        }
        let surrogates = terms.char_class(&[(0xd800, 0xdfff)]).unwrap();
        assert_eq!(surrogates, EMPTY);
    }

    #[test]
    fn any_text_is_all_valid_utf8_and_made_once() {
        let mut terms = Terms::new();
        let any = terms.any_text().unwrap();
        let count = terms.len();
        assert_eq!((terms.any_text(), terms.len()), (Ok(any), count));
        for (text, expected) in [
            (&b""[..], true),
            ("aé€😀\0".as_bytes(), true),
            (b"\xff", false),
            (b"\xc3", false),
            (b"\xc0\x80", false),
            (b"\xed\xa0\x80", false),
            (b"\xf4\x90\x80\x80", false),
        ] {
            assert_eq!(terms.matches(any, text), Ok(expected), "{text:?}");
        }
        let letters = regex(&mut terms, "[a-z]*");
        assert_ne!(any, letters);
    }
}

//! Term → its first bytes (FIRST) and the intervals of bytes that it treats alike.
//!
//! Both are computed from the term's syntax without derivatives, and narrow the loops that do take derivatives.

use crate::bytes::byteset::{Boundaries, ByteSet};
use crate::regular::arena::Arena;
use crate::regular::derivative::narrow;
use crate::regular::term::{Parts, Spelling, Term, TermId, Text};

impl Arena {
    /// A superset of the bytes that texts begin with, memoised.
    pub(crate) fn first_bytes(&mut self, id: TermId) -> ByteSet {
        if let Some(bytes) = self.terms.first_bytes.get(id.index()) {
            return *bytes;
        }
        let bytes = match *self.term(id) {
            Term::Empty | Term::Epsilon | Term::KeyDone { .. } => ByteSet::EMPTY,
            Term::Class(set) => set,
            Term::Literal { literal, position } => {
                let byte = self.terms.literals[literal.index()][position as usize];
                ByteSet::range(byte, byte)
            }
            Term::Words { set, low, high, depth } => {
                let words = self.terms.word_sets[set.index()].words.clone();
                let mut bytes = ByteSet::EMPTY;
                let mut at = low;
                while at < high {
                    match words[at as usize].get(depth as usize) {
                        None => at += 1,
                        Some(&byte) => {
                            bytes.insert(byte);
                            at = narrow(&words, at, high, depth, byte).1;
                        }
                    }
                }
                bytes
            }
            Term::Keys(set) => ByteSet::from_bytes(self.registers.keys.children(set).map(|(byte, _)| byte)),
            Term::Multiple { point, .. } => {
                let digits = ByteSet::range(b'0', b'9');
                if point {
                    digits.union(&ByteSet::range(b'.', b'.'))
                } else {
                    digits
                }
            }
            Term::Cat(left, right) => {
                let bytes = self.first_bytes(left);
                if self.info(left).nullable {
                    bytes.union(&self.first_bytes(right))
                } else {
                    bytes
                }
            }
            Term::Alt(ref parts) => {
                let parts = Parts::from_slice(parts);
                parts.iter().fold(ByteSet::EMPTY, |all, &part| all.union(&self.first_bytes(part)))
            }
            Term::And(ref parts) => {
                let parts = Parts::from_slice(parts);
                parts.iter().fold(ByteSet::FULL, |all, &part| all.intersection(&self.first_bytes(part)))
            }
            Term::Repeat { body, .. } | Term::Bounded { body, .. } => self.first_bytes(body),
            Term::Quoted { state: Spelling::Start, .. } => ByteSet::range(b'"', b'"'),
            Term::Quoted { text, state: Spelling::Body, .. } => {
                let escapes = ByteSet::from_bytes([b'"', b'\\'].into_iter());
                self.first_bytes(text).intersection(&ByteSet::range(0x20, 0xff)).union(&escapes)
            }
            Term::Quoted { state, .. } => match state {
                Spelling::Escape => ByteSet::from_bytes(b"\"\\/bfnrtu".iter().copied()),
                Spelling::LowEscape { .. } => ByteSet::range(b'\\', b'\\'),
                Spelling::LowU { .. } => ByteSet::range(b'u', b'u'),
                _ => ByteSet::from_bytes(b"0123456789ABCDEFabcdef".iter().copied()),
            },
            Term::KeyNamed { object, low, high, depth, .. } => {
                ByteSet::from_bytes(self.registers.objects[object.index()].key_bytes(low, high, depth))
            }
            Term::KeyExtra { inner, .. } => self.first_bytes(inner),
            _ => ByteSet::FULL,
        };
        *self.terms.first_bytes.get_mut(id.index(), &mut self.budget) = bytes;
        bytes
    }

    /// The intervals of bytes on which the derivative is constant: derivative classes (Owens, Reppy, Turon 2009, section 4.2).
    pub fn boundaries(&mut self, id: TermId) -> Boundaries {
        if let Some(boundaries) = self.terms.boundaries.get(id.index()) {
            return *boundaries;
        }
        let mut boundaries = Boundaries::default();
        match *self.term(id) {
            Term::Class(set) => boundaries = set.boundaries(),
            Term::Literal { literal, position } => {
                boundaries = Boundaries::of_byte(self.terms.literals[literal.index()][position as usize]);
            }
            Term::Words { set, low, high, depth } => {
                let words = self.terms.word_sets[set.index()].words.clone();
                let mut at = low;
                while at < high {
                    match words[at as usize].get(depth as usize) {
                        None => at += 1,
                        Some(&byte) => {
                            boundaries.merge(&Boundaries::of_byte(byte));
                            at = narrow(&words, at, high, depth, byte).1;
                        }
                    }
                }
            }
            Term::Keys(set) => {
                self.registers.keys.children(set).for_each(|(byte, _)| boundaries.merge(&Boundaries::of_byte(byte)));
            }
            Term::Multiple { .. } => {
                boundaries.merge(&Boundaries::of_byte(b'.'));
                (b'0'..=b'9').for_each(|byte| boundaries.merge(&Boundaries::of_byte(byte)));
            }
            Term::Cat(left, right) => {
                boundaries = self.boundaries(left);
                if self.info(left).nullable {
                    boundaries.merge(&self.boundaries(right));
                }
            }
            Term::Alt(ref parts) | Term::And(ref parts) => {
                for part in Parts::from_slice(parts) {
                    boundaries.merge(&self.boundaries(part));
                }
            }
            Term::Not(inner) => boundaries = self.boundaries(inner),
            Term::Repeat { body, .. } => boundaries = self.boundaries(body),
            Term::Bounded { body, .. } => {
                boundaries = self.boundaries(body);
                boundaries.insert(0x80);
                boundaries.insert(0xc0);
            }
            Term::Quoted { text, state, escapes } => match state {
                Spelling::Body => {
                    boundaries = self.boundaries(text);
                    boundaries.merge(&self.boundaries(escapes.escaped));
                    boundaries.insert(0x20);
                    boundaries.merge(&Boundaries::of_byte(b'"'));
                    boundaries.merge(&Boundaries::of_byte(b'\\'));
                }
                _ => (0x20..0x7f).for_each(|byte| boundaries.merge(&Boundaries::of_byte(byte))),
            },
            Term::KeyNamed { object, low, high, depth, .. } => {
                let spec = self.registers.objects[object.index()].clone();
                spec.key_bytes(low, high, depth).for_each(|byte| boundaries.merge(&Boundaries::of_byte(byte)));
            }
            Term::KeyExtra { inner, text, .. } => {
                boundaries = self.boundaries(inner);
                if text != Text::Unknown {
                    boundaries = Boundaries::ALL;
                }
            }
            _ => {}
        }
        *self.terms.boundaries.get_mut(id.index(), &mut self.budget) = boundaries;
        boundaries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular::fixture::{bytes, regex, words};
    use crate::regular::key_set::NO_KEYS;
    use crate::regular::term::{EMPTY, EPSILON, TOP};

    const HEX: &str = "0123456789ABCDEFabcdef";

    /// The bytes at which an interval begins, without 0.
    fn cuts(arena: &mut Arena, id: TermId) -> Vec<u8> {
        let boundaries = arena.boundaries(id);
        (1..=255u8).filter(|&byte| boundaries.interval(byte).0 == byte).collect()
    }

    fn keys(arena: &mut Arena, texts: &[&str]) -> TermId {
        let add = |set, text: &&str| arena.registers.keys.with(set, text.as_bytes(), &mut arena.budget);
        let set = texts.iter().fold(NO_KEYS, add);
        arena.key_set(set).unwrap()
    }

    #[test]
    fn a_regular_term_begins_with_what_its_parts_begin_with() {
        let mut arena = Arena::new();
        for (pattern, first) in [
            ("", ""),
            ("[bd]", "bd"),
            ("abc", "a"),
            ("[ab]c", "ab"),
            ("[ab]?c", "abc"),
            ("[ab]*(c|d)", "abcd"),
            ("ax|bx", "ab"),
            ("(ab){2,3}c", "a"),
        ] {
            let id = regex(&mut arena, pattern);
            assert_eq!(arena.first_bytes(id), bytes(first), "{pattern}");
        }
        let [left, right] = ["[abc]x", "[bcd]x"].map(|pattern| regex(&mut arena, pattern));
        let both = arena.and_unchecked(vec![left, right]).unwrap();
        assert_eq!(arena.first_bytes(both), bytes("bc"));
        let outside = arena.not(left).unwrap();
        assert_eq!(arena.first_bytes(outside), ByteSet::FULL);
        assert_eq!(arena.first_bytes(EMPTY), ByteSet::EMPTY);
        assert_eq!(arena.first_bytes(TOP), ByteSet::FULL);
        let many = regex(&mut arena, "(ab|ac)*");
        let bounded = arena.bounded(many, 1, 2).unwrap();
        assert_eq!(arena.first_bytes(bounded), bytes("a"));
    }

    #[test]
    fn words_keys_and_digits_begin_with_their_own_bytes() {
        let mut arena = Arena::new();
        let all = words(&mut arena, &["", "ab", "ac", "b", "ca"]);
        assert_eq!(arena.first_bytes(all), bytes("abc"));
        assert_eq!(cuts(&mut arena, all), b"abcd");
        let rest = arena.derive(all, b'a').unwrap();
        assert_eq!(arena.first_bytes(rest), bytes("bc"));
        assert_eq!(cuts(&mut arena, rest), b"bcd");
        let set = keys(&mut arena, &["", "ab", "x"]);
        assert_eq!(arena.first_bytes(set), bytes("ax"));
        assert_eq!(cuts(&mut arena, set), b"abxy");
        let (plain, pointed) = (arena.multiple(3, false).unwrap(), arena.multiple(3, true).unwrap());
        assert_eq!(arena.first_bytes(plain), bytes("0123456789"));
        assert_eq!(arena.first_bytes(pointed), bytes(".0123456789"));
        assert_eq!(cuts(&mut arena, pointed), b"./0123456789:");
    }

    #[test]
    fn a_string_begins_with_its_quote_and_goes_on_as_its_state_tells() {
        let mut arena = Arena::new();
        let text = regex(&mut arena, "[\\x00-\\x1f]|[ab]z");
        for (state, first) in [
            (Spelling::Start, "\""),
            (Spelling::Body, "ab\"\\"),
            (Spelling::Escape, "\"\\/bfnrtu"),
            (Spelling::Hex { digits: 1, value: 0 }, HEX),
            (Spelling::LowEscape { high: 0xd800 }, "\\"),
            (Spelling::LowU { high: 0xd800 }, "u"),
            (Spelling::Low { high: 0xd800, digits: 0, value: 0 }, HEX),
        ] {
            let id = arena.quoted_state(text, state, true).unwrap();
            assert_eq!(arena.first_bytes(id), bytes(first), "{state:?}");
        }
    }

    #[test]
    fn a_key_begins_with_what_its_candidates_go_on_with() {
        let mut builder = crate::grammar::builder::Builder::default();
        let named = crate::grammar::fixture::members(&["ab", "b"]);
        let node = crate::grammar::fixture::object(&mut builder, &named, &[], Default::default());
        let Term::Object(object) = *builder.arena.term(node) else { unreachable!() };
        let mut arena = builder.arena;
        let state = arena.first_state(object);
        let named = arena.key_named(object, state, 0, 2, 1).unwrap();
        assert_eq!((arena.first_bytes(named), cuts(&mut arena, named)), (bytes("ab"), b"abc".to_vec()));
        let done = arena.key_done(object, state, 0).unwrap();
        assert_eq!(arena.first_bytes(done), ByteSet::EMPTY);
        let inner = regex(&mut arena, "[b-d]x");
        let mut extra = |text| arena.key_extra(object, state, 0, inner, text).unwrap();
        let (known, unknown) = (extra(Text::Known(crate::regular::registers::NO_TEXT)), extra(Text::Unknown));
        assert_eq!([known, unknown].map(|key| arena.first_bytes(key)), [bytes("bcd"); 2]);
        assert_eq!(cuts(&mut arena, unknown), b"be");
        assert_eq!(cuts(&mut arena, known).len(), 255, "each byte leads to a text of its own");
    }

    #[test]
    fn intervals_are_cut_where_a_part_tells_bytes_apart() {
        let mut arena = Arena::new();
        for (pattern, expected) in [
            ("", ""),
            ("[b-d]", "be"),
            ("mn", "mn"),
            ("[b-d]x", "be"),
            ("[b-d]?x", "bexy"),
            ("[b-d]x|[c-f]y", "bceg"),
            ("([b-d]x)*", "be"),
        ] {
            let id = regex(&mut arena, pattern);
            assert_eq!(cuts(&mut arena, id), expected.as_bytes(), "{pattern}");
        }
        let [left, right] = ["[b-d]x", "[c-f]x"].map(|pattern| regex(&mut arena, pattern));
        let both = arena.and_unchecked(vec![left, right]).unwrap();
        assert_eq!(cuts(&mut arena, both), b"bceg");
        let outside = arena.not(left).unwrap();
        assert_eq!(cuts(&mut arena, outside), b"be");
        let letters = regex(&mut arena, "[a-\\xff]*");
        let bounded = arena.bounded(letters, 0, 3).unwrap();
        assert_eq!(cuts(&mut arena, bounded), [b'a', 0x80, 0xc0]);
        let any = regex(&mut arena, "[\\x00-\\x7f]*");
        let body = arena.quoted_state(any, Spelling::Body, false).unwrap();
        assert_eq!(cuts(&mut arena, body), [0x20, b'"', b'#', b'\\', b']', 0x80]);
        let escape = arena.quoted_state(any, Spelling::Escape, false).unwrap();
        assert_eq!(cuts(&mut arena, escape), (0x20..=0x7f).collect::<Vec<u8>>());
        assert!(cuts(&mut arena, EPSILON).is_empty());
    }

    #[test]
    fn all_bytes_of_an_interval_have_one_derivative_and_only_first_bytes_have_any() {
        let mut arena = Arena::new();
        let text = regex(&mut arena, "[a-m]*(é|\\n)");
        let many = regex(&mut arena, "(ab|[c-x]{2})*");
        let terms = [
            arena.quoted(text, true).unwrap(),
            arena.quoted_state(text, Spelling::Body, true).unwrap(),
            arena.quoted_state(text, Spelling::Escape, true).unwrap(),
            arena.bounded(many, 1, 3).unwrap(),
            arena.not(many).unwrap(),
            arena.multiple(12, true).unwrap(),
        ];
        for id in terms {
            let (first, boundaries) = (arena.first_bytes(id), arena.boundaries(id));
            for byte in 0..=255u8 {
                let target = arena.derive_uncached(id, byte, true).unwrap();
                let neighbour = arena.derive_uncached(id, boundaries.interval(byte).0, true).unwrap();
                assert_eq!(target, neighbour, "{:?} by {byte}", arena.term(id));
                assert!(target == EMPTY || first.contains(byte), "{:?} by {byte}", arena.term(id));
            }
        }
    }
}

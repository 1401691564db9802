//! Tries of bytes → whether they spell whole characters, as the classes of characters do that builders make.
//!
//! The fact cannot be computed from the parts, of which none is a whole character. It is believed of no file.

use crate::bytes::byteset::ByteSet;
use crate::regular::arena::Arena;
use crate::regular::term::{Term, TermId};

/// The bytes of a character in UTF-8, at most.
const LONGEST: usize = 4;

/// Whether each text of a term is one character in UTF-8, and the term is a trie over its bytes.
pub(super) fn is_character_class(arena: &Arena, id: TermId) -> bool {
    are_characters(arena, id, &mut Vec::new())
}

/// Whether what stands in `before` and a text of the term are one character.
fn are_characters(arena: &Arena, id: TermId, before: &mut Vec<ByteSet>) -> bool {
    let depth = before.len();
    let fits = match arena.term(id) {
        _ if depth == LONGEST => false,
        Term::Alt(parts) => depth < LONGEST && parts.iter().all(|&part| are_characters(arena, part, before)),
        &Term::Cat(head, rest) => push(arena, head, before) && are_characters(arena, rest, before),
        _ => push(arena, id, before) && is_character(before),
    };
    before.truncate(depth);
    fits
}

/// Adds the bytes of a class or a literal; whether it is one.
fn push(arena: &Arena, id: TermId, before: &mut Vec<ByteSet>) -> bool {
    match arena.term(id) {
        Term::Class(set) => before.push(*set),
        Term::Literal { literal, position } => {
            let bytes = &arena.terms.literals[literal.index()][*position as usize..];
            before.extend(bytes.iter().take(LONGEST + 1).map(|&byte| ByteSet::range(byte, byte)));
        }
        _ => return false,
    }
    true
}

/// Whether every choice of one byte of each set is a character (The Unicode Standard, table 3-7).
fn is_character(sets: &[ByteSet]) -> bool {
    let within =
        |set: &ByteSet, low: u8, high: u8| (0..=255).all(|byte| !set.contains(byte) || (low..=high).contains(&byte));
    let is_led = |lead: u8| match (lead, sets.len()) {
        (0..=0x7f, 1) => true,
        (0xc2..=0xdf, 2) => within(&sets[1], 0x80, 0xbf),
        (0xe0, 3) => within(&sets[1], 0xa0, 0xbf),
        (0xed, 3) => within(&sets[1], 0x80, 0x9f),
        (0xe1..=0xef, 3) | (0xf1..=0xf3, 4) => within(&sets[1], 0x80, 0xbf),
        (0xf0, 4) => within(&sets[1], 0x90, 0xbf),
        (0xf4, 4) => within(&sets[1], 0x80, 0x8f),
        _ => false,
    };
    !sets.is_empty()
        && (0..=255).all(|lead| !sets[0].contains(lead) || is_led(lead))
        && sets.iter().skip(2).all(|set| within(set, 0x80, 0xbf))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_of_characters_are_known_again() {
        let mut arena = Arena::new();
        for ranges in
            [&[(0, 0x10_ffff)][..], &[(0xe9, 0xe9)], &[(0x7f, 0x800), (0xffff, 0x1_0000)], &[(0xd7ff, 0xe000)]]
        {
            let class = arena.char_class(ranges).unwrap();
            assert!(is_character_class(&arena, class), "{ranges:x?}");
        }
    }

    #[test]
    fn other_bytes_are_no_characters() {
        let mut arena = Arena::new();
        let bytes: [&[u8]; 7] =
            [b"ab", b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xc3", "éé".as_bytes()];
        for data in bytes {
            let literal = arena.literal(data).unwrap();
            assert!(!is_character_class(&arena, literal), "{data:x?}");
        }
        let loose = arena.class(ByteSet::range(0x41, 0xc3)).unwrap();
        let text = arena.any_text().unwrap();
        assert!(![loose, text].iter().any(|&id| is_character_class(&arena, id)));
    }
}

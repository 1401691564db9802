//! Counted repetition × byte → the copies still to read, without a term for every count.
//!
//! A long text of a counted pattern, such as `a{0,100000}`, passes one count after the other. A term for each count
//! would fill the memory, although no count comes again.

use crate::error::Result;
use crate::regular::term::{Term, TermId, EMPTY, EPSILON, MANY};
use crate::regular::terms::Terms;

/// The rest `at` of a copy of `body`, then `min` to `max` more copies, then `tail`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Copies {
    at: TermId,
    body: TermId,
    min: u32,
    max: u32,
    tail: TermId,
}

impl Copies {
    /// The counted copies with which a term goes on; None if it has another form.
    pub(super) fn of(terms: &Terms, text: TermId) -> Option<Self> {
        let (at, rest) = match *terms.term(text) {
            Term::Cat(left, right) if !matches!(terms.term(left), Term::Repeat { .. }) => (left, right),
            _ => (EPSILON, text),
        };
        let (repeat, tail) = match *terms.term(rest) {
            Term::Cat(left, right) => (left, right),
            _ => (rest, EPSILON),
        };
        let Term::Repeat { body, min, max } = *terms.term(repeat) else { return None };
        // If copies may be empty, their count does not limit the text. If there is no count, no terms are saved.
        let counted = min > 1 || max > 1 && max != MANY;
        (counted && !terms.info(body).nullable).then_some(Copies { at, body, min, max, tail })
    }

    /// The term of the self.
    pub(super) fn rest(self, terms: &mut Terms) -> Result<TermId> {
        let more = terms.repeat(self.body, self.min, self.max)?;
        let rest = terms.cat(more, self.tail)?;
        terms.cat(self.at, rest)
    }

    /// Whether the text may end here.
    pub(super) fn can_end(self, terms: &Terms) -> bool {
        self.min == 0 && terms.info(self.at).nullable && terms.info(self.tail).nullable
    }

    /// The copies after a byte; None if the byte may go on in several ways or in none: then the term decides.
    pub(super) fn after(self, terms: &mut Terms, byte: u8) -> Result<Option<Self>> {
        let Copies { at, body, min, max, tail } = self;
        let inside = terms.derive_part(at, byte)?;
        if !terms.info(at).nullable {
            return Ok((inside != EMPTY).then_some(Copies { at: inside, ..self }));
        }
        if min == 0 && terms.first_bytes(tail).contains(byte) {
            return Ok(None);
        }
        let begun = if max == 0 { EMPTY } else { terms.derive_part(body, byte)? };
        Ok(match (inside, begun) {
            (EMPTY, EMPTY) => None,
            (at, EMPTY) => Some(Copies { at, ..self }),
            (EMPTY, at) => {
                let max = if max == MANY { MANY } else { max - 1 };
                Some(Copies { at, min: min.saturating_sub(1), max, ..self })
            }
            _ => None,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::automaton::machine::Machine;
    use crate::automaton::position::{PositionId, DEAD};
    use crate::builder::Builder;
    use crate::limits::Limits;

    /// A copy, counted, and what follows the copies.
    type Case = (&'static [&'static [u8]], (u32, Option<u32>), &'static [u8]);

    /// Copies of one of the words, then the tail; a JSON string if `quoted`.
    fn machine((words, (min, max), tail): Case, quoted: bool) -> Box<Machine> {
        let mut builder = Builder::default();
        let words: Vec<u32> = words.iter().map(|word| builder.literal(word).unwrap().number()).collect();
        let copy = builder.alt(&words).unwrap().number();
        let copies = builder.repeat(copy, min, max).unwrap().number();
        let tail = builder.literal(tail).unwrap().number();
        let text = builder.cat(&[copies, tail]).unwrap();
        let root = if quoted { builder.quoted(text.number(), false).unwrap() } else { text };
        Machine::of(&builder.build(root.number()).unwrap(), &Limits::default(), [None, None], None).unwrap()
    }

    /// Every text of up to seven of the bytes leads where its bytes lead one by one; returns how many texts may go on.
    fn follow(machine: &mut Machine, from: PositionId, text: &mut Vec<u8>, at: PositionId) -> usize {
        assert_eq!(machine.read(from, text).unwrap(), at, "{:?}", String::from_utf8_lossy(text));
        if at == DEAD || text.len() == 7 {
            return usize::from(at != DEAD);
        }
        let mut alive = 1;
        for &byte in b"abcd\"\\\xc3\xa9" {
            let next = machine.step(at, byte).unwrap();
            text.push(byte);
            alive += follow(machine, from, text, next);
            text.pop();
        }
        alive
    }

    #[test]
    fn a_text_leads_where_its_bytes_lead() {
        let cases: [Case; 7] = [
            (&[b"a", b"b"], (3, Some(3)), b""),
            (&[b"ab", b"a"], (2, Some(4)), b""),
            (&[b"ab", b"c"], (2, None), b"d"),
            (&[b"\xc3\xa9", b"\""], (2, Some(2)), b"a"),
            // The tail begins as a copy does, and as the rest of a copy does.
            (&[b"ab", b"c"], (1, Some(3)), b"ab"),
            (&[b"a", b"ac"], (1, Some(2)), b"cd"),
            // After "a" another copy may begin, or this one may go on.
            (&[b"a", b"aab"], (2, Some(3)), b""),
        ];
        for case in cases {
            for quoted in [false, true] {
                let mut machine = machine(case, quoted);
                let mut from = machine.start;
                if quoted {
                    from = machine.step(from, b'"').unwrap();
                }
                assert!(follow(&mut machine, from, &mut Vec::new(), from) > 5);
            }
        }
    }

    #[test]
    fn a_long_text_takes_no_memory_for_its_counts() {
        for quoted in [false, true] {
            let mut machine = machine((&[b"ab", b"c"], (100_000, Some(100_000)), b"d"), quoted);
            let text = [if quoted { &b"\""[..] } else { b"" }, &b"abc".repeat(50_000)].concat();
            let held = machine.memory_bytes();
            let end = machine.read(machine.start, &text).unwrap();
            assert_ne!(machine.read(end, if quoted { b"d\"" } else { b"d" }).unwrap(), DEAD, "every copy was counted");
            assert_eq!(machine.read(end, b"c").unwrap(), DEAD);
            assert!(machine.memory_bytes() - held < 20_000);
        }
    }
}

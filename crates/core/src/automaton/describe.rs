//! Position → its heads and frames in words, for debugging.
//!
//! Descriptions serve error messages and tests only. Terms are written as `grammar::dump` writes them, without names.

use crate::automaton::frame::{FrameId, BOTTOM};
use crate::automaton::machine::Machine;
use crate::automaton::position::Position;
use crate::grammar::dump::writer::{Precedence, Writer};
use crate::regular::term::{Term, TermId};
use rustc_hash::FxHashSet;

/// Nesting depth at which terms and frames are cut off.
const MAX_DEPTH: u32 = 8;
/// Terms after which a description is cut off.
const MAX_TERMS: u32 = 200;
/// Sets of more words are counted instead.
const MAX_WORDS: u32 = 8;

impl Machine {
    /// A one-line description of a position.
    pub(crate) fn describe(&self, position: &Position) -> String {
        let mut left = MAX_TERMS;
        let mut parts: Vec<String> = Vec::new();
        for &(head, frame) in &position.heads {
            let head = self.describe_term(head, Precedence::Union, MAX_DEPTH, &mut left);
            parts.push(head + &self.describe_frame(frame, MAX_DEPTH, &mut left));
        }
        parts.extend(position.specials.iter().map(|(special, _)| format!("special {}", special.number())));
        if position.accepting {
            parts.push("the end".into());
        }
        format!("[{}]", parts.join(" | "))
    }

    fn describe_frame(&self, frame: FrameId, depth: u32, left: &mut u32) -> String {
        if frame == BOTTOM || depth == 0 || *left == 0 {
            return String::new();
        }
        let members = self.members(frame).iter().map(|&(term, parent)| {
            let term = self.describe_term(term, Precedence::Union, depth - 1, left);
            term + &self.describe_frame(parent, depth - 1, left)
        });
        format!(" then {}", members.collect::<Vec<_>>().join(" or "))
    }

    fn describe_term(&self, id: TermId, precedence: Precedence, depth: u32, left: &mut u32) -> String {
        if depth == 0 || *left == 0 {
            return "…".into();
        }
        *left -= 1;
        match *self.arena.term(id) {
            Term::Words { low, high, .. } if high - low > MAX_WORDS => format!("{} words", high - low),
            _ => {
                let writer = Writer { arena: &self.arena, specials: &[], shared: &FxHashSet::default() };
                let mut write = |part, precedence| self.describe_term(part, precedence, depth - 1, left);
                writer.text(id, precedence, " ", &mut write)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::fixture::{after, alt, machine};
    use crate::builder::Builder;

    fn described(make: impl FnOnce(&mut Builder) -> TermId, text: &str) -> String {
        let mut machine = machine(make);
        let id = after(&mut machine, text.as_bytes());
        machine.describe(&machine.position(id).clone())
    }

    #[test]
    fn a_position_names_its_heads_its_special_tokens_and_the_end() {
        let make = |builder: &mut Builder| {
            let (ab, special) = (builder.literal(b"ab").unwrap(), builder.special("<s>").unwrap());
            let either = alt(builder, &[ab, special]);
            builder.repeat(either.number(), 0, Some(1)).unwrap()
        };
        assert_eq!(described(make, ""), "['ab' | special 0 | the end]");
        assert_eq!(described(make, "a"), "['b']");
        assert_eq!(described(make, "x"), "[]");
    }
}

//! Position → its heads and frames in words, for debugging.
//!
//! Descriptions serve error messages and tests only; `grammar::dump` prints whole grammars.

use crate::automaton::frame::{FrameId, BOTTOM};
use crate::automaton::machine::Machine;
use crate::automaton::position::Position;
use crate::bytes::byteset::ByteSet;
use crate::regular::term::{Term, TermId, MANY};
use crate::regular::terms::Terms;
use std::fmt::Write;

/// Nesting depth at which terms and frames are cut off.
const MAX_DEPTH: u32 = 8;

/// Bytes after which a description is cut off.
const MAX_BYTES: usize = 2_000;

impl Machine {
    /// A one-line description of a position.
    pub(crate) fn describe(&self, position: &Position) -> String {
        let mut parts: Vec<String> = Vec::new();
        for &(head, frame) in &position.heads {
            let mut text = String::new();
            show(&self.arena, head, MAX_DEPTH, &mut text);
            self.show_frame(frame, MAX_DEPTH, &mut text);
            parts.push(text);
        }
        parts.extend(position.specials.iter().map(|(special, _)| format!("special {}", special.number())));
        if position.accepting {
            parts.push("the end".into());
        }
        format!("[{}]", parts.join(" | "))
    }

    fn show_frame(&self, frame: FrameId, depth: u32, out: &mut String) {
        if frame == BOTTOM || depth == 0 || out.len() > MAX_BYTES {
            return;
        }
        let members = self.members(frame);
        out.push_str(" then ");
        for (at, &(term, parent)) in members.iter().enumerate() {
            out.push_str(if at > 0 { " or " } else { "" });
            show(&self.arena, term, depth - 1, out);
            self.show_frame(parent, depth - 1, out);
        }
    }
}

/// Writes a term down to a depth.
fn show(terms: &Terms, id: TermId, depth: u32, out: &mut String) {
    if depth == 0 || out.len() > MAX_BYTES {
        out.push('…');
        return;
    }
    let list = |parts: &[TermId], between: &str, out: &mut String| {
        out.push('(');
        for (at, &part) in parts.iter().enumerate() {
            out.push_str(if at > 0 { between } else { "" });
            show(terms, part, depth - 1, out);
        }
        out.push(')');
    };
    // Writing to a String cannot fail.
    let _ = match *terms.term(id) {
        Term::Empty => write!(out, "nothing"),
        Term::Epsilon => write!(out, "\"\""),
        Term::Class(bytes) => write!(out, "{}", format_class(&bytes)),
        Term::Literal { literal, position } => {
            let text = String::from_utf8_lossy(&terms.literals[literal.index()][position as usize..]);
            write!(out, "{text:?}")
        }
        Term::Words { set, low, high, depth } => {
            let words = &terms.word_sets[set.index()].words[low as usize..high as usize];
            let first = words.first().map_or("".into(), |word| String::from_utf8_lossy(&word[depth as usize..]));
            write!(out, "{} words from {first:?}", words.len())
        }
        Term::Cat(left, right) | Term::Seq(left, right) => {
            list(&[left, right], " ", out);
            Ok(())
        }
        Term::Alt(ref parts) => {
            list(parts, " | ", out);
            Ok(())
        }
        Term::And(ref parts) => {
            list(parts, " & ", out);
            Ok(())
        }
        Term::Not(inner) => {
            out.push('!');
            list(&[inner], "", out);
            Ok(())
        }
        Term::Repeat { body, min, max } | Term::Bounded { body, min, max } => {
            list(&[body], "", out);
            match max {
                MANY => write!(out, "{{{min},}}"),
                _ => write!(out, "{{{min},{max}}}"),
            }
        }
        Term::Quoted { text, state, .. } => {
            let _ = write!(out, "string in {state:?} of ");
            list(&[text], "", out);
            Ok(())
        }
        ref other => write!(out, "{other:?}"),
    };
}

fn format_class(bytes: &ByteSet) -> String {
    let mut out = String::from("[");
    for byte in (0..=255u8).filter(|&byte| bytes.contains(byte)).take(12) {
        out.extend(std::ascii::escape_default(byte).map(char::from));
    }
    out.push_str(if bytes.len() > 12 { "…]" } else { "]" });
    out
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
        assert_eq!(described(make, ""), "[\"ab\" | special 0 | the end]");
        assert_eq!(described(make, "a"), "[[b]]");
        assert_eq!(described(make, "x"), "[]");
    }
}

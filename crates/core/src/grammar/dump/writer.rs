//! Term × how its parts are written → the text of the term in the notation of `dump`.
//!
//! The writer knows the notation of every kind of term, but no names. `dump` gives names.

use crate::grammar::dump::notation::{format_class, format_range, parenthesize, quote};
use crate::json::arena::Arena;
use crate::regular::term::{Spelling, Term, TermId, EMPTY, EPSILON, MANY};
use rustc_hash::FxHashSet;

/// Binding strength of the context in which a term is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Precedence {
    Union,
    Intersection,
    Sequence,
    Postfix,
}

#[derive(Clone, Copy)]
pub(crate) struct Writer<'a> {
    pub(crate) arena: &'a Arena,
    pub(crate) specials: &'a [String],
    /// Terms that are parts of a sequence even at its end, where the sequences within a sequence end.
    pub(crate) shared: &'a FxHashSet<TermId>,
}

impl Writer<'_> {
    /// The text of a term, with its parts as `write` writes them.
    pub(crate) fn text(
        &self,
        id: TermId,
        precedence: Precedence,
        separator: &str,
        write: &mut dyn FnMut(TermId, Precedence) -> String,
    ) -> String {
        let arena = self.arena;
        let mut joined = |parts: &[TermId], own: Precedence, sign: &str| {
            let texts: Vec<String> = parts.iter().map(|&part| write(part, own)).collect();
            texts.join(&format!("{separator}{sign}"))
        };
        match *arena.term(id) {
            Term::Empty => "nothing".into(),
            Term::Epsilon => "empty".into(),
            _ if arena.any_text == Some(id) => "any_text".into(),
            Term::Class(bytes) => format_class(&bytes),
            Term::Literal { literal, position } => quote(&arena.terms.literals[literal.index()][position as usize..]),
            Term::Words { set, low, high, depth } => {
                let words = &arena.terms.word_sets[set.index()].words[low as usize..high as usize];
                let texts: Vec<String> = words.iter().map(|word| quote(&word[depth as usize..])).collect();
                parenthesize(texts.join(&format!("{separator}| ")), precedence > Precedence::Union)
            }
            Term::Alt(ref parts) => {
                let nonempty: Vec<TermId> = parts.iter().copied().filter(|&part| part != EPSILON).collect();
                match nonempty[..] {
                    _ if nonempty.len() == parts.len() => {
                        parenthesize(joined(parts, Precedence::Union, "| "), precedence > Precedence::Union)
                    }
                    [part] => write(part, Precedence::Postfix) + "?",
                    _ => format!("({})?", joined(&nonempty, Precedence::Union, "| ")),
                }
            }
            Term::And(ref parts) => {
                parenthesize(joined(parts, Precedence::Intersection, "& "), precedence > Precedence::Intersection)
            }
            Term::Cat(..) | Term::Seq(..) => {
                let texts = self.sequence(id, write);
                parenthesize(texts.join(separator), texts.len() > 1 && precedence > Precedence::Sequence)
            }
            Term::Not(inner) => format!("!{}", write(inner, Precedence::Postfix)),
            Term::Repeat { body, min, max } => {
                let body = write(body, Precedence::Postfix);
                match (min, max) {
                    (0, 1) => body + "?",
                    (0, MANY) => body + "*",
                    (1, MANY) => body + "+",
                    _ => body + &format_range(min, max),
                }
            }
            Term::Bounded { body, min, max } => write(body, Precedence::Postfix) + "#" + &format_range(min, max),
            Term::Quoted { text, state, escapes } => {
                let escaped = match escapes.escaped {
                    EMPTY => String::new(),
                    escaped => format!(", escaped {}", write(escaped, Precedence::Union)),
                };
                let name = if escapes.free { "string_free" } else { "string" };
                let state = if state == Spelling::Start { String::new() } else { format!(" in {state:?}") };
                format!("{name}({}{escaped}){state}", write(text, Precedence::Union))
            }
            Term::Multiple { of, rest, point } => {
                let rest = if rest == 0 { String::new() } else { format!(", from {rest}") };
                format!("multiple({of}{rest}{})", if point { ", point" } else { "" })
            }
            Term::Special(special) => match self.specials.get(special.index()) {
                Some(name) => format!("special({})", quote(name.as_bytes())),
                None => format!("special {}", special.number()),
            },
            ref term => format!("{term:?}"),
        }
    }

    /// The texts of a sequence's parts, with one text for adjacent literals.
    fn sequence(&self, id: TermId, write: &mut dyn FnMut(TermId, Precedence) -> String) -> Vec<String> {
        let (mut texts, mut bytes, mut rest) = (Vec::new(), Vec::new(), Some(id));
        while let Some(whole) = rest {
            let part = match *self.arena.term(whole) {
                Term::Cat(left, right) | Term::Seq(left, right) if whole == id || !self.shared.contains(&whole) => {
                    rest = Some(right);
                    left
                }
                _ => {
                    rest = None;
                    whole
                }
            };
            match *self.arena.term(part) {
                Term::Class(set) if set.len() == 1 => bytes.extend(set.iter()),
                Term::Literal { literal, position } => {
                    bytes.extend_from_slice(&self.arena.terms.literals[literal.index()][position as usize..]);
                }
                _ => {
                    texts.extend((!bytes.is_empty()).then(|| quote(&std::mem::take(&mut bytes))));
                    texts.push(write(part, Precedence::Sequence));
                }
            }
        }
        texts.extend((!bytes.is_empty()).then(|| quote(&bytes)));
        texts
    }
}

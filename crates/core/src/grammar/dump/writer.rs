//! Term × how its parts are written → the text of the term in the notation of `dump`.
//!
//! The writer knows the notation of every kind of term, but no names. `dump` gives names.

use crate::grammar::dump::notation::{format_class, format_range, parenthesize, quote};
use crate::grammar::dump::{Precedence, TermClasses, INLINE_WIDTH};
use crate::grammar::rules::Rules;
use crate::json::arena::Arena;
use crate::json::registers::ObjectSpec;
use crate::regular::term::{Spelling, Term, TermId, EMPTY, EPSILON, MANY};
use rustc_hash::{FxHashMap, FxHashSet};

/// The parts of a term.
pub(crate) enum Parts {
    Alternatives(Vec<TermId>),
    Intersected(Vec<TermId>),
    Sequence(Vec<TermId>),
    Other,
}

#[derive(Clone, Copy)]
pub(crate) struct Writer<'a> {
    pub(crate) arena: &'a Arena,
    pub(crate) rules: &'a Rules,
    pub(crate) specials: &'a [String],
}

impl Writer<'_> {
    /// For each reachable term, the number of terms, objects and rules that refer to it.
    pub(super) fn references(&self, root: TermId, classes: &mut TermClasses<'_>) -> FxHashMap<TermId, u32> {
        let (mut found, mut layouts) = (FxHashMap::default(), FxHashSet::default());
        let mut work = vec![root];
        while let Some(id) = work.pop() {
            let id = classes.of(id);
            let count: &mut u32 = found.entry(id).or_default();
            *count += 1;
            if *count == 1 {
                self.children(id, &mut layouts, classes, &mut work);
            }
        }
        found
    }

    fn children(
        &self,
        id: TermId,
        layouts: &mut FxHashSet<[TermId; 5]>,
        classes: &mut TermClasses<'_>,
        out: &mut Vec<TermId>,
    ) {
        let arena = self.arena;
        match *arena.term(id) {
            Term::Call(rule) => out.extend(self.rules.body(rule)),
            Term::Object(object) => {
                let spec = &arena.registers.objects[object.index()];
                out.extend(spec.values().flatten().map(|value| value.node));
                out.extend(spec.extras.iter().map(|extra| extra.keys));
                let layout = layout(spec).map(|term| classes.of(term));
                out.extend(layouts.insert(layout).then_some(layout).into_iter().flatten());
            }
            _ => arena.visit_parts(id, |part| out.push(part)),
        }
    }

    /// The parts of a term. A sequence is flattened up to a suffix for which `is_separate` holds.
    pub(crate) fn parts(&self, id: TermId, mut is_separate: impl FnMut(TermId) -> bool) -> Parts {
        match *self.arena.term(id) {
            Term::Alt(ref parts) => Parts::Alternatives(parts.to_vec()),
            Term::And(ref parts) => Parts::Intersected(parts.to_vec()),
            Term::Cat(left, right) | Term::Seq(left, right) => {
                let (mut parts, mut rest) = (vec![left], right);
                while let (Term::Cat(left, right) | Term::Seq(left, right), false) =
                    (self.arena.term(rest), is_separate(rest))
                {
                    parts.push(*left);
                    rest = *right;
                }
                parts.push(rest);
                Parts::Sequence(parts)
            }
            _ => Parts::Other,
        }
    }

    /// The text of a term from its parts, each written by `write`.
    pub(crate) fn format_term(
        &self,
        id: TermId,
        precedence: Precedence,
        parts: Parts,
        separator: &str,
        write: &mut dyn FnMut(TermId, Precedence) -> String,
    ) -> String {
        let arena = self.arena;
        let mut joined = |parts: Vec<TermId>, own: Precedence, term: &str, needs_parentheses: bool| {
            let texts: Vec<String> = parts.into_iter().map(|part| write(part, own)).collect();
            parenthesize(texts.join(&format!("{separator}{term}")), needs_parentheses)
        };
        match parts {
            Parts::Alternatives(mut parts) => {
                let count = parts.len();
                parts.retain(|&part| part != EPSILON);
                return match parts[..] {
                    _ if parts.len() == count => joined(parts, Precedence::Union, "| ", precedence > Precedence::Union),
                    [part] => write(part, Precedence::Postfix) + "?",
                    _ => joined(parts, Precedence::Union, "| ", true) + "?",
                };
            }
            Parts::Intersected(parts) => {
                return joined(parts, Precedence::Intersection, "& ", precedence > Precedence::Intersection)
            }
            Parts::Sequence(parts) => {
                let (mut texts, mut bytes) = (Vec::new(), Vec::new());
                for part in parts {
                    match self.few_bytes(part) {
                        Some(more) => bytes.extend(more),
                        None => {
                            texts.extend((!bytes.is_empty()).then(|| quote(&std::mem::take(&mut bytes))));
                            texts.push(write(part, Precedence::Sequence));
                        }
                    }
                }
                texts.extend((!bytes.is_empty()).then(|| quote(&bytes)));
                return parenthesize(texts.join(separator), texts.len() > 1 && precedence > Precedence::Sequence);
            }
            Parts::Other => {}
        }
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

    /// The bytes of a short literal. Adjacent literals of a sequence are written as one.
    fn few_bytes(&self, id: TermId) -> Option<Vec<u8>> {
        match *self.arena.term(id) {
            Term::Class(bytes) if bytes.len() == 1 => Some(bytes.iter().collect()),
            Term::Literal { literal, position } => {
                let text = &self.arena.terms.literals[literal.index()][position as usize..];
                (text.len() < INLINE_WIDTH).then(|| text.to_vec())
            }
            _ => None,
        }
    }

    /// The text of a term without names, cut off at some depth, by which alternatives are sorted.
    pub(super) fn sort_key(&self, id: TermId, levels: u32) -> String {
        if levels == 0 {
            return "…".into();
        }
        match *self.arena.term(id) {
            Term::Call(rule) => self.rules.names[rule.index()].clone(),
            Term::Unique(_) => "array".into(),
            Term::Object(object) => {
                let properties = &self.arena.registers.objects[object.index()].properties;
                let keys: Vec<String> = properties.iter().map(|property| quote(&property.key)).collect();
                format!("object {}", keys.join(" "))
            }
            _ => {
                let mut write = |part, precedence| {
                    let _: Precedence = precedence;
                    self.sort_key(part, levels - 1)
                };
                match self.parts(id, |_| false) {
                    Parts::Alternatives(parts) | Parts::Intersected(parts) => {
                        let mut texts: Vec<String> =
                            parts.iter().map(|&part| write(part, Precedence::Intersection)).collect();
                        texts.sort();
                        texts.join(" ")
                    }
                    parts => self.format_term(id, Precedence::Union, parts, " ", &mut write),
                }
            }
        }
    }
}

/// The punctuation of an object.
pub(super) fn layout(spec: &ObjectSpec) -> [TermId; 5] {
    [spec.open, spec.close, spec.comma, spec.empty, spec.colon]
}

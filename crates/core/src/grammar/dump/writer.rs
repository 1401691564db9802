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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Builder;
    use crate::grammar::fixture::{brackets, literal, object};
    use crate::grammar::grammar::Grammar;
    use crate::regular::fixture::regex;
    use std::sync::Arc;

    /// The grammar of one node, which the writer sees without names.
    fn written(make: impl FnOnce(&mut Builder) -> TermId, precedence: Precedence) -> String {
        let mut builder = Builder::default();
        let root = make(&mut builder);
        let grammar = builder.build(root.number()).unwrap();
        write(&writer(&grammar), grammar.parts().2, precedence)
    }

    fn writer(grammar: &Arc<Grammar>) -> Writer<'_> {
        let (arena, rules, _) = grammar.parts();
        Writer { arena, rules, specials: &grammar.specials }
    }

    fn write(writer: &Writer<'_>, id: TermId, precedence: Precedence) -> String {
        let parts = writer.parts(id, |_| false);
        writer.format_term(id, precedence, parts, " ", &mut |part, precedence| write(writer, part, precedence))
    }

    #[test]
    fn regular_terms_are_written_as_regular_expressions() {
        for (pattern, text) in [
            ("", "empty"),
            ("[a-c]", "[a-c]"),
            ("abc", "'abc'"),
            ("a*", "'a'*"),
            ("a+", "'a'+"),
            ("a?", "'a'?"),
            ("a{2,5}", "'a'{2,5}"),
            ("a{2,}", "'a'{2,}"),
            ("(ab)*", "'ab'*"),
            ("([ab]c)*", "([ab] 'c')*"),
            ("[ab]cd[ef]", "[ab] 'cd' [ef]"),
            ("ab[cd]*ef", "'ab' [cd]* 'ef'"),
            ("ab|cd|ef|gh", "'ab' | 'cd' | 'ef' | 'gh'"),
            ("(ab|cd|ef|gh)x", "('ab' | 'cd' | 'ef' | 'gh') 'x'"),
        ] {
            assert_eq!(written(|builder| regex(&mut builder.arena, pattern), Precedence::Union), text, "{pattern}");
        }
    }

    #[test]
    fn a_union_with_the_empty_text_is_optional() {
        let of = |texts: &'static [&'static str], precedence| {
            written(
                |builder| {
                    let special = builder.special("<s>").unwrap().number();
                    let mut parts: Vec<u32> = texts.iter().map(|text| literal(builder, text).number()).collect();
                    parts.push(special);
                    builder.alt(&parts).unwrap()
                },
                precedence,
            )
        };
        assert_eq!(of(&[""], Precedence::Union), "special('<s>')?");
        assert_eq!(of(&["", ""], Precedence::Postfix), "special('<s>')?");
        let either = of(&["", "xy"], Precedence::Union);
        assert!(either.starts_with('(') && either.ends_with(")?"), "{either}");
        let plain = of(&["xy"], Precedence::Union);
        assert!(!plain.starts_with('(') && plain.contains(" | "), "{plain}");
        assert!(of(&["xy"], Precedence::Sequence).starts_with('('));
    }

    #[test]
    fn every_kind_of_term_has_its_notation() {
        let of = |make: fn(&mut Builder) -> TermId| written(make, Precedence::Union);
        assert_eq!(of(|builder| builder.any_text().unwrap()), "any_text");
        assert_eq!(of(|builder| builder.multiple(7, false).unwrap()), "multiple(7)");
        assert_eq!(of(|builder| builder.multiple(7, true).unwrap()), "multiple(7, point)");
        assert_eq!(of(|builder| builder.arena.multiple_rest(7, 3, false).unwrap()), "multiple(7, from 3)");
        assert_eq!(of(|builder| builder.special("it's").unwrap()), "special('it\\'s')");
        let quoted = |builder: &mut Builder, free| {
            let text = regex(&mut builder.arena, "[a-c]*").number();
            builder.quoted(text, free).unwrap()
        };
        assert_eq!(written(|builder| quoted(builder, false), Precedence::Union), "string([a-c]*)");
        assert_eq!(written(|builder| quoted(builder, true), Precedence::Union), "string_free([a-c]*)");
        let bounded = of(|builder| {
            let text = regex(&mut builder.arena, "(abc|d)*").number();
            builder.bounded(text, 1, Some(5)).unwrap()
        });
        assert_eq!(bounded.rsplit_once('#').unwrap().1, "{1,5}");
        assert_eq!(of(|builder| builder.not(EPSILON.number()).unwrap()), "!empty");
        let both = of(|builder| {
            let [left, right] =
                ["[ab]*a[ab]*", "[ab]*b[ab]*"].map(|pattern| regex(&mut builder.arena, pattern).number());
            builder.and(&[left, right]).unwrap()
        });
        assert!(both.contains(" & ") && !both.starts_with('('), "{both}");
    }

    #[test]
    fn neighbouring_short_literals_are_written_as_one() {
        let of = |length: usize| {
            written(
                |builder| {
                    let (text, end) = (literal(builder, &"x".repeat(length)).number(), literal(builder, "yz").number());
                    let special = builder.special("<s>").unwrap().number();
                    builder.seq(&[text, end, special, end]).unwrap()
                },
                Precedence::Union,
            )
        };
        assert_eq!(of(1), "'xyz' special('<s>') 'yz'");
        let short = "x".repeat(INLINE_WIDTH - 1);
        assert_eq!(of(INLINE_WIDTH - 1), format!("'{short}yz' special('<s>') 'yz'"));
        assert_eq!(of(INLINE_WIDTH), format!("'{short}x' 'yz' special('<s>') 'yz'"));
    }

    #[test]
    fn a_sequence_is_flat_up_to_a_part_that_stands_apart() {
        let mut builder = Builder::default();
        let [a, b] = ["<a>", "<b>"].map(|name| builder.special(name).unwrap());
        let tail = builder.seq(&[b, a].map(TermId::number)).unwrap();
        let whole = builder.seq(&[a, tail].map(TermId::number)).unwrap();
        let grammar = builder.build(whole.number()).unwrap();
        let writer = writer(&grammar);
        let of = |is_separate: bool| match writer.parts(whole, |_| is_separate) {
            Parts::Sequence(parts) => parts,
            _ => unreachable!(),
        };
        assert_eq!((of(false), of(true)), (vec![a, b, a], vec![a, tail]));
        assert!(matches!(writer.parts(a, |_| false), Parts::Other));
    }

    #[test]
    fn references_count_the_terms_that_refer_to_a_term() {
        let mut builder = Builder::default();
        let rule = builder.rule("rule").unwrap();
        let [word, one] = ["a word", "1"].map(|text| literal(&mut builder, text));
        let inner = object(&mut builder, &[("a", true), ("b", true)], &["[x-z]"], Default::default());
        let punctuation = brackets(&mut builder);
        let array = builder.unique_array(&[(true, vec![(word.number(), 0)])], punctuation, 0, None).unwrap();
        let repeated = builder.repeat(array.number(), 2, Some(3)).unwrap();
        let quoted = builder.quoted(word.number(), false).unwrap();
        let either = builder.alt(&[repeated, quoted].map(TermId::number)).unwrap();
        let body = builder.seq(&[word, either, word].map(TermId::number)).unwrap();
        builder.define(rule.number(), body.number()).unwrap();
        let root = builder.seq(&[inner, rule, rule].map(TermId::number)).unwrap();
        let grammar = builder.build(root.number()).unwrap();
        let mut classes = TermClasses { fingerprints: grammar.fingerprints(), first: FxHashMap::default() };
        let counts = writer(&grammar).references(root, &mut classes);
        assert_eq!([root, rule, array, inner].map(|id| counts[&id]), [1, 2, 1, 1]);
        assert_eq!(counts[&word], 4, "two parts of a sequence, an item, and the text of a string");
        assert_eq!(counts[&one], 3, "two properties and the others");
        assert_eq!(counts[&punctuation.comma], 2, "the comma of the object, and of the array");
    }

    #[test]
    fn terms_are_sorted_by_a_text_without_names() {
        let mut builder = Builder::default();
        let rule = builder.rule("a rule").unwrap();
        let inner = object(&mut builder, &[("a", true), ("b", true)], &[], Default::default());
        let [y, x] = ["yy", "xx"].map(|text| literal(&mut builder, text).number());
        let special = builder.special("<s>").unwrap().number();
        let either = builder.alt(&[special, y, x]).unwrap();
        let followed = builder.seq(&[special, y]).unwrap();
        let punctuation = brackets(&mut builder);
        let array = builder.unique_array(&[(true, vec![(y, 0)])], punctuation, 0, None).unwrap();
        builder.define(rule.number(), y).unwrap();
        let grammar = builder.build(special).unwrap();
        let key = |id, levels| writer(&grammar).sort_key(id, levels);
        assert_eq!(key(rule, 2), "a rule");
        assert_eq!(key(inner, 2), "object 'a' 'b'");
        assert_eq!(key(array, 2), "array");
        assert_eq!(key(either, 2), "'xx' 'yy' special('<s>')");
        assert_eq!(key(followed, 2), "special('<s>') 'yy'");
        assert_eq!((key(either, 1), key(rule, 0)), ("… … …".into(), "…".into()));
        assert_eq!(key(crate::regular::term::EMPTY, 1), "nothing");
    }
}

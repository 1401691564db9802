//! Grammar → its rules as text, for readers and golden files.
//!
//! Definitions follow in the order of their first mention. The text depends on the grammar alone: names are numbered
//! from the root, and alternatives are sorted by their text. No ids or hashes of the process show. The notation, from
//! the weakest binding to the strongest:
//!
//! | text | meaning |
//! |---|---|
//! | `a \| b` | either |
//! | `a & b`, `!a` | both; all byte strings but these |
//! | `a b` | one after the other |
//! | `a?` `a*` `a+` `a{2,5}` | repeated |
//! | `a#{2,5}` | the texts of `a` that have 2 to 5 characters |
//! | `'x'`, `[a-z\xff]` | these bytes; one byte of a class |
//! | `any_text` | every valid UTF-8 text |
//! | `string(a)`, `string_free(a)` | the JSON strings that decode to a text of `a`: in one spelling, or in every one |
//! | `multiple(7)`, `multiple(7, point)` | digits of a multiple; points may stand between them |
//! | `special('<x>')` | a special token |
//! | `nothing`, `empty` | no text; the empty text |
//!
//! `rule_1`, `object_1`, `array_1`, `layout_1` (punctuation) and `term_1` (long, or used twice) have definitions.

mod notation;
mod writer;

use crate::grammar::fingerprint::Fingerprints;
use crate::grammar::grammar::Grammar;
use crate::regular::id::{ArrayId, RuleId};
use crate::regular::registers::{Clause, ObjectSpec, Value};
use crate::regular::term::{Term, TermId};
use notation::{format_clause, format_count, format_marks, quote};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;
use std::fmt::Write;
use writer::{layout, Parts, Writer};

/// Characters of a line. A longer term has its own definition, with a line for each part.
const LINE_WIDTH: usize = 100;

/// Characters that a name is assumed to take.
const NAME_WIDTH: usize = 8;

/// Characters up to which a term is written out at every use.
const INLINE_WIDTH: usize = 16;

/// Levels of a term that count when alternatives are sorted.
const SKETCH_DEPTH: u32 = 4;

impl Grammar {
    /// The grammar as text, in the notation of this module.
    pub fn dump(&self) -> String {
        let (arena, rules, root) = self.parts();
        let writer = Writer { arena, rules, specials: &self.specials };
        let mut classes = TermClasses { fingerprints: self.fingerprints(), first: FxHashMap::default() };
        let mut dump = Dump {
            references: writer.references(root, &mut classes),
            writer,
            classes,
            names: FxHashMap::default(),
            counts: FxHashMap::default(),
            lengths: FxHashMap::default(),
            agenda: VecDeque::new(),
        };
        let mut out = format!("root ={}\n", dump.definition(root));
        while let Some((item, name)) = dump.agenda.pop_front() {
            out.push('\n');
            if let Definition::Rule(rule) = item {
                let _ = writeln!(out, "# {}", rules.names[rule.index()].escape_debug());
            }
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{name} ={}", dump.body(item));
        }
        out
    }
}

/// A thing with a definition of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Definition {
    Term(TermId),
    Rule(RuleId),
    /// The punctuation of an object: open, close, comma, empty, colon.
    Members([TermId; 5]),
    /// The punctuation of an array: open, close, comma, empty.
    Items([TermId; 4]),
}

/// Binding strength of the context in which a term is written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Union,
    Intersection,
    Sequence,
    Postfix,
}

/// One representative for terms of equal structure. Whether such terms are one term in the arena depends on the
/// process.
struct TermClasses<'a> {
    fingerprints: Fingerprints<'a>,
    first: FxHashMap<u128, TermId>,
}

impl TermClasses<'_> {
    fn of(&mut self, id: TermId) -> TermId {
        let print = self.fingerprints.of(id);
        *self.first.entry(print).or_insert(id)
    }
}

struct Dump<'a> {
    writer: Writer<'a>,
    classes: TermClasses<'a>,
    references: FxHashMap<TermId, u32>,
    names: FxHashMap<Definition, String>,
    counts: FxHashMap<&'static str, u32>,
    lengths: FxHashMap<TermId, usize>,
    agenda: VecDeque<(Definition, String)>,
}

impl Dump<'_> {
    fn name(&mut self, item: Definition, kind: &'static str) -> String {
        if let Some(name) = self.names.get(&item) {
            return name.clone();
        }
        let count = self.counts.entry(kind).or_default();
        *count += 1;
        let name = format!("{kind}_{count}");
        self.names.insert(item, name.clone());
        self.agenda.push_back((item, name.clone()));
        name
    }

    /// The name of a term that has a definition; None if the term is written out.
    fn definition_name(&mut self, id: TermId) -> Option<String> {
        let id = self.classes.of(id);
        match *self.writer.arena.term(id) {
            Term::Call(rule) => Some(self.name(Definition::Rule(rule), "rule")),
            Term::Object(_) => Some(self.name(Definition::Term(id), "object")),
            Term::Unique(_) => Some(self.name(Definition::Term(id), "array")),
            _ if self.has_definition(id) || self.length(id) > LINE_WIDTH => {
                Some(self.name(Definition::Term(id), "term"))
            }
            _ => None,
        }
    }

    /// Whether a term is used twice and longer than `INLINE_WIDTH`.
    fn has_definition(&mut self, id: TermId) -> bool {
        let id = self.classes.of(id);
        self.references.get(&id).is_some_and(|&count| count > 1) && self.length(id) > INLINE_WIDTH
    }

    /// The approximate number of characters of a term that is written out.
    fn length(&mut self, id: TermId) -> usize {
        let id = self.classes.of(id);
        if let Some(&known) = self.lengths.get(&id) {
            return known;
        }
        let writer = self.writer;
        let parts = match writer.parts(id, |tail| self.has_definition(tail)) {
            Parts::Alternatives(parts) | Parts::Intersected(parts) | Parts::Sequence(parts) => parts,
            Parts::Other => Vec::new(),
        };
        let own = match writer.arena.term(id) {
            Term::Call(_) | Term::Object(_) | Term::Unique(_) => NAME_WIDTH,
            _ if parts.is_empty() => {
                let mut inner = 0;
                let mut write = |part, _| {
                    inner += self.part_length(part);
                    String::new()
                };
                writer.format_term(id, Precedence::Union, Parts::Other, " ", &mut write).len() + inner
            }
            _ => 0,
        };
        let length = parts.into_iter().map(|part| self.part_length(part) + 2).sum::<usize>() + own;
        self.lengths.insert(id, length);
        length
    }

    fn part_length(&mut self, id: TermId) -> usize {
        match self.length(id) {
            length if length > LINE_WIDTH || self.has_definition(id) => NAME_WIDTH,
            length => length,
        }
    }

    fn term(&mut self, id: TermId, precedence: Precedence) -> String {
        match self.definition_name(id) {
            Some(name) => name,
            None => self.write_term(id, precedence, " "),
        }
    }

    /// The text of a term. `separator` joins the parts of a sequence or union that fills a definition.
    fn write_term(&mut self, id: TermId, precedence: Precedence, separator: &str) -> String {
        let writer = self.writer;
        let parts = match writer.parts(id, |tail| self.has_definition(tail)) {
            Parts::Alternatives(parts) => Parts::Alternatives(self.sorted(parts)),
            Parts::Intersected(parts) => Parts::Intersected(self.sorted(parts)),
            parts => parts,
        };
        writer.format_term(id, precedence, parts, separator, &mut |part, precedence| self.term(part, precedence))
    }

    fn sorted(&mut self, parts: Vec<TermId>) -> Vec<TermId> {
        let mut keyed: Vec<(String, u128, TermId)> = parts
            .into_iter()
            .map(|part| (self.writer.sort_key(part, SKETCH_DEPTH), self.classes.fingerprints.of(part), part))
            .collect();
        keyed.sort();
        keyed.into_iter().map(|(_, _, part)| part).collect()
    }

    /// A definition after its equals sign: on the same line, or on lines of its own if long.
    fn definition(&mut self, id: TermId) -> String {
        match *self.writer.arena.term(id) {
            Term::Call(_) | Term::Object(_) | Term::Unique(_) => format!(" {}", self.term(id, Precedence::Union)),
            _ if self.length(id) <= LINE_WIDTH => format!(" {}", self.write_term(id, Precedence::Union, " ")),
            _ => format!("\n  {}", self.write_term(id, Precedence::Union, "\n  ")),
        }
    }

    fn body(&mut self, item: Definition) -> String {
        match item {
            Definition::Rule(rule) => match self.writer.rules.body(rule) {
                Some(body) => self.definition(body),
                None => " nothing".into(),
            },
            Definition::Members(terms) => self.layout(&["open", "close", "comma", "none", "colon"], &terms),
            Definition::Items(terms) => self.layout(&["open", "close", "comma", "none"], &terms),
            Definition::Term(id) => match *self.writer.arena.term(id) {
                Term::Object(object) => self.object(&self.writer.arena.registers.objects[object.index()].clone()),
                Term::Unique(array) => self.array(array),
                _ => self.definition(id),
            },
        }
    }

    fn layout(&mut self, names: &[&str], terms: &[TermId]) -> String {
        let lines = names.iter().zip(terms);
        lines.map(|(name, &term)| format!("\n  {name} {}", self.term(term, Precedence::Union))).collect()
    }

    fn object(&mut self, spec: &ObjectSpec) -> String {
        let layout = layout(spec).map(|term| self.classes.of(term));
        let layout = self.name(Definition::Members(layout), "layout");
        let order = match (spec.any_order, spec.earlier.is_empty()) {
            (true, _) => "in any order",
            (_, true) => "in this order",
            _ => "in an order of several",
        };
        let mut out = format!(" object of members {order}, {layout}");
        if !spec.extras.is_empty() && !spec.extras_last {
            out.push_str(", others between them");
        }
        out.push_str(&format_count(spec.min, spec.max));
        if spec.required_marks != 0 {
            let _ = write!(out, ", marked {}", format_marks(spec.required_marks));
        }
        for &Clause { premises, conclusions } in &spec.clauses {
            let _ = write!(out, "\n  {}", format_clause(premises, conclusions));
        }
        for (index, property) in spec.properties.iter().enumerate() {
            let needed = if property.required { "required" } else { "optional" };
            let values = self.values(&property.values);
            let _ = write!(out, "\n  {needed} {}: {values}", quote(&property.key));
            for &(_, effect) in spec.implies.iter().filter(|pair| pair.0 as usize == index) {
                let _ = write!(out, ", with {}", quote(&spec.properties[effect as usize].key));
            }
            let earlier = spec.earlier.get(index).into_iter().flat_map(|earlier| members(earlier));
            for before in earlier.filter(|&before| before != index) {
                let _ = write!(out, ", after {}", quote(&spec.properties[before].key));
            }
        }
        for extra in &spec.extras {
            let keys = self.term(extra.keys, Precedence::Union);
            let values = self.values(&extra.values);
            let _ = write!(out, "\n  other {keys}: {values}");
        }
        out
    }

    fn values(&mut self, values: &[Value]) -> String {
        let mut texts: Vec<String> = Vec::new();
        let mut sorted: Vec<(String, u128, &Value)> = values
            .iter()
            .map(|value| {
                (self.writer.sort_key(value.node, SKETCH_DEPTH), self.classes.fingerprints.of(value.node), value)
            })
            .collect();
        sorted.sort_by(|a, b| (&a.0, a.1, a.2.marks).cmp(&(&b.0, b.1, b.2.marks)));
        for (_, _, value) in sorted {
            let mark = if value.marks == 0 { String::new() } else { format!(" (marks {})", format_marks(value.marks)) };
            texts.push(self.term(value.node, Precedence::Union) + &mark);
        }
        if texts.is_empty() {
            return "nothing".into();
        }
        texts.join(" | ")
    }

    fn array(&mut self, array: ArrayId) -> String {
        let spec = self.writer.arena.registers.uniques[array.index()].clone();
        let layout = [spec.open, spec.close, spec.comma, spec.empty].map(|term| self.classes.of(term));
        let layout = self.name(Definition::Items(layout), "layout");
        let mut out = format!(" array of different items, {layout}{}", format_count(spec.min, spec.max));
        for (state, steps) in spec.steps.iter().enumerate() {
            let end = if spec.accepting[state] && !spec.is_empty { " may end" } else { "" };
            let _ = write!(out, "\n  state {state}{end}");
            for &(item, next) in steps {
                let _ = write!(out, "\n    {} → state {next}", self.term(item, Precedence::Union));
            }
        }
        out
    }
}

fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    (0..set.len() * 64).filter(|&index| set[index / 64] >> (index % 64) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use crate::grammar::builder::{Builder, ObjectRules};
    use crate::grammar::fixture::{braces, brackets, literal, members, object};

    fn dump(make: impl FnOnce(&mut Builder) -> u32) -> String {
        let mut builder = Builder::default();
        let root = make(&mut builder);
        builder.build(root).unwrap().dump()
    }

    #[test]
    fn rules_are_defined_in_the_order_of_their_first_mention() {
        let text = dump(|builder| {
            let [late, early] = ["late", "early\n"].map(|name| builder.rule(name).unwrap().number());
            let [x, y] = ["x", "y"].map(|text| literal(builder, text).number());
            let more = builder.seq(&[x, late]).unwrap().number();
            builder.define(early, more).unwrap();
            builder.define(late, y).unwrap();
            builder.seq(&[early, y, late]).unwrap().number()
        });
        assert_eq!(text, "root = rule_1 'y' rule_2\n\n# early\\n\nrule_1 = 'x' rule_2\n\n# late\nrule_2 = 'y'\n");
    }

    #[test]
    fn alternatives_are_sorted_by_their_text() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let text = dump(|builder| {
                let special = builder.special("<s>").unwrap().number();
                let mut parts = order.map(|place| {
                    let text = literal(builder, ["aa", "bb", "cc"][place]).number();
                    builder.seq(&[text, special]).unwrap().number()
                });
                parts.rotate_left(1);
                builder.alt(&parts).unwrap().number()
            });
            assert_eq!(text, "root = 'aa' special('<s>') | 'bb' special('<s>') | 'cc' special('<s>')\n");
        }
    }

    #[test]
    fn a_long_term_has_a_line_for_each_part_and_a_part_used_twice_a_definition() {
        let of = |length: usize, count: usize| {
            dump(|builder| {
                let word = builder.words(vec![vec![b'x'; length].into(), b"y"[..].into()]).unwrap().number();
                let special = builder.special("<s>").unwrap().number();
                builder.seq(&vec![[word, special]; count].concat()).unwrap().number()
            })
        };
        // A union of two words takes 'x…' | 'y': length + 8 characters.
        assert_eq!(of(3, 2), "root = ('xxx' | 'y') special('<s>') ('xxx' | 'y') special('<s>')\n");
        assert!(of(8, 2).starts_with("root = ('xxxxxxxx' | 'y') special"), "16 characters are written at every use");
        assert!(of(9, 2).starts_with("root = term_1 special"), "17 are not");
        assert!(of(92, 1).starts_with("root =\n  ('xxx"), "100 characters fill a line");
        assert!(of(93, 1).starts_with("root = term_1 special"), "101 have a definition");
        let named = of(20, 2);
        assert!(named.starts_with("root = term_1 special('<s>') term_1 special('<s>')\n\nterm_1 = 'xxxx"), "{named}");
        let long = of(3, 5);
        assert!(long.starts_with("root =\n  ('xxx' | 'y')\n  special('<s>')\n"), "{long}");
    }

    #[test]
    fn a_line_is_as_long_as_its_parts_are() {
        let calls = |count: usize| {
            dump(|builder| {
                let rule = crate::grammar::fixture::rules(builder, &[("A", &["x"])])[0].number();
                builder.seq(&vec![rule; count]).unwrap().number()
            })
        };
        assert!(calls(10).starts_with("root = rule_1 rule_1"), "ten names and their spaces fill a line");
        assert!(calls(11).starts_with("root =\n  rule_1\n"));
        let quoted = |length: usize| {
            dump(|builder| {
                let words = builder.words(vec![vec![b'x'; length].into(), b"y"[..].into()]).unwrap().number();
                builder.quoted(words, false).unwrap().number()
            })
        };
        assert!(quoted(84).starts_with("root = string('xxx"), "92 characters of the words, 8 around them");
        assert!(quoted(85).starts_with("root =\n  string('xxx"));
    }

    #[test]
    fn an_object_lists_its_members_and_what_restricts_them() {
        let text = dump(|builder| {
            let rules = ObjectRules {
                min: 1,
                max: Some(3),
                required_marks: 0b10,
                implies: vec![(0, 1)],
                any_order: true,
                ..ObjectRules::default()
            };
            let [one, two] = ["1", "2"].map(|text| literal(builder, text).number());
            let named = vec![
                ("a".to_owned(), true, vec![(two, 0b10), (one, 0)]),
                ("b".to_owned(), false, vec![(one, 0)]),
                ("c".to_owned(), false, vec![]),
            ];
            let keys = crate::regular::fixture::regex(&mut builder.arena, "[x-z]").number();
            let punctuation = braces(builder);
            builder.object(named, vec![(keys, vec![(one, 0)])], punctuation, rules).unwrap().number()
        });
        assert_eq!(
            text,
            "root = object_1

object_1 = object of members in any order, layout_1, others between them, {1,3} of them, marked 1
  required 'a': '1' | '2' (marks 1), with 'b'
  optional 'b': '1'
  optional 'c': nothing
  other [x-z]: '1'

layout_1 =
  open '{'
  close '}'
  comma ','
  none '{}'
  colon ':'
"
        );
    }

    #[test]
    fn the_order_of_members_is_told() {
        let of = |rules: ObjectRules| dump(|builder| object(builder, &members(&["a", "b"]), &[], rules).number());
        let listed = of(ObjectRules::default());
        assert!(listed.contains("object of members in this order, layout_1\n"), "{listed}");
        let several = of(ObjectRules { orders: vec![vec![1, 0]], ..ObjectRules::default() });
        assert!(several.contains("in an order of several, layout_1\n"), "{several}");
        assert!(
            several.contains("optional 'a': '1', after 'b'\n") && several.contains("optional 'b': '1'\n"),
            "{several}"
        );
        let last = |extras_last| {
            let rules = ObjectRules { extras_last, ..ObjectRules::default() };
            dump(|builder| object(builder, &[], &["[x-z]"], rules).number()).contains("others between them")
        };
        assert!(last(false) && !last(true));
    }

    #[test]
    fn an_array_lists_its_states() {
        let text = dump(|builder| {
            let digits = crate::regular::fixture::regex(&mut builder.arena, "[0-9]").number();
            let punctuation = brackets(builder);
            let states = [(false, vec![(digits, 1)]), (true, vec![(digits, 1)])];
            builder.unique_array(&states, punctuation, 0, Some(4)).unwrap().number()
        });
        let expected = "root = array_1

array_1 = array of different items, layout_1, {0,4} of them
  state 0
    [0-9] → state 1
  state 1 may end
    [0-9] → state 1

layout_1 =
  open '['
  close ']'
  comma ','
  none '[]'
";
        assert_eq!(text, expected);
    }

    #[test]
    fn members_of_a_set_are_its_bits() {
        assert_eq!(super::members(&[0b101, 1]).collect::<Vec<_>>(), [0, 2, 64]);
    }

    #[test]
    fn objects_of_one_structure_are_one_definition() {
        let text = dump(|builder| {
            let [one, other] =
                [(); 2].map(|()| object(builder, &members(&["a"]), &[], ObjectRules::default()).number());
            builder.seq(&[one, other]).unwrap().number()
        });
        assert!(text.starts_with("root = object_1 object_1\n") && !text.contains("object_2"), "{text}");
    }
}

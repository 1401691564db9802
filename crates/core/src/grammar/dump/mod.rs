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
//! | `string(a, escaped b)` | of these, those in which an escape begins each text of `b` |
//! | `multiple(7)`, `multiple(7, point)` | digits of a multiple; points may stand between them |
//! | `special('<x>')` | a special token |
//! | `nothing`, `empty` | no text; the empty text |
//!
//! `rule_1`, `object_1`, `array_1`, `layout_1` (punctuation) and `term_1` (long, or used twice) have definitions.

mod notation;
pub(crate) mod writer;

use crate::grammar::fingerprint::Fingerprints;
use crate::grammar::grammar::Grammar;
use crate::json::registers::{Clause, ObjectSpec, Value};
use crate::regular::id::{ArrayId, RuleId};
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
pub(crate) enum Precedence {
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
            let earlier =
                spec.earlier.get(index).into_iter().flatten().flat_map(|&(start, end)| start as usize..end as usize);
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

#[cfg(test)]
mod tests;

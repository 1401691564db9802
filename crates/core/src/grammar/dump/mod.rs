//! Grammar → its rules as text, for readers and golden files.
//!
//! Names are numbered as the text comes to them. No ids or hashes of the process show. The notation, from the weakest
//! binding to the strongest:
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

use crate::grammar::grammar::Grammar;
use crate::grammar::rules::Rules;
use crate::json::arena::Arena;
use crate::json::registers::{Clause, ObjectSpec, UniqueSpec, Value};
use crate::regular::term::{Term, TermId};
use notation::{format_clause, format_count, format_marks, quote};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::fmt::Write;
use writer::{Precedence, Writer};

/// Characters of a line. A longer term has its own definition, with a line for each part.
const LINE_WIDTH: usize = 100;

/// Characters up to which a term is written out at every use.
const INLINE_WIDTH: usize = 16;

impl Grammar {
    /// The grammar as text, in the notation of this module.
    pub fn dump(&self) -> String {
        let (arena, rules, root) = self.parts();
        let shared = terms_used_twice(arena, rules, root);
        let writer = Writer { arena, specials: &self.specials, shared: &shared };
        let mut dump =
            Dump { writer, rules, names: FxHashMap::default(), counts: FxHashMap::default(), open: VecDeque::new() };
        let mut out = format!("root ={}\n", dump.definition(root));
        while let Some((item, name)) = dump.open.pop_front() {
            out.push('\n');
            if let Definition::Term(id) = item {
                if let Term::Call(rule) = *arena.term(id) {
                    out += &format!("# {}\n", rules.names[rule.index()].escape_debug());
                }
            }
            out += &format!("{name} ={}\n", dump.body(item));
        }
        out
    }
}

/// The terms to which several terms, objects and rules refer.
fn terms_used_twice(arena: &Arena, rules: &Rules, root: TermId) -> FxHashSet<TermId> {
    let (mut once, mut twice, mut work) = (FxHashSet::default(), FxHashSet::default(), vec![root]);
    while let Some(id) = work.pop() {
        if !once.insert(id) {
            twice.insert(id);
            continue;
        }
        match *arena.term(id) {
            Term::Call(rule) => work.extend(rules.body(rule)),
            _ => arena.visit_parts(id, |part| work.push(part)),
        }
    }
    twice
}

/// A thing with a definition of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Definition {
    Term(TermId),
    /// The punctuation of an object or array: open, close, comma, empty, and the colon of an object.
    Layout([TermId; 4], Option<TermId>),
}

struct Dump<'a> {
    writer: Writer<'a>,
    rules: &'a Rules,
    names: FxHashMap<Definition, String>,
    counts: FxHashMap<&'static str, u32>,
    /// What has a name but is not yet defined.
    open: VecDeque<(Definition, String)>,
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
        self.open.push_back((item, name.clone()));
        name
    }

    /// The text of a term where it is used: its name if it has a definition.
    fn term(&mut self, id: TermId, precedence: Precedence) -> String {
        let kind = match *self.writer.arena.term(id) {
            Term::Call(_) => "rule",
            Term::Object(_) => "object",
            Term::Unique(_) => "array",
            _ if self.names.contains_key(&Definition::Term(id)) => "term",
            _ => {
                let text = self.written(id, precedence, " ");
                let most = if self.writer.shared.contains(&id) { INLINE_WIDTH } else { LINE_WIDTH };
                if text.len() <= most {
                    return text;
                }
                "term"
            }
        };
        self.name(Definition::Term(id), kind)
    }

    /// The text of a term. `separator` joins the parts of a sequence or union that fills a definition.
    fn written(&mut self, id: TermId, precedence: Precedence, separator: &str) -> String {
        let writer = self.writer;
        writer.text(id, precedence, separator, &mut |part, precedence| self.term(part, precedence))
    }

    /// A definition after its equals sign: on the same line, or on lines of its own if long.
    fn definition(&mut self, id: TermId) -> String {
        if matches!(self.writer.arena.term(id), Term::Call(_) | Term::Object(_) | Term::Unique(_)) {
            return format!(" {}", self.term(id, Precedence::Union));
        }
        let line = self.written(id, Precedence::Union, " ");
        match line.len() <= LINE_WIDTH {
            true => format!(" {line}"),
            false => format!("\n  {}", self.written(id, Precedence::Union, "\n  ")),
        }
    }

    fn body(&mut self, item: Definition) -> String {
        let arena = self.writer.arena;
        match item {
            Definition::Layout(terms, colon) => {
                let lines = ["open", "close", "comma", "none", "colon"].iter().zip(terms.into_iter().chain(colon));
                lines.map(|(name, term)| format!("\n  {name} {}", self.term(term, Precedence::Union))).collect()
            }
            Definition::Term(id) => match *arena.term(id) {
                Term::Call(rule) => self.rules.body(rule).map_or(" nothing".into(), |body| self.definition(body)),
                Term::Object(object) => self.object(&arena.registers.objects[object.index()]),
                Term::Unique(array) => self.array(&arena.registers.uniques[array.index()]),
                _ => self.definition(id),
            },
        }
    }

    fn object(&mut self, spec: &ObjectSpec) -> String {
        let punctuation = [spec.open, spec.close, spec.comma, spec.empty];
        let layout = self.name(Definition::Layout(punctuation, Some(spec.colon)), "layout");
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
        for value in values {
            let mark = if value.marks == 0 { String::new() } else { format!(" (marks {})", format_marks(value.marks)) };
            texts.push(self.term(value.node, Precedence::Union) + &mark);
        }
        if texts.is_empty() {
            return "nothing".into();
        }
        texts.join(" | ")
    }

    fn array(&mut self, spec: &UniqueSpec) -> String {
        let layout = self.name(Definition::Layout([spec.open, spec.close, spec.comma, spec.empty], None), "layout");
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

//! Grammar → its rules as text, for people and for golden files: one definition a paragraph, in order of first definition_name.
//!
//! The text depends on the grammar alone. Names are numbered as they are met from the root, and alternatives are sorted
//! by what they say: neither ids nor hashes of a process show. The notation, from the weakest binding to the strongest:
//!
//! | text | meaning |
//! |---|---|
//! | `a \| b` | either |
//! | `a & b`, `!a` | conjunction; all byte strings but these |
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
//! `rule_1`, `object_1`, `array_1`, `layout_1` (punctuation) and `term_1` (what is used twice, or long) have definitions.

use crate::bytes::byteset::ByteSet;
use crate::grammar::fingerprint::Fingerprints;
use crate::grammar::grammar::Grammar;
use crate::grammar::rules::Rules;
use crate::regular::arena::Arena;
use crate::regular::registers::{ObjectSpec, Value};
use crate::regular::term::{Spelling, Term, TermId, EPSILON, MANY};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::fmt::Write;

/// Characters of a line, about: what is longer has a definition of its own, with a line for each of its parts.
const LINE_WIDTH: usize = 100;

/// Characters of a name, about.
const NAME_WIDTH: usize = 8;

/// Characters of a term that is written out wherever it is used.
const INLINE_WIDTH: usize = 16;

/// Alternatives are sorted by their text down to so many levels.
const SKETCH_DEPTH: u32 = 4;

impl Grammar {
    /// The rules as text, in the notation of this module.
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
                let _ = writeln!(out, "# {}", rules.names[rule as usize].escape_debug());
            }
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{name} ={}", dump.body(item));
        }
        out
    }
}

/// What has a definition of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Definition {
    Term(TermId),
    Rule(u32),
    /// What opens and closes an object, stands between members and between key and value, and in place of none.
    Members([TermId; 5]),
    /// The same of an array, whose items have no keys.
    Items([TermId; 4]),
}

/// How tightly what surrounds a term binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    Union,
    Intersection,
    Sequence,
    Postfix,
}

/// Terms that are built classes are one term here: whether they are one in the arena depends on who made them.
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

    /// The name of a term that has a definition.
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

    /// Whether a term is used twice and worth a name.
    fn has_definition(&mut self, id: TermId) -> bool {
        let id = self.classes.of(id);
        self.references.get(&id).is_some_and(|&count| count > 1) && self.length(id) > INLINE_WIDTH
    }

    /// How many characters a term has where it is written out, about.
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

    /// A term written out; `separator` parts the terms of a sequence or union that is all of a definition.
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

    /// A term after the term of equality: on the same line, or if it is long on lines of its own.
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
                Term::Object(object) => self.object(&self.writer.arena.registers.objects[object as usize].clone()),
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

    fn array(&mut self, array: u32) -> String {
        let spec = self.writer.arena.registers.uniques[array as usize].clone();
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

/// What a term is put together from.
enum Parts {
    Alternatives(Vec<TermId>),
    Intersected(Vec<TermId>),
    Sequence(Vec<TermId>),
    Other,
}

#[derive(Clone, Copy)]
struct Writer<'a> {
    arena: &'a Arena,
    rules: &'a Rules,
    specials: &'a [String],
}

impl Writer<'_> {
    /// How many terms, objects and rules refer to each term that can be reached.
    fn references(&self, root: TermId, classes: &mut TermClasses<'_>) -> FxHashMap<TermId, u32> {
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
            Term::Cat(left, right) | Term::Seq(left, right) => out.extend([left, right]),
            Term::Alt(ref parts) | Term::And(ref parts) => out.extend(parts.iter()),
            Term::Not(inner) | Term::Quoted { text: inner, .. } => out.push(inner),
            Term::Repeat { body, .. } | Term::Bounded { body, .. } => out.push(body),
            Term::Call(rule) => out.extend(self.rules.body(rule)),
            Term::Object(object) => {
                let spec = &arena.registers.objects[object as usize];
                out.extend(spec.properties.iter().flat_map(|property| &property.values).map(|value| value.node));
                out.extend(spec.extras.iter().flat_map(|extra| &extra.values).map(|value| value.node));
                out.extend(spec.extras.iter().map(|extra| extra.keys));
                let layout = layout(spec).map(|term| classes.of(term));
                out.extend(layouts.insert(layout).then_some(layout).into_iter().flatten());
            }
            Term::Unique(array) => {
                let spec = &arena.registers.uniques[array as usize];
                out.extend(spec.steps.iter().flatten().map(|step| step.0));
                out.extend([spec.open, spec.close, spec.comma, spec.empty]);
            }
            _ => {}
        }
    }

    /// The parts of a term. A sequence goes on to the last part, or to one that stands `is_separate`.
    fn parts(&self, id: TermId, mut is_separate: impl FnMut(TermId) -> bool) -> Parts {
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

    /// The text of a term of these parts, each written by `write`.
    fn format_term(
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
            Term::Literal { literal, position } => quote(&arena.terms.literals[literal as usize][position as usize..]),
            Term::Words { set, low, high, depth } => {
                let words = &arena.terms.word_sets[set as usize].words[low as usize..high as usize];
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
            Term::Quoted { text, state: Spelling::Start, free } => {
                format!("string{}({})", if free { "_free" } else { "" }, write(text, Precedence::Union))
            }
            Term::Multiple { of, rest, point } => {
                let rest = if rest == 0 { String::new() } else { format!(", from {rest}") };
                format!("multiple({of}{rest}{})", if point { ", point" } else { "" })
            }
            Term::Special(special) => format!("special({})", quote(self.specials[special as usize].as_bytes())),
            // Positions, which no grammar is built of.
            _ => "…".into(),
        }
    }

    /// A term that is one short text: those of a sequence are written as one.
    fn few_bytes(&self, id: TermId) -> Option<Vec<u8>> {
        match *self.arena.term(id) {
            Term::Class(bytes) if bytes.len() == 1 => Some(bytes.iter().collect()),
            Term::Literal { literal, position } => {
                let text = &self.arena.terms.literals[literal as usize][position as usize..];
                (text.len() < INLINE_WIDTH).then(|| text.to_vec())
            }
            _ => None,
        }
    }

    /// The text of a term without names, down to some levels: enough to sort alternatives by.
    fn sort_key(&self, id: TermId, levels: u32) -> String {
        if levels == 0 {
            return "…".into();
        }
        match *self.arena.term(id) {
            Term::Call(rule) => self.rules.names[rule as usize].clone(),
            Term::Unique(_) => "array".into(),
            Term::Object(object) => {
                let properties = &self.arena.registers.objects[object as usize].properties;
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

fn layout(spec: &ObjectSpec) -> [TermId; 5] {
    [spec.open, spec.close, spec.comma, spec.empty, spec.colon]
}

fn parenthesize(text: String, needs_parentheses: bool) -> String {
    if needs_parentheses {
        format!("({text})")
    } else {
        text
    }
}

fn format_range(min: u32, max: u32) -> String {
    match max {
        MANY => format!("{{{min},}}"),
        _ if min == max => format!("{{{min}}}"),
        _ => format!("{{{min},{max}}}"),
    }
}

fn format_count(min: u32, max: u32) -> String {
    match (min, max) {
        (0, MANY) => String::new(),
        _ => format!(", {} of them", format_range(min, max)),
    }
}

/// The numbers of the bits, from 0.
fn format_marks(bits: u64) -> String {
    let set: Vec<String> = (0..64).filter(|bit| bits >> bit & 1 == 1).map(|bit| bit.to_string()).collect();
    set.join(" ")
}

fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    (0..set.len() * 64).filter(|&index| set[index / 64] >> (index % 64) & 1 == 1)
}

/// Text in single quotes; what cannot be printed as an escape.
fn quote(bytes: &[u8]) -> String {
    let mut out = String::from("'");
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match character {
                '\'' => out.push_str("\\'"),
                '"' => out.push('"'),
                _ => out.extend(character.escape_debug()),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out + "'"
}

/// Bytes in ranges; what is none of them, if those are fewer.
fn format_class(bytes: &ByteSet) -> String {
    if bytes.len() == 1 {
        return quote(&bytes.iter().collect::<Vec<u8>>());
    }
    let is_listed = bytes.len() <= 128;
    let listed = |byte: u8| bytes.contains(byte) == is_listed;
    let mut out = String::from(if is_listed { "[" } else { "[^" });
    let mut byte = 0u32;
    while byte < 256 {
        let first = byte;
        while byte < 256 && listed(byte as u8) {
            byte += 1;
        }
        match byte - first {
            0 => byte += 1,
            1 => out += &escape_byte(first as u8),
            2 => out += &(escape_byte(first as u8) + &escape_byte(first as u8 + 1)),
            _ => out += &format!("{}-{}", escape_byte(first as u8), escape_byte((byte - 1) as u8)),
        }
    }
    out + "]"
}

fn escape_byte(byte: u8) -> String {
    match byte {
        b']' | b'-' | b'^' | b'\\' => format!("\\{}", char::from(byte)),
        b'\'' | b'"' => char::from(byte).into(),
        _ => std::ascii::escape_default(byte).map(char::from).collect(),
    }
}

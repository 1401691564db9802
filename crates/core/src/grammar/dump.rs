//! Grammar → its rules as text, for people and for golden files: one definition a paragraph, in order of first mention.
//!
//! The text depends on the grammar alone. Names are numbered as they are met from the root, and alternatives are sorted
//! by what they say: neither ids nor hashes of a process show. The notation, from the weakest binding to the strongest:
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
//! `rule_1`, `object_1`, `array_1`, `layout_1` (punctuation) and `term_1` (what is used twice, or long) have definitions.

use crate::bytes::byteset::ByteSet;
use crate::grammar::fingerprint::Prints;
use crate::grammar::grammar::Grammar;
use crate::grammar::rules::Rules;
use crate::regular::arena::Arena;
use crate::regular::registers::{ObjectSpec, Value};
use crate::regular::term::{Spelling, Term, TermId, EPSILON, MANY};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::fmt::Write;

/// Characters of a line, about: what is longer has a definition of its own, with a line for each of its parts.
const WIDTH: usize = 100;

/// Characters of a name, about.
const NAME: usize = 8;

/// Characters of a term that is written out wherever it is used.
const SHORT: usize = 16;

/// Alternatives are sorted by their text down to so many levels.
const SKETCHED: u32 = 4;

impl Grammar {
    /// The rules as text, in the notation of this module.
    pub fn dump(&self) -> String {
        let (arena, rules, root) = self.parts();
        let writer = Writer { arena, rules, specials: &self.specials };
        let mut alike = Alike { prints: self.prints(), first: FxHashMap::default() };
        let mut dump = Dump {
            references: writer.references(root, &mut alike),
            writer,
            alike,
            names: FxHashMap::default(),
            counts: FxHashMap::default(),
            lengths: FxHashMap::default(),
            agenda: VecDeque::new(),
        };
        let mut out = format!("root ={}\n", dump.definition(root));
        while let Some((item, name)) = dump.agenda.pop_front() {
            out.push('\n');
            if let Item::Rule(rule) = item {
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
enum Item {
    Term(TermId),
    Rule(u32),
    /// What opens and closes an object, stands between members and between key and value, and in place of none.
    Members([TermId; 5]),
    /// The same of an array, whose items have no keys.
    Items([TermId; 4]),
}

/// How tightly what surrounds a term binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tight {
    Either,
    Both,
    Sequence,
    Postfix,
}

/// Terms that are built alike are one term here: whether they are one in the arena depends on who made them.
struct Alike<'a> {
    prints: Prints<'a>,
    first: FxHashMap<u128, TermId>,
}

impl Alike<'_> {
    fn of(&mut self, id: TermId) -> TermId {
        let print = self.prints.of(id);
        *self.first.entry(print).or_insert(id)
    }
}

struct Dump<'a> {
    writer: Writer<'a>,
    alike: Alike<'a>,
    references: FxHashMap<TermId, u32>,
    names: FxHashMap<Item, String>,
    counts: FxHashMap<&'static str, u32>,
    lengths: FxHashMap<TermId, usize>,
    agenda: VecDeque<(Item, String)>,
}

impl Dump<'_> {
    fn name(&mut self, item: Item, kind: &'static str) -> String {
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
    fn mention(&mut self, id: TermId) -> Option<String> {
        let id = self.alike.of(id);
        match *self.writer.arena.term(id) {
            Term::Call(rule) => Some(self.name(Item::Rule(rule), "rule")),
            Term::Object(_) => Some(self.name(Item::Term(id), "object")),
            Term::Unique(_) => Some(self.name(Item::Term(id), "array")),
            _ if self.stands_apart(id) || self.length(id) > WIDTH => Some(self.name(Item::Term(id), "term")),
            _ => None,
        }
    }

    /// Whether a term is used twice and worth a name.
    fn stands_apart(&mut self, id: TermId) -> bool {
        let id = self.alike.of(id);
        self.references.get(&id).is_some_and(|&count| count > 1) && self.length(id) > SHORT
    }

    /// How many characters a term has where it is written out, about.
    fn length(&mut self, id: TermId) -> usize {
        let id = self.alike.of(id);
        if let Some(&known) = self.lengths.get(&id) {
            return known;
        }
        let writer = self.writer;
        let parts = match writer.parts(id, |tail| self.stands_apart(tail)) {
            Parts::Alternatives(parts) | Parts::Intersected(parts) | Parts::Sequence(parts) => parts,
            Parts::Other => Vec::new(),
        };
        let own = match writer.arena.term(id) {
            Term::Call(_) | Term::Object(_) | Term::Unique(_) => NAME,
            _ if parts.is_empty() => {
                let mut inner = 0;
                let mut write = |part, _| {
                    inner += self.part_length(part);
                    String::new()
                };
                writer.assembled(id, Tight::Either, Parts::Other, " ", &mut write).len() + inner
            }
            _ => 0,
        };
        let length = parts.into_iter().map(|part| self.part_length(part) + 2).sum::<usize>() + own;
        self.lengths.insert(id, length);
        length
    }

    fn part_length(&mut self, id: TermId) -> usize {
        match self.length(id) {
            length if length > WIDTH || self.stands_apart(id) => NAME,
            length => length,
        }
    }

    fn term(&mut self, id: TermId, tight: Tight) -> String {
        match self.mention(id) {
            Some(name) => name,
            None => self.spelled(id, tight, " "),
        }
    }

    /// A term written out; `gap` parts the terms of a sequence or union that is all of a definition.
    fn spelled(&mut self, id: TermId, tight: Tight, gap: &str) -> String {
        let writer = self.writer;
        let parts = match writer.parts(id, |tail| self.stands_apart(tail)) {
            Parts::Alternatives(parts) => Parts::Alternatives(self.sorted(parts)),
            Parts::Intersected(parts) => Parts::Intersected(self.sorted(parts)),
            parts => parts,
        };
        writer.assembled(id, tight, parts, gap, &mut |part, tight| self.term(part, tight))
    }

    fn sorted(&mut self, parts: Vec<TermId>) -> Vec<TermId> {
        let mut keyed: Vec<(String, u128, TermId)> = parts
            .into_iter()
            .map(|part| (self.writer.sketch(part, SKETCHED), self.alike.prints.of(part), part))
            .collect();
        keyed.sort();
        keyed.into_iter().map(|(_, _, part)| part).collect()
    }

    /// A term after the sign of equality: on the same line, or if it is long on lines of its own.
    fn definition(&mut self, id: TermId) -> String {
        match *self.writer.arena.term(id) {
            Term::Call(_) | Term::Object(_) | Term::Unique(_) => format!(" {}", self.term(id, Tight::Either)),
            _ if self.length(id) <= WIDTH => format!(" {}", self.spelled(id, Tight::Either, " ")),
            _ => format!("\n  {}", self.spelled(id, Tight::Either, "\n  ")),
        }
    }

    fn body(&mut self, item: Item) -> String {
        match item {
            Item::Rule(rule) => match self.writer.rules.body(rule) {
                Some(body) => self.definition(body),
                None => " nothing".into(),
            },
            Item::Members(signs) => self.layout(&["open", "close", "comma", "none", "colon"], &signs),
            Item::Items(signs) => self.layout(&["open", "close", "comma", "none"], &signs),
            Item::Term(id) => match *self.writer.arena.term(id) {
                Term::Object(object) => self.object(&self.writer.arena.registers.objects[object as usize].clone()),
                Term::Unique(array) => self.array(array),
                _ => self.definition(id),
            },
        }
    }

    fn layout(&mut self, names: &[&str], signs: &[TermId]) -> String {
        let lines = names.iter().zip(signs);
        lines.map(|(name, &sign)| format!("\n  {name} {}", self.term(sign, Tight::Either))).collect()
    }

    fn object(&mut self, spec: &ObjectSpec) -> String {
        let layout = layout(spec).map(|sign| self.alike.of(sign));
        let layout = self.name(Item::Members(layout), "layout");
        let order = match (spec.any_order, spec.earlier.is_empty()) {
            (true, _) => "in any order",
            (_, true) => "in this order",
            _ => "in an order of several",
        };
        let mut out = format!(" object of members {order}, {layout}");
        if !spec.extras.is_empty() && !spec.extras_last {
            out.push_str(", others between them");
        }
        out.push_str(&count(spec.min, spec.max));
        if spec.required_marks != 0 {
            let _ = write!(out, ", marked {}", marks(spec.required_marks));
        }
        for (index, property) in spec.properties.iter().enumerate() {
            let needed = if property.required { "required" } else { "optional" };
            let values = self.values(&property.values);
            let _ = write!(out, "\n  {needed} {}: {values}", quoted(&property.key));
            for &(_, effect) in spec.implies.iter().filter(|pair| pair.0 as usize == index) {
                let _ = write!(out, ", with {}", quoted(&spec.properties[effect as usize].key));
            }
            let earlier = spec.earlier.get(index).into_iter().flat_map(|earlier| members(earlier));
            for before in earlier.filter(|&before| before != index) {
                let _ = write!(out, ", after {}", quoted(&spec.properties[before].key));
            }
        }
        for extra in &spec.extras {
            let keys = self.term(extra.keys, Tight::Either);
            let values = self.values(&extra.values);
            let _ = write!(out, "\n  other {keys}: {values}");
        }
        out
    }

    fn values(&mut self, values: &[Value]) -> String {
        let mut texts: Vec<String> = Vec::new();
        let mut sorted: Vec<(String, u128, &Value)> = values
            .iter()
            .map(|value| (self.writer.sketch(value.node, SKETCHED), self.alike.prints.of(value.node), value))
            .collect();
        sorted.sort_by(|a, b| (&a.0, a.1, a.2.marks).cmp(&(&b.0, b.1, b.2.marks)));
        for (_, _, value) in sorted {
            let mark = if value.marks == 0 { String::new() } else { format!(" (marks {})", marks(value.marks)) };
            texts.push(self.term(value.node, Tight::Either) + &mark);
        }
        if texts.is_empty() {
            return "nothing".into();
        }
        texts.join(" | ")
    }

    fn array(&mut self, array: u32) -> String {
        let spec = self.writer.arena.registers.uniques[array as usize].clone();
        let layout = [spec.open, spec.close, spec.comma, spec.empty].map(|sign| self.alike.of(sign));
        let layout = self.name(Item::Items(layout), "layout");
        let mut out = format!(" array of different items, {layout}{}", count(spec.min, spec.max));
        for (state, steps) in spec.steps.iter().enumerate() {
            let end = if spec.accepting[state] && !spec.is_unsatisfiable { " may end" } else { "" };
            let _ = write!(out, "\n  state {state}{end}");
            for &(item, next) in steps {
                let _ = write!(out, "\n    {} → state {next}", self.term(item, Tight::Either));
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
    fn references(&self, root: TermId, alike: &mut Alike<'_>) -> FxHashMap<TermId, u32> {
        let (mut found, mut layouts) = (FxHashMap::default(), FxHashSet::default());
        let mut work = vec![root];
        while let Some(id) = work.pop() {
            let id = alike.of(id);
            let count: &mut u32 = found.entry(id).or_default();
            *count += 1;
            if *count == 1 {
                self.children(id, &mut layouts, alike, &mut work);
            }
        }
        found
    }

    fn children(&self, id: TermId, layouts: &mut FxHashSet<[TermId; 5]>, alike: &mut Alike<'_>, out: &mut Vec<TermId>) {
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
                let layout = layout(spec).map(|sign| alike.of(sign));
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

    /// The parts of a term. A sequence goes on to the last part, or to one that stands `apart`.
    fn parts(&self, id: TermId, mut apart: impl FnMut(TermId) -> bool) -> Parts {
        match *self.arena.term(id) {
            Term::Alt(ref parts) => Parts::Alternatives(parts.to_vec()),
            Term::And(ref parts) => Parts::Intersected(parts.to_vec()),
            Term::Cat(left, right) | Term::Seq(left, right) => {
                let (mut parts, mut rest) = (vec![left], right);
                while let (Term::Cat(left, right) | Term::Seq(left, right), false) =
                    (self.arena.term(rest), apart(rest))
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
    fn assembled(
        &self,
        id: TermId,
        tight: Tight,
        parts: Parts,
        gap: &str,
        write: &mut dyn FnMut(TermId, Tight) -> String,
    ) -> String {
        let arena = self.arena;
        let mut joined = |parts: Vec<TermId>, own: Tight, sign: &str, is_inside: bool| {
            let texts: Vec<String> = parts.into_iter().map(|part| write(part, own)).collect();
            enclosed(texts.join(&format!("{gap}{sign}")), is_inside)
        };
        match parts {
            Parts::Alternatives(mut parts) => {
                let count = parts.len();
                parts.retain(|&part| part != EPSILON);
                return match parts[..] {
                    _ if parts.len() == count => joined(parts, Tight::Either, "| ", tight > Tight::Either),
                    [part] => write(part, Tight::Postfix) + "?",
                    _ => joined(parts, Tight::Either, "| ", true) + "?",
                };
            }
            Parts::Intersected(parts) => return joined(parts, Tight::Both, "& ", tight > Tight::Both),
            Parts::Sequence(parts) => {
                let (mut texts, mut bytes) = (Vec::new(), Vec::new());
                for part in parts {
                    match self.few_bytes(part) {
                        Some(more) => bytes.extend(more),
                        None => {
                            texts.extend((!bytes.is_empty()).then(|| quoted(&std::mem::take(&mut bytes))));
                            texts.push(write(part, Tight::Sequence));
                        }
                    }
                }
                texts.extend((!bytes.is_empty()).then(|| quoted(&bytes)));
                return enclosed(texts.join(gap), texts.len() > 1 && tight > Tight::Sequence);
            }
            Parts::Other => {}
        }
        match *arena.term(id) {
            Term::Empty => "nothing".into(),
            Term::Epsilon => "empty".into(),
            _ if arena.any_text == Some(id) => "any_text".into(),
            Term::Class(bytes) => class(&bytes),
            Term::Literal { literal, position } => quoted(&arena.terms.literals[literal as usize][position as usize..]),
            Term::Words { set, low, high, depth } => {
                let words = &arena.terms.word_sets[set as usize].words[low as usize..high as usize];
                let texts: Vec<String> = words.iter().map(|word| quoted(&word[depth as usize..])).collect();
                enclosed(texts.join(&format!("{gap}| ")), tight > Tight::Either)
            }
            Term::Not(inner) => format!("!{}", write(inner, Tight::Postfix)),
            Term::Repeat { body, min, max } => {
                let body = write(body, Tight::Postfix);
                match (min, max) {
                    (0, 1) => body + "?",
                    (0, MANY) => body + "*",
                    (1, MANY) => body + "+",
                    _ => body + &range(min, max),
                }
            }
            Term::Bounded { body, min, max } => write(body, Tight::Postfix) + "#" + &range(min, max),
            Term::Quoted { text, state: Spelling::Start, free } => {
                format!("string{}({})", if free { "_free" } else { "" }, write(text, Tight::Either))
            }
            Term::Multiple { of, rest, point } => {
                let rest = if rest == 0 { String::new() } else { format!(", from {rest}") };
                format!("multiple({of}{rest}{})", if point { ", point" } else { "" })
            }
            Term::Special(special) => format!("special({})", quoted(self.specials[special as usize].as_bytes())),
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
                (text.len() < SHORT).then(|| text.to_vec())
            }
            _ => None,
        }
    }

    /// The text of a term without names, down to some levels: enough to sort alternatives by.
    fn sketch(&self, id: TermId, levels: u32) -> String {
        if levels == 0 {
            return "…".into();
        }
        match *self.arena.term(id) {
            Term::Call(rule) => self.rules.names[rule as usize].clone(),
            Term::Unique(_) => "array".into(),
            Term::Object(object) => {
                let properties = &self.arena.registers.objects[object as usize].properties;
                let keys: Vec<String> = properties.iter().map(|property| quoted(&property.key)).collect();
                format!("object {}", keys.join(" "))
            }
            _ => {
                let mut write = |part, tight| {
                    let _: Tight = tight;
                    self.sketch(part, levels - 1)
                };
                match self.parts(id, |_| false) {
                    Parts::Alternatives(parts) | Parts::Intersected(parts) => {
                        let mut texts: Vec<String> = parts.iter().map(|&part| write(part, Tight::Both)).collect();
                        texts.sort();
                        texts.join(" ")
                    }
                    parts => self.assembled(id, Tight::Either, parts, " ", &mut write),
                }
            }
        }
    }
}

fn layout(spec: &ObjectSpec) -> [TermId; 5] {
    [spec.open, spec.close, spec.comma, spec.empty, spec.colon]
}

fn enclosed(text: String, is_inside: bool) -> String {
    if is_inside {
        format!("({text})")
    } else {
        text
    }
}

fn range(min: u32, max: u32) -> String {
    match max {
        MANY => format!("{{{min},}}"),
        _ if min == max => format!("{{{min}}}"),
        _ => format!("{{{min},{max}}}"),
    }
}

fn count(min: u32, max: u32) -> String {
    match (min, max) {
        (0, MANY) => String::new(),
        _ => format!(", {} of them", range(min, max)),
    }
}

/// The numbers of the bits, from 0.
fn marks(bits: u64) -> String {
    let set: Vec<String> = (0..64).filter(|bit| bits >> bit & 1 == 1).map(|bit| bit.to_string()).collect();
    set.join(" ")
}

fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    (0..set.len() * 64).filter(|&index| set[index / 64] >> (index % 64) & 1 == 1)
}

/// Text in single quotes; what cannot be printed as an escape.
fn quoted(bytes: &[u8]) -> String {
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
fn class(bytes: &ByteSet) -> String {
    if bytes.len() == 1 {
        return quoted(&bytes.iter().collect::<Vec<u8>>());
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
            1 => out += &escaped(first as u8),
            2 => out += &(escaped(first as u8) + &escaped(first as u8 + 1)),
            _ => out += &format!("{}-{}", escaped(first as u8), escaped((byte - 1) as u8)),
        }
    }
    out + "]"
}

fn escaped(byte: u8) -> String {
    match byte {
        b']' | b'-' | b'^' | b'\\' => format!("\\{}", char::from(byte)),
        b'\'' | b'"' => char::from(byte).into(),
        _ => std::ascii::escape_default(byte).map(char::from).collect(),
    }
}

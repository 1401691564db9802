//! Rows of expected/composite.tsv → the same grammars: what strings, arrays and objects become.
//!
//! What members and items must meet is a set of types here. The front end in Python that this crate
//! replaced wrote the rows in November 2026.

#[path = "expected/mod.rs"]
mod expected;

use frisket_core::builder::Builder;
use frisket_core::error::Error as EngineError;
use frisket_core::regular::term::TermId;
use frisket_schema::condition::{
    ArrayCondition, Clause, ConjunctionId, Matches, MemberConstraints, Members, ObjectCondition, StringCondition,
    SubschemaId, Types,
};
use frisket_schema::error::Result;
use frisket_schema::types::object::MarkedValues;
use frisket_schema::types::string::Escapes;
use frisket_schema::types::{array, number, object, string, Algebra, Layout, Lowering, Spelling, Terms, Whitespace};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// Conjunctions of conditions on keys are this plus a set of bits.
const NAMES: u32 = 1 << 20;

const TYPES: [Types; 8] = [
    Types::NULL,
    Types::FALSE,
    Types::TRUE,
    Types::INTEGER,
    Types::FRACTION,
    Types::STRING,
    Types::ARRAY,
    Types::OBJECT,
];

/// The conjunction that the table writes so.
fn written(bits: u32) -> ConjunctionId {
    match bits {
        0 => ConjunctionId::NOTHING,
        255 => ConjunctionId::ANYTHING,
        bits => ConjunctionId(2 + bits),
    }
}

/// Sets of literals by number. A literal is a set of types, twice its number, plus one if negated.
///
/// As for the algebra, sets that hold the same values are not known to: nodes then differ where Python's do.
struct Conjunctions {
    /// The types of each literal.
    literals: Vec<u32>,
    sets: Vec<BTreeSet<usize>>,
    negated: HashMap<ConjunctionId, ConjunctionId>,
}

impl Conjunctions {
    fn new() -> Self {
        let alone = (1..255).map(|bits| BTreeSet::from([2 * bits]));
        let none = || BTreeSet::new();
        // Numbers 0 to 2 and 257 are no set of one literal.
        let sets = [none(), none(), none()].into_iter().chain(alone).chain([none()]).collect();
        Conjunctions { literals: (0..256).collect(), sets, negated: HashMap::new() }
    }

    fn of(&mut self, set: BTreeSet<usize>) -> ConjunctionId {
        let number = self.sets.iter().rposition(|other| *other == set).unwrap_or_else(|| {
            self.sets.push(set);
            self.sets.len() - 1
        });
        ConjunctionId(number as u32)
    }

    fn bits(&self, of: ConjunctionId) -> u32 {
        if of.is_nothing() || of.is_anything() {
            return if of.is_nothing() { 0 } else { 255 };
        }
        let types = |literal: usize| self.literals[literal / 2] ^ if literal % 2 == 1 { 255 } else { 0 };
        self.sets[of.0 as usize].iter().fold(255, |all, &literal| all & types(literal))
    }

    fn both(&mut self, left: ConjunctionId, right: ConjunctionId) -> ConjunctionId {
        let union = &self.sets[left.0 as usize] | &self.sets[right.0 as usize];
        self.of(union)
    }

    fn negated(&mut self, of: ConjunctionId) -> ConjunctionId {
        if let Some(&known) = self.negated.get(&of) {
            return known;
        }
        let set = &self.sets[of.0 as usize];
        let literal = match set.first() {
            Some(literal) if set.len() == 1 => literal ^ 1,
            _ => {
                self.literals.push(!self.bits(of) & 255);
                2 * (self.literals.len() - 1)
            }
        };
        let made = self.of(BTreeSet::from([literal]));
        self.negated.insert(of, made);
        made
    }
}

struct Compiler {
    builder: Builder,
    conjunctions: Conjunctions,
    spelling: Spelling,
    whitespace: Whitespace,
    patterns: [TermId; 4],
    is_root: bool,
    nodes: HashMap<ConjunctionId, Option<TermId>>,
    active: HashMap<ConjunctionId, Option<TermId>>,
    parts: HashMap<u32, Option<TermId>>,
    marked: MarkedValues,
}

impl Compiler {
    fn new(options: &str, is_root: bool) -> Self {
        let exact = Whitespace::Exact { item: ",".into(), colon: ":".into(), indent: None, deep_item: ",".into() };
        let (mut spelling, mut whitespace) = (Spelling::default(), Whitespace::Bounded(None));
        match options {
            "0" => {}
            "1" => spelling.any_order = true,
            "2" => (spelling.closed_objects, whitespace) = (true, exact),
            "3" => (spelling.max_items, spelling.escapes.free) = (Some(3), true),
            _ => (spelling.escapes, whitespace) = (Escapes { free: false, letters: "nt\"\\".into() }, exact),
        }
        let mut builder = Builder::default();
        let patterns = {
            let terms = Terms::new(&mut builder);
            let made = || {
                let any = terms.any_text()?;
                let letter = terms.byte_range(b'a', b'z')?;
                Ok::<_, Box<EngineError>>([
                    terms.cat(&[terms.literal("x")?, any])?,
                    terms.cat(&[any, terms.literal("y")?])?,
                    terms.words(["a", "xa"])?,
                    terms.repeat(letter, 0, None)?,
                ])
            };
            made().unwrap()
        };
        let (nodes, active, parts) = Default::default();
        let is_root = is_root && matches!(options, "0" | "2" | "3");
        let conjunctions = Conjunctions::new();
        Compiler {
            builder,
            conjunctions,
            spelling,
            whitespace,
            patterns,
            is_root,
            nodes,
            active,
            parts,
            marked: Default::default(),
        }
    }

    fn names(&self, of: ConjunctionId) -> Vec<StringCondition> {
        let all = [
            StringCondition::Length { least: 0, most: Some(2) },
            StringCondition::among(["a", "b", "xa"].map(Arc::from)),
            StringCondition::Length { least: 2, most: None },
        ];
        let is_asked = |bit: usize| (of.0 - NAMES) >> bit & 1 == 1;
        all.into_iter().enumerate().filter(|&(bit, _)| is_asked(bit)).map(|(_, condition)| condition).collect()
    }

    /// The node of one type, made once.
    fn part(&mut self, kind: u32, types: Types) -> Result<Option<TermId>> {
        let key = kind << 8 | (0..8).filter(|&bit| types.has(TYPES[bit])).fold(0, |bits, bit| bits | 1 << bit);
        if let Some(&node) = self.parts.get(&key) {
            return Ok(node);
        }
        let node = match kind {
            0 => {
                let words = [(Types::NULL, "null"), (Types::FALSE, "false"), (Types::TRUE, "true")];
                let words = words.into_iter().filter(|&(one, _)| types.has(one)).map(|(_, word)| word);
                Some(Terms::new(&mut self.builder).words(words)?)
            }
            1 => {
                let notation = self.spelling.numbers;
                let terms = Terms::new(&mut self.builder);
                number::lower(&terms, notation, types, &[], &mut Default::default()).unwrap()
            }
            2 => string::quoted(self, &[])?,
            3 => array::lower(self, &[])?,
            _ => object::lower(self, &[])?,
        };
        self.parts.insert(key, node);
        Ok(node)
    }
}

impl Algebra for Compiler {
    fn builder(&mut self) -> &mut Builder {
        &mut self.builder
    }

    fn both(&mut self, left: ConjunctionId, right: ConjunctionId) -> ConjunctionId {
        match (left, right) {
            (ConjunctionId::ANYTHING, other) | (other, ConjunctionId::ANYTHING) => other,
            (ConjunctionId::NOTHING, _) | (_, ConjunctionId::NOTHING) => ConjunctionId::NOTHING,
            (left, right) if left.0.max(right.0) >= NAMES => {
                ConjunctionId(NAMES | (left.0 & (NAMES - 1)) | (right.0 & (NAMES - 1)))
            }
            (left, right) => self.conjunctions.both(left, right),
        }
    }

    fn negated(&mut self, of: ConjunctionId) -> ConjunctionId {
        match of {
            ConjunctionId::ANYTHING => ConjunctionId::NOTHING,
            ConjunctionId::NOTHING => ConjunctionId::ANYTHING,
            of => self.conjunctions.negated(of),
        }
    }

    fn is_empty(&mut self, of: ConjunctionId, _: u32) -> Result<bool> {
        Ok(self.conjunctions.bits(of) == 0)
    }

    fn key_texts(&mut self, of: ConjunctionId) -> Result<Option<TermId>> {
        let conditions = self.names(of);
        Ok(string::lower(&Terms::new(&mut self.builder), &conditions)?)
    }

    fn key_fits(&mut self, of: ConjunctionId, key: &str, outer: bool) -> Result<bool> {
        let conditions = self.names(of);
        let terms = Terms::new(&mut self.builder);
        let mut fits = true;
        for condition in &conditions {
            fits &= string::holds(&terms, condition, key, outer)?;
        }
        Ok(fits)
    }

    fn no_key_is_in(&mut self, nodes: &[TermId], _: usize) -> Result<bool> {
        let node = Terms::new(&mut self.builder).and(nodes)?;
        Ok(self.builder.is_empty(node.number())?)
    }

    fn count_work(&mut self, _: usize) -> Result<()> {
        Ok(())
    }

    fn place(&self) -> String {
        String::new()
    }

    fn pointer(&self, _: SubschemaId) -> String {
        String::new()
    }
}

impl Lowering for Compiler {
    fn spelling(&self) -> &Spelling {
        &self.spelling
    }

    fn lower(&mut self, of: ConjunctionId) -> Result<Option<TermId>> {
        if let Some(&node) = self.nodes.get(&of) {
            return Ok(node);
        }
        if let Some(rule) = self.active.get(&of) {
            if let Some(rule) = *rule {
                return Ok(Some(rule));
            }
            let rule = self.builder.rule("document")?;
            self.active.insert(of, Some(rule));
            return Ok(Some(rule));
        }
        self.active.insert(of, None);
        let bits = self.conjunctions.bits(of);
        let types = (0..8).filter(|bit| bits >> bit & 1 == 1).fold(Types::NONE, |all, bit| all | TYPES[bit]);
        let mut nodes = Vec::new();
        let kinds = [Types::WORDS, Types::NUMBER, Types::STRING, Types::ARRAY, Types::OBJECT];
        for (kind, of) in kinds.into_iter().enumerate().filter(|&(_, of)| types.has(of)) {
            nodes.extend(self.part(kind as u32, types & of)?);
        }
        let mut node = if nodes.is_empty() { None } else { Some(Terms::new(&mut self.builder).alt(&nodes)?) };
        if let (Some(Some(rule)), Some(body)) = (self.active.remove(&of), node) {
            self.builder.define(rule.number(), body.number())?;
            node = Some(rule);
        }
        self.nodes.insert(of, node);
        Ok(node)
    }

    fn enter(&mut self) -> Result<Layout> {
        Ok(Layout::new(&Terms::new(&mut self.builder), &self.whitespace, 0)?)
    }

    fn leave(&mut self) {}

    fn level(&self) -> u32 {
        0
    }

    fn is_root(&self) -> bool {
        self.is_root && self.active.is_empty()
    }

    fn note_unsupported(&mut self, _: Option<SubschemaId>, _: &str, _: &str) -> Result<()> {
        Ok(())
    }

    fn note_structural(&mut self, _: TermId) {}

    fn note_search(&mut self) {}

    fn leaves_out(&mut self, _: &frisket_schema::error::Error, _: &[&'static str], _: &str) -> Result<bool> {
        Ok(false)
    }

    fn language_name(&self, _: &Matches) -> String {
        String::new()
    }

    fn marked_values(&mut self) -> &mut MarkedValues {
        &mut self.marked
    }
}

// -- reading the table ------------------------------------------------------------------------------------------------

fn list(text: &str) -> Vec<&str> {
    text.split(',').filter(|part| !part.is_empty()).collect()
}

fn types(text: &str) -> ConjunctionId {
    written(text.parse().unwrap())
}

fn range(text: &str) -> (u64, Option<u64>) {
    let (least, most) = text.split_once('-').unwrap();
    (least.parse().unwrap(), most.parse().ok())
}

fn string_condition(text: &str, patterns: &[TermId; 4]) -> StringCondition {
    let (kind, rest) = text.split_once(':').unwrap();
    match kind {
        "length" => {
            let (least, most) = range(rest);
            StringCondition::Length { least, most }
        }
        "in" | "out" => {
            let node = patterns[rest.parse::<usize>().unwrap()];
            StringCondition::Matches(Matches { positive: kind == "in", ..Matches::exact(node) })
        }
        _ => {
            let values = Arc::new(list(rest).into_iter().map(Arc::from).collect());
            StringCondition::Among { values, positive: kind == "among" }
        }
    }
}

fn array_condition(text: &str) -> ArrayCondition {
    let place = SubschemaId(0);
    let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
    match kind {
        "items" => {
            let (prefix, rest) = rest.split_once('|').unwrap();
            ArrayCondition::Items { prefix: list(prefix).into_iter().map(types).collect(), rest: types(rest) }
        }
        "count" => {
            let (least, most) = range(rest);
            ArrayCondition::Count { least, most }
        }
        "contains" => {
            let [start, item, counts] = list(rest).try_into().unwrap();
            let ((least, most), start) = (range(counts), start.parse().unwrap());
            ArrayCondition::Contains { start, item: types(item), least, most, place: Some(place) }
        }
        kind => ArrayCondition::Unique { positive: kind == "unique", place },
    }
}

fn members(text: &str, patterns: &[TermId; 4]) -> Members {
    let [names, by_pattern, rest, flags] = text.split('|').collect::<Vec<_>>().try_into().unwrap();
    let pair = |text: &str| text.split_once('=').map(|(key, asked)| (key.to_owned(), types(asked))).unwrap();
    let named = list(names).into_iter().map(pair).map(|(key, asked)| (Arc::from(key), asked)).collect();
    let by_pattern = list(by_pattern).into_iter().map(pair);
    Members::new(MemberConstraints {
        names: named,
        patterns: by_pattern.map(|(number, asked)| (patterns[number.parse::<usize>().unwrap()], asked)).collect(),
        rest: types(rest),
        lists: flags.contains('l'),
        opens: flags.contains('o'),
    })
}

fn object_condition(text: &str, patterns: &[TermId; 4]) -> ObjectCondition {
    let (kind, rest) = text.split_once(':').unwrap();
    let keys = || list(rest).into_iter().map(Arc::from);
    let several =
        |text: &str| text.split('&').filter(|part| !part.is_empty()).map(|part| members(part, patterns)).collect();
    match kind {
        "members" => ObjectCondition::Members(members(rest, patterns)),
        "breaks" => ObjectCondition::Clause(Clause::broken(members(rest, patterns))),
        "required" | "unstated" => ObjectCondition::Required { keys: keys().collect(), stated: kind == "required" },
        "count" => {
            let (least, most) = range(rest);
            ObjectCondition::Count { least, most }
        }
        "names" => ObjectCondition::Names(ConjunctionId(NAMES + (1 << "ABC".find(rest).unwrap()))),
        "implies" => {
            let [key, needs] = keys().collect::<Vec<_>>().try_into().unwrap();
            ObjectCondition::Implies { key, needs }
        }
        _ => {
            let (premises, conclusions) = rest.split_once("=>").unwrap();
            ObjectCondition::Clause(Clause { premises: several(premises), conclusions: several(conclusions) })
        }
    }
}

fn distinct<T: PartialEq>(found: Vec<T>) -> Vec<T> {
    found.into_iter().fold(Vec::new(), |mut kept, one| {
        if !kept.contains(&one) {
            kept.push(one);
        }
        kept
    })
}

fn lowered(compiler: &mut Compiler, kind: &str, conditions: &str) -> Result<Option<TermId>> {
    let (texts, patterns) = (conditions.split_whitespace(), compiler.patterns);
    match kind {
        "string" => {
            let conditions: Vec<_> = texts.map(|text| string_condition(text, &patterns)).collect();
            string::quoted(compiler, &distinct(conditions))
        }
        "array" => array::lower(compiler, &distinct(texts.map(array_condition).collect())),
        _ => {
            let conditions: Vec<_> = texts.map(|text| object_condition(text, &patterns)).collect();
            object::lower(compiler, &distinct(conditions))
        }
    }
}

/// FNV-1a of 64 bits of all lines but the names of rules, as the table's script has it.
fn digest(text: &str) -> String {
    let step = |found: u64, byte: u8| (found ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let lines = text.lines().filter(|line| !line.starts_with("# "));
    format!("{:016x}", lines.flat_map(str::bytes).fold(0xcbf2_9ce4_8422_2325, step))
}

#[test]
fn strings_arrays_and_objects_are_lowered_as_they_were() {
    expected::compare("composite.tsv", |row| {
        let [kind, options, conditions] = row[..3] else { panic!("{row:?}") };
        let mut compiler = Compiler::new(options, kind.ends_with('!'));
        let found = match lowered(&mut compiler, kind.trim_end_matches('!'), conditions) {
            Err(_) => "error".to_owned(),
            Ok(None) => "none".to_owned(),
            Ok(Some(node)) if compiler.builder.is_empty(node.number()).unwrap() => "none".to_owned(),
            Ok(Some(node)) => digest(&compiler.builder.build(node.number()).unwrap().dump()),
        };
        (3, vec![found])
    });
}

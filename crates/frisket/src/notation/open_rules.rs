//! Rules × a text so far → the rules that are open at its end.
//!
//! Earley's algorithm (*An efficient context-free parsing algorithm*, 1970). The items of bodies are made on demand. A call
//! of a rule that may be empty is also skipped at once (Aycock and Horspool, *Practical Earley parsing*, 2002).

use super::rules::{Others, Rules};
use super::source::Read;
use super::Failure;
use frisket_core::automaton::recognizer::{Allowance, Recognizer};
use frisket_core::builder::Builder;
use frisket_core::production::BodyNode;
use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// Limit steps and bytes for each item of the parser and each tail.
const STEPS: u64 = 5;
const BYTES: usize = 120;
/// Limit steps per byte that a recognizer reads.
const STEPS_PER_BYTE: u64 = 12;
/// Bytes of the first piece of a text that a recognizer reads, and the factor by which each further piece is longer.
const FIRST: usize = 64;
const GROWTH: usize = 4;
/// Number of the empty tail, at the end of a body.
const END: u32 = 0;
/// The rule of a part that only an automaton can match.
const ALONE: &str = "%alone";

/// A rule, and the place at which it began.
type Call = (u32, usize);

/// A call, and the tail of its body that is still to be matched.
type Item = (Call, u32);

/// Values in the order in which they came, each once.
type Ordered<T> = IndexSet<T, FxBuildHasher>;

/// A part of a body that comes a number of times, before another tail.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Tail {
    node: usize,
    low: u32,
    high: Option<u32>,
    behind: u32,
}

/// The names of the rules that are open at the end of the text, from the root inwards.
///
/// A rule directly inside itself is named once. If the text has several readings, the one counts whose innermost rule
/// has read something; among these, the deepest. Empty if no text of the root begins with the text. Special tokens have
/// no text, so each may have come or not. Errors: limits.
pub(crate) fn open_rules(
    rules: &mut Rules,
    others: &mut Others,
    text: &[u8],
    allowance: &Allowance,
) -> Read<Vec<String>> {
    let Some(root) = rules.productions.rule(&rules.root) else { return Ok(Vec::new()) };
    let meter = new_builder(allowance);
    let mut chart = Chart {
        rules,
        others,
        text,
        allowance,
        meter,
        root: (root, 0),
        tails: vec![Tail { node: 0, low: 0, high: Some(0), behind: END }],
        numbers: FxHashMap::default(),
        items: Vec::new(),
        callers: FxHashMap::default(),
        recognizers: FxHashMap::default(),
        open: Ordered::default(),
    };
    chart.items.resize_with(text.len() + 1, Ordered::default);
    let body = chart.body(root)?;
    chart.items[0].insert((chart.root, body));
    for place in 0..=text.len() {
        chart.read(place)?;
    }
    let best = chart.best_chain()?;
    let titles = best.into_iter().map(|rule| chart.rules.productions.title(rule).to_owned());
    // The rules of Lark's ignored texts begin with %; they stand between terminals, inside no other rule.
    let mut names: Vec<String> = titles.filter(|title| !title.starts_with('%')).collect();
    names.dedup();
    Ok(names)
}

fn new_builder(allowance: &Allowance) -> Builder {
    Builder::new(allowance.limits, allowance.cancellation.clone(), allowance.pause)
}

/// The parser's items at each place of a text.
struct Chart<'r> {
    rules: &'r mut Rules,
    others: &'r mut Others<'r>,
    text: &'r [u8],
    allowance: &'r Allowance,
    /// Counts the steps and bytes of the parser.
    meter: Builder,
    root: Call,
    /// Tails of bodies by number.
    tails: Vec<Tail>,
    numbers: FxHashMap<Tail, u32>,
    items: Vec<Ordered<Item>>,
    /// Call → the items that continue after that call.
    callers: FxHashMap<Call, Ordered<Item>>,
    /// Node → the recognizer of its texts; None if it has none.
    recognizers: FxHashMap<usize, Option<Recognizer>>,
    /// Calls that end inside a terminal at the end of the text.
    open: Ordered<Call>,
}

impl Chart<'_> {
    fn spend(&mut self, steps: u64, bytes: usize) -> Read<()> {
        self.meter.hold(bytes);
        Ok(self.meter.check(steps)?)
    }

    /// The rules from the root to the innermost one, of the reading that counts.
    fn best_chain(&mut self) -> Read<Vec<u32>> {
        let mut best = (false, Vec::new());
        for call in std::mem::take(&mut self.open) {
            let found = (call.1 < self.text.len(), self.chain(call)?);
            if (found.0, found.1.len()) > (best.0, best.1.len()) {
                best = found;
            }
        }
        if best.1.is_empty() && self.items[self.text.len()].contains(&(self.root, END)) {
            best.1.push(self.root.0);
        }
        Ok(best.1)
    }

    /// The shortest chain of rules from the root to a call.
    fn chain(&mut self, call: Call) -> Read<Vec<u32>> {
        let mut inside: FxHashMap<Call, Option<Call>> = FxHashMap::from_iter([(call, None)]);
        let mut agenda = VecDeque::from([call]);
        while let Some(at) = agenda.pop_front().filter(|&at| at != self.root) {
            let callers = self.callers.get(&at).map_or(0, |callers| callers.len());
            self.spend(STEPS * callers as u64, 0)?;
            for &(caller, _) in self.callers.get(&at).iter().flat_map(|callers| callers.iter()) {
                inside.entry(caller).or_insert_with(|| {
                    agenda.push_back(caller);
                    Some(at)
                });
            }
        }
        let mut rules = Vec::new();
        let mut next = Some(self.root);
        while let Some(at) = next {
            rules.push(at.0);
            next = inside.get(&at).copied().flatten();
        }
        Ok(rules)
    }

    /// Processes all items at a place; they add items at later places.
    fn read(&mut self, place: usize) -> Read<()> {
        let mut empty = FxHashSet::default();
        let mut at = 0;
        while let Some(&(call, tail)) = self.items[place].get_index(at) {
            at += 1;
            if tail == END {
                if call.1 == place {
                    empty.insert(call.0);
                }
                let callers = self.callers.get(&call).cloned().unwrap_or_default();
                for caller in callers {
                    self.add(place, caller)?;
                }
                continue;
            }
            let Tail { node, low, high, mut behind } = self.tails[tail as usize];
            if low == 0 {
                self.add(place, (call, behind))?;
            }
            if high == Some(0) {
                continue;
            }
            if high.is_none_or(|high| high > 1) {
                behind = self.tail(node, low.saturating_sub(1), high.map(|high| high - 1), behind)?;
            }
            if let BodyNode::Call(name, _) = *self.rules.productions.node(node) {
                let Some(rule) = self.rules.productions.rule(self.rules.productions.spelled(name)) else { continue };
                self.callers.entry((rule, place)).or_default().insert((call, behind));
                let body = self.body(rule)?;
                self.add(place, ((rule, place), body))?;
                if empty.contains(&rule) {
                    self.add(place, (call, behind))?;
                }
            } else if let Some(inner) = self.inner(node, behind)? {
                for tail in inner {
                    self.add(place, (call, tail))?;
                }
            } else {
                let (ends, is_open) = self.ends(node, place)?;
                for end in ends {
                    self.add(end, (call, behind))?;
                }
                if is_open {
                    self.open.insert(call);
                }
            }
        }
        Ok(())
    }

    fn add(&mut self, place: usize, item: Item) -> Read<()> {
        let is_new = self.items[place].insert(item);
        self.spend(if is_new { 2 * STEPS } else { STEPS }, if is_new { BYTES } else { 0 })
    }

    /// The tails that begin with the parts of a node; None for a terminal.
    fn inner(&mut self, node: usize, mut behind: u32) -> Read<Option<Vec<u32>>> {
        let below: Vec<usize> = self.rules.productions.below(node).collect();
        Ok(Some(match self.rules.productions.node(node) {
            BodyNode::Token(_) => vec![behind],
            BodyNode::Text(text) if text.is_empty() => vec![behind],
            BodyNode::Seq => {
                for part in below {
                    behind = self.tail(part, 1, Some(1), behind)?;
                }
                vec![behind]
            }
            BodyNode::Alt => {
                let parts = below.into_iter().rev();
                parts.map(|part| self.tail(part, 1, Some(1), behind)).collect::<Read<Vec<u32>>>()?
            }
            &BodyNode::Repeat(low, high) => vec![self.tail(below[0], low, high, behind)?],
            _ => return Ok(None),
        }))
    }

    /// The ends of a terminal that begins at a place, and whether it can continue beyond the text.
    fn ends(&mut self, node: usize, place: usize) -> Read<(Vec<usize>, bool)> {
        let left = &self.text[place..];
        let ended = |length: usize, is_there: bool| if is_there { vec![place + length] } else { Vec::new() };
        Ok(match self.rules.productions.node(node) {
            BodyNode::Text(text) => {
                let data = text.as_bytes();
                (ended(data.len(), left.starts_with(data)), left.len() < data.len() && data.starts_with(left))
            }
            BodyNode::Chars(ranges) => {
                let (length, is_open) = character(left, ranges);
                (ended(length, length > 0), is_open)
            }
            BodyNode::Octets(ranges) => {
                let is_there =
                    left.first().is_some_and(|byte| ranges.iter().any(|(low, high)| low <= byte && byte <= high));
                (ended(1, is_there), left.is_empty())
            }
            _ => {
                if !self.recognizers.contains_key(&node) {
                    let recognizer = self.recognizer(node)?;
                    self.recognizers.insert(node, recognizer);
                }
                let Some(recognizer) = &self.recognizers[&node] else { return Ok((Vec::new(), false)) };
                let (ends, is_open) = sentence_ends(recognizer, left, &mut self.meter, self.allowance)?;
                (ends.into_iter().map(|length| place + length).collect(), is_open)
            }
        })
    }

    /// The recognizer of a part that only an automaton can match; None if the part has no text.
    fn recognizer(&mut self, node: usize) -> Read<Option<Recognizer>> {
        let productions = &mut self.rules.productions;
        productions.copy(productions.subtree(node));
        match productions.rule(ALONE) {
            Some(rule) => productions.redefine(rule),
            None => self.rules.define(ALONE, ALONE, 0),
        }
        let mut builder = new_builder(self.allowance);
        let root = std::mem::replace(&mut self.rules.root, ALONE.into());
        let lowered = self.rules.lower_with(&mut builder, self.others);
        self.rules.root = root;
        match lowered {
            Ok(node) => Ok(Some(Recognizer::new(builder.build(node.number())?))),
            Err(Failure::Empty(_)) => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// The tail that is the whole body of a rule.
    fn body(&mut self, rule: u32) -> Read<u32> {
        let body = self.rules.productions.nodes(rule).end - 1;
        self.tail(body, 1, Some(1), END)
    }

    fn tail(&mut self, node: usize, low: u32, high: Option<u32>, behind: u32) -> Read<u32> {
        let tail = Tail { node, low, high, behind };
        if let Some(&number) = self.numbers.get(&tail) {
            return Ok(number);
        }
        self.spend(STEPS, BYTES)?;
        let number = self.tails.len() as u32;
        self.numbers.insert(tail, number);
        self.tails.push(tail);
        Ok(number)
    }
}

/// The lengths of the text's prefixes that are sentences, and whether the whole text is a prefix of one. The text is read
/// in growing pieces, so that asking at many places costs only what is read there.
fn sentence_ends(
    recognizer: &Recognizer,
    text: &[u8],
    meter: &mut Builder,
    allowance: &Allowance,
) -> Read<(Vec<usize>, bool)> {
    let mut size = FIRST;
    loop {
        let piece = &text[..size.min(text.len())];
        meter.check(2 * STEPS_PER_BYTE * piece.len() as u64)?;
        let is_open = recognizer.read(piece, allowance)?.is_prefix;
        if !is_open || size >= text.len() {
            return Ok((recognizer.ends(piece, allowance)?, is_open));
        }
        size *= GROWTH;
    }
}

/// The length of the code point of the ranges that the text begins with, or 0; whether one can continue beyond the text.
fn character(left: &[u8], ranges: &[(u32, u32)]) -> (usize, bool) {
    let Some(&first) = left.first() else { return (0, !ranges.is_empty()) };
    let length = match first {
        0..=0x7f => 1,
        0x80..=0xdf => 2,
        0xe0..=0xef => 3,
        _ => 4,
    };
    let begin = &left[..length.min(left.len())];
    match std::str::from_utf8(begin) {
        Ok(text) => {
            let char = text.chars().next().map_or(0, u32::from);
            (if ranges.iter().any(|&(low, high)| low <= char && char <= high) { length } else { 0 }, false)
        }
        Err(error) if error.error_len().is_some() => (0, false),
        Err(_) => {
            // The code points whose encoding begins with these bytes (RFC 3629, section 3), and that need no fewer bytes.
            let value = begin[1..]
                .iter()
                .fold(u32::from(first) & (0x7f >> length), |value, &byte| value << 6 | u32::from(byte & 0x3f));
            let missing = 6 * (length - begin.len());
            let least = [0x80, 0x800, 0x1_0000][length - 2].max(value << missing);
            let most = ((value + 1) << missing) - 1;
            (0, ranges.iter().any(|&(low, high)| low <= most && least <= high))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{rules_of, EbnfDialect, Notation, Options};
    use super::*;
    use frisket_core::limits::Limits;
    use frisket_regex::{Dialect, Syntax};

    fn open(text: &str, begin: &[u8], limits: Limits) -> Read<Vec<String>> {
        let options =
            Options { notation: Notation::Ebnf(EbnfDialect::W3c), root: None, python: Syntax::new(Dialect::Python) };
        let mut rules = rules_of(&mut Builder::default(), text, &options)?;
        let allowance = Allowance { limits, ..Allowance::default() };
        open_rules(&mut rules, &mut |_, _, _| unreachable!("there is no other notation"), begin, &allowance)
    }

    #[test]
    fn rules_are_named_from_the_root_on() {
        let named = |text, begin: &str| open(text, begin.as_bytes(), Limits::default()).unwrap().join(" ");
        let sums = "sum ::= sum '+' term | term\nterm ::= [0-9]+ | '(' sum ')'";
        assert_eq!(named(sums, "1+(2"), "sum term sum term");
        assert_eq!(named(sums, "1+(2)"), "sum");
        assert_eq!(named(sums, "x"), "");
        let words = "a ::= word ' ' word?\nword ::= ([a-z]+ - ('if' | 'or'))";
        assert_eq!(
            (named(words, "i"), named(words, "if "), named(words, "if")),
            ("a word".into(), "".into(), "a word".into())
        );
        assert_eq!(named("a ::= b* 'x'\nb ::= 'y'?", ""), "a b");
    }

    #[test]
    fn a_character_may_be_cut() {
        let euro = "€".as_bytes();
        let ranges = [(0x20ac, 0x20ac)];
        assert_eq!(character(euro, &ranges), (3, false));
        assert_eq!((character(&euro[..2], &ranges), character(&euro[..1], &ranges)), ((0, true), (0, true)));
        assert_eq!((character(b"", &ranges), character(b"a", &ranges)), ((0, true), (0, false)));
        assert_eq!((character(b"\xff", &ranges), character(b"\xc2", &ranges)), ((0, false), (0, false)));
    }

    #[test]
    fn the_parser_keeps_its_limits() {
        let limits = Limits { steps: 200, ..Limits::default() };
        let text = "a ::= 'x' a | b\nb ::= 'x'*";
        assert!(matches!(open(text, &[b'x'; 100], limits), Err(Failure::Engine(_))));
    }
}

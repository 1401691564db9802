//! Objects against their definition: which members may come, and when an object may close.
//!
//! Random small objects restrict their members in every way at once: order, number, marks, implications, keys of which
//! there are few. A search over whole objects, member by member, says what each beginning may still become.

mod common;

use common::{punctuation, Draw, BRACES};
use frisket_core::automaton::recognizer::Recognizer;
use frisket_core::builder::{Builder, ObjectRules};
use frisket_core::error::Error;
use frisket_core::grammar::grammar::Grammar;
use std::collections::HashMap;
use std::sync::Arc;

/// A value is a digit; it leaves marks.
type Values = Vec<(u8, u64)>;

#[derive(Clone, Debug, Default)]
struct Object {
    /// `a`, `b`, …: whether it is required, and its values.
    named: Vec<(bool, Values)>,
    /// Kinds of other keys: the keys if they are few (else any text), and their values.
    others: Vec<(Option<Vec<&'static str>>, Values)>,
    min: u32,
    max: Option<u32>,
    marks: u64,
    clauses: Vec<(u64, u64)>,
    implies: Vec<(u32, u32)>,
    any_order: bool,
    extras_last: bool,
    orders: Vec<Vec<u32>>,
}

const NAMES: [&str; 4] = ["a", "b", "c", "d"];
/// Other keys that a search tries: more of them than any object here asks for.
const OTHERS: [&str; 5] = ["x", "y", "z", "xx", "xy"];

/// A member: its key and its value.
type Member = (&'static str, u8);

impl Object {
    fn drawn(draw: &mut Draw) -> Object {
        let marks = draw.of(&[0, 0, 1, 3, 7]);
        let values = |draw: &mut Draw, most: usize| -> Values {
            (0..draw.below(most + 1)).map(|_| (draw.of(b"01"), draw.below(8) as u64 & marks)).collect()
        };
        let named: Vec<_> = (0..draw.below(NAMES.len() + 1))
            .map(|_| (draw.below(4) == 0, if draw.below(8) == 0 { Vec::new() } else { values(draw, 2) }))
            .collect();
        let few = [&["x"][..], &["x", "y"], &["y", "xx", "a"], &["z", "x"]];
        let others = (0..draw.of(&[0, 1, 1, 2]))
            .map(|_| (if draw.below(3) > 0 { Some(draw.of(&few).to_vec()) } else { None }, values(draw, 2)))
            .collect();
        let count = named.len();
        let pair = |draw: &mut Draw| (draw.below(count) as u32, draw.below(count) as u32);
        let mut implies: Vec<_> =
            (0..if count > 1 { draw.of(&[0, 0, 1, 2, 3]) } else { 0 }).map(|_| pair(draw)).collect();
        implies.retain(|(cause, effect)| cause != effect);
        // Lists that go upwards do not contradict each other.
        let orders = (0..if count > 1 { draw.of(&[0, 0, 1, 2]) } else { 0 })
            .map(|_| (0..count as u32).filter(|_| draw.below(3) > 0).collect())
            .collect();
        let max = draw.of(&[None, None, Some(1), Some(2), Some(3)]);
        let min = draw.of(&[0, 0, 1, 2, 3]);
        let (any_order, extras_last) = (draw.below(2) == 0, draw.below(2) == 0);
        Object { named, others, min, max, marks, clauses: Vec::new(), implies, any_order, extras_last, orders }
    }

    /// A bounded number of members that imply each other and must leave marks: who can leave which is a search.
    fn tangled(draw: &mut Draw) -> Object {
        let mut object = Object::drawn(draw);
        let values = |draw: &mut Draw| -> Values {
            (0..1 + draw.below(2)).map(|_| (draw.of(b"01"), draw.of(&[0, 1, 2, 3, 4]))).collect()
        };
        object.named = (0..2 + draw.below(3)).map(|_| (draw.below(6) == 0, values(draw))).collect();
        let count = object.named.len();
        let pairs = (0..1 + draw.below(2)).map(|_| (draw.below(count), draw.below(count)));
        object.implies =
            pairs.filter(|(one, other)| one != other).map(|(one, other)| (one as u32, other as u32)).collect();
        object.implies.push((0, 1));
        object.others = (0..draw.below(3))
            .map(|_| (draw.of(&[None, Some(&["x"][..]), Some(&["x", "y"])]).map(<[_]>::to_vec), values(draw)))
            .collect();
        object.orders.retain(|order| order.iter().all(|&index| index < count as u32));
        object.marks = draw.of(&[1, 2, 3, 7]);
        object.max = draw.of(&[Some(1), Some(2), Some(3)]);
        object
    }

    /// Members that leave marks, and clauses that ask for marks because of others.
    fn conditional(draw: &mut Draw) -> Object {
        let mut object = Object::drawn(draw);
        let mark = |draw: &mut Draw| draw.of(&[0, 1, 1, 2, 2, 4, 3, 5, 6]);
        let values =
            |draw: &mut Draw| -> Values { (0..1 + draw.below(2)).map(|_| (draw.of(b"01"), mark(draw))).collect() };
        object.named = (0..2 + draw.below(3)).map(|_| (draw.below(5) == 0, values(draw))).collect();
        let count = object.named.len() as u32;
        object.implies.retain(|&(cause, effect)| cause < count && effect < count);
        object.orders.retain(|order| order.iter().all(|&index| index < count));
        object.others = (0..draw.below(3))
            .map(|_| (draw.of(&[None, Some(&["x"][..]), Some(&["x", "y"])]).map(<[_]>::to_vec), values(draw)))
            .collect();
        object.marks = draw.of(&[0, 0, 0, 1, 4]);
        object.clauses = (0..1 + draw.below(3)).map(|_| (mark(draw), mark(draw))).collect();
        object
    }

    fn grammar(&self) -> Option<Arc<Grammar>> {
        let mut builder = Builder::default();
        let [zero, one] = [&b"0"[..], b"1"].map(|text| builder.literal(text).unwrap().number());
        let nodes = |values: &Values| -> Vec<(u32, u64)> {
            values.iter().map(|&(digit, marks)| (if digit == b'0' { zero } else { one }, marks)).collect()
        };
        let named =
            self.named.iter().zip(NAMES).map(|((required, values), key)| (key.into(), *required, nodes(values)));
        let mut others = Vec::new();
        for (few, values) in &self.others {
            let keys = match few {
                Some(few) => builder.words(few.iter().map(|key| key.as_bytes().into()).collect()),
                None => builder.any_text(),
            };
            others.push((keys.unwrap().number(), nodes(values)));
        }
        let rules = ObjectRules {
            min: self.min,
            max: self.max,
            required_marks: self.marks,
            clauses: self.clauses.clone(),
            implies: self.implies.clone(),
            any_order: self.any_order,
            extras_last: self.extras_last,
            orders: self.orders.clone(),
            free: false,
        };
        let punctuation = punctuation(&mut builder, BRACES);
        let node = builder.object(named.collect(), others, punctuation, rules).unwrap();
        match builder.build(node.number()) {
            Err(error) if *error == Error::Empty => None,
            built => Some(built.unwrap()),
        }
    }

    /// The marks that a member may leave, one for each way to read it.
    fn readings(&self, (key, digit): Member) -> Vec<u64> {
        let read = |values: &Values| values.iter().filter(|value| value.0 == digit).map(|value| value.1).collect();
        match NAMES[..self.named.len()].iter().position(|&name| name == key) {
            Some(index) => read(&self.named[index].1),
            None => {
                let has = |few: &Option<Vec<&str>>| few.as_ref().is_none_or(|few| few.contains(&key));
                let kinds = self.others.iter().filter(|(few, _)| has(few));
                kinds.flat_map(|(_, values)| -> Vec<u64> { read(values) }).collect()
            }
        }
    }

    /// Whether a key may come behind others, as far as repetition and order say.
    fn is_in_turn(&self, came: &[&str], key: &str) -> bool {
        let index = |key: &str| NAMES[..self.named.len()].iter().position(|&name| name == key);
        let Some(own) = index(key) else { return !came.contains(&key) };
        !came.contains(&key)
            && (self.any_order
                || came.iter().all(|other| match index(other) {
                    None => !self.extras_last,
                    Some(other) if self.orders.is_empty() => other < own,
                    Some(other) => !self.orders.iter().any(|order| {
                        let place = |index: usize| order.iter().position(|&at| at as usize == index);
                        matches!((place(own), place(other)), (Some(own), Some(other)) if own < other)
                    }),
                }))
    }

    fn may_close(&self, came: &[&str], marks: u64) -> bool {
        let has = |index: u32| came.contains(&NAMES[index as usize]);
        came.len() >= self.min as usize
            && self.max.is_none_or(|max| came.len() <= max as usize)
            && marks & self.marks == self.marks
            && self.clauses.iter().all(|(premises, conclusions)| premises & !marks != 0 || conclusions & marks != 0)
            && (0..).zip(&self.named).all(|(index, (required, _))| !required || has(index))
            && self.implies.iter().all(|&(cause, effect)| !has(cause) || has(effect))
    }

    fn members(&self) -> impl Iterator<Item = Member> {
        NAMES.into_iter().chain(OTHERS).flat_map(|key| [(key, b'0'), (key, b'1')])
    }

    /// Whether some members lead from here to an object that may close.
    fn ends(&self, came: &[&'static str], marks: u64, known: &mut HashMap<(Vec<&'static str>, u64), bool>) -> bool {
        if self.may_close(came, marks) {
            return true;
        }
        // Never more members than the required ones, the fewest, the marks and what they imply.
        if came.len() >= 7 || self.max.is_some_and(|max| came.len() >= max as usize) {
            return false;
        }
        let key = (came.to_vec(), marks);
        if let Some(&found) = known.get(&key) {
            return found;
        }
        let found = self.members().filter(|member| self.is_in_turn(came, member.0)).any(|member| {
            let more = [came, &[member.0]].concat();
            self.readings(member).into_iter().any(|left| self.ends(&more, marks | left, known))
        });
        known.insert(key, found);
        found
    }
}

/// Hold all beginnings of up to three members against the definition; how many they were.
fn compare(object: &Object, grammar: &Arc<Grammar>) -> usize {
    let recognizer = Recognizer::new(grammar.clone());
    let mut known = HashMap::new();
    let mut open: Vec<(Vec<&str>, Vec<u64>, String)> = vec![(Vec::new(), vec![0], "{".into())];
    let mut seen = 0;
    while let Some((came, marks, text)) = open.pop() {
        seen += 1;
        let told = |what: &str| format!("{object:?}: {text}{what}");
        let closes = marks.iter().any(|&marks| object.may_close(&came, marks));
        assert_eq!(recognizer.accepts(format!("{text}}}").as_bytes(), None).unwrap(), closes, "{}", told("}"));
        let mut goes_on = false;
        for member @ (key, digit) in object.members() {
            let more = [&came[..], &[key]].concat();
            let fits = object.is_in_turn(&came, key);
            let readings = object.readings(member);
            let after: Vec<u64> =
                marks.iter().flat_map(|marks| readings.iter().map(move |left| marks | left)).collect();
            let ends = fits && after.iter().any(|&marks| object.ends(&more, marks, &mut known));
            goes_on |= ends;
            let comma = if came.is_empty() { "" } else { "," };
            let next = format!("{text}{comma}\"{key}\":{}", digit as char);
            assert_eq!(recognizer.accepts_prefix(next.as_bytes(), None).unwrap(), ends, "{object:?}: {next}");
            if ends && more.len() < 3 {
                open.push((more, after, next));
            }
        }
        if !came.is_empty() {
            let comma = recognizer.accepts_prefix(format!("{text},").as_bytes(), None).unwrap();
            assert_eq!(comma, goes_on, "{}", told(","));
        }
    }
    seen
}

fn hold(draws: impl Iterator<Item = Object>) -> (usize, usize) {
    let (mut seen, mut empty) = (0, 0);
    for object in draws {
        let ends = object.ends(&[], 0, &mut HashMap::new());
        let grammar = object.grammar();
        assert_eq!(grammar.is_some(), ends, "{object:?}");
        match grammar {
            Some(grammar) => seen += compare(&object, &grammar),
            None => empty += 1,
        }
    }
    (seen, empty)
}

fn draws(seeds: std::ops::Range<u64>) -> impl Iterator<Item = Draw> {
    seeds.map(Draw::new)
}

#[test]
fn random_objects_are_what_they_are_defined_to_be() {
    let (seen, empty) = hold(draws(1..200).map(|mut draw| Object::drawn(&mut draw)));
    assert!(seen > 1_000 && empty > 10, "{seen} beginnings, {empty} objects that cannot be written");
}

#[test]
fn tangled_objects_are_what_they_are_defined_to_be() {
    let (seen, empty) = hold(draws(1..150).map(|mut draw| Object::tangled(&mut draw)));
    assert!(seen > 500 && empty > 10, "{seen} beginnings, {empty} objects that cannot be written");
}

#[test]
fn conditional_objects_are_what_they_are_defined_to_be() {
    let (seen, empty) = hold(draws(1..400).map(|mut draw| Object::conditional(&mut draw)));
    assert!(seen > 2_000 && empty > 10, "{seen} beginnings, {empty} objects that cannot be written");
}

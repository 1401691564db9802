//! The cases of `tests/spec` without Python: what the front ends say of each is in `tests/spec/lowered.jsonl`.
//!
//! Each case is built by the core's own builder. Its texts are accepted or rejected as the case says; and along every
//! accepted text masks and matchers are held against brute force, over tokens cut from such texts at any byte.

mod common;

use common::{allowed, may_follow, vocabulary_of};
use frisket_core::automaton::recognizer::Recognizer;
use frisket_core::builder::{Builder, ObjectRules, Punctuation};
use frisket_core::error::Error;
use frisket_core::grammar::grammar::Grammar;
use frisket_core::mask::shared::SharedMasks;
use frisket_core::matcher::CompiledGrammar;
use frisket_core::production::{BodyNode, Leaf, Productions};
use frisket_core::regular::term::TermId;
use serde_json::Value;
use std::collections::BTreeSet;
use std::sync::Arc;

#[path = "spec/effort.rs"]
mod effort;

const FILE: &str = include_str!("../../../tests/spec/lowered.jsonl");

struct Case {
    name: String,
    accepts: Vec<String>,
    rejects: Vec<String>,
    /// Nothing where nothing can be written.
    grammar: Option<Arc<Grammar>>,
}

/// Every case, built. Lines are the version of Unicode, then a case and its calls, the next one and its calls.
fn cases() -> Vec<Case> {
    let lines: Vec<Value> = FILE.lines().skip(1).map(|line| serde_json::from_str(line).unwrap()).collect();
    lines
        .chunk_by(|_, next| next.is_array())
        .map(|lines| {
            let head = &lines[0];
            let texts = |key: &str| array(&head[key]).iter().map(|text| text.as_str().unwrap().to_owned()).collect();
            Case {
                name: head["case"].as_str().unwrap().to_owned(),
                accepts: texts("accepts"),
                rejects: texts("rejects"),
                grammar: Replay::default().grammar(&lines[1..], &head["root"]),
            }
        })
        .collect()
}

/// Recorded calls, made again.
#[derive(Default)]
struct Replay {
    builder: Builder,
    /// What each call returned, by the call's number.
    nodes: Vec<Option<TermId>>,
}

impl Replay {
    fn grammar(mut self, calls: &[Value], root: &Value) -> Option<Arc<Grammar>> {
        for call in calls {
            let node = self.call(call.as_array().unwrap());
            self.nodes.push(node);
        }
        let root = self.node(root.as_u64().map(|_| root)?);
        match self.builder.build(root) {
            Err(error) if *error == Error::Empty => None,
            built => Some(built.unwrap()),
        }
    }

    fn node(&self, number: &Value) -> u32 {
        self.nodes[number.as_u64().unwrap() as usize].unwrap().number()
    }

    fn each(&self, numbers: &Value) -> Vec<u32> {
        array(numbers).iter().map(|number| self.node(number)).collect()
    }

    /// Nodes, each with a number beside it.
    fn pairs(&self, pairs: &Value) -> Vec<(u32, u64)> {
        array(pairs).iter().map(|pair| (self.node(&pair[0]), pair[1].as_u64().unwrap())).collect()
    }

    fn punctuation(&self, signs: &Value) -> Punctuation {
        let sign = |name: &str| TermId::new(self.node(&signs[name]));
        // Arrays have no colon.
        let colon = sign(if signs["colon"].is_null() { "comma" } else { "colon" });
        Punctuation { open: sign("open"), close: sign("close"), colon, comma: sign("comma"), empty: sign("empty") }
    }

    /// Make one call. A question must be answered as it was when it was recorded.
    fn call(&mut self, call: &[Value]) -> Option<TermId> {
        let made = match call[0].as_str().unwrap() {
            "empty" => Ok(frisket_core::regular::term::EMPTY),
            "epsilon" => Ok(frisket_core::regular::term::EPSILON),
            "literal" => self.builder.literal(&bytes(&call[1])),
            "words" => self.builder.words(array(&call[1]).iter().map(|word| bytes(word).into()).collect()),
            "byte_class" => {
                let ranges: Vec<(u8, u8)> = ranges(&call[1]).map(|(low, high)| (low as u8, high as u8)).collect();
                self.builder.byte_class(&ranges)
            }
            "char_class" => self.builder.char_class(&ranges(&call[1]).collect::<Vec<_>>()),
            "any_text" => self.builder.any_text(),
            "cat" => self.builder.cat(&self.each(&call[1])),
            "seq" => self.builder.seq(&self.each(&call[1])),
            "alt" => self.builder.alt(&self.each(&call[1])),
            "and" => self.builder.and(&self.each(&call[1])),
            "not" => self.builder.not(self.node(&call[1])),
            "repeat" => self.builder.repeat(self.node(&call[1]), count(&call[2]).unwrap(), count(&call[3])),
            "bounded" => self.builder.bounded(self.node(&call[1]), count(&call[2]).unwrap(), count(&call[3])),
            "multiple" => self.builder.multiple(count(&call[1]).unwrap(), call[2].as_bool().unwrap()),
            "quoted" => self.builder.quoted(self.node(&call[1]), call[2] == "free"),
            "rule" => self.builder.rule(call[1].as_str().unwrap()),
            "special" => self.builder.special(call[1].as_str().unwrap()),
            "object" => self.object(&call[1], &call[2], &call[3]),
            "array" => self.array(&call[1], &call[2], &call[3]),
            "unique_array" => self.unique_array(&call[1], &call[2]),
            "productions" => Ok(self.productions(&call[1])),
            "define" => {
                self.builder.define(self.node(&call[1]), self.node(&call[2])).unwrap();
                return None;
            }
            question => {
                let answer = self.answer(question, call);
                assert_eq!(Some(&answer), call.last(), "{call:?}");
                return None;
            }
        };
        Some(made.unwrap_or_else(|error| panic!("{call:?}: {error}")))
    }

    fn object(&mut self, properties: &Value, extras: &Value, how: &Value) -> frisket_core::error::Result<TermId> {
        let properties = array(properties)
            .iter()
            .map(|one| (one[0].as_str().unwrap().into(), one[1].as_bool().unwrap(), self.pairs(&one[2])))
            .collect();
        let extras = array(extras).iter().map(|one| (self.node(&one[0]), self.pairs(&one[1]))).collect();
        let rules = ObjectRules {
            min: count(&how["min_properties"]).unwrap(),
            max: count(&how["max_properties"]),
            required_marks: how["required_marks"].as_u64().unwrap(),
            clauses: how["clauses"].as_array().map_or(Vec::new(), |all| all.iter().map(marks).collect()),
            implies: ranges(&how["implies"]).collect(),
            any_order: how["any_order"].as_bool().unwrap(),
            extras_last: how["extras_last"].as_bool().unwrap(),
            orders: array(&how["orders"])
                .iter()
                .map(|order| array(order).iter().map(|place| count(place).unwrap()).collect())
                .collect(),
            free: how["escapes"] == "free",
        };
        let signs = self.punctuation(how);
        self.builder.object(properties, extras, signs, rules)
    }

    fn array(&mut self, prefix: &Value, rest: &Value, how: &Value) -> frisket_core::error::Result<TermId> {
        let (prefix, signs) = (self.each(prefix), self.punctuation(how));
        let rest = (!rest.is_null()).then(|| self.node(rest));
        let (min, max) = (count(&how["min_items"]).unwrap(), count(&how["max_items"]));
        if how["unique"] == false {
            return self.builder.array(&prefix, rest, signs, min, max);
        }
        // Items by position are states, and those that follow are one more.
        let last = prefix.len() as u32;
        let mut states: Vec<_> = (1..).zip(prefix).map(|(next, item)| (true, vec![(item, next)])).collect();
        states.push((true, rest.map(|rest| (rest, last)).into_iter().collect()));
        self.builder.unique_array(&states, signs, min, max)
    }

    fn unique_array(&mut self, states: &Value, how: &Value) -> frisket_core::error::Result<TermId> {
        let next = |(item, next): (u32, u64)| (item, next as u32);
        let states: Vec<(bool, Vec<(u32, u32)>)> = array(states)
            .iter()
            .map(|state| (state[0].as_bool().unwrap(), self.pairs(&state[1]).into_iter().map(next).collect()))
            .collect();
        let (signs, min) = (self.punctuation(how), count(&how["min_items"]).unwrap());
        self.builder.unique_array(&states, signs, min, count(&how["max_items"]))
    }

    /// Rules, node by node: what a reader of a notation tells the core.
    fn productions(&mut self, calls: &Value) -> TermId {
        let mut productions = Productions::default();
        let mut reached = Vec::new();
        for call in array(calls) {
            let text = |place: usize| call[place].as_str().unwrap();
            let number = |place: usize| count(&call[place]).unwrap();
            let is = |place: usize| call[place].as_bool().unwrap();
            let (node, below) = match text(0) {
                "text" => (BodyNode::Text(text(1).into()), 0),
                "chars" => (BodyNode::Chars(ranges(&call[1]).collect()), 0),
                "octets" => {
                    (BodyNode::Octets(ranges(&call[1]).map(|(low, high)| (low as u8, high as u8)).collect()), 0)
                }
                "token" => (BodyNode::Token(text(1).into()), 0),
                "seq" => (BodyNode::Seq, number(1)),
                "alt" => (BodyNode::Alt, number(1)),
                "repeat" => (BodyNode::Repeat(number(1), count(&call[2])), 1),
                "exclude" => (BodyNode::Except(number(1)), 2),
                "both" => (BodyNode::Both(number(2)), number(1)),
                "complement" => (BodyNode::Complement(number(1)), 1),
                "shortest" => (BodyNode::Shortest(number(1)), 1),
                other => {
                    match other {
                        "call" => productions.call(text(1), number(2)),
                        "leaf" => drop(productions.leaf(Leaf {
                            is_regular: is(1),
                            may_be_empty: is(2),
                            ends_in_name: false,
                            node: None,
                        })),
                        "give" => assert!(productions.give(number(1), TermId::new(self.node(&call[2])), is(3))),
                        "define" => assert!(productions.define(text(1), text(2))),
                        "check" => reached = productions.check(text(1)).unwrap().unwrap(),
                        other => panic!("{other} is no call"),
                    }
                    continue;
                }
            };
            productions.add(node, below);
        }
        productions.lower(&mut self.builder, &reached).unwrap()
    }

    fn answer(&mut self, question: &str, call: &[Value]) -> Value {
        match question {
            "is_empty" => self.builder.is_empty(self.node(&call[1])).unwrap().into(),
            "accepts" => self.builder.accepts(self.node(&call[1]), &bytes(&call[2])).unwrap().into(),
            "accepting" => {
                let (nodes, data) = (self.each(&call[1]), bytes(&call[2]));
                let builder = &mut self.builder;
                let accepts = |&place: &usize| builder.accepts(nodes[place], &data).unwrap();
                (0..nodes.len()).filter(accepts).collect::<Vec<_>>().into()
            }
            "enumerate" => {
                let texts = self.builder.enumerate(self.node(&call[1]), call[2].as_u64().unwrap() as usize).unwrap();
                serde_json::to_value(texts.map(|texts| texts.iter().map(|text| spelled(text)).collect::<Vec<_>>()))
                    .unwrap()
            }
            "disjoint" => self.builder.disjoint(self.node(&call[1]), self.node(&call[2])).unwrap().into(),
            other => panic!("{other} is no call"),
        }
    }
}

fn array(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("{value} is no list"))
}

fn count(value: &Value) -> Option<u32> {
    value.as_u64().map(|count| count.try_into().unwrap_or(u32::MAX - 1))
}

fn ranges(value: &Value) -> impl Iterator<Item = (u32, u32)> + '_ {
    array(value).iter().map(|pair| (count(&pair[0]).unwrap(), count(&pair[1]).unwrap()))
}

fn marks(pair: &Value) -> (u64, u64) {
    (pair[0].as_u64().unwrap(), pair[1].as_u64().unwrap())
}

/// Bytes are spelled as a text where they are one.
fn bytes(value: &Value) -> Vec<u8> {
    match value.as_str() {
        Some(text) => text.into(),
        None => array(value).iter().map(|byte| byte.as_u64().unwrap() as u8).collect(),
    }
}

fn spelled(data: &[u8]) -> Value {
    std::str::from_utf8(data).map_or_else(|_| data.into(), Into::into)
}

/// Tokens cut from the texts: every byte, and pieces of two to seven bytes from any byte on, within characters and across
/// symbols; some with a last byte that another text has. At most `most` of them, spread over all, and an end of sequence.
fn vocabulary<'a>(texts: impl Iterator<Item = &'a str>, most: usize) -> Arc<SharedMasks> {
    let mut pieces = BTreeSet::new();
    let mut single: BTreeSet<&[u8]> = [&b"\""[..], b"\\", b"0", b" ", b"\xff"].into();
    let mut last = b'x';
    for text in texts {
        let text = text.as_bytes();
        single.extend(text.chunks(1));
        for start in 0..text.len() {
            for length in [2, 3, 4, 7] {
                let Some(piece) = text.get(start..start + length) else { break };
                pieces.insert(piece.to_vec());
                pieces.insert([&piece[..length - 1], &[last]].concat());
            }
            last = text[start];
        }
    }
    let every = pieces.len().div_ceil(most).max(1);
    let chosen = single.into_iter().map(<[u8]>::to_vec).chain(pieces.into_iter().step_by(every));
    let chosen: Vec<Vec<u8>> = chosen.collect();
    vocabulary_of(chosen.iter().map(Vec::as_slice))
}

/// The longest token that the text goes on with.
fn longest(vocabulary: &SharedMasks, rest: &[u8]) -> u32 {
    let begins = |&token: &u32| vocabulary.vocabulary.token(token).is_some_and(|piece| rest.starts_with(piece));
    let length = |&token: &u32| vocabulary.vocabulary.token(token).map_or(0, <[u8]>::len);
    (0..vocabulary.vocabulary.size() as u32).filter(begins).max_by_key(length).unwrap()
}

#[test]
fn texts_are_accepted_and_rejected_as_the_cases_say() {
    let cases = cases();
    assert!(cases.len() > 80);
    for Case { name, accepts, rejects, grammar } in &cases {
        let Some(grammar) = grammar else {
            assert!(accepts.is_empty(), "{name} matches nothing");
            continue;
        };
        let recognizer = Recognizer::new(grammar.clone());
        for text in accepts {
            assert!(recognizer.accepts(text.as_bytes(), None).unwrap(), "{name}: {text:?}");
            for end in 0..=text.len() {
                assert!(recognizer.accepts_prefix(&text.as_bytes()[..end], None).unwrap(), "{name}: {text:?} to {end}");
            }
        }
        for text in rejects {
            assert!(!recognizer.accepts(text.as_bytes(), None).unwrap(), "{name}: {text:?}");
        }
    }
}

/// Each case has a vocabulary that no other grammar knows: at each byte of each text every token is asked.
#[test]
fn masks_equal_brute_force() {
    for Case { name, accepts, rejects, grammar } in cases() {
        let Some(grammar) = grammar else { continue };
        let recognizer = Recognizer::new(grammar.clone());
        let vocabulary = vocabulary(accepts.iter().chain(&rejects).map(String::as_str), 30);
        let compiled = CompiledGrammar::new(&grammar, vocabulary.clone()).unwrap();
        for text in &accepts {
            let mut matcher = compiled.matcher(None);
            for at in 0..=text.len() {
                let before = &text.as_bytes()[..at];
                let tokens = 0..vocabulary.vocabulary.size() as u32;
                let expected: Vec<u32> =
                    tokens.filter(|&token| may_follow(&recognizer, &vocabulary, before, token).unwrap()).collect();
                assert_eq!(allowed(&mut matcher, &vocabulary).unwrap(), expected, "{name}, {at} bytes of {text:?}");
                assert_eq!(
                    matcher.can_end(),
                    recognizer.accepts(before, None).unwrap(),
                    "{name}, {at} bytes of {text:?}"
                );
                if let Some(byte) = text.as_bytes().get(at..=at) {
                    matcher.advance_bytes(byte).unwrap();
                }
            }
        }
    }
}

/// All cases on one vocabulary, one after the other: what one grammar leaves there must be right for the next.
#[test]
fn masks_that_grammars_share_equal_brute_force() {
    let cases = cases();
    let common = vocabulary(cases.iter().flat_map(|case| &case.accepts).map(String::as_str), 150);
    let mut composed = [0; 2];
    for composed in &mut composed {
        for (number, Case { name, accepts, grammar, .. }) in cases.iter().enumerate() {
            let Some(grammar) = grammar else { continue };
            let recognizer = Recognizer::new(grammar.clone());
            let compiled = CompiledGrammar::new(grammar, common.clone()).unwrap();
            for text in accepts {
                let mut matcher = compiled.matcher(None);
                let mut at = 0;
                while at < text.len() {
                    let tokens = allowed(&mut matcher, &common).unwrap();
                    // Some of the tokens, others at each place.
                    for token in (0..common.vocabulary.size() as u32).skip((number + at) % 13).step_by(13) {
                        let expected = may_follow(&recognizer, &common, &text.as_bytes()[..at], token).unwrap();
                        assert_eq!(tokens.contains(&token), expected, "{name}: {token} after {at} bytes of {text:?}");
                    }
                    let token = longest(&common, &text.as_bytes()[at..]);
                    matcher.advance(token).unwrap();
                    at += common.vocabulary.token(token).unwrap().len();
                }
                assert!(matcher.can_end(), "{name}: {text:?}");
            }
            *composed += compiled.masks_composed();
        }
    }
    assert!(composed[1] * 3 < composed[0] * 2, "{composed:?}: a good part of the masks is known the second time");
}

/// However a text is cut into tokens, drafted, taken back and forked, a matcher stands where the bytes before it lead.
#[test]
fn matchers_go_on_and_back() {
    for Case { name, accepts, grammar, .. } in cases() {
        let Some(grammar) = grammar else { continue };
        let vocabulary = vocabulary(accepts.iter().map(String::as_str), 20);
        let compiled = CompiledGrammar::new(&grammar, vocabulary.clone()).unwrap();
        for text in accepts {
            let mut matcher = compiled.matcher(None);
            let (mut at, mut seen, mut taken) = (0, vec![allowed(&mut matcher, &vocabulary).unwrap()], Vec::new());
            while at < text.len() {
                for token in 0..vocabulary.vocabulary.size() as u32 {
                    let mut fork = matcher.clone();
                    let may = seen[taken.len()].contains(&token);
                    assert_eq!(fork.try_advance(token).unwrap(), may, "{name}: token {token} after {at} bytes");
                    assert_eq!(fork.steps(), taken.len() + usize::from(may));
                    assert_eq!(fork.ended(), may && vocabulary.vocabulary.token(token).is_none());
                }
                let token = longest(&vocabulary, &text.as_bytes()[at..]);
                matcher.advance(token).unwrap();
                at += vocabulary.vocabulary.token(token).unwrap().len();
                taken.push(token);
                seen.push(allowed(&mut matcher, &vocabulary).unwrap());
            }
            assert_eq!(matcher.steps(), taken.len());
            let mut fresh = compiled.matcher(None);
            assert_eq!(fresh.validate(&taken).unwrap(), taken.len(), "{name}: {text:?}");
            assert_eq!(fresh.steps(), 0, "validating takes nothing");
            if !text.is_empty() {
                fresh.advance_bytes(text.as_bytes()).unwrap();
                assert_eq!(allowed(&mut fresh, &vocabulary).unwrap(), seen[taken.len()], "{name}: {text:?}");
            }
            for left in (0..taken.len()).rev() {
                assert!(matcher.rollback(1));
                assert_eq!(
                    allowed(&mut matcher, &vocabulary).unwrap(),
                    seen[left],
                    "{name}: back to step {left} of {text:?}"
                );
            }
            assert!(!matcher.rollback(1));
        }
    }
}

/// From everywhere the way out ends the text, and what is forced is the one text that every way on begins with.
#[test]
fn what_is_forced_and_what_completes() {
    for Case { name, accepts, grammar, .. } in cases() {
        let Some(grammar) = grammar else { continue };
        let recognizer = Recognizer::new(grammar.clone());
        let vocabulary = vocabulary(accepts.iter().map(String::as_str), 1);
        let compiled = CompiledGrammar::new(&grammar, vocabulary).unwrap();
        for text in accepts {
            let mut matcher = compiled.matcher(None);
            for at in 0..=text.len() {
                let before = &text.as_bytes()[..at];
                let rest = matcher.completion().unwrap().unwrap();
                let whole = [before, &rest].concat();
                assert!(recognizer.accepts(&whole, None).unwrap(), "{name}: {whole:?}");
                assert!(rest.len() <= text.len() - at + 8, "{name}: {whole:?} goes a long way round");
                let forced = matcher.forced_bytes().unwrap();
                let mut told = before.to_vec();
                for end in 0..=forced.len() {
                    let goes_on = |byte: &u8| recognizer.accepts_prefix(&[&told[..], &[*byte]].concat(), None).unwrap();
                    let next: Vec<u8> = (0..=255).filter(goes_on).collect();
                    let only = next.len() == 1 && !recognizer.accepts(&told, None).unwrap();
                    assert_eq!(only, end < forced.len(), "{name}: {next:?} after {told:?}");
                    told.extend(forced.get(end));
                    assert!(!only || next[0] == forced[end]);
                }
                if let Some(byte) = text.as_bytes().get(at..=at) {
                    matcher.advance_bytes(byte).unwrap();
                }
            }
        }
    }
}

//! Objects and arrays over the value `1`, for the tests of this folder and of `json`.

use crate::builder::{Builder, ObjectRules, Punctuation};
use crate::json::registers::ObjectSpec;
use crate::regular::fixture::regex;
use crate::regular::term::{Term, TermId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A named property: its key, and whether the object must have it.
pub(crate) type Member<'a> = (&'a str, bool);

/// Optional properties of these keys.
pub(crate) fn members<'a>(keys: &[&'a str]) -> Vec<Member<'a>> {
    keys.iter().map(|&key| (key, false)).collect()
}

/// Braces, colon and comma without white space.
pub(crate) fn braces(builder: &mut Builder) -> Punctuation {
    let [open, close, colon, comma, empty] = ["{", "}", ":", ",", "{}"].map(|text| literal(builder, text));
    Punctuation { open, close, colon, comma, empty }
}

/// Brackets and comma without white space.
pub(crate) fn brackets(builder: &mut Builder) -> Punctuation {
    let [open, close, colon, comma, empty] = ["[", "]", ":", ",", "[]"].map(|text| literal(builder, text));
    Punctuation { open, close, colon, comma, empty }
}

/// The node of this text.
pub(crate) fn literal(builder: &mut Builder, text: &str) -> TermId {
    builder.literal(text.as_bytes()).unwrap()
}

/// The calls of new rules with these alternatives. A word of an alternative calls the rule of that name; any other word is a
/// text.
pub(crate) fn rules(builder: &mut Builder, bodies: &[(&str, &[&str])]) -> Vec<TermId> {
    let calls: Vec<TermId> = bodies.iter().map(|&(name, _)| builder.rule(name).unwrap()).collect();
    let known: FxHashMap<&str, TermId> = bodies.iter().map(|&(name, _)| name).zip(calls.iter().copied()).collect();
    for (name, alternatives) in bodies {
        let mut parts = Vec::new();
        for alternative in *alternatives {
            let words = alternative.split_whitespace();
            let words: Vec<u32> =
                words.map(|word| known.get(word).copied().unwrap_or_else(|| literal(builder, word)).number()).collect();
            parts.push(builder.seq(&words).unwrap().number());
        }
        let body = builder.alt(&parts).unwrap();
        builder.define(known[name].number(), body.number()).unwrap();
    }
    calls
}

/// The node of an object: its properties, and the languages of other keys. Every value is `1`.
pub(crate) fn object(builder: &mut Builder, named: &[Member<'_>], others: &[&str], rules: ObjectRules) -> TermId {
    let one = vec![(literal(builder, "1").number(), 0)];
    let named = named.iter().map(|&(key, required)| (key.to_owned(), required, one.clone())).collect();
    let others = others.iter().map(|keys| (regex(&mut builder.arena, keys).number(), one.clone())).collect();
    let punctuation = braces(builder);
    builder.object(named, others, punctuation, rules).unwrap()
}

/// The specification of such an object.
pub(crate) fn spec(named: &[Member<'_>], others: &[&str], rules: ObjectRules) -> Arc<ObjectSpec> {
    let mut builder = Builder::default();
    let node = object(&mut builder, named, others, rules);
    let Term::Object(object) = *builder.arena.term(node) else { unreachable!() };
    builder.arena.registers.objects[object.index()].clone()
}

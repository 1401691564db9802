//! Grammars, vocabularies and steps that the tests of this folder share.

use crate::automaton::fixture::object;
use crate::builder::{Builder, ObjectRules};
use crate::error::Result;
use crate::mask::shared::SharedMasks;
use crate::matcher::checkpoint::Trail;
use crate::matcher::compiled::CompiledGrammar;
use crate::matcher::matcher::Matcher;
use crate::vocabulary::vocabulary::Vocabulary;
use std::sync::Arc;

/// An object of any keys, over single bytes.
pub(crate) fn object_of_any_keys() -> Arc<CompiledGrammar> {
    let mut builder = Builder::default();
    let any = builder.any_text().unwrap();
    let digit = builder.literal(b"1").unwrap();
    let node = object(&mut builder, &[], &[(any, digit)], ObjectRules::default());
    let grammar = builder.build(node.number()).unwrap();
    let tokens = (0..=255u8).map(|byte| Some([byte].into())).chain([None]).collect();
    let vocabulary = Arc::new(SharedMasks::of(Vocabulary::new(tokens, Vec::new(), vec![256], 257).unwrap()));
    CompiledGrammar::new(&grammar, vocabulary).unwrap()
}

/// Take members with keys that contain `number`, until the matcher has taken `steps` inputs.
pub(crate) fn take_members(matcher: &mut Matcher, number: usize, steps: usize) {
    while matcher.steps() < steps {
        let text = format!("{}\"{number}.{}\":1", if matcher.steps() == 0 { "{" } else { "," }, matcher.steps());
        text.bytes().for_each(|byte| matcher.advance(byte.into()).unwrap());
    }
}

/// Begin a new epoch with the checkpoints of all matchers.
pub(crate) fn begin_epoch(compiled: &Arc<CompiledGrammar>) {
    let mut automaton = compiled.automaton().unwrap();
    compiled.begin_epoch(&mut automaton, &Trail::default(), usize::MAX, [None, None]).map(drop).unwrap();
}

/// How many transitions the tables hold.
pub(crate) fn known_steps(compiled: &CompiledGrammar) -> usize {
    compiled.tables.read().len()
}

/// The mask over the vocabulary of `object_of_any_keys`, as words.
pub(crate) fn bits(matcher: &mut Matcher) -> Vec<u32> {
    let mut bits = vec![0; 9];
    matcher.fill(&mut bits).unwrap();
    bits
}

/// The grammar of a builder's node over `shared_masks(texts)`.
pub(crate) fn over(make: impl FnOnce(&mut Builder) -> u32, texts: &[&[u8]]) -> Result<Arc<CompiledGrammar>> {
    let mut builder = Builder::default();
    let root = make(&mut builder);
    CompiledGrammar::new(&builder.build(root)?, shared_masks(texts))
}

/// A vocabulary of these texts, then the end of the sequence, then the special token `<s>`.
pub(crate) fn shared_masks(texts: &[&[u8]]) -> Arc<SharedMasks> {
    let tokens = texts.iter().map(|&text| Some(text.into())).chain([None, None]).collect();
    let count = texts.len() as u32;
    Arc::new(SharedMasks::of(
        Vocabulary::new(tokens, vec![("<s>".into(), count + 1)], vec![count], texts.len() + 2).unwrap(),
    ))
}

/// The message of an error; empty if there is none.
pub(crate) fn message<T>(result: Result<T>) -> String {
    result.err().map(|error| error.to_string()).unwrap_or_default()
}

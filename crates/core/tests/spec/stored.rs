//! Grammars as bytes: read back they are the same grammars, and no change of a file makes another one of it.

use super::{allowed, cases, longest, vocabulary, Case};
use frisket_core::automaton::recognizer::{Allowance, Recognizer};
use frisket_core::error::{Error, Result};
use frisket_core::grammar::grammar::Grammar;
use frisket_core::limits::Limits;
use frisket_core::mask::shared::SharedMasks;
use frisket_core::matcher::CompiledGrammar;
use frisket_core::storage::hash::Hasher128;
use std::sync::Arc;

/// Bytes before the hash of the payload: magic, format, length of the version, version.
const HASH_AT: usize = 16 + 4 + 4 + env!("CARGO_PKG_VERSION").len();
const PAYLOAD_AT: usize = HASH_AT + 16;

/// Files up to this size are changed at every byte.
const SMALL: usize = 1_500;

fn read(file: &[u8]) -> Result<Arc<Grammar>> {
    Grammar::from_bytes(file, Limits { steps: 1_000_000, ..Limits::default() }, None, None)
}

fn grammars() -> Vec<(Case, Arc<Grammar>)> {
    cases().into_iter().filter_map(|case| case.grammar.clone().map(|grammar| (case, grammar))).collect()
}

/// The masks along a text.
fn masks(grammar: &Arc<Grammar>, vocabulary: &Arc<SharedMasks>, text: &str) -> Vec<Vec<u32>> {
    let mut matcher = CompiledGrammar::new(grammar, vocabulary.clone()).unwrap().matcher(None, None);
    let (mut found, mut at) = (vec![allowed(&mut matcher, vocabulary)], 0);
    while at < text.len() {
        let token = longest(vocabulary, &text.as_bytes()[at..]);
        matcher.advance(token).unwrap();
        at += vocabulary.vocabulary.token(token).unwrap().len();
        found.push(allowed(&mut matcher, vocabulary));
    }
    found
}

#[test]
fn a_grammar_that_is_read_is_the_one_that_was_written() {
    let all = grammars();
    assert!(all.len() > 80);
    for (Case { name, accepts, rejects, .. }, grammar) in &all {
        let file = grammar.to_bytes().unwrap();
        let copy = read(&file).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((copy.fingerprint(), copy.dump()), (grammar.fingerprint(), grammar.dump()), "{name}");
        let again = read(&copy.to_bytes().unwrap()).unwrap();
        assert_eq!((again.fingerprint(), &again.specials), (grammar.fingerprint(), &grammar.specials), "{name}");
        let texts = || accepts.iter().chain(rejects).map(String::as_str);
        let [one, other] = [grammar, &copy].map(|grammar| Recognizer::new(grammar.clone()));
        for text in texts() {
            let ends = |reader: &Recognizer| reader.ends(text.as_bytes(), &Allowance::default());
            assert_eq!(ends(&one), ends(&other), "{name}: {text}");
        }
        // Each has caches of its own: what one composed, the other composes, too.
        let [here, there] = [0; 2].map(|_| vocabulary(texts(), 300));
        if grammar.specials.is_empty() {
            for text in accepts.iter().take(3) {
                assert_eq!(masks(grammar, &here, text), masks(&copy, &there, text), "{name}: {text}");
            }
        }
    }
}

#[test]
fn no_changed_byte_and_no_cut_is_read() {
    for (case, grammar) in grammars() {
        let file = grammar.to_bytes().unwrap();
        if file.len() > SMALL {
            continue;
        }
        for length in 0..file.len() {
            assert!(matches!(*read(&file[..length]).err().unwrap(), Error::Stored(_)), "{} {length}", case.name);
        }
        let longer = [&file[..], &[0]].concat();
        assert!(read(&longer).is_err(), "{}", case.name);
        for place in 0..file.len() {
            for change in [1, 0x80, 0xff] {
                let mut file = file.clone();
                file[place] ^= change;
                assert!(matches!(*read(&file).err().unwrap(), Error::Stored(_)), "{} {place}", case.name);
            }
        }
    }
}

/// A file whose hash is right and whose content is not.
fn forged(mut file: Vec<u8>) -> Vec<u8> {
    let mut hash = Hasher128::new(u64::from(u32::from_le_bytes(file[16..20].try_into().unwrap())));
    hash.bytes(&file[PAYLOAD_AT..]);
    file[HASH_AT..PAYLOAD_AT].copy_from_slice(&hash.finish().to_le_bytes());
    file
}

#[test]
fn what_is_forged_is_refused_or_changes_nothing() {
    let (mut refused, mut kept, mut names) = (0, 0, std::collections::BTreeSet::new());
    for (case, grammar) in grammars() {
        let file = grammar.to_bytes().unwrap();
        assert_eq!(forged(file.clone()), file);
        let every = file.len().div_ceil(SMALL);
        for place in (PAYLOAD_AT..file.len()).step_by(every) {
            for change in [1, 0x40, 0xff] {
                let mut file = file.clone();
                file[place] ^= change;
                match read(&forged(file)) {
                    // Names of rules and of special tokens that no text reaches are in no fingerprint.
                    Ok(copy) => {
                        assert_eq!(copy.fingerprint(), grammar.fingerprint(), "{} {place}", case.name);
                        kept += 1;
                    }
                    Err(error) => {
                        names.insert(error.to_string());
                        refused += 1;
                    }
                }
            }
            assert!(read(&forged(file[..place.max(PAYLOAD_AT)].to_vec())).is_err(), "{} {place}", case.name);
        }
    }
    assert!(refused > 10 * kept, "{refused} refused, {kept} kept");
    assert!(names.len() > 15, "{names:?}");
}

#[test]
fn a_long_list_that_is_not_there_takes_no_memory() {
    let (_, grammar) = grammars().remove(0);
    let file = grammar.to_bytes().unwrap();
    // The first list of the payload are special tokens, behind the fingerprint.
    let mut long = file[..PAYLOAD_AT + 16].to_vec();
    long.extend([0xff; 4]);
    assert!(read(&forged(long.clone())).err().unwrap().to_string().contains("ends early"));
    long.extend([0; 64]);
    assert!(read(&forged(long)).is_err());
}

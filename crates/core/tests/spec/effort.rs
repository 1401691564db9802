//! What each case takes: masks composed, elementary steps, bytes held, and a digest of all masks and ways out.
//!
//! All of it is the same on every machine, so a shortcut that is no longer taken shows here, and so does a byte that is no longer
//! counted. `tests/spec/effort.tsv` is what the engine takes today. Where a change means to take more, or less:
//! `FRISKET_WRITE_EFFORT=1 cargo test -p frisket-core --test spec effort`, and read the difference.

use super::{cases, longest, vocabulary, Case};
use frisket_core::error::Result;
use frisket_core::grammar::grammar::Grammar;
use frisket_core::limits::Limits;
use frisket_core::mask::shared::SharedMasks;
use frisket_core::matcher::{CompiledGrammar, Matcher};
use std::fmt::Write;
use std::sync::Arc;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/spec/effort.tsv");

/// FNV-1a, 64 bits: a digest that no release of the standard library changes.
struct Digest(u64);

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// The mask at a position, what is forced there, and the shortest way out.
    fn look(&mut self, matcher: &mut Matcher, words: usize) -> Result<()> {
        let mut mask = vec![0; words];
        matcher.fill(&mut mask)?;
        mask.iter().for_each(|word: &u32| self.add(&word.to_le_bytes()));
        self.add(&matcher.forced_bytes()?);
        self.add(&matcher.completion()?.expect("every position leads to an end"));
        Ok(())
    }
}

/// What it takes to walk along every accepted text, and back again; or which limit ends that.
fn told(case: &Case, shared: &Arc<SharedMasks>, memory: usize) -> String {
    match &case.grammar {
        Some(grammar) => walked(grammar, &case.accepts, shared, memory).unwrap_or_else(|error| error.to_string()),
        None => "matches nothing".into(),
    }
}

fn walked(grammar: &Arc<Grammar>, texts: &[String], shared: &Arc<SharedMasks>, memory: usize) -> Result<String> {
    let limits = Limits { memory, ..Limits::default() };
    let compiled = CompiledGrammar::with_limits(grammar, shared.clone(), limits, None, None)?;
    let (mut digest, words) = (Digest(0xcbf2_9ce4_8422_2325), shared.vocabulary.mask_words());
    for text in texts {
        let mut matcher = compiled.matcher(None);
        let mut at = 0;
        while at < text.len() {
            digest.look(&mut matcher, words)?;
            let token = longest(shared, &text.as_bytes()[at..]);
            matcher.advance(token)?;
            at += shared.vocabulary.token(token).unwrap().len();
        }
        digest.look(&mut matcher, words)?;
        while matcher.rollback(3) {
            digest.look(&mut matcher, words)?;
        }
    }
    let (masks, steps) = (compiled.masks_composed(), compiled.steps_taken());
    Ok(format!("{masks}\t{steps}\t{}\t{}\t{:016x}", compiled.memory_bytes(), compiled.epoch(), digest.0))
}

#[test]
fn effort_is_what_it_was() {
    if !cfg!(debug_assertions) {
        return; // Masks are verified in debug builds only, and what that looks at first costs nobody later.
    }
    let cases = cases();
    let texts = || cases.iter().flat_map(|case| &case.accepts).map(String::as_str);
    let (few, many) = (vocabulary(texts(), 120), vocabulary(texts(), 4_000));
    let mut all = String::new();
    for case in &cases {
        let own = vocabulary(case.accepts.iter().chain(&case.rejects).map(String::as_str), 30);
        let name = case.name.replace(['\t', '\n'], " ");
        for (how, shared, memory) in
            [("alone", &own, 256 << 20), ("narrow", &own, 40_000), ("few", &few, 256 << 20), ("many", &many, 256 << 20)]
        {
            writeln!(all, "{name}\t{how}\t{}", told(case, shared, memory)).unwrap();
        }
    }
    writeln!(all, "shared\t{}\t{}", few.memory_bytes(), many.memory_bytes()).unwrap();
    if std::env::var_os("FRISKET_WRITE_EFFORT").is_some() {
        std::fs::write(FILE, &all).unwrap();
    }
    let known = std::fs::read_to_string(FILE).unwrap();
    let differing: Vec<_> = known.lines().zip(all.lines()).filter(|(known, now)| known != now).take(10).collect();
    let same = differing.is_empty() && known.lines().count() == all.lines().count();
    assert!(
        same,
        "if that is meant: FRISKET_WRITE_EFFORT=1 cargo test -p frisket-core --test spec effort; {differing:#?}"
    );
}

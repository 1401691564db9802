//! Shapes of heads → their tokens, from indexes of the vocabulary or from texts instead of a walk by derivatives.
//!
//! Every accelerator can be switched off: then the walk of the trie (`walk`) answers, and no mask changes. The switches
//! serve tests and `python -m benchmarks.ablation`, which measures what each accelerator gains.

pub(crate) mod counter_loop;
pub(crate) mod exclusion;
pub(crate) mod literals;
pub(crate) mod region_scan;
pub(crate) mod remainder;

use crate::storage::once::Lazy;

/// The environment variable that names accelerators to switch off, separated by commas. It is read once per process.
const VARIABLE: &str = "FRISKET_ACCELERATORS_OFF";

/// The names by which accelerators are switched off.
pub const ACCELERATORS: [&str; 7] =
    ["counter_loop", "region_scan", "exclusion", "literals", "remainder", "listing", "sweep"];

/// Which accelerators are on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Accelerators {
    /// Heads that count characters of one class are scanned (`counter_loop`).
    pub counter_loop: bool,
    /// Heads of a closed region are scanned (`region_scan`).
    pub region_scan: bool,
    /// A string that excludes texts derives its head mask from the string without the exclusion (`exclusion`).
    pub exclusion: bool,
    /// Heads that read one of finitely many texts follow these along the trie (`literals`).
    pub literals: bool,
    /// What follows a head is walked only for tokens that the head does not allow itself (`remainder`).
    pub remainder: bool,
    /// Masks of many walks take what follows a head from lookaheads that list their tokens (`key::listing`).
    pub listing: bool,
    /// Masks of heads that may end above much of the trie are swept (`sweep`).
    pub sweep: bool,
}

impl Accelerators {
    /// All accelerators but those of a list of names, separated by commas; other names are ignored.
    pub(crate) fn without(names: &str) -> Self {
        let [counter_loop, region_scan, exclusion, literals, remainder, listing, sweep] =
            ACCELERATORS.map(|name| names.split(',').all(|off| off.trim() != name));
        Accelerators { counter_loop, region_scan, exclusion, literals, remainder, listing, sweep }
    }

    /// The accelerators of this process.
    #[inline]
    pub(crate) fn on() -> Self {
        #[cfg(test)]
        if let Some(chosen) = tests::CHOSEN.get() {
            return chosen;
        }
        static ON: Lazy<Accelerators> =
            Lazy::new(|| Accelerators::without(&std::env::var(VARIABLE).unwrap_or_default()));
        *ON
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::follow_bytes::FollowBytes;
    use crate::automaton::machine::Machine;
    use crate::builder::{Builder, ObjectRules, Punctuation};
    use crate::grammar::grammar::Grammar;
    use crate::mask::masks::Masks;
    use crate::mask::shared::SharedMasks;
    use crate::regular::term::EPSILON;
    use crate::vocabulary::vocabulary::Vocabulary;
    use std::cell::Cell;
    use std::sync::Arc;

    thread_local! {
        /// The accelerators of a test, in place of those of the process.
        pub(super) static CHOSEN: Cell<Option<Accelerators>> = const { Cell::new(None) };
    }

    /// Bytes and random texts of characters that strings, keys and numbers are made of.
    fn vocabulary() -> Arc<Vocabulary> {
        let letters = ["a", "b", "c", "d", "k", "0", "7", " ", "_", "\"", "\\", "n", ":", ",", "é", "€", "}"];
        let mut state = 11u64;
        let mut next = |below: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % below
        };
        let mut tokens: Vec<Option<Box<[u8]>>> = (0..=255u8).map(|byte| Some([byte].into())).collect();
        for _ in 0..4_000 {
            let text: String = (0..2 + next(5)).map(|_| letters[next(letters.len())]).collect();
            tokens.push(Some(text.into_bytes().into()));
        }
        for text in [" abcd", "ab_cd", "\"ab\"", "ab\":", "\"kab\":", "abcdabcd", "a_b", "cd\",\""] {
            tokens.push(Some(text.as_bytes().into()));
        }
        // Names of which many begin others.
        let names = (0..1_296).map(|number: usize| [0, 1, 2, 3].map(|place| b"abcdkn"[number / 6usize.pow(place) % 6]));
        tokens.extend(names.map(|name| Some(name[..].into())));
        let size = tokens.len();
        Arc::new(Vocabulary::new(tokens, vec![], vec![], size).unwrap())
    }

    /// Grammars of the shapes that the accelerators know, and a text that each reads.
    fn grammars() -> Vec<(Arc<Grammar>, &'static str)> {
        let string = |make: &dyn Fn(&mut Builder) -> u32| {
            let mut builder = Builder::default();
            let text = make(&mut builder);
            let quoted = builder.quoted(text, false).unwrap();
            builder.build(quoted.number()).unwrap()
        };
        let lower = |builder: &mut Builder| builder.byte_class(&[(b'a', b'z')]).unwrap().number();
        let words = |builder: &mut Builder| {
            let letter = lower(builder);
            let word = builder.repeat(letter, 1, None).unwrap().number();
            let space = builder.literal(b" ").unwrap().number();
            let more = builder.cat(&[space, word]).unwrap().number();
            let more = builder.repeat(more, 0, None).unwrap().number();
            builder.cat(&[word, more]).unwrap().number()
        };
        let object = {
            let mut builder = Builder::default();
            let any = builder.any_text().unwrap();
            let value = builder.quoted(any.number(), false).unwrap();
            let [open, close, colon, comma, empty] =
                [&b"{"[..], b"}", b":", b",", b"{}"].map(|text| builder.literal(text).unwrap());
            let parts = Punctuation { open, close, colon, comma, empty };
            let properties = ["ab", "abc", "kab"].map(|key| (key.into(), false, vec![(value.number(), 0)])).to_vec();
            let extras = vec![(any.number(), vec![(value.number(), 0)])];
            let node = builder.object(properties, extras, parts, ObjectRules::default()).unwrap();
            builder.build(node.number()).unwrap()
        };
        // Names, and after each name one of many signs and another value; a name may hold the last sign.
        let language = {
            let mut builder = Builder::default();
            let value = builder.rule("value").unwrap().number();
            let letter = lower(&mut builder);
            let name = builder.repeat(letter, 1, None).unwrap().number();
            let signs = [",", ":", " ", "_", "0", "7", "}", "\\", "é", "7_", "::", "d"];
            let mut ways = vec![name];
            for sign in signs {
                let sign = builder.literal(sign.as_bytes()).unwrap().number();
                ways.push(builder.seq(&[name, sign, value]).unwrap().number());
            }
            let body = builder.alt(&ways).unwrap();
            builder.define(value, body.number()).unwrap();
            builder.build(value).unwrap()
        };
        // Texts with balanced brackets: the head may end after each character.
        let nested = {
            let mut builder = Builder::default();
            let part = builder.rule("part").unwrap().number();
            let any = builder.byte_class(&[(b' ', b'z'), (0x80, 0xff)]).unwrap().number();
            let [open, close] = [b"{", b"}"].map(|sign| builder.literal(sign).unwrap().number());
            let parts = builder.rule("parts").unwrap().number();
            let more = builder.seq(&[part, parts]).unwrap().number();
            let body = builder.alt(&[EPSILON.number(), more]).unwrap();
            builder.define(parts, body.number()).unwrap();
            let group = builder.seq(&[open, parts, close]).unwrap().number();
            let body = builder.alt(&[any, group]).unwrap();
            builder.define(part, body.number()).unwrap();
            builder.build(parts).unwrap()
        };
        vec![
            (nested, "a{b{}:"),
            (language, "ab,cd::k7a"),
            (string(&|builder| builder.any_text().unwrap().number()), "\"ab é\\n7"),
            (
                string(&|builder| {
                    let any = builder.any_text().unwrap().number();
                    builder.bounded(any, 0, Some(6)).unwrap().number()
                }),
                "\"ab é7",
            ),
            (
                string(&|builder| {
                    let letter = lower(builder);
                    builder.repeat(letter, 2, Some(5)).unwrap().number()
                }),
                "\"abcd",
            ),
            (string(&words), "\"ab cd k"),
            (
                string(&|builder| {
                    let words = words(builder);
                    builder.bounded(words, 0, Some(7)).unwrap().number()
                }),
                "\"ab cd",
            ),
            (
                string(&|builder| {
                    let any = builder.any_text().unwrap().number();
                    let found = builder.literal(b"ab_").unwrap().number();
                    builder.cat(&[any, found, any]).unwrap().number()
                }),
                "\"7 ab_c",
            ),
            (
                string(&|builder| {
                    let texts = ["ab", "abc", "a_b", "cd\"", "k"].map(|text| text.as_bytes().into());
                    builder.words(texts.to_vec()).unwrap().number()
                }),
                "\"ab",
            ),
            (object, "{\"ab\":\"c\",\"abd\":\"\",\"k"),
        ]
    }

    /// The masks along a text, as words, and the elementary steps that they took.
    fn masks(grammar: &Grammar, vocabulary: &Arc<Vocabulary>, text: &str) -> (Vec<Vec<u32>>, u64) {
        let shared = SharedMasks::new(vocabulary.clone());
        let mut machine = Machine::of(grammar, &crate::limits::Limits::default(), [None, None], None).unwrap();
        let mut masks = Masks::new(Vec::new());
        let mut follow_bytes = FollowBytes::default();
        let mut at = machine.start;
        let mut found = Vec::new();
        for byte in text.bytes().map(Some).chain([None]) {
            let mut bits = vec![0; vocabulary.mask_words()];
            masks.mask(&mut machine, &mut follow_bytes, &shared, at).unwrap().write(&mut bits);
            assert!(bits.iter().any(|&word| word != 0), "{text:?} is read to its end");
            found.push(bits);
            if let Some(byte) = byte {
                at = machine.step(at, byte).unwrap();
            }
        }
        (found, machine.arena.budget.spent())
    }

    #[test]
    fn no_accelerator_changes_a_mask() {
        let vocabulary = vocabulary();
        let every = ACCELERATORS.join(",");
        let mut used = [false; ACCELERATORS.len()];
        for (grammar, text) in grammars() {
            CHOSEN.set(Some(Accelerators::without("")));
            let (all, steps) = masks(&grammar, &vocabulary, text);
            for (number, off) in ACCELERATORS.into_iter().chain([&*every]).enumerate() {
                CHOSEN.set(Some(Accelerators::without(off)));
                let (without, other_steps) = masks(&grammar, &vocabulary, text);
                for (read, (with, without)) in all.iter().zip(&without).enumerate() {
                    assert!(with == without, "without {off} another mask of {text:?} after {read} bytes");
                }
                if let Some(used) = used.get_mut(number) {
                    *used |= steps != other_steps;
                }
            }
        }
        CHOSEN.set(None);
        let unused: Vec<&str> =
            ACCELERATORS.into_iter().zip(used).filter(|&(_, used)| !used).map(|(name, _)| name).collect();
        assert!(unused.is_empty(), "no grammar of this test uses {unused:?}");
    }

    #[test]
    fn each_name_switches_one_accelerator_off() {
        let all = Accelerators::without("");
        let each = ACCELERATORS.map(Accelerators::without);
        for (number, one) in each.iter().enumerate() {
            assert_ne!(*one, all);
            assert!(!each[..number].contains(one));
        }
        assert_eq!(Accelerators::without("literals, region_scan").literals, each[3].literals);
        assert_eq!(Accelerators::without("literals, region_scan"), Accelerators { region_scan: false, ..each[3] });
        assert_eq!(Accelerators::without("unheard_of"), all);
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benchmarks/ablation.py");
        let page = std::fs::read_to_string(page).unwrap();
        assert!(page.contains(VARIABLE));
        let known = |name: &str| page.contains(&format!("\n    \"{name}\",\n"));
        assert!(ACCELERATORS.into_iter().all(known), "the ablation measures every accelerator");
    }
}

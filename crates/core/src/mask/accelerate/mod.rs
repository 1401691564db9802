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
    use crate::automaton::fixture::{alt, bytes, grammar, object, rule, seq, words};
    use crate::automaton::follow_bytes::FollowBytes;
    use crate::automaton::machine::Machine;
    use crate::builder::{Builder, ObjectRules};
    use crate::grammar::grammar::Grammar;
    use crate::mask::fixture::random_vocabulary;
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

    /// Bytes, random texts of characters that strings, keys and numbers are made of, and names of which many begin others.
    fn vocabulary() -> Arc<SharedMasks> {
        let letters = ["a", "b", "c", "d", "k", "0", "7", " ", "_", "\"", "\\", "n", ":", ",", "é", "€", "}"];
        let name = |number: usize| [0, 1, 2, 3].map(|place| char::from(b"abcdkn"[number / 6usize.pow(place) % 6]));
        let names: Vec<String> = (0..1_296).map(|number| String::from_iter(name(number))).collect();
        let more = [" abcd", "ab_cd", "\"ab\"", "ab\":", "\"kab\":", "abcdabcd", "a_b", "cd\",\""];
        let more: Vec<&str> = more.into_iter().chain(names.iter().map(String::as_str)).collect();
        random_vocabulary(&letters, 4_000, &more)
    }

    /// Words of letters with a space between them.
    fn spaced_words(builder: &mut Builder) -> u32 {
        let word = bytes(builder, b'a', b'z', 1, None).number();
        let space = builder.literal(b" ").unwrap().number();
        let more = builder.cat(&[space, word]).unwrap().number();
        let more = builder.repeat(more, 0, None).unwrap().number();
        builder.cat(&[word, more]).unwrap().number()
    }

    /// Grammars of the shapes that the accelerators know, and a text that each reads.
    fn grammars() -> Vec<(Arc<Grammar>, &'static str)> {
        let string = |make: &dyn Fn(&mut Builder) -> u32| {
            grammar(|builder| {
                let text = make(builder);
                builder.quoted(text, false).unwrap()
            })
        };
        let members = grammar(|builder| {
            let any = builder.any_text().unwrap();
            let value = builder.quoted(any.number(), false).unwrap();
            let named = ["ab", "abc", "kab"].map(|key| (key, false, value));
            object(builder, &named, &[(any, value)], ObjectRules::default())
        });
        // Names, and after each name one of many signs and another value; a name may hold the last sign.
        let language = grammar(|builder| {
            let name = bytes(builder, b'a', b'z', 1, None);
            rule(builder, "value", |builder, value| {
                let signs = [",", ":", " ", "_", "0", "7", "}", "\\", "é", "7_", "::", "d"];
                let longer = signs.map(|sign| {
                    let sign = builder.literal(sign.as_bytes()).unwrap();
                    seq(builder, &[name, sign, value])
                });
                alt(builder, &[&[name], &longer[..]].concat())
            })
        });
        // Texts with balanced brackets: the head may end after each character.
        let nested = grammar(|builder| {
            rule(builder, "parts", |builder, parts| {
                let any = builder.byte_class(&[(b' ', b'z'), (0x80, 0xff)]).unwrap();
                let [open, close] = [b"{", b"}"].map(|sign| builder.literal(sign).unwrap());
                let group = seq(builder, &[open, parts, close]);
                let part = rule(builder, "part", |builder, _| alt(builder, &[any, group]));
                let more = seq(builder, &[part, parts]);
                alt(builder, &[EPSILON, more])
            })
        });
        let any = |builder: &mut Builder| builder.any_text().unwrap().number();
        let counted = |builder: &mut Builder| {
            let any = any(builder);
            builder.bounded(any, 0, Some(6)).unwrap().number()
        };
        let counted_words = |builder: &mut Builder| {
            let words = spaced_words(builder);
            builder.bounded(words, 0, Some(7)).unwrap().number()
        };
        let search = |builder: &mut Builder| {
            let (any, found) = (any(builder), builder.literal(b"ab_").unwrap().number());
            builder.cat(&[any, found, any]).unwrap().number()
        };
        vec![
            (nested, "a{b{}:"),
            (language, "ab,cd::k7a"),
            (string(&any), "\"ab é\\n7"),
            (string(&counted), "\"ab é7"),
            (string(&|builder| bytes(builder, b'a', b'z', 2, Some(5)).number()), "\"abcd"),
            (string(&spaced_words), "\"ab cd k"),
            (string(&counted_words), "\"ab cd"),
            (string(&search), "\"7 ab_c"),
            (string(&|builder| words(builder, &["ab", "abc", "a_b", "cd\"", "k"]).number()), "\"ab"),
            (members, "{\"ab\":\"c\",\"abd\":\"\",\"k"),
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
        let vocabulary = &vocabulary().vocabulary;
        let every = ACCELERATORS.join(",");
        let mut used = [false; ACCELERATORS.len()];
        for (grammar, text) in grammars() {
            CHOSEN.set(Some(Accelerators::without("")));
            let (all, steps) = masks(&grammar, vocabulary, text);
            for (number, off) in ACCELERATORS.into_iter().chain([&*every]).enumerate() {
                CHOSEN.set(Some(Accelerators::without(off)));
                let (without, other_steps) = masks(&grammar, vocabulary, text);
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

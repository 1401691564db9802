//! Triggers and forbidden strings × Builder → free text up to the first trigger, and what follows each trigger.
//!
//! The text is one regular node: all UTF-8 that contains none of the strings. Its derivatives are the states of the
//! automaton that searches for all strings at once (Aho and Corasick, *Efficient string matching: an aid to bibliographic
//! search*, 1975). A state is made when a text reaches it, so 500 triggers cost as few states as one.

use super::{Failure, Fault};
use frisket_core::builder::Builder;
use frisket_core::error::{Error, Limit, Result};
use frisket_core::regular::term::{TermId, EMPTY, EPSILON};
use frisket_regex::quoted;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Bytes compared per limit step; and limit steps of a test whether a piece of a text is one of the strings.
const BYTES_PER_STEP: usize = 256;
const STEPS_PER_PIECE: usize = 3;
/// Bytes of an entry in a table of suffixes.
const SUFFIX: usize = 64;
/// Most begins of tags of which each begins with the one before.
const MOST_PREFIXES: usize = 1_000;

/// Ends that a text may not have.
type Ends<'t> = BTreeSet<&'t [u8]>;

/// Texts, and the nodes behind them.
type Continued<'t> = Vec<(&'t [u8], TermId)>;

/// The text or special token that ends a free text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Begin<'t> {
    /// A text.
    Text(&'t str),
    /// The special token of that name.
    Special(&'t str),
}

/// Texts without any trigger or forbidden string, before a trigger or on their own.
#[derive(Clone, Copy, Debug)]
pub struct FreeText<'t> {
    /// Texts that end it.
    pub triggers: &'t [&'t str],
    /// Strings that do not occur in it.
    pub forbidden: &'t [&'t str],
    /// The fewest characters.
    pub min_chars: u32,
    /// The most characters; None is no limit.
    pub max_chars: Option<u32>,
}

/// The number of tags in a free text.
#[derive(Clone, Copy, Debug)]
pub struct Count {
    /// The fewest tags.
    pub at_least: u32,
    /// The most tags; None is no limit.
    pub at_most: Option<u32>,
    /// Whether text may come behind the last tag.
    pub text_after: bool,
}

impl<'t> FreeText<'t> {
    /// The node of the free texts.
    pub fn lower(&self, builder: &mut Builder) -> Result<TermId> {
        self.without_ends(builder, &Ends::new())
    }

    /// The node of the free texts that do not end with any of `ends`.
    fn without_ends(&self, builder: &mut Builder, ends: &Ends) -> Result<TermId> {
        let any_text = builder.any_text()?;
        let everything = builder.not(EMPTY.number())?.number();
        let mut kept = vec![any_text.number()];
        let strings: Vec<Box<[u8]>> =
            self.triggers.iter().chain(self.forbidden).map(|text| text.as_bytes().into()).collect();
        if !strings.is_empty() {
            let words = builder.words(strings)?.number();
            let holding = builder.cat(&[everything, words, everything])?.number();
            kept.push(builder.not(holding)?.number());
        }
        if !ends.is_empty() {
            let words = builder.words(ends.iter().map(|&end| end.into()).collect())?.number();
            let ending = builder.cat(&[everything, words])?.number();
            kept.push(builder.not(ending)?.number());
        }
        let node = if kept.len() == 1 { any_text } else { builder.and(&kept)? };
        match (self.min_chars, self.max_chars) {
            (0, None) => Ok(node),
            (low, high) => builder.bounded(node.number(), low, high),
        }
    }

    /// The node of a text, its end, and what follows this end.
    ///
    /// The first occurrence of a trigger ends the text. If the text's end and the beginning of the trigger could make
    /// another string, such ends are excluded from the text; triggers with equal excluded ends share one text.
    pub fn up_to(&self, builder: &mut Builder, after: &[(Begin, TermId)]) -> Result<TermId> {
        let avoided = self.ends_to_avoid(builder)?;
        let none = Ends::new();
        let mut groups: BTreeMap<&Ends, Continued> = BTreeMap::new();
        let mut alternatives: BTreeMap<&Ends, Vec<u32>> = BTreeMap::new();
        for &(begin, node) in after {
            match begin {
                Begin::Special(name) => {
                    let token = builder.special(name)?.number();
                    let node = builder.seq(&[token, node.number()])?.number();
                    alternatives.entry(&none).or_default().push(node);
                }
                Begin::Text(text) => {
                    let ends = avoided.get(text.as_bytes()).unwrap_or(&none);
                    groups.entry(ends).or_default().push((text.as_bytes(), node));
                }
            }
        }
        for (ends, continued) in groups {
            let node = branches(builder, &continued)?.number();
            alternatives.entry(ends).or_default().push(node);
        }
        let mut nodes = Vec::new();
        for (ends, after) in alternatives {
            let text = self.without_ends(builder, ends)?.number();
            let after = builder.alt(&after)?.number();
            nodes.push(builder.seq(&[text, after])?.number());
        }
        builder.alt(&nodes)
    }

    /// For each trigger: the ends of a text that make another string together with a beginning of the trigger, or with all
    /// of it. That string would have ended the text earlier.
    fn ends_to_avoid(&self, builder: &mut Builder) -> Result<HashMap<&'t [u8], Ends<'t>>> {
        let strings = self.triggers.iter().chain(self.forbidden).map(|text| text.as_bytes());
        let longest = self.triggers.iter().map(|trigger| trigger.len()).max().unwrap_or(0);
        let mut suffixes = 0;
        let mut by_suffix: HashMap<&[u8], Vec<&[u8]>> = HashMap::new();
        for string in strings {
            suffixes += string.len().min(longest);
            builder.check((string.len().min(longest) * string.len() / BYTES_PER_STEP) as u64)?;
            for cut in string.len().saturating_sub(longest).max(1)..string.len() {
                by_suffix.entry(&string[cut..]).or_default().push(&string[..cut]);
            }
        }
        builder.hold(SUFFIX * suffixes);
        let mut found = HashMap::new();
        for trigger in self.triggers.iter().map(|trigger| trigger.as_bytes()) {
            builder.check((trigger.len() + trigger.len() * trigger.len() / BYTES_PER_STEP) as u64)?;
            let beginnings = (1..=trigger.len()).filter_map(|end| by_suffix.get(&trigger[..end]));
            found.insert(trigger, beginnings.flatten().copied().collect());
        }
        Ok(found)
    }

    /// The node of free text with tags in it; each tag is a begin and the node behind it.
    pub fn with_tags(&self, builder: &mut Builder, tags: &[(Begin, TermId)], count: Count) -> Result<TermId> {
        let mut after = Vec::new();
        let mut behind: Vec<Continued> = vec![Vec::new(); self.triggers.len()];
        let places: HashMap<&str, usize> =
            self.triggers.iter().enumerate().map(|(place, &trigger)| (trigger, place)).collect();
        for &(begin, node) in tags {
            match begin {
                Begin::Special(_) => after.push((begin, node)),
                Begin::Text(text) => {
                    builder.check((text.len() * text.len() / BYTES_PER_STEP) as u64)?;
                    let mut ends = (1..=text.len()).filter(|&end| text.is_char_boundary(end));
                    let Some((place, end)) = ends.find_map(|end| Some((*places.get(&text[..end])?, end))) else {
                        return Err(Error::Misuse("a tag begins with a trigger".into()).into());
                    };
                    behind[place].push((&text.as_bytes()[end..], node));
                }
            }
        }
        for (trigger, continued) in self.triggers.iter().zip(&behind) {
            after.push((Begin::Text(trigger), branches(builder, continued)?));
        }
        let (tagged, text) = (self.up_to(builder, &after)?.number(), self.lower(builder)?);
        if count.text_after {
            let tags = builder.repeat(tagged, count.at_least, count.at_most)?;
            return builder.seq(&[tags.number(), text.number()]);
        }
        if count.at_most == Some(0) {
            return Ok(text);
        }
        let some = builder.repeat(tagged, count.at_least.max(1), count.at_most)?;
        if count.at_least > 0 {
            Ok(some)
        } else {
            builder.alt(&[text.number(), some.number()])
        }
    }
}

/// The node of (a text, the node after it) for each pair, with common beginnings read once (a radix tree).
pub fn branches(builder: &mut Builder, continued: &[(&[u8], TermId)]) -> Result<TermId> {
    branches_below(builder, continued, 0)
}

fn branches_below(builder: &mut Builder, continued: &[(&[u8], TermId)], depth: usize) -> Result<TermId> {
    if depth > MOST_PREFIXES {
        return Err(Error::Limit(Limit::Nesting(MOST_PREFIXES as u32)).into());
    }
    let mut nodes: Vec<u32> =
        continued.iter().filter(|(text, _)| text.is_empty()).map(|(_, node)| node.number()).collect();
    let mut groups: Vec<Continued> = Vec::new();
    let mut places = [None; 256];
    for &(text, node) in continued.iter().filter(|(text, _)| !text.is_empty()) {
        let place = *places[usize::from(text[0])].get_or_insert_with(|| {
            groups.push(Vec::new());
            groups.len() - 1
        });
        groups[place].push((text, node));
    }
    for group in groups {
        let first = group[0].0;
        let shared = group.iter().map(|(text, _)| common_prefix(first, text)).min().unwrap_or(0);
        builder.check((group.len() * shared / BYTES_PER_STEP) as u64)?;
        let rest: Vec<_> = group.iter().map(|&(text, node)| (&text[shared..], node)).collect();
        let node = branches_below(builder, &rest, depth + 1)?.number();
        let literal = builder.literal(&first[..shared])?.number();
        nodes.push(builder.seq(&[literal, node])?.number());
    }
    match nodes[..] {
        [] => Ok(EMPTY),
        _ => builder.alt(&nodes),
    }
}

fn common_prefix(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}

/// The node of a text that ends with the first of its ends.
pub fn until(builder: &mut Builder, text: &FreeText, ends: &[Begin]) -> Result<TermId> {
    let after: Vec<_> = ends.iter().map(|&end| (end, EPSILON)).collect();
    text.up_to(builder, &after)
}

/// Refuses a trigger that can never be found, since another string always ends before it. `Fault::at` is the number of the
/// trigger.
pub fn check_strings(builder: &mut Builder, triggers: &[&str], forbidden: &[&str]) -> std::result::Result<(), Failure> {
    let strings = triggers.iter().chain(forbidden);
    builder.check(strings.map(|text| text.len() + text.len() * text.len() / BYTES_PER_STEP).sum::<usize>() as u64)?;
    let doubled = "leave one of the two out";
    let needless = "a trigger ends the text, so that nothing of it need be forbidden";
    for (others, is_trigger, verb, hint) in
        [(triggers, true, "ends the text before it", doubled), (forbidden, false, "is forbidden", needless)]
    {
        let lengths: BTreeSet<usize> = others.iter().map(|string| string.len()).collect();
        let known: HashSet<&[u8]> = others.iter().map(|string| string.as_bytes()).collect();
        let begins: HashSet<u8> = known.iter().filter_map(|string| string.first()).copied().collect();
        let bytes: usize = triggers.iter().map(|trigger| trigger.len()).sum();
        builder.check((lengths.len() * bytes * STEPS_PER_PIECE) as u64)?;
        for (number, &trigger) in triggers.iter().enumerate() {
            // Of two triggers with the same end, the shorter one comes first.
            let last = trigger.len() - usize::from(is_trigger);
            let starts = (0..trigger.len()).filter(|&at| begins.contains(&trigger.as_bytes()[at]));
            let pieces = starts.flat_map(|at| lengths.iter().map(move |length| at..at + length));
            let found = pieces
                .filter(|piece| piece.end <= last)
                .find(|piece| known.contains(&trigger.as_bytes()[piece.clone()]));
            if let Some(found) = found.and_then(|piece| trigger.get(piece)) {
                let [trigger, found] = [trigger, found].map(|text| quoted(text.chars()));
                let message = format!("the trigger {trigger} never comes: {found} {verb}");
                return Err(Failure::Unread(Fault::new(message, number, hint)));
            }
        }
    }
    Ok(())
}

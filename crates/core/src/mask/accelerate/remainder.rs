//! Exits of a head × tokens that the head allows → the other tokens below the exits.
//!
//! A name may end after each of its letters, so most nodes of the trie are exits of a name. Most tokens below them are
//! names themselves, and the mask has these anyway. What follows the name is walked for the other tokens only.

use crate::mask::accelerate::Accelerators;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::trie::Trie;

/// Exits below exits from which the other tokens are looked for. Chosen without measurement.
const NESTED_FROM: usize = 64;

/// A subtrie of more nodes stays as it is unless most of its tokens are allowed: what follows enters it by a few bytes
/// only. Chosen without measurement.
const LARGE_SUBTRIE: u32 = 1_000;

/// The tokens below the exits of a head that the head does not allow itself.
pub(crate) struct Remainder {
    /// Exits of large subtries, most of whose tokens the head does not allow.
    pub large: Vec<NodeId>,
    /// The other tokens below all other exits.
    pub merged: Trie,
}

impl Remainder {
    /// The remainder below ascending exits; None if it would save little, because few exits are below another one.
    /// `allowed`: the tokens of the head, as words of a mask.
    pub fn of(trie: &Trie, exits: &[NodeId], allowed: impl Iterator<Item = (u32, u32)>) -> Option<Self> {
        if !Accelerators::on().remainder || exits.len() <= NESTED_FROM || !exits.is_sorted() {
            return None;
        }
        let is_above = |pair: &&[NodeId]| pair[1] < trie.end(pair[0]);
        if exits.windows(2).filter(is_above).take(NESTED_FROM).count() < NESTED_FROM {
            return None;
        }
        let (mut bits, mut count) = (Vec::new(), 0);
        for (word, set) in allowed {
            if bits.len() <= word as usize {
                bits.resize(word as usize + 1, 0);
            }
            bits[word as usize] |= set;
            count += set.count_ones() as usize;
        }
        let is_other = |token: u32| bits.get(token as usize >> 5).is_none_or(|bits| bits >> (token & 31) & 1 == 0);
        let is_kept = |node: NodeId| {
            let below = trie.tokens_below(node);
            2 * count < below.len() || 2 * below.iter().filter(|&&token| is_other(token)).count() > below.len()
        };
        let (large, small): (Vec<_>, Vec<_>) =
            exits.iter().partition(|&&node| trie.size(node) > LARGE_SUBTRIE && is_kept(node));
        let places = trie.places_below(&small, is_other);
        let (mut rest, mut nodes) = (&places[..], Vec::new());
        for node in small {
            let [from, to] = [node.next(), trie.end(node)].map(|node| trie.tokens_before(node) as u32);
            rest = &rest[rest.iter().take_while(|&&place| place < from).count()..];
            let below = &rest[..rest.iter().take_while(|&&place| place < to).count()];
            if !below.is_empty() {
                nodes.push((node, below));
            }
        }
        Some(Remainder { large, merged: trie.merge_some(&nodes) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::fixture::{node, shared_masks};
    use crate::vocabulary::token_set::sorted_words;

    /// Names of two and three letters, each name of two letters also before a bracket.
    fn texts() -> Vec<String> {
        let letters = || 'a'..='i';
        let pairs = || letters().flat_map(move |one| letters().map(move |two| format!("{one}{two}")));
        pairs().chain(pairs().map(|pair| pair + "c")).chain(pairs().map(|pair| pair + "(")).collect()
    }

    fn remainder(nested: usize, is_name: impl Fn(&str) -> bool) -> Option<(Vec<NodeId>, Vec<u32>)> {
        let texts = texts();
        let all: Vec<&str> = texts.iter().map(String::as_str).collect();
        let shared = shared_masks(&all);
        let trie = &shared.vocabulary.trie;
        let names = (0..all.len() as u32).filter(|&token| is_name(all[token as usize]));
        let words = sorted_words(names.collect());
        // Every node of a name of two letters, and that of its first letter.
        let mut exits: Vec<NodeId> =
            all.iter().filter(|text| text.len() == 2).map(|text| node(&shared, text)).collect();
        exits.extend(('a'..='i').map(|letter| node(&shared, &letter.to_string())));
        exits.sort_unstable();
        exits.truncate(nested + nested / 9 + 1);
        let Remainder { large, merged } = Remainder::of(trie, &exits, words.iter().copied())?;
        let mut tokens = merged.tokens_below(NodeId::ROOT).to_vec();
        tokens.sort_unstable();
        tokens.dedup();
        Some((large, tokens))
    }

    #[test]
    fn only_tokens_that_are_not_allowed_remain() {
        let brackets: Vec<u32> = (2 * 81..3 * 81).collect();
        assert_eq!(remainder(81, |text| !text.ends_with('(')), Some((vec![], brackets)));
        assert_eq!(remainder(81, |_| true), Some((vec![], vec![])));
    }

    #[test]
    fn few_exits_below_others_are_left_as_they_are() {
        assert!(remainder(72, |_| true).is_some());
        assert!(remainder(54, |_| true).is_none());
    }

    #[test]
    fn a_large_subtrie_stays_if_most_of_it_is_not_allowed() {
        let mut texts: Vec<String> = (0..1_500).map(|number| format!(" {number:04}")).collect();
        texts.extend((1..=80).map(|length| " ".repeat(length)));
        let all: Vec<&str> = texts.iter().map(String::as_str).collect();
        let shared = shared_masks(&all);
        let trie = &shared.vocabulary.trie;
        let exits: Vec<NodeId> = (1..80).map(|length| node(&shared, &" ".repeat(length))).collect();
        let of = |allowed: std::ops::Range<u32>| {
            let words = sorted_words(allowed.collect());
            let Remainder { large, merged } = Remainder::of(trie, &exits, words.iter().copied()).unwrap();
            (large.len(), merged.tokens_below(NodeId::ROOT).len())
        };
        assert_eq!(of(1_500..1_580), (1, 0), "white space");
        assert_eq!(of(0..1_580), (0, 0));
        assert_eq!(of(400..1_580), (0, 400), "tokens of the large subtrie alone");
    }
}

//! Exits of a head × tokens that the head allows → the other tokens below the exits.
//!
//! A name may end after each of its letters, so most nodes of the trie are exits of a name. Most tokens below them are
//! names themselves, and the mask has these anyway. What follows the name is walked for the other tokens only.

use crate::error::Result;
use crate::json::arena::Arena;
use crate::mask::accelerate::Accelerators;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::trie::Trie;

/// Exits above other exits from which on the remainder is looked for. JSON's strings have none, its numbers some hundred
/// and names thousands. Chosen without measurement.
const NESTED_FROM: usize = 256;

/// A subtrie of more nodes stays as it is unless most of its tokens are allowed: what follows enters it by a few bytes
/// only. Chosen without measurement.
const LARGE_SUBTRIE: u32 = 1_000;

/// (Exit, token below it) per step: to merge a pair takes some 20 ns.
const PAIRS_PER_STEP: u64 = 2;

/// The tokens below the exits of a head that the head does not allow itself.
pub(crate) struct Remainder {
    /// Exits of large subtries, most of whose tokens the head does not allow.
    pub large: Vec<NodeId>,
    /// The other tokens below all other exits.
    pub merged: Trie,
}

impl Remainder {
    /// The remainder below ascending exits; None if few exits are above another one, because then it would save little.
    /// `allowed`: the tokens of the head, as words of a mask.
    pub fn of(
        arena: &mut Arena,
        trie: &Trie,
        exits: &[NodeId],
        allowed: impl Iterator<Item = (u32, u32)>,
    ) -> Result<Option<Self>> {
        if !Accelerators::on().remainder || exits.len() <= NESTED_FROM || !exits.is_sorted() {
            return Ok(None);
        }
        let is_above = |pair: &&[NodeId]| pair[1] < trie.end(pair[0]);
        if exits.windows(2).filter(is_above).take(NESTED_FROM).count() < NESTED_FROM {
            return Ok(None);
        }
        arena.spend(exits.len() as u64)?;
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
        let (mut large, mut small) = (Vec::new(), Vec::new());
        for &node in exits {
            match trie.size(node) {
                // Nothing is below most exits.
                1 => {}
                size if size > LARGE_SUBTRIE && is_kept(node) => large.push(node),
                _ => small.push(node),
            }
        }
        let places = trie.places_below(&small, is_other);
        let (mut rest, mut nodes, mut pairs) = (&places[..], Vec::new(), 0);
        for node in small {
            let [from, to] = [node.next(), trie.end(node)].map(|node| trie.tokens_before(node) as u32);
            rest = &rest[rest.iter().take_while(|&&place| place < from).count()..];
            let below = &rest[..rest.iter().take_while(|&&place| place < to).count()];
            if !below.is_empty() {
                pairs += below.len();
                nodes.push((node, below));
            }
        }
        arena.spend(pairs as u64 / PAIRS_PER_STEP)?;
        let merged = trie.merge(&nodes);
        arena.budget.grow_shared(merged.memory_bytes())?;
        Ok(Some(Remainder { large, merged }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::fixture::{node, shared_masks};
    use crate::vocabulary::token_set::sorted_words;

    /// The remainder below all names of one to three of these letters, where a bracket follows names of two letters; and
    /// how many tokens have a bracket.
    fn remainder(letters: std::ops::RangeInclusive<char>, is_allowed: impl Fn(&str) -> bool) -> Option<(usize, usize)> {
        let longer = |names: &[String]| -> Vec<String> {
            names.iter().flat_map(|name| letters.clone().map(move |letter| format!("{name}{letter}"))).collect()
        };
        let one = longer(&[String::new()]);
        let two = longer(&one);
        let names: Vec<String> = [&longer(&two)[..], &two, &one].concat();
        let brackets: Vec<String> = two.iter().map(|name| format!("{name}(")).collect();
        let texts: Vec<&str> = names.iter().chain(&brackets).map(String::as_str).collect();
        let shared = shared_masks(&texts);
        let allowed = (0..texts.len() as u32).filter(|&token| is_allowed(texts[token as usize]));
        let words = sorted_words(allowed.collect());
        let mut exits: Vec<NodeId> = names.iter().map(|text| node(&shared, text)).collect();
        exits.sort_unstable();
        let found =
            Remainder::of(&mut Arena::new(), &shared.vocabulary.trie, &exits, words.iter().copied()).unwrap()?;
        assert!(found.large.is_empty());
        let mut tokens: Vec<&str> =
            found.merged.tokens_below(NodeId::ROOT).iter().map(|&token| texts[token as usize]).collect();
        assert!(tokens.iter().all(|text| !is_allowed(text)));
        tokens.sort_unstable();
        let count = tokens.len();
        tokens.dedup();
        Some((count, tokens.len()))
    }

    #[test]
    fn only_tokens_that_are_not_allowed_remain() {
        let is_name = |text: &str| !text.ends_with('(');
        assert_eq!(remainder('a'..='p', is_name), Some((2 * 256, 256)), "behind one letter and behind two");
        assert_eq!(remainder('a'..='p', |_| true), Some((0, 0)));
    }
}

//! Head → head mask, cached for one grammar and under the head's hash for all grammars of the vocabulary.
//!
//! A head that counts, such as `[a-z]{0,1000}`, is a new term after each character. It is looked up with its count
//! saturated at the length of the longest token, so that all counts far from their end share one head mask.

use crate::error::Result;
use crate::json::arena::Arena;
use crate::mask::accelerate::counter_loop::CounterLoop;
use crate::mask::head_mask::HeadMask;
use crate::mask::shared::SharedMasks;
use crate::regular::term::{Info, TermId};
use crate::storage::hash::Hasher128;
use rustc_hash::FxHashMap;

/// A class is wide if more than one in this many tokens holds no other characters.
const WIDE_RATIO: usize = 8;

/// Bytes of an entry in one of the tables, beside its value.
const ENTRY_BYTES: usize = 24;

/// The head masks that one compiled grammar has at hand.
#[derive(Default)]
pub(crate) struct HeadMasks {
    /// Whether these are the head masks of heads that nothing follows.
    is_last: bool,
    by_head: FxHashMap<TermId, HeadMask>,
    /// A head that counts → the head with its counts saturated at the longest token that it may begin.
    pub(super) saturated: FxHashMap<TermId, TermId>,
    /// A head that counts → the head mask of the saturated head.
    pub(super) counting: FxHashMap<TermId, HeadMask>,
    /// Bytes of the three tables.
    held: usize,
}

impl HeadMasks {
    /// Head masks of heads that nothing follows.
    pub(crate) fn of_last() -> Self {
        HeadMasks { is_last: true, ..HeadMasks::default() }
    }

    /// The hash under which all grammars share the head mask of a head.
    fn hash(&self, arena: &Arena, head: TermId) -> u128 {
        let hash = arena.info(head).hash;
        if self.is_last {
            hash ^ Hasher128::hash_numbers(&[u32::MAX])
        } else {
            hash
        }
    }

    /// Bytes of the tables.
    pub(crate) fn memory_bytes(&self) -> usize {
        self.held
    }

    /// How many head masks there are; heads that differ only beyond the longest token count once.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.by_head.len()
    }

    /// The head mask of a head.
    pub(crate) fn get(&mut self, arena: &mut Arena, shared: &SharedMasks, head: TermId) -> Result<HeadMask> {
        let head = arena.open_key(head).map_or(head, |(inner, _)| inner);
        if !arena.info(head).counts {
            return self.find_or_compute(arena, shared, head);
        }
        if let Some(head_mask) = self.counting.get(&head) {
            return Ok(head_mask.clone());
        }
        // The head mask is cached under the hash of the exact head, too: a hit there avoids saturating the head.
        let hash = self.hash(arena, head);
        let head_mask = match shared.head_masks.get(hash) {
            Some(head_mask) => head_mask,
            None => {
                let saturated = self.saturated(arena, shared, head)?;
                let head_mask = self.find_or_compute(arena, shared, saturated)?;
                if saturated != head {
                    shared.head_masks.put(hash, head_mask.clone(), size_of::<HeadMask>());
                }
                head_mask
            }
        };
        self.held += ENTRY_BYTES + size_of::<HeadMask>();
        self.counting.insert(head, head_mask.clone());
        Ok(head_mask)
    }

    /// Whether a head without a head mask counts, and may end after each of many characters. Then much of the trie is below
    /// its exits, which shows without the head mask.
    pub(crate) fn has_unknown_exits_everywhere(
        &mut self,
        arena: &mut Arena,
        shared: &SharedMasks,
        head: TermId,
    ) -> Result<bool> {
        let Info { counts, nullable, .. } = *arena.info(head);
        if !counts || !nullable || self.counting.contains_key(&head) {
            return Ok(false);
        }
        let saturated = self.saturated(arena, shared, head)?;
        let found = CounterLoop::find(arena, saturated, shared.vocabulary.longest)?;
        Ok(found.is_some_and(|counter_loop| {
            counter_loop.may_end_anywhere(arena)
                && shared.vocabulary.count_of(counter_loop.class) * WIDE_RATIO > shared.vocabulary.len()
        }))
    }

    /// A head with its counts saturated at the longest token that it may begin; cached.
    fn saturated(&mut self, arena: &mut Arena, shared: &SharedMasks, head: TermId) -> Result<TermId> {
        if !arena.info(head).counts {
            return Ok(head);
        }
        if let Some(&saturated) = self.saturated.get(&head) {
            return Ok(saturated);
        }
        let longest = shared.vocabulary.longest_of(&arena.first_bytes(head));
        let saturated = arena.saturate(head, longest)?;
        self.held += ENTRY_BYTES;
        self.saturated.insert(head, saturated);
        Ok(saturated)
    }

    fn find_or_compute(&mut self, arena: &mut Arena, shared: &SharedMasks, head: TermId) -> Result<HeadMask> {
        if let Some(head_mask) = self.by_head.get(&head) {
            return Ok(head_mask.clone());
        }
        let hash = self.hash(arena, head);
        let known = shared.head_masks.get(hash);
        let head_mask = match known {
            Some(head_mask) => head_mask,
            None => {
                let is_last = self.is_last;
                let mut neighbour = |arena: &mut Arena, neighbour| {
                    let neighbour = self.saturated(arena, shared, neighbour)?;
                    self.find_or_compute(arena, shared, neighbour)
                };
                let head_mask = HeadMask::compute(arena, shared, (head, is_last), &mut neighbour)?;
                arena.budget.grow_shared(head_mask.memory_bytes())?;
                shared.head_masks.put(hash, head_mask.clone(), head_mask.memory_bytes());
                head_mask
            }
        };
        self.held += ENTRY_BYTES + head_mask.memory_bytes();
        self.by_head.insert(head, head_mask.clone());
        Ok(head_mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mask::fixture::{printable_and, Scene};
    use crate::regular::fixture::regex;
    use std::sync::Arc;

    /// A grammar over the printable characters and a token of `longest` letters, and the head masks of another grammar.
    fn scene(longest: usize) -> (Scene, HeadMasks) {
        let long = "a".repeat(longest);
        let scene = Scene::new(&printable_and(&["aa", &long]), |builder| builder.any_text().unwrap());
        (scene, HeadMasks::default())
    }

    #[test]
    fn heads_that_differ_beyond_the_longest_token_have_one_head_mask() {
        let (mut scene, mut head_masks) = scene(4);
        let (arena, shared) = (&mut scene.machine.arena, &*scene.shared);
        let mut of = |text: &str| {
            let head = regex(arena, text);
            (head_masks.get(arena, shared, head).unwrap().core, head_masks.len())
        };
        let (many, _) = of("a{50}");
        let (more, count) = of("a{51}");
        assert!(Arc::ptr_eq(&many, &more));
        assert_eq!(of("a{60,70}").1, count, "neither end of the count is in reach");
        assert_eq!(of("a{2,70}").1, count + 1);
        let (three, _) = of("a{3}");
        assert!(!Arc::ptr_eq(&many, &three), "aaaa is too long");
    }

    #[test]
    fn what_one_grammar_found_another_need_not() {
        let (mut scene, mut first) = scene(4);
        let (arena, shared) = (&mut scene.machine.arena, &*scene.shared);
        for text in ["[ab]c", "a{50}"] {
            let head = regex(arena, text);
            let found = first.get(arena, shared, head).unwrap();
            let (held, count) = (first.memory_bytes(), first.len());
            assert!(Arc::ptr_eq(&first.get(arena, shared, head).unwrap().core, &found.core));
            assert_eq!((first.memory_bytes(), first.len()), (held, count), "nothing is kept twice");
            let mut other = HeadMasks::default();
            assert!(Arc::ptr_eq(&other.get(arena, shared, head).unwrap().core, &found.core));
            assert!(other.memory_bytes() > 0);
        }
    }
}

//! Position of one machine → its key, head by head.
//!
//! A head enters by a hash of its tokens. What follows the head enters by hashes of what tokens observe below its exits
//! (`lookahead`). Most tokens end soon after an exit, so a key depends on little: of an object, for example, on whether it
//! may close and whether another member may come. Hashes of parts are added, as the mask joins their tokens.

use crate::automaton::follow_bytes::FollowBytes;
use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::error::Result;
use crate::json::registers::Value;
use crate::mask::accelerate::exclusion::Exclusion;
use crate::mask::exits::{Exits, Key};
use crate::mask::head_mask::HeadMask;
use crate::mask::key::lookahead::Lookaheads;
use crate::mask::key::{Lookahead, MaskKey, DEPTH};
use crate::mask::shared::SharedMasks;
use crate::regular::id::{ObjectId, ObjectStateId};
use crate::regular::term::{Term, TermId, Text, EPSILON};
use crate::regular::terms::Terms;
use crate::storage::hash::Hasher128;
use crate::vocabulary::id::NodeId;

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::ops::Range;
use std::sync::Arc;

/// Parts of keys, cached for one machine and one vocabulary.
#[derive(Default)]
pub(crate) struct KeyParts {
    pub(super) lookaheads: Lookaheads,
    /// (state, extra, frame, exits) → what follows an unnamed key of an object, for any text of the key.
    members: FxHashMap<(ObjectStateId, u32, FrameId, Key), MaskKey>,
    /// The inner part of an unnamed key → its hash, and whether the key may go on with any text.
    inners: FxHashMap<TermId, (u128, bool)>,
    /// (object, low, high, depth) → where tokens leave the named keys.
    ends: FxHashMap<(ObjectId, u32, u32, u32), Arc<[End]>>,
}

/// The part of a key that a head has whatever follows the head.
pub(crate) enum OwnPart {
    /// The hash of the tokens of its head mask.
    Tokens(u128),
    /// The hash of the head saturated at the longest token, where the head mask does not tell everything.
    Saturated(u128),
}

/// Where tokens leave the rest of a named key: at its end, or at the last node at which a token ends.
struct End {
    /// Indices of the sorted keys that tokens leave at this node.
    keys: Range<u32>,
    node: NodeId,
    /// Whether the node is the end of the key.
    whole: bool,
    /// The hash of what tokens observe behind the key, if that does not depend on the members before.
    after: MaskKey,
}

/// Makes keys of the positions of one machine.
pub(crate) struct KeyBuilder<'a> {
    /// The automaton of the grammar.
    pub machine: &'a mut Machine,
    /// The FOLLOW sets of the machine's frames.
    pub follow_bytes: &'a mut FollowBytes,
    /// The parts cached so far.
    pub parts: &'a mut KeyParts,
    /// The vocabulary, and the caches that its grammars share.
    pub shared: &'a SharedMasks,
}

impl KeyBuilder<'_> {
    /// The key of a head that has a head mask, and of what follows the head.
    pub(crate) fn of_head(
        &mut self,
        head: TermId,
        own: OwnPart,
        frame: FrameId,
        head_mask: &HeadMask,
    ) -> Result<MaskKey> {
        if head_mask.inexact_exits {
            return Ok(None);
        }
        let exits = head_mask.core.exits.get(self.shared);
        if let Term::KeyExtra { state, extra, inner, .. } = *self.machine.arena.term(head) {
            let key = (state, extra, frame, exits.key());
            let after = match self.parts.members.get(&key) {
                Some(&known) => known,
                None => {
                    let after = self.lookahead_after_key(head, frame, exits)?;
                    self.machine.arena.budget.grow(64);
                    self.parts.members.insert(key, after);
                    after
                }
            };
            let Some(after) = after else { return Ok(None) };
            let (inner, _) = self.inner_key(inner)?;
            return Ok(Some(Hasher128::of(1, &[inner, after])));
        }
        if self.machine.arena.info(head).structural {
            return Ok(None);
        }
        let Some(Lookahead { hash: behind, .. }) = self.lookahead_behind(frame, exits, DEPTH)? else { return Ok(None) };
        Ok(Some(match own {
            OwnPart::Tokens(own) => own.wrapping_add(behind),
            OwnPart::Saturated(saturated) => Hasher128::of(2, &[saturated, behind]),
        }))
    }

    /// The hash of what tokens observe behind an unnamed key: a colon, a value, and what follows the value.
    fn lookahead_after_key(&mut self, key: TermId, frame: FrameId, exits: &Exits) -> Result<MaskKey> {
        let Term::KeyExtra { object, extra, .. } = *self.machine.arena.term(key) else { return Ok(None) };
        let spec = self.machine.arena.registers.objects[object.index()].clone();
        if let Some(after) = self.lookahead_values(object, &spec.extras[extra as usize].values, exits)? {
            return Ok(Some(after));
        }
        let ended = self.machine.arena.replace_open_key(key, EPSILON, Text::Unknown)?;
        match self.machine.arena.continuation(ended)? {
            Some(member) => Ok(self.lookahead_from(member, frame, exits, DEPTH)?.map(|found| found.hash)),
            None => Ok(None),
        }
    }

    /// The key of a head that reads named keys of an object. `covered`: another head reads keys of any text.
    pub(crate) fn of_named_key(&mut self, key: TermId, frame: FrameId, covered: bool) -> Result<MaskKey> {
        let Term::KeyNamed { object, state, low, high, depth } = *self.machine.arena.term(key) else { return Ok(None) };
        let choices = self.machine.arena.choices(object, state)?;
        let ends = self.ends((object, low, high, depth))?;
        let spec = self.machine.arena.registers.objects[object.index()].clone();
        let (mut hash, mut nodes) = (0u128, SmallVec::<[NodeId; 16]>::new());
        for end in ends.iter() {
            let keys = &spec.sorted[end.keys.start as usize..end.keys.end as usize];
            let Some(&(_, property)) = keys.iter().find(|&&(_, property)| choices.allows(property)) else { continue };
            if end.whole || !covered {
                nodes.push(end.node);
            }
            let after = match end.after {
                Some(after) => after,
                None => {
                    let member = self.machine.arena.named_member(object, state, property)?;
                    let exits = Exits::at(end.node);
                    let Some(after) = self.lookahead_from(member, frame, &exits, DEPTH)? else {
                        return Ok(None);
                    };
                    after.hash
                }
            };
            hash = hash.wrapping_add(after);
        }
        // A node on the path to another one adds no token.
        nodes.sort_unstable();
        for (at, &node) in nodes.iter().enumerate() {
            if nodes.get(at + 1).is_none_or(|&next| next >= self.shared.vocabulary.trie.end(node)) {
                hash = hash.wrapping_add(Hasher128::of(3, &[node.number().into()]));
            }
        }
        Ok(Some(hash))
    }

    /// Whether a head is a key that may be any text but finitely many.
    pub(crate) fn covers(&mut self, head: TermId) -> Result<bool> {
        match *self.machine.arena.term(head) {
            Term::KeyExtra { inner, .. } => Ok(self.inner_key(inner)?.1),
            _ => Ok(false),
        }
    }

    /// The hash of what tokens observe of a colon and one of several values; None if a token goes on behind a value, because what
    /// follows depends on the members before.
    fn lookahead_values(&mut self, object: ObjectId, values: &[Value], exits: &Exits) -> Result<MaskKey> {
        let spec = &self.machine.arena.registers.objects[object.index()];
        let colon = spec.colon;
        if !spec.is_unrestricted() {
            return Ok(None);
        }
        let Some(Lookahead { mut hash, ends, .. }) = self.lookahead(colon, exits, DEPTH)? else { return Ok(None) };
        for value in values {
            match self.lookahead(value.node, &ends, DEPTH)? {
                Some(value) if value.ends.is_nowhere() => hash = hash.wrapping_add(value.hash),
                _ => return Ok(None),
            }
        }
        Ok(Some(hash))
    }

    /// Where tokens leave the named keys `low..high`, of which `depth` bytes are read.
    fn ends(&mut self, of: (ObjectId, u32, u32, u32)) -> Result<Arc<[End]>> {
        if let Some(ends) = self.parts.ends.get(&of) {
            return Ok(ends.clone());
        }
        let (object, low, high, depth) = of;
        let spec = self.machine.arena.registers.objects[object.index()].clone();
        let keys = &spec.sorted[low as usize..high as usize];
        self.machine.arena.spend(keys.len() as u64)?;
        let colon = self.follow_bytes.first_of(self.machine, &[spec.colon]);
        let shared = self.shared;
        let trie = &shared.vocabulary.trie;
        let mut ends: Vec<End> = Vec::new();
        for (place, (text, property)) in (low..high).zip(keys) {
            let (left_at, whole) = trie.follow(&text[depth as usize..]);
            if let (None, Some(last)) = (whole, ends.last_mut()) {
                if !last.whole && last.node == left_at {
                    last.keys.end = place + 1;
                    continue;
                }
            }
            let mut after = Some(0);
            if let Some(node) = whole.filter(|&node| trie.has_child_in(node, &colon)) {
                let values = &spec.properties[*property as usize].values;
                after = self.lookahead_values(object, values, &Exits::at(node))?;
            }
            let node = whole.unwrap_or(left_at);
            if node != NodeId::ROOT {
                ends.push(End { keys: place..place + 1, node, whole: whole.is_some(), after });
            }
        }
        let ends: Arc<[End]> = ends.into();
        self.machine.arena.budget.grow(64 + size_of_val(&*ends));
        self.parts.ends.insert(of, ends.clone());
        Ok(ends)
    }

    /// The hash of the inner part of an unnamed key, and whether the key may go on with any text.
    fn inner_key(&mut self, inner: TermId) -> Result<(u128, bool)> {
        if let Some(&known) = self.parts.inners.get(&inner) {
            return Ok(known);
        }
        let mut nodes = Vec::new();
        let arena = &mut self.machine.arena;
        let named = match Exclusion::of(arena, inner)? {
            Some(exclusion) if exclusion.ends_of_excluded(arena, &self.shared.vocabulary.trie, &mut nodes) => {
                nodes.sort_unstable();
                nodes.dedup();
                let mut parts = vec![self.shared.saturated_hash(arena, exclusion.relaxed)?];
                parts.extend(nodes.into_iter().map(|node| u128::from(node.number())));
                (Hasher128::of(4, &parts), reads_any_text(arena, exclusion.relaxed))
            }
            _ => (self.shared.saturated_hash(arena, inner)?, reads_any_text(arena, inner)),
        };
        arena.budget.grow(64);
        self.parts.inners.insert(inner, named);
        Ok(named)
    }
}

/// Whether a head is inside a string of any text.
fn reads_any_text(terms: &Terms, inner: TermId) -> bool {
    matches!(*terms.term(inner), Term::Quoted { text, escapes, .. } if terms.is_any_text(text, escapes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::frame::BOTTOM;
    use crate::builder::{Builder, ObjectRules};
    use crate::json::arena::Arena;
    use crate::mask::fixture::{node, object, object_of, printable_and, shared_masks, Scene};
    use crate::regular::term::Spelling;

    /// The key of a quoted text, with what follows it.
    fn quoted_key(scene: &mut Scene, head: TermId, own: OwnPart, frame: FrameId, inexact: bool) -> MaskKey {
        let mut neighbour = |_: &mut Arena, _| unreachable!("no accelerator knows this head");
        let mut mask =
            HeadMask::compute(&mut scene.machine.arena, &scene.shared, (head, false), &mut neighbour).unwrap();
        mask.inexact_exits = inexact;
        scene.keys().of_head(head, own, frame, &mask).unwrap()
    }

    #[test]
    fn a_head_is_known_by_its_own_part_and_by_what_follows_its_exits() {
        let mut scene = Scene::new(&shared_masks(&["a", "b", "ax"]), |builder| builder.literal(b"x").unwrap());
        let arena = &mut scene.machine.arena;
        let class = arena.class(crate::bytes::byteset::ByteSet::range(b'a', b'b')).unwrap();
        let [x, y] = [&b"x"[..], b"y"].map(|text| arena.literal(text).unwrap());
        let [behind_x, behind_y] = [x, y].map(|term| scene.frame(term));
        let mut of = |own, frame, inexact| quoted_key(&mut scene, class, own, frame, inexact);
        let alone = of(OwnPart::Tokens(5), BOTTOM, false).unwrap();
        assert_eq!(alone, 5, "nothing follows");
        assert_eq!(of(OwnPart::Tokens(6), BOTTOM, false), Some(6));
        assert_eq!(of(OwnPart::Tokens(5), behind_y, false), Some(5), "no token reads the y");
        let seen = of(OwnPart::Tokens(5), behind_x, false).unwrap();
        assert_ne!(seen, 5);
        assert_eq!(of(OwnPart::Tokens(6), behind_x, false), Some(seen + 1), "parts are added");
        let saturated = of(OwnPart::Saturated(5), behind_x, false).unwrap();
        assert_ne!(saturated, seen, "hashes of tokens and of terms are kept apart");
        assert_ne!(of(OwnPart::Saturated(5), BOTTOM, false), Some(saturated));
        assert_eq!(of(OwnPart::Tokens(5), BOTTOM, true), None, "exits that may be wrong tell nothing");
    }

    /// The head after a text that reads named keys, or that reads unnamed ones.
    fn key_head(scene: &mut Scene, text: &str, named: bool) -> (TermId, FrameId) {
        let at = scene.read(text);
        let is_such = |&&(term, _): &&(TermId, FrameId)| match scene.machine.arena.term(term) {
            Term::KeyNamed { .. } => named,
            Term::KeyExtra { .. } => !named,
            _ => false,
        };
        *scene.machine.position(at).heads.iter().find(is_such).unwrap()
    }

    /// The key of the named keys that are open after a text.
    fn named_key(scene: &mut Scene, text: &str, covered: bool) -> MaskKey {
        let (key, frame) = key_head(scene, text, true);
        scene.keys().of_named_key(key, frame, covered).unwrap()
    }

    fn any_order() -> ObjectRules {
        ObjectRules { any_order: true, ..ObjectRules::default() }
    }

    #[test]
    fn named_keys_are_known_by_the_nodes_where_tokens_leave_them() {
        let shared = printable_and(&["\"al", "\"be", "\":", "a\"", "b\""]);
        let of = |keys: &[(&str, bool)], text: &str, covered| {
            let mut scene = Scene::new(&shared, |builder| object(builder, keys, false, any_order()));
            named_key(&mut scene, text, covered).unwrap()
        };
        let two = of(&[("alpha", false), ("beta", false)], "{", false);
        // No token reads further than `"al` or `"be`, so the rests of the names do not matter.
        assert_eq!(of(&[("alone", false), ("between", false)], "{", false), two);
        assert_eq!(of(&[("alpha", false), ("alter", false), ("beta", false)], "{", false), two);
        // A name that came cannot come again: the key is as if the object had never had it.
        assert_eq!(of(&[("alpha", false), ("beta", false), ("alter", false)], "{\"alpha\":1,", false), two);
        assert_ne!(of(&[("alpha", false), ("beta", false)], "{\"alpha\":1,", false), two);
        assert_eq!(
            of(&[("alpha", false), ("beta", false)], "{\"alpha\":1,", false),
            of(&[("between", false)], "{", false)
        );
        // If any other key may come, too, named keys matter only to tokens that read a whole name, such as `a"`.
        let covered = of(&[("alpha", false)], "{", true);
        assert_eq!(covered, of(&[("beta", false)], "{", true));
        assert_ne!(covered, two);
        assert_ne!(of(&[("a", false)], "{\"", true), of(&[("b", false)], "{\"", true));
    }

    #[test]
    fn a_node_on_the_way_to_another_adds_nothing() {
        let shared = printable_and(&["\"a\"", "\"ab\"", "\"abc\""]);
        let of = |keys: &[(&str, bool)]| {
            let mut scene = Scene::new(&shared, |builder| object(builder, keys, false, any_order()));
            named_key(&mut scene, "{", false).unwrap()
        };
        // Tokens leave the names `abc` and `abx` at the nodes `"abc` and `"ab`: the latter is on the way to the former.
        assert_eq!(of(&[("abc", false), ("abx", false)]), of(&[("abc", false)]));
        assert_ne!(of(&[("abc", false), ("a", false)]), of(&[("abc", false)]));
    }

    #[test]
    fn what_tokens_read_behind_a_named_key_is_seen() {
        let far = printable_and(&["\":1", "\":1}"]);
        let near = printable_and(&["\":"]);
        let of = |shared, keys: &[(&str, bool)], rules| {
            let mut scene = Scene::new(shared, |builder| object(builder, keys, false, rules));
            named_key(&mut scene, "{\"a", false).unwrap()
        };
        let two = |required| [("a", false), ("b", required)];
        assert_ne!(of(&far, &two(true), any_order()), of(&far, &two(false), any_order()), "a token closes the object");
        assert_eq!(of(&near, &two(true), any_order()), of(&near, &two(false), any_order()), "no token reads a value");
        let implied = ObjectRules { implies: vec![(0, 1)], ..any_order() };
        assert_ne!(of(&far, &two(false), implied), of(&far, &two(false), any_order()));
    }

    #[test]
    fn unnamed_keys_are_known_by_what_they_exclude_and_what_follows() {
        let shared = printable_and(&["\":1", "\":1}", "ab\""]);
        let of = |keys: &[(&str, bool)], text: &str| {
            let mut scene = Scene::new(&shared, |builder| object(builder, keys, true, any_order()));
            let (key, frame) = key_head(&mut scene, text, false);
            let covers = scene.keys().covers(key).unwrap();
            let mask = {
                let Scene { machine, shared, .. } = &mut scene;
                let (inner, _) = machine.arena.open_key(key).unwrap();
                let mut exact = |arena: &mut Arena, head| {
                    HeadMask::compute(arena, shared, (head, false), &mut |_, _| unreachable!("an any text is walked"))
                };
                HeadMask::compute(&mut machine.arena, shared, (inner, false), &mut exact).unwrap()
            };
            let first = scene.keys().of_head(key, OwnPart::Tokens(1), frame, &mask).unwrap().unwrap();
            let held = scene.machine.memory_bytes();
            assert_eq!(scene.keys().of_head(key, OwnPart::Tokens(2), frame, &mask).unwrap(), Some(first));
            assert_eq!(scene.machine.memory_bytes(), held, "what is known is not kept again");
            assert_eq!(scene.parts.members.len(), 1);
            (first, covers)
        };
        let plain = of(&[("ab", false)], "{\"x");
        assert!(plain.1, "all texts may follow");
        assert_eq!(of(&[("ab", false)], "{\"y"), plain, "the text of a key does not matter");
        assert_eq!(of(&[("cd", false)], "{\"x"), plain, "the name is behind");
        // The token `ab"` would end the name `ab`; `cd"` is no token.
        assert_ne!(of(&[("ab", false)], "{\""), of(&[("cd", false)], "{\""));
        assert_eq!(of(&[("ef", false)], "{\""), of(&[("cd", false)], "{\""));
        assert_ne!(of(&[("ab", true)], "{\"x"), plain, "a token would close the object");
    }

    #[test]
    fn only_a_key_of_any_text_covers_others() {
        let shared = printable_and(&[]);
        let mut scene = Scene::new(&shared, |builder| object(builder, &[("ab", false)], false, any_order()));
        let (named, _) = key_head(&mut scene, "{", true);
        assert!(!scene.keys().covers(named).unwrap());
        let mut scene = Scene::new(&shared, |builder| object(builder, &[], true, any_order()));
        let (any, _) = key_head(&mut scene, "{\"x", false);
        assert!(scene.keys().covers(any).unwrap());
        let arena = &mut scene.machine.arena;
        let text = arena.any_text().unwrap();
        let short = arena.bounded(text, 0, 3).unwrap();
        let short = arena.quoted_state(short, Spelling::Body, false).unwrap();
        let few = arena.replace_open_key(any, short, Text::Unknown).unwrap();
        assert!(!scene.keys().covers(few).unwrap(), "a length is a limit");
    }

    #[test]
    fn where_tokens_leave_named_keys_is_found_once() {
        let shared = printable_and(&["\"al"]);
        let keys = [("alpha", false), ("alter", false), ("beta", false), ("zz", false)];
        let mut scene = Scene::new(&shared, |builder| object(builder, &keys, false, any_order()));
        let (key, _) = key_head(&mut scene, "{", true);
        let Term::KeyNamed { object, low, high, depth, .. } = *scene.machine.arena.term(key) else { unreachable!() };
        let before = scene.machine.arena.budget.spent();
        let ends = scene.keys().ends((object, low, high, depth)).unwrap();
        assert!(scene.machine.arena.budget.spent() >= before + 4);
        let found: Vec<_> = ends.iter().map(|end| (end.keys.clone(), end.node, end.whole, end.after)).collect();
        // Both names with "al leave the tokens there; all others behind the quote.
        assert_eq!(found, [(0..2, node(&shared, "\"al"), false, Some(0)), (2..4, node(&shared, "\""), false, Some(0))]);
        let spent = scene.machine.arena.budget.spent();
        let again = scene.keys().ends((object, low, high, depth)).unwrap();
        assert!(Arc::ptr_eq(&ends, &again));
        assert_eq!(scene.machine.arena.budget.spent(), spent);
    }

    #[test]
    fn what_follows_a_named_key_is_kept_with_it_unless_it_depends_on_the_members() {
        let after = |tokens: &[&str], rules| {
            let mut scene =
                Scene::new(&printable_and(tokens), |builder| object(builder, &[("z", false)], false, rules));
            let (key, _) = key_head(&mut scene, "{", true);
            let Term::KeyNamed { object, low, high, depth, .. } = *scene.machine.arena.term(key) else {
                unreachable!()
            };
            let ends = scene.keys().ends((object, low, high, depth)).unwrap();
            assert_eq!((ends.len(), ends[0].keys.clone()), (1, 0..1));
            ends[0].after
        };
        assert_eq!(after(&["\"z\""], any_order()), Some(0), "no token reads the colon");
        let colon = after(&["\"z\":"], any_order()).unwrap();
        let value = after(&["x?", "\"z\":1"], any_order()).unwrap();
        assert!(colon != 0 && value != 0 && value != colon);
        assert_eq!(after(&["\"z\":1,"], any_order()), None, "a token goes on behind the value");
        assert_eq!(after(&["\"z\":"], ObjectRules { max: Some(1), ..any_order() }), None, "members are counted");
    }

    #[test]
    fn values_are_seen_where_a_token_reads_them() {
        let of = |shared, value: &[u8]| {
            let make = |builder: &mut Builder| {
                let value = builder.literal(value).unwrap();
                object_of(builder, &[("a", false)], false, value, any_order())
            };
            named_key(&mut Scene::new(shared, make), "{\"a", false).unwrap()
        };
        let (near, far) = (printable_and(&["\":"]), printable_and(&["\":1"]));
        assert_eq!(of(&near, b"1"), of(&near, b"2"));
        assert_ne!(of(&far, b"1"), of(&far, b"2"));
        assert_eq!(of(&far, b"2"), of(&far, b"3"), "no token reads either");
    }
}

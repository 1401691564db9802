//! A composed mask's open questions → answers, read from the automaton.
//!
//! Head masks are shared between heads that differ in a few tokens. Those tokens (`replay`) and the nodes above them
//! (`recheck`) are answered here by the position itself, after all parts have been joined.

use crate::automaton::machine::Machine;
use crate::automaton::position::{PositionId, Register, DEAD};
use crate::error::Result;
use crate::mask::composer::Composer;
use crate::regular::term::{Term, EMPTY};
use crate::vocabulary::id::NodeId;
use std::mem::take;

impl Composer<'_> {
    /// Answer every token that the parts leave undecided. False if a token was answered by `exact`, so that other
    /// positions abstracted to `id` may have another mask.
    pub fn resolve(&mut self, id: PositionId, exact: PositionId) -> Result<bool> {
        let rechecked = self.recheck_nodes(id, exact)?;
        Ok(self.replay_tokens(id, exact)? && rechecked)
    }

    /// `resolve` for a position without the values of its unique items. Tokens that only the exact position can answer
    /// are added to `always`.
    pub fn resolve_draft(&mut self, id: PositionId) -> Result<()> {
        let trie = &self.shared.vocabulary.trie;
        let mut end = NodeId::ROOT;
        for node in sorted(take(&mut self.recheck)) {
            if node < end {
                continue;
            }
            end = trie.end(node);
            self.replay.extend(trie.tokens_at(node).iter().chain(trie.tokens_below(node)));
        }
        for token in sorted(take(&mut self.replay)) {
            match position_after(self.machine, id, self.shared.vocabulary.token(token).unwrap_or_default())? {
                Some(at) => self.accumulator.put(token, at != DEAD),
                None => self.always.push(token),
            }
        }
        Ok(())
    }

    /// Walk again at and below the nodes where a part may be wrong.
    fn recheck_nodes(&mut self, id: PositionId, exact: PositionId) -> Result<bool> {
        let nodes = sorted(take(&mut self.recheck));
        // From here on tokens are refused, so earlier walks must be repeated.
        self.walked.clear();
        let view = self.shared.view();
        let (mut end, mut shared) = (NodeId::ROOT, true);
        for node in nodes {
            if node < end {
                continue;
            }
            end = view.trie.end(node);
            let (here, below) = (view.trie.tokens_at(node), view.trie.tokens_below(node));
            let path = view.trie.path(node);
            let at = match position_after(self.machine, id, &path)? {
                Some(at) => at,
                None => {
                    shared = false;
                    path.iter().try_fold(exact, |at, &byte| self.machine.step(at, byte))?
                }
            };
            [here, below].into_iter().for_each(|tokens| self.accumulator.refuse_all(tokens));
            if at != DEAD {
                here.iter().for_each(|&token| self.accumulator.allow(token));
                let position = self.machine.position(at).clone();
                self.walk_position(view, node, &position)?;
            }
        }
        Ok(shared)
    }

    /// Read the tokens of `replay` one by one.
    fn replay_tokens(&mut self, id: PositionId, exact: PositionId) -> Result<bool> {
        let mut unknown = Vec::new();
        for token in sorted(take(&mut self.replay)) {
            let bytes = self.shared.vocabulary.token(token).unwrap_or_default();
            let known = match heads_allow(self.machine, id, bytes)? {
                None => position_after(self.machine, id, bytes)?.map(|at| at != DEAD),
                known => known,
            };
            match known {
                Some(allowed) => self.accumulator.put(token, allowed),
                None => unknown.push((bytes, token)),
            }
        }
        // In the order of their bytes, so that a common prefix is read once.
        unknown.sort_unstable();
        let texts = unknown.iter().map(|&(bytes, _)| bytes);
        let allowed = self.machine.can_follow(exact, texts)?;
        unknown.iter().zip(&allowed).for_each(|(&(_, token), &allowed)| self.accumulator.put(token, allowed));
        Ok(unknown.is_empty())
    }
}

fn sorted<T: Ord>(mut ids: Vec<T>) -> Vec<T> {
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Whether bytes may follow, where the heads alone tell: one head reads beyond the bytes, or all heads die before any
/// is at an end. None where what follows the heads matters.
fn heads_allow(machine: &mut Machine, id: PositionId, bytes: &[u8]) -> Result<Option<bool>> {
    let position = machine.position(id).clone();
    if position.register != Register::Closed {
        return Ok(None);
    }
    let mut left = false;
    for &(head, _) in &position.heads {
        let mut at = match *machine.arena.term(head) {
            Term::KeyExtra { inner, .. } => inner,
            _ => head,
        };
        for (place, &byte) in bytes.iter().enumerate() {
            left |= place > 0 && machine.arena.info(at).nullable;
            at = machine.arena.derive(at, byte)?;
            if at == EMPTY {
                break;
            }
        }
        if at != EMPTY && !machine.arena.info(at).nullable {
            return Ok(Some(true));
        }
        left |= at != EMPTY;
    }
    Ok((!left).then_some(false))
}

/// The position after bytes; None where that depends on the text of an unknown key.
fn position_after(machine: &mut Machine, mut id: PositionId, bytes: &[u8]) -> Result<Option<PositionId>> {
    for &byte in bytes {
        if machine.position(id).needs_replay || machine.position(id).depends_on_value {
            return Ok(None);
        }
        id = machine.step(id, byte)?;
    }
    Ok((!machine.position(id).needs_replay && !machine.position(id).depends_on_value).then_some(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Builder, ObjectRules};
    use crate::mask::fixture::{node, object, printable_and, shared_masks, taken, unique, Scene};

    fn objects(tokens: &[&str]) -> Scene {
        Scene::new(&printable_and(tokens), |builder| object(builder, &[], true, ObjectRules::default()))
    }

    fn word(builder: &mut Builder, from: u8, to: u8) -> u32 {
        let letter = builder.byte_class(&[(from, to)]).unwrap().number();
        builder.repeat(letter, 1, None).unwrap().number()
    }

    #[test]
    fn heads_alone_tell_as_long_as_none_ends() {
        // [a-c]+ (;|.) or [b-d]+!
        let mut scene = Scene::new(&printable_and(&[]), |builder| {
            let (one, other) = (word(builder, b'a', b'c'), word(builder, b'b', b'd'));
            let [semicolon, dot, bang] = [b";", b".", b"!"].map(|sign| builder.literal(sign).unwrap().number());
            let end = builder.alt(&[semicolon, dot]).unwrap().number();
            let (one, other) = (builder.cat(&[one, end]).unwrap(), builder.cat(&[other, bang]).unwrap());
            builder.alt(&[one.number(), other.number()]).unwrap()
        });
        let mut of = |before: &str, bytes: &str| {
            let at = scene.read(before);
            heads_allow(&mut scene.machine, at, bytes.as_bytes()).unwrap()
        };
        assert_eq!(
            [of("", "a"), of("", "abc"), of("", "d"), of("a", "b;")],
            [Some(true), Some(true), Some(true), None]
        );
        assert_eq!([of("", "x"), of("", "ad"), of("a", ";a")], [Some(false), Some(false), None]);
        assert_eq!(of("a", "x"), Some(false));
    }

    #[test]
    fn heads_do_not_tell_what_is_behind_them() {
        let mut scene = Scene::new(&printable_and(&[]), |builder| {
            let (rule, body) = (builder.rule("rule").unwrap(), builder.literal(b"x").unwrap());
            builder.define(rule.number(), body.number()).unwrap();
            let word = word(builder, b'a', b'c');
            builder.seq(&[word, rule.number()]).unwrap()
        });
        let mut of = |before: &str, bytes: &str| {
            let at = scene.read(before);
            let reached = position_after(&mut scene.machine, at, bytes.as_bytes()).unwrap();
            (heads_allow(&mut scene.machine, at, bytes.as_bytes()).unwrap(), reached.map(|at| at != DEAD))
        };
        assert_eq!(of("", "a"), (None, Some(true)), "the word may end here");
        assert_eq!(of("", "ax"), (None, Some(true)));
        assert_eq!(of("", "ay"), (None, Some(false)));
        assert_eq!(of("", "x"), (Some(false), Some(false)), "no word has begun");
        assert_eq!(of("a", "y"), (Some(false), Some(false)), "what follows the word here is a head, too");
    }

    #[test]
    fn items_that_must_differ_are_never_told_by_heads() {
        let mut scene = Scene::new(&printable_and(&[]), |builder| {
            let word = word(builder, b'a', b'c');
            let text = builder.quoted(word, false).unwrap();
            unique(builder, text)
        });
        let [exact, id] = scene.abstracted("[\"a\",\"");
        assert_eq!(heads_allow(&mut scene.machine, exact, b"b").unwrap(), None);
        assert_eq!(heads_allow(&mut scene.machine, id, b"x").unwrap(), None);
        let start = scene.machine.start;
        assert_eq!(heads_allow(&mut scene.machine, start, b"x").unwrap(), Some(false), "no item is open");
    }

    #[test]
    fn an_unknown_key_is_read_as_far_as_its_text_does_not_matter() {
        let mut scene = objects(&[]);
        let [_, id] = scene.abstracted("{\"c");
        assert_eq!(heads_allow(&mut scene.machine, id, b"xyz").unwrap(), Some(true));
        let mut reaches = |bytes: &[u8]| position_after(&mut scene.machine, id, bytes).unwrap().map(|at| at != DEAD);
        assert_eq!([reaches(b"xyz"), reaches(b"\":1,\"d"), reaches(b"\":2")], [Some(true), Some(true), Some(false)]);
        assert_eq!(reaches(b"\":1,\"d\":"), None, "d may be the key that is hidden");
        assert_eq!(reaches(b"\":1,\"d\":1"), None);
        assert_eq!(position_after(&mut scene.machine, id, b"").unwrap(), Some(id));
        let exact = scene.read("{\"c");
        let before = scene.machine.arena.len();
        assert_eq!(heads_allow(&mut scene.machine, exact, b"xyz").unwrap(), Some(true));
        assert_eq!(scene.machine.arena.len(), before, "no key is spelled out for that");
    }

    /// Whether the tokens are allowed, as `resolve` answers: (allowed, whether the answer holds for all positions).
    fn resolved(scene: &mut Scene, text: &str, tokens: &[&str], nodes: &[&str]) -> (Vec<String>, bool) {
        let [exact, id] = scene.abstracted(text);
        let shared = scene.shared.clone();
        let nodes = nodes.iter().map(|text| node(&shared, text)).collect();
        let trie = &shared.vocabulary.trie;
        let token = |text: &&str| trie.tokens_at(node(&shared, text))[0];
        let mut composer = scene.composer();
        composer.replay = tokens.iter().map(token).collect();
        composer.recheck = nodes;
        let shared_by_all = composer.resolve(id, exact).unwrap();
        assert!(composer.replay.is_empty() && composer.recheck.is_empty());
        let allowed = taken(&mut composer);
        let shown = |token| String::from_utf8_lossy(shared.vocabulary.token(token).unwrap()).into_owned();
        (allowed.into_iter().map(shown).collect(), shared_by_all)
    }

    #[test]
    fn tokens_are_replayed_by_the_position_itself() {
        let mut scene = objects(&["ab", "\":1,\"ab\":", "\":1,\"cd\":", "\":2"]);
        let mut of = |text, tokens: &[&str]| resolved(&mut scene, text, tokens, &[]);
        let repeating = &["\":1,\"ab\":", "\":1,\"cd\":", "ab"];
        assert_eq!(of("{\"ab", &["ab", "ab", "\":2"]), (vec!["ab".into()], true));
        assert_eq!(of("{\"ab", repeating), (vec!["ab".into(), "\":1,\"cd\":".into()], false));
        assert_eq!(of("{\"cd", repeating), (vec!["ab".into(), "\":1,\"ab\":".into()], false));
    }

    #[test]
    fn nodes_are_walked_again_with_all_that_is_below_them() {
        let mut scene = Scene::new(&shared_masks(&["a", "ab", "abc", "ax", "b", "bb"]), |builder| {
            let word = word(builder, b'a', b'b');
            builder.node(word).unwrap()
        });
        let all = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        assert_eq!(resolved(&mut scene, "", &[], &["a"]), (all(&["a", "ab"]), true));
        // A node below another one is walked with it.
        assert_eq!(resolved(&mut scene, "", &[], &["ab", "a", "b"]), (all(&["a", "ab", "b", "bb"]), true));
        assert_eq!(resolved(&mut scene, "", &[], &["ax"]), (all(&[]), true));
        assert_eq!(
            resolved(&mut scene, "", &[], &["b", "a"]),
            (all(&["a", "ab", "b", "bb"]), true),
            "one behind the other"
        );
        let mut composer = scene.composer();
        composer.accumulator.allow(2);
        composer.recheck = vec![node(composer.shared, "ab")];
        let start = composer.machine.start;
        assert!(composer.resolve(start, start).unwrap());
        let corrections = composer.accumulator.take_corrections();
        assert_eq!(*corrections, [(0, 0b10, 0b110)], "ab is allowed, abc is refused whatever allowed it");
    }

    #[test]
    fn nodes_behind_an_unknown_key_are_walked_from_the_exact_position() {
        let mut scene = objects(&["\":1,\"ab\":", "\":1,\"ab\":1", "\":1,\"cd\":", "\":1,\"cd\":1", "ab"]);
        let mut of = |text, nodes: &[&str]| resolved(&mut scene, text, &[], nodes);
        let nodes = &["\":1,\"ab\":", "\":1,\"cd\":", "ab"];
        assert_eq!(of("{\"ab", nodes), (vec!["\":1,\"cd\":".into(), "\":1,\"cd\":1".into(), "ab".into()], false));
        assert_eq!(of("{\"ab", &["ab"]), (vec!["ab".into()], true));
    }

    #[test]
    fn a_draft_leaves_to_the_exact_position_what_only_that_can_tell() {
        let mut scene = Scene::new(&shared_masks(&["a", "a\"", "a\"]", "x", "b\",\"", "b\",\"a"]), |builder| {
            let word = word(builder, b'a', b'c');
            let text = builder.quoted(word, false).unwrap();
            unique(builder, text)
        });
        let [_, id] = scene.abstracted("[\"a\",\"");
        let a = node(&scene.shared, "a");
        let mut composer = scene.composer();
        composer.replay = vec![3, 3];
        composer.recheck = vec![a, composer.shared.vocabulary.trie.find(a, b"\"").unwrap()];
        composer.resolve_draft(id).unwrap();
        let corrections = composer.accumulator.take_corrections();
        let decided = corrections.iter().fold(0, |all, &(_, allowed, refused)| all | allowed | refused);
        assert_eq!(corrections[0].1 & 1, 1, "a goes on");
        assert_eq!(corrections[0].2 >> 3 & 1, 1, "x is no letter");
        assert!(composer.always.iter().all(|token| decided >> token & 1 == 0));
        assert_eq!(composer.always.len() + decided.count_ones() as usize, 4, "each is answered or left");
        let trie = &composer.shared.vocabulary.trie;
        let [a, b] = [b"a", b"b"].map(|text| trie.find(NodeId::ROOT, text).unwrap());
        assert_eq!(trie.end(a), b, "b is the next node");
        composer.always.clear();
        composer.recheck = vec![a, b];
        composer.resolve_draft(id).unwrap();
        let corrections = composer.accumulator.take_corrections();
        let decided = corrections.iter().fold(0u32, |all, &(_, allowed, refused)| all | allowed | refused);
        assert_eq!(composer.always.len() + decided.count_ones() as usize, 5, "all tokens at and below both");
    }
}

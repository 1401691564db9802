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
    use crate::mask::fixture::{object, printable_and, Scene};

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
}

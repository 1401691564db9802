//! Position → the abstract position whose mask it shares: without the texts of open keys and the values of unique items.
//!
//! Few tokens depend on those texts and values. One mask per abstract position, corrected for these tokens, replaces one
//! mask per text that a key or an item may have.

use crate::automaton::machine::Machine;
use crate::automaton::position::{PositionId, Register};
use crate::error::Result;
use crate::json::arena::Arena;
use crate::json::registers::NO_TEXT;
use crate::regular::term::{TermId, Text};

impl Machine {
    /// The abstract position of a position; the position itself if there is nothing to leave out.
    pub(crate) fn abstracted(&mut self, id: PositionId) -> Result<PositionId> {
        let position = self.position(id).clone();
        let known = |arena: &Arena, head: TermId| matches!(arena.open_key(head), Some((_, Text::Known(text))) if text != NO_TEXT);
        let exact = position.frames().any(|frame| self.is_exact(frame));
        let mut abstracted = (*position).clone();
        if exact || position.heads.iter().any(|&(head, _)| known(&self.arena, head)) {
            for (head, _) in &mut abstracted.heads {
                *head = self.arena.forget_text(*head)?;
            }
        }
        if exact {
            let frames = abstracted.heads.iter_mut().map(|(_, frame)| frame);
            for frame in frames.chain(abstracted.specials.iter_mut().map(|(_, frame)| frame)) {
                *frame = self.abstracted_frame(*frame, position.register)?;
            }
            abstracted.register = Register::Abstracted;
        }
        if abstracted == *position {
            return Ok(id);
        }
        abstracted.heads = self.frames.merge(&mut self.arena, abstracted.heads)?;
        abstracted.specials = self.frames.merge(&mut self.arena, abstracted.specials)?;
        Ok(self.intern(abstracted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::ObjectRules;
    use crate::mask::fixture::{object, printable_and, unique, Scene};

    fn objects() -> Scene {
        Scene::new(&printable_and(&[]), |builder| object(builder, &[], true, ObjectRules::default()))
    }

    /// Arrays of different texts of letters.
    fn arrays() -> Scene {
        Scene::new(&printable_and(&[]), |builder| {
            let letter = builder.byte_class(&[(b'a', b'z')]).unwrap().number();
            let text = builder.repeat(letter, 0, None).unwrap().number();
            let text = builder.quoted(text, false).unwrap();
            unique(builder, text)
        })
    }

    fn abstracted(scene: &mut Scene, text: &str) -> PositionId {
        let at = scene.read(text);
        scene.machine.abstracted(at).unwrap()
    }

    #[test]
    fn what_an_open_key_has_read_is_left_out() {
        let mut scene = objects();
        let [ab, xyz] = ["{\"ab", "{\"xyz"].map(|text| (scene.read(text), abstracted(&mut scene, text)));
        assert_ne!(ab.0, xyz.0, "the keys differ");
        assert_eq!(ab.1, xyz.1);
        let (head, _) = scene.machine.position(ab.1).heads[0];
        assert!(matches!(scene.machine.arena.open_key(head), Some((_, Text::Unknown))));
        assert_eq!(scene.machine.abstracted(ab.1).unwrap(), ab.1, "nothing more to leave out");
    }

    #[test]
    fn a_position_without_texts_and_values_is_its_own() {
        let mut scene = objects();
        for text in ["", "{\"ab\":", "{\"ab\":1"] {
            let at = scene.read(text);
            assert_eq!(scene.machine.abstracted(at).unwrap(), at, "{text:?}");
        }
    }

    #[test]
    fn values_that_came_are_left_out() {
        let mut scene = arrays();
        for [one, other] in [["[\"a\",\"", "[\"b\",\""], ["[\"ab\",\"ac\",\"a", "[\"de\",\"df\",\"d"]] {
            let exact = [one, other].map(|text| scene.read(text));
            assert_ne!(exact[0], exact[1]);
            let [one, other] = [one, other].map(|text| abstracted(&mut scene, text));
            assert_eq!(one, other);
            let position = scene.machine.position(one).clone();
            assert_eq!(position.register, Register::Abstracted);
            assert!(position.heads.iter().all(|&(_, frame)| !scene.machine.is_exact(frame)));
        }
        let [before, inside] = ["[\"a\",", "[\"a\",\""].map(|text| abstracted(&mut scene, text));
        assert_ne!(before, inside, "another place of the text");
    }

    #[test]
    fn a_head_is_unknown_as_far_as_it_has_a_text() {
        let mut scene = objects();
        let (key, _) = scene.head("{\"ab");
        let (value, _) = scene.head("{\"ab\":");
        let unknown = scene.machine.arena.forget_text(key).unwrap();
        assert_ne!(unknown, key);
        assert_eq!(scene.machine.arena.forget_text(unknown).unwrap(), unknown);
        assert_eq!(scene.machine.arena.forget_text(value).unwrap(), value);
    }
}

//! Position inside a key → its twin without the key's text, and the few tokens whose costs differ at the twin.
//!
//! An object with arbitrary keys remembers each, so every beginning of a key has a position of its own. The closing
//! texts of these positions take equally many tokens, unless the key would repeat an earlier one.

use crate::automaton::frame::FrameId;
use crate::automaton::machine::Machine;
use crate::automaton::position::{Position, PositionId, Register};
use crate::error::Result;
use crate::json::registers::{Hidden, ObjectSpec, ObjectState};
use crate::regular::id::KeySetId;
use crate::regular::json_string::decode;
use crate::regular::key_set::{KeySets, NO_KEYS};
use crate::regular::term::{Spelling, Term, TermId, Text};
use crate::vocabulary::id::NodeId;
use crate::vocabulary::vocabulary::Vocabulary;

/// The twin of a position inside a key.
pub(crate) struct Twin {
    pub(crate) position: PositionId,
    /// The decoded beginning of the open key; None before its quote.
    read: Option<Vec<u8>>,
    /// The keys that came.
    keys: KeySetId,
}

impl Twin {
    /// The twin of a position inside a key; None elsewhere, and if the key matters for more than its own repetition.
    pub(crate) fn of(machine: &mut Machine, id: PositionId) -> Result<Option<Self>> {
        let position = machine.position(id).clone();
        if position.register != Register::Closed || position.needs_replay {
            return Ok(None);
        }
        let mut open = None;
        let mut twin = Position::clone(&position);
        for (head, _) in &mut twin.heads {
            let Term::KeyExtra { object, state, extra, inner, text: Text::Known(text) } = *machine.arena.term(*head)
            else {
                continue;
            };
            let between =
                matches!(*machine.arena.term(inner), Term::Quoted { state: Spelling::Start | Spelling::Body, .. });
            let registers = &machine.arena.registers;
            let (spec, state) = (&registers.objects[object.index()], &registers.states[state.index()]);
            // The objects of several heads, as of an `anyOf`, must have read the same keys.
            let place = (state.keys, text, between);
            let is_alone = may_add_keys(spec, state, extra) || depends_on_keys(&machine.arena.terms.keys, spec, state);
            if is_alone || open.is_some_and(|other| other != place) {
                return Ok(None);
            }
            open = Some(place);
            *head = machine.arena.forget_text(*head)?;
        }
        let Some((keys, text, between)) = open else { return Ok(None) };
        let mut text = machine.arena.registers.text(text);
        let escape = text.iter().position(|&byte| byte == b'\\').filter(|_| !between);
        text.truncate(escape.unwrap_or(text.len()));
        let read = (!text.is_empty()).then(|| decode(&[&text[..], b"\""].concat()));
        twin.heads = machine.frames.merge(&mut machine.arena, twin.heads)?;
        let twin = Twin { position: machine.intern(twin), read, keys };
        // The character of an open escape is not known, so no earlier key may go on behind the characters before it.
        Ok(if escape.is_some() && twin.is_near_earlier_key(machine) { None } else { Some(twin) })
    }

    /// Whether an earlier key begins as the open key does, so that not every text may complete it.
    pub(crate) fn is_near_earlier_key(&self, machine: &Machine) -> bool {
        self.rests(machine) != NO_KEYS
    }

    /// The rests of the earlier keys that begin with the text of the open key, behind that text.
    fn rests(&self, machine: &Machine) -> KeySetId {
        let sets = &machine.arena.terms.keys;
        self.read.iter().flatten().fold(self.keys, |set, &byte| sets.child(set, byte))
    }

    /// The tokens after which the open key may repeat an earlier one: those along an earlier key, or with an escape.
    pub(crate) fn completing(&self, machine: &Machine, vocabulary: &Vocabulary) -> Vec<u32> {
        let (sets, trie) = (&machine.arena.terms.keys, &vocabulary.trie);
        let root = match self.read {
            Some(_) => Some(NodeId::ROOT),
            None => trie.child(NodeId::ROOT, b'"'),
        };
        let mut found = Vec::new();
        let mut open: Vec<(KeySetId, NodeId)> = root.map(|root| (self.rests(machine), root)).into_iter().collect();
        while let Some((set, node)) = open.pop() {
            if set == NO_KEYS {
                continue;
            }
            found.extend(trie.tokens_at(node));
            if let Some(escape) = trie.child(node, b'\\') {
                found.extend(trie.tokens_at(escape).iter().chain(trie.tokens_below(escape)));
            }
            open.extend(sets.children(set).filter_map(|(byte, rest)| Some((rest, trie.child(node, byte)?))));
        }
        found
    }
}

/// Whether a position behind a twin depends on the key that the twin does not know: a second key has begun there.
pub(crate) fn is_behind_unknown_key(machine: &Machine, id: PositionId) -> bool {
    let position = machine.position(id);
    let hides = |&(head, _): &(TermId, FrameId)| match *machine.arena.term(head) {
        Term::KeyExtra { state, text: Text::Unknown, .. } | Term::ObjectKey { state, .. } => {
            machine.arena.registers.states[state.index()].hidden != Hidden::Nothing
        }
        _ => false,
    };
    position.needs_replay || position.heads.iter().any(hides)
}

/// Whether a closing text may add unnamed keys behind a member of an extra.
fn may_add_keys(spec: &ObjectSpec, state: &ObjectState, extra: u32) -> bool {
    let mut values = spec.extras[extra as usize].values.iter();
    let required = spec.properties.iter().filter(|property| property.required).count() as u32;
    values.any(|value| !spec.needed_marks(state.marks | value.marks).is_empty())
        || !spec.clauses.is_empty()
        || spec.min > required.max(state.count + 1)
}

/// Whether the keys that came matter for more than the next key.
fn depends_on_keys(keys: &KeySets, spec: &ObjectSpec, state: &ObjectState) -> bool {
    state.hidden != Hidden::Nothing || spec.has_scarce_keys(keys.count(state.keys))
}

#[cfg(test)]
mod tests {
    use super::Twin;
    use crate::automaton::fixture::{alt, object};
    use crate::builder::{Builder, ObjectRules, Punctuation};
    use crate::regular::term::TermId;
    use crate::room::fixture::Scene;

    fn any_keys(builder: &mut Builder) -> TermId {
        let (keys, one) = (builder.any_text().unwrap(), builder.literal(b"1").unwrap());
        object(builder, &[], &[(keys, one)], ObjectRules::default())
    }

    const TOKENS: [&str; 9] = ["{", "}", "\"", ":", "1", "a", "ab", "\\u0061", ","];

    #[test]
    fn keys_of_different_texts_have_one_twin() {
        let mut scene = Scene::new(&TOKENS, any_keys);
        let [a, b, value] = ["{\"a", "{\"xyz", "{\"a\":"].map(|text| scene.after(text));
        let twins = [a, b].map(|at| Twin::of(&mut scene.machine, at).unwrap().unwrap().position);
        assert!(twins[0] == twins[1] && a != b);
        assert!(
            Twin::of(&mut scene.machine, value).unwrap().is_none()
                && Twin::of(&mut scene.machine, twins[0]).unwrap().is_none()
        );
    }

    #[test]
    fn an_open_escape_has_a_twin_unless_an_earlier_key_may_come_again() {
        let mut scene = Scene::new(&TOKENS, any_keys);
        for (text, has_twin) in [
            ("{\"x\\", true),
            ("{\"x\\u00", true),
            ("{\"a\":1,\"x\\", true),
            ("{\"xy\":1,\"x\\", false),
            ("{\"xa\":1,\"x\\n\\u0", false),
        ] {
            let at = scene.after(text);
            assert_eq!(Twin::of(&mut scene.machine, at).unwrap().is_some(), has_twin, "after {text}");
        }
    }

    #[test]
    fn a_key_has_a_twin_once_no_further_member_has_to_leave_a_mark() {
        // The values `1` and `a` leave these marks.
        for (required_marks, marks, text, has_twin) in [
            (1, [1, 1], "{\"x", true),
            (1, [1, 0], "{\"x", false),
            (1, [1, 0], "{\"b\":1,\"x", true),
            (3, [1, 2], "{\"x", false),
            (3, [1, 2], "{\"b\":a,\"x", false),
            (3, [1, 2], "{\"b\":a,\"c\":1,\"x", true),
        ] {
            let mut scene = Scene::new(&TOKENS, |builder| {
                let [open, close, colon, comma, empty] =
                    [&b"{"[..], b"}", b":", b",", b"{}"].map(|text| builder.literal(text).unwrap());
                let values = [&b"1"[..], b"a"].map(|text| builder.literal(text).unwrap().number());
                let keys = builder.any_text().unwrap().number();
                let extras = vec![(keys, values.into_iter().zip(marks).collect())];
                let rules = ObjectRules { required_marks, any_order: true, ..ObjectRules::default() };
                builder.object(vec![], extras, Punctuation { open, close, colon, comma, empty }, rules).unwrap()
            });
            let at = scene.after(text);
            assert_eq!(Twin::of(&mut scene.machine, at).unwrap().is_some(), has_twin, "{marks:?} after {text}");
        }
    }

    #[test]
    fn objects_that_read_one_key_side_by_side_have_one_twin() {
        let mut scene = Scene::new(&TOKENS, |builder| {
            let objects = [b"1", b"a"].map(|value| {
                let (keys, value) = (builder.any_text().unwrap(), builder.literal(value).unwrap());
                object(builder, &[], &[(keys, value)], ObjectRules::default())
            });
            alt(builder, &objects)
        });
        let [a, b] = ["{\"a", "{\"xyz"].map(|text| scene.after(text));
        assert_eq!(scene.machine.position(a).heads.len(), 2);
        let twins = [a, b].map(|at| Twin::of(&mut scene.machine, at).unwrap().unwrap().position);
        assert!(twins[0] == twins[1] && a != b);
        let [a, b] = [a, b].map(|at| {
            let mask = scene.mask(at);
            let (room, mut source) = scene.parts();
            [1, 3, 4].map(|left| room.mask(&mut source, (at, &mask), left).unwrap())
        });
        let [a, b] = [a, b].map(|masks| masks.map(|mask| scene.tokens(&mask)));
        assert_eq!(a, b);
        assert_eq!(a, [vec![], vec![], vec![2]], "its quote, a colon, a value and the end");
    }

    #[test]
    fn tokens_that_may_repeat_a_key_are_told() {
        let mut scene = Scene::new(&TOKENS, any_keys);
        for (text, expected) in
            [("{\"", vec![]), ("{\"a\":1,\"", vec![5, 7]), ("{\"aab\":1,\"a", vec![5, 6, 7]), ("{\"a\":1,\"b", vec![])]
        {
            let at = scene.after(text);
            let twin = Twin::of(&mut scene.machine, at).unwrap().unwrap();
            let mut told = twin.completing(&scene.machine, &scene.shared.vocabulary);
            told.sort_unstable();
            assert_eq!(told, expected, "after {text}");
        }
    }
}

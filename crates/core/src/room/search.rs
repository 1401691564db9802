//! Position → the fewest tokens to the end, by breadth-first search over tokens, as far as its limits let it.
//!
//! A closing text is short in bytes, and another text may take fewer tokens. The search finds that text if few
//! positions are within reach. It completes each layer (the positions after equally many tokens) before it gives up, so
//! that a new search, after the first token of the text that was found, finds the rest of it.

use crate::automaton::position::PositionId;
use crate::error::{Error, Limit, Result};
use crate::room::masks::{PositionMasks, RoomMasks};
use rustc_hash::FxHashSet;

/// The effort of one search: a token that is read counts 1, a position that is reached `PER_POSITION`; about 20 ms.
const MAX_EFFORT: usize = 20_000;

/// Budget steps after which a search gives up: some closing texts are hard to find.
const MAX_STEPS: u64 = 2_000_000;

/// The effort of one position in tokens: its closing text must be found.
const PER_POSITION: usize = 32;

/// A position that some tokens lead to, and the first of these tokens.
#[derive(Clone, Copy)]
struct Reached {
    position: PositionId,
    first: Option<u32>,
}

/// The result of a search.
pub(crate) struct Found {
    /// The fewest tokens that are known to suffice.
    pub(crate) count: u32,
    /// Whether fewer tokens never suffice.
    pub(crate) exact: bool,
    /// The first tokens of all texts found with that count; empty if the search found none below the closing text's.
    pub(crate) firsts: Vec<u32>,
}

impl RoomMasks {
    /// Searches from a position for an end in fewer than `known` tokens, which closing texts take.
    pub(crate) fn search(&mut self, source: &mut PositionMasks<'_>, start: PositionId, known: u32) -> Result<Found> {
        let mut best = Found { count: known, exact: false, firsts: Vec::new() };
        let mut seen: FxHashSet<PositionId> = [start].into_iter().collect();
        let mut layer = vec![Reached { position: start, first: None }];
        let (mut taken, mut effort) = (0u32, 0);
        let most_spent = source.machine.arena.budget.spent().saturating_add(MAX_STEPS);
        // A position after `taken` tokens that is not an end needs at least one token more.
        while taken + 1 < best.count && !layer.is_empty() {
            let mut next = Vec::new();
            let mut found = Found { count: best.count, exact: false, firsts: Vec::new() };
            for Reached { position, first } in std::mem::take(&mut layer) {
                if source.machine.arena.budget.spent() > most_spent {
                    return Ok(best);
                }
                let reached = self.successors(source, position, MAX_EFFORT.saturating_sub(effort));
                // None: there are too many tokens, or the closing text after one of them takes too many steps.
                let Some(successors) = reached.or_else(none_for_steps)? else { return Ok(best) };
                effort += successors.tokens + PER_POSITION * successors.reached.len();
                for (after, token, cost) in successors.reached {
                    let (total, first) = ((taken + 1).saturating_add(cost), first.unwrap_or(token));
                    if total < found.count {
                        found = Found { count: total, exact: false, firsts: vec![first] };
                    } else if total == found.count && !found.firsts.is_empty() {
                        found.firsts.push(first);
                    }
                    if cost > 0 && seen.insert(after) {
                        next.push(Reached { position: after, first: Some(first) });
                    }
                }
            }
            if found.count < best.count {
                best = found;
            }
            layer = next;
            taken += 1;
        }
        best.exact = true;
        Ok(best)
    }
}

/// None in place of an error, if the limit on steps was reached.
fn none_for_steps<T>(error: Box<Error>) -> Result<Option<T>> {
    match *error {
        Error::Limit(Limit::Steps(_)) => Ok(None),
        _ => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use crate::automaton::fixture::{alt, bytes};
    use crate::builder::Builder;
    use crate::regular::term::TermId;
    use crate::room::fixture::Scene;

    /// "aabb" or "aac01234": the first ends sooner in bytes, the second in tokens.
    fn texts(builder: &mut Builder) -> TermId {
        let texts = [&b"aabb"[..], b"aac01234"].map(|text| builder.literal(text).unwrap());
        alt(builder, &texts)
    }

    #[test]
    fn a_text_of_more_bytes_and_fewer_tokens_is_found() {
        let mut scene = Scene::new(&["a", "aa", "b", "c01234"], texts);
        let at = scene.after("");
        let (room, mut source) = scene.parts();
        let found = room.search(&mut source, at, 3).unwrap();
        assert_eq!((found.count, found.exact, found.firsts), (2, true, vec![1]));
        let found = room.search(&mut source, at, 2).unwrap();
        assert_eq!((found.count, found.exact, found.firsts), (2, true, vec![]), "no fewer than known");
    }

    #[test]
    fn a_search_that_gives_up_does_not_call_its_result_exact() {
        let names: Vec<String> = (0..30_000).map(|number| format!("{number:05}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut scene = Scene::new(&names, |builder| bytes(builder, b'0', b'9', 20, None));
        let at = scene.after("");
        let (room, mut source) = scene.parts();
        let found = room.search(&mut source, at, 5).unwrap();
        assert_eq!((found.count, found.exact), (5, false));
    }
}

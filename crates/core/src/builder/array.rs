//! Items → the node of an array: a sequence, or an automaton over items where no two may be equal.
//!
//! Both builders live here because they share the arguments of arrays, not their methods.

use crate::builder::{Builder, Punctuation};
use crate::error::{Error, Result};
use crate::json::registers::UniqueSpec;
use crate::regular::term::{TermId, EMPTY, MANY};

impl Builder {
    /// An array of the items `prefix`, then items `rest`, with `min` to `max` items in all.
    pub fn array(
        &mut self,
        prefix: &[u32],
        rest: Option<u32>,
        punctuation: Punctuation,
        min: u32,
        max: Option<u32>,
    ) -> Result<TermId> {
        let prefix = self.nodes(prefix)?;
        let rest = rest.map(|rest| self.node(rest)).transpose()?.unwrap_or(EMPTY);
        let Punctuation { open, close, comma, empty, .. } = punctuation;
        let max = max.unwrap_or(MANY);
        if min > max {
            return Ok(EMPTY);
        }
        let arena = self.begin_call();
        let fixed = prefix.len() as u32;
        // Built from the back. `tail` is what may follow once `at` items have come: at first all of the prefix, or one
        // item where there is no prefix.
        let at = fixed.max(1);
        let mut tail = EMPTY;
        if at <= max {
            let more = arena.seq(comma, rest)?;
            let again = arena.repeat(more, min.saturating_sub(at), if max == MANY { MANY } else { max - at })?;
            tail = arena.seq(again, close)?;
        }
        for at in (1..fixed).rev() {
            let mut tails = Vec::with_capacity(2);
            if at < max {
                let item = arena.seq(prefix[at as usize], tail)?;
                tails.push(arena.seq(comma, item)?);
            }
            if (min..=max).contains(&at) {
                tails.push(close);
            }
            tail = arena.alt(tails)?;
        }
        let mut whole = EMPTY;
        if max > 0 {
            let items = arena.seq(prefix.first().copied().unwrap_or(rest), tail)?;
            whole = arena.seq(open, items)?;
        }
        if min == 0 {
            whole = arena.alt(vec![empty, whole])?;
        }
        Ok(whole)
    }

    /// An array whose items must all have different values. For each state of the automaton over items: whether the
    /// array may end, and the pairs of item and next state. Errors: misuse.
    pub fn unique_array(
        &mut self,
        states: &[(bool, Vec<(u32, u32)>)],
        punctuation: Punctuation,
        min: u32,
        max: Option<u32>,
    ) -> Result<TermId> {
        let Punctuation { open, close, comma, empty, .. } = punctuation;
        let max = max.unwrap_or(MANY);
        let punctuation_nodes = [open, close, comma, empty];
        if punctuation_nodes.iter().any(|&node| self.arena.info(node).structural || self.arena.info(node).nullable) {
            return Err(Error::Misuse("the punctuation of unique items must be regular and not empty".into()).into());
        }
        let mut steps = Vec::with_capacity(states.len());
        for (_, items) in states {
            let mut made = Vec::with_capacity(items.len());
            for &(item, next) in items {
                if next as usize >= states.len() {
                    return Err(
                        Error::Misuse(format!("an item leads to state {next}, there are {}", states.len())).into()
                    );
                }
                let item = self.node(item)?;
                if item != EMPTY {
                    made.push((item, next));
                }
            }
            steps.push(made);
        }
        if steps.is_empty() || min > max {
            return Ok(EMPTY);
        }
        let accepting = states.iter().map(|&(accepting, _)| accepting).collect();
        self.begin_call().add_unique(UniqueSpec {
            steps,
            accepting,
            open,
            close,
            comma,
            empty,
            min,
            max,
            is_empty: false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::recognizer::Recognizer;
    use crate::grammar::fixture::{brackets, literal};

    /// The lengths up to 6 that an array may have: of items a, b and, if there is a rest, c.
    fn lengths(fixed: usize, has_rest: bool, min: u32, max: Option<u32>) -> Vec<usize> {
        let mut builder = Builder::default();
        let [a, b, c] = ["a", "b", "c"].map(|text| literal(&mut builder, text).number());
        let punctuation = brackets(&mut builder);
        let node = builder.array(&[a, b][..fixed], has_rest.then_some(c), punctuation, min, max).unwrap();
        let Ok(grammar) = builder.build(node.number()) else { return Vec::new() };
        let recognizer = Recognizer::new(grammar);
        let items = ["a", "b"][..fixed].iter().copied().chain(["c"; 6]);
        let text = |length| format!("[{}]", items.clone().take(length).collect::<Vec<_>>().join(","));
        (0..=6).filter(|&length| recognizer.accepts(text(length).as_bytes(), None).unwrap()).collect()
    }

    #[test]
    fn an_array_has_every_length_within_its_bounds_and_no_other() {
        for fixed in 0..=2 {
            for has_rest in [false, true] {
                for min in 0..=4 {
                    for max in [None, Some(0), Some(1), Some(2), Some(3), Some(5)] {
                        let most = max.map_or(6, |max| max as usize).min(if has_rest { 6 } else { fixed });
                        let expected: Vec<usize> = (min as usize..=most).collect();
                        assert_eq!(
                            lengths(fixed, has_rest, min, max),
                            expected,
                            "{fixed} fixed, rest: {has_rest}, {min} to {max:?}"
                        );
                    }
                }
            }
        }
    }

    fn unique(states: &[(bool, &[(&str, u32)])], min: u32, max: Option<u32>) -> Result<Option<Recognizer>> {
        let mut builder = Builder::default();
        let mut made = Vec::new();
        for (accepting, steps) in states {
            let steps = steps.iter().map(|(text, next)| {
                let words =
                    text.split('|').filter(|text| !text.is_empty()).map(|text| text.as_bytes().into()).collect();
                (builder.words(words).unwrap().number(), *next)
            });
            made.push((*accepting, steps.collect()));
        }
        let punctuation = brackets(&mut builder);
        let node = builder.unique_array(&made, punctuation, min, max)?;
        Ok(builder.build(node.number()).ok().map(Recognizer::new))
    }

    #[test]
    fn an_array_without_states_values_or_room_has_no_text() {
        assert!(unique(&[], 0, None).unwrap().is_none());
        assert!(unique(&[(true, &[("1", 0)])], 3, Some(2)).unwrap().is_none());
        assert!(unique(&[(true, &[("1|2", 0)])], 3, None).unwrap().is_none(), "three items, two values");
        assert!(unique(&[(true, &[("1|2", 0)])], 2, Some(2)).unwrap().is_some());
        assert!(unique(&[(false, &[("", 0)])], 0, None).unwrap().is_none(), "an item of no text is no step");
    }

    #[test]
    fn states_and_punctuation_are_checked() {
        let message = |result: Result<TermId>| result.unwrap_err().to_string();
        let mut builder = Builder::default();
        let one = literal(&mut builder, "1").number();
        let punctuation = brackets(&mut builder);
        let beyond = builder.unique_array(&[(true, vec![(one, 1)])], punctuation, 0, None);
        assert_eq!(message(beyond), "an item leads to state 1, there are 1");
        assert!(builder.unique_array(&[(true, vec![(one, 0)])], punctuation, 0, None).is_ok());
        let empty = builder.any_text().unwrap();
        let structural = builder.special("<s>").unwrap();
        for comma in [empty, structural] {
            let refused =
                builder.unique_array(&[(true, vec![(one, 0)])], Punctuation { comma, ..punctuation }, 0, None);
            assert_eq!(message(refused), "the punctuation of unique items must be regular and not empty");
        }
        assert!(builder.array(&[9_999], None, punctuation, 0, None).is_err());
        assert_eq!(builder.array(&[one], None, punctuation, 2, Some(1)), Ok(EMPTY));
    }
}

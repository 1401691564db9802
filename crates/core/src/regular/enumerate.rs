//! Regular term → membership of one text, and the list of all texts.
//!
//! Builders of finite sets and tests ask these two questions; masks do not.

use crate::error::Result;
use crate::regular::term::{TermId, EMPTY};
use crate::regular::terms::{Terms, DERIVATION};

impl Terms {
    /// Whether the term matches exactly these bytes. Errors if the budget ends.
    pub fn matches(&mut self, mut id: TermId, data: &[u8]) -> Result<bool> {
        for &byte in data {
            id = self.derive(id, byte)?;
        }
        Ok(self.info(id).nullable)
    }

    /// All texts, the shortest first; `None` if there are more than `limit`. Errors if the budget ends.
    pub fn enumerate(&mut self, id: TermId, limit: usize) -> Result<Option<Vec<Vec<u8>>>> {
        if self.is_cofinite(id) {
            return Ok(None);
        }
        let mut texts = Vec::new();
        let mut layer = vec![(Vec::new(), id)];
        while !layer.is_empty() {
            let mut next_layer = Vec::new();
            for (text, id) in layer {
                if self.info(id).nullable {
                    texts.push(text.clone());
                }
                // Every prefix of a layer is the start of at least one more text.
                if texts.len() + next_layer.len() > limit {
                    return Ok(None);
                }
                let (mut text, first_bytes) = (text, self.first_bytes(id));
                let mut left = first_bytes.len();
                for byte in first_bytes.iter() {
                    left -= 1;
                    let next = self.derive(id, byte)?;
                    if next != EMPTY {
                        // Copies of texts cost memory, even if their derivatives are cached; the last branch moves its text.
                        let mut longer: Vec<u8> = if left == 0 {
                            self.spend(4 * DERIVATION)?;
                            std::mem::take(&mut text)
                        } else {
                            self.spend(4 * DERIVATION + text.len() as u64 / 16)?;
                            text.clone()
                        };
                        longer.push(byte);
                        next_layer.push((longer, next));
                        if texts.len() + next_layer.len() > limit {
                            return Ok(None);
                        }
                    }
                }
            }
            layer = next_layer;
        }
        Ok(Some(texts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Limits;
    use crate::regular::fixture::regex;
    use crate::regular::term::{EPSILON, TOP};

    fn listed(terms: &mut Terms, pattern: &str, limit: usize) -> Option<Vec<String>> {
        let id = regex(terms, pattern);
        let texts = terms.enumerate(id, limit).unwrap()?;
        Some(texts.into_iter().map(|text| String::from_utf8(text).unwrap()).collect())
    }

    #[test]
    fn all_texts_are_listed_the_shortest_first() {
        let mut terms = Terms::new();
        assert_eq!(listed(&mut terms, "(a|bc)?d?", 9).unwrap(), ["", "a", "d", "ad", "bc", "bcd"]);
        assert_eq!(terms.enumerate(EMPTY, 0), Ok(Some(vec![])));
        assert_eq!(terms.enumerate(EPSILON, 1), Ok(Some(vec![vec![]])));
    }

    #[test]
    fn more_texts_than_the_limit_are_not_listed() {
        let mut terms = Terms::new();
        for (pattern, count) in [("[ab]{1,2}", 6), ("abc", 1), ("[a-z]", 26), ("a?b?", 4)] {
            assert_eq!(listed(&mut terms, pattern, count).map(|texts| texts.len()), Some(count), "{pattern}");
            assert_eq!(listed(&mut terms, pattern, count - 1), None, "{pattern}");
        }
        assert_eq!(listed(&mut terms, "(ab)*", 50), None);
        assert_eq!(listed(&mut terms, "a*b", 50), None);
    }

    #[test]
    fn all_texts_but_a_few_are_never_listed_and_cost_nothing() {
        let mut terms = Terms::new();
        let few = regex(&mut terms, "ab");
        let others = terms.not(few).unwrap();
        let spent = terms.budget.spent();
        assert_eq!([TOP, others].map(|id| terms.enumerate(id, 1_000_000)), [Ok(None), Ok(None)]);
        assert_eq!(terms.budget.spent(), spent);
    }

    #[test]
    fn copies_of_long_texts_are_paid_for() {
        let cost = |pattern: &str| {
            let mut terms = Terms::new();
            let id = regex(&mut terms, pattern);
            terms.enumerate(id, 4).unwrap();
            let known = terms.budget.spent();
            terms.enumerate(id, 4).unwrap();
            terms.budget.spent() - known
        };
        // A single next byte is appended to the text in place. At a branch, all but one of the longer texts are copies.
        assert_eq!(cost("x{64}a"), 65 * 4 * DERIVATION);
        assert_eq!(cost("x{64}[ab]"), 66 * 4 * DERIVATION + 64 / 16);
        let mut terms = Terms::new();
        terms.begin(&Limits { steps: 100, ..Limits::default() });
        let id = terms.literal(b"abcdefghij").unwrap();
        assert!(terms.enumerate(id, 4).is_err());
    }
}

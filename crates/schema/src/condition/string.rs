//! One condition on a string's decoded text, and its complement.
//!
//! Patterns and formats are held as nodes that their readers made: a conjunct needs to know only which texts match.

use frisket_core::builder::Builder;
use frisket_core::error::Result;
use frisket_core::regular::term::TermId;
use std::collections::BTreeSet;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// A condition on a string.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum StringCondition {
    /// `least` to `most` characters; without `most`, any number above.
    Length {
        /// The least number of characters.
        least: u64,
        /// The most characters.
        most: Option<u64>,
    },
    /// In a regular language, or outside it.
    Matches(Matches),
    /// One of the texts, or none of them.
    Among {
        /// The texts.
        values: Arc<BTreeSet<Arc<str>>>,
        /// Whether the texts are inside.
        positive: bool,
    },
}

/// A regular language of texts, or its complement. Equal if the nodes and the sign are.
#[derive(Clone)]
pub struct Matches {
    /// Texts of the language: all of them, or a part if there are `bounds`.
    pub node: TermId,
    /// Whether texts of the language are inside.
    pub positive: bool,
    /// The texts that documents may hold, if not all.
    pub written: Option<TermId>,
    /// An upper bound of the language, if `node` holds only a part of it.
    pub bounds: Option<Arc<dyn TextBounds>>,
}

/// An upper bound of a language of which a node holds only a part.
pub trait TextBounds: Send + Sync {
    /// The node of a superset of the language.
    ///
    /// Errors: limits of the builder.
    fn outer(&self, builder: &mut Builder) -> Result<TermId>;
}

impl Matches {
    /// The texts of a node that holds the whole language.
    pub fn exact(node: TermId) -> Self {
        Matches { node, positive: true, written: None, bounds: None }
    }

    /// A node to use in place of the language: the condition then allows a superset of its texts if `outer`, and a
    /// subset otherwise.
    ///
    /// Errors: limits of the builder.
    pub fn bound(&self, builder: &mut Builder, outer: bool) -> Result<TermId> {
        match &self.bounds {
            Some(bounds) if self.positive == outer => bounds.outer(builder),
            _ => Ok(self.node),
        }
    }

    fn identity(&self) -> (TermId, bool, Option<TermId>) {
        (self.node, self.positive, self.written)
    }
}

impl StringCondition {
    /// The condition to be one of these texts.
    pub fn among(values: impl IntoIterator<Item = Arc<str>>) -> Self {
        StringCondition::Among { values: Arc::new(values.into_iter().collect()), positive: true }
    }

    /// The complement, as a union of conditions.
    pub fn negated(&self) -> Vec<Self> {
        match self {
            StringCondition::Length { least, most } => {
                let shorter = least.checked_sub(1).map(|most| StringCondition::Length { least: 0, most: Some(most) });
                let longer = most.map(|most| StringCondition::Length { least: most.saturating_add(1), most: None });
                shorter.into_iter().chain(longer).collect()
            }
            StringCondition::Matches(matches) => {
                vec![StringCondition::Matches(Matches { positive: !matches.positive, ..matches.clone() })]
            }
            StringCondition::Among { values, positive } => {
                vec![StringCondition::Among { values: values.clone(), positive: !positive }]
            }
        }
    }
}

impl PartialEq for Matches {
    fn eq(&self, other: &Self) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for Matches {}

impl Hash for Matches {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl fmt::Debug for Matches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.positive { "in" } else { "outside" };
        write!(f, "{sign} node {}", self.node.number())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use frisket_core::regular::term::{EMPTY, EPSILON};

    struct Doubtful;

    impl TextBounds for Doubtful {
        fn outer(&self, _: &mut Builder) -> Result<TermId> {
            Ok(EPSILON)
        }
    }

    #[test]
    fn the_complement_of_a_length_is_what_is_shorter_or_longer() {
        let length = |least, most| StringCondition::Length { least, most };
        assert_eq!(length(2, Some(5)).negated(), [length(0, Some(1)), length(6, None)]);
        assert_eq!(length(0, None).negated(), []);
        assert_eq!(length(0, Some(u64::MAX)).negated(), [length(u64::MAX, None)]);
    }

    #[test]
    fn languages_and_lists_change_their_sign() {
        for condition in
            [StringCondition::Matches(Matches::exact(EMPTY)), StringCondition::among([Arc::from("a"), Arc::from("b")])]
        {
            let [negated] = &condition.negated()[..] else { panic!("one alternative") };
            assert_ne!(*negated, condition);
            assert_eq!(negated.negated(), [condition]);
        }
    }

    #[test]
    fn a_narrowed_language_has_another_node_outside() {
        let mut builder = Builder::default();
        let mut narrowed = Matches { bounds: Some(Arc::new(Doubtful)), ..Matches::exact(EMPTY) };
        let mut bound = |matches: &Matches, outer| matches.bound(&mut builder, outer).unwrap();
        assert_eq!((bound(&narrowed, false), bound(&narrowed, true)), (EMPTY, EPSILON));
        assert_eq!(bound(&Matches::exact(EMPTY), true), EMPTY);
        narrowed.positive = false;
        // Texts outside the larger node certainly are outside the language.
        assert_eq!((bound(&narrowed, false), bound(&narrowed, true)), (EPSILON, EMPTY));
    }
}

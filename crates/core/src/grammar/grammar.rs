//! Root × rules × terms → Grammar: the immutable value that all automata of a grammar share.
//!
//! The type stands apart from its builder, because automata and masks never build.

use crate::grammar::rules::Rules;
use crate::json::arena::Arena;
use crate::regular::term::TermId;
use std::sync::Arc;

/// A language over bytes, given by rules. Knows no tokenizer, never changes, and is shared between threads.
pub struct Grammar {
    arena: Box<Arena>,
    rules: Arc<Rules>,
    /// The term of the grammar's texts.
    root: TermId,
    /// Names of the special tokens, by their numbers in terms.
    pub specials: Vec<String>,
}

impl Grammar {
    /// Shares finished rules as a grammar.
    pub(crate) fn new(arena: Box<Arena>, rules: Rules, root: TermId, specials: Vec<String>) -> Arc<Self> {
        Arc::new(Grammar { arena, rules: Arc::new(rules), root, specials })
    }

    /// The frozen arena, the rules and the root term.
    pub(crate) fn parts(&self) -> (&Arena, &Arc<Rules>, TermId) {
        (&self.arena, &self.rules, self.root)
    }

    /// The frozen arena on which the grammar's automata stand.
    pub(crate) fn ground(&self) -> &Arena {
        &self.arena
    }

    /// The number of terms in the grammar's arena.
    pub fn node_count(&self) -> usize {
        self.arena.len()
    }

    /// Bytes that the grammar holds, without automata and masks.
    pub fn memory_bytes(&self) -> usize {
        self.arena.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use crate::builder::Builder;

    #[test]
    fn a_grammar_has_the_root_the_rules_and_the_tokens_of_its_builder() {
        let mut builder = Builder::default();
        let (rule, special) = (builder.rule("text").unwrap(), builder.special("<s>").unwrap());
        let text = builder.literal(b"ab").unwrap();
        builder.define(rule.number(), text.number()).unwrap();
        let made = builder.seq(&[rule.number(), special.number()]).unwrap();
        let grammar = builder.build(made.number()).unwrap();
        let (arena, rules, root) = grammar.parts();
        assert_eq!(
            (root, &rules.names[..], &grammar.specials[..]),
            (made, &["text".to_owned()][..], &["<s>".to_owned()][..])
        );
        assert_eq!((arena.len(), grammar.ground().len()), (grammar.node_count(), grammar.node_count()));
        assert!(grammar.node_count() > made.index());
    }

    #[test]
    fn what_stands_on_a_grammar_leaves_it_as_it_is() {
        let mut builder = Builder::default();
        let text = builder.literal(b"ab").unwrap();
        let grammar = builder.build(text.number()).unwrap();
        let (count, memory) = (grammar.node_count(), grammar.memory_bytes());
        let mut above = grammar.ground().overlay();
        above.literal(b"something else").unwrap();
        assert!(above.len() > count && memory > 0);
        assert_eq!((grammar.node_count(), grammar.memory_bytes()), (count, memory));
    }
}

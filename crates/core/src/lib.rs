//! Grammars over bytes × vocabularies of tokens → masks: the tokens that can come next.
//!
//! The crate knows neither Python nor JSON Schema. Each folder imports only folders above it in this list:
//!
//! ```text
//! storage      sharing: layers, chunks, hash-consing, caches
//! bytes        sets of bytes and characters
//! vocabulary   token bytes    → a trie and indexes, one per tokenizer
//! regular      bytes          → hash-consed terms, their derivatives and emptiness
//! json         values         → states of objects and of arrays with unique items
//! grammar      rules over terms: what a Grammar is made of
//! automaton    Grammar        → positions, their transitions and shortest completions
//! builder      builder calls  → Grammar
//! production   named rules    → builder calls: what notations of the BNF family have in common
//! mask         position × trie → the set of allowed tokens, cached
//! room         mask × tokens left → the tokens that leave enough of them to finish
//! matcher      one sequence: position, advance, rollback, mask
//! ```
//!
//! ```text
//! GrammarBuilder → Grammar ─┐
//!                           ├→ CompiledGrammar → Matcher → mask
//! token bytes → Vocabulary ─┘
//! ```
//!
//! `error`, `limits` and `clock` belong to no folder: every loop can fail, and every loop spends from a budget.

#![forbid(unsafe_code)]
#![deny(missing_docs)]

pub mod automaton;
pub mod builder;
pub mod bytes;
pub mod clock;
pub mod error;
pub mod grammar;
pub mod json;
pub mod limits;
pub mod mask;
pub mod matcher;
pub mod production;
pub mod regular;
pub mod room;
pub mod storage;
pub mod vocabulary;

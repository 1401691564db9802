//! Grammar over bytes × vocabulary → which tokens may come next.
//!
//! ```text
//! builder  →  Grammar  × Vocabulary  →  CompiledGrammar  →  Matcher
//!    term · derive · live · quoted · object        trie · vocabulary · reach · local · clip · chain · border · name · composer · mask
//!    region · rules · machine · least · completion
//! ```

#![warn(missing_docs)]

pub mod automaton;
pub mod bytes;
pub mod error;
pub mod grammar;
pub mod json;
pub mod limits;
pub mod mask;
pub mod matcher;
pub mod regular;
pub mod storage;
pub mod vocabulary;

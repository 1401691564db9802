//! Token bytes → a trie and indexes of them, built once per tokenizer.
//!
//! Nothing here knows of grammars or masks; the masks that grammars share are kept in `mask::shared`.

pub(crate) mod byte_index;
pub(crate) mod code_points;
pub(crate) mod contents;
pub(crate) mod key_prefixes;
pub(crate) mod long_tokens;
pub(crate) mod token_bytes;
pub(crate) mod token_set;
pub mod trie;
pub mod vocabulary;

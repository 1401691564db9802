//! Token bytes → a trie and indexes, built once per tokenizer and shared by all grammars.
//!
//! This folder knows neither grammars nor masks; `mask::shared` keeps the masks that grammars share.

pub(crate) mod byte_index;
pub(crate) mod code_points;
pub mod id;
pub(crate) mod key_prefixes;
mod merge;
mod sort_key;
pub(crate) mod text_lengths;
pub(crate) mod token_bytes;
pub(crate) mod token_set;
pub(crate) mod tokens_by_byte;
pub mod trie;
pub mod vocabulary;

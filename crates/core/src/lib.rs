//! Grammar over bytes × vocabulary → which tokens may come next.
//!
//! ```text
//! builder  →  Grammar  × Vocabulary  →  CompiledGrammar  →  Matcher
//!    term · derive · live · quoted · object        trie · vocabulary · reach · local · clip · chain · border · name · composer · mask
//!    region · rules · machine · least · completion
//! ```

mod automaton;
mod behind;
mod bits;
mod border;
pub mod builder;
pub mod byteset;
pub mod cache;
mod chain;
mod checkpoint;
mod chunk;
mod class;
mod clip;
mod completion;
mod composer;
pub mod cutting;
mod derive;
mod describe;
mod distinct;
mod draft;
mod dump;
pub mod error;
mod exclusion;
mod exits;
mod fingerprint;
mod forest;
mod front;
pub mod grammar;
mod ids;
mod keyset;
mod layer;
mod lead;
mod least;
mod length;
mod letters;
pub mod limit;
mod literal;
mod live;
mod local;
mod look;
pub mod machine;
pub mod mask;
pub mod matcher;
mod migration;
mod name;
mod near;
pub mod object;
mod occurrence;
mod openings;
mod quoted;
mod reach;
mod reading;
mod region;
pub mod rules;
mod scratch;
mod search;
mod spelling;
mod stride;
mod table;
mod targets;
pub mod term;
mod text;
pub mod trie;
pub mod turn;
mod uncounted;
pub mod unique;
mod value;
pub mod verify;
mod visited;
pub mod vocabulary;
mod ways;
mod word;

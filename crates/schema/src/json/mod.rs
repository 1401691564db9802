//! JSON text, or pushes of a caller → an owned tree: members in order, a content hash for each node.
//!
//! ```text
//! text → parse ─┐
//!               ├→ TreeBuilder → Tree
//! other values ─┘
//! ```

mod build;
mod copy;
mod parse;
mod position;
mod text;
mod tree;
mod write;

pub use build::{TreeBuilder, MAX_DEPTH};
pub use parse::{parse, parse_watched};
pub use position::line_and_column;
pub use text::Text;
pub use tree::{Key, Member, NodeId, Object, Tree, Value};

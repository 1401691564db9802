//! Conjunctions → nodes and rules of a grammar.
//!
//! ```text
//! lowerer    conjunctions → nodes: one for each, a rule where it recurses
//! traits     what `types` asks of a lowerer, and what that passes on to the algebra
//! part       unions of conjuncts → nodes, type by type
//! blame      a conjunction that no document meets → why, and where
//! ```

mod blame;
mod lowerer;
mod part;
mod traits;

pub(crate) use blame::{nothing_written, unsatisfiable};
pub use lowerer::{Lowerer, Tables};

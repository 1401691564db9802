//! Conjunctions → nodes and rules of a grammar.
//!
//! ```text
//! lowerer    conjunctions → nodes: one for each, a rule where it recurses
//! traits     the traits by which `types` calls the lowerer and the algebra
//! part       unions of conjuncts → nodes, type by type
//! blame      a conjunction that no document meets → why, and where
//! ```

mod blame;
mod lowerer;
mod part;
mod traits;

pub(crate) use blame::{nothing_written, unsatisfiable};
pub use lowerer::{Lowerer, Tables};

//! Conjunctions of subschemas → unions of conjuncts: intersection, union and complement, one level at a time.
//!
//! Expanding a conjunction looks only at the value's own type and conditions. Constraints on members and items are
//! conjunctions again, expanded on demand. There are finitely many literals, so recursion through allOf, $ref and not
//! ends in finitely many conjunctions, and each becomes one rule.
//!
//! ```text
//! expander    conjunctions → unions of conjuncts, each computed once; circles
//! depth       limit on nested subschemas, and a stack that grows with them
//! union       unions of conjuncts → their union, their intersection
//! applicator  allOf, anyOf, oneOf, not, if → the union of conjuncts that meets them
//! apart       alternatives of oneOf → the values that meet just one of them
//! complement  conjuncts, conjunctions, subschemas → their complements
//! evaluated   unevaluated* → conjuncts, each with the members and items that it evaluates
//! emptiness   conjunctions, conjuncts → whether they are certainly empty
//! clause      conditions on an object ↔ clauses over its members
//! switch      conditions on one member → the cases of its value, and the conditions that are still open in each
//! cells       tests of one member → sets of values that no test tells apart
//! key         conjunctions on keys → the keys that meet them
//! lists       conjuncts that only list values → one list
//! ```

mod apart;
mod applicator;
mod cells;
mod clause;
mod complement;
pub(crate) mod depth;
mod emptiness;
mod evaluated;
mod expander;
mod key;
mod lists;
mod switch;
mod union;

pub use expander::{Expander, ExpansionOptions, Splitting};
pub use union::Union;

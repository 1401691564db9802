//! Conjunctions of subschemas → unions of conjuncts: intersection, union and complement, one level at a time.
//!
//! Expanding a conjunction looks at the value's own type and conditions only. What members and items must meet are
//! conjunctions again, expanded when somebody asks. There are finitely many literals, so recursion through allOf, $ref
//! and not ends in finitely many conjunctions, and each becomes one rule.
//!
//! ```text
//! expander    conjunctions → unions of conjuncts, each found once; circles
//! depth       how deep subschemas nest, and room for calls within calls
//! union       unions of conjuncts → their union, their product
//! applicator  allOf, anyOf, oneOf, not, if → the union of what meets them
//! apart       alternatives of oneOf → what just one of them allows
//! complement  conjuncts, conjunctions, subschemas → everything outside them
//! evaluated   unevaluated* → conjuncts that evaluate one thing each
//! emptiness   conjunctions, conjuncts → whether certainly no value is left
//! clause      conditions on an object ↔ clauses over its members
//! switch      a case of the member that conditions test → what is left of them
//! cases       conditions that look at one member → the cases of its values
//! cells       what tests ask of one member → its values, told apart
//! residual    conjunctions, beside what is known of an object → what is left of them
//! key         conjunctions → the keys that meet them
//! lists       conjuncts that only list values → one list
//! ```

mod apart;
mod applicator;
mod cases;
mod cells;
mod clause;
mod complement;
pub(crate) mod depth;
mod emptiness;
mod evaluated;
mod expander;
mod key;
mod lists;
mod residual;
mod switch;
mod union;

pub use expander::{Expander, ExpansionOptions, Splitting};
pub use union::Union;

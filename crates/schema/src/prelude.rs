//! Options → the nodes that the grammars of all their schemas share, made once.
//!
//! Any value, any string, any integer and punctuation are a third of the nodes of a median schema. Each schema goes on
//! with a fork of the builder that has them.

use crate::algebra::{Expander, ExpansionOptions, Splitting};
use crate::condition::{Conjunct, ConjunctionId, NumberCondition, Types};
use crate::decimal::Decimal;
use crate::error::Result;
use crate::formats::KnownLanguages;
use crate::json::TreeBuilder;
use crate::lower::{Lowerer, Tables};
use crate::options::Options;
use crate::resolve::Documents;
use crate::subschema::Subschemas;
use crate::types::{Lowering, Terms};
use frisket_core::builder::{Builder, BuilderBase};
use frisket_core::error::Result as EngineResult;
use frisket_core::limits::{Cancellation, Limits, Pause};
use std::sync::Arc;

/// Options, and the nodes that their schemas share; several threads may compile with one prelude at once.
pub struct Prelude {
    options: Options,
    base: BuilderBase,
    tables: Tables,
}

impl Prelude {
    /// The prelude of some options. `pause` is called now and then during long compiles; false cancels them.
    ///
    /// Errors: forbidden texts that take more than the limits allow.
    pub fn new(options: Options, pause: Option<Pause>) -> Result<Self> {
        let mut builder = Builder::new(Limits::default(), None, pause);
        restrict(&mut builder, &options)?;
        let mut tree = TreeBuilder::default();
        tree.boolean(true)?;
        let documents = Documents::new(Arc::new(tree.finish()), None)?;
        let subschemas = Subschemas::new(documents, options.subschemas(false));
        let expansion = ExpansionOptions {
            splitting: Splitting::Together,
            max_alternatives: options.max_alternatives,
            total: options.max_alternatives,
        };
        let languages = KnownLanguages::new(options.formats());
        let expander = Expander::new(builder, subschemas, languages, expansion);
        let mut lowerer = Lowerer::new(expander, &options, false, Tables::default());
        // With indentation, each level has punctuation of its own, so little is common.
        if !options.is_indented() {
            lower_common(&mut lowerer)?;
        }
        let (expander, tables) = lowerer.into_parts();
        Ok(Prelude { options, base: expander.builder.into_base(), tables })
    }

    /// The options.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// A builder that has the prelude's nodes.
    pub fn fork(&self, limits: Limits, cancellation: Option<Cancellation>) -> Builder {
        self.base.fork(limits, cancellation)
    }

    /// The prelude's nodes, by conjunction or part.
    pub(crate) fn tables(&self) -> &Tables {
        &self.tables
    }
}

/// Makes the nodes of all types, and of the bound `minimum: -1`: most other bounds have nodes in common with it.
fn lower_common(lowerer: &mut Lowerer<'_>) -> Result<()> {
    lowerer.lower(ConjunctionId::ANYTHING)?;
    let bound = NumberCondition::AtLeast { bound: Decimal::from(-1), strict: false };
    let words = (1..8u8).map(|bits| {
        let types = [Types::NULL, Types::FALSE, Types::TRUE].into_iter().enumerate();
        types.filter(|(place, _)| bits >> place & 1 == 1).fold(Types::NONE, |all, (_, one)| all | one)
    });
    let integer = Conjunct::of_types(Types::INTEGER);
    let plain = Conjunct { numbers: vec![NumberCondition::Plain { positive: true }], ..integer.clone() };
    let common = [integer, Conjunct::of_numbers(vec![bound])].into_iter();
    let types = [Types::NUMBER, Types::STRING, Types::ARRAY, Types::OBJECT];
    let common = common.chain(words.map(Conjunct::of_types)).chain([plain]).chain(types.map(Conjunct::of_types));
    for conjunct in common {
        lowerer.union(&[conjunct])?;
    }
    Ok(())
}

/// Keeps forbidden texts out of all JSON strings that the builder makes from now on, and escapes those to be escaped.
pub(crate) fn restrict(builder: &mut Builder, options: &Options) -> EngineResult<()> {
    let (mut forbidden, mut escaped): (Vec<&str>, Vec<&str>) = Default::default();
    forbidden.extend(options.forbidden_texts.iter().map(String::as_str));
    let has_escape = options.escape_letters.contains('u');
    let texts = if has_escape { &mut escaped } else { &mut forbidden };
    texts.extend(options.escaped_texts.iter().map(String::as_str));
    if !escaped.is_empty() {
        builder.escape_in_strings(&escaped)?;
    }
    if forbidden.is_empty() {
        return Ok(());
    }
    let allowed = {
        let terms = Terms::new(builder);
        terms.free_of(terms.any_text()?, forbidden)?
    };
    builder.restrict_strings(allowed.number())
}

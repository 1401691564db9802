//! Schema → the grammar of its documents, or why there is none.

use crate::advice::{advice, splitting_advice};
use crate::algebra::{Expander, ExpansionOptions, Splitting};
use crate::envelope;
use crate::error::{Error, Kind, Result};
use crate::formats::KnownLanguages;
use crate::json::{NodeId, Tree};
use crate::lower::{nothing_written, unsatisfiable, Lowerer, Tables};
use crate::note::{notes, Note};
use crate::order::is_sorted;
use crate::prelude::restrict;
use crate::read::ParsedSchema;
use crate::resolve::pointer::follow;
use crate::resolve::{Documents, Registry};
use crate::subschema::{Omission, Subschemas};
use frisket_core::builder::Builder;
use frisket_core::error::Error as EngineError;
use frisket_core::grammar::grammar::Grammar;
use frisket_core::limits::{Cancellation, Limits, Watch};
use frisket_core::regular::term::TermId;
use std::rc::Rc;
use std::sync::Arc;

pub use crate::options::{Options, PropertyOrder, Spacing};
pub use crate::prelude::Prelude;

/// Most alternatives of one value in the first attempts: every way of splitting is tried with few before one may take
/// many.
const FEW: u64 = 256;
/// Most alternatives of one value in the relaxed attempt, which leaves out keywords that split it further. Few, since each
/// of many keywords is tried.
const LOOSENED: u64 = 64;
/// Most characters of a subschema that an error quotes.
const QUOTED: usize = 300;
/// Refused keywords that the message itself names.
const NAMED: usize = 5;

/// A grammar, and what a reader should know of its language.
pub struct Compiled {
    /// The grammar of the documents.
    pub grammar: Arc<Grammar>,
    /// Keywords that are not enforced, in the order in which they were met.
    pub omissions: Vec<Omission>,
    /// Formats of which not all texts are allowed, in the order in which they were met.
    pub narrowed: Vec<Omission>,
    /// Facts about the language as a whole.
    pub notes: Vec<Note>,
}

/// The node of a schema's documents in a builder, and what a reader should know of its language.
pub struct Embedded {
    /// The node of the documents.
    pub root: TermId,
    /// Keywords that are not enforced, in the order in which they were met.
    pub omissions: Vec<Omission>,
    /// Formats of which not all texts are allowed, in the order in which they were met.
    pub narrowed: Vec<Omission>,
    /// Facts about the language as a whole.
    pub notes: Vec<Note>,
}

/// The common part of all attempts at a schema.
struct Compiler<'p, 'd> {
    schema: Arc<Tree>,
    registry: Option<&'d dyn Registry>,
    options: &'p Options,
    /// The nodes that the builder holds already.
    tables: &'p Tables,
    is_sorted: bool,
    watch: Watch,
}

/// The root node of a schema's documents, and the subschemas that were read for it.
struct Lowered<'d> {
    root: TermId,
    subschemas: Subschemas<'d>,
    parsed: Vec<Option<Rc<ParsedSchema>>>,
    notes: Vec<Note>,
}

/// The grammar of the documents that a schema describes, under the prelude's options.
///
/// `registry` has the documents that references may lead to. Errors: the schema is wrong, cannot be enforced exactly, has
/// no document; limits.
pub fn compile(
    schema: Arc<Tree>,
    registry: Option<&dyn Registry>,
    prelude: &Prelude,
    limits: Limits,
    cancellation: Option<Cancellation>,
) -> Result<Compiled> {
    let limits = limits.started();
    let mut builder = prelude.fork(limits, cancellation.clone());
    builder.check(0)?;
    let watch = Watch::new(&limits, cancellation);
    let compiler = Compiler::new(schema.clone(), registry, prelude.options(), prelude.tables(), watch);
    let (builder, lowered) = compiler.lowered(builder);
    let lowered = lowered.map_err(|error| with_demand(error, &schema))?;
    let Lowered { root, subschemas: Subschemas { omissions, narrowed, .. }, notes, .. } = lowered;
    match builder.build(root.number()) {
        Ok(grammar) => Ok(Compiled { grammar, omissions, narrowed, notes }),
        // Lowering finds most contradictions with their places; this one shows only in the finished rules.
        Err(error) if matches!(*error, EngineError::Empty) => match narrowed.is_empty() {
            true => Err(with_demand(unsatisfiable(String::new(), None), &schema)),
            false => Err(nothing_written(&narrowed)),
        },
        Err(error) => Err(error.into()),
    }
}

/// Builds the node of a schema's documents, and returns the builder with it. `is_fork` says whether the builder is a
/// fork of the prelude's.
///
/// If it is none, no JSON string that the builder makes from now on holds forbidden texts. Errors: those of
/// [`compile`], except faults that show only in the finished rules.
pub fn embed(
    mut builder: Builder,
    is_fork: bool,
    schema: Arc<Tree>,
    registry: Option<&dyn Registry>,
    prelude: &Prelude,
) -> (Builder, Result<Embedded>) {
    let nothing = Tables::default();
    let options = prelude.options();
    if !is_fork {
        if let Err(error) = restrict(&mut builder, options) {
            return (builder, Err(error.into()));
        }
    }
    let tables = if is_fork { prelude.tables() } else { &nothing };
    let compiler = Compiler::new(schema.clone(), registry, options, tables, Watch::default());
    let (builder, lowered) = compiler.lowered(builder);
    let lowered = lowered.map_err(|error| with_demand(error, &schema));
    let embedded =
        lowered.map(|Lowered { root, subschemas: Subschemas { omissions, narrowed, .. }, notes, .. }| Embedded {
            root,
            omissions,
            narrowed,
            notes,
        });
    (builder, embedded)
}

/// The error of a schema that no value satisfies, with the subschema at its place as the hint; if the place is in another
/// document, the error as it is.
fn with_demand(error: Box<Error>, schema: &Tree) -> Box<Error> {
    let place = error.place.as_deref().unwrap_or_default();
    match follow(schema, place).filter(|_| error.kind == Kind::Unsatisfiable) {
        Some(node) => {
            let hint = format!("it says {}{}", schema.begun(node, QUOTED), unlisted(schema, place, node));
            error.with_hint(hint)
        }
        None => error,
    }
}

/// The required names that are no properties, most often misspelt ones, to follow the text of a `required`.
fn unlisted(schema: &Tree, place: &str, required: NodeId) -> String {
    let Some(above) = place.strip_suffix("/required") else { return String::new() };
    let around = follow(schema, above).and_then(|node| schema.object(node));
    let listed = around.and_then(|around| schema.object(around.get("properties")?));
    let names = schema.array(required).unwrap_or_default();
    let is_unlisted = |&&node: &&NodeId| {
        schema.str(node).is_some_and(|name| listed.as_ref().is_none_or(|listed| listed.get(name).is_none()))
    };
    let names: Vec<String> = names.iter().filter(is_unlisted).map(|&node| schema.begun(node, QUOTED)).collect();
    if names.is_empty() {
        return String::new();
    }
    format!("; {} is not among the properties", names.join(", "))
}

/// The subschemas that compiling a schema meets, and by number the keywords of those that its grammar is made of.
///
/// Errors: those of [`compile`], except faults that show only in the finished rules.
pub(crate) fn subschemas_of<'d>(
    schema: Arc<Tree>,
    registry: Option<&'d dyn Registry>,
    prelude: &Prelude,
    limits: Limits,
    cancellation: Option<Cancellation>,
) -> Result<(Subschemas<'d>, Vec<Option<Rc<ParsedSchema>>>)> {
    let limits = limits.started();
    let watch = Watch::new(&limits, cancellation.clone());
    let compiler = Compiler::new(schema, registry, prelude.options(), prelude.tables(), watch);
    let Lowered { subschemas, parsed, .. } = compiler.lowered(prelude.fork(limits, cancellation)).1?;
    Ok((subschemas, parsed))
}

impl<'p, 'd> Compiler<'p, 'd> {
    fn new(
        schema: Arc<Tree>,
        registry: Option<&'d dyn Registry>,
        options: &'p Options,
        tables: &'p Tables,
        watch: Watch,
    ) -> Self {
        let is_sorted = options.property_order == PropertyOrder::Schema && is_sorted(&schema);
        Compiler { schema, registry, options, tables, is_sorted, watch }
    }

    /// The builder, and the root of the first attempt that does not split too far.
    fn lowered(&self, mut builder: Builder) -> (Builder, Result<Lowered<'d>>) {
        if let Err(error) = envelope::check(&self.schema) {
            return (builder, Err(error));
        }
        let mut failure: Option<Box<Error>> = None;
        let (mut has_scopes, mut is_over) = (false, false);
        for attempt in attempts(self.options) {
            if is_over && attempt.splitting != Splitting::Loosened {
                continue;
            }
            let mut made;
            (builder, made) = self.attempt(builder, attempt, has_scopes);
            if made.as_ref().is_err_and(|error| error.kind == Kind::NeedsScopes) {
                has_scopes = true;
                (builder, made) = self.attempt(builder, attempt, has_scopes);
            }
            match made {
                Err(error) if matches!(error.kind, Kind::TooManyAlternatives { .. }) => {
                    is_over = error.kind == Kind::TooManyAlternatives { in_all: true };
                    let goes_furthest =
                        attempt.splitting == Splitting::Together && attempt.max_alternatives == attempt.total;
                    if failure.is_none() || goes_furthest || is_over {
                        failure = Some(error);
                    }
                }
                made => return (builder, made),
            }
        }
        let mut failure = failure.expect("there is an attempt");
        failure.kind = Kind::Limit;
        (builder, Err(failure))
    }

    /// The builder, and the root of one attempt.
    fn attempt(&self, builder: Builder, attempt: ExpansionOptions, has_scopes: bool) -> (Builder, Result<Lowered<'d>>) {
        let options = self.options;
        let mut documents = match Documents::new(self.schema.clone(), self.registry) {
            Ok(documents) => documents,
            Err(error) => return (builder, Err(error)),
        };
        documents.watched_by(self.watch.clone());
        let subschemas = Subschemas::new(documents, options.subschemas(has_scopes));
        let mut languages = KnownLanguages::new(options.formats());
        languages.watched_by(self.watch.clone());
        let expander = Expander::new(builder, subschemas, languages, attempt);
        let mut lowerer = Lowerer::new(expander, options, self.is_sorted, self.tables.clone());
        let root = lowerer.expander.subschemas.root().and_then(|root| lowerer.document(root));
        let expander = lowerer.into_parts().0;
        let root = root.map_err(|error| match error.kind {
            Kind::TooManyAlternatives { .. } => {
                let keywords = expander.keywords_at(error.place.as_deref().unwrap_or_default());
                error.with_hint(splitting_advice(&keywords))
            }
            _ => error,
        });
        let nameless = if root.is_ok() { expander.nameless() } else { Vec::new() };
        let (builder, subschemas, parsed) = expander.into_parts();
        let made = root.and_then(|root| {
            if !options.relaxed {
                refuse(&subschemas.omissions)?;
            }
            let notes = notes(options, self.is_sorted, &subschemas, nameless);
            Ok(Lowered { root, subschemas, parsed, notes })
        });
        (builder, made)
    }
}

/// The attempts in order: each way to split values with few alternatives, then with all that are allowed. Few
/// alternatives in one way may be thousands in another.
fn attempts(options: &Options) -> Vec<ExpansionOptions> {
    let total = options.max_alternatives;
    let mut bounds = vec![FEW.min(total), total];
    bounds.dedup();
    let of = |splitting, max_alternatives| ExpansionOptions { splitting, max_alternatives, total };
    let ways = [Splitting::Together, Splitting::Clauses];
    let mut found: Vec<_> = bounds.into_iter().flat_map(|bound| ways.map(|splitting| of(splitting, bound))).collect();
    found.extend(options.relaxed.then(|| of(Splitting::Loosened, LOOSENED.min(total))));
    found
}

/// Refuses a schema with keywords that are not enforced. Errors: these keywords.
pub(crate) fn refuse(omissions: &[Omission]) -> Result<()> {
    let Some(first) = omissions.first() else { return Ok(()) };
    let named = omissions.iter().take(NAMED).map(|omission| {
        let place = if omission.pointer.is_empty() { "(root)" } else { &omission.pointer };
        format!("{place}: {}", omission.slips)
    });
    let named: Vec<String> = named.collect();
    let more = match omissions.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let message = format!("cannot be enforced exactly: {}{more}", named.join("; "));
    let places = omissions.iter().map(|omission| (omission.pointer.clone(), omission.slips.clone())).collect();
    Err(Error::new(Kind::Unsupported(places), message).at(first.pointer.clone()).with_hint(advice(&first.keyword)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse;

    fn compiled(schema: &str, options: Options) -> Result<Compiled> {
        let prelude = Prelude::new(options, None)?;
        compile(Arc::new(parse(schema)?), None, &prelude, Limits::default(), None)
    }

    #[test]
    fn a_prelude_serves_several_threads() {
        fn shared<T: Send + Sync>() {}
        shared::<Prelude>();
    }

    #[test]
    fn few_alternatives_are_tried_in_every_way_before_many() {
        let ways = |max_alternatives, relaxed| {
            let attempts = attempts(&Options { max_alternatives, relaxed, ..Options::default() });
            attempts.into_iter().map(|one| (one.splitting, one.max_alternatives)).collect::<Vec<_>>()
        };
        use Splitting::{Clauses, Loosened, Together};
        assert_eq!(ways(100, false), [(Together, 100), (Clauses, 100)]);
        let many = [(Together, 256), (Clauses, 256), (Together, 4000), (Clauses, 4000)];
        assert_eq!(ways(4000, false), many);
        assert_eq!(ways(4000, true)[4..], [(Loosened, 64)]);
    }

    #[test]
    fn a_schema_that_refers_to_itself_becomes_rules() {
        let list = r##"{"properties": {"next": {"$ref": "#"}, "value": {"const": [1, {"a": "x"}]}}}"##;
        let made = compiled(list, Options::default()).unwrap();
        assert!(made.omissions.is_empty() && made.narrowed.is_empty() && made.notes.is_empty());
    }
}

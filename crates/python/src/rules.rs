//! A text in a notation of rules from Python → its node, its rules in another notation, its open rules; what is wrong → Python.

use crate::builder::GrammarBuilder;
use crate::error::raise;
use crate::gil::{pause, take_turns};
use crate::limit::{given, Limits};
use crate::regex;
use frisket::front_end::{self, Allowance, Builder, TermId};
use frisket::notation::lark::{Dialect, Schemas};
use frisket::notation::printer::{Printed, Unprinted};
use frisket::notation::{read, AbnfValues, EbnfDialect, Failure, Fault as NotationFault, Notation, Options, Reading};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

create_exception!(
    frisket._core.front_end,
    Fault,
    PyException,
    "What is wrong with a text: a message, an offset, a rule or None, a hint or None, and its kind."
);

/// Reads schemas with a function of Python: (builder, schema as JSON, offset) → node.
struct InPython<'a, 'py> {
    text: &'a str,
    schema: &'a Bound<'py, PyAny>,
    /// What the function raised last.
    raised: Option<PyErr>,
}

impl InPython<'_, '_> {
    fn called(&self, builder: &mut Builder, schema: &str, at: usize) -> PyResult<TermId> {
        let py = self.schema.py();
        let lent = Bound::new(py, GrammarBuilder::of(std::mem::take(builder)))?;
        let node = self.schema.call1((&lent, schema, offset(self.text, at)));
        *builder = lent.borrow_mut().take()?;
        builder.node(node?.extract()?).map_err(raise)
    }

    /// The exception of a failure.
    fn raise(self, failure: Failure) -> PyErr {
        if let Some(raised) = self.raised {
            return raised;
        }
        let (NotationFault { message, at, hint }, kind) = match failure {
            Failure::Engine(error) => return raise(error),
            Failure::Schema(error) => return raise(error),
            Failure::Unread(fault) => (fault, "syntax"),
            Failure::Empty(fault) => (fault, "empty"),
            Failure::Limit(fault) => (fault, "limit"),
        };
        Fault::new_err((message, at.map(|at| offset(self.text, at)), hint, kind))
    }
}

impl Schemas for InPython<'_, '_> {
    fn builder(&self) -> Builder {
        Builder::new(front_end::Limits::default(), None, Some(take_turns))
    }

    fn lower(&mut self, builder: &mut Builder, schema: &str, at: usize) -> Result<TermId, Failure> {
        self.raised = None;
        self.called(builder, schema, at).map_err(|raised| {
            let message = raised.to_string();
            self.raised = Some(raised);
            Failure::Unread(NotationFault { message, at: Some(at), hint: None })
        })
    }
}

/// The characters before a byte.
fn offset(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).chars().count()
}

/// A text in a notation, and how it is read: the constructor of Grammar, the option that says more, the root.
#[derive(FromPyObject)]
pub struct Asked<'py>(String, Option<String>, Option<String>, Bound<'py, PyAny>);

impl Asked<'_> {
    fn notation(&self) -> PyResult<Notation> {
        Ok(match (&*self.0, self.1.as_deref()) {
            ("from_gbnf", None) => Notation::Gbnf,
            ("from_ebnf", Some("w3c")) => Notation::Ebnf(EbnfDialect::W3c),
            ("from_ebnf", Some("iso")) => Notation::Ebnf(EbnfDialect::Iso),
            ("from_ebnf", Some("xgrammar")) => Notation::Ebnf(EbnfDialect::XGrammar),
            ("from_abnf", Some("characters")) => Notation::Abnf(AbnfValues::Characters),
            ("from_abnf", Some("bytes")) => Notation::Abnf(AbnfValues::Bytes),
            ("from_lark", Some("llguidance")) => Notation::Lark(Dialect::Llguidance),
            ("from_lark", Some("lark")) => Notation::Lark(Dialect::Lark),
            ("from_lark", Some("xgrammar")) => Notation::Lark(Dialect::XGrammar),
            (notation, option) => return Err(PyValueError::new_err(format!("no notation is {notation} {option:?}"))),
        })
    }

    /// Reads the text, and does something with its rules. Raises Fault; what the function for schemas raises.
    fn read<R>(
        &self,
        py: Python<'_>,
        builder: &mut Builder,
        text: &str,
        then: impl FnOnce(&mut Builder, Reading) -> Result<R, Failure>,
    ) -> PyResult<R> {
        let python = regex::syntax(py, "python", "")?;
        let options = Options { notation: self.notation()?, root: self.2.as_deref(), python };
        let mut schemas = InPython { text, schema: &self.3, raised: None };
        read(builder, text, &options, &mut schemas, then).map_err(|failure| schemas.raise(failure))
    }
}

/// The node of the texts of a grammar. `asked`: the constructor's name, its option (a dialect, or the values of
/// numbers), the root's name or None, and a function for schemas in Lark: (builder, schema, offset) → node.
///
/// Raises Fault, of the kind syntax, empty or limit; what the function raises.
#[pyfunction]
pub fn lower_rules(builder: &Bound<'_, GrammarBuilder>, text: &str, asked: Asked) -> PyResult<u32> {
    let mut lent = builder.borrow_mut();
    let node = asked.read(builder.py(), lent.builder()?, text, |builder, read| read.lower(builder))?;
    Ok(node.number())
}

/// The rules of a grammar in GBNF or else in the W3C's EBNF.
///
/// Raises as `lower_rules`, and Fault of the kind unsaid for what the notation lacks.
#[pyfunction]
pub fn print_rules(builder: &Bound<'_, GrammarBuilder>, text: &str, asked: Asked, is_gbnf: bool) -> PyResult<String> {
    let printed = if is_gbnf { Printed::Gbnf } else { Printed::W3c };
    let mut lent = builder.borrow_mut();
    let print = |builder: &mut Builder, read: Reading| Ok(read.rules.print(builder, printed));
    asked.read(builder.py(), lent.builder()?, text, print)?.map_err(|unprinted| match unprinted {
        Unprinted::Engine(error) => raise(error),
        Unprinted::Lacking(message, rule) => Fault::new_err((message, rule, None::<String>, "unsaid")),
    })
}

/// The rules that are open at the end of a beginning, from the root inwards. Raises as `lower_rules`.
#[pyfunction]
#[pyo3(signature = (text, asked, begin, limits=None))]
pub fn open_rules(
    py: Python<'_>,
    text: &str,
    asked: Asked,
    begin: &Bound<'_, PyBytes>,
    limits: Option<&Bound<'_, Limits>>,
) -> PyResult<Vec<String>> {
    let (limits, cancellation) = given(limits).parts();
    let limits = limits.started();
    let mut builder = Builder::new(limits, cancellation.clone(), Some(take_turns));
    let allowance = Allowance { limits, cancellation, pause: Some(pause) };
    asked.read(py, &mut builder, text, |_, read| read.open_rules(begin.as_bytes(), &allowance))
}

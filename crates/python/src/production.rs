//! A Python front end's rules → the core's productions → a node.

use crate::builder::GrammarBuilder;
use crate::error::raise;
use crate::integer::Whole;
use frisket::front_end::production::{self as core, BodyNode, Leaf};
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;

create_exception!(
    frisket._core.front_end,
    Flaw,
    PyException,
    "What is wrong with rules: its kind, the name of a rule, an offset, and whether the grammar has no text at all."
);

/// The exception of a fault of rules.
fn flawed(flaw: core::Flaw) -> PyErr {
    let (kind, name, at, is_grammar) = match flaw {
        core::Flaw::Engine(error) => return raise(error),
        core::Flaw::Undefined(name, at) => ("undefined", name, at, false),
        core::Flaw::Textless(name, in_cycle, is_grammar) => {
            (if in_cycle { "circular" } else { "textless" }, name, 0, is_grammar)
        }
        core::Flaw::Irregular(at) => ("irregular", String::new(), at, false),
        core::Flaw::IrregularException(at) => ("irregular exception", String::new(), at, false),
        core::Flaw::EmptyException(at) => ("empty exception", String::new(), at, false),
        core::Flaw::Excluded(name) => ("excluded", name, 0, true),
    };
    Flaw::new_err((kind, name, at, is_grammar))
}

/// The rules of a grammar, added node by node: an operator joins the last nodes that no other one has joined.
#[pyclass(module = "frisket._core.front_end")]
#[derive(Default)]
pub struct Productions {
    inner: core::Productions,
    /// Nodes that nothing joins yet.
    open: u32,
    reached: Vec<u32>,
}

impl Productions {
    fn add(&mut self, node: BodyNode, below: u32) -> PyResult<()> {
        if self.open < below {
            return Err(PyValueError::new_err(format!("there are {} nodes to join, not {below}", self.open)));
        }
        self.inner.add(node, below);
        self.open = self.open - below + 1;
        Ok(())
    }
}

#[pymethods]
impl Productions {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// These characters, one after the other.
    fn text(&mut self, text: &str) -> PyResult<()> {
        self.add(BodyNode::Text(text.into()), 0)
    }

    /// One code point in any of the inclusive ranges.
    fn chars(&mut self, ranges: Whole<Vec<(u32, u32)>>) -> PyResult<()> {
        self.add(BodyNode::Chars(ranges.0.into()), 0)
    }

    /// One byte in any of the inclusive ranges.
    fn octets(&mut self, ranges: Whole<Vec<(u8, u8)>>) -> PyResult<()> {
        self.add(BodyNode::Octets(ranges.0.into()), 0)
    }

    /// The special token of that name.
    fn token(&mut self, name: &str) -> PyResult<()> {
        self.add(BodyNode::Token(name.into()), 0)
    }

    /// A call of a rule.
    fn call(&mut self, name: &str, at: u32) {
        self.inner.call(name, at);
        self.open += 1;
    }

    /// A node that another front end makes; returns the number by which `give` sets it.
    fn leaf(&mut self, is_regular: bool, may_be_empty: bool) -> u32 {
        self.open += 1;
        self.inner.leaf(Leaf { is_regular, may_be_empty, ends_in_name: false, node: None })
    }

    /// The last nodes, one after the other.
    fn seq(&mut self, below: u32) -> PyResult<()> {
        self.add(BodyNode::Seq, below)
    }

    /// Any one of the last nodes.
    fn alt(&mut self, below: u32) -> PyResult<()> {
        self.add(BodyNode::Alt, below)
    }

    /// The last node `low` to `high` times.
    fn repeat(&mut self, low: u32, high: Option<u32>) -> PyResult<()> {
        self.add(BodyNode::Repeat(low, high), 1)
    }

    /// The texts of the node before the last that are none of the last.
    fn exclude(&mut self, at: u32) -> PyResult<()> {
        self.add(BodyNode::Except(at), 2)
    }

    /// The texts that all of the last nodes have.
    fn both(&mut self, below: u32, at: u32) -> PyResult<()> {
        self.add(BodyNode::Both(at), below)
    }

    /// The byte strings that are no text of the last node.
    fn complement(&mut self, at: u32) -> PyResult<()> {
        self.add(BodyNode::Complement(at), 1)
    }

    /// The texts of the last node that do not begin with a shorter one.
    fn shortest(&mut self, at: u32) -> PyResult<()> {
        self.add(BodyNode::Shortest(at), 1)
    }

    /// Make the last node the body of a rule, whose name is written like `title`.
    fn define(&mut self, name: &str, title: &str) -> PyResult<()> {
        if self.open != 1 {
            return Err(PyValueError::new_err(format!("a body is one node, not {}", self.open)));
        }
        self.open = 0;
        match self.inner.define(name, title) {
            true => Ok(()),
            false => Err(PyValueError::new_err(format!("the rule {name} is there already"))),
        }
    }

    /// The names of the rules that a text of the root may use. Raises Flaw if one is not defined or has no text.
    fn check(&mut self, root: &str) -> PyResult<Vec<String>> {
        self.reached = self.inner.check(root).map_err(flawed)?.unwrap_or_default();
        Ok(self.reached.iter().map(|&rule| self.inner.name(rule).to_owned()).collect())
    }

    /// Set the node of a leaf, and whether its texts may end with a name of any length.
    fn give(
        &mut self,
        builder: &Bound<'_, GrammarBuilder>,
        leaf: u32,
        node: Whole<u32>,
        ends_in_name: bool,
    ) -> PyResult<()> {
        let node = builder.borrow_mut().builder()?.node(node.0).map_err(raise)?;
        match self.inner.give(leaf, node, ends_in_name) {
            true => Ok(()),
            false => Err(PyValueError::new_err(format!("there is no leaf {leaf}"))),
        }
    }

    /// The node of the root that was checked. Raises Flaw for operators that are not exact, or leave nothing.
    fn lower(&self, builder: &Bound<'_, GrammarBuilder>) -> PyResult<u32> {
        if self.reached.is_empty() {
            return Err(PyValueError::new_err("the rules were not checked"));
        }
        let node = self.inner.lower(builder.borrow_mut().builder()?, &self.reached).map_err(flawed)?;
        Ok(node.number())
    }

    /// The names of the rules that have a text.
    fn with_text(&self) -> Vec<&str> {
        self.inner.with_text().collect()
    }

    /// The names of the rules that may have the empty text.
    fn nullable(&self) -> Vec<&str> {
        self.inner.nullable().collect()
    }
}

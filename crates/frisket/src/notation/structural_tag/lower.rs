//! Part × Builder → the node of exactly its texts.

use super::part::{Part, Repeat, Tags};
use crate::notation::free_text::{Begin, Count, FreeText};
use frisket_core::builder::Builder;
use frisket_core::error::Result;
use frisket_core::regular::term::{TermId, EPSILON};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Lowers parts; a part that stands in several places is lowered once.
pub(super) struct Lowering<'b> {
    builder: &'b mut Builder,
    /// Node by the address of a part; the tree outlives the lowering.
    known: FxHashMap<*const Part, TermId>,
}

impl<'b> Lowering<'b> {
    pub fn new(builder: &'b mut Builder) -> Self {
        Lowering { builder, known: FxHashMap::default() }
    }

    /// The node of a part.
    pub fn node(&mut self, part: &Arc<Part>) -> Result<TermId> {
        if let Some(&known) = self.known.get(&Arc::as_ptr(part)) {
            return Ok(known);
        }
        let node = self.lowered(part)?;
        self.known.insert(Arc::as_ptr(part), node);
        Ok(node)
    }

    fn lowered(&mut self, part: &Part) -> Result<TermId> {
        match part {
            Part::Text(text) => self.builder.literal(text.as_bytes()),
            Part::Whole(whole) => self.builder.embed(whole.grammar.rules()),
            Part::Special(name) => self.builder.special(name),
            Part::Seq(items) => {
                let nodes = self.nodes(items)?;
                self.builder.seq(&nodes)
            }
            Part::Choice(items) => {
                let nodes = self.nodes(items)?;
                self.builder.alt(&nodes)
            }
            Part::Repeat(repeat) => self.repeat(repeat),
            Part::FreeText { forbidden, max_chars } => {
                let forbidden = texts(forbidden);
                let text = FreeText { triggers: &[], forbidden: &forbidden, min_chars: 0, max_chars: *max_chars };
                text.lower(self.builder)
            }
            Part::AnyTokens(excluded) => {
                for name in excluded {
                    self.builder.special(name)?; // Compiling for a vocabulary without this special token is an error.
                }
                self.builder.any_text()
            }
            Part::Tags(tags) => self.tags(tags),
            Part::Label(_, item) => self.node(item),
        }
    }

    fn nodes(&mut self, items: &[Arc<Part>]) -> Result<Vec<u32>> {
        items.iter().map(|item| self.node(item).map(TermId::number)).collect()
    }

    fn repeat(&mut self, repeat: &Repeat) -> Result<TermId> {
        let (item, low, high) = (self.node(&repeat.item)?.number(), repeat.low, repeat.high);
        let Some(separator) = repeat.separator.as_ref().filter(|_| high != Some(0)) else {
            return self.builder.repeat(item, low, high);
        };
        let separator = self.node(separator)?.number();
        let more = self.builder.seq(&[separator, item])?.number();
        let rest = self.builder.repeat(more, low.saturating_sub(1), high.map(|high| high - 1))?.number();
        let some = self.builder.seq(&[item, rest])?;
        if low > 0 {
            Ok(some)
        } else {
            self.builder.alt(&[EPSILON.number(), some.number()])
        }
    }

    fn tags(&mut self, tags: &Tags) -> Result<TermId> {
        let mut pairs = Vec::new();
        for (begin, content) in &tags.tags {
            let node = self.node(content)?;
            match &**begin {
                Part::Text(text) => pairs.push((Begin::Text(text), node)),
                Part::Special(name) => pairs.push((Begin::Special(name), node)),
                _ => {}
            }
        }
        let (triggers, forbidden) = (texts(&tags.triggers), texts(&tags.forbidden));
        let text = FreeText { triggers: &triggers, forbidden: &forbidden, min_chars: 0, max_chars: None };
        let at_most = tags.is_once.then_some(1);
        text.with_tags(self.builder, &pairs, Count { at_least: 0, at_most, text_after: !tags.is_once })
    }
}

fn texts(texts: &[Box<str>]) -> Vec<&str> {
    texts.iter().map(|text| &**text).collect()
}

//! The traits of `types` for a lowerer; calls about conjunctions go on to the algebra.

use super::Lowerer;
use crate::condition::{ConjunctionId, Matches, SubschemaId};
use crate::error::{Error, Result};
use crate::types::object::MarkedValues;
use crate::types::{Algebra, Layout, Lowering, Spelling};
use frisket_core::builder::Builder;
use frisket_core::regular::term::TermId;

impl Algebra for Lowerer<'_> {
    fn builder(&mut self) -> &mut Builder {
        &mut self.expander.builder
    }

    fn both(&mut self, left: ConjunctionId, right: ConjunctionId) -> ConjunctionId {
        self.expander.both(left, right)
    }

    fn negated(&mut self, of: ConjunctionId) -> ConjunctionId {
        self.expander.negated(of)
    }

    fn is_empty(&mut self, of: ConjunctionId, depth: u32) -> Result<bool> {
        self.expander.is_empty(of, depth)
    }

    fn key_texts(&mut self, of: ConjunctionId) -> Result<Option<TermId>> {
        self.expander.key_texts(of)
    }

    fn key_fits(&mut self, of: ConjunctionId, key: &str, outer: bool) -> Result<bool> {
        self.expander.key_fits(of, key, outer)
    }

    fn no_key_is_in(&mut self, nodes: &[TermId], shared: usize) -> Result<bool> {
        self.expander.no_key_is_in(nodes, shared)
    }

    fn count_work(&mut self, conditions: usize) -> Result<()> {
        self.expander.count_work(conditions)
    }

    fn place(&self) -> String {
        self.active_pointer()
    }

    fn pointer(&self, subschema: SubschemaId) -> String {
        self.expander.pointer(subschema)
    }
}

impl Lowering for Lowerer<'_> {
    fn spelling(&self) -> &Spelling {
        &self.spelling
    }

    fn lower(&mut self, of: ConjunctionId) -> Result<Option<TermId>> {
        self.node(of)
    }

    fn enter(&mut self) -> Result<Layout> {
        self.descend()
    }

    fn leave(&mut self) {
        self.ascend();
    }

    fn level(&self) -> u32 {
        self.level
    }

    fn is_root(&self) -> bool {
        self.keeps_order && self.active.len() == 1
    }

    fn note_unsupported(&mut self, place: Option<SubschemaId>, keyword: &str, slips: &str) -> Result<()> {
        let stated = |place| format!("{}/{keyword}", self.expander.pointer(place));
        let pointer = place.map_or_else(|| self.active_pointer(), stated);
        self.expander.subschemas.omit(pointer, keyword, slips.to_owned());
        Ok(())
    }

    fn note_structural(&mut self, node: TermId) {
        self.tables.structural.insert(node);
    }

    fn note_search(&mut self) {
        self.needs_search = true;
    }

    fn language_name(&self, language: &Matches) -> String {
        self.expander.language_name(language)
    }

    fn marked_values(&mut self) -> &mut MarkedValues {
        &mut self.marked
    }

    fn leaves_out(&mut self, error: &Error, keywords: &[&'static str], slips: &str) -> Result<bool> {
        if !self.expander.leaves_out(error) {
            return Ok(false);
        }
        let pointer = self.active_pointer();
        let there = self.expander.keywords_at(&pointer);
        let keyword = keywords.iter().find(|keyword| there.contains(*keyword)).unwrap_or(&keywords[0]);
        self.expander.subschemas.omit(format!("{pointer}/{keyword}"), keyword, slips.to_owned());
        Ok(true)
    }
}

//! The items of a body, one by one → its nodes; keeps the open groups, counts and exceptions meanwhile.
//!
//! Groups are on a stack, so they may nest however deep. Nodes are added in postorder, each item after those before it.

use super::rules::Rules;
use super::source::{fail, Read, Source};
use frisket_core::production::BodyNode;

/// An open group or the body itself, and the operators that wait for an operand.
#[derive(Default)]
pub(super) struct Level {
    /// The bracket and its place; None for the body itself.
    opened: Option<(char, usize)>,
    /// Complete alternatives.
    alternatives: u32,
    /// Items of the alternative under way.
    items: u32,
    /// The count before the next item.
    count: Option<(u32, Option<u32>)>,
    /// The operator of an exception: the items before it, and its place.
    minus: Option<(u32, usize)>,
}

impl Rules {
    /// Begins a body.
    pub(super) fn begin(&mut self) {
        self.levels = vec![Level::default()];
    }

    fn level(&mut self) -> &mut Level {
        if self.levels.is_empty() {
            self.levels.push(Level::default());
        }
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    /// The bracket of the innermost open group, and its place.
    pub(super) fn opened(&self) -> Option<(char, usize)> {
        self.levels.last()?.opened
    }

    /// Whether the alternative under way has an item.
    pub(super) fn has_items(&self) -> bool {
        self.levels.last().is_some_and(|level| level.items > 0)
    }

    /// Whether a count waits for the item that it repeats.
    pub(super) fn is_counted(&self) -> bool {
        self.levels.last().is_some_and(|level| level.count.is_some())
    }

    /// Whether an operator waits for the next item.
    pub(super) fn waits(&self) -> bool {
        self.is_counted()
            || self.levels.last().is_some_and(|level| level.minus.is_some_and(|minus| minus.0 == level.items))
    }

    /// Whether all groups are closed. `more` is added to the advice.
    pub(super) fn check_closed(&self, more: &str) -> Read<()> {
        let Some((bracket, at)) = self.opened() else { return Ok(()) };
        let closing = match bracket {
            '(' => ')',
            '[' => ']',
            _ => '}',
        };
        fail("the group is not closed", at, format!("close it with {closing}{more}"))
    }

    /// Whether all operators have their operands.
    pub(super) fn check_operand(&self, source: &Source) -> Read<()> {
        match self.waits() {
            true => fail(format!("expected an operand, found {}", source.found()), source.at, ""),
            false => Ok(()),
        }
    }

    /// Adds a node of the item under way above the last `below` ones.
    pub(super) fn add(&mut self, node: BodyNode, below: u32) {
        self.productions.add(node, below);
    }

    /// Begins an item: an exception before it has both operands now.
    pub(super) fn begin_item(&mut self) {
        let level = self.level();
        if level.minus.is_some_and(|minus| minus.0 < level.items) {
            self.settle();
        }
    }

    /// Ends an item, whose node is the last one.
    pub(super) fn end_item(&mut self) {
        if let Some((low, high)) = self.level().count.take() {
            self.add(BodyNode::Repeat(low, high), 1);
        }
        self.level().items += 1;
    }

    /// Adds an item of one node.
    pub(super) fn item(&mut self, node: BodyNode) {
        self.begin_item();
        self.add(node, 0);
        self.end_item();
    }

    /// Adds a call as an item.
    pub(super) fn call(&mut self, name: &str, at: usize) {
        self.begin_item();
        self.productions.call(name, at as u32);
        self.end_item();
    }

    /// Repeats the last item.
    pub(super) fn repeat(&mut self, low: u32, high: Option<u32>) {
        self.add(BodyNode::Repeat(low, high), 1);
    }

    /// Repeats the next item.
    pub(super) fn repeat_next(&mut self, low: u32, high: Option<u32>) {
        self.level().count = Some((low, high));
    }

    /// Begins an exception: the next item is excluded from the last one.
    pub(super) fn exclude(&mut self, at: usize) {
        self.settle();
        let level = self.level();
        level.minus = Some((level.items, at));
    }

    /// Ends an exception without a right operand, which excludes the empty text: `{a}-` is one `a` or more, and `[a]-` one.
    pub(super) fn exclude_nothing(&mut self) {
        if !self.waits() {
            return;
        }
        let level = self.level();
        let minus = level.minus.filter(|minus| minus.0 == level.items);
        if let (Some((_, at)), Some(&BodyNode::Repeat(0, high))) = (minus, self.productions.last()) {
            self.level().minus = None;
            self.productions.take_back();
            self.add(BodyNode::Seq, 0);
            self.add(BodyNode::Except(at as u32), 2);
            return self.add(BodyNode::Repeat(1, high), 1);
        }
        self.item(BodyNode::Seq);
    }

    /// Begins an alternative.
    pub(super) fn end_alternative(&mut self) {
        self.settle();
        let level = self.level();
        level.alternatives += 1;
        let items = std::mem::take(&mut level.items);
        self.join(BodyNode::Seq, items);
    }

    /// Begins a group.
    pub(super) fn open(&mut self, bracket: char, at: usize) {
        self.begin_item();
        self.levels.push(Level { opened: Some((bracket, at)), ..Level::default() });
    }

    /// Ends the innermost group or the body, which is one node now. A group is no item yet.
    pub(super) fn close(&mut self) {
        self.end_alternative();
        let alternatives = self.levels.pop().map_or(1, |level| level.alternatives);
        self.join(BodyNode::Alt, alternatives);
    }

    /// The last nodes as one; a single one stays as it is.
    fn join(&mut self, node: BodyNode, count: u32) {
        if count != 1 {
            self.add(node, count);
        }
    }

    /// Completes the exception, which has both operands.
    fn settle(&mut self) {
        if let Some((_, at)) = self.level().minus.take() {
            self.add(BodyNode::Except(at as u32), 2);
            self.level().items -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nodes(read: impl FnOnce(&mut Rules)) -> Vec<BodyNode> {
        let mut rules = Rules::new("root", 0);
        rules.begin();
        read(&mut rules);
        rules.close();
        rules.define("a", "a", 0);
        rules.productions.nodes(0).map(|node| rules.productions.node(node).clone()).collect()
    }

    fn text(text: &str) -> BodyNode {
        BodyNode::Text(text.into())
    }

    #[test]
    fn an_exception_ends_with_its_second_operand() {
        let made = nodes(|rules| {
            rules.item(text("a"));
            rules.exclude(1);
            assert!(rules.waits());
            rules.item(text("b"));
            rules.repeat(0, None);
            assert!(!rules.waits());
            rules.item(text("c"));
        });
        let repeat = BodyNode::Repeat(0, None);
        assert_eq!(made, [text("a"), text("b"), repeat, BodyNode::Except(1), text("c"), BodyNode::Seq]);
    }

    #[test]
    fn an_exception_of_nothing_leaves_out_the_empty_text() {
        let made = nodes(|rules| {
            rules.item(text("a"));
            rules.repeat(0, None);
            rules.exclude(1);
            rules.exclude_nothing();
        });
        assert_eq!(made, [text("a"), BodyNode::Seq, BodyNode::Except(1), BodyNode::Repeat(1, None)]);
        let made = nodes(|rules| {
            rules.item(text("a"));
            rules.exclude(1);
            rules.exclude_nothing();
        });
        assert_eq!(made, [text("a"), BodyNode::Seq, BodyNode::Except(1)]);
    }

    #[test]
    fn a_count_repeats_the_group_behind_it() {
        let made = nodes(|rules| {
            rules.repeat_next(2, Some(2));
            rules.open('(', 0);
            assert!(!rules.waits() && rules.opened() == Some(('(', 0)));
            rules.item(text("a"));
            rules.end_alternative();
            rules.close();
            rules.end_item();
        });
        assert_eq!(made, [text("a"), BodyNode::Seq, BodyNode::Alt, BodyNode::Repeat(2, Some(2))]);
    }
}

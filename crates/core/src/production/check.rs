//! Productions → the rules that a text may use, or a flaw: an undefined call, a rule without texts.

use super::{BodyNode, Flaw, Productions};

/// The number of missing nodes, for a node that never holds.
const NEVER: u32 = u32::MAX;

/// The nodes and the rules that have the property in question: some text, or the empty text.
pub(super) struct Held {
    /// Indexed by node.
    pub nodes: Vec<bool>,
    /// Indexed by rule.
    pub rules: Vec<bool>,
}

impl Productions {
    /// The rules that a text of the root may use, in order of first mention; None if there is no such root. Errors: a
    /// call of an undefined rule, a rule in use without texts.
    pub fn check(&self, root: &str) -> Result<Option<Vec<u32>>, Flaw> {
        for rule in &self.rules {
            for entry in &self.entries[rule.nodes.clone()] {
                if let BodyNode::Call(name, at) = entry.node {
                    if self.defined[name as usize].is_none() {
                        return Err(Flaw::Undefined(self.spelled[name as usize].to_string(), at));
                    }
                }
            }
        }
        let Some(root) = self.rule(root) else { return Ok(None) };
        let reached = self.reached(root);
        self.check_texts(&reached)?;
        Ok(Some(reached))
    }

    /// The names of the rules that have a text.
    pub fn with_text(&self) -> impl Iterator<Item = &str> {
        self.named(|productions, node| productions.needed_for_a_text(node))
    }

    /// The names of the rules that may match the empty text. A rule counts as one if only an automaton could tell.
    pub fn nullable(&self) -> impl Iterator<Item = &str> {
        self.named(|productions, node| productions.needed_to_be_empty(node))
    }

    fn named(&self, needed: impl Fn(&Self, usize) -> u32) -> impl Iterator<Item = &str> {
        let all: Vec<u32> = (0..self.rules.len() as u32).collect();
        let held = self.derive(&all, |node| needed(self, node)).rules;
        let is_held = move |name: u32| self.defined[name as usize].is_some_and(|rule| held[rule as usize]);
        self.names.iter().filter(move |&(_, &name)| is_held(name)).map(|(name, _)| &**name)
    }

    /// The rules that a text of a rule may use, that rule first.
    pub fn reached(&self, root: u32) -> Vec<u32> {
        let mut found = vec![root];
        let mut is_found = vec![false; self.rules.len()];
        is_found[root as usize] = true;
        let mut at = 0;
        while at < found.len() {
            for rule in self.called(found[at]) {
                if !std::mem::replace(&mut is_found[rule as usize], true) {
                    found.push(rule);
                }
            }
            at += 1;
        }
        found
    }

    /// The rules that a rule calls, once each.
    pub(super) fn called(&self, rule: u32) -> impl Iterator<Item = u32> + '_ {
        self.rules[rule as usize].calls.iter().filter_map(|&name| self.defined[name as usize])
    }

    /// An error if a rule in use has no text: that is a mistake, even if its callers have other alternatives.
    fn check_texts(&self, reached: &[u32]) -> Result<(), Flaw> {
        let has_text = self.derive(reached, |node| self.needed_for_a_text(node)).rules;
        let Some(&first) = reached.iter().find(|&&rule| !has_text[rule as usize]) else { return Ok(()) };
        // Calls are followed from one rule without texts to the next. The last one is to blame, most often for a cycle.
        let (mut passed, mut next) = (vec![false; self.rules.len()], Some(first));
        let mut blamed = first;
        while let Some(rule) = next.filter(|&rule| !passed[rule as usize]) {
            passed[rule as usize] = true;
            blamed = rule;
            let mut calls = self.entries[self.rules[rule as usize].nodes.clone()].iter().filter_map(|entry| {
                let BodyNode::Call(name, _) = entry.node else { return None };
                self.defined[name as usize]
            });
            next = calls.find(|&rule| !has_text[rule as usize]);
        }
        let blamed = next.unwrap_or(blamed);
        let name = self.name(blamed).to_owned();
        Err(Flaw::Textless(name, next.is_some(), !has_text[reached[0] as usize]))
    }

    /// The nodes and rules that hold, by forward chaining: a node holds once `needed` of the nodes below it hold, and a
    /// call holds once its rule does.
    ///
    /// Linear in the grammar (Dowling and Gallier 1984, Horn formulae).
    pub(super) fn derive(&self, rules: &[u32], needed: impl Fn(usize) -> u32) -> Held {
        let count = self.entries.len();
        let mut held = Held { nodes: vec![false; count], rules: vec![false; self.rules.len()] };
        // A parent `count + rule` stands for the rule of which the node is the body.
        let (mut parents, mut missing) = (vec![0; count], vec![NEVER; count]);
        let mut callers = vec![Vec::new(); self.rules.len()];
        let mut agenda = Vec::new();
        for &rule in rules {
            let nodes = self.rules[rule as usize].nodes.clone();
            parents[nodes.end - 1] = count + rule as usize;
            for node in nodes {
                self.below(node).for_each(|child| parents[child] = node);
                match self.entries[node].node {
                    BodyNode::Call(name, _) => {
                        if let Some(rule) = self.defined[name as usize] {
                            callers[rule as usize].push(node);
                        }
                    }
                    _ => missing[node] = needed(node),
                }
                if missing[node] == 0 {
                    agenda.push(node);
                }
            }
        }
        while let Some(at) = agenda.pop() {
            if let Some(rule) = at.checked_sub(count) {
                if !std::mem::replace(&mut held.rules[rule], true) {
                    agenda.append(&mut callers[rule]);
                }
                continue;
            }
            held.nodes[at] = true;
            let parent = parents[at];
            if parent >= count {
                agenda.push(parent);
            } else if !matches!(missing[parent], 0 | NEVER) {
                missing[parent] -= 1;
                if missing[parent] == 0 {
                    agenda.push(parent);
                }
            }
        }
        held
    }

    fn needed_for_a_text(&self, node: usize) -> u32 {
        let entry = &self.entries[node];
        match &entry.node {
            BodyNode::Seq | BodyNode::Except(_) | BodyNode::Both(_) | BodyNode::Shortest(_) => entry.below,
            BodyNode::Alt => 1,
            BodyNode::Repeat(low, _) => (*low).min(1),
            BodyNode::Chars(ranges) if ranges.is_empty() => NEVER,
            BodyNode::Octets(ranges) if ranges.is_empty() => NEVER,
            _ => 0,
        }
    }

    pub(super) fn needed_to_be_empty(&self, node: usize) -> u32 {
        match &self.entries[node].node {
            BodyNode::Text(text) if !text.is_empty() => NEVER,
            BodyNode::Chars(_) | BodyNode::Octets(_) | BodyNode::Token(_) => NEVER,
            BodyNode::Leaf(leaf) if !self.leaves[*leaf as usize].may_be_empty => NEVER,
            BodyNode::Except(_) => 1,
            _ => self.needed_for_a_text(node),
        }
    }

    /// Those of the rules that reach no cycle of calls and no token; each comes after the rules that it calls.
    ///
    /// Linear in the grammar (Kahn 1962).
    pub(super) fn regular(&self, rules: &[u32]) -> Vec<u32> {
        let is_irregular = |node: &BodyNode| match node {
            BodyNode::Token(_) => true,
            BodyNode::Leaf(leaf) => !self.leaves[*leaf as usize].is_regular,
            _ => false,
        };
        let mut callers = vec![Vec::new(); self.rules.len()];
        let mut missing = vec![usize::MAX; self.rules.len()];
        let mut found = Vec::new();
        for &rule in rules {
            let production = &self.rules[rule as usize];
            if self.entries[production.nodes.clone()].iter().any(|entry| is_irregular(&entry.node)) {
                continue;
            }
            missing[rule as usize] = production.calls.len();
            self.called(rule).for_each(|call| callers[call as usize].push(rule));
            if production.calls.is_empty() {
                found.push(rule);
            }
        }
        let mut at = 0;
        while at < found.len() {
            for &caller in &callers[found[at] as usize] {
                missing[caller as usize] -= 1;
                if missing[caller as usize] == 0 {
                    found.push(caller);
                }
            }
            at += 1;
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::productions;
    use super::*;

    fn checked(rules: &[&str]) -> Result<Vec<String>, Flaw> {
        let productions = productions(rules);
        let reached = productions.check("A")?.unwrap();
        Ok(reached.into_iter().map(|rule| productions.name(rule).to_owned()).collect())
    }

    #[test]
    fn every_call_needs_a_rule_even_where_nothing_leads() {
        assert_eq!(checked(&["A=a", "B=bCD.."]), Err(Flaw::Undefined("C".into(), 101)));
    }

    #[test]
    fn a_rule_without_texts_is_blamed_with_those_that_it_cannot_do_without() {
        let flaw = |name: &str, in_cycle, is_grammar| Err(Flaw::Textless(name.into(), in_cycle, is_grammar));
        assert_eq!(checked(&["A=B", "B=bC.", "C=cB."]), flaw("B", true, true));
        assert_eq!(checked(&["A=aB|", "B=bB."]), flaw("B", true, false));
        assert_eq!(checked(&["A=aB|", "B=!"]), flaw("B", false, false));
        assert!(checked(&["A=aB?.", "B=bB?."]).is_ok());
        assert!(checked(&["A=a", "B=B"]).is_ok(), "nothing leads to it");
    }

    #[test]
    fn a_thousand_rules_are_decided_in_any_order() {
        let name = |number: u32| char::from_u32(0x4e00 + number).unwrap();
        let mut made = Productions::default();
        for number in 0..1_000 {
            match number {
                999 => made.add(BodyNode::Text("a".into()), 0),
                _ => made.call(&name(number + 1).to_string(), number),
            }
            made.define(&name(number).to_string(), "");
        }
        let root = name(0).to_string();
        assert_eq!(made.check(&root).unwrap().unwrap().len(), 1_000);
        assert_eq!((made.with_text().count(), made.nullable().count()), (1_000, 0));
        assert_eq!(made.regular(&made.check(&root).unwrap().unwrap())[0], 999, "called ones come first");
    }
}

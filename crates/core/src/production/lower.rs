//! Productions × Builder → the node of exactly the root's texts.
//!
//! Rules that call no rule in a cycle and name no token are regular. A small one becomes one regular node, which stands
//! wherever the rule is called; all others become rules of the engine, which keep their masks apart.
//!
//! In a recursive grammar, a name of any length, such as `[a-z]+`, stays a node of its own. No mask of a programming
//! language takes longer; in a larger regular node it would be computed again for every text that may follow the name.

use super::{BodyNode, Flaw, Productions};
use crate::builder::Builder;
use crate::error::Error;
use crate::regular::term::{TermId, EPSILON};

/// The most leaves of a concatenation that becomes one regular node. The parts of a longer one stay apart: each has its
/// own masks.
const SMALL: u32 = 64;

/// How many ASCII characters the class of a name has. Classes of decimal and hexadecimal digits have fewer, those of
/// strings and comments have more.
const NAME_CHARS: std::ops::RangeInclusive<u32> = 20..=66;

/// All bytes.
const ANY_BYTE: [(u8, u8); 1] = [(0, 255)];

/// A node of the builder, and the facts that decide how its parent is lowered.
#[derive(Clone, Copy)]
struct Lowered {
    node: TermId,
    /// Leaves of a regular node that a larger one may include; None for a node that stays apart.
    size: Option<u32>,
    /// Leaves if names may be included, too; None if the node stays apart for another reason.
    joined: Option<u32>,
    /// Whether a text may begin with a name.
    begins_with_name: bool,
    /// The ASCII characters among the texts, if each text is one character and no call is involved.
    char: Option<u128>,
    /// Whether the node is a name of any length, perhaps behind single characters (`[A-Z][a-z]*`), and no call.
    is_name: bool,
    /// Whether the node is a repetition of at least 0 rounds, and no call.
    is_optional: bool,
}

impl Lowered {
    fn new(node: TermId, size: Option<u32>) -> Self {
        Lowered { node, size, joined: size, begins_with_name: false, char: None, is_name: false, is_optional: false }
    }

    /// The facts at a call of the rule, which hide how its body is written.
    fn called(self) -> Self {
        Lowered { char: None, is_name: false, is_optional: false, ..self }
    }
}

/// Bodies → nodes. A regular node has at most `small` leaves; with `u32::MAX`, only the regular rules are lowered.
struct Lowering<'a> {
    productions: &'a Productions,
    small: u32,
    has_names: bool,
    /// Indexed by rule; None for a rule that is not lowered yet, or not regular.
    rules: Vec<Option<Lowered>>,
    /// Indexed by node; filled while the body of the node is lowered.
    nodes: Vec<Option<Lowered>>,
    reached: &'a [u32],
    /// The regular rules as one regular node each, however large: the operands of `Except`, `Both` and so on.
    joined: Option<Box<Lowering<'a>>>,
}

impl Productions {
    /// The node of the root; `reached` is the answer of `check` for it. Errors: an operator whose operands are not
    /// regular or that leaves no text, and the builder's errors.
    pub fn lower(&self, builder: &mut Builder, reached: &[u32]) -> Result<TermId, Flaw> {
        let mut lowering = Lowering::new(self, reached, SMALL);
        lowering.regular(builder)?;
        let node = lowering.whole(builder)?;
        let may_be_empty = |node: &BodyNode| {
            matches!(node, BodyNode::Both(_) | BodyNode::Complement(_) | BodyNode::Shortest(_) | BodyNode::Leaf(_))
        };
        let nodes = |&rule: &u32| &self.entries[self.rules[rule as usize].nodes.clone()];
        if reached.iter().flat_map(nodes).any(|entry| may_be_empty(&entry.node)) && builder.is_empty(node.number())? {
            for &rule in reached.iter().rev() {
                let is_empty = lowering.rules[rule as usize].map(|made| builder.is_empty(made.node.number()));
                if is_empty.transpose()? == Some(true) {
                    return Err(Flaw::Excluded(self.name(rule).to_owned()));
                }
            }
        }
        Ok(node)
    }
}

impl<'a> Lowering<'a> {
    fn new(productions: &'a Productions, reached: &'a [u32], small: u32) -> Self {
        let rules = vec![None; productions.rules.len()];
        let nodes = vec![None; productions.entries.len()];
        Lowering { productions, small, has_names: false, rules, nodes, reached, joined: None }
    }

    /// Lowers the regular rules.
    fn regular(&mut self, builder: &mut Builder) -> Result<(), Flaw> {
        let regular = self.productions.regular(self.reached);
        self.has_names = self.small == SMALL && regular.len() < self.reached.len();
        for rule in regular {
            let production = &self.productions.rules[rule as usize];
            let mut made = self.body(builder, production.nodes.clone())?;
            if made.size.is_none() {
                let call = builder.rule(&production.title)?;
                builder.define(call.number(), made.node.number())?;
                made.node = call;
            }
            self.rules[rule as usize] = Some(made.called());
        }
        Ok(())
    }

    /// The node of the root, after those of all rules.
    fn whole(&mut self, builder: &mut Builder) -> Result<TermId, Flaw> {
        let structural: Vec<u32> =
            self.reached.iter().copied().filter(|&rule| self.rules[rule as usize].is_none()).collect();
        for &rule in &structural {
            let call = builder.rule(&self.productions.rules[rule as usize].title)?;
            self.rules[rule as usize] = Some(Lowered::new(call, None));
        }
        for &rule in &structural {
            let nodes = self.productions.rules[rule as usize].nodes.clone();
            let body = self.body(builder, nodes)?.node;
            if let Some(made) = self.rules[rule as usize] {
                builder.define(made.node.number(), body.number())?;
            }
        }
        self.rules[self.reached[0] as usize].map(|root| root.node).ok_or_else(unknown)
    }

    /// The node of a body, or of another subtree.
    fn body(&mut self, builder: &mut Builder, nodes: std::ops::Range<usize>) -> Result<Lowered, Flaw> {
        let body = nodes.end - 1;
        for node in nodes {
            let made = self.node(builder, node)?;
            self.nodes[node] = Some(made);
        }
        self.nodes[body].ok_or_else(unknown)
    }

    fn node(&mut self, builder: &mut Builder, at: usize) -> Result<Lowered, Flaw> {
        let mut below: Vec<(usize, Lowered)> = Vec::new();
        for child in self.productions.below(at) {
            below.push((child, self.nodes[child].ok_or_else(unknown)?));
        }
        below.reverse();
        let parts: Vec<Lowered> = below.iter().map(|&(_, part)| part).collect();
        let nodes: Vec<u32> = parts.iter().map(|part| part.node.number()).collect();
        let (size, joined) = (self.sum(&parts, |part| part.size), self.sum(&parts, |part| part.joined));
        let begins_with_name = parts.iter().any(|part| part.begins_with_name);
        Ok(match &self.productions.entries[at].node {
            BodyNode::Text(text) => {
                let mut chars = text.chars();
                let char =
                    chars.next().filter(|_| chars.next().is_none()).map(|char| ascii(&[(char as u32, char as u32)]));
                Lowered { char, ..Lowered::new(builder.literal(text.as_bytes())?, Some(1)) }
            }
            BodyNode::Chars(ranges) => {
                Lowered { char: Some(ascii(ranges)), ..Lowered::new(builder.char_class(ranges)?, Some(1)) }
            }
            BodyNode::Octets(ranges) => Lowered::new(builder.byte_class(ranges)?, Some(1)),
            BodyNode::Token(name) => Lowered::new(builder.special(name)?, None),
            BodyNode::Call(name, _) => {
                let rule = self.productions.defined[*name as usize].and_then(|rule| self.rules[rule as usize]);
                rule.ok_or_else(unknown)?
            }
            BodyNode::Leaf(leaf) => {
                let leaf = &self.productions.leaves[*leaf as usize];
                let is_apart = self.has_names && leaf.ends_in_name;
                Lowered {
                    size: (leaf.is_regular && !is_apart).then_some(1),
                    begins_with_name: is_apart,
                    ..Lowered::new(leaf.node.ok_or_else(unknown)?, leaf.is_regular.then_some(1))
                }
            }
            BodyNode::Seq => {
                let is_name = match parts.split_last() {
                    Some((last, before)) => last.is_name && before.iter().all(|part| part.char.is_some()),
                    None => false,
                };
                let is_whole_name = size.is_none() && joined.is_some() && is_name;
                // If the first parts are optional, a text may also begin with the part behind them.
                let solid = parts.iter().position(|part| !part.is_optional).unwrap_or(parts.len());
                let begins_with_name = is_whole_name || parts.iter().take(solid + 1).any(|part| part.begins_with_name);
                let node = if is_whole_name || size.is_some() { builder.cat(&nodes) } else { builder.seq(&nodes) };
                Lowered { joined, begins_with_name, is_name, ..Lowered::new(node?, size) }
            }
            BodyNode::Alt => {
                let char = parts.iter().try_fold(0, |all, part| Some(all | part.char?));
                Lowered { joined, begins_with_name, char, ..Lowered::new(builder.alt(&nodes)?, size) }
            }
            &BodyNode::Repeat(low, high) => {
                let [(child, item)] = below[..] else { return Err(unknown()) };
                let is_class = item.char.is_some_and(|chars| NAME_CHARS.contains(&chars.count_ones()));
                let is_name = high.is_none() && is_class;
                let (mut item, mut made) = (item.node, Lowered::new(item.node, size));
                (made.joined, made.begins_with_name) = (joined, begins_with_name);
                if begins_with_name && joined.is_some() && high != Some(1) {
                    // A loop whose rounds may begin with a name becomes one regular node with masks of its own.
                    item = self.join(builder, child)?.ok_or_else(unknown)?.node;
                    made.size = joined;
                } else if self.has_names && size.is_some() && is_name {
                    (made.size, made.begins_with_name) = (None, true);
                }
                made.node = builder.repeat(item.number(), low, high)?;
                Lowered { is_name, is_optional: low == 0, ..made }
            }
            &BodyNode::Except(place) => self.except(builder, &below, place)?,
            &BodyNode::Both(at) => {
                let is_apart = parts.iter().any(|part| part.size.is_none());
                let (sides, total) = self.sides(builder, &below, at)?;
                let size = (!is_apart).then_some(total);
                let made = Lowered::new(builder.and(&sides)?, size);
                Lowered { joined: Some(total), begins_with_name: is_apart, ..made }
            }
            &BodyNode::Complement(at) => {
                let (sides, size) = self.sides(builder, &below, at)?;
                Lowered::new(builder.not(sides[0])?, Some(size))
            }
            &BodyNode::Shortest(at) => {
                let (sides, size) = self.sides(builder, &below, at)?;
                let byte = builder.byte_class(&ANY_BYTE)?;
                let more = builder.repeat(byte.number(), 1, None)?;
                let longer = builder.cat(&[sides[0], more.number()])?;
                let others = builder.not(longer.number())?;
                Lowered::new(builder.and(&[sides[0], others.number()])?, Some(size))
            }
        })
    }

    /// The number of leaves of a regular node made of these parts; None if they stay apart.
    fn sum(&self, parts: &[Lowered], size: impl Fn(&Lowered) -> Option<u32>) -> Option<u32> {
        let total = parts.iter().try_fold(0u32, |total, part| Some(total.saturating_add(size(part)?)))?;
        (total <= self.small).then_some(total)
    }

    /// The regular node of a subtree; None if it calls a rule that is not regular.
    fn join(&mut self, builder: &mut Builder, node: usize) -> Result<Option<Lowered>, Flaw> {
        let productions = self.productions;
        let joined = match &mut self.joined {
            Some(joined) => joined,
            None => {
                let mut joined = Box::new(Lowering::new(productions, self.reached, u32::MAX));
                joined.regular(builder)?;
                self.joined.insert(joined)
            }
        };
        let subtree = productions.subtree(node);
        let is_unknown = |node: &BodyNode| match node {
            BodyNode::Call(name, _) => {
                productions.defined[*name as usize].is_none_or(|rule| joined.rules[rule as usize].is_none())
            }
            _ => false,
        };
        if productions.entries[subtree.clone()].iter().any(|entry| is_unknown(&entry.node)) {
            return Ok(None);
        }
        joined.body(builder, subtree).map(Some)
    }

    /// The operands of an operator, each as one regular node if its language is regular.
    fn joined_sides(&mut self, builder: &mut Builder, below: &[(usize, Lowered)]) -> Result<Vec<Lowered>, Flaw> {
        let is_apart = below.iter().any(|(_, part)| part.size.is_none());
        below
            .iter()
            .map(|&(node, part)| match is_apart && self.small == SMALL {
                true => Ok(self.join(builder, node)?.unwrap_or(Lowered::new(EPSILON, None))),
                false => Ok(part),
            })
            .collect()
    }

    /// The regular nodes of an operator's operands, and how many leaves they have together.
    fn sides(&mut self, builder: &mut Builder, below: &[(usize, Lowered)], at: u32) -> Result<(Vec<u32>, u32), Flaw> {
        let sides = self.joined_sides(builder, below)?;
        let size = sides.iter().try_fold(0u32, |total, side| Some(total.saturating_add(side.size?)));
        Ok((sides.iter().map(|side| side.node.number()).collect(), size.ok_or(Flaw::Irregular(at))?))
    }

    fn except(&mut self, builder: &mut Builder, below: &[(usize, Lowered)], at: u32) -> Result<Lowered, Flaw> {
        let sides = self.joined_sides(builder, below)?;
        let [(item, _), (excluded, _)] = below[..] else { return Err(unknown()) };
        let is_empty_text = |node: usize| {
            let entry = &self.productions.entries[node];
            matches!(entry.node, BodyNode::Seq) && entry.below == 0
        };
        let productions = self.productions;
        if sides[0].size.is_none() && is_empty_text(excluded) {
            let nullable = productions.derive(self.reached, |node| productions.needed_to_be_empty(node));
            if !nullable.nodes[item] {
                // The item has no empty text, so nothing is excluded.
                return Ok(self.nodes[item].ok_or_else(unknown)?.called());
            }
        }
        let (Some(size), Some(other)) = (sides[0].size, sides[1].size) else {
            return Err(Flaw::IrregularException(at));
        };
        let others = builder.not(sides[1].node.number())?;
        let difference = builder.and(&[sides[0].node.number(), others.number()])?;
        if builder.is_empty(difference.number())? {
            return Err(Flaw::EmptyException(at));
        }
        Ok(Lowered::new(difference, Some(size.saturating_add(other))))
    }
}

/// The characters of ASCII in some ranges.
fn ascii(ranges: &[(u32, u32)]) -> u128 {
    let up_to = |high: u32| if high >= 127 { u128::MAX } else { (1 << (high + 1)) - 1 };
    let below = |low: u32| if low == 0 { 0 } else { up_to(low - 1) };
    ranges.iter().filter(|(low, _)| *low < 128).fold(0, |all, &(low, high)| all | (up_to(high) & !below(low)))
}

/// A reader of a notation lowered rules that `check` has not seen, or gave no node for a leaf.
fn unknown() -> Flaw {
    Flaw::Engine(Box::new(Error::Misuse("the productions were not checked, or a leaf has no node".into())))
}

#[cfg(test)]
mod tests {
    use super::super::tests::productions;
    use super::*;
    use crate::automaton::recognizer::Recognizer;
    use crate::grammar::grammar::Grammar;
    use std::sync::Arc;

    fn grammar(rules: &[&str]) -> Result<Arc<Grammar>, Flaw> {
        let (made, mut builder) = (productions(rules), Builder::default());
        let node = made.lower(&mut builder, &made.check("A")?.unwrap())?;
        Ok(builder.build(node.number())?)
    }

    /// Which of the texts are the grammar's.
    fn accepted<'a>(rules: &[&str], texts: &[&'a str]) -> Vec<&'a str> {
        let recognizer = Recognizer::new(grammar(rules).unwrap());
        texts.iter().copied().filter(|text| recognizer.accepts(text.as_bytes(), None).unwrap()).collect()
    }

    #[test]
    fn what_is_not_exact_is_a_flaw_with_its_place() {
        assert_eq!(grammar(&["A=aA.b|", "B=b"]).err(), None);
        assert_eq!(grammar(&["A=BB~|", "B=aB.b|"]).err(), Some(Flaw::Irregular(2)));
        assert_eq!(grammar(&["A=Bb-", "B=aB.b|"]).err(), Some(Flaw::IrregularException(2)));
        assert_eq!(grammar(&["A=aa-"]).err(), Some(Flaw::EmptyException(2)));
        assert_eq!(grammar(&["A=ab&"]).err(), Some(Flaw::Excluded("A".into())));
        assert_eq!(accepted(&["A=B0-", "B=aB.b|"], &["", "b", "ab"]), ["b", "ab"], "the empty text is none of its");
    }

    #[test]
    fn groups_may_nest_however_deep() {
        let deep = format!("A=a{}", "?".repeat(100_000));
        assert_eq!(accepted(&[&deep], &["", "a", "aa"]), ["", "a"]);
    }

    #[test]
    fn a_leaf_without_a_node_is_misuse() {
        let (mut made, mut builder) = (Productions::default(), Builder::default());
        made.leaf(super::super::Leaf { is_regular: true, may_be_empty: false, ends_in_name: false, node: None });
        made.define("A", "A");
        let reached = made.check("A").unwrap().unwrap();
        assert!(matches!(made.lower(&mut builder, &reached), Err(Flaw::Engine(_))));
        let text = builder.literal(b"a").unwrap();
        assert!(made.give(0, text, false) && !made.give(1, text, false));
        assert_eq!(made.lower(&mut builder, &reached), Ok(text));
    }
}

//! Nodes of a trie → one trie of the subtries below them, with all of their tokens or with some.
//!
//! One walk of the merged trie serves all nodes.

use crate::storage::hash::Hasher128;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::trie::{Node, Trie};

/// Children from which a counting sort is faster than a comparison sort. Chosen without measurement.
const COUNTING_SORT_FROM: usize = 64;

impl Trie {
    /// The subtrees of several nodes, merged: one walk then serves all of them. Tokens at the nodes are left out.
    pub fn merge(&self, nodes: &[NodeId]) -> Trie {
        let mut merged = Trie::default();
        self.merge_into(nodes, 0, &mut merged);
        merged.list_children();
        merged
    }

    /// `merge`, of some tokens only: for each node the places of these tokens below it, ascending (`places_below`).
    pub fn merge_some(&self, nodes: &[(NodeId, &[u32])]) -> Trie {
        let mut merged = Trie::default();
        self.merge_some_into(nodes.iter().copied(), 0, &mut merged);
        merged.list_children();
        merged
    }

    /// Appends the merged subtrees to another trie, each with some of its tokens.
    fn merge_some_into<'a>(&self, nodes: impl Iterator<Item = (NodeId, &'a [u32])>, byte: u8, merged: &mut Trie) {
        let here = merged.push_node(byte);
        let (mut tokens, mut below) = (Vec::new(), Vec::new());
        for (node, places) in nodes {
            let split = |places: &'a [u32], end: NodeId| {
                let end = self.tokens_before(end) as u32;
                places.split_at(places.iter().take_while(|&&place| place < end).count())
            };
            let (at, mut rest) = split(places, node.next());
            tokens.extend(at.iter().map(|&place| self.tokens[place as usize]));
            let children = &self.child_nodes[self.child_range(node)];
            while let [place, ..] = *rest {
                let child =
                    children[children.partition_point(|&child| self.tokens_before(self.end(child)) <= place as usize)];
                let own;
                (own, rest) = split(rest, self.end(child));
                below.push((self.byte(child), child, own));
            }
        }
        // A merged trie has a token at each of its suffixes. Merged again, two of these may meet here.
        tokens.sort_unstable();
        tokens.dedup();
        merged.tokens.append(&mut tokens);
        below.sort_unstable_by_key(|&(byte, child, _)| (byte, child));
        for group in below.chunk_by(|a, b| a.0 == b.0) {
            let nodes = group.iter().map(|&(_, child, places)| (child, places));
            self.merge_some_into(nodes.collect::<Vec<_>>().into_iter(), group[0].0, merged);
        }
        merged.nodes[here.index()].end = NodeId::at(merged.nodes.len());
    }

    /// The places, among all tokens in the order of nodes, of those tokens below ascending nodes that have a property.
    pub fn places_below(&self, nodes: &[NodeId], has: impl Fn(u32) -> bool) -> Vec<u32> {
        let (mut places, mut end) = (Vec::new(), NodeId::ROOT);
        for &node in nodes.iter() {
            if node >= end {
                end = self.end(node);
                let below = self.tokens_before(node.next())..self.tokens_before(end);
                places.extend(below.filter(|&place| has(self.tokens[place])).map(|place| place as u32));
            }
        }
        places
    }

    /// A hash of all nodes and tokens.
    pub fn content_hash(&self) -> u128 {
        let mut hash = Hasher128::new(self.nodes.len() as u64);
        for node in &self.nodes {
            hash.word(u64::from(node.end.number()) << 8 | u64::from(node.byte));
            hash.word(node.first.into());
        }
        self.tokens.iter().for_each(|&token| hash.word(token.into()));
        hash.finish()
    }

    /// Appends the merged subtrees to another trie.
    fn merge_into(&self, nodes: &[NodeId], byte: u8, merged: &mut Trie) {
        let here = merged.push_node(byte);
        if here != NodeId::ROOT {
            nodes.iter().for_each(|&node| merged.tokens.extend_from_slice(self.tokens_at(node)));
        }
        let children = self.children_of(nodes);
        for group in children.chunk_by(|a, b| a.0 == b.0) {
            if let [(_, child)] = *group {
                self.copy_into(child, merged);
            } else {
                let nodes: Vec<NodeId> = group.iter().map(|&(_, child)| child).collect();
                self.merge_into(&nodes, group[0].0, merged);
            }
        }
        merged.nodes[here.index()].end = NodeId::at(merged.nodes.len());
    }

    /// (byte, node) of all children of several nodes, sorted.
    fn children_of(&self, nodes: &[NodeId]) -> Vec<(u8, NodeId)> {
        let count = nodes.iter().map(|&node| self.child_range(node).len()).sum();
        let children = || nodes.iter().flat_map(|&node| self.children(node));
        if count < COUNTING_SORT_FROM {
            let mut children: Vec<(u8, NodeId)> = children().collect();
            children.sort_unstable();
            return children;
        }
        let mut places = [0; 257];
        children().for_each(|(byte, _)| places[usize::from(byte) + 1] += 1);
        (0..256).for_each(|byte| places[byte + 1] += places[byte]);
        let mut sorted = vec![(0, NodeId::ROOT); count];
        for (byte, child) in children() {
            let place = &mut places[usize::from(byte)];
            sorted[*place] = (byte, child);
            *place += 1;
        }
        sorted
    }

    /// Appends a subtree to another trie.
    fn copy_into(&self, node: NodeId, merged: &mut Trie) {
        let (tokens, count) = (merged.tokens.len() as u32, merged.nodes.len());
        let from = self.node(node).first;
        let nodes = &self.nodes[node.index()..self.end(node).index()];
        merged.nodes.extend(nodes.iter().map(|other| Node {
            end: NodeId::at(other.end.index() - node.index() + count),
            first: other.first - from + tokens,
            ..*other
        }));
        merged.tokens.extend_from_slice(self.tokens_between(from as usize, self.tokens_before(self.end(node))));
    }

    /// Lists the children of a merged trie.
    fn list_children(&mut self) {
        let count = self.nodes.len();
        self.push_node(0);
        self.child_bytes.reserve_exact(count);
        self.child_nodes.reserve_exact(count);
        for node in (0..count).map(NodeId::at) {
            self.nodes[node.index()].child_from = self.child_bytes.len() as u32;
            let mut child = node.next();
            while child < self.end(node) {
                self.child_bytes.push(self.byte(child));
                self.child_nodes.push(child);
                child = self.end(child);
            }
        }
        self.nodes[count].child_from = self.child_bytes.len() as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [&[u8]; 9] = [b"a", b"ab", b"abc", b"abd", b"ax", b"b", b"bb", b"bbc", b"c"];

    fn trie() -> Trie {
        Trie::new(0..TEXTS.len() as u32, |id| TEXTS[id as usize])
    }

    /// The tokens of a trie, each with a text that leads to it, in the order of the texts.
    fn paths(trie: &Trie) -> Vec<(String, u32)> {
        let nodes = (1..trie.len()).map(NodeId::at);
        let at =
            |node| trie.tokens_at(node).iter().map(move |&token| (String::from_utf8(trie.path(node)).unwrap(), token));
        nodes.flat_map(at).collect()
    }

    /// The nodes of some texts, each with the places of its tokens below that have a property.
    fn merged(trie: &Trie, texts: &[&[u8]], has: impl Fn(u32) -> bool) -> Trie {
        let nodes: Vec<NodeId> = texts.iter().map(|text| trie.find(NodeId::ROOT, text).unwrap()).collect();
        let places: Vec<Vec<u32>> = nodes.iter().map(|&node| trie.places_below(&[node], &has)).collect();
        let nodes: Vec<_> = nodes.iter().zip(&places).map(|(&node, places)| (node, &places[..])).collect();
        trie.merge_some(&nodes)
    }

    #[test]
    fn places_are_those_of_tokens_below_and_each_is_named_once() {
        let trie = trie();
        let [a, ab, b] = [&b"a"[..], b"ab", b"b"].map(|text| trie.find(NodeId::ROOT, text).unwrap());
        assert_eq!(trie.places_below(&[a, ab, b], |_| true), [1, 2, 3, 4, 6, 7], "those of ab are below a");
        assert_eq!(trie.places_below(&[a, b], |token| TEXTS[token as usize].len() == 3), [2, 3, 7]);
        assert!(trie.places_below(&[], |_| true).is_empty());
    }

    #[test]
    fn a_merged_trie_of_all_tokens_is_the_same_both_ways() {
        let trie = trie();
        let nodes = [&b"a"[..], b"ab", b"b", b"bb"];
        let all = trie.merge(&nodes.map(|text| trie.find(NodeId::ROOT, text).unwrap()));
        let some = merged(&trie, &nodes, |_| true);
        assert_eq!((all.content_hash(), all.len()), (some.content_hash(), some.len()));
        let found = paths(&some);
        let text = |token: u32| std::str::from_utf8(TEXTS[token as usize]).unwrap();
        assert!(found.iter().all(|(path, token)| text(*token).ends_with(path)), "{found:?}");
        assert_eq!(found.len(), 4 + 2 + 2 + 1, "below a, ab, b and bb");
    }

    #[test]
    fn tokens_left_out_leave_no_nodes() {
        let trie = trie();
        let of = |texts: &[&[u8]], kept: &[u32]| paths(&merged(&trie, texts, |token| kept.contains(&token)));
        assert_eq!(of(&[b"a", b"bb"], &[2, 7]), [("bc".to_owned(), 2), ("c".to_owned(), 7)]);
        assert_eq!(merged(&trie, &[b"a"], |token| token == 2).len(), 3, "the root, b and bc");
        assert_eq!(of(&[b"ab", b"bb"], &[2, 7]), [("c".to_owned(), 2), ("c".to_owned(), 7)]);
        assert_eq!(of(&[b"a"], &[0]), [], "a token at the node is not below it");
    }

    #[test]
    fn tries_are_known_by_their_nodes_and_tokens() {
        let trie = trie();
        let hash = |texts: &[&[u8]], kept: &[u32]| merged(&trie, texts, |token| kept.contains(&token)).content_hash();
        let all =
            [hash(&[b"a"], &[]), hash(&[b"a"], &[1]), hash(&[b"a"], &[2]), hash(&[b"ab"], &[2]), hash(&[b"bb"], &[7])];
        for (at, one) in all.iter().enumerate() {
            assert!(!all[..at].contains(one), "{at}");
        }
        assert_eq!(hash(&[b"a"], &[1]), all[1]);
    }
}

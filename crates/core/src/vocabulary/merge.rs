//! Nodes of a trie → one trie of the subtries below them, with some of their tokens.
//!
//! One walk of the merged trie serves all nodes.

use crate::storage::hash::Hasher128;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::trie::Trie;

impl Trie {
    /// The subtries below several nodes, merged, with some of their tokens: for each node the places of these tokens below
    /// it, ascending (`places_below`).
    pub fn merge(&self, nodes: &[(NodeId, &[u32])]) -> Trie {
        let mut merged = Trie::default();
        self.merge_into(nodes.iter().copied(), 0, &mut merged);
        merged.list_children();
        merged
    }

    /// Appends the merged subtrees to another trie, each with some of its tokens.
    fn merge_into<'a>(&self, nodes: impl Iterator<Item = (NodeId, &'a [u32])>, byte: u8, merged: &mut Trie) {
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
            self.merge_into(nodes.collect::<Vec<_>>().into_iter(), group[0].0, merged);
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
        trie.merge(&nodes)
    }

    #[test]
    fn a_merged_trie_has_the_rests_of_all_tokens_below_its_nodes() {
        let trie = trie();
        let nodes = [&b"a"[..], b"ab", b"b", b"bb"];
        let found = paths(&merged(&trie, &nodes, |_| true));
        let text = |token: u32| std::str::from_utf8(TEXTS[token as usize]).unwrap();
        assert!(found.iter().all(|(path, token)| text(*token).ends_with(path)), "{found:?}");
        assert_eq!(found.len(), 4 + 2 + 2 + 1, "below a, ab, b and bb");
    }
}

//! Token texts → a trie, flat and in depth-first order: the descendants of a node are the nodes after it up to `end`.
//!
//! A walk reads nodes and tokens in the order of memory, and the tokens below a node are one slice.

use crate::bytes::byteset::ByteSet;
use crate::vocabulary::id::NodeId;
use crate::vocabulary::sort_key::SortKey;

/// A trie of tokens; node 0 is the root.
#[derive(Default)]
pub struct Trie {
    /// All nodes and a sentinel.
    pub(super) nodes: Vec<Node>,
    /// Tokens in the order of the nodes that they end at.
    pub(super) tokens: Vec<u32>,
    /// The bytes below each node: bit n for ASCII byte n, bit 0 for byte 0 and all others. Empty in merged tries.
    below: Vec<u128>,
    /// The bytes of all children, grouped by parent.
    pub(super) child_bytes: Vec<u8>,
    /// The nodes of all children, in the order of `child_bytes`.
    pub(super) child_nodes: Vec<NodeId>,
}

/// The fields that a walk reads together, so that they share a cache line.
#[derive(Clone, Copy)]
pub(super) struct Node {
    /// One past the last node of the subtree.
    pub end: NodeId,
    /// Index in `tokens` of the first token that ends here; the next node's is one past the last.
    pub first: u32,
    /// Index in `child_bytes` of the first child; the next node's is one past the last.
    pub child_from: u32,
    /// The byte that leads to the node from its parent.
    pub byte: u8,
}

impl Trie {
    /// A trie of the texts under these ids.
    pub fn new<'a>(ids: impl Iterator<Item = u32>, text: impl Fn(u32) -> &'a [u8]) -> Self {
        let keys = SortKey::sorted(ids, &text);
        // Each text with the length of the prefix that it shares with its predecessor.
        let shares = || {
            let shared = keys.windows(2).map(|pair| pair[1].common_prefix(pair[0], &text));
            keys.iter().copied().zip(std::iter::once(0).chain(shared))
        };
        let count = 1 + shares().map(|(key, shared)| key.length(&text) - shared).sum::<usize>();
        let mut trie = Trie::default();
        // Exact capacity: a doubled vector would waste up to half of its memory.
        trie.nodes.reserve_exact(count + 1);
        trie.tokens.reserve_exact(keys.len());
        // Each node's parent and its index among the siblings.
        let mut places: Vec<(NodeId, u8)> = Vec::with_capacity(count);
        let mut path: Vec<NodeId> = vec![trie.push_node(0)];
        places.push((NodeId::ROOT, 0));
        for (key, shared) in shares() {
            path.truncate(shared + 1);
            let begin = key.begin();
            let text = if key.is_whole() { &begin[..key.length_up_to_255()] } else { text(key.id()) };
            let mut parent = path[shared];
            for &byte in &text[shared..] {
                let siblings = &mut trie.nodes[parent.index()].child_from;
                places.push((parent, *siblings as u8));
                *siblings += 1;
                parent = trie.push_node(byte);
                path.push(parent);
            }
            trie.tokens.push(key.id());
        }
        trie.finish(&places);
        trie
    }

    /// Completes the nodes and lists the children; `places` has each node's parent and its index among the siblings.
    ///
    /// Sequential passes over the nodes are faster than updates along the path of each text.
    fn finish(&mut self, places: &[(NodeId, u8)]) {
        let count = self.nodes.len();
        self.push_node(0);
        let mut children = 0;
        for node in &mut self.nodes {
            children += std::mem::replace(&mut node.child_from, children);
        }
        self.below = vec![0; count];
        self.child_bytes = vec![0; count - 1];
        self.child_nodes = vec![NodeId::ROOT; count - 1];
        for (node, &(parent, sibling)) in places.iter().enumerate().skip(1).rev() {
            let Node { end, byte, .. } = self.nodes[node];
            let end = end.max(NodeId::at(node + 1));
            self.nodes[node].end = end;
            let parent = parent.index();
            let above = &mut self.nodes[parent];
            above.end = above.end.max(end);
            let place = above.child_from as usize + usize::from(sibling);
            self.child_bytes[place] = byte;
            self.child_nodes[place] = NodeId::at(node);
            self.below[parent] |= self.below[node] | if byte < 0x80 { 1 << byte } else { 1 };
        }
        self.nodes[0].end = NodeId::at(count);
    }

    /// Appends a node and returns its index.
    pub(super) fn push_node(&mut self, byte: u8) -> NodeId {
        self.nodes.push(Node { end: NodeId::ROOT, first: self.tokens.len() as u32, child_from: 0, byte });
        NodeId::at(self.nodes.len() - 1)
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len().saturating_sub(1)
    }

    /// Whether there are no nodes, not even a root.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.index()]
    }

    /// One past the last node of the subtree.
    pub fn end(&self, node: NodeId) -> NodeId {
        self.node(node).end
    }

    /// The nodes of the subtree, the node itself included.
    pub fn size(&self, node: NodeId) -> u32 {
        self.end(node).number() - node.number()
    }

    /// Whether the node has children.
    pub fn has_children(&self, node: NodeId) -> bool {
        self.end(node) > node.next()
    }

    /// The byte that leads to a node from its parent; 0 for the root.
    pub fn byte(&self, node: NodeId) -> u8 {
        self.node(node).byte
    }

    /// The range of the node's children, for `child_at`.
    pub fn child_range(&self, node: NodeId) -> std::ops::Range<usize> {
        self.node(node).child_from as usize..self.node(node.next()).child_from as usize
    }

    /// (byte, node) of the child at an index.
    pub fn child_at(&self, place: usize) -> (u8, NodeId) {
        (self.child_bytes[place], self.child_nodes[place])
    }

    /// The index of the first of some children whose subtree has the token of a place, or a later one.
    pub(crate) fn child_reaching(&self, children: std::ops::Range<usize>, place: usize) -> usize {
        let is_before = |&child: &NodeId| self.tokens_before(self.end(child)) <= place;
        let (from, nodes) = (children.start, &self.child_nodes[children]);
        // Where many places are asked for, it is mostly the first one.
        from + if nodes.first().is_some_and(is_before) { nodes.partition_point(is_before) } else { 0 }
    }

    /// (byte, node) of every child, by byte.
    pub fn children(&self, node: NodeId) -> impl Iterator<Item = (u8, NodeId)> + '_ {
        let child_range = self.child_range(node);
        self.child_bytes[child_range.clone()].iter().copied().zip(self.child_nodes[child_range].iter().copied())
    }

    /// (byte, node) of the children whose byte is in the set.
    pub fn children_in<'a>(&'a self, node: NodeId, bytes: &'a ByteSet) -> impl Iterator<Item = (u8, NodeId)> + 'a {
        // Most heads accept a single byte, so a binary search replaces the scan.
        let child_range = match bytes.single() {
            Some(byte) => self.child_index(node, byte).map_or(0..0, |place| place..place + 1),
            None => self.child_range(node),
        };
        let children =
            self.child_bytes[child_range.clone()].iter().copied().zip(self.child_nodes[child_range].iter().copied());
        children.filter(|&(byte, _)| bytes.contains(byte))
    }

    /// Whether some child's byte is in the set.
    pub fn has_child_in(&self, node: NodeId, bytes: &ByteSet) -> bool {
        self.child_bytes[self.child_range(node)].iter().any(|&byte| bytes.contains(byte))
    }

    /// The index of the child that a byte leads to.
    fn child_index(&self, node: NodeId, byte: u8) -> Option<usize> {
        let child_range = self.child_range(node);
        let place = self.child_bytes[child_range.clone()].binary_search(&byte).ok()?;
        Some(child_range.start + place)
    }

    /// The node that a byte leads to.
    pub fn child(&self, node: NodeId, byte: u8) -> Option<NodeId> {
        let only = self.node(node.next());
        if only.end == self.end(node) {
            return (only.byte == byte).then_some(node.next());
        }
        self.child_index(node, byte).map(|place| self.child_nodes[place])
    }

    /// The bytes from the root to a node.
    pub fn path(&self, node: NodeId) -> Vec<u8> {
        let (mut path, mut at) = (Vec::new(), NodeId::ROOT);
        while at != node {
            let children = &self.child_nodes[self.child_range(at)];
            at = children[children.partition_point(|&child| child <= node) - 1];
            path.push(self.byte(at));
        }
        path
    }

    /// The node that a text leads to.
    pub fn find(&self, node: NodeId, text: &[u8]) -> Option<NodeId> {
        text.iter().try_fold(node, |node, &byte| self.child(node, byte))
    }

    /// The last node on the way of a text from the root at which a token ends (the root: none), and the node after the
    /// whole text.
    pub fn follow(&self, text: &[u8]) -> (NodeId, Option<NodeId>) {
        let (mut node, mut last) = (NodeId::ROOT, NodeId::ROOT);
        for &byte in text {
            let Some(child) = self.child(node, byte) else { return (last, None) };
            node = child;
            if !self.tokens_at(node).is_empty() {
                last = node;
            }
        }
        (last, Some(node))
    }

    /// The tokens that end at a node.
    pub fn tokens_at(&self, node: NodeId) -> &[u32] {
        &self.tokens[self.tokens_before(node)..self.tokens_before(node.next())]
    }

    /// Whether all bytes below a node are ASCII bytes of the class; false if that is unknown.
    pub fn is_made_of(&self, node: NodeId, class: u128) -> bool {
        self.below.get(node.index()).is_some_and(|below| below & !(class & !1) == 0)
    }

    /// Whether a byte of the set can occur below a node; true if that is unknown.
    pub fn can_hold(&self, node: NodeId, bytes: &ByteSet) -> bool {
        self.below.get(node.index()).is_none_or(|&below| {
            let [low, high, others @ ..] = bytes.0;
            let others = others != [0, 0] || low & 1 != 0;
            below & (u128::from(low & !1 | u64::from(others)) | u128::from(high) << 64) != 0
        })
    }

    /// The number of tokens that end at earlier nodes.
    pub fn tokens_before(&self, node: NodeId) -> usize {
        self.node(node).first as usize
    }

    /// A range of tokens in node order, as counted by `tokens_before`.
    pub fn tokens_between(&self, from: usize, to: usize) -> &[u32] {
        &self.tokens[from..to]
    }

    /// The first token that ends at a node or below it.
    pub fn token_from(&self, node: NodeId) -> u32 {
        self.tokens[self.tokens_before(node)]
    }

    /// The number of nodes that each byte leads to.
    pub fn count_by_byte(&self) -> [u32; 256] {
        let mut counts = [0; 256];
        self.child_bytes.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        counts
    }

    /// The tokens that end below a node, without those that end at it.
    pub fn tokens_below(&self, node: NodeId) -> &[u32] {
        let from = self.tokens_before(node.next());
        let to = self.tokens_before(self.end(node));
        &self.tokens[from.min(to)..to]
    }

    /// Heap bytes.
    pub fn memory_bytes(&self) -> usize {
        self.nodes.len() * (size_of::<Node>() + 21) + self.tokens.len() * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_sorted_by_all_their_bytes() {
        let mut texts: Vec<Vec<u8>> =
            vec![b"a".to_vec(), b"a\0".to_vec(), b"a".to_vec(), vec![0], vec![0, 0], vec![255]];
        for length in [10, 11, 12, 13, 40, 254, 255, 256, 300] {
            for end in [0, b'a', 255] {
                texts.push(vec![b'a'; length]);
                texts.push([&vec![b'a'; length - 1][..], &[end]].concat());
                texts.push([&vec![0; length - 1][..], &[end]].concat());
            }
        }
        let trie = Trie::new(0..texts.len() as u32, |id| &texts[id as usize]);
        let mut sorted: Vec<(&[u8], u32)> = texts.iter().map(|text| &text[..]).zip(0..).collect();
        sorted.sort_unstable();
        assert_eq!(trie.tokens_below(NodeId::ROOT), sorted.iter().map(|&(_, id)| id).collect::<Vec<_>>());
        let ends: std::collections::BTreeSet<&[u8]> =
            texts.iter().flat_map(|text| (0..=text.len()).map(|end| &text[..end])).collect();
        assert_eq!(trie.len(), ends.len());
        for text in &texts {
            let node = trie.find(NodeId::ROOT, text);
            assert_eq!(trie.follow(text), (node.unwrap(), node));
            let beyond = [&text[..], b"!"].concat();
            assert_eq!(trie.follow(&beyond), (node.unwrap(), None));
        }
        for (node, path) in (0..).map(NodeId::new).zip(ends) {
            assert_eq!(trie.path(node), path);
            assert_eq!(
                trie.tokens_at(node),
                sorted.iter().filter(|(text, _)| *text == path).map(|&(_, id)| id).collect::<Vec<_>>()
            );
        }
    }
}

//! The numbers of a vocabulary, each a type of its own.

use crate::storage::id::id;

id! {
    /// A node of a trie, in depth-first order.
    #[derive(Default)]
    pub struct NodeId;
}

impl NodeId {
    /// The node of no bytes.
    pub const ROOT: NodeId = NodeId::new(0);

    /// The next node in depth-first order: the first child, if the node has children.
    #[inline]
    pub const fn next(self) -> NodeId {
        NodeId::new(self.number() + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_counted_from_the_root_in_depth_first_order() {
        assert_eq!((NodeId::ROOT, NodeId::ROOT.number()), (NodeId::default(), 0));
        assert_eq!(NodeId::ROOT.next().next(), NodeId::new(2));
        assert!(NodeId::ROOT < NodeId::ROOT.next());
    }
}

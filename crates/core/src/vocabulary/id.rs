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

//! What the flow engine knows of nodes.

use weir_network::{Choose, Serving, Striping, WithinNode};
use weir_units::Bandwidth;

/// What a node is for the messages of its ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeModel {
    /// How messages pass between its ranks. With a [limit](WithinNode::memory_limit) they are flows, and share the memory of the node
    /// with what its interfaces send and receive; without one they meet nothing.
    pub within: WithinNode,
    /// How many interfaces a node has, at least 1, each as fast as the node's cable: a message arrives by the one of the number of the one
    /// by which it leaves, but not before those handed over earlier between the same two ranks. Where nodes have several cables of
    /// their own, each of these is an interface, and this is 1.
    pub interfaces: u32,
    /// Which of them a message takes.
    pub choose: Choose,
    /// How each of them serves its messages.
    pub serving: Serving,
    /// Which messages several of them send together.
    pub striping: Striping,
    /// What all of them together send at most; `None`: what they can.
    pub injection_limit: Option<Bandwidth>,
    /// What all of them together receive at most; `None`: what they can.
    pub ejection_limit: Option<Bandwidth>,
}

impl Default for NodeModel {
    /// One interface, and nothing else that limits messages.
    fn default() -> Self {
        Self {
            within: WithinNode::default(),
            interfaces: 1,
            choose: Choose::default(),
            serving: Serving::default(),
            striping: Striping::default(),
            injection_limit: None,
            ejection_limit: None,
        }
    }
}

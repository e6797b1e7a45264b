//! Model of nodes in the flow engine.

use weir_network::{Choose, Serving, Striping, WithinNode};
use weir_units::Bandwidth;

/// Model of a node for the messages of its ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeModel {
    /// Model of messages between its ranks. With a [limit](WithinNode::memory_limit) they are flows, and share the memory of the node
    /// with what its interfaces send and receive; without one they meet nothing.
    pub within: WithinNode,
    /// Number of interfaces of a node, at least 1, each as fast as the node's cable: a message arrives by the one of the number of the one
    /// by which it leaves, but not before those handed over earlier between the same two ranks. Where nodes have several cables of
    /// their own, each of these is an interface, and this is 1.
    pub interfaces: u32,
    /// Which of them a message takes.
    pub choose: Choose,
    /// Order in which each of them serves its messages.
    pub serving: Serving,
    /// Which messages several of them send together.
    pub striping: Striping,
    /// Highest rate at which all of them together send; `None`: what they can.
    pub injection_limit: Option<Bandwidth>,
    /// Highest rate at which all of them together receive; `None`: what they can.
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

//! What the flow engine knows of nodes.

use weir_units::Bandwidth;

/// What a node is for ranks that share it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeModel {
    /// How fast a message passes between two ranks of one node; `None` is infinitely fast.
    pub memory_bandwidth: Option<Bandwidth>,
    /// How many interfaces a node has, at least 1, each as fast as the node's cable: a message takes the next one in turn, and
    /// arrives by the one of the same number, but not before those handed over earlier between the same two ranks. Each sends one
    /// message at a time.
    pub interfaces: u32,
    /// What all of them together send at most; `None`: what they can.
    pub injection_limit: Option<Bandwidth>,
    /// What all of them together receive at most; `None`: what they can.
    pub ejection_limit: Option<Bandwidth>,
}

impl Default for NodeModel {
    /// One interface, and nothing else that limits messages.
    fn default() -> Self {
        Self { memory_bandwidth: None, interfaces: 1, injection_limit: None, ejection_limit: None }
    }
}

//! What the reference is given and what it gives.

/// A message to be sent; nodes are ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// When the NIC gets it, in picoseconds.
    pub(crate) at: u64,
    pub(crate) from: u32,
    pub(crate) to: u32,
    pub(crate) bytes: u64,
}

/// What became of a packet. Times in picoseconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Journey {
    /// Index of its message.
    pub(crate) message: usize,
    /// Over each link of its route, injection link first.
    pub(crate) passages: Vec<Passage>,
    /// When its tail arrived at the node.
    pub(crate) arrived: u64,
}

/// A packet on a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Passage {
    /// Index of the link.
    pub(crate) link: usize,
    /// When the head entered it.
    pub(crate) head: u64,
    /// When the tail did.
    pub(crate) tail: u64,
    /// The virtual channel at its end.
    pub(crate) channel: usize,
    /// How long the head packet of an input buffer, or the next one of an interface, could have gone on before it did.
    pub(crate) waited: u64,
}

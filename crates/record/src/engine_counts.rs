//! What one engine counts and no other does: its part of a summary.

use crate::{FlowCounts, LinkUse, PacketCounts, StuckChannel};
use serde_json::{Map, Value};

/// What one engine counts and no other does.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EngineCounts {
    /// An engine without a network.
    #[default]
    None,
    /// Who shares which link.
    Flow(FlowCounts),
    /// Packets in buffers.
    Packet(PacketCounts),
}

impl EngineCounts {
    /// Those of the flow engine; `None` on another.
    #[must_use]
    pub fn flow(&self) -> Option<&FlowCounts> {
        match self {
            Self::Flow(counts) => Some(counts),
            _ => None,
        }
    }

    /// Those of the flow engine, to add what further runs have shown; `None` on another.
    pub fn flow_mut(&mut self) -> Option<&mut FlowCounts> {
        match self {
            Self::Flow(counts) => Some(counts),
            _ => None,
        }
    }

    /// Those of the packet engine; `None` on another.
    #[must_use]
    pub fn packet(&self) -> Option<&PacketCounts> {
        match self {
            Self::Packet(counts) => Some(counts),
            _ => None,
        }
    }

    /// The circle of virtual channels in which packets wait for each other; empty if there is none.
    #[must_use]
    pub fn stuck(&self) -> &[StuckChannel] {
        self.packet().map_or(&[], |counts| &counts.stuck)
    }

    /// Adds them to the object of `summary.json`.
    pub(crate) fn put(&self, wall: std::time::Duration, links: &LinkUse, object: &mut Map<String, Value>) {
        match self {
            Self::None => {}
            Self::Flow(counts) => counts.put(object),
            Self::Packet(counts) => counts.put(wall, links, object),
        }
    }
}

//! Counts of one engine: its part of a summary.

use crate::fields::Fields;
use crate::{FlowCounts, LinkUse, PacketCounts, StuckChannel};

/// Counts that one engine has and no other.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum EngineCounts {
    /// An engine without a network.
    #[default]
    None,
    /// Flows that share links.
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

    pub(crate) fn fields(&self, wall: std::time::Duration, links: &LinkUse) -> Fields {
        match self {
            Self::None => Fields::default(),
            Self::Flow(counts) => {
                let mut fields = Fields::default();
                fields.add_all(counts);
                fields
            }
            Self::Packet(counts) => counts.fields(wall, links),
        }
    }
}

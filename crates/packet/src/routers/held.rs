//! Virtual channels that packets have before they cross, see [`VcAllocation::BeforeSwitch`](crate::VcAllocation).
//!
//! Most machines have none: a router is compiled twice, so that this costs the others nothing.

use crate::network::PacketNetwork;

/// No virtual channel.
const NONE: u16 = u16::MAX;

/// The virtual channels of all outputs of a part, and who has them.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct HeldChannels {
    /// By lane: what its head packet has, or [`NONE`].
    pub(super) of_lanes: Vec<u16>,
    /// By output and virtual channel: from when on a packet that takes it can be granted; the largest number while one has it.
    pub(super) free: Vec<u64>,
    /// By output: the lane of its router at which turns to take a virtual channel begin.
    pub(super) begin: Vec<u16>,
}

impl HeldChannels {
    pub(super) fn new(network: &PacketNetwork, lanes: usize, outputs: usize) -> Self {
        match network.vc_turnaround {
            Some(_) => Self {
                of_lanes: vec![NONE; lanes],
                free: vec![0; outputs * network.vcs as usize],
                begin: vec![0; outputs],
            },
            None => Self::default(),
        }
    }

    #[inline(always)]
    pub(super) fn is_empty(&self) -> bool {
        self.of_lanes.is_empty()
    }

    /// The virtual channel of the head packet of a lane.
    #[inline]
    pub(super) fn of(&self, lane: usize) -> Option<u32> {
        let vc = self.of_lanes.get(lane).copied()?;
        (vc != NONE).then_some(vc.into())
    }

    /// The packet that had it has been granted: another one that takes it can be from an instant on.
    pub(super) fn release(&mut self, lane: usize, channel: usize, free: u64) {
        self.of_lanes[lane] = NONE;
        self.free[channel] = free;
    }
}

/// The virtual channels that the head packet of a lane may take: the one that it has, or those of its class.
#[inline(always)]
pub(super) fn channels_of<const HELD: bool>(
    network: &PacketNetwork,
    held: &HeldChannels,
    class: u8,
    lane: usize,
) -> (u32, u32) {
    let class = network.class_range(class);
    if HELD { held.of(lane).map_or(class, |vc| (vc, vc + 1)) } else { class }
}

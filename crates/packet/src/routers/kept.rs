//! Memory of routers beside their buffers: virtual channels that packets hold, and stays of packets that are requested.

use crate::network::PacketNetwork;
use std::ops::Range;
use weir_network::record::{PacketStay, RequestedStays};
use weir_units::{RouterId, Time};

/// No virtual channel.
const NONE: u16 = u16::MAX;

/// The virtual channels of all outputs of a part, and who has them before crossing, see [`crate::VcAllocation::BeforeSwitch`]. Most
/// machines have none.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(super) struct HeldChannels {
    /// By lane: what its head packet has, or [`NONE`].
    pub(super) of_lanes: Vec<u16>,
    /// By output and virtual channel: from when on a packet that takes it can be granted; the largest number while one has it.
    pub(super) free: Vec<u64>,
}

impl HeldChannels {
    pub(super) fn new(network: &PacketNetwork, lanes: usize, outputs: usize) -> Self {
        match network.vc_turnaround {
            Some(_) => Self { of_lanes: vec![NONE; lanes], free: vec![0; outputs * network.vcs as usize] },
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

/// Requests for the routers of a part, and stays that have not been reported.
#[derive(Debug)]
pub(super) struct History {
    first: u32,
    /// By router of the part.
    chosen: Vec<bool>,
    from: u64,
    until: u64,
    pub(super) stays: Vec<(Time, PacketStay)>,
}

impl History {
    pub(super) fn new(requested: &RequestedStays, network: &PacketNetwork, routers: &Range<usize>) -> Self {
        let mut wanted = requested.routers.clone();
        wanted.sort_unstable();
        let is_chosen = |&number: &u32| wanted.binary_search(&RouterId(number)).is_ok();
        let chosen = network.numbers[routers.clone()].iter().map(is_chosen).collect();
        let (from, until) = (requested.from.as_ps(), requested.until.as_ps());
        Self { first: routers.start as u32, chosen, from, until, stays: Vec::new() }
    }

    /// Returns whether a stay in a buffer of the router at a position is requested.
    #[inline(always)]
    pub(super) fn keeps(&self, position: u32, entered: u64, left: u64) -> bool {
        self.chosen[(position - self.first) as usize] && left > self.from && entered < self.until
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::grid;
    use crate::{NodeModel, RouterModel};
    use weir_topology::Wrap;

    /// Stays at chosen routers are requested that are not over at the beginning of the time, and begin before its end.
    #[test]
    fn stays_that_are_requested() {
        let at = Time::from_ps;
        let routers = [0, 3, 4, 7].map(RouterId).to_vec();
        let requested = RequestedStays { routers, from: at(100), until: at(200) };
        let line = grid(&[8], Wrap::Mesh, 8e9, (100, 100));
        let line = PacketNetwork::new(&RouterModel::default(), &NodeModel::default(), &line);
        let history = History::new(&requested, &line.expect("a machine"), &(3..6));
        assert_eq!([3, 4, 5].map(|router| history.keeps(router, 120, 150)), [true, true, false]);
        for (entered, left, expected) in [
            (0, 100, false),
            (0, 101, true),
            (100, 200, true),
            (199, 300, true),
            (200, 300, false),
            (0, 300, true),
        ] {
            assert_eq!(history.keeps(3, entered, left), expected, "from {entered} to {left}");
        }
    }
}

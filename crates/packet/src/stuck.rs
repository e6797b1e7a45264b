//! Virtual channels in a circle that wait for each other.

use crate::network::PacketNetwork;
use weir_units::LinkId;

/// A virtual channel in a circle of virtual channels that wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct StuckChannel {
    /// The link into the router in whose input buffer packets wait.
    pub link: LinkId,
    /// Their virtual channel.
    pub vc: u32,
    /// Number of packets that wait.
    pub packets: u32,
    /// The link that the first of them needs next.
    pub waits_for: LinkId,
    /// The virtual channel of this link that has no place.
    pub waits_for_vc: u32,
}

/// A lane whose first packet has no credit.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct WaitingLane {
    pub(crate) lane: u32,
    pub(crate) packets: u32,
    /// The output that the first one needs, and the virtual channel that it has or the first one of its class there.
    pub(crate) output: u32,
    pub(crate) vc: u32,
}

/// The circle, from the lane that comes first by the number of its router in the topology, then by its own; empty if there is none.
pub(crate) fn find_circle(
    network: &PacketNetwork,
    waiting: impl Iterator<Item = WaitingLane>,
) -> Vec<StuckChannel> {
    // By lane: if its head packet lacks a credit, what it waits for.
    let mut waits = vec![None; network.lanes()];
    waiting.for_each(|waiting| waits[waiting.lane as usize] = Some(waiting));
    let next = |lane: u32| {
        let WaitingLane { output, vc, .. } = waits[lane as usize]?;
        Some(network.outputs[output as usize].lane + vc)
    };
    let order = lanes_by_number(network);
    let mut rank = vec![0; order.len()];
    (0_u32..).zip(&order).for_each(|(place, &lane)| rank[lane as usize] = place);
    let mut state = vec![0_u32; network.lanes()];
    for (walk, &start) in (1..).zip(&order) {
        let mut lane = start;
        while state[lane as usize] == 0 {
            state[lane as usize] = walk;
            match next(lane) {
                Some(after) => lane = after,
                None => break,
            }
        }
        if state[lane as usize] == walk && next(lane).is_some() {
            let circle = std::iter::successors(Some(lane), |&here| next(here).filter(|&after| after != lane));
            let mut circle: Vec<u32> = circle.collect();
            let places = circle.iter().enumerate();
            let least = places.min_by_key(|&(_, &lane)| rank[lane as usize]).map_or(0, |(place, _)| place);
            circle.rotate_left(least);
            let channel = |&lane: &u32| {
                let WaitingLane { packets, output, vc, .. } = waits[lane as usize]?;
                Some(StuckChannel {
                    link: LinkId(network.inputs[(lane / network.vcs) as usize].link),
                    vc: lane % network.vcs,
                    packets,
                    waits_for: LinkId(network.outputs[output as usize].link),
                    waits_for_vc: vc,
                })
            };
            return circle.iter().filter_map(channel).collect();
        }
    }
    Vec::new()
}

/// All lanes, router by router as these are numbered in the topology.
fn lanes_by_number(network: &PacketNetwork) -> Vec<u32> {
    let ranges =
        network.routers.windows(2).map(|pair| pair[0].input * network.vcs..pair[1].input * network.vcs);
    let mut lanes: Vec<_> = network.numbers.iter().zip(ranges).collect();
    lanes.sort_unstable_by_key(|&(number, _)| number);
    lanes.into_iter().flat_map(|(_, lanes)| lanes).collect()
}

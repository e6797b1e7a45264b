//! The circle in which packets wait for each other when nothing moves any more.

use crate::network::{Output, PacketNetwork};
use crate::parts::Shared;
use crate::routers::Routers;
use crate::slots::Slot;
use weir_units::LinkId;

/// A virtual channel in a circle of virtual channels that wait for each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StuckChannel {
    /// The link into the router in whose input buffer packets wait.
    pub link: LinkId,
    /// Their virtual channel.
    pub vc: u32,
    /// How many wait.
    pub packets: u32,
    /// The link that the first of them needs next.
    pub waits_for: LinkId,
    /// The virtual channel of this link that has no place.
    pub waits_for_vc: u32,
}

/// The circle, from the lane with the lowest number; empty if there is none.
pub(crate) fn find_circle<'r, 's: 'r>(
    network: &PacketNetwork,
    shared: &Shared<'_>,
    routers: impl Iterator<Item = &'r Routers<'s>>,
) -> Vec<StuckChannel> {
    // By lane: if its head packet lacks a credit, the output and the virtual channel that it waits for.
    let mut waits = vec![None; network.lanes()];
    for part in routers {
        part.waiting(|lane, output, vc| waits[lane as usize] = Some((output, vc)));
    }
    let next = |lane: u32| {
        let (output, vc): (u32, u32) = waits[lane as usize]?;
        Some(network.outputs[output as usize].lane + vc)
    };
    let mut state = vec![0_u32; network.lanes()];
    for start in 0..network.lanes() as u32 {
        let (mut lane, walk) = (start, start + 1);
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
            let least = circle.iter().enumerate().min_by_key(|&(_, lane)| lane).map_or(0, |(place, _)| place);
            circle.rotate_left(least);
            let channel = |&lane: &u32| {
                let (output, vc) = waits[lane as usize]?;
                let waiting = |&slot: &u16| {
                    matches!(shared.slots.state(shared.slots.place(lane, slot)), Slot::Taken(_))
                };
                let Output { link, .. } = network.outputs[output as usize];
                Some(StuckChannel {
                    link: LinkId(network.inputs[(lane / network.vcs) as usize].link),
                    vc: lane % network.vcs,
                    packets: (0..network.depth as u16).filter(waiting).count() as u32,
                    waits_for: LinkId(link),
                    waits_for_vc: vc,
                })
            };
            return circle.iter().filter_map(channel).collect();
        }
    }
    Vec::new()
}

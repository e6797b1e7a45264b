//! Sizes of input buffers, and the sizes that links need.
//!
//! # Model
//! A place in the buffer at the end of a link is taken from the grant of its packet until the sender has the credit back. For a packet
//! of the MTU `s` that meets no other that is
//!
//! ```text
//!   round trip = sigma + latency + max(p + time(s, crossbar), time(s, link)) + c         sigma: not on injection links
//! ```
//!
//! and with [`Credits::Flit`](crate::Credits::Flit) the time of the first flit in the crossbar instead of the whole packet. In that time the link carries
//! round trip / time(s, link) packets. With room for so many it never waits for a credit unless something is in the way; with less it
//! carries no more than `room / (round trip / time(s, link))` of its bandwidth, whatever happens.

use crate::network::{PacketNetwork, Sender};
use weir_units::{Bytes, LinkId};

/// For how many packets the input ports of a machine have room, in each of their virtual channels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Rooms {
    /// All for as many.
    Same(u32),
    /// Each for so many; none where there is no link.
    ByInput(Vec<u32>),
}

impl Rooms {
    /// The rooms of input ports, `None` where there is no link; where there are no links at all as if for `least`.
    pub(crate) fn new(rooms: impl Iterator<Item = Option<u32>> + Clone, least: u32) -> Self {
        let (mut used, first) = (rooms.clone().flatten(), rooms.clone().flatten().next().unwrap_or(least));
        if used.all(|room| room == first) {
            Self::Same(first)
        } else {
            Self::ByInput(rooms.map(Option::unwrap_or_default).collect())
        }
    }

    /// Number of places of so many input ports together.
    pub(crate) fn places(&self, inputs: usize, vcs: u32) -> usize {
        match self {
            Self::Same(room) => inputs * vcs as usize * *room as usize,
            Self::ByInput(rooms) => rooms.iter().map(|&room| room as usize).sum::<usize>() * vcs as usize,
        }
    }

    pub(crate) fn of(&self, input: usize) -> u32 {
        match self {
            Self::Same(room) => *room,
            Self::ByInput(rooms) => rooms[input],
        }
    }

    /// Where the ring of each lane begins, one behind the other, and where the last one ends.
    pub(crate) fn starts(&self, vcs: u32) -> Vec<u32> {
        let Self::ByInput(rooms) = self else { return Vec::new() };
        let depths = rooms.iter().flat_map(|&room| (0..vcs).map(move |_| room));
        let ends = depths.scan(0, |end, depth| {
            *end += depth;
            Some(*end)
        });
        std::iter::once(0).chain(ends).collect()
    }

    /// For each input port the larger of both.
    pub(crate) fn larger(&self, other: &Self) -> Self {
        match (self, other) {
            (Self::Same(one), Self::Same(other)) => Self::Same(*one.max(other)),
            (Self::ByInput(rooms), other) | (other, Self::ByInput(rooms)) => {
                let larger = |(input, &room)| if room == 0 { 0 } else { other.of(input).max(room) };
                Self::ByInput(rooms.iter().enumerate().map(larger).collect())
            }
        }
    }
}

/// The most places of a ring.
const MOST: u64 = u16::MAX as u64;

/// The part of a round trip that all links of a machine have in common, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RoundTrips {
    pub(crate) pipeline: u64,
    /// A packet of the MTU in the crossbar.
    pub(crate) passes: u64,
    /// A flit there, if its place is given back behind the first one.
    pub(crate) flit_passes: Option<u64>,
}

/// The part of a link in it, in picoseconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stretch {
    /// Through the crossbar before it; zero if it begins at an interface.
    pub(crate) crossing: u64,
    pub(crate) latency: u64,
    /// A packet of the MTU on it.
    pub(crate) sends: u64,
    /// A credit on its way back.
    pub(crate) credit: u64,
}

impl RoundTrips {
    /// Time for which a place in the buffer at the end of a link is taken by a packet that nothing holds up, in picoseconds.
    pub(crate) fn time(self, link: Stretch) -> u64 {
        let Stretch { crossing, latency, sends, credit } = link;
        let stays = match self.flit_passes {
            None => self.pipeline.saturating_add(self.passes).max(sends),
            Some(flit) => self.pipeline.saturating_add(self.passes.min(flit)),
        };
        [latency, stays, credit].into_iter().fold(crossing, u64::saturating_add)
    }

    /// For how many packets the buffer at the end of a link needs room.
    pub(crate) fn room(self, link: Stretch) -> u32 {
        self.time(link).div_ceil(link.sends.max(1)).clamp(1, MOST) as u32
    }
}

/// A link that cannot be full, because the buffer at its end is smaller than what it carries until a credit comes back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Throttle {
    /// The link of which the least is left, the first of several.
    pub link: LinkId,
    /// Bytes that the virtual channels hold that a packet may use there.
    pub holds: Bytes,
    /// Bytes that the link would carry in a round trip of a credit.
    pub needs: Bytes,
    /// Which part of its bandwidth it has at most.
    pub share: f64,
    /// Number of such links, and number of links with a buffer; each interface counts.
    pub links: (usize, usize),
    /// For how many packets each virtual channel would have to have room, so that no link is held up.
    pub room: u64,
}

/// With at least so much of its bandwidth a link is not held up.
const ENOUGH: f64 = 0.95;

impl PacketNetwork {
    /// The links that buffers hold up: their packets get less than 95 % of the bandwidth even if nothing is in their way. If the machine
    /// becomes others, as it is in the beginning. `None` if there are none. O(links).
    pub fn throttle(&self) -> Option<Throttle> {
        let of_class = self.classes_of.iter().map(|(low, high)| high - low).min().unwrap_or(self.vcs);
        let mut worst: Option<Throttle> = None;
        let (mut held, mut all, mut most) = (0, 0, 0);
        for (place, input) in self.inputs.iter().enumerate() {
            let (wire, channels) = match input.from {
                Sender::Router(router, output) => {
                    let first = self.routers[router as usize].output;
                    (self.outputs[(first + u32::from(output)) as usize].wire, of_class)
                }
                Sender::Nic(nic) => (self.nics[nic as usize].wire, self.injection_vcs),
                Sender::None => continue,
            };
            let credit = self.credits[input.credit as usize];
            let link = self.wires[wire as usize].stretch(credit, input.from, self.switch_delay);
            let (trip, sends) = (self.round_trips.time(link), link.sends.max(1));
            let packets = u64::from(self.rooms.of(place)) * u64::from(channels);
            let share = (packets as f64 * sends as f64) / trip as f64;
            all += 1;
            if share >= ENOUGH {
                continue;
            }
            held += 1;
            most = most.max(trip.div_ceil(sends * u64::from(channels)));
            let link = LinkId(input.link);
            if worst.is_none_or(|worst| (share, link) < (worst.share, worst.link)) {
                let bytes = |packets: f64| Bytes((packets * f64::from(self.mtu)).round() as u64);
                let (holds, needs) = (bytes(packets as f64), bytes(trip as f64 / sends as f64));
                worst = Some(Throttle { link, holds, needs, share, links: (0, 0), room: 0 });
            }
        }
        worst.map(|worst| Throttle { links: (held, all), room: most, ..worst })
    }
}

#[cfg(test)]
mod tests;

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

/// The part of a round trip that all links to routers of a kind have in common, in picoseconds.
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

#[cfg(test)]
mod tests;

//! Links that their buffers hold back.

use crate::network::{PacketNetwork, Sender};
use weir_units::{Bytes, LinkId};

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

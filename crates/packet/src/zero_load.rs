//! Packets where nothing else is on its way: their times, and links that their buffers hold back.

use crate::network::{Output, PacketNetwork, Sender, Wire, by_input};
use crate::slots::{Packet, Size};
use crate::speed::Speed;
use weir_network::causes::{ByClass, Carriage, Narrowest, Narrowing};
use weir_units::{Bytes, Duration, LinkId};

/// The way from an interface to an address.
#[derive(Clone, Copy)]
pub(crate) struct UnloadedRoute<'a> {
    latency: u64,
    links: u64,
    by_class: ByClass,
    narrowest: Narrowest,
    slowest: &'a Speed,
}

/// Rate of a link whose packets take so long, in packets per picosecond.
fn rate(time: u64) -> f64 {
    1.0 / time.max(1) as f64
}

impl PacketNetwork {
    /// The way of a message that an interface, by its number, sends to an address.
    ///
    /// # Model
    /// The head passes links and routers, and the bytes follow at the speed of the slowest of them. Where a slower link follows a faster one
    /// the first packet takes a little longer than that, which counts as contention. What routers take is of no class of links.
    pub(crate) fn way(&self, number: u32, address: u32) -> UnloadedRoute<'_> {
        let nic = &self.nics[number as usize];
        let own = self.nic_of_route(number % self.nics_per_node);
        let wire = &self.wires[nic.wire as usize];
        let (mut latency, mut crossbars, mut slowest) = (0, 0, &wire.speed);
        let mut by_class = ByClass::default();
        let mut narrowing = Narrowing::default();
        let mut links = 0;
        let mut pass = |link: u32, wire: &Wire| {
            let class = self.link_classes.get(link as usize).copied();
            by_class[usize::from(class.unwrap_or(0))] += Duration::from_ps(wire.latency);
            narrowing.pass(LinkId(link), class, rate(wire.speed.time(self.mtu)));
            latency += wire.latency;
            links += 1;
        };
        pass(nic.link, wire);
        let mut packet = Packet::new(address, 0, Size::Mtu);
        let (mut router, mut lane) = (nic.router as usize, nic.lane);
        // A route is not longer than there are routers, whatever faults make of it.
        for _ in 0..=self.routers.len() {
            let place = &self.routers[router];
            let channel = self.channels[(lane - place.input * self.vcs) as usize];
            let hop = self.routing.hop(place.address, packet.address(), own, channel);
            let output = &self.outputs[place.output as usize + usize::from(hop.output)];
            let wire = &self.wires[output.wire as usize];
            pass(output.link, wire);
            let crossbar = self.crossbar(router);
            crossbars += crossbar.delay;
            for speed in [&crossbar.speed, &wire.speed] {
                if speed.time(self.mtu) > slowest.time(self.mtu) {
                    slowest = speed;
                }
            }
            if output.to & Output::NODE != 0 {
                break;
            }
            packet = self.routing.onward(packet);
            (router, lane) = (output.to as usize, output.lane + self.class_range(hop.class).0);
        }
        latency += (links - 1) * self.pipeline + crossbars;
        // A switch may be slower than all links.
        let is_of_link = narrowing.rate <= rate(slowest.time(self.mtu));
        let narrowest = if is_of_link { narrowing.narrowest } else { Narrowest::default() };
        UnloadedRoute { latency, links, by_class, narrowest, slowest }
    }

    pub(crate) fn carriage(&self, way: UnloadedRoute<'_>, bytes: Bytes) -> Carriage {
        let UnloadedRoute { latency, links, by_class, narrowest, slowest } = way;
        let alone = self.alone(slowest, bytes);
        Carriage { alone, latency: Duration::from_ps(latency), links, by_class, narrowest }
    }

    /// Time of an interface, by its number, for a message alone.
    pub(crate) fn injection(&self, number: u32, bytes: Bytes) -> Duration {
        self.alone(&self.wires[self.nics[number as usize].wire as usize].speed, bytes)
    }

    /// Time of the packets of a message one behind the other.
    fn alone(&self, speed: &Speed, bytes: Bytes) -> Duration {
        let (full, rest) = (bytes.0 / u64::from(self.mtu), (bytes.0 % u64::from(self.mtu)) as u32);
        let last = if rest > 0 || full == 0 { speed.time(rest) } else { 0 };
        Duration::from_ps(full * speed.time(self.mtu) + last)
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
        for (place, crossbar) in by_input(&self.routers, &self.crossbars) {
            let input = &self.inputs[place];
            let (wire, channels) = match input.from {
                Sender::Router(router, output) => {
                    let first = self.routers[router as usize].output;
                    (self.outputs[(first + u32::from(output)) as usize].wire, of_class)
                }
                Sender::Nic(nic) => {
                    let used = (0..self.services() as u8).map(|service| self.injection_range(service));
                    let fewest = used.map(|(first, end)| end - first).min();
                    (self.nics[nic as usize].wire, fewest.unwrap_or(self.injection_vcs))
                }
                Sender::None => continue,
            };
            let credit = self.credits[input.credit as usize];
            let crossing = input.from.crossing(&self.routers, &self.crossbars);
            let link = self.wires[wire as usize].stretch(credit, crossing);
            let (trip, sends) = (crossbar.trips.time(link), link.sends.max(1));
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

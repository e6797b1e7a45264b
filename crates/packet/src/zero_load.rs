//! Times of a packet where nothing else is on its way.

use crate::network::{Output, PacketNetwork, Wire};
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
        let (mut latency, mut slowest) = (0, &wire.speed);
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
            let hop = self.routing.hop(place.here, packet.address(), own, channel);
            let output = &self.outputs[place.output as usize + usize::from(hop.output)];
            let wire = &self.wires[output.wire as usize];
            pass(output.link, wire);
            for speed in [&self.switch, &wire.speed] {
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
        latency += (links - 1) * (self.pipeline + self.switch_delay);
        // A switch may be slower than all links.
        let is_of_link = narrowing.rate() <= rate(slowest.time(self.mtu));
        let narrowest = if is_of_link { narrowing.narrowest() } else { Narrowest::default() };
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

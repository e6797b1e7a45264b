//! When nodes of synthetic traffic make packets, and where these go.

use crate::destinations::{Destinations, next};
use crate::logarithm::ln;
use crate::network::PacketNetwork;
use crate::{Injection, SelfTraffic, Synthetic, TrafficPattern};
use weir_units::{NodeId, mix};

/// A packet says when it was made in units of so many bits of picoseconds, or more if packets are slow: 2^32 of them are
/// more than 16 million packet times.
const LEAST_UNIT: u32 = 8;

/// The next packet of a node.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Source {
    pub(crate) state: u64,
    /// When the next packet is made; never after the end.
    pub(crate) made: u64,
    pub(crate) to: NodeId,
}

/// Times between packets.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Slot {
    /// After so many slots of so many picoseconds: a geometric distribution with 1 / ln(1 - p).
    Geometric { slot: u64, scale: f64 },
    /// After a time with this mean in picoseconds.
    Exponential { mean: f64 },
}

/// The law by which nodes draw their packets.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draws<'a> {
    pub(crate) traffic: &'a Synthetic,
    pub(crate) destinations: &'a Destinations,
    pub(crate) slot: Slot,
    /// See [`LEAST_UNIT`].
    pub(crate) unit: u32,
    /// True if a node that skips itself may draw another one.
    pub(crate) has_others: bool,
}

impl<'a> Draws<'a> {
    /// # Panics
    /// Those of [`PacketNetwork::run_synthetic`].
    pub(crate) fn new(
        network: &PacketNetwork,
        traffic: &'a Synthetic,
        destinations: &'a Destinations,
    ) -> Self {
        let bytes = traffic.packet.0 as u32;
        assert!(
            traffic.offered_load > 0.0 && traffic.offered_load <= 1.0,
            "a load is a part of the bandwidth"
        );
        assert!(bytes <= network.mtu, "a packet is not larger than the MTU");
        let injection = &network.wires[network.nics[0].wire as usize].speed;
        let packet_time = injection.time(bytes);
        let slot = match traffic.injection {
            Injection::Bernoulli { slot } => {
                let flit_time =
                    || injection.bandwidth().serialization_time(network.flit).as_ps().min(packet_time);
                let slot = slot.map_or_else(flit_time, |slot| slot.as_ps()).max(1);
                let probability = traffic.offered_load * slot as f64 / packet_time as f64;
                assert!(probability <= 1.0, "a slot is not longer than the packets of the load");
                Slot::Geometric { slot, scale: 1.0 / (-probability).ln_1p() }
            }
            Injection::Exponential => Slot::Exponential { mean: packet_time as f64 / traffic.offered_load },
        };
        let unit = (u64::BITS - packet_time.leading_zeros()).saturating_sub(8).max(LEAST_UNIT);
        let has_others = match traffic.pattern {
            TrafficPattern::Uniform => network.nodes() > 1,
            TrafficPattern::HotSpot { part, .. } => network.nodes() > 1 && part < 1.0,
            TrafficPattern::GroupShift { group, .. } => group > 1,
            _ => false,
        };
        Self { traffic, destinations, slot, unit, has_others }
    }

    /// The first packet of a node.
    pub(crate) fn first(&self, node: NodeId) -> Source {
        let state = mix(self.traffic.seed ^ mix(u64::from(node.0) + 1));
        let mut source = Source { state, made: 0, to: node };
        self.draw(node, &mut source, true);
        source
    }

    /// When the next packet is made, and where it goes. `crates/gpu/kernels/step.h` has the same steps.
    pub(crate) fn draw(&self, node: NodeId, source: &mut Source, first: bool) {
        // In (0, 1]: its logarithm is finite.
        let uniform = (next(&mut source.state) >> 11) as f64 + 1.0;
        let log = ln(uniform * 2f64.powi(-53));
        let pause = match self.slot {
            Slot::Geometric { slot, scale } => {
                let slots = ((log * scale) as u64).saturating_add(u64::from(!first));
                slots.saturating_mul(slot)
            }
            Slot::Exponential { mean } => (-log * mean) as u64,
        };
        source.made = source.made.saturating_add(pause);
        loop {
            source.to = self.destinations.draw(node, &mut source.state);
            let skip = self.traffic.self_traffic == SelfTraffic::Skipped && source.to == node;
            if !skip {
                return;
            }
            if !self.has_others {
                source.made = u64::MAX;
                return;
            }
        }
    }
}

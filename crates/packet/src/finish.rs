//! Puts together what the parts of a run have counted.

use crate::counts::{Counts, LinkCounts};
use crate::network::{Output, PacketNetwork};
use crate::processes::Left;
use crate::routers::RouterStates;
use weir_units::Duration;

/// A part of a whole that may be nothing.
pub(crate) fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

impl PacketNetwork {
    /// Bandwidth of the first injection links of all nodes together, in bytes per second.
    pub(crate) fn injection_bandwidth(&self) -> f64 {
        self.nics
            .iter()
            .step_by(self.nics_per_node as usize)
            .map(|nic| self.wires[nic.wire as usize].speed.bandwidth().bytes_per_second())
            .sum()
    }
}

impl Counts {
    /// Counts of the routers of all parts.
    pub(crate) fn gather(
        network: &PacketNetwork,
        left: &Left,
        parts: impl IntoIterator<Item = RouterStates>,
    ) -> Self {
        let mut counts = Self {
            threads: left.threads,
            windows: left.windows,
            window: network.window(),
            links: vec![LinkCounts::default(); network.links],
            ..Self::default()
        };
        parts.into_iter().for_each(|part| part.count(network, &mut counts));
        counts
    }
}

impl RouterStates {
    fn count(&self, network: &PacketNetwork, counts: &mut Counts) {
        counts.packet_hops += self.hops();
        for (place, carried) in self.carried(network) {
            let Output { link, .. } = network.outputs[place];
            if let Some(counts) = counts.links.get_mut(link as usize) {
                counts.packets += carried.packets;
                counts.bytes += carried.bytes;
                counts.busy += Duration::from_ps(carried.busy);
                counts.waited += Duration::from_ps(carried.waited);
            }
        }
        for (input, longest) in self.longest_queues(network) {
            let link = network.inputs[input].link;
            if let Some(counts) = counts.links.get_mut(link as usize) {
                counts.longest_queue = counts.longest_queue.max(longest);
            }
        }
    }
}

//! Puts together what the parts of a run have counted.

use crate::counts::Counts;
use crate::machine::{Machine, Output};
use crate::routers::Routers;
use weir_units::Duration;

/// A part of a whole that may be nothing.
pub(crate) fn ratio(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

impl Machine {
    /// What the first injection links of all nodes can carry together, in bytes per second.
    pub(crate) fn injection_bandwidth(&self) -> f64 {
        self.nics
            .iter()
            .step_by(self.nics_per_node as usize)
            .map(|nic| self.wires[usize::from(nic.wire)].speed.bandwidth().bytes_per_second())
            .sum()
    }
}

impl Routers<'_> {
    /// Adds what these routers have counted.
    pub(crate) fn count(&self, counts: &mut Counts) {
        counts.packet_hops += self.hops();
        for (place, carried) in self.carried() {
            let Output { link, .. } = self.machine.outputs[place];
            if let Some(counts) = counts.links.get_mut(link as usize) {
                counts.packets += carried.packets;
                counts.bytes += carried.bytes;
                counts.busy += Duration::from_ps(carried.busy);
                counts.waited += Duration::from_ps(carried.waited);
            }
        }
        for (input, longest) in self.longest_queues() {
            let link = self.machine.inputs[input].link;
            if let Some(counts) = counts.links.get_mut(link as usize) {
                counts.longest_queue = counts.longest_queue.max(longest);
            }
        }
    }
}

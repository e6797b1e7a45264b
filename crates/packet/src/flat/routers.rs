//! The routers of a run as arrays, with nothing in them.

use super::{LOAD_WORDS, Memory, Placing, Region, words};
use crate::network::{Crossbar, PacketNetwork, Wire};

/// Bytes of a place for a packet.
const SLOT_BYTES: usize = 32;

/// Where the parts of the state of routers are that are read when a run is over.
#[derive(Clone, Copy, Debug)]
pub(super) struct RouterRegions {
    pub(super) lanes: Region,
    pub(super) outputs: Region,
    pub(super) loads: Region,
}

impl PacketNetwork {
    /// The bytes that the state of its routers takes.
    pub(super) fn memory_of_routers(&self) -> u64 {
        let vcs = u64::from(self.vcs);
        let of_queues = if self.routing.decides() { 32 + 16 * vcs } else { 0 };
        let of_output = 64 + 2 * vcs + 8 * u64::from(self.output_buffer) + of_queues;
        self.places() as u64 * SLOT_BYTES as u64
            + self.lanes() as u64 * 36
            + self.outputs.len() as u64 * of_output
    }

    /// Adds all that a structure `Point` has of routers, whose packets mostly have so many bytes.
    pub(super) fn put_routers<M: Memory>(
        &self,
        bytes: u32,
        point: &mut Placing<'_, M>,
    ) -> Result<RouterRegions, M::Error> {
        let wire = |wire: &Wire| {
            let sends = wire.speed.time(bytes);
            [sends, wire.latency, (sends as f64 * self.node.packet_gap).round() as u64, 0]
        };
        let wires: Vec<[u64; 4]> = self.wires.iter().map(wire).collect();
        let crossbar = |crossbar: &Crossbar| {
            let flit = crossbar.trips.flit_passes.unwrap_or(u64::MAX);
            [crossbar.delay, crossbar.speed.time(bytes), flit, 0]
        };
        let crossbars: Vec<[u64; 4]> = self.crossbars.iter().map(crossbar).collect();
        point.words.extend([wires.len() as u64, crossbars.len() as u64]);
        point.words.extend(wires[0].into_iter().chain(crossbars[0]));
        point.put(&words(wires.into_iter().flatten()))?;
        point.put(&words(crossbars.into_iter().flatten()))?;
        let (count, ports, vcs) = (self.lanes(), self.outputs.len(), self.vcs as usize);
        point.zeros(self.places() * SLOT_BYTES)?;
        let lanes = point.zeros(count * 4)?;
        point.zeros(count * 16)?;
        point.zeros(if self.turnaround > 0 { count * 8 } else { 0 })?;
        point.zeros(self.inputs.len() * 8)?;
        let outputs = point.put(&words(self.outputs.iter().flat_map(|output| {
            let ends = u64::from(output.lane) << u32::BITS | u64::from(output.to);
            [0, 0, ends, output.wire.into()]
        })))?;
        let loads = point.zeros(ports * 8 * LOAD_WORDS)?;
        point.zeros(ports * vcs * 2)?;
        let leaves_each = if self.output_buffer > 2 { self.output_buffer as usize - 1 } else { 0 };
        point.zeros(ports * leaves_each * 8)?;
        point.words.push(leaves_each as u64);
        let decides = usize::from(self.routing.decides());
        point.zeros(decides * count * 8)?;
        point.zeros(decides * ports * 32)?;
        point.zeros(decides * ports * vcs * 16)?;
        Ok(RouterRegions { lanes, outputs, loads })
    }
}

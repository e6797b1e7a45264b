//! `kind = "packet"`: messages are cut into packets, which wait in buffers.

mod check;
mod routers;
mod run;
mod throttle;

use super::{Engine, WorkFacts};
use crate::Workload;
use crate::keys::resolved::Resolved;
pub use routers::{Buffer, PacketSection};
pub(crate) use routers::{KEYS, PRESETS};
pub(crate) use run::PreparedPacket;
pub(crate) use throttle::warning;
use weir_packet::PacketNetwork;
use weir_record::Buffers;

/// Its keys in `[engine]`; those of its routers are in `[packet]`.
#[derive(Clone, Debug, PartialEq)]
pub struct PacketEngine {
    /// The most threads that may be used; the result does not depend on it.
    pub threads: usize,
}

/// Why an engine of this name keeps no stays in buffers, and what would do.
pub(super) fn no_stays(kind: &str) -> (String, &'static str) {
    (
        format!("is for engine.kind = \"packet\"; with {kind:?} there are no packets"),
        "write engine.kind = \"packet\", or leave [output.packets] out",
    )
}

impl Engine for PacketEngine {
    fn name(&self) -> &'static str {
        "packet"
    }

    fn has_packets(&self) -> bool {
        true
    }

    fn threads(&self) -> usize {
        self.threads
    }

    fn resolve(&self, _: &mut Resolved) {}

    fn refuses_changes(&self) -> Option<&'static str> {
        None
    }

    fn refuses_comparison(&self) -> Option<&'static str> {
        Some("on engine.kind = \"packet\" packets take turns on a link")
    }

    fn refuses_perturbed_ties(&self) -> Option<&'static str> {
        Some("the packet engine does not perturb ties")
    }

    fn least_memory(&self, work: &WorkFacts<'_>) -> (u64, bool) {
        let of_machine = |machine| PacketNetwork::least_memory(&work.node.model(), machine);
        (work.machine.map_or(0, of_machine), !matches!(work.workload, Workload::Synthetic(_)))
    }

    fn buffers(&self) -> Buffers {
        Buffers::Sampled
    }
}

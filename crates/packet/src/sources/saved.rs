//! Synthetic traffic in a checkpoint.

use super::{Source, Sources};
use crate::Latencies;
use crate::nic::SavedNic;
use crate::synthetic::Measured;
use serde::{Deserialize, Serialize};
use weir_pdes::Window;
use weir_units::NodeId;

#[derive(Serialize, Deserialize)]
struct SavedSources {
    sources: Vec<(NodeId, Source)>,
    nics: Vec<SavedNic>,
    packets: u64,
    measured: Measured,
    latency: Latencies,
    generation_latency: Latencies,
    digest: u64,
    reached: u64,
}

impl Sources<'_> {
    pub(super) fn saved(&self) -> Vec<u8> {
        let saved = SavedSources {
            sources: self.nodes.iter().copied().zip(self.sources.iter().copied()).collect(),
            nics: self.nics.save(),
            packets: self.packets,
            measured: self.measured,
            latency: self.latency.clone(),
            generation_latency: self.generation_latency.clone(),
            digest: self.digest,
            reached: self.reached,
        };
        postcard::to_stdvec(&saved).expect("memory takes all that is written")
    }

    /// Takes over what belongs to this part of what a part of then has kept; `None` if it cannot be read. The first part of all
    /// takes what has been counted.
    pub(super) fn take_over(&mut self, bytes: &[u8], window: &Window) -> Option<()> {
        let saved: SavedSources = postcard::from_bytes(bytes).ok()?;
        for (node, source) in saved.sources {
            if let Some(place) = self.nics.place(node.0 * self.network.nics_per_node) {
                self.sources[place] = source;
            }
        }
        self.nics.restore(&saved.nics, window.number)?;
        self.reached = self.reached.max(saved.reached);
        if self.part == 0 {
            self.packets += saved.packets;
            self.measured.offered += saved.measured.offered;
            self.measured.accepted += saved.measured.accepted;
            self.latency.join(&saved.latency);
            self.generation_latency.join(&saved.generation_latency);
            self.digest = self.digest.wrapping_add(saved.digest);
        }
        Some(())
    }

    /// Before anything of a checkpoint is taken over: no source is awake.
    pub(super) fn sleep(&mut self) {
        self.nics.sleep();
    }
}

//! Synthetic traffic in a checkpoint.

use super::{Source, Sources};
use crate::nic::SavedNics;
use crate::synthetic::SourceCounts;
use weir_pdes::Window;
use weir_units::NodeId;

/// Nodes and their sources, interfaces, counts, and the end of the last window.
type SavedSources = (Vec<NodeId>, Vec<Source>, SavedNics, SourceCounts, u64);

impl Sources<'_> {
    pub(super) fn saved(&self) -> Vec<u8> {
        let saved = (&self.nodes, &self.sources, self.nics.save(), &self.sums, self.reached);
        postcard::to_stdvec(&saved).expect("memory takes all that is written")
    }

    /// Takes over what belongs to this part of what a part of then has kept; `None` if it cannot be read. The first part of all
    /// takes what has been counted.
    pub(super) fn take_over(&mut self, bytes: &[u8], window: &Window) -> Option<()> {
        let (nodes, sources, nics, sums, reached): SavedSources = postcard::from_bytes(bytes).ok()?;
        for (node, source) in nodes.into_iter().zip(sources) {
            if let Some(place) = self.nics.place(node.0 * self.network.nics_per_node) {
                self.sources[place] = source;
            }
        }
        self.nics.restore(nics, window.number)?;
        self.reached = self.reached.max(reached);
        if self.part == 0 {
            self.sums = std::mem::take(&mut self.sums).join(sums);
        }
        Some(())
    }
}

//! Reduction along any tree, in segments (Pjesivac-Grbovic et al.: "Performance analysis of MPI collective
//! operations", 2007; Open MPI 4.1 `coll/base`, `ompi_coll_base_reduce_generic`): a rank receives a segment from all its
//! children while it sends the one before, combined, to its parent. Open MPI has two receives posted at a time; here all those
//! of a segment are. The pipeline, the chains, the binary trees and the binomial tree in segments are this with their
//! trees. Workspace: the partial result, then room for a segment of each child.

use super::segments::Segments;
use super::tree::Tree;
use super::{Round, Schedule, Side};

pub(super) struct AlongTree {
    pub(super) tree: Tree,
    pub(super) segments: Segments,
    /// Bytes of the vector.
    pub(super) bytes: usize,
    /// Where the operands of children stand; the first child is the nearest.
    pub(super) side: Side,
}

impl AlongTree {
    /// Bytes of the workspace.
    pub(super) fn workspace(&self) -> usize {
        self.bytes + self.tree.children.len() * self.segments.longest()
    }
}

impl Schedule for AlongTree {
    fn rounds(&self) -> usize {
        let count = self.segments.count();
        match (self.tree.parent.is_some(), self.tree.children.is_empty()) {
            (true, false) => count + 1,
            (true, true) | (false, false) => count,
            (false, true) => 0,
        }
    }

    fn round(&self, index: usize, round: &mut Round) {
        let count = self.segments.count();
        let lag = usize::from(!self.tree.children.is_empty());
        if let Some(parent) = self.tree.parent
            && let Some(segment) = index.checked_sub(lag)
        {
            round.send(parent, self.segments.range(segment));
        }
        if index == count {
            return;
        }
        let segment = self.segments.range(index);
        for (number, &child) in self.tree.children.iter().enumerate() {
            let room = self.bytes + number * self.segments.longest();
            let room = room..room + segment.len();
            round.receive(child, room.clone());
            round.reduce(room, segment.start, self.side);
        }
    }
}

//! Broadcast along any tree, in segments (Pjesivac-Grbovic et al.: "Performance analysis of MPI collective
//! operations", 2007; Open MPI 4.1 `coll/base`, `ompi_coll_base_bcast_intra_generic`): a rank sends a segment to all its
//! children, in their order, while it receives the next one. The pipeline, the chains, the binary tree, the binomial
//! tree with the nearest child first and the k-nomial tree are this with their trees. Workspace: the message.

use super::segments::Segments;
use super::tree::Tree;
use super::{Round, Schedule};

pub(super) struct AlongTree {
    pub(super) tree: Tree,
    pub(super) segments: Segments,
}

impl AlongTree {
    /// How many rounds pass between the arrival of a segment and its departure.
    fn lag(&self) -> usize {
        usize::from(self.tree.parent.is_some())
    }
}

impl Schedule for AlongTree {
    fn rounds(&self) -> usize {
        let receiving = if self.tree.parent.is_some() { self.segments.count() } else { 0 };
        let sending = if self.tree.children.is_empty() { 0 } else { self.lag() + self.segments.count() };
        receiving.max(sending)
    }

    fn round(&self, index: usize, round: &mut Round) {
        let count = self.segments.count();
        if let Some(parent) = self.tree.parent
            && index < count
        {
            round.receive(parent, self.segments.range(index));
        }
        if let Some(segment) = index.checked_sub(self.lag()).filter(|&segment| segment < count) {
            self.tree.children.iter().for_each(|&child| round.send(child, self.segments.range(segment)));
        }
    }
}

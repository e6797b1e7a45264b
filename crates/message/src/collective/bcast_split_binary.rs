//! Broadcast along a split binary tree (Pjesivac-Grbovic et al.: "Performance analysis of MPI collective operations",
//! 2007, section 3; Open MPI 4.1 `coll/base`, `ompi_coll_base_bcast_intra_split_bintree`): the message is cut in two, one
//! half goes down the left half of a binary tree in segments, the other down the right half. Then each rank exchanges halves
//! with its neighbour, which is in the other half of the tree; the root stands in for the one that an even number of ranks
//! lacks. Ranks are counted from the root: odd ones are left. Workspace: the message.

use super::bcast_tree::AlongTree;
use super::segments::Segments;
use super::tree::Tree;
use super::{Place, Round, Schedule};
use std::ops::Range;

pub(super) struct SplitBinary {
    /// Counted from the root.
    place: Place,
    root: usize,
    children: Vec<usize>,
    halves: [Range<usize>; 2],
    segment: Option<usize>,
    /// What a rank other than the root does in the tree.
    along: Option<AlongTree>,
}

impl SplitBinary {
    /// `None` where there is nothing to cut: less than two bytes, or half of the message is less than a segment.
    pub(super) fn new(place: Place, root: usize, bytes: usize, segment: Option<usize>) -> Option<Self> {
        let halves = [0..bytes.div_ceil(2), bytes.div_ceil(2)..bytes];
        if halves[1].is_empty() || segment.is_some_and(|segment| segment > halves[1].len()) {
            return None;
        }
        let tree = Tree::binary(place, root);
        let (children, counted) = (tree.children.clone(), place.relative_to(root));
        let along = (counted.rank > 0).then(|| {
            let segments = Segments::new(halves[Self::side(counted.rank)].clone(), segment);
            AlongTree { tree, segments }
        });
        Some(Self { place: counted, root, children, halves, segment, along })
    }

    /// Which half a rank gets along the tree.
    fn side(rank: usize) -> usize {
        usize::from(rank.is_multiple_of(2))
    }

    fn segments(&self, side: usize) -> Segments {
        Segments::new(self.halves[side].clone(), self.segment)
    }

    fn rounds_of_tree(&self) -> usize {
        // The left half is the longer one.
        self.along.as_ref().map_or_else(|| self.segments(0).count(), AlongTree::rounds)
    }

    fn exchange(&self, round: &mut Round) {
        let Place { rank, size } = self.place;
        let absolute = |rank: usize| (rank + self.root) % size;
        // The last of an even number has the root as its neighbour.
        let (is_even, last) = (size.is_multiple_of(2), size - 1);
        if rank == 0 {
            if is_even {
                round.send(absolute(last), self.halves[1].clone());
            }
        } else if is_even && rank == last {
            round.receive(self.root, self.halves[1].clone());
        } else {
            let side = Self::side(rank);
            let partner = absolute(if side == 0 { rank + 1 } else { rank - 1 });
            round.send(partner, self.halves[side].clone());
            round.receive(partner, self.halves[1 - side].clone());
        }
    }
}

impl Schedule for SplitBinary {
    fn rounds(&self) -> usize {
        if self.place.size == 1 { 0 } else { self.rounds_of_tree() + 1 }
    }

    fn round(&self, index: usize, round: &mut Round) {
        if index == self.rounds_of_tree() {
            self.exchange(round);
        } else if let Some(along) = &self.along {
            along.round(index, round);
        } else {
            for (side, &child) in self.children.iter().enumerate() {
                let segments = self.segments(side);
                if index < segments.count() {
                    round.send(child, segments.range(index));
                }
            }
        }
    }
}

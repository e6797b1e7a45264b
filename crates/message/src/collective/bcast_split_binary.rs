//! Broadcast along a split binary tree (Pjesivac-Grbovic et al.: "Performance analysis of MPI collective operations",
//! 2007, section 3; Open MPI 4.1 `coll/base`, `ompi_coll_base_bcast_intra_split_bintree`): the message is cut in two, one
//! half goes down the left half of a binary tree in segments, the other down the right half; a rank serves one child after the
//! other. Then each rank exchanges halves
//! with its neighbour, which is in the other half of the tree; the root stands in for the one that an even number of ranks
//! lacks. Ranks are counted from the root: odd ones are left. Workspace: the message.

use super::segments::Segments;
use super::tree::Tree;
use super::{Place, Round, Schedule};
use std::ops::Range;

pub(super) struct SplitBinary {
    /// Counted from the root.
    place: Place,
    root: usize,
    parent: Option<usize>,
    children: Vec<usize>,
    halves: [Range<usize>; 2],
    segment: Option<usize>,
}

impl SplitBinary {
    /// `None` where there is nothing to cut: less than two bytes, or half of the message is less than a segment.
    pub(super) fn new(place: Place, root: usize, bytes: usize, segment: Option<usize>) -> Option<Self> {
        let halves = [0..bytes.div_ceil(2), bytes.div_ceil(2)..bytes];
        if halves[1].is_empty() || segment.is_some_and(|segment| segment > halves[1].len()) {
            return None;
        }
        let Tree { parent, children, .. } = Tree::binary(place, root);
        Some(Self { place: place.relative_to(root), root, parent, children, halves, segment })
    }

    /// Which half a rank gets along the tree.
    fn side(rank: usize) -> usize {
        usize::from(rank.is_multiple_of(2))
    }

    fn segments(&self, side: usize) -> Segments {
        Segments::new(self.halves[side].clone(), self.segment)
    }

    /// The segments of a half are this many at most: the left half is the longer one.
    fn most_segments(&self) -> usize {
        self.segments(0).count()
    }

    fn rounds_of_tree(&self) -> usize {
        match (self.parent, self.children.len()) {
            (None, children) => self.most_segments() * children,
            (Some(_), 0) => self.segments(Self::side(self.place.rank)).count(),
            (Some(_), children) => 1 + self.segments(Self::side(self.place.rank)).count() * children,
        }
    }

    /// The root sends each segment of both halves; another rank hands on those of its own.
    fn go_down(&self, index: usize, round: &mut Round) {
        let own = self.segments(Self::side(self.place.rank));
        let Some(parent) = self.parent else {
            let (segment, side) = (index / self.children.len(), index % self.children.len());
            let segments = self.segments(side);
            if segment < segments.count() {
                round.send(self.children[side], segments.range(segment));
            }
            return;
        };
        let count = self.children.len();
        if count == 0 {
            round.receive(parent, own.range(index));
            return;
        }
        if let Some(sent) = index.checked_sub(1) {
            round.send(self.children[sent % count], own.range(sent / count));
        }
        // The next segment is asked for with the last send of the one before.
        if index.is_multiple_of(count) && index / count < own.count() {
            round.receive(parent, own.range(index / count));
        }
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
        } else {
            self.go_down(index, round);
        }
    }
}

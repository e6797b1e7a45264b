//! The trees along which parts of a message go, and the parts.

use super::branch::Branch;
use super::segments::Segments;
use super::{Blocks, JobGrid, Parameters, Place};

/// Trees where no number is chosen and there is no grid to follow: those of Sanders, Speck and Träff are two.
const TREES: usize = 2;

/// Bytes of a segment where none is chosen.
const SEGMENT: usize = 64 << 10;

#[derive(Clone)]
pub(super) struct Part {
    pub(super) branch: Branch,
    pub(super) segments: Segments,
}

pub(super) struct Trees<'a> {
    /// The grid on which they share no link, if they are to.
    pub(super) grid: Option<&'a JobGrid>,
    pub(super) parameters: Parameters,
}

impl Trees<'_> {
    /// The trees of one root, each with a part of so many elements of `extent` bytes each: there are no more trees than elements, but
    /// one at least. In a communicator that has not one rank for each place of the grid, a rank is an inner node of one tree at most.
    pub(super) fn of(&self, place: Place, root: usize, elements: usize, extent: usize) -> Vec<Part> {
        if place.size == 1 {
            return Vec::new();
        }
        let most = elements.max(1);
        let chosen = self.parameters.trees().map(|count| count.min(most));
        let branches = match self.grid.filter(|grid| grid.has_places_for(place.size)) {
            Some(grid) => Branch::of_disjoint(grid, place, root, chosen.unwrap_or(most)),
            None => Branch::of_inner_disjoint(place, root, chosen.unwrap_or(TREES).min(most)),
        };
        let parts = Blocks::Shares { count: branches.len(), elements, extent };
        let segment = Some(self.parameters.segment().unwrap_or(SEGMENT));
        let segments = |part| Segments::of_part(parts.range(part), extent, segment);
        let parts = branches.into_iter().enumerate();
        parts.map(|(part, branch)| Part { branch, segments: segments(part) }).collect()
    }
}

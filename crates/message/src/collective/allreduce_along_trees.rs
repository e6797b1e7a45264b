//! All-reduce along several trees at once (Sanders, Speck, Träff: "Two-tree algorithms for full bandwidth broadcast, reduction and
//! scan", 2009): each part is reduced along its tree to rank 0 and broadcast along the same, segment by segment: the root sends one
//! down in the step behind that in which it has combined it.

use super::branch::Branch;
use super::segments::Segments;
use super::{Round, Schedule, bcast_along_trees, reduce_along_trees};

pub(super) struct AlongTrees {
    up: reduce_along_trees::AlongTrees,
    down: bcast_along_trees::AlongTrees,
}

impl AlongTrees {
    /// Of a vector of so many bytes.
    pub(super) fn new(branches: Vec<Branch>, parts: Vec<Segments>, bytes: usize) -> Self {
        let down = branches.iter().cloned().zip(parts.iter().cloned());
        let down = down.map(|(branch, segments)| {
            let first = branch.height;
            (branch, segments, first)
        });
        let down = bcast_along_trees::AlongTrees { parts: down.collect() };
        Self { up: reduce_along_trees::AlongTrees::new(branches, parts, bytes), down }
    }

    /// Bytes of the workspace.
    pub(super) fn workspace(&self) -> usize {
        self.up.workspace
    }
}

impl Schedule for AlongTrees {
    fn rounds(&self) -> usize {
        self.up.rounds().max(self.down.rounds())
    }

    fn round(&self, index: usize, round: &mut Round) {
        if index < self.up.rounds() {
            self.up.round(index, round);
        }
        if index < self.down.rounds() {
            self.down.round(index, round);
        }
    }
}

//! Broadcast along several trees at once: each part of the message goes along a tree of its own, in segments. In step t the root
//! sends segment t of each part, and a rank that is d steps from the root in a tree hands on segment t - d of the part while it
//! receives the next. All that a rank does in a step begins together. Each message has a rail, so that with several interfaces none waits for another. Workspace: the message.

use super::branch::Branch;
use super::segments::Segments;
use super::{Round, Schedule};

pub(super) struct AlongTrees {
    /// For each part the tree, its segments, and the step in which the root sends the first.
    pub(super) parts: Vec<(Branch, Segments, usize)>,
}

impl AlongTrees {
    /// All parts begin at once.
    pub(super) fn new(branches: Vec<Branch>, parts: Vec<Segments>) -> Self {
        let parts = branches.into_iter().zip(parts);
        Self { parts: parts.map(|(branch, segments)| (branch, segments, 0)).collect() }
    }
}

impl Schedule for AlongTrees {
    fn rounds(&self) -> usize {
        let of_part = |(branch, segments, first): &(Branch, Segments, usize)| {
            let is_leaf = branch.tree.children.is_empty();
            (first + branch.depth + segments.count()) - usize::from(is_leaf)
        };
        self.parts.iter().map(of_part).max().unwrap_or(0)
    }

    fn round(&self, index: usize, round: &mut Round) {
        for (branch, segments, first) in &self.parts {
            let segment =
                |step: usize| index.checked_sub(first + step).filter(|&segment| segment < segments.count());
            if let Some(parent) = branch.tree.parent
                && let Some(segment) = segment(branch.depth - 1)
            {
                round.receive(parent, segments.range(segment));
            }
            if let Some(segment) = segment(branch.depth) {
                for (&child, &rail) in branch.tree.children.iter().zip(&branch.down) {
                    round.send_on(rail, child, segments.range(segment));
                }
            }
        }
    }
}

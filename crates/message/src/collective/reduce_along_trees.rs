//! Reduction along several trees at once, the broadcast along them ([`super::bcast_along_trees`]) mirrored: of a tree of height h the
//! root receives segment s of the part, combined, in step s + h - 1, and a rank that is d steps from the root sends it in step s + h - d.
//! Operands meet in the order of children, so the operation must commute. Workspace: the partial result, then room for a segment of
//! each child in each tree.

use super::branch::Branch;
use super::segments::Segments;
use super::{Round, Schedule, Side};

pub(super) struct AlongTrees {
    /// For each part the tree, its segments, and where the room for its first child is.
    parts: Vec<(Branch, Segments, usize)>,
    /// Bytes of the workspace.
    pub(super) workspace: usize,
}

impl AlongTrees {
    /// Of a vector of so many bytes.
    pub(super) fn new(branches: Vec<Branch>, parts: Vec<Segments>, bytes: usize) -> Self {
        let mut workspace = bytes;
        let of_part = |(branch, segments): (Branch, Segments)| {
            let room = workspace;
            workspace += branch.tree.children.len() * segments.longest();
            (branch, segments, room)
        };
        let parts = branches.into_iter().zip(parts).map(of_part).collect();
        Self { parts, workspace }
    }
}

impl Schedule for AlongTrees {
    fn rounds(&self) -> usize {
        let of_part = |(branch, segments, _): &(Branch, Segments, usize)| {
            let is_root = branch.tree.parent.is_none();
            (segments.count() + branch.height - branch.depth) - usize::from(is_root)
        };
        self.parts.iter().map(of_part).max().unwrap_or(0)
    }

    fn round(&self, index: usize, round: &mut Round) {
        for (branch, segments, room) in &self.parts {
            let sends_first = branch.height - branch.depth;
            let segment =
                |first: usize| index.checked_sub(first).filter(|&segment| segment < segments.count());
            if let Some(parent) = branch.tree.parent
                && let Some(segment) = segment(sends_first)
            {
                round.send_on(branch.up, parent, segments.range(segment));
            }
            if branch.tree.children.is_empty() {
                continue;
            }
            let Some(segment) = segment(sends_first - 1) else { continue };
            let segment = segments.range(segment);
            for (number, &child) in branch.tree.children.iter().enumerate() {
                let room = room + number * segments.longest();
                let room = room..room + segment.len();
                round.receive(child, room.clone());
                round.reduce(room, segment.start, Side::Right);
            }
        }
    }
}

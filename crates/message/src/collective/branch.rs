//! One rank's place in each of several trees of the same root, along which parts of a message travel at the same time. All
//! ranks keep step: a segment goes one level down, or up, in a step, in whatever tree. So a rank can be far down in one tree
//! and near the root in another without waiting in a circle.

use super::Place;
use super::tree::Tree;

#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) tree: Tree,
    /// The [rail](weir_network::Way::with_rail) of what goes to each child: others than those of its other children in all trees.
    pub(super) down: Vec<u16>,
    /// The rail of what goes to the parent.
    pub(super) up: u16,
    pub(super) depth: usize,
    /// No rank of the tree is more steps from the root; the same number at all ranks.
    pub(super) height: usize,
}

impl Branch {
    /// In up to `count` trees in which a rank has up to `count` children and is an inner node of one tree at most: two are the trees
    /// of Sanders, Speck, Träff ("Two-tree algorithms for full bandwidth broadcast, reduction and scan", 2009, section 3), also
    /// called double binary trees; one is a chain. With more, the trees are those of Castro et al. ("SplitStream", 2003, section
    /// 2.2) by a formula. Ranks behind the root are dealt out to the trees in turn; those dealt to a tree are its inner nodes in level
    /// order, all others its leaves in rank order. Where leaves are left over, inner nodes have one more, the last ones first.
    pub(super) fn of_inner_disjoint(place: Place, root: usize, count: usize) -> Vec<Self> {
        let Place { rank, size } = place.relative_to(root);
        let others = size - 1;
        let count = count.min(others);
        let absolute = |rank: usize| (rank + root) % size;
        let of_number = |number| {
            let tree = LevelOrder { others, count, number };
            let height = tree.depth(tree.last_of_level_order());
            let rail = |slot: usize| ((slot + number) % count) as u16;
            let Some(behind) = rank.checked_sub(1) else {
                let children = vec![absolute(1 + tree.rank(0))];
                let down = vec![rail(0)];
                return Self { tree: Tree { parent: None, children }, down, up: 0, depth: 0, height };
            };
            let position = tree.position(behind);
            let above = |position| absolute(1 + tree.rank(position));
            let parent = Some(tree.parent(position).map_or(root, above));
            let children: Vec<usize> = tree.children(position).map(above).collect();
            let down = (0..children.len()).map(rail).collect();
            let beside =
                tree.parent(position).map(|above| tree.children(above).take_while(|&next| next != position));
            let up = rail(beside.map_or(0, Iterator::count));
            Self { tree: Tree { parent, children }, down, up, depth: tree.depth(position), height }
        };
        (0..count).map(of_number).collect()
    }
}

/// One of the trees below the root: ranks are counted from the one behind the root, positions in level order.
#[derive(Clone, Copy)]
struct LevelOrder {
    /// Ranks but the root; at least one.
    others: usize,
    /// Number of trees, and of children of a rank: at most as many as ranks.
    count: usize,
    number: usize,
}

impl LevelOrder {
    /// Number of positions that have children: the first.
    fn inner(self) -> usize {
        self.others / self.count
    }

    /// The last position that is where level order has it; those beyond are left over.
    fn last_of_level_order(self) -> usize {
        (self.inner() * self.count).min(self.others - 1)
    }

    fn position(self, rank: usize) -> usize {
        let inner = self.inner();
        if rank % self.count == self.number && rank / self.count < inner {
            return rank / self.count;
        }
        // Ranks before it that are inner nodes.
        let before = (rank + self.count - 1 - self.number) / self.count;
        inner + rank - before.min(inner)
    }

    fn rank(self, position: usize) -> usize {
        let Some(leaf) = position.checked_sub(self.inner()) else {
            return self.number + position * self.count;
        };
        // Of each round of dealing but the last, which is not whole, one rank is no leaf.
        let leaves = self.count - 1;
        let Some(left_over) = leaf.checked_sub(self.inner() * leaves) else {
            let (round, place) = (leaf / leaves, leaf % leaves);
            return round * self.count + place + usize::from(place >= self.number);
        };
        self.inner() * self.count + left_over
    }

    /// The position above; `None`: the root.
    fn parent(self, position: usize) -> Option<usize> {
        let above = position.checked_sub(1)?;
        if position <= self.last_of_level_order() {
            return Some(above / self.count);
        }
        Some(self.inner() - 1 - (position - self.last_of_level_order() - 1) % self.inner())
    }

    fn children(self, position: usize) -> impl Iterator<Item = usize> {
        let (inner, last) = (self.inner(), self.last_of_level_order());
        let first = position * self.count + 1;
        let regular = first..(first + self.count).min(last + 1);
        let is_inner = position < inner;
        let left_over = (last + 1..self.others).filter(move |&below| self.parent(below) == Some(position));
        regular.chain(left_over).filter(move |_| is_inner)
    }

    fn depth(self, mut position: usize) -> usize {
        let mut depth = 1;
        while let Some(above) = self.parent(position) {
            (position, depth) = (above, depth + 1);
        }
        depth
    }
}

#[cfg(test)]
pub(super) mod tests;

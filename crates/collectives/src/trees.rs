//! Several trees of one root, along which parts of a message travel at the same time. All ranks keep step: a segment goes one level down, or
//! up, in a step, in whatever tree. So a rank can be far down in one tree and near the root in another without waiting in a circle.
//!
//! # Trees that share no link
//! On a torus there are as many spanning trees with one root that share no link as there are ways to leave a node, two for each side (one
//! for a side of two nodes).
//!
//! On a torus of one side, a ring, one tree goes round forwards, the other backwards. A torus of more sides is made of copies of
//! the torus of all sides but the last, one for each place along the last side (a product of graphs; the general idea: Ku, Wang, Hung:
//! "Constructing edge-disjoint spanning trees in product networks", 2003, which is about trees without direction). A tree leaves the root
//! by a way of its own; the node there is its gate:
//! ```text
//!   tree along the first sides                    tree along the last side
//!   root -> gate, from there round the last       root -> next copy, from there through this copy along
//!   side; from each place there through its       a tree of the first sides, and from each node there
//!   copy along the same tree of the first sides   on along the last side
//! ```
//! Where the one goes round the last side at its gate, it uses links that the other, its partner, needs there; the partner then comes
//! to that node from the root's column, by the link that the first does not use there. Where the other goes through its copy, it is the
//! same with the parts exchanged. The pipelined broadcast on meshes along several such trees is that of Watts and van de Geijn ("A pipelined
//! broadcast for multidimensional meshes", 1995); three and six of them on the torus of the K computer are those of Adachi et al. ("The
//! design of ultra scalable MPI collective communication on the K computer", 2012), whose trees are not published link by link.

use super::schedule::Segments;
use super::tree::Tree;
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

/// The trees of one root, each with a part of so many elements of `extent` bytes each: there are no more trees than elements, but one at
/// least. On a grid they share no link; where there is none, and in a communicator that has not one rank for each of its places, a rank is an
/// inner node of one tree at most.
pub(super) fn parts(
    grid: Option<&JobGrid>,
    parameters: Parameters,
    place: Place,
    root: usize,
    (elements, extent): (usize, usize),
) -> Vec<Part> {
    if place.size == 1 {
        return Vec::new();
    }
    let most = elements.max(1);
    let chosen = parameters.trees().map(|count| count.min(most));
    let branches = match grid.filter(|grid| grid.has_places_for(place.size)) {
        Some(grid) => Branch::of_disjoint(grid, place, root, chosen.unwrap_or(most)),
        None => Branch::of_inner_disjoint(place, root, chosen.unwrap_or(TREES).min(most)),
    };
    let parts = Blocks::Shares { count: branches.len(), elements, extent };
    let segment = Some(parameters.segment().unwrap_or(SEGMENT));
    let segments = |part| Segments::of_part(parts.range(part), extent, segment);
    let parts = branches.into_iter().enumerate();
    parts.map(|(part, branch)| Part { branch, segments: segments(part) }).collect()
}

/// One rank's place in a tree.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub(super) tree: Tree,
    /// The rail of what goes to each child: others than those of its other children in all trees.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SendOptions {
    side: usize,
    forward: bool,
}

impl SendOptions {
    /// The place one step on along its side.
    fn from(self, at: u32, length: u32) -> u32 {
        if self.forward { (at + 1) % length } else { (at + length - 1) % length }
    }

    fn back(self) -> Self {
        Self { forward: !self.forward, ..self }
    }
}

/// Sides of at least two nodes, those of two last.
struct Torus {
    lengths: Vec<u32>,
    /// Differences between ranks that are neighbors along the side, but for the ends.
    strides: Vec<usize>,
}

impl Torus {
    fn new(grid: &JobGrid) -> Self {
        let mut stride = 1;
        let mut sides: Vec<(u32, usize)> = Vec::new();
        for &length in grid.sides() {
            sides.push((length, stride));
            stride *= length as usize;
        }
        sides.retain(|&(length, _)| length > 1);
        sides.sort_by_key(|&(length, _)| length == 2);
        let (lengths, strides) = sides.into_iter().unzip();
        Self { lengths, strides }
    }

    fn coordinates(&self, rank: usize) -> Vec<u32> {
        let sides = self.lengths.iter().zip(&self.strides);
        sides.map(|(&length, stride)| (rank / stride % length as usize) as u32).collect()
    }

    fn rank(&self, coordinates: &[u32]) -> usize {
        coordinates.iter().zip(&self.strides).map(|(&at, stride)| at as usize * stride).sum()
    }

    /// The ways out of a node, which are those of the trees: forwards along each side, then backwards.
    fn ways(&self) -> impl Iterator<Item = SendOptions> {
        let sides = 0..self.lengths.len();
        let backwards = sides.clone().filter(|&side| self.lengths[side] > 2);
        sides
            .map(|side| SendOptions { side, forward: true })
            .chain(backwards.map(|side| SendOptions { side, forward: false }))
    }
}

/// The way by which the tree that leaves the root by `tree` comes to a node other than the root; coordinates are counted from the
/// root.
fn way_into(lengths: &[u32], tree: SendOptions, at: &[u32]) -> SendOptions {
    let Some((&place, inner)) = at.split_last().filter(|(_, inner)| !inner.is_empty()) else { return tree };
    let (last, rest) = (inner.len(), &lengths[..inner.len()]);
    let is_ring = lengths[last] > 2;
    let partner = |way: SendOptions| SendOptions { side: last, forward: way.forward || !is_ring };
    let in_roots_column = inner.iter().all(|&at| at == 0);
    let gate = gate(rest, inner);
    if tree.side == last {
        let gate = gate.filter(|&gate| partner(gate) == tree);
        return match (place == tree.from(0, lengths[last]), gate) {
            (true, _) if in_roots_column => tree,
            (true, None) => way_into(rest, SendOptions { side: 0, ..tree }, inner),
            (_, Some(gate)) if place != 0 => gate,
            _ => tree,
        };
    }
    if gate == Some(tree) {
        return if place == 0 { tree } else { partner(tree) };
    }
    if in_roots_column {
        return tree;
    }
    // In the copy through which a tree along the last side goes by the links of this tree.
    let through = gate_of_side(lengths[last], place).map(|forward| SendOptions { side: last, forward });
    match through {
        Some(way) if tree == (SendOptions { side: 0, ..way }) && gate.map(partner) != Some(way) => way,
        _ => way_into(rest, tree, inner),
    }
}

/// The tree of which the node is the gate.
fn gate(lengths: &[u32], at: &[u32]) -> Option<SendOptions> {
    let mut moved = at.iter().enumerate().filter(|&(_, &at)| at != 0);
    let (side, &place) = moved.next().filter(|_| moved.next().is_none())?;
    gate_of_side(lengths[side], place).map(|forward| SendOptions { side, forward })
}

/// `true` for the place one step forwards of the root, `false` for the one backwards.
fn gate_of_side(length: u32, place: u32) -> Option<bool> {
    if place == 1 { Some(true) } else { (place + 1 == length).then_some(false) }
}

impl Branch {
    /// In up to `count` trees on a grid that share no link; the rails are the ways out of a node, so that none is that of two parts. The grid has just one place for each rank.
    pub(super) fn of_disjoint(grid: &JobGrid, place: Place, root: usize, count: usize) -> Vec<Self> {
        let torus = Torus::new(grid);
        let (own, origin) = (torus.coordinates(place.rank), torus.coordinates(root));
        let counted =
            own.iter().zip(&origin).zip(&torus.lengths).map(|((own, origin), n)| (own + n - origin) % n);
        let counted: Vec<u32> = counted.collect();
        let absolute = |at: &[u32]| {
            let at = at.iter().zip(&origin).zip(&torus.lengths).map(|((at, origin), n)| (at + origin) % n);
            torus.rank(&at.collect::<Vec<u32>>())
        };
        let step = |at: &[u32], way: SendOptions| {
            let mut next = at.to_vec();
            next[way.side] = way.from(at[way.side], torus.lengths[way.side]);
            next
        };
        let is_root = |at: &[u32]| at.iter().all(|&at| at == 0);
        let above = |tree: SendOptions, at: &[u32]| {
            (!is_root(at)).then(|| step(at, way_into(&torus.lengths, tree, at).back()))
        };
        // The longest way is round each side, with a step aside for each.
        let height = torus.lengths.iter().map(|&length| length as usize).sum();
        let of_tree = |tree: SendOptions| {
            let parent = above(tree, &counted).map(|at| absolute(&at));
            let below = torus.ways().enumerate().map(|(rail, way)| (rail as u16, way, step(&counted, way)));
            let below =
                below.filter(|(_, way, at)| !is_root(at) && way_into(&torus.lengths, tree, at) == *way);
            let (children, down) = below.map(|(rail, _, at)| (absolute(&at), rail)).unzip();
            let up =
                above(tree, &counted).and_then(|at| torus.ways().position(|way| step(&counted, way) == at));
            let up = up.unwrap_or(0) as u16;
            let depth = std::iter::successors(above(tree, &counted), |at| above(tree, at)).count();
            Self { tree: Tree { parent, children }, down, up, depth, height }
        };
        torus.ways().take(count).map(of_tree).collect()
    }
}

#[cfg(test)]
pub(super) mod tests;

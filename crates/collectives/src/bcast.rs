//! Broadcasts. The workspace is the message.

use super::barrier::{Task, hardware};
use super::choice::{Bcast, Choice};
use super::plan::rooted;
use super::schedule::Segments;
use super::selection::Situation;
use super::tree::{BinomialTree, Tree};
use super::trees::{Branch, Part, parts};
use super::{Blocks, Call, Place, Plan, Round, Schedule, allgather};
use weir_operations::{Function, Lengths};

/// Chains where no fan-out is chosen, as in Open MPI (`coll_tuned_bcast_algorithm_chain_fanout`).
const CHAINS: usize = 4;

/// The radix where no fan-out is chosen, as in Open MPI (`coll_tuned_bcast_algorithm_knomial_radix`).
const RADIX: usize = 4;

/// Bytes of a segment of the ring pipeline, at most, where none are chosen.
const SEGMENT: usize = 8192;

impl Plan {
    /// The root's data go to everybody. A message too short for the split binary tree goes along a chain.
    pub fn bcast(choice: &Choice, place: Place, root: usize, bytes: usize) -> Self {
        let parameters = choice.parameters.bcast;
        let segment = parameters.segment();
        let along = |tree| along_tree(tree, Segments::new(0..bytes, segment));
        let schedule = match choice.bcast {
            Bcast::Auto => {
                let call = Situation::moving(place.size, bytes);
                return Self::bcast(&choice.decided::<Bcast>(&call), place, root, bytes);
            }
            Bcast::Binomial if segment.is_some() => along(BinomialTree::new(place, root).tree()),
            Bcast::Binomial => BinomialTree::new(place, root).downwards(move |_, _| 0..bytes),
            Bcast::BinomialNearestFirst => along(Tree::binomial_by_highest_bit(place, root)),
            Bcast::Flat => flat(place, root, bytes),
            Bcast::ScatterRing => {
                scatter_allgather(place, root, bytes, |place, parts| allgather::ring(place, parts, 1))
            }
            Bcast::ScatterRecursiveDoubling => {
                scatter_allgather(place, root, bytes, allgather::recursive_doubling)
            }
            Bcast::RingPipeline => ring_pipeline(place, root, bytes, segment.unwrap_or(SEGMENT)),
            Bcast::Pipeline => along(Tree::chains(place, root, 1)),
            Bcast::Chain => along(Tree::chains(place, root, parameters.fan_out_or(CHAINS))),
            Bcast::Binary => along(Tree::binary(place, root)),
            Bcast::SplitBinary => match SplitBinary::new(place, root, bytes, segment) {
                Some(split) => split.schedule(),
                None => along(Tree::chains(place, root, 1)),
            },
            Bcast::Knomial => along(Tree::knomial(place, root, parameters.fan_out_or(RADIX))),
            Bcast::Hardware => match hardware(&choice.grid, place, bytes, Task::Broadcast(root)) {
                Some((schedule, _)) => schedule,
                None => return Self::bcast(&choice.without_hardware(), place, root, bytes),
            },
            Bcast::MultiTree | Bcast::DisjointTrees => {
                let is_disjoint = choice.bcast == Bcast::DisjointTrees;
                let grid = is_disjoint.then_some(&choice.grid);
                along_trees(parts(grid, parameters, place, root, (bytes, 1)), |_| 0)
            }
        };
        let call = Call::with_root(Function::Bcast, root).by_interfaces(choice.bcast == Bcast::Hardware);
        let collective = rooted(Function::Bcast, root, Lengths::Bytes(bytes as u64));
        match place.rank == root {
            true => Self::giving(call, collective, schedule, bytes),
            false => Self::getting(call, collective, schedule, bytes),
        }
    }
}

/// Broadcast by the root alone: one message to each, from the next rank on.
fn flat(place: Place, root: usize, bytes: usize) -> Schedule {
    Schedule::new(1, move |_, round| {
        if place.rank == root {
            (1..place.size).for_each(|distance| round.send(place.after(distance), 0..bytes));
        } else {
            round.receive(root, 0..bytes);
        }
    })
}

/// Broadcast of long messages after van de Geijn (Barnett et al.: "Interprocessor collective communication library (InterCom)", 1994; Thakur,
/// Rabenseifner, Gropp 2005, section 4): the message is cut into as many parts as there are ranks, the parts go out along a binomial tree,
/// in place, and an all-gather brings them together. Ranks are counted from the root.
fn scatter_allgather(
    place: Place,
    root: usize,
    bytes: usize,
    allgather: impl FnOnce(Place, Blocks) -> Schedule,
) -> Schedule {
    let parts = Blocks::Shares { count: place.size, elements: bytes, extent: 1 };
    let (place, of_tree) = (place.relative_to(root), parts.clone());
    let scatter =
        BinomialTree::new(place, 0).downwards(move |first, count| of_tree.ranges(first..first + count));
    scatter.then(allgather(place, parts)).renumbered(move |rank| (rank + root) % place.size)
}

/// Broadcast along a chain, in segments of up to so many bytes, as equal as can be: counted from the root, a rank receives a segment from the
/// one before while it sends the segment before that to the next (Pjesivac-Grbovic et al.: "Performance analysis of MPI collective operations",
/// 2007).
fn ring_pipeline(place: Place, root: usize, bytes: usize, segment: usize) -> Schedule {
    let count = bytes.div_ceil(segment).max(1);
    let parts = Blocks::Shares { count, elements: bytes, extent: 1 };
    let rank = place.relative_to(root).rank;
    Schedule::new(count + 1, move |index, round| {
        if rank > 0 && index < count {
            round.receive(place.before(1), parts.range(index));
        }
        if rank + 1 < place.size && index > 0 {
            round.send(place.after(1), parts.range(index - 1));
        }
    })
}

/// Broadcast along any tree, in segments (Pjesivac-Grbovic et al.: "Performance analysis of MPI collective operations", 2007; Open MPI 4.1
/// `coll/base`, `ompi_coll_base_bcast_intra_generic`): a rank sends a segment to all its children, in their order, while it receives the next
/// one. The pipeline, the chains, the binary tree, the binomial tree with the nearest child first and the k-nomial tree are this with their
/// trees.
fn along_tree(tree: Tree, segments: Segments) -> Schedule {
    let count = segments.count();
    // Rounds that pass between the arrival of a segment and its departure.
    let lag = usize::from(tree.parent.is_some());
    let sending = if tree.children.is_empty() { 0 } else { lag + count };
    Schedule::new(sending.max(lag * count), move |index, round| {
        if let Some(parent) = tree.parent
            && index < count
        {
            round.receive(parent, segments.range(index));
        }
        if let Some(segment) = segments.in_step(index, lag) {
            tree.children.iter().for_each(|&child| round.send(child, segment.clone()));
        }
    })
}

/// Broadcast along several trees at once: each part of the message goes along a tree of its own, in segments. In step t after the first, which
/// is `first` of the tree, the root sends segment t of each part, and a rank that is d steps from the root in a tree hands on segment t - d of
/// the part while it receives the next. All that a rank does in a step begins together. Each message has a rail, so that with several
/// interfaces none waits for another.
pub(super) fn along_trees(
    parts: Vec<Part>,
    first: impl Fn(&Branch) -> usize + Send + Sync + 'static,
) -> Schedule {
    let rounds = parts.iter().map(|Part { branch, segments }| {
        first(branch) + branch.depth + segments.count() - usize::from(branch.tree.children.is_empty())
    });
    Schedule::new(rounds.max().unwrap_or(0), move |index, round| {
        for Part { branch, segments } in &parts {
            let segment = |step: usize| segments.in_step(index, first(branch) + step);
            if let Some(parent) = branch.tree.parent
                && let Some(segment) = segment(branch.depth - 1)
            {
                round.receive(parent, segment);
            }
            if let Some(segment) = segment(branch.depth) {
                for (&child, &rail) in branch.tree.children.iter().zip(&branch.down) {
                    round.send_on(rail, child, segment.clone());
                }
            }
        }
    })
}

/// Broadcast along a split binary tree (Pjesivac-Grbovic et al.: "Performance analysis of MPI collective operations", 2007, section 3; Open MPI
/// 4.1 `coll/base`, `ompi_coll_base_bcast_intra_split_bintree`): the message is cut in two, one half goes down the left half of a binary tree
/// in segments, the other down the right half; a rank serves one child after the other. Then each rank exchanges halves with its neighbor,
/// which is in the other half of the tree; the root stands in for the one that an even number of ranks lacks. Ranks are counted from the root:
/// odd ones are left.
struct SplitBinary {
    /// Counted from the root.
    place: Place,
    root: usize,
    tree: Tree,
    /// The two halves, left and right: the left one is as long as the other or longer.
    halves: [Segments; 2],
}

impl SplitBinary {
    /// `None` where there is nothing to cut: less than two bytes, or half of the message is less than a segment.
    fn new(place: Place, root: usize, bytes: usize, segment: Option<usize>) -> Option<Self> {
        let halves = [0..bytes.div_ceil(2), bytes.div_ceil(2)..bytes];
        if halves[1].is_empty() || segment.is_some_and(|segment| segment > halves[1].len()) {
            return None;
        }
        let (tree, halves) = (Tree::binary(place, root), halves.map(|half| Segments::new(half, segment)));
        Some(Self { place: place.relative_to(root), root, tree, halves })
    }

    /// The half that a rank gets along the tree.
    fn side(rank: usize) -> usize {
        usize::from(rank.is_multiple_of(2))
    }

    fn schedule(self) -> Schedule {
        let own = self.halves[Self::side(self.place.rank)].count();
        let of_tree = match (self.tree.parent, self.tree.children.len()) {
            (None, children) => self.halves[0].count() * children,
            (Some(_), 0) => own,
            (Some(_), children) => 1 + own * children,
        };
        let rounds = if self.place.size == 1 { 0 } else { of_tree + 1 };
        Schedule::new(rounds, move |index, round| {
            if index == of_tree {
                self.exchange(round);
            } else {
                self.go_down(index, round);
            }
        })
    }

    /// The root sends each segment of both halves; another rank hands on those of its own.
    fn go_down(&self, index: usize, round: &mut Round) {
        let Tree { parent, children } = &self.tree;
        let count = children.len();
        let Some(parent) = *parent else {
            let (segment, side) = (index / count, index % count);
            if segment < self.halves[side].count() {
                round.send(children[side], self.halves[side].range(segment));
            }
            return;
        };
        let own = &self.halves[Self::side(self.place.rank)];
        if count == 0 {
            return round.receive(parent, own.range(index));
        }
        if let Some(sent) = index.checked_sub(1) {
            round.send(children[sent % count], own.range(sent / count));
        }
        // The next segment is asked for with the last send of the one before.
        if index.is_multiple_of(count) && index / count < own.count() {
            round.receive(parent, own.range(index / count));
        }
    }

    fn exchange(&self, round: &mut Round) {
        let Place { rank, size } = self.place;
        let [left, right] = [0, 1].map(|side| self.halves[side].whole());
        let absolute = |rank: usize| (rank + self.root) % size;
        // The last of an even number has the root as its neighbor.
        let (is_even, last) = (size.is_multiple_of(2), size - 1);
        if rank == 0 {
            if is_even {
                round.send(absolute(last), right);
            }
        } else if is_even && rank == last {
            round.receive(self.root, right);
        } else if Self::side(rank) == 0 {
            round.exchange(absolute(rank + 1), left, right);
        } else {
            round.exchange(absolute(rank - 1), right, left);
        }
    }
}

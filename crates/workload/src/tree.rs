//! Patterns along trees: broadcast, one rank has something for all others; gather and scatter, one block of every rank to a root, or one for
//! every rank from it.

use crate::all_to_all::{bits_below, bits_for};
use crate::order::{in_round, root_of};
use crate::{Entry, Period, Sequence, Totals, WorkloadError, total};
use weir_units::{Bytes, Rank};

/// The shape of a tree. Ranks are counted from the root: v = (rank - root) mod N.
#[derive(Clone, Copy, Debug)]
enum Shape {
    /// All others are children of the root.
    Flat,
    /// The parent of v is v without its lowest bit; its children are v + 2^j for every j below that bit, as long as there
    /// are such ranks. So the tree below v has the ranks v, v + 1, ... without gaps.
    Binomial,
    /// The child of v is v + 1.
    Chain,
}

/// A tree over all ranks.
#[derive(Clone, Copy, Debug)]
struct Tree {
    ranks: u32,
    root: Rank,
    shape: Shape,
}

impl Tree {
    /// # Errors
    /// When there is no such root.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    fn new(ranks: usize, root: Rank, shape: Shape) -> Result<Self, WorkloadError> {
        Ok(Self { ranks: Rank::new(ranks).0, root: root_of(ranks, root)?, shape })
    }

    /// A rank as counted from the root.
    fn relative(self, rank: Rank) -> u32 {
        let (n, v) = (u64::from(self.ranks), u64::from(rank.0) + u64::from(self.ranks));
        ((v - u64::from(self.root.0)) % n) as u32
    }

    /// The other way round.
    fn rank(self, relative: u32) -> Rank {
        let sum = u64::from(relative) + u64::from(self.root.0);
        Rank((sum % u64::from(self.ranks)) as u32)
    }

    fn others(self) -> u64 {
        u64::from(self.ranks - 1)
    }

    fn parent(self, v: u32) -> Option<u32> {
        (v > 0).then(|| match self.shape {
            Shape::Flat => 0,
            Shape::Binomial => v & (v - 1),
            Shape::Chain => v - 1,
        })
    }

    /// Number of children.
    fn children(self, v: u32) -> u64 {
        match self.shape {
            Shape::Flat if v == 0 => self.others(),
            Shape::Flat => 0,
            Shape::Binomial => {
                let below = if v == 0 { 32 } else { v.trailing_zeros() };
                below.min(bits_for(self.ranks - v)).into()
            }
            Shape::Chain => u64::from(v + 1 < self.ranks),
        }
    }

    /// A child by its number from 0: the smallest subtree first.
    fn child(self, v: u32, number: u64) -> u32 {
        match self.shape {
            Shape::Flat => (number + 1) as u32,
            Shape::Binomial => v + (1 << number),
            Shape::Chain => v + 1,
        }
    }

    /// The same with the largest subtree first; children that are alike keep their order.
    fn child_from_largest(self, v: u32, number: u64) -> u32 {
        match self.shape {
            Shape::Binomial => self.child(v, self.children(v) - 1 - number),
            Shape::Flat | Shape::Chain => self.child(v, number),
        }
    }

    /// Size of a binomial tree below this rank, with itself.
    fn size(self, v: u32) -> u32 {
        let whole = if v == 0 { u32::MAX } else { 1 << v.trailing_zeros() };
        whole.min(self.ranks - v)
    }
}

/// By which way the data reach everybody.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BroadcastAlgorithm {
    /// The root sends to every other rank, one after the other.
    Flat,
    /// Along a binomial tree, the largest subtree first.
    #[default]
    Binomial,
    /// From each rank to the next, in so many segments, so that a rank passes on one while the next one arrives. There
    /// is at most one segment per byte, and at least one.
    RingPipeline {
        /// Number of segments; 0 counts as 1.
        segments: u64,
    },
}

/// The broadcast pattern. A rank awaits what it passes on, and so do those that pass nothing on. Ranks are served in
/// the order root + 1, root + 2, ..., closed to a ring.
#[derive(Clone, Debug)]
pub struct Broadcast {
    tree: Tree,
    bytes: Bytes,
    segments: u64,
    broadcasts: u64,
}

impl Broadcast {
    /// A pattern of so many bytes from the root to each of so many ranks, `broadcasts` times. The root does not wait for one
    /// broadcast to be over before it begins the next.
    ///
    /// # Errors
    /// When there is no such root.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    pub fn new(
        ranks: usize,
        bytes: Bytes,
        algorithm: BroadcastAlgorithm,
        root: Rank,
        broadcasts: u64,
    ) -> Result<Self, WorkloadError> {
        let (shape, segments) = match algorithm {
            BroadcastAlgorithm::Flat => (Shape::Flat, 1),
            BroadcastAlgorithm::Binomial => (Shape::Binomial, 1),
            BroadcastAlgorithm::RingPipeline { segments } => {
                (Shape::Chain, segments.clamp(1, bytes.0.max(1)))
            }
        };
        Ok(Self { tree: Tree::new(ranks, root, shape)?, bytes, segments, broadcasts })
    }

    /// Entries of a rank, counted from the root, for each segment.
    fn of_segment(&self, v: u32) -> u64 {
        u64::from(v > 0) + self.tree.children(v)
    }
}

/// Part `number` of so many bytes cut into `parts`: the first ones have one byte more where it does not come out even.
fn part(bytes: Bytes, parts: u64, number: u64) -> Bytes {
    Bytes(bytes.0 / parts + u64::from(number < bytes.0 % parts))
}

impl Sequence for Broadcast {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let v = self.tree.relative(rank);
        let (segments, of_segment) = (self.segments, self.of_segment(v));
        let segment = in_round(index.checked_div(of_segment)?, segments, self.broadcasts)?;
        let place = index % of_segment;
        let number = match self.tree.parent(v) {
            Some(parent) if place == 0 => return Some(Entry::Await { from: self.tree.rank(parent) }),
            Some(_) => place - 1,
            None => place,
        };
        let child = self.tree.rank(self.tree.child_from_largest(v, number));
        Some(Entry::send(child, part(self.bytes, segments, segment)))
    }

    fn period(&self, rank: Rank) -> Option<Period> {
        Period::of(self.of_segment(self.tree.relative(rank)).saturating_mul(self.segments))
    }

    fn ranks(&self) -> usize {
        self.tree.ranks as usize
    }
}

impl Totals for Broadcast {
    /// `N - 1` per broadcast and segment.
    fn messages(&self) -> u64 {
        self.tree.others().saturating_mul(self.broadcasts).saturating_mul(self.segments)
    }

    fn bytes_total(&self) -> Bytes {
        total(self.tree.others().saturating_mul(self.broadcasts), self.bytes)
    }
}

/// Which way blocks go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From all ranks to the root.
    Gather,
    /// From the root to all ranks.
    Scatter,
}

/// By which way blocks travel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TreeAlgorithm {
    /// Straight between the root and every other rank.
    Flat,
    /// Along a binomial tree: a message has the blocks of a whole subtree.
    #[default]
    Binomial,
}

/// The patterns gather and scatter. A rank awaits what it passes on, and at its end what it gets. A scatter is a
/// gather backwards: it serves the largest subtree first, where a gather awaits the smallest first.
#[derive(Clone, Debug)]
pub struct Gather {
    tree: Tree,
    bytes: Bytes,
    direction: Direction,
    algorithm: TreeAlgorithm,
    times: u64,
}

impl Gather {
    /// A block of so many bytes of each of so many ranks, `times` times.
    ///
    /// # Errors
    /// When there is no such root.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    pub fn new(
        ranks: usize,
        bytes: Bytes,
        direction: Direction,
        algorithm: TreeAlgorithm,
        root: Rank,
        times: u64,
    ) -> Result<Self, WorkloadError> {
        let shape = match algorithm {
            TreeAlgorithm::Flat => Shape::Flat,
            TreeAlgorithm::Binomial => Shape::Binomial,
        };
        Ok(Self { tree: Tree::new(ranks, root, shape)?, bytes, direction, algorithm, times })
    }

    /// Entries of a rank, counted from the root, each time.
    fn each(&self, v: u32) -> u64 {
        self.tree.children(v) + u64::from(v > 0)
    }

    /// The blocks that pass between a rank and its parent.
    fn blocks(&self, v: u32) -> Bytes {
        match self.algorithm {
            TreeAlgorithm::Flat => self.bytes,
            TreeAlgorithm::Binomial => total(u64::from(self.tree.size(v)), self.bytes),
        }
    }
}

impl Sequence for Gather {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let v = self.tree.relative(rank);
        let (children, parent, each) = (self.tree.children(v), self.tree.parent(v), self.each(v));
        let place = in_round(index, each, self.times)?;
        Some(match (self.direction, parent) {
            (Direction::Gather, Some(parent)) if place == children => {
                Entry::send(self.tree.rank(parent), self.blocks(v))
            }
            (Direction::Gather, _) => Entry::Await { from: self.tree.rank(self.tree.child(v, place)) },
            (Direction::Scatter, Some(parent)) if place == 0 => Entry::Await { from: self.tree.rank(parent) },
            (Direction::Scatter, _) => {
                let child = self.tree.child_from_largest(v, place - u64::from(parent.is_some()));
                Entry::send(self.tree.rank(child), self.blocks(child))
            }
        })
    }

    fn period(&self, rank: Rank) -> Option<Period> {
        Period::of(self.each(self.tree.relative(rank)))
    }

    fn ranks(&self) -> usize {
        self.tree.ranks as usize
    }
}

impl Totals for Gather {
    /// `N - 1` each time.
    fn messages(&self) -> u64 {
        self.tree.others().saturating_mul(self.times)
    }

    /// A block travels once, or in a binomial tree once for every bit of its rank, counted from the root.
    fn bytes_total(&self) -> Bytes {
        let blocks = match self.algorithm {
            TreeAlgorithm::Flat => self.tree.others(),
            TreeAlgorithm::Binomial => bits_below(self.tree.ranks),
        };
        total(blocks.saturating_mul(self.times), self.bytes)
    }
}

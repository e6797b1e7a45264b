//! Broadcast: one rank has something for all others.

use crate::tree::{Shape, Tree};
use crate::{Counted, Entry, Order, Period, WorkloadError, total};
use weir_units::{Bytes, Rank};

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

impl Order for Broadcast {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let v = self.tree.relative(rank);
        let (parent, segments, of_segment) = (self.tree.parent(v), self.segments, self.of_segment(v));
        if of_segment == 0 || index / of_segment / segments >= self.broadcasts {
            return None;
        }
        let (segment, place) = (index / of_segment % segments, index % of_segment);
        let number = match parent {
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

impl Counted for Broadcast {
    /// `N - 1` per broadcast and segment.
    fn messages(&self) -> u64 {
        self.tree.others().saturating_mul(self.broadcasts).saturating_mul(self.segments)
    }

    fn bytes_total(&self) -> Bytes {
        total(self.tree.others().saturating_mul(self.broadcasts), self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn send(to: u32, bytes: u64) -> Entry {
        Entry::send(Rank(to), Bytes(bytes))
    }

    fn receive(from: u32) -> Entry {
        Entry::Await { from: Rank(from) }
    }

    #[track_caller]
    fn check(algorithm: BroadcastAlgorithm, root: u32, expected: &[&[Entry]]) {
        let pattern = Broadcast::new(expected.len(), Bytes(7), algorithm, Rank(root), 1).unwrap();
        for (rank, expected) in expected.iter().enumerate() {
            let list = |pattern: &Broadcast| {
                (0..).map_while(|index| pattern.entry(Rank::new(rank), index)).collect::<Vec<_>>()
            };
            assert_eq!(&list(&pattern), expected, "rank {rank}");
            let twice = Broadcast { broadcasts: 2, ..pattern.clone() };
            assert_eq!(list(&twice), [*expected, expected].concat(), "twice, rank {rank}");
        }
    }

    #[test]
    fn the_root_sends_to_all() {
        let algorithm = BroadcastAlgorithm::Flat;
        check(
            algorithm,
            1,
            &[&[receive(1)], &[send(2, 7), send(3, 7), send(0, 7)], &[receive(1)], &[receive(1)]],
        );
    }

    /// The tree of six ranks with the root 0: 0 sends to 4, 2, 1; then 4 to 5, 2 to 3.
    #[test]
    fn a_binomial_tree_serves_the_largest_subtree_first() {
        check(
            BroadcastAlgorithm::Binomial,
            0,
            &[
                &[send(4, 7), send(2, 7), send(1, 7)],
                &[receive(0)],
                &[receive(0), send(3, 7)],
                &[receive(2)],
                &[receive(0), send(5, 7)],
                &[receive(4)],
            ],
        );
    }

    /// 7 bytes in 3 segments: 3, 2, 2. The order of ranks is 2, 0, 1.
    #[test]
    fn a_pipeline_passes_on_segments() {
        check(
            BroadcastAlgorithm::RingPipeline { segments: 3 },
            2,
            &[
                &[receive(2), send(1, 3), receive(2), send(1, 2), receive(2), send(1, 2)],
                &[receive(0), receive(0), receive(0)],
                &[send(0, 3), send(0, 2), send(0, 2)],
            ],
        );
    }

    #[test]
    fn counts_equal_the_formulas() {
        let check = |ranks, bytes, algorithm, messages, total| {
            let pattern = Broadcast::new(ranks, Bytes(bytes), algorithm, Rank(0), 3).unwrap();
            assert_eq!((pattern.messages(), pattern.bytes_total()), (messages, Bytes(total)), "{pattern:?}");
        };
        check(1, 7, BroadcastAlgorithm::Flat, 0, 0);
        check(10, 7, BroadcastAlgorithm::Binomial, 27, 189);
        check(10, 7, BroadcastAlgorithm::RingPipeline { segments: 4 }, 108, 189);
        check(10, 7, BroadcastAlgorithm::RingPipeline { segments: 16 }, 189, 189);
        check(10, 0, BroadcastAlgorithm::RingPipeline { segments: 16 }, 27, 0);
    }

    #[test]
    fn the_root_must_be_there() {
        let error = Broadcast::new(4, Bytes(1), BroadcastAlgorithm::Flat, Rank(4), 1).unwrap_err();
        assert_eq!((error.to_string().as_str(), error.key()), ("there is no rank 4 among 4 ranks", "root"));
    }
}

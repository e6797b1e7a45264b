//! Gather and scatter: one block of every rank to a root, or one for every rank from it.

use crate::bits::bits_below;
use crate::tree::{Shape, Tree};
use crate::{Counted, Entry, Order, Period, WorkloadError, total};
use weir_units::{Bytes, Rank};

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

impl Order for Gather {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let v = self.tree.relative(rank);
        let (children, parent, each) = (self.tree.children(v), self.tree.parent(v), self.each(v));
        if each == 0 || index / each >= self.times {
            return None;
        }
        let place = index % each;
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

impl Counted for Gather {
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
    fn check(direction: Direction, algorithm: TreeAlgorithm, root: u32, bytes: u64, expected: &[&[Entry]]) {
        let pattern = Gather::new(expected.len(), Bytes(1), direction, algorithm, Rank(root), 2).unwrap();
        for (rank, expected) in expected.iter().enumerate() {
            let entries: Vec<_> = (0..).map_while(|index| pattern.entry(Rank::new(rank), index)).collect();
            assert_eq!(entries, [*expected, expected].concat(), "rank {rank}");
        }
        let messages = 2 * (expected.len() as u64 - 1);
        assert_eq!((pattern.messages(), pattern.bytes_total()), (messages, Bytes(2 * bytes)));
    }

    #[test]
    fn flat() {
        let (gather, scatter) = (Direction::Gather, Direction::Scatter);
        let to_root = send(1, 1);
        check(gather, TreeAlgorithm::Flat, 1, 2, &[&[to_root], &[receive(2), receive(0)], &[to_root]]);
        check(scatter, TreeAlgorithm::Flat, 1, 2, &[&[receive(1)], &[send(2, 1), send(0, 1)], &[receive(1)]]);
        check(gather, TreeAlgorithm::Flat, 0, 0, &[&[]]);
    }

    /// The tree of six ranks with the root 0: below 4 are two ranks, below 2 two, below 1 one.
    #[test]
    fn binomial() {
        check(
            Direction::Gather,
            TreeAlgorithm::Binomial,
            0,
            7,
            &[
                &[receive(1), receive(2), receive(4)],
                &[send(0, 1)],
                &[receive(3), send(0, 2)],
                &[send(2, 1)],
                &[receive(5), send(0, 2)],
                &[send(4, 1)],
            ],
        );
        check(
            Direction::Scatter,
            TreeAlgorithm::Binomial,
            0,
            7,
            &[
                &[send(4, 2), send(2, 2), send(1, 1)],
                &[receive(0)],
                &[receive(0), send(3, 1)],
                &[receive(2)],
                &[receive(0), send(5, 1)],
                &[receive(4)],
            ],
        );
    }

    #[test]
    fn the_root_must_be_there() {
        let (gather, flat) = (Direction::Gather, TreeAlgorithm::Flat);
        let error = Gather::new(4, Bytes(1), gather, flat, Rank(9), 1).unwrap_err();
        assert_eq!(error.to_string(), "there is no rank 9 among 4 ranks");
    }
}

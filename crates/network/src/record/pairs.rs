//! Messages and bytes of each pair of ranks, in bounded memory.

use std::collections::BTreeMap;
use weir_units::{Bytes, Rank};

/// Messages and bytes of class data, by sender and receiver. When there are more pairs than [`Pairs::MOST`], ranks are put
/// together in blocks, each twice as large as before: so many ranks with neighbouring numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Pairs {
    /// Ranks of a block, as a power of two.
    shift: u32,
    cells: BTreeMap<(u32, u32), Cell>,
}

/// Messages of one block of ranks to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Cell {
    /// Messages that have arrived.
    pub messages: u64,
    /// Their bytes.
    pub bytes: Bytes,
}

impl Pairs {
    /// The most pairs that are counted one by one.
    pub const MOST: usize = 1 << 20;

    /// A message has arrived. O(log pairs).
    pub fn add(&mut self, from: Rank, to: Rank, bytes: Bytes) {
        self.put((from.0 >> self.shift, to.0 >> self.shift), Cell { messages: 1, bytes });
    }

    fn put(&mut self, key: (u32, u32), cell: Cell) {
        let own = self.cells.entry(key).or_default();
        own.messages += cell.messages;
        own.bytes += cell.bytes;
        while self.cells.len() > Self::MOST {
            self.coarsen(self.shift + 1);
        }
    }

    fn coarsen(&mut self, shift: u32) {
        let by = shift - self.shift;
        self.shift = shift;
        for ((from, to), cell) in std::mem::take(&mut self.cells) {
            let own = self.cells.entry((from >> by, to >> by)).or_default();
            own.messages += cell.messages;
            own.bytes += cell.bytes;
        }
    }

    /// Adds those of another part of the ranks. How they are put together does not depend on the parts: blocks are as small
    /// as they can be for all pairs.
    pub fn join(&mut self, mut other: Self) {
        let shift = self.shift.max(other.shift);
        self.coarsen(shift);
        other.coarsen(shift);
        for ((from, to), cell) in other.cells {
            // A block may have become larger since.
            let by = self.shift - shift;
            self.put((from >> by, to >> by), cell);
        }
    }

    /// Those of all parts of the ranks; `None` if no part has any.
    pub fn joined(parts: impl IntoIterator<Item = Self>) -> Option<Self> {
        parts.into_iter().reduce(|mut all, other| {
            all.join(other);
            all
        })
    }

    /// Number of ranks of a block, a power of two.
    #[must_use]
    pub fn ranks_per_block(&self) -> u64 {
        1 << self.shift
    }

    /// The pairs of blocks that have exchanged something: sender, receiver and what, in ascending order.
    pub fn cells(&self) -> impl Iterator<Item = (u32, u32, Cell)> + '_ {
        self.cells.iter().map(|(&(from, to), &cell)| (from, to, cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2^11 ranks, of which each sends to 2^10: 2^21 pairs, twice the most. So blocks have two ranks, and 2^10 of them send
    /// to 2^9 each. It makes no difference whether one or two halves have counted them.
    #[test]
    fn blocks_are_as_small_as_they_can_be() {
        let (mut all, mut halves) = (Pairs::default(), [Pairs::default(), Pairs::default()]);
        for from in 0..1 << 11 {
            for to in 0..1 << 10 {
                all.add(Rank(from), Rank(to), Bytes(3));
                halves[from as usize % 2].add(Rank(from), Rank(to), Bytes(3));
            }
        }
        assert_eq!((all.ranks_per_block(), all.cells().count()), (2, 1 << 19));
        assert!(all.cells().all(|(_, _, cell)| cell == Cell { messages: 4, bytes: Bytes(12) }));
        let [mut first, second] = halves;
        assert_eq!(first.ranks_per_block(), 1);
        first.join(second);
        assert_eq!(first, all);
    }

    /// Blocks of 2 ranks and blocks of 8, put together either way: blocks of 8.
    #[test]
    fn parts_with_other_blocks_add_up() {
        let of = |shift| {
            let mut part = Pairs { shift, ..Pairs::default() };
            (0..32).for_each(|rank| part.add(Rank(rank), Rank(31), Bytes(5)));
            part
        };
        let expected: Vec<_> =
            (0..4).map(|from| (from, 3, Cell { messages: 16, bytes: Bytes(80) })).collect();
        for (one, other) in [(1, 3), (3, 1)] {
            let mut joined = of(one);
            joined.join(of(other));
            assert_eq!((joined.ranks_per_block(), joined.cells().collect()), (8, expected.clone()));
        }
    }
}

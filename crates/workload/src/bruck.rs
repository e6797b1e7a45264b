//! Bruck's all-to-all: few steps, in which blocks travel by way of other ranks.

use crate::bits::{bits_below, bits_for, numbers_with_bit};
use crate::steps::Half;
use crate::{Counted, Entry, Order, Period, Steps, total};
use weir_units::{Bytes, Rank};

/// All-to-all in ceil(log2 N) steps (Bruck et al., "Efficient algorithms for all-to-all communications in multiport
/// message-passing systems", IEEE TPDS 8 (1997), with radix 2). A rank numbers its blocks by the distance to their
/// destinations, 0 to N - 1. In step k it sends all blocks whose number has bit k to rank + 2^k, in one message, and
/// awaits the message of rank - 2^k, which has blocks that it passes on later.
#[derive(Clone, Debug)]
pub struct Bruck {
    ranks: u32,
    bytes: Bytes,
    exchanges: u64,
}

impl Bruck {
    /// A pattern of so many ranks with a block of so many bytes for each other, `exchanges` times.
    ///
    /// # Panics
    /// When there are 2^32 ranks or more.
    #[must_use]
    pub fn new(ranks: usize, bytes: Bytes, exchanges: u64) -> Self {
        Self { ranks: Rank::new(ranks).0, bytes, exchanges }
    }
}

impl Order for Bruck {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        let (step, half) = Steps::Synchronised.place(index);
        let steps = u64::from(bits_for(self.ranks));
        if steps == 0 || step / steps >= self.exchanges {
            return None;
        }
        let bit = (step % steps) as u32;
        let (distance, ranks) = (1_u64 << bit, u64::from(self.ranks));
        Some(match half {
            Half::Send => {
                let to = (u64::from(rank.0) + distance) % ranks;
                Entry::send(Rank(to as u32), total(numbers_with_bit(self.ranks, bit), self.bytes))
            }
            Half::Await => {
                let from = (u64::from(rank.0) + ranks - distance) % ranks;
                Entry::Await { from: Rank(from as u32) }
            }
        })
    }

    fn period(&self, _rank: Rank) -> Option<Period> {
        Period::of(u64::from(bits_for(self.ranks)) * Steps::Synchronised.entries())
    }

    fn ranks(&self) -> usize {
        self.ranks as usize
    }
}

impl Counted for Bruck {
    /// `N ceil(log2 N)` per exchange.
    fn messages(&self) -> u64 {
        (u64::from(self.ranks) * u64::from(bits_for(self.ranks))).saturating_mul(self.exchanges)
    }

    /// A block travels once for every bit of its number.
    fn bytes_total(&self) -> Bytes {
        let blocks = u64::from(self.ranks).saturating_mul(bits_below(self.ranks));
        total(blocks.saturating_mul(self.exchanges), self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks 0 to 4. Bit 0: blocks 1, 3. Bit 1: blocks 2, 3. Bit 2: block 4.
    #[test]
    fn five_ranks_by_hand() {
        let pattern = Bruck::new(5, Bytes(10), 1);
        let entries: Vec<_> = (0..).map_while(|index| pattern.entry(Rank(3), index)).collect();
        let step = |(to, blocks, from): (u32, u64, u32)| {
            [Entry::send(Rank(to), Bytes(10 * blocks)), Entry::Await { from: Rank(from) }]
        };
        assert_eq!(entries, [(4, 2, 2), (0, 2, 1), (2, 1, 4)].map(step).concat());
        assert_eq!((pattern.messages(), pattern.bytes_total()), (15, Bytes(250)));
    }

    /// Facts of a table made elsewhere: ranks, bytes of a block, steps, messages, bytes per message, bytes in all.
    #[test]
    fn counts_are_those_of_the_table() {
        let rows: [[u64; 6]; 6] = [
            [8, 4, 3, 24, 16, 384],
            [16, 1024, 4, 64, 8192, 524_288],
            [64, 1024, 6, 384, 32_768, 12_582_912],
            [512, 4, 9, 4608, 1024, 4_718_592],
            [1024, 1024, 10, 10_240, 524_288, 5_368_709_120],
            [4096, 4, 12, 49_152, 8192, 402_653_184],
        ];
        for [ranks, block, steps, messages, per_message, bytes] in rows {
            let pattern = Bruck::new(ranks as usize, Bytes(block), 1);
            assert_eq!((pattern.messages(), pattern.bytes_total()), (messages, Bytes(bytes)), "{ranks}");
            let entries: Vec<_> = (0..).map_while(|index| pattern.entry(Rank(1), index)).collect();
            assert_eq!(entries.len() as u64, 2 * steps);
            for entry in entries.iter().step_by(2) {
                assert!(matches!(entry, Entry::Send { bytes, .. } if bytes.0 == per_message), "{entry:?}");
            }
        }
    }

    #[test]
    fn a_single_rank_has_nothing_to_do() {
        assert_eq!(Bruck::new(1, Bytes(1), 3).entry(Rank(0), 0), None);
        let twice = Bruck::new(4, Bytes(1), 2);
        assert_eq!((0..).map_while(|index| twice.entry(Rank(0), index)).count(), 8);
        assert_eq!((twice.messages(), twice.bytes_total()), (16, Bytes(32)));
    }
}

//! Places within one long array for many lists that grow and shrink: blocks of `2^order` places, reused by size.

/// Hands out blocks of an array that the caller keeps, and grows as [`Blocks::places`] does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Blocks {
    end: usize,
    free: Vec<Vec<u32>>,
}

impl Blocks {
    /// How many places the array must have.
    pub(crate) fn places(&self) -> usize {
        self.end
    }

    /// A block of `2^order` places; returns its first place. O(1).
    ///
    /// # Panics
    /// When the array would need more than 2^32 places.
    pub(crate) fn take(&mut self, order: u8) -> u32 {
        if let Some(first) = self.free.get_mut(usize::from(order)).and_then(Vec::pop) {
            return first;
        }
        let first = self.end;
        self.end += 1 << order;
        assert!(self.end <= u32::MAX as usize, "a place in a block fits 32 bits");
        first as u32
    }

    /// Takes a block back. O(1).
    pub(crate) fn give(&mut self, first: u32, order: u8) {
        let order = usize::from(order);
        if self.free.len() <= order {
            self.free.resize_with(order + 1, Vec::new);
        }
        self.free[order].push(first);
    }
}

/// The least order whose blocks hold `count` things.
pub(crate) fn order_for(count: usize) -> u8 {
    count.next_power_of_two().trailing_zeros() as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_given_back_is_used_again() {
        let mut blocks = Blocks::default();
        let (a, b) = (blocks.take(2), blocks.take(0));
        assert_eq!((a, b, blocks.places()), (0, 4, 5));
        blocks.give(a, 2);
        assert_eq!((blocks.take(1), blocks.take(2)), (5, 0));
    }

    #[test]
    fn orders() {
        assert_eq!([1, 2, 3, 4, 5, 8, 9].map(order_for), [0, 1, 2, 2, 3, 3, 4]);
    }
}

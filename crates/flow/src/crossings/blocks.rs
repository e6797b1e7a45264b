//! Places for lists that grow and shrink.

/// Places within one long array for many lists that grow and shrink: hands out blocks of a few sizes of an array that the caller
/// keeps, and grows as [`Blocks::places`] does. A block of order 0, 1, 2, ... has 1, 2, 3, 4, 6, 8, 12, 16, ... places: powers of
/// two, and one and a half times them.
#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Blocks {
    end: usize,
    free: Vec<Vec<u32>>,
}

impl Blocks {
    /// Number of places that the array must have.
    pub(crate) fn places(&self) -> usize {
        self.end
    }

    /// A block of this order; returns its first place. O(1).
    ///
    /// # Panics
    /// When the array would need more than 2^32 places.
    pub(crate) fn take(&mut self, order: u8) -> u32 {
        if let Some(first) = self.free.get_mut(usize::from(order)).and_then(Vec::pop) {
            return first;
        }
        let first = self.end;
        self.end += size(order);
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

/// Number of places of a block.
pub(crate) const fn size(order: u8) -> usize {
    match order {
        0 => 1,
        odd if odd % 2 == 1 => 1 << (odd / 2 + 1),
        even => 3 << (even / 2 - 1),
    }
}

/// The least order whose blocks hold `count` things; most routes are short, and looked up.
pub(crate) fn order_for(count: usize) -> u8 {
    const SHORT: [u8; 33] = {
        let mut orders = [0; 33];
        let mut count = 1;
        while count < orders.len() {
            orders[count] = computed_order_for(count);
            count += 1;
        }
        orders
    };
    SHORT.get(count).copied().unwrap_or_else(|| computed_order_for(count))
}

const fn computed_order_for(count: usize) -> u8 {
    if count <= 2 {
        return if count == 2 { 1 } else { 0 };
    }
    let order = 2 * count.next_power_of_two().trailing_zeros() as u8 - 1;
    if size(order - 1) >= count { order - 1 } else { order }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_given_back_is_used_again() {
        let mut blocks = Blocks::default();
        let (a, b) = (blocks.take(3), blocks.take(0));
        assert_eq!((a, b, blocks.places()), (0, 4, 5));
        blocks.give(a, 3);
        assert_eq!((blocks.take(1), blocks.take(3)), (5, 0));
        assert_eq!(
            (blocks.places(), blocks.free.len()),
            (7, 4),
            "room for two more places, lists up to order 3"
        );
    }

    #[test]
    fn orders() {
        assert_eq!([0, 1, 2, 3, 4, 5, 6, 7].map(size), [1, 2, 3, 4, 6, 8, 12, 16]);
        for count in 1..1000 {
            let order = order_for(count);
            assert!(size(order) >= count && (order == 0 || size(order - 1) < count), "{count}");
        }
    }
}

//! Which other ranks a rank exchanges messages with, as far as it keeps large buffers for them.

use weir_units::Rank;

/// The first so many ranks that messages have come from or gone to; further ones are not kept, so memory is bounded.
#[derive(Debug, Default)]
pub(super) struct Partners {
    /// Sorted.
    near: Vec<Rank>,
}

impl Partners {
    /// Returns whether `other` is among the first `most`; if there are fewer yet, it becomes one of them.
    pub(super) fn is_near(&mut self, other: Rank, most: u32) -> bool {
        match self.near.binary_search(&other) {
            Ok(_) => true,
            Err(place) if self.near.len() < most as usize => {
                self.near.insert(place, other);
                true
            }
            Err(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_are_near_and_stay_so() {
        let mut partners = Partners::default();
        let found: Vec<bool> =
            [7, 3, 7, 9, 3, 8, 9].map(|rank| partners.is_near(Rank(rank), 2)).into_iter().collect();
        assert_eq!(found, [true, true, true, false, true, false, false]);
    }
}

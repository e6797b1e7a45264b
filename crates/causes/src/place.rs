//! Which step of which rank a path has come to last.

use weir_units::Rank;

/// A step of a rank, by its number; 0 is the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Place(u64);

impl Place {
    /// A rank has 24 bits, and a number the rest.
    const BITS: u32 = 40;

    pub(crate) fn new(rank: Rank, step: u64) -> Self {
        Self(u64::from(rank.0) << Self::BITS | step)
    }

    pub(crate) fn rank(self) -> Rank {
        Rank((self.0 >> Self::BITS) as u32)
    }

    pub(crate) fn step(self) -> u64 {
        self.0 & ((1 << Self::BITS) - 1)
    }
}

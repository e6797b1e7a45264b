//! Named communication patterns.
//!
//! A pattern is an [`Order`]: for each rank, which messages it sends and which it awaits, one after the other, each
//! entry computed from its number. A [`Queue`] plays the order of one rank, as the nodes of paper 000 do, and runs
//! on every engine. [`Pattern`] is the closed set of named patterns, each of which is [`Counted`]: its messages and
//! bytes are known before it runs.

mod all_to_all;
mod bits;
mod broadcast;
mod bruck;
mod counted;
mod error;
mod forward;
mod gap;
mod gather;
mod halo;
mod hot_spot;
mod nicam;
mod pattern;
mod permutation;
mod queue;
mod random;
mod random_sizes;
mod ring;
mod scaled_work;
mod script;
mod steps;
mod subsampled;
mod tree;
mod uniform;
mod with_gaps;
mod with_start_times;

pub use all_to_all::{Algorithm, AllToAll};
pub use broadcast::{Broadcast, BroadcastAlgorithm};
pub use bruck::Bruck;
pub use counted::Counted;
pub use error::WorkloadError;
pub use gap::Gap;
pub use gather::{Direction, Gather, TreeAlgorithm};
pub use halo::{Closed, Halo, Side};
pub use hot_spot::{HotSpot, Incast};
pub use nicam::{Nicam, NicamFolding, NicamGrid, NicamPlace};
pub use pattern::Pattern;
pub use permutation::{Permutation, PermutationRule};
pub use queue::{Entry, Order, Period, Queue};
pub use random_sizes::RandomSizes;
pub use ring::{RandomRing, Ring};
pub use scaled_work::ScaledWork;
pub use script::Script;
pub use steps::Steps;
pub use subsampled::Subsampled;
pub use uniform::Uniform;
pub use with_gaps::WithGaps;
pub use with_start_times::{Barrier, Start, WithStartTimes};

use weir_units::Bytes;

/// The bytes of messages of one size; saturates.
fn total(messages: u64, bytes: Bytes) -> Bytes {
    Bytes(messages.saturating_mul(bytes.0))
}

/// `(place + by) mod size`, for a place below the size and a distance up to it.
fn shifted(place: u32, by: u32, size: u32) -> u32 {
    let sum = u64::from(place) + u64::from(by);
    if sum < u64::from(size) { sum as u32 } else { (sum - u64::from(size)) as u32 }
}

//! Named communication patterns.
//!
//! A pattern is an [`Sequence`]: for each rank, which messages it sends and which it awaits, one after the other, each
//! entry computed from its number. A [`Queue`] plays the order of one rank, as the nodes of paper 000 do, and runs
//! on every engine. A [`Pattern`] is one of the named patterns, each of which is [`Totals`]: its messages and bytes are
//! known before it runs.

mod all_to_all;
mod halo;
mod hot_spot;
mod nicam;
mod order;
mod permutation;
mod queue;
mod script;
#[cfg(test)]
mod tests;
mod tree;
mod uniform;
mod wrapped;

pub use all_to_all::{Algorithm, AllToAll, Bruck};
pub use halo::{Closed, Halo, Side};
pub use hot_spot::{HotSpot, Incast};
pub use nicam::{Nicam, NicamFolding, NicamGrid, NicamPlace};
pub use order::{Entry, Pattern, Period, Sequence, Steps, Totals, WorkloadError};
pub use permutation::{Permutation, PermutationRule};
pub use queue::Queue;
pub use script::Script;
pub use tree::{Broadcast, BroadcastAlgorithm, Direction, Gather, TreeAlgorithm};
pub use uniform::Uniform;
pub use weir_operations::Gap;
pub use wrapped::{Barrier, RandomSizes, Repeated, ScaledWork, Start, Subsampled, WithGaps, WithStartTimes};

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

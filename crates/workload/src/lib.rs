//! Named communication patterns.
//!
//! A pattern is an [`Order`]: for each rank, which messages it sends and which it awaits, one after the other, each
//! entry computed from its number. A [`Queue`] plays the order of one rank, as the nodes of paper 000 do, and runs
//! on every engine. [`Pattern`] is the closed set of named patterns.

mod all_to_all;
mod error;
mod pattern;
mod queue;
mod random_ring;
mod ring;
mod script;
mod steps;

pub use all_to_all::{Algorithm, AllToAll};
pub use error::WorkloadError;
pub use pattern::Pattern;
pub use queue::{Entry, Order, Queue};
pub use random_ring::RandomRing;
pub use ring::Ring;
pub use script::Script;
pub use steps::Steps;

use weir_units::Bytes;

/// So many messages of one size; saturates.
fn total(messages: u64, bytes: Bytes) -> Bytes {
    Bytes(messages.saturating_mul(bytes.0))
}

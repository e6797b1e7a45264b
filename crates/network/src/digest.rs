//! Fingerprint of a run.

use std::fmt;
use weir_units::{Rank, Time, mix};

/// 64-bit fingerprint of all events of a run: two runs with the same digest delivered the same events to the same ranks
/// at the same instants in the same order.
///
/// Each rank has a chain over its own events; the digest is the wrapping sum of the chains, each mixed with its
/// rank. So it does not depend on which thread served which rank, and parts of a parallel run just add up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Digest(pub u64);

/// The chain over one rank's events.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Chain(u64);

impl Chain {
    /// Appends an event at `at`, described by words.
    pub(crate) fn append(&mut self, at: Time, words: [u64; 3]) {
        let body = words[0] ^ mix(words[1]) ^ mix(words[2]).rotate_left(17);
        self.0 = mix(self.0.rotate_left(5) ^ mix(at.as_ps()) ^ body);
    }

    /// The rank's part of the digest.
    pub(crate) fn seal(self, rank: Rank) -> u64 {
        mix(self.0 ^ mix(u64::from(rank.0)))
    }
}

impl fmt::Display for Digest {
    /// Sixteen hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

//! Ties on purpose broken, to see how much hangs on them.
//!
//! Contended patterns without synchronisation amplify every difference: which of two flows that finish at one instant is
//! a little earlier decides what their nodes' next messages meet. A result that changes by per cents when ties are broken
//! one way or another is no ground for ranking two algorithms.

use weir_network::Message;
use weir_units::mix;

/// What happens to flows that would finish at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// They do.
    #[default]
    Kept,
    /// They most often do not: each message is larger or smaller by up to a part of [`Ties::JITTER`] of its size, drawn
    /// from the seed, its sender and its number. What the run counts in bytes is larger or smaller by that too.
    Perturbed {
        /// Other seeds break ties in other ways.
        seed: u64,
    },
}

impl Ties {
    /// Ten times the part of a message that may be left when a flow counts as finished: so ties really break.
    pub const JITTER: f64 = 1e-8;

    /// The size of a message as the engine carries it, in bytes.
    pub(crate) fn size<B>(self, message: &Message<B>) -> f64 {
        let bytes = message.bytes.as_f64();
        match self {
            Self::Kept => bytes,
            Self::Perturbed { seed } => {
                let drawn = mix(seed ^ mix(u64::from(message.from.0) << 32 ^ mix(message.sequence)));
                let part = 2.0 * (drawn >> 11) as f64 / (1_u64 << 53) as f64 - 1.0;
                bytes * (1.0 + Self::JITTER * part)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_network::Class;
    use weir_units::{Bytes, Rank};

    #[test]
    fn sizes_change_by_at_most_the_jitter_and_each_by_its_own() {
        let message = |from: u32, sequence| Message {
            from: Rank(from),
            to: Rank(9),
            bytes: Bytes(20_000),
            class: Class::Data,
            sequence,
            body: (),
        };
        assert_eq!(Ties::Kept.size(&message(1, 2)), 20_000.0);
        let mut seen = Vec::new();
        for (seed, from, sequence) in [(1, 0, 0), (1, 1, 0), (1, 0, 1), (2, 0, 0)] {
            let size = Ties::Perturbed { seed }.size(&message(from, sequence));
            assert!((size / 20_000.0 - 1.0).abs() <= Ties::JITTER && !seen.contains(&size), "{size}");
            seen.push(size);
        }
    }
}

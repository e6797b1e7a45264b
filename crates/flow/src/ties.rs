//! Ties on purpose broken, to see how much hangs on them.
//!
//! Contended patterns without synchronization amplify every difference: which of two flows that finish at one instant is
//! a little earlier decides what their nodes' next messages meet. A result that changes by per cents when ties are broken
//! one way or another is no ground for ranking two algorithms.

use weir_units::{Bytes, Rank, mix};

/// Treatment of flows that would finish at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ties {
    /// They do.
    #[default]
    Kept,
    /// They most often do not: each message is larger or smaller by up to a part of its size, drawn from the seed, its
    /// sender and its number. What the run counts in bytes is larger or smaller by that too.
    Perturbed {
        /// Other seeds break ties in other ways.
        seed: u64,
    },
}

impl Ties {
    /// By which part of its size a message is made larger or smaller at least: ten times what may be left of it when a
    /// flow counts as finished, so that ties break.
    pub const JITTER: f64 = 1e-8;

    /// By how many picoseconds of its time on the fastest link at least, because what happens within one picosecond is
    /// one instant.
    const LEAST: f64 = 4.0;

    /// By which part of its size at most: a message that takes less than 400 ps is hardly worth perturbing.
    const MOST: f64 = 0.01;

    /// By which part of its size a message of so many bytes is made larger or smaller at most, on a machine whose fastest
    /// link carries so many bytes per second. At least [`Ties::JITTER`].
    pub(crate) fn jitter(self, bytes: f64, fastest: f64) -> f64 {
        match self {
            Self::Kept => 0.0,
            Self::Perturbed { .. } => (Self::LEAST * 1e-12 * fastest / bytes).clamp(Self::JITTER, Self::MOST),
        }
    }

    /// The size of so many bytes of a message, by its sender and number, as the engine carries it, in bytes, if it is perturbed by up to this part.
    pub(crate) fn size(self, (from, sequence): (Rank, u64), bytes: Bytes, jitter: f64) -> f64 {
        let bytes = bytes.as_f64();
        match self {
            Self::Kept => bytes,
            Self::Perturbed { seed } => {
                let drawn = mix(seed ^ mix(u64::from(from.0) << 32 ^ mix(sequence)));
                let part = 2.0 * (drawn >> 11) as f64 / (1_u64 << 53) as f64 - 1.0;
                bytes * (1.0 + jitter * part)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BYTES: Bytes = Bytes(20_000);

    #[test]
    fn sizes_change_by_at_most_the_jitter_and_each_by_its_own() {
        assert_eq!(Ties::Kept.size((Rank(1), 2), BYTES, 0.5), 20_000.0);
        let mut seen = Vec::new();
        for (seed, from, sequence) in [(1, 0, 0), (1, 1, 0), (1, 0, 1), (2, 0, 0)] {
            let size = Ties::Perturbed { seed }.size((Rank(from), sequence), BYTES, Ties::JITTER);
            assert!((size / 20_000.0 - 1.0).abs() <= Ties::JITTER && !seen.contains(&size), "{size}");
            seen.push(size);
        }
    }

    /// About a tenth of 1000 messages lies in each tenth of the range, from -1 to 1 times the jitter.
    #[test]
    fn sizes_are_spread_evenly() {
        let mut tenths = [0; 10];
        for sequence in 0..1000 {
            let size = Ties::Perturbed { seed: 3 }.size((Rank(7), sequence), BYTES, 0.01);
            tenths[((size / 20_000.0 - 0.99) / 0.002) as usize] += 1;
        }
        assert!(tenths.iter().all(|count| (60..150).contains(count)), "{tenths:?}");
    }

    /// 1 kB at 1 GB/s takes 1 us, of which 4 ps are 4e-6; 1 MB is perturbed by the least part, 1 B by the most.
    #[test]
    fn short_messages_are_perturbed_by_picoseconds() {
        let perturbed = Ties::Perturbed { seed: 1 };
        let check = |bytes, expected: f64| {
            let jitter = perturbed.jitter(bytes, 1e9);
            assert!((jitter / expected - 1.0).abs() < 1e-12, "{bytes} B: {jitter}, not {expected}");
        };
        check(1e3, 4e-6);
        check(1e6, 1e-8);
        check(0.1, 0.01);
        assert_eq!(Ties::Kept.jitter(1e3, 1e9), 0.0);
    }
}

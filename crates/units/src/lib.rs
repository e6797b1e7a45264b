//! Quantities of the simulated machine, each with its own type, so that bytes are never added to seconds.
//!
//! [`Time`] and [`Duration`] count integer picoseconds, [`Bytes`] counts bytes, [`Bandwidth`] is bytes per second, [`Frequency`] cycles per second;
//! [`Rank`], [`NodeId`], [`RouterId`] and [`LinkId`] are indices that cannot be mixed up. [`parse`] reads what a
//! person writes (`"8 GB/s"`, `"100 ns"`) and [`Time`], [`Bytes`] and [`Bandwidth`] print in the same form.

mod bandwidth;
pub mod parse;
mod time;

pub use bandwidth::{Bandwidth, Bytes, Frequency};
use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
pub use time::{Duration, Time};

/// Typed indices: 32 bits each, counted from zero.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident,)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as an index into a table with one entry per id.
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The id with this index.
            ///
            /// # Panics
            /// When the index does not fit 32 bits: no machine of this size can be described.
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("an id fits 32 bits"))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )*};
}

ids! {
    /// A process of the simulated program, counted as in `MPI_COMM_WORLD`.
    Rank,
    /// A computer of the simulated machine; hosts ranks.
    NodeId,
    /// A switching element of the simulated machine.
    RouterId,
    /// A one-way wire between two ports; a cable is two links.
    LinkId,
}

/// The number that SplitMix64 adds to its state at each step: 2^64 over the golden ratio, odd.
pub const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// Mixes bits, for fingerprints, numbers that must not meet and seeded generators.
///
/// One step of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014) from the state `x`: a
/// bijection that spreads every input bit over all output bits. Zero is not a fixed point.
pub const fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(GOLDEN);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// One of so many numbers from 0 on, by 64 random bits.
pub const fn pick(draw: u64, count: usize) -> usize {
    ((draw as u128 * count as u128) >> u64::BITS) as usize
}

/// Memory that shares no cache line with other memory: what one thread writes there takes nothing else away from others. Processors fetch lines of 64
/// bytes in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub struct OwnLine<T>(pub T);

/// A text for a terminal: control characters other than the ends of lines are written out, so that they do nothing there.
pub fn visible(text: &str) -> Cow<'_, str> {
    let acts = |letter: char| letter.is_control() && letter != '\n';
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    let letter =
        |letter: char| if acts(letter) { letter.escape_default().to_string() } else { letter.to_string() };
    Cow::Owned(text.chars().map(letter).collect())
}

/// Runs all jobs on this many threads, or on as many as there are processors; returns their results in the order of the jobs. Jobs
/// begin in their order, the calling thread runs some of them, and there are never more threads than jobs.
pub fn side_by_side<J: Sync, R: Send>(
    jobs: &[J],
    threads: Option<NonZeroUsize>,
    run: impl Fn(&J) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let results = Mutex::new(jobs.iter().map(|_| None).collect::<Vec<Option<R>>>());
    let work = || {
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(job) = jobs.get(place) else { return };
            let result = run(job);
            results.lock().unwrap_or_else(PoisonError::into_inner)[place] = Some(result);
        }
    };
    let threads = threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    thread::scope(|scope| {
        for _ in 1..threads.min(jobs.len()) {
            scope.spawn(work);
        }
        work();
    });
    let results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.into_iter().map(|result| result.expect("each job has been run")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first numbers that SplitMix64 gives from seed 0, as published with it.
    #[test]
    fn is_split_mix() {
        let numbers = [mix(0), mix(GOLDEN), mix(GOLDEN.wrapping_mul(2))];
        assert_eq!(numbers, [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
    }

    /// Three jobs that wait for one another, and more jobs than threads.
    #[test]
    fn jobs_run_side_by_side() {
        let all = std::sync::Barrier::new(3);
        let started = side_by_side(&[3, 1, 2], NonZeroUsize::new(3), |job| (all.wait(), 10 * job).1);
        assert_eq!(started, [30, 10, 20]);
        assert_eq!(side_by_side(&[1, 2, 3], NonZeroUsize::new(1), |job| job + 1), [2, 3, 4]);
    }

    #[test]
    fn control_characters_are_written_out() {
        assert!(matches!(visible("plain, \u{e9} and\n\"quoted\""), Cow::Borrowed(_)));
        assert_eq!(visible("a\u{1b}]0;x\u{7}b\tc\r\u{9b}"), "a\\u{1b}]0;x\\u{7}b\\tc\\r\\u{9b}");
    }
}

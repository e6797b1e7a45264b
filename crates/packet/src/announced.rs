//! Routers announce what waits at their outputs to those whose rule weighs whole ways.
//!
//! # What is announced when
//! An *interval* is the least time in which a router can affect another one, which follows from the machine alone. At each of its
//! multiples a router announces the bytes that wait for each of its outputs, as they were at that instant, whatever it learned
//! later. A decision at an instant in interval `k` looks at what was announced at the beginning of interval `k - 2`, so the view is
//! between two and three intervals old, for any number of threads and processes and for windows of any width.
//!
//! # Why it is there in time
//! A window is no wider than an interval. A router writes what it announces at an instant at the latest when it is run in the
//! window of that instant: it is woken for it where anything waits. What is decided two intervals later is in another window, also
//! of processes that get the announcement with the mail of the next one. Nothing is written where nothing waits: a cell with
//! another interval than the one asked for means that.

use crate::network::PacketNetwork;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicU64, Ordering};

/// Cells of an output: what may be written in a window and what may be read are four intervals at most.
const CELLS: usize = 4;

/// By output of the machine: what has been announced, each with its interval in the upper half.
#[derive(Debug, Default)]
pub(crate) struct Announced(Vec<[AtomicU64; CELLS]>);

impl Announced {
    pub(crate) fn new(network: &PacketNetwork) -> Self {
        let outputs = if network.routing.looks_far() { network.outputs.len() } else { 0 };
        Self(std::iter::repeat_with(Default::default).take(outputs).collect())
    }

    /// Writes a word of an output.
    pub(crate) fn write(&self, output: u32, word: u64) {
        let cell = (word >> u32::BITS) as usize % CELLS;
        self.0[output as usize][cell].store(word, Ordering::Relaxed);
    }

    /// The bytes that waited for an output at the beginning of an interval.
    fn read(&self, output: u32, interval: u64) -> u64 {
        let word = self.0[output as usize][interval as usize % CELLS].load(Ordering::Relaxed);
        if word >> u32::BITS == interval & u64::from(u32::MAX) { word & u64::from(u32::MAX) } else { 0 }
    }

    /// All words of some outputs, for a checkpoint.
    pub(crate) fn words(&self, outputs: std::ops::Range<u32>) -> Vec<(u32, u64)> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let words = |output: u32| self.0[output as usize].iter().map(move |cell| (output, cell));
        let all = outputs.flat_map(words).map(|(output, cell)| (output, cell.load(Ordering::Relaxed)));
        all.filter(|&(_, word)| word > 0).collect()
    }
}

pub(crate) fn word(interval: u64, bytes: u64) -> u64 {
    interval << u32::BITS | bytes.min(u32::MAX.into())
}

/// The routers of a part remember what they have announced.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Announcing {
    /// Length of an interval, in picoseconds.
    pub(crate) interval: u64,
    /// By first output of a router: the interval that it has announced last.
    pub(crate) last: Vec<u64>,
    /// By number of a router in the topology: its first output.
    #[serde(skip)]
    first: Vec<u32>,
}

impl Announcing {
    pub(crate) fn new(network: &PacketNetwork, outputs: usize) -> Option<Self> {
        if !network.routing.looks_far() {
            return None;
        }
        let mut first = vec![0; network.numbers.len()];
        for (&number, place) in network.numbers.iter().zip(&network.routers) {
            first[number as usize] = place.output;
        }
        Some(Self { interval: network.lookahead.as_ps(), last: vec![0; outputs], first })
    }

    /// The bytes that wait for an output of any router, as a decision at an instant knows them.
    pub(crate) fn view(&self, announced: &Announced, (router, output): (u32, u16), now: u64) -> u64 {
        let Some(interval) = (now / self.interval).checked_sub(2) else { return 0 };
        announced.read(self.first[router as usize] + u32::from(output), interval)
    }
}

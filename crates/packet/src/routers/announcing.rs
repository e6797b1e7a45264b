//! What waits at the outputs of all routers, as they announce it to those whose rule weighs whole ways.
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

use super::Router;
use super::ruling::Ruling;
use crate::network::{Output, PacketNetwork};
use crate::shared::Shared;
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
    pub(super) fn write(&self, output: u32, word: u64) {
        let cell = (word >> u32::BITS) as usize % CELLS;
        self.0[output as usize][cell].store(word, Ordering::Relaxed);
    }

    /// The bytes that waited for an output at the beginning of an interval.
    fn read(&self, output: u32, interval: u64) -> u64 {
        let word = self.0[output as usize][interval as usize % CELLS].load(Ordering::Relaxed);
        if word >> u32::BITS == interval & u64::from(u32::MAX) { word & u64::from(u32::MAX) } else { 0 }
    }

    /// All words of some outputs, for a checkpoint.
    pub(super) fn words(&self, outputs: std::ops::Range<u32>) -> Vec<(u32, u64)> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let words = |output: u32| self.0[output as usize].iter().map(move |cell| (output, cell));
        let all = outputs.flat_map(words).map(|(output, cell)| (output, cell.load(Ordering::Relaxed)));
        all.filter(|&(_, word)| word > 0).collect()
    }
}

fn word(interval: u64, bytes: u64) -> u64 {
    interval << u32::BITS | bytes.min(u32::MAX.into())
}

/// What the routers of a part have announced.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Announcing {
    /// Length of an interval, in picoseconds.
    interval: u64,
    /// By first output of a router: the interval that it has announced last.
    pub(super) last: Vec<u64>,
    /// By number of a router in the topology: its first output.
    #[serde(skip)]
    first: Vec<u32>,
}

impl Announcing {
    pub(super) fn new(network: &PacketNetwork, outputs: usize) -> Option<Self> {
        let mut first = vec![0; network.numbers.len()];
        for (&number, place) in network.numbers.iter().zip(&network.routers) {
            first[number as usize] = place.output;
        }
        let interval = network.lookahead.as_ps();
        network.routing.looks_far().then(|| Self { interval, last: vec![0; outputs], first })
    }

    /// The bytes that wait for an output of any router, as a decision at an instant knows them.
    pub(super) fn view(&self, shared: &Shared<'_>, (router, output): (u32, u16), now: u64) -> u64 {
        let Some(interval) = (now / self.interval).checked_sub(2) else { return 0 };
        shared.announced.read(self.first[router as usize] + u32::from(output), interval)
    }
}

impl<const HELD: bool, const CLASSED: bool> Router<'_, '_, HELD, CLASSED> {
    /// Announces what waited at the beginning of the interval of an instant, unless that has been done; before anything is changed or
    /// looked at there.
    #[inline(always)]
    pub(super) fn announce(&mut self, now: u64) {
        if self.state.ruling.as_ref().is_some_and(|ruling| ruling.announcing.is_some()) {
            self.announce_interval_of(now);
        }
    }

    #[inline(never)]
    fn announce_interval_of(&mut self, now: u64) {
        let Some(ruling) = &mut self.state.ruling else { return };
        let Ruling { queues, announcing: Some(announcing), .. } = &mut **ruling else { return };
        let (first, interval) = (self.outputs as usize, now / announcing.interval);
        if announcing.last[first] >= interval {
            return;
        }
        announcing.last[first] = interval;
        let (at, vcs) = (interval * announcing.interval, self.network.vcs as usize);
        for place in first..self.outputs_end as usize {
            let port = &self.state.outputs[place];
            if port.to & Output::NODE == 0 {
                let bytes = queues.at(place, vcs, (self.slots, port.lane), at);
                if bytes > 0 {
                    let output = self.state.first.output + place as u32;
                    self.outbox.announce(output, word(interval, bytes));
                }
            }
        }
    }

    /// At the end of a window: announces what the beginning of its last interval needs, and wakes for the next one where anything waits.
    #[inline(always)]
    pub(super) fn end_announcing(&mut self) {
        if self.state.ruling.as_ref().is_some_and(|ruling| ruling.announcing.is_some()) {
            self.announce_to_the_end();
        }
    }

    #[inline(never)]
    fn announce_to_the_end(&mut self) {
        let end = self.window.end.as_ps();
        self.announce_interval_of(end - 1);
        let Some(ruling) = &mut self.state.ruling else { return };
        let Ruling { queues, announcing: Some(announcing), .. } = &mut **ruling else { return };
        let next = ((end - 1) / announcing.interval + 1) * announcing.interval;
        let vcs = self.network.vcs as usize;
        let waits = (self.outputs as usize..self.outputs_end as usize).any(|place| {
            let port = &self.state.outputs[place];
            port.to & Output::NODE == 0 && queues.at(place, vcs, (self.slots, port.lane), end) > 0
        });
        if waits {
            self.outbox.wake(self.position, next, self.window);
        }
    }
}

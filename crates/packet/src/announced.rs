//! Routers announce what waits at their outputs, where a rule weighs whole ways or interfaces decide.
//!
//! # What is announced when
//! An *interval* is the least time in which a router can affect another one, which follows from the machine alone. At each of its
//! multiples a router announces the bytes that wait for each of its outputs, as they were at that instant, whatever it learned
//! later. A decision at an instant in interval `k` looks at what was announced at the beginning of interval `k - 2`, so the view is
//! between two and three intervals old, for any number of threads and processes and for windows of any width. That holds for interfaces
//! too, whose router may belong to another thread.
//!
//! # Why it is there in time
//! A window is no wider than an interval. A router writes what it announces at an instant at the latest when it is run in the
//! window of that instant: it is woken for it where anything waits. What is decided two intervals later is in another window, also
//! of processes that get the announcement with the mail of the next one. Nothing is written where nothing waits: a cell with
//! another interval than the one asked for means that.

use crate::network::{Channel, PacketNetwork};
use crate::routing::ruled::At;
use std::sync::atomic::{AtomicU64, Ordering};
use weir_units::mix;

/// Cells of an output: what may be written in a window and what may be read are four intervals at most.
const CELLS: usize = 4;

/// Keeps what has been announced; it has nothing where no rule asks for that.
#[derive(Debug, Default)]
pub(crate) struct Announced {
    /// By output of the machine: the bytes, each with its interval in the upper half.
    outputs: Vec<[AtomicU64; CELLS]>,
    /// By number of a router in the topology: its first output.
    first: Vec<u32>,
}

impl PacketNetwork {
    /// Length of an interval, in picoseconds.
    pub(crate) fn announcement_interval(&self) -> u64 {
        self.lookahead.as_ps()
    }
}

impl Announced {
    pub(crate) fn new(network: &PacketNetwork) -> Self {
        if !network.routing.announces() {
            return Self::default();
        }
        let outputs = std::iter::repeat_with(Default::default).take(network.outputs.len()).collect();
        let mut first = vec![0; network.numbers.len()];
        for (&number, place) in network.numbers.iter().zip(&network.routers) {
            first[number as usize] = place.output;
        }
        Self { outputs, first }
    }

    /// The bytes that wait for an output of a router, by its number in the topology, as a decision at an instant knows them.
    pub(crate) fn view(&self, (router, output): (u32, u16), now: u64, network: &PacketNetwork) -> u64 {
        let Some(first) = self.first.get(router as usize) else { return 0 };
        let Some(interval) = (now / network.announcement_interval()).checked_sub(2) else { return 0 };
        self.read(first + u32::from(output), interval)
    }

    /// Writes a word of an output.
    pub(crate) fn write(&self, output: u32, word: u64) {
        let cell = (word >> u32::BITS) as usize % CELLS;
        self.outputs[output as usize][cell].store(word, Ordering::Relaxed);
    }

    /// The address with which a packet leaves the interface with a number in [`PacketNetwork::nics`] at an instant: where interfaces
    /// decide, by what has been announced.
    #[inline(always)]
    pub(crate) fn injected(&self, from: (u32, u32), now: u64, network: &PacketNetwork) -> u32 {
        // Most machines announce nothing, and this is done for each packet.
        if self.outputs.is_empty() { from.0 } else { self.decided(from, now, network) }
    }

    #[inline(never)]
    fn decided(&self, (address, number): (u32, u32), now: u64, network: &PacketNetwork) -> u32 {
        let router = network.routers[network.nics[number as usize].router as usize].address;
        let nic = network.nic_of_route(number % network.nics_per_node);
        let at = At { router, channel: Channel::OF_A_NODE, address, nic };
        // Routers draw from the numbers of their lanes, which are small.
        let draw = mix(mix(!u64::from(number)).wrapping_add(now));
        network.routing.injected(at, draw, &|router, output| self.view((router, output), now, network))
    }

    /// The bytes that waited for an output at the beginning of an interval.
    fn read(&self, output: u32, interval: u64) -> u64 {
        let word = self.outputs[output as usize][interval as usize % CELLS].load(Ordering::Relaxed);
        if word >> u32::BITS == interval & u64::from(u32::MAX) { word & u64::from(u32::MAX) } else { 0 }
    }

    /// All words of some outputs, for a checkpoint.
    pub(crate) fn words(&self, outputs: std::ops::Range<u32>) -> Vec<(u32, u64)> {
        if self.outputs.is_empty() {
            return Vec::new();
        }
        let words = |output: u32| self.outputs[output as usize].iter().map(move |cell| (output, cell));
        let all = outputs.flat_map(words).map(|(output, cell)| (output, cell.load(Ordering::Relaxed)));
        all.filter(|&(_, word)| word > 0).collect()
    }
}

pub(crate) fn word(interval: u64, bytes: u64) -> u64 {
    interval << u32::BITS | bytes.min(u32::MAX.into())
}

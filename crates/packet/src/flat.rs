//! A network with synthetic traffic as arrays of numbers, for a processor that runs its routers by code of its own, and what that
//! leaves as the result of a run.
//!
//! `crates/gpu/kernels/state.h` has the same structures in C; those of many words are written here in the order of their fields there.

mod ended;
mod messages;
mod network;
mod routers;
mod routes;
mod samples;

use crate::destinations::Destinations;
use crate::draws::{Draws, Slot, Source};
use crate::network::PacketNetwork;
use crate::{Refusal, SelfTraffic, Synthetic, TrafficPattern};
pub use messages::{FlatMessages, PlacedMessages};
pub use network::FlatNetwork;
use routers::RouterRegions;
use samples::{PlacedSamples, Sampling};
use weir_network::Limits;
use weir_network::record::Recorder;
use weir_units::{Duration, NodeId, Time};

/// Bytes in the memory of a [`Memory`], by their address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// The address of the first byte.
    pub address: u64,
    /// The number of bytes.
    pub bytes: usize,
}

/// The memory of a processor. What is put there stays until the memory is dropped.
pub trait Memory {
    /// Why there is no more of it.
    type Error;

    /// Copies bytes there, to an address that is a multiple of 64.
    ///
    /// # Errors
    /// When there is no room.
    fn put(&mut self, bytes: &[u8]) -> Result<Region, Self::Error>;

    /// Makes room for so many bytes, all of them zero, at an address that is a multiple of 64.
    ///
    /// # Errors
    /// When there is no room.
    fn zeros(&mut self, bytes: usize) -> Result<Region, Self::Error>;

    /// Copies the bytes of a region back.
    ///
    /// # Errors
    /// When the processor has failed.
    fn read(&self, region: Region) -> Result<Vec<u8>, Self::Error>;
}

/// The bytes of numbers one behind the other.
pub(crate) fn bytes_of<const N: usize>(numbers: impl IntoIterator<Item = [u8; N]>) -> Vec<u8> {
    numbers.into_iter().flatten().collect()
}

pub(crate) fn words(numbers: impl IntoIterator<Item = u64>) -> Vec<u8> {
    bytes_of(numbers.into_iter().map(u64::to_le_bytes))
}

pub(crate) fn halves(numbers: impl IntoIterator<Item = u32>) -> Vec<u8> {
    bytes_of(numbers.into_iter().map(u32::to_le_bytes))
}

/// Two numbers as a word, the first in the lower half.
pub(crate) fn pair(low: u32, high: u32) -> u64 {
    u64::from(high) << u32::BITS | u64::from(low)
}

/// Pairs of numbers as words.
pub(crate) fn pairs(numbers: impl IntoIterator<Item = u32>) -> Vec<u64> {
    let numbers: Vec<u32> = numbers.into_iter().collect();
    let (pairs, _) = numbers.as_chunks();
    pairs.iter().map(|&[low, high]| pair(low, high)).collect()
}

/// The words that bytes are.
fn words_of(bytes: &[u8]) -> Vec<u64> {
    bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect()
}

/// The numbers of 32 bits that bytes are.
fn halves_of(bytes: &[u8]) -> impl Iterator<Item = u32> + '_ {
    bytes.as_chunks().0.iter().map(|half| u32::from_le_bytes(*half))
}

/// The arrays of so many words each that bytes are.
fn rows<const N: usize>(bytes: &[u8]) -> Vec<[u64; N]> {
    words_of(bytes).as_chunks().0.to_vec()
}

/// The most packets that each lane has held, from the bytes of all lanes.
fn longest_of(lanes: &[u8]) -> Vec<u16> {
    halves_of(lanes).map(|lane| (lane >> u16::BITS) as u16).collect()
}

/// The words of a structure, while its arrays are put into a memory: for each of them it has the address.
pub(crate) struct Placing<'m, M> {
    pub(crate) words: Vec<u64>,
    pub(crate) memory: &'m mut M,
}

impl<M: Memory> Placing<'_, M> {
    pub(crate) fn put(&mut self, bytes: &[u8]) -> Result<Region, M::Error> {
        let region = self.memory.put(bytes)?;
        self.words.push(region.address);
        Ok(region)
    }

    pub(crate) fn zeros(&mut self, bytes: usize) -> Result<Region, M::Error> {
        let region = self.memory.zeros(bytes)?;
        self.words.push(region.address);
        Ok(region)
    }
}

/// One run of synthetic traffic, ready for a processor.
#[derive(Debug)]
pub struct FlatRun<'a> {
    network: &'a PacketNetwork,
    traffic: &'a Synthetic,
    asked: Limits,
    /// The first instant that is measured, and the last at which anything happens.
    from: u64,
    last: u64,
    destinations: Destinations,
    /// If samples are taken.
    sampling: Option<Sampling>,
}

/// A run whose state is in a memory.
#[derive(Debug)]
pub struct PlacedRun<'a> {
    run: FlatRun<'a>,
    /// The words of its structure `Point`.
    pub words: Vec<u8>,
    /// Number of windows that it has.
    pub windows: u64,
    state: State,
    samples: Option<PlacedSamples>,
    /// The limit that has ended it before its end.
    stopped: Option<String>,
}

/// Places of these words in a structure `Point`.
const LAST: usize = 2;
const WINDOWS: usize = 4;

/// Where the parts of the state are that are read when a run is over.
#[derive(Clone, Copy, Debug)]
struct State {
    lanes: Region,
    loads: Region,
    sources: Region,
    results: Region,
    histograms: Region,
    moved: Region,
}

/// Words of what an output has carried, of a source, of the sums of a router, of two histograms, and of what messages need.
const LOAD_WORDS: usize = 4;
const MESSAGE_WORDS: usize = 6;
const SOURCE_WORDS: usize = 8;
const RESULT_WORDS: usize = 10;
const STEPS: usize = 2048;
/// Histograms are kept so many times, so that few routers count in the same one at a time.
const STRIPES: usize = 16;

impl PacketNetwork {
    /// Prepares synthetic traffic for another processor. Nothing of the run is different there.
    ///
    /// # Errors
    /// All reasons why code that runs arrays cannot run it.
    pub fn flat<'a>(&'a self, traffic: &'a Synthetic, asked: Limits) -> Result<FlatRun<'a>, Vec<Refusal>> {
        let refusals = self.not_flat();
        if !refusals.is_empty() {
            return Err(refusals);
        }
        let from = Time::ZERO + traffic.warmup;
        let end = (from + traffic.duration).min(Self::within(asked).simulated);
        let destinations = Destinations::new(self, traffic.pattern, traffic.seed);
        let (from, last) = (from.as_ps(), end.as_ps().saturating_sub(1));
        Ok(FlatRun { network: self, traffic, asked, from, last, destinations, sampling: None })
    }
}

impl PlacedRun<'_> {
    /// The interval of samples that is over before the window with a number, and the instant at which it is, in picoseconds; that is the last of
    /// all before a window that the run does not have. `None` if none is.
    pub fn over_before(&self, window: u64) -> Option<(u64, u64)> {
        let sampling = self.run.sampling?;
        if self.is_over(window) {
            return Some(sampling.last(self.run.last));
        }
        sampling.over_before(window, self.run.network.width.duration().as_ps())
    }

    /// Ends the run behind so many windows, for a reason in words: its structure `Point` says so from then on.
    pub fn stop(&mut self, windows: u64, why: String) {
        self.windows = windows;
        self.run.last = self.end().as_ps().saturating_sub(1);
        for (place, word) in [(WINDOWS, windows), (LAST, self.run.last)] {
            self.words[8 * place..][..8].copy_from_slice(&word.to_le_bytes());
        }
        self.stopped = Some(why);
    }

    /// Returns whether it has come to its end before a window.
    pub fn is_over(&self, window: u64) -> bool {
        window >= self.windows
    }

    /// The instant at which it ends.
    fn end(&self) -> Time {
        let behind = Time::from_ps(self.windows.saturating_mul(self.run.network.width.duration().as_ps()));
        behind.min(Time::from_ps(self.run.last + 1))
    }

    /// Passes the samples of all intervals to a recorder, when all windows have been run.
    ///
    /// # Errors
    /// When the processor has failed.
    pub fn report<M: Memory>(&self, memory: &M, recorder: &mut dyn Recorder) -> Result<(), M::Error> {
        let samples = self.samples.as_ref();
        samples.map_or(Ok(()), |samples| samples.report(self.run.network, memory, recorder))
    }
}

impl<'a> FlatRun<'a> {
    /// The network that it needs.
    pub fn network(&self) -> &'a PacketNetwork {
        self.network
    }

    /// Returns whether the rule of its network decides for each packet.
    pub fn decides(&self) -> bool {
        self.network.routing.decides()
    }

    /// The same run with samples at intervals, for which its network [has to have windows](PacketNetwork::for_intervals).
    ///
    /// # Panics
    /// When an interval is no whole number of windows.
    #[must_use]
    pub fn sampled(self, interval: Duration) -> Self {
        assert!(interval.as_ps().is_multiple_of(self.network.window().as_ps()), "windows that fit");
        let sampling = Sampling::new(self.network, interval, self.last, self.traffic.packet.0 as u32);
        Self { sampling: Some(sampling), ..self }
    }

    /// Returns whether samples are taken.
    pub fn is_sampled(&self) -> bool {
        self.sampling.is_some()
    }

    /// The number of bytes that its state takes.
    pub fn memory(&self) -> u64 {
        let network = self.network;
        self.sampling.map_or(0, |sampling| sampling.memory())
            + network.memory_of_routers()
            + network.nodes() as u64 * (72 + 2 * u64::from(network.vcs))
            + network.routers() as u64 * 8 * RESULT_WORDS as u64
            + (1 << 20)
    }

    /// Puts its state into a memory. `number` is what `Point` says of its [network](FlatNetwork): where that is found.
    ///
    /// # Errors
    /// When there is no room.
    pub fn place<M: Memory>(self, number: u64, memory: &mut M) -> Result<PlacedRun<'a>, M::Error> {
        let (network, bytes) = (self.network, self.traffic.packet.0 as u32);
        let draws = Draws::new(network, self.traffic, &self.destinations);
        let windows = self.last / network.width.duration().as_ps() + 1;
        let scalars = vec![number, self.from, self.last, draws.unit.into(), windows, bytes.into()];
        let mut point = Placing { words: scalars, memory };
        let RouterRegions { lanes, loads, .. } = network.put_routers(bytes, &mut point)?;
        let nodes = network.nodes_by_router();
        let first: Vec<Source> = nodes.iter().map(|&node| draws.first(node)).collect();
        let sources = point.put(&words(
            first
                .iter()
                .flat_map(|source| [0, source.made, source.state, 0, 0, 0, u64::MAX, source.to.0.into()]),
        ))?;
        let soonest = |source: &Source| if source.made > self.last { u64::MAX } else { source.made };
        point.put(&words(first.iter().map(soonest)))?;
        point.zeros(network.nodes() * network.vcs as usize * 2)?;
        point.words.push(network.injection_vcs.into());
        let results = point.zeros(network.routers() * 8 * RESULT_WORDS)?;
        let histograms = point.zeros(STRIPES * 2 * STEPS * 8)?;
        point.words.push(STRIPES as u64);
        let moved = point.zeros(windows as usize * 4)?;
        let (geometric, slot, scale) = match draws.slot {
            Slot::Geometric { slot, scale } => (1, slot, scale),
            Slot::Exponential { mean } => (0, 0, mean),
        };
        point.words.extend([geometric, slot, scale.to_bits()]);
        self.put_pattern(&draws, &mut point)?;
        point.words.extend([0; MESSAGE_WORDS]);
        let samples = self.sampling.map(|sampling| sampling.put(network, &mut point)).transpose()?;
        if samples.is_none() {
            point.words.push(0);
        }
        let words = words(point.words);
        let state = State { lanes, loads, sources, results, histograms, moved };
        Ok(PlacedRun { words, windows, state, samples, stopped: None, run: self })
    }

    /// Adds what says where packets go.
    fn put_pattern<M: Memory>(&self, draws: &Draws<'_>, point: &mut Placing<'_, M>) -> Result<(), M::Error> {
        let (mut only, mut group, mut shift, mut hot) = (Vec::new(), 1, 0, (0, 0.0));
        let kind = match self.traffic.pattern {
            TrafficPattern::Uniform => 1,
            TrafficPattern::GroupShift { group: nodes, shift: groups } => {
                (group, shift) = (u64::from(nodes), u64::from(groups));
                2
            }
            TrafficPattern::HotSpot { node, part } => {
                hot = (u64::from(node.0), part);
                3
            }
            _ => {
                let nodes = (0..self.network.nodes()).map(NodeId::new);
                only = nodes.map(|node| self.destinations.draw(node, &mut 0).0).collect();
                0
            }
        };
        point.words.push(kind);
        point.put(&halves(only))?;
        point.words.extend([group, shift, hot.0, hot.1.to_bits()]);
        let skips = self.traffic.self_traffic == SelfTraffic::Skipped;
        point.words.extend([skips, draws.has_others].map(u64::from));
        Ok(())
    }
}

//! The routers of a run with programs as arrays: its interfaces are those of the engine.

use super::routers::RouterRegions;
use super::{LOAD_WORDS, MESSAGE_WORDS, Memory, Placing, RESULT_WORDS, Region};
use super::{longest_of, rows, words};
use crate::Refusal;
use crate::network::{PacketNetwork, Sender};
use crate::remote::{RemoteCounts, RemoteLoad, RemoteWindow};
use weir_network::Limits;

/// The routers of a network, ready for a processor that runs them for programs.
#[derive(Clone, Copy, Debug)]
pub struct FlatMessages<'a> {
    network: &'a PacketNetwork,
    /// The last instant at which anything happens, in picoseconds.
    last: u64,
}

/// Routers whose state is in a memory.
#[derive(Debug)]
pub struct PlacedMessages<'a> {
    network: &'a PacketNetwork,
    /// The words of its structure `Point`.
    pub words: Vec<u8>,
    routers: RouterRegions,
    /// The lengths of the lists of a window: all of it is zero before one.
    pub lists: Region,
    delivered: Region,
    freed: Region,
}

/// The most entries of a table of times.
const MOST_TIMES: usize = 1 << 24;
/// Words of a structure `Point` for sources and patterns, which are not needed here.
const SOURCES: usize = 4;

impl PacketNetwork {
    /// Prepares the routers of this network for another processor, which runs them for [programs](Self::run_remote).
    ///
    /// # Errors
    /// All reasons why code that runs arrays cannot run them.
    pub fn flat_messages(&self, limits: Limits) -> Result<FlatMessages<'_>, Vec<Refusal>> {
        let mut refusals = self.not_flat();
        if self.nics_per_node > 1 {
            let what = "are several of a node, which a GPU does not know where programs send messages";
            refusals.push(Refusal::new("node.nics", what, "run it without --gpu"));
        }
        if self.times() > MOST_TIMES {
            let what = "is so large that a table of the times of all packets does not fit";
            refusals.push(Refusal::new("packet.mtu", what, "run it without --gpu"));
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        Ok(FlatMessages { network: self, last: Self::within(limits).simulated.as_ps() })
    }

    /// Entries of a table of the times of packets of all sizes.
    fn times(&self) -> usize {
        (self.wires.len() + self.crossbars.len()) * (self.mtu as usize + 1)
    }

    /// Places in the buffers behind interfaces.
    fn places_of_nodes(&self) -> usize {
        let inputs = self.inputs.iter().enumerate();
        let of_nodes = inputs.filter(|(_, input)| matches!(input.from, Sender::Nic(_)));
        of_nodes.map(|(input, _)| self.rooms.of(input) as usize * self.vcs as usize).sum()
    }
}

impl<'a> FlatMessages<'a> {
    /// The network that it needs.
    pub fn network(&self) -> &'a PacketNetwork {
        self.network
    }

    /// The number of bytes that its state takes.
    pub fn memory(&self) -> u64 {
        let lists = 16 * (self.network.places() + self.network.places_of_nodes()) as u64;
        self.network.memory_of_routers() + lists + 8 * self.network.times() as u64 + (1 << 20)
    }

    /// Puts its state into a memory. `number` is what `Point` says of its [network](super::FlatNetwork): where that is found.
    ///
    /// # Errors
    /// When there is no room.
    pub fn place<M: Memory>(self, number: u64, memory: &mut M) -> Result<PlacedMessages<'a>, M::Error> {
        let network = self.network;
        // Everything counts, and there is always another window.
        let scalars = vec![number, 0, self.last, 0, u64::MAX, network.mtu.into()];
        let mut point = Placing { words: scalars, memory };
        let routers = network.put_routers(network.mtu, &mut point)?;
        point.words.extend([0; SOURCES]);
        point.zeros(network.routers() * 8 * RESULT_WORDS)?;
        // Histograms and windows, times between packets, and patterns.
        point.words.extend([0; 3 + 3 + 8]);
        let before = point.words.len();
        point.words.extend([1, u64::from(network.mtu) + 1]);
        let speeds = network.wires.iter().map(|wire| &wire.speed);
        let speeds = speeds.chain(network.crossbars.iter().map(|crossbar| &crossbar.speed));
        point.put(&words(speeds.flat_map(|speed| (0..=network.mtu).map(|bytes| speed.time(bytes)))))?;
        let lists = point.zeros(3 * 8)?;
        // A place that a packet has left in a window is not taken again within it, so lists are no longer than this.
        let delivered = point.zeros(network.places() * RemoteWindow::BYTES)?;
        let freed = point.zeros(network.places_of_nodes() * RemoteWindow::BYTES)?;
        debug_assert_eq!(point.words.len(), before + MESSAGE_WORDS);
        // No samples.
        point.words.push(0);
        Ok(PlacedMessages { network, words: words(point.words), routers, lists, delivered, freed })
    }
}

impl PlacedMessages<'_> {
    /// The results of a window.
    ///
    /// # Errors
    /// When the processor has failed.
    pub fn window<M: Memory>(&self, memory: &M) -> Result<RemoteWindow, M::Error> {
        let lengths = rows::<3>(&memory.read(self.lists)?);
        let [delivered, freed, hops] = lengths.first().copied().unwrap_or_default();
        let first = |region: Region, count: u64| Region {
            bytes: region.bytes.min(count as usize * RemoteWindow::BYTES),
            ..region
        };
        Ok(RemoteWindow {
            delivered: memory.read(first(self.delivered, delivered))?,
            freed: memory.read(first(self.freed, freed))?,
            hops,
            has_failed: false,
        })
    }

    /// All that routers have counted.
    ///
    /// # Errors
    /// When the processor has failed.
    pub fn counts<M: Memory>(&self, memory: &M) -> Result<RemoteCounts, M::Error> {
        let RouterRegions { lanes, outputs, loads } = self.routers;
        let link_free = rows::<4>(&memory.read(outputs)?).into_iter().map(|[link_free, ..]| link_free);
        let loads = rows::<LOAD_WORDS>(&memory.read(loads)?);
        let load = |(link_free, [packets, bytes, busy, waited]): (u64, [u64; LOAD_WORDS])| RemoteLoad {
            link_free,
            packets,
            bytes,
            busy,
            waited,
        };
        let outputs: Vec<_> = link_free.zip(loads).map(load).collect();
        let longest = longest_of(&memory.read(lanes)?);
        debug_assert_eq!(longest.len(), self.network.lanes());
        Ok(RemoteCounts { outputs, longest })
    }
}

//! The endpoints of synthetic traffic: at each node a source that never runs dry, and a sink.
//!
//! A source has no queue. When a packet is made does not depend on the network; so the next one is drawn when the last one
//! has left, and what would wait in a queue is what was made in the past.

use crate::crossing::{Delivery, Sink};
use crate::draws::{Draws, Source};
use crate::flights::{FlightName, FlightNumbers};
use crate::network::PacketNetwork;
use crate::nic::{Nics, Parcel, SavedNics, Until};
use crate::parts::{Endpoints, Saved};
use crate::prefetch::{needed, prefetch};
use crate::reports::PartReport;
use crate::routers::{MeasuredPeriod, Measurement, Routers};
use crate::shared::Shared;
use crate::synthetic::SourceCounts;
use weir_network::record::LatencySeries;
use weir_network::{Class, LatencyKind, Requested};
use weir_pdes::{Next, Window};
use weir_units::{Bytes, Duration, NodeId, Rank, Time, mix};

/// Tables of addresses are large, so what they say is asked for so many nodes ahead.
const ADDRESSES_AHEAD: usize = 16;

/// The nodes of one part.
pub(crate) struct Sources<'a> {
    network: &'a PacketNetwork,
    part: usize,
    draws: Draws<'a>,
    nodes: Vec<NodeId>,
    sources: Vec<Source>,
    nics: Nics,
    awake: Vec<u32>,
    counted: MeasuredPeriod,
    bytes: u32,
    sums: SourceCounts,
    /// If samples of intervals are requested.
    latencies: Option<LatencySeries>,
    /// The end of the last window, in picoseconds.
    pub(crate) reached: u64,
    /// True if a window after the end has been run.
    beyond: bool,
    /// True if something would happen after the end.
    pub(crate) over: bool,
}

impl<'a> Sources<'a> {
    pub(crate) fn new(
        network: &'a PacketNetwork,
        shared: &Shared<'_>,
        part: usize,
        draws: Draws<'a>,
        kept: Measurement<'_>,
    ) -> Self {
        let per_node = network.nics_per_node;
        let nodes = shared.nodes(network, part);
        let nics = Nics::new(network, nodes.iter().map(|node| node.0 * per_node), kept);
        let mut sources = Self {
            network,
            part,
            bytes: draws.traffic.packet.0 as u32,
            draws,
            sources: Vec::with_capacity(nodes.len()),
            nics,
            awake: Vec::new(),
            counted: kept.counted,
            sums: SourceCounts::default(),
            latencies: kept.requested.and_then(Requested::of_latencies).map(LatencySeries::new),
            reached: 0,
            beyond: false,
            over: false,
            nodes: Vec::new(),
        };
        for (place, &node) in nodes.iter().enumerate() {
            let source = draws.first(node);
            if source.made != u64::MAX {
                sources.nics.wake_first(place as u32, source.made);
            }
            sources.sources.push(source);
        }
        sources.nodes = nodes;
        sources
    }

    /// Sends the packets of a node that can leave in a window.
    fn pump(&mut self, place: u32, routers: &mut Routers<'_>) {
        let node = self.nodes[place as usize];
        needed(&self.sources, place as usize);
        let mut source = self.sources[place as usize];
        let (end, window) = (routers.end, routers.window);
        loop {
            if source.made > self.counted.last {
                if source.made != u64::MAX {
                    self.nics.wake(place, source.made, &window);
                }
                break;
            }
            // Else its address would be looked up, far away, when it is of no use yet.
            let soonest = self.nics.soonest(place as usize, source.made);
            if soonest >= end {
                self.nics.wake(place, soonest, &window);
                break;
            }
            // Without a way it waits for a change of the machine.
            let Some(address) = self.network.address(node, 0, source.to) else { break };
            let made = u64::from((source.made >> self.draws.unit) as u32);
            let (to, gap) = (source.to, self.network.node.packet_gap);
            let service = self.network.service_of(Rank(node.0), Bytes(self.bytes.into()), Class::Data);
            let (from, bytes) = (Rank(node.0), self.bytes);
            let parcel = Parcel { address, to, message: made, from, bytes, service, gap, stalled: 0 };
            let until = Until { at: end, is_all: true };
            if self.nics.send(place as usize, parcel, source.made, until, routers).is_err() {
                break;
            }
            self.offer(source.made);
            self.draws.draw(node, &mut source, false);
        }
        self.sources[place as usize] = source;
    }

    fn offer(&mut self, made: u64) {
        if (self.counted.from..=self.counted.last).contains(&made) {
            self.sums.offered += u64::from(self.bytes);
        }
    }

    /// Adds what has been counted, with the packets that were made until then and have not left.
    pub(crate) fn count(mut self, until: Time, counts: SourceCounts) -> SourceCounts {
        for place in 0..self.nodes.len() {
            let (node, mut source) = (self.nodes[place], self.sources[place]);
            while source.made < until.as_ps() {
                self.offer(source.made);
                self.draws.draw(node, &mut source, false);
            }
        }
        let mut all = counts.join(self.sums);
        self.nics.count(self.network, &mut all.counts);
        all
    }
}

impl Sink for Sources<'_> {
    #[inline]
    fn deliver(&mut self, delivery: Delivery) {
        let Delivery { node, label, at, .. } = delivery;
        if at > self.counted.last {
            return;
        }
        self.sums.counts.packets += 1;
        let words = label.message << 32 | u64::from(node.0);
        self.sums.digest = self.sums.digest.wrapping_add(mix(words ^ mix(at) ^ label.birth << 20));
        if at >= self.counted.from {
            self.sums.accepted += u64::from(label.bytes);
            self.sums.counts.latency.add(at - label.birth);
            if let Some(latencies) = &mut self.latencies {
                latencies.add(Time::from_ps(at), Duration::from_ps(at - label.birth));
            }
            let now = (at >> self.draws.unit) as u32;
            self.sums
                .generation_latency
                .add(u64::from(now.wrapping_sub(label.message as u32)) << self.draws.unit);
        }
    }

    fn credit(&mut self, nic: u32, window: u64) {
        self.nics.credit(nic, window);
    }
}

impl Endpoints for Sources<'_> {
    fn run(&mut self, routers: &mut Routers<'_>) {
        let window = routers.window;
        self.reached = window.end.as_ps();
        // Nothing happens after the end, so the first window after it is only for those without a credit.
        self.over = window.start.as_ps() > self.counted.last && std::mem::replace(&mut self.beyond, true);
        let mut awake = std::mem::take(&mut self.awake);
        self.nics.begin(&window, &mut awake);
        for (turn, &place) in awake.iter().enumerate() {
            self.nics.prefetch_ahead(&awake, turn, routers);
            if let Some(&later) = awake.get(turn + ADDRESSES_AHEAD) {
                self.network.routing.prefetch(self.nodes[later as usize], self.sources[later as usize].to);
            }
            if let Some(&later) = awake.get(turn + ADDRESSES_AHEAD + 4) {
                prefetch(&self.sources, later as usize);
            }
            self.pump(place, routers);
        }
        self.awake = awake;
    }

    fn next(&mut self, from: u64) -> Next {
        if self.over {
            return Next::Stop;
        }
        self.nics.next(from).map_or(Next::Nothing, Next::Window)
    }

    fn waits(&self) -> bool {
        self.sources.iter().any(|source| source.made <= self.counted.last)
    }

    fn change(&mut self, opens: u64, window: &Window) {
        self.network = self.network.changed();
        self.nics.open(opens, self.network);
        for (place, source) in self.sources.iter().enumerate() {
            if source.made <= self.counted.last {
                let at = self.nics.soonest(place, source.made).max(window.start.as_ps());
                self.nics.wake_first(place as u32, at);
            }
        }
    }

    fn remains(&self) -> (bool, Time) {
        (false, self.nics.last())
    }

    fn nics(&mut self) -> Option<&mut Nics> {
        Some(&mut self.nics)
    }

    fn close_latencies(&mut self, until: Time, report: &mut PartReport) {
        let packets = self.latencies.as_mut();
        report.latencies(LatencyKind::Packet, packets.map(|series| series.take(until)).unwrap_or_default());
    }

    fn is_over(&self) -> bool {
        self.over
    }

    fn save(&mut self) -> (Vec<FlightName>, Vec<u8>) {
        (Vec::new(), self.saved())
    }

    fn restore(&mut self, saved: &Saved<'_>, _: &FlightNumbers, window: &Window) -> Option<()> {
        self.nics.sleep();
        saved.iter().try_for_each(|(_, bytes)| self.take_over(bytes, window))
    }
}

/// Nodes and their sources, interfaces, counts, and the end of the last window.
type SavedSources = (Vec<NodeId>, Vec<Source>, SavedNics, SourceCounts, u64);

impl Sources<'_> {
    fn saved(&self) -> Vec<u8> {
        let saved = (&self.nodes, &self.sources, self.nics.save(), &self.sums, self.reached);
        postcard::to_stdvec(&saved).expect("memory takes all that is written")
    }

    /// Takes over what belongs to this part of what a part of then has kept; `None` if it cannot be read. The first part of all
    /// takes what has been counted.
    fn take_over(&mut self, bytes: &[u8], window: &Window) -> Option<()> {
        let (nodes, sources, nics, sums, reached): SavedSources = postcard::from_bytes(bytes).ok()?;
        for (node, source) in nodes.into_iter().zip(sources) {
            if let Some(place) = self.nics.place(node.0 * self.network.nics_per_node) {
                self.sources[place] = source;
            }
        }
        self.nics.restore(nics, window.number)?;
        self.reached = self.reached.max(reached);
        if self.part == 0 {
            self.sums = std::mem::take(&mut self.sums).join(sums);
        }
        Some(())
    }
}

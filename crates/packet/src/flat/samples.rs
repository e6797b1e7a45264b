//! Samples at intervals of a run whose arrays are run, see `samples.h`.

use super::{Memory, Placing, Region, words, words_of};
use crate::meters::Load;
use crate::network::{Input, PacketNetwork};
use crate::reports::Samples;
use weir_network::LatencyKind;
use weir_network::record::{BufferSample, Keep, LatencySample, Recorder};
use weir_units::{Duration, LinkId, Time};

/// Words of a link, of a lane, and of the nodes of a router.
const LOAD_SAMPLES: usize = 3;
const LANE_SAMPLES: usize = 2;
const LATENCY_SAMPLES: usize = 3;

/// The intervals of a run, and where in the words of each those of sources, of lanes and of routers begin.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampling {
    interval: u64,
    /// The number of intervals, with those behind the end in which links are busy still.
    intervals: u64,
    of_sources: usize,
    of_lanes: usize,
    of_routers: usize,
    words: usize,
}

/// Samples that are in a memory.
#[derive(Debug)]
pub(super) struct PlacedSamples {
    sampling: Sampling,
    /// By interval.
    intervals: Vec<Region>,
    /// By lane: see `Sampling` in `state.h`.
    pub(super) ever: Region,
}

impl Sampling {
    /// The samples of a network until an instant, of packets of so many bytes.
    pub(super) fn new(network: &PacketNetwork, interval: Duration, last: u64, bytes: u32) -> Self {
        let sends = network.wires.iter().map(|wire| wire.speed.time(bytes)).max().unwrap_or(0);
        let crossbars = network.crossbars.iter();
        let passes = crossbars.map(|crossbar| crossbar.delay + crossbar.speed.time(bytes)).max().unwrap_or(0);
        // A packet leaves behind those that an output buffer has room for.
        let behind = (u64::from(network.output_buffer) + 3).saturating_mul(sends + passes);
        let interval = interval.as_ps();
        let of_sources = LOAD_SAMPLES * network.outputs.len();
        let of_lanes = of_sources + LOAD_SAMPLES * network.nodes();
        let of_routers = of_lanes + LANE_SAMPLES * network.lanes();
        Self {
            interval,
            intervals: last.saturating_add(behind) / interval + 1,
            of_sources,
            of_lanes,
            of_routers,
            words: of_routers + LATENCY_SAMPLES * network.routers(),
        }
    }

    /// The number of bytes that they take.
    pub(super) fn memory(&self) -> u64 {
        self.intervals.saturating_mul(8 * self.words as u64 + 8)
    }

    pub(super) fn put<M: Memory>(
        self,
        network: &PacketNetwork,
        point: &mut Placing<'_, M>,
    ) -> Result<PlacedSamples, M::Error> {
        let memory = &mut *point.memory;
        let intervals = (0..self.intervals).map(|_| memory.zeros(8 * self.words));
        let intervals = intervals.collect::<Result<Vec<_>, _>>()?;
        let table = memory.put(&words(intervals.iter().map(|region| region.address)))?;
        let ever = memory.zeros(2 * network.lanes())?;
        let places = [self.of_sources, self.of_lanes, self.of_routers].map(|place| place as u64);
        let described = [self.interval, self.intervals].into_iter().chain(places);
        point.put(&words(described.chain([table.address, ever.address])))?;
        Ok(PlacedSamples { sampling: self, intervals, ever })
    }

    /// The interval that is over before a window, and when it is, if windows have this width: whole intervals have whole windows.
    pub(super) fn over_before(&self, window: u64, width: u64) -> Option<(u64, u64)> {
        let start = window * width;
        let is_over = start > 0 && start.is_multiple_of(self.interval);
        is_over.then(|| (start / self.interval - 1, start))
    }

    /// The interval of the last instant, and when it is over.
    pub(super) fn last(&self, last: u64) -> (u64, u64) {
        (last / self.interval, last + 1)
    }
}

impl PlacedSamples {
    /// Passes what is asked for of each interval in which something has happened to a recorder, in their order.
    pub(super) fn report<M: Memory>(
        &self,
        network: &PacketNetwork,
        memory: &M,
        recorder: &mut dyn Recorder,
    ) -> Result<(), M::Error> {
        let Sampling { interval, of_sources, of_lanes, of_routers, .. } = self.sampling;
        let keeps = recorder.requested().series;
        let outputs = PacketNetwork::by_link(&network.outputs);
        let sources: Vec<LinkId> = network
            .nodes_by_router()
            .into_iter()
            .map(|node| LinkId(network.nics[node.index() * network.nics_per_node as usize].link))
            .collect();
        for (number, &region) in (0..).zip(&self.intervals) {
            let (start, words) = (Time::from_ps(number * interval), words_of(&memory.read(region)?));
            let load = |place: usize| {
                let [packets, bytes, busy] = std::array::from_fn(|word| words[place + word]);
                Load { packets, bytes, busy }
            };
            let mut samples = Samples::default();
            if keeps.links == Keep::Yes {
                let of_outputs = outputs.iter().map(|&(link, place)| (link, LOAD_SAMPLES * place as usize));
                let of_sources = sources.iter().zip((of_sources..).step_by(LOAD_SAMPLES));
                let all = of_outputs.chain(of_sources.map(|(&link, place)| (link, place)));
                samples.links.extend(all.filter_map(|(link, place)| load(place).sample(link)));
            }
            if keeps.buffers == Keep::Yes {
                let lanes = words[of_lanes..of_routers].as_chunks::<LANE_SAMPLES>().0;
                let of_inputs = network.inputs.iter().zip(lanes.chunks(network.vcs as usize));
                for (&Input { link, .. }, lanes) in of_inputs.filter(|(input, _)| input.link != u32::MAX) {
                    let held = (0..).zip(lanes).filter(|(_, [held, _])| *held > 0);
                    samples.buffers.extend(held.map(|(vc, &[held, most])| BufferSample {
                        link: LinkId(link),
                        vc,
                        held: Duration::from_ps(held),
                        most: most as u32,
                    }));
                }
            }
            samples.put_in_order();
            if !samples.is_empty() {
                recorder.links(start, &samples.links);
                recorder.buffers(start, &samples.buffers);
            }
            let mut latencies = LatencySample::default();
            for &[count, sum, most] in words[of_routers..].as_chunks::<LATENCY_SAMPLES>().0 {
                latencies.join(&LatencySample { count, sum, most: Duration::from_ps(most) });
            }
            if keeps.latencies == Keep::Yes && latencies.count > 0 {
                recorder.latencies(start, LatencyKind::Packet, latencies);
            }
        }
        Ok(())
    }
}

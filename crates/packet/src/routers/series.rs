//! Counts of the routers of a part for the samples of an interval.

use super::states::OutputPort;
use super::{NEVER, RouterStates, Routers, bits};
use crate::meters::{Interval, Load, Loads, Occupancy};
use crate::network::PacketNetwork;
use crate::reports::{PartReport, Samples};
use crate::slots::Slot;
use weir_network::record::{BufferSample, LinkSample, PacketSample, Requested};
use weir_units::{Duration, LinkId};

/// The counters of an interval.
#[derive(Debug)]
pub(super) struct RouterSeries {
    /// By output: what its link carries. If that is requested.
    pub(super) outputs: Option<Loads>,
    /// By lane: how long packets are there, all together. If that is requested.
    pub(super) lanes: Option<Occupancy>,
    /// When the interval began.
    pub(super) start: u64,
    /// Outputs, and inputs, by link.
    outputs_by_link: Vec<(LinkId, u32)>,
    inputs_by_link: Vec<(LinkId, u32)>,
    /// By lane: the most packets that have waited there at a grant in intervals that are over.
    pub(super) ever: Vec<u16>,
}

impl RouterSeries {
    pub(super) fn new(network: &PacketNetwork, state: &RouterStates, requested: &Requested) -> Option<Self> {
        let first_of = |length: Duration| Interval::first(length.as_ps());
        let outputs_requested = requested.of_links().map(first_of);
        let lanes_requested = requested.of_buffers().map(first_of);
        let interval = outputs_requested.or(lanes_requested)?;
        let first = state.first;
        let outputs = &network.outputs[first.output as usize..][..state.outputs.len()];
        let inputs = &network.inputs[first.input as usize..][..state.inputs.len()];
        let used = (0..).zip(inputs).filter(|(_, input)| input.link != u32::MAX);
        let mut inputs_by_link: Vec<_> = used.map(|(place, input)| (LinkId(input.link), place)).collect();
        inputs_by_link.sort_unstable();
        Some(Self {
            outputs: outputs_requested.map(|interval| Loads::new(state.outputs.len(), interval)),
            lanes: lanes_requested.map(|interval| Occupancy::new(state.lanes.len(), interval)),
            start: interval.start,
            outputs_by_link: PacketNetwork::by_link(outputs),
            inputs_by_link,
            ever: vec![0; state.lanes.len()],
        })
    }
}

impl Load {
    /// The load as a sample, if there is any.
    pub(crate) fn sample(self, link: LinkId) -> Option<LinkSample> {
        let Self { packets, bytes, busy } = self;
        (self != Self::default()).then(|| LinkSample {
            link,
            bytes: bytes as f64,
            packets: Some(PacketSample { packets, busy: Duration::from_ps(busy) }),
        })
    }
}

impl Routers<'_> {
    /// Closes the counters of an interval, when all that was granted before `until` has been counted and nothing that was
    /// granted later.
    pub(crate) fn close(&mut self, interval: Interval, until: u64, samples: &mut Samples) {
        let Some(mut series) = self.state.extras.series.take() else { return };
        // The count of a link is that of grants, whether samples are taken or not: those that wait now are in the sample only.
        if series.lanes.is_some() {
            let lanes = self.state.lanes.iter();
            series.ever.iter_mut().zip(lanes).for_each(|(ever, lane)| *ever = lane.longest.max(*ever));
        }
        // Windows may be run behind a limit, for those without a credit: nothing is there any more.
        let until = until.min(self.last_instant().saturating_add(1));
        if until > interval.start {
            self.count_waiting(&mut series, interval, until);
        }
        if let Some(outputs) = &mut series.outputs {
            for &(link, place) in &series.outputs_by_link {
                let &OutputPort { packets, bytes, busy, .. } = &self.state.outputs[place as usize];
                let load = outputs.take(place as usize, Load { packets: packets.into(), bytes, busy });
                samples.links.extend(load.sample(link));
            }
        }
        let vcs = self.network.vcs;
        if let Some(lanes) = &mut series.lanes {
            for &(link, input) in &series.inputs_by_link {
                for vc in 0..vcs {
                    let lane = (input * vcs + vc) as usize;
                    let held = lanes.take(lane);
                    let most = std::mem::take(&mut self.state.lanes[lane].longest);
                    // Whatever has waited here in the interval was here for some time of it.
                    if held > 0 {
                        let held = Duration::from_ps(held);
                        samples.buffers.push(BufferSample { link, vc, held, most: most.into() });
                    }
                }
            }
        }
        self.state.extras.series = Some(series);
    }

    /// Packets that have not been granted are there still.
    fn count_waiting(&mut self, series: &mut RouterSeries, interval: Interval, until: u64) {
        let Some(lanes) = &mut series.lanes else { return };
        let (network, slots) = (self.network, &self.shared.slots);
        let first_lane = self.state.first.input * network.vcs;
        for position in self.outbox.routers.clone() {
            let (place, after) = (network.routers[position], network.routers[position + 1]);
            for mask in place.mask..after.mask {
                for bit in bits(self.state.masks[(mask - self.state.first.mask) as usize].waiting) {
                    let lane = place.input * network.vcs + (mask - place.mask) * 64 + bit;
                    let own = &mut self.state.lanes[(lane - first_lane) as usize];
                    let (mut slot, mut count, mut time) = (own.head, 0, 0);
                    while usize::from(count) < slots.depth(lane)
                        && let Slot::Taken(eligible) = slots.state(slots.place(lane, slot))
                        && eligible < until
                    {
                        time += until - eligible.max(interval.start);
                        count += 1;
                        slot = slots.after(lane, slot);
                    }
                    own.longest = own.longest.max(count);
                    lanes.add_here((lane - first_lane) as usize, time);
                }
            }
        }
    }

    /// Begins another interval, when the one before it is closed.
    pub(crate) fn begin(&mut self, interval: Interval) {
        if let Some(series) = &mut self.state.extras.series {
            series.start = interval.start;
            series.outputs.iter_mut().for_each(|outputs| outputs.carry_over.begin(interval));
            series.lanes.iter_mut().for_each(|lanes| lanes.carry_over.begin(interval));
        }
    }

    /// The first instant after the interval at which something that is known will happen.
    pub(crate) fn first_later(&self) -> Option<u64> {
        let series = self.state.extras.series.as_ref()?;
        let outputs = series.outputs.as_ref().and_then(|outputs| outputs.carry_over.first_later());
        let lanes = series.lanes.as_ref().and_then(|lanes| lanes.carry_over.first_later());
        outputs.into_iter().chain(lanes).min()
    }

    /// The last instant at which anything happens.
    pub(crate) fn last_instant(&self) -> u64 {
        self.counted.last.min(NEVER - 1)
    }

    /// Adds what is reported packet by packet.
    pub(crate) fn report(&mut self, report: &mut PartReport) {
        if let Some(history) = &mut self.state.extras.history {
            report.stays.append(&mut history.stays);
        }
    }
}

//! Counts of the routers of a part for the samples of an interval.

use super::states::OutputPort;
use super::{NEVER, RouterStates, Routers, bits};
use crate::labels::{Labels, Origin};
use crate::meters::{Interval, Load, Loads, Occupancy};
use crate::network::{Channel, PacketNetwork};
use crate::series::{PartReport, Samples};
use crate::slots::{Packet, Slot};
use std::ops::Range;
use weir_network::record::{BufferSample, LinkSample, PacketSample, PacketStay, Requested, RequestedStays};
use weir_units::{Bytes, Duration, LinkId, RouterId, Time};

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
    /// By lane: the most packets that have waited there in intervals that are over.
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
        let Some(mut series) = self.state.series.take() else { return };
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
                    series.ever[lane] = series.ever[lane].max(most);
                    // Whatever has waited here in the interval was here for some time of it.
                    if held > 0 {
                        let held = Duration::from_ps(held);
                        samples.buffers.push(BufferSample { link, vc, held, most: most.into() });
                    }
                }
            }
        }
        self.state.series = Some(series);
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
        if let Some(series) = &mut self.state.series {
            series.start = interval.start;
            series.outputs.iter_mut().for_each(|outputs| outputs.carry_over.begin(interval));
            series.lanes.iter_mut().for_each(|lanes| lanes.carry_over.begin(interval));
        }
    }

    /// The first instant after the interval at which something that is known will happen.
    pub(crate) fn first_later(&self) -> Option<u64> {
        let series = self.state.series.as_ref()?;
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
        if let Some(history) = &mut self.state.history {
            report.stays.extend(history.take());
        }
    }
}

/// Requests for the routers of a part, and stays that have not been reported.
#[derive(Debug)]
pub(super) struct History {
    first: u32,
    /// By router of the part.
    chosen: Vec<bool>,
    from: u64,
    until: u64,
    stays: Vec<(Time, PacketStay)>,
}

impl History {
    pub(super) fn new(requested: &RequestedStays, network: &PacketNetwork, routers: &Range<usize>) -> Self {
        let mut wanted = requested.routers.clone();
        wanted.sort_unstable();
        let is_chosen = |&number: &u32| wanted.binary_search(&RouterId(number)).is_ok();
        let chosen = network.numbers[routers.clone()].iter().map(is_chosen).collect();
        let (from, until) = (requested.from.as_ps(), requested.until.as_ps());
        Self { first: routers.start as u32, chosen, from, until, stays: Vec::new() }
    }

    /// Returns whether a stay in a buffer of the router at a position is requested.
    #[inline(always)]
    fn keeps(&self, position: u32, entered: u64, left: u64) -> bool {
        self.chosen[(position - self.first) as usize] && left > self.from && entered < self.until
    }

    pub(super) fn take(&mut self) -> Vec<(Time, PacketStay)> {
        std::mem::take(&mut self.stays)
    }

    /// Notes the stay of a packet that has been granted at an instant, if it is requested: in a lane of the router at a position, whose first
    /// lane is known, from when until when.
    #[inline(never)]
    pub(super) fn note(
        &mut self,
        network: &PacketNetwork,
        labels: &Labels<'_>,
        packet: Packet,
        (position, (first_lane, lane)): (u32, (u32, u16)),
        (now, entered, left): (u64, u64, u64),
    ) {
        let Some(origins) = labels.origins.as_ref().filter(|_| self.keeps(position, entered, left)) else {
            return;
        };
        let Channel { input, .. } = network.channels[usize::from(lane)];
        let port = first_lane / network.vcs + u32::from(input);
        let Origin { source, destination, sequence } = origins.read(packet.label());
        let stay = PacketStay {
            router: RouterId(network.numbers[position as usize]),
            link: LinkId(network.inputs[port as usize].link),
            vc: u32::from(lane) - u32::from(input) * network.vcs,
            source,
            destination,
            sequence,
            bytes: Bytes(network.bytes_of(packet, labels).into()),
            entered: Time::from_ps(entered),
            left: Time::from_ps(left),
        };
        self.stays.push((Time::from_ps(now), stay));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harness::grid;
    use crate::{NodeModel, RouterModel};
    use weir_topology::Wrap;

    /// Stays at chosen routers are requested that are not over at the beginning of the time, and begin before its end.
    #[test]
    fn stays_that_are_requested() {
        let at = Time::from_ps;
        let routers = [0, 3, 4, 7].map(RouterId).to_vec();
        let requested = RequestedStays { routers, from: at(100), until: at(200) };
        let line = grid(&[8], Wrap::Mesh, 8e9, (100, 100));
        let line = PacketNetwork::new(&RouterModel::default(), &NodeModel::default(), &line);
        let history = History::new(&requested, &line.expect("a machine"), &(3..6));
        assert_eq!([3, 4, 5].map(|router| history.keeps(router, 120, 150)), [true, true, false]);
        for (entered, left, expected) in [
            (0, 100, false),
            (0, 101, true),
            (100, 200, true),
            (199, 300, true),
            (200, 300, false),
            (0, 300, true),
        ] {
            assert_eq!(history.keeps(3, entered, left), expected, "from {entered} to {left}");
        }
    }
}

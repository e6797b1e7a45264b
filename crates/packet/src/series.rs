//! Reports of a part while a run goes on, and how the parts put them together.
//!
//! Windows are cut so that every interval is a whole number of them ([`PacketNetwork::for_intervals`]). So when the first window
//! of another interval begins, all that was granted before is counted, and nothing that was granted after. Each part
//! closes its counters then and mails them to the first part, which puts them together in the next window and reports.

use crate::meters::Interval;
use crate::network::{Output, PacketNetwork};
use crate::parts::{Endpoints, Worker};
use crate::shared::Shared;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use weir_network::LatencyKind;
use weir_network::record::{
    BufferSample, LatencySample, LinkSample, MessageTimes, PacketSample, PacketStay, Pairs, Recorder,
    Requested,
};
use weir_pdes::Window;
use weir_units::{Duration, LinkId, Time};

/// State of the reports of a part.
#[derive(Debug)]
pub(crate) struct Reporter {
    interval: Option<Interval>,
    /// The end of the last window.
    reached: u64,
    report: PartReport,
}

impl Reporter {
    pub(crate) fn new(requested: Option<&Requested>) -> Option<Self> {
        let interval = requested?.interval.map(|length| Interval::first(length.as_ps()));
        Some(Self { interval, reached: 0, report: PartReport::default() })
    }
}

impl<E: Endpoints> Worker<'_, E> {
    /// Closes the intervals that are over when a window begins.
    pub(crate) fn close_intervals(&mut self, window: &Window) {
        let Some(Reporter { interval: Some(interval), .. }) = self.reporter else { return };
        let start = window.start.as_ps();
        if start >= interval.end {
            self.close_until(interval, start);
        }
    }

    /// Closes the counters of an interval at an instant, in this room.
    fn close(&mut self, interval: Interval, at: u64, mut samples: Samples) -> Samples {
        self.endpoints.nics().into_iter().for_each(|nics| nics.close(&mut samples));
        self.routers.close(interval, at, &mut samples);
        samples.put_in_order();
        samples
    }

    /// Begins another interval, when the one before it is closed.
    fn open(&mut self, interval: Interval) {
        self.routers.begin(interval);
        self.endpoints.nics().into_iter().for_each(|nics| nics.begin_interval(interval));
    }

    /// The first instant after the interval at which something that is known will happen.
    fn first_later(&mut self) -> Option<u64> {
        let of_nics = self.endpoints.nics().and_then(|nics| nics.first_later());
        self.routers.first_later().into_iter().chain(of_nics).min()
    }

    /// Closes the interval, and others up to that of an instant.
    fn close_until(&mut self, mut interval: Interval, at: u64) {
        let shared = self.routers.shared;
        while interval.end <= at {
            let samples = self.close(interval, interval.end, shared.pool.take());
            let mut next = interval.next();
            if samples.is_empty() {
                shared.pool.give(samples);
                // Nothing happens until something does that is known, or until now.
                next = next.of(self.first_later().map_or(at, |later| later.min(at)).max(next.start));
            } else if let Some(reporter) = &mut self.reporter {
                reporter.report.intervals.push((interval.start, samples));
            }
            self.open(next);
            interval = next;
        }
        self.reporter.iter_mut().for_each(|reporter| reporter.interval = Some(interval));
    }

    /// Sends what there is to report to the first part, at the end of a window.
    pub(crate) fn report(&mut self, window: &Window) {
        let Some(reporter) = &mut self.reporter else { return };
        reporter.reached = window.end.as_ps();
        self.endpoints.close_latencies(window.start, &mut reporter.report);
        self.endpoints.report(&mut reporter.report);
        self.routers.report(&mut reporter.report);
        if !reporter.report.is_empty() {
            let report = std::mem::take(&mut reporter.report);
            self.routers.shared.report.put(window.turn, self.part, 0, &mut vec![report]);
        }
    }

    /// Returns the rest of the reports at the end of a run, the interval that is not over included.
    pub(crate) fn rest(&mut self) -> PartReport {
        let Some(Reporter { interval, reached, mut report }) = self.reporter.take() else {
            return PartReport::default();
        };
        let reached = reached.min(self.routers.last_instant().saturating_add(1));
        if let Some(interval) = interval {
            // Packets in buffers were there until the run ended; what has been granted happens all the same.
            let end = reached.clamp(interval.start, interval.end);
            report.intervals.push((interval.start, self.close(interval, end, Samples::default())));
            let mut open = interval.next();
            while let Some(later) = self.first_later() {
                open = open.of(later.max(open.start));
                self.open(open);
                report.intervals.push((open.start, self.close(open, open.start, Samples::default())));
                open = open.next();
            }
        }
        self.endpoints.close_latencies(Time::MAX, &mut report);
        self.endpoints.report_rest(&mut report);
        report
    }
}

/// By the first part, while others run the same window: reports what all parts have sent in the one before.
pub(crate) fn report_mail(shared: &Shared<'_>, turn: u64, recorder: &mut dyn Recorder) {
    let mut all = PartReport::default();
    shared.report.take(turn, 0, |_, report| all.join(report));
    all.report(recorder, &shared.pool);
}

/// When all is over: reports what has been sent last, and then what remains.
pub(crate) fn report_rest(
    shared: &Shared<'_>,
    turns: u64,
    rest: impl Iterator<Item = PartReport>,
    pairs: Option<Pairs>,
    recorder: &mut dyn Recorder,
) {
    report_mail(shared, turns, recorder);
    let mut all = PartReport::default();
    rest.for_each(|report| all.join(report));
    all.report(recorder, &shared.pool);
    if let Some(pairs) = pairs {
        recorder.pairs(&pairs);
    }
}

impl PacketNetwork {
    /// The same machine with windows of which a whole number fills an interval, as samples need it.
    ///
    /// # Errors
    /// The machine as it is, if these would be less than a quarter as wide as they can be, and not because the interval is
    /// short.
    #[expect(clippy::result_large_err, reason = "a machine is as large either way")]
    pub fn for_intervals(mut self, interval: Duration) -> Result<Self, Self> {
        let (length, widest) = (interval.as_ps(), self.window().as_ps());
        let fewest = length.div_ceil(widest).max(1);
        match (fewest..=fewest.saturating_mul(4)).find(|windows| length.is_multiple_of(*windows)) {
            Some(windows) => {
                self.set_width(Duration::from_ps(length / windows));
                Ok(self)
            }
            None => Err(self),
        }
    }

    /// An interval near to this one for which [`Self::for_intervals`] has windows.
    pub fn nearest_interval(&self, interval: Duration) -> Duration {
        let widest = self.window().as_ps();
        Duration::from_ps((interval.as_ps() + widest / 2) / widest * widest).max(self.window())
    }

    /// The places of these outputs and their links, by link. Numbers of outputs are those in the part.
    pub(crate) fn by_link(outputs: &[Output]) -> Vec<(LinkId, u32)> {
        let used = (0..).zip(outputs).filter(|(_, output)| output.link != u32::MAX);
        let mut all: Vec<_> = used.map(|(place, output)| (LinkId(output.link), place)).collect();
        all.sort_unstable();
        all
    }
}

/// Samples of a part in an interval.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Samples {
    /// By link.
    pub(crate) links: Vec<LinkSample>,
    /// By link and virtual channel.
    pub(crate) buffers: Vec<BufferSample>,
}

/// Room for samples: getting it from the system anew for every interval would take longer than filling it.
#[derive(Debug, Default)]
pub(crate) struct SamplePool(Mutex<Vec<Samples>>);

impl SamplePool {
    fn open(&self) -> MutexGuard<'_, Vec<Samples>> {
        // A thread that panics while it holds the lock ends the run; until then all is whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn give(&self, samples: Samples) {
        self.open().push(samples.emptied());
    }

    pub(crate) fn take(&self) -> Samples {
        self.open().pop().unwrap_or_default()
    }
}

/// Report of a part after a window.
#[derive(Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct PartReport {
    /// Intervals that have ended, by their beginnings.
    pub(crate) intervals: Vec<(u64, Samples)>,
    latencies: Vec<(Time, LatencyKind, LatencySample)>,
    /// With when it was known; in that order.
    pub(crate) messages: Vec<(Time, MessageTimes)>,
    /// Each with when it was known; in that order.
    pub(crate) stays: Vec<(Time, PacketStay)>,
}

impl PartReport {
    pub(crate) fn is_empty(&self) -> bool {
        let Self { intervals, latencies, messages, stays } = self;
        intervals.is_empty() && latencies.is_empty() && messages.is_empty() && stays.is_empty()
    }

    pub(crate) fn latencies(&mut self, kind: LatencyKind, samples: Vec<(Time, LatencySample)>) {
        self.latencies.extend(samples.into_iter().map(|(start, sample)| (start, kind, sample)));
    }

    pub(crate) fn join(&mut self, other: Self) {
        self.intervals.extend(other.intervals);
        self.latencies.extend(other.latencies);
        self.messages.extend(other.messages);
        self.stays.extend(other.stays);
    }

    /// Passes what all parts have reported of the same windows to the recorder, and keeps the room of samples for later ones.
    pub(crate) fn report(self, recorder: &mut dyn Recorder, pool: &SamplePool) {
        let Self { intervals, latencies, mut messages, mut stays } = self;
        let mut by_start: BTreeMap<u64, Vec<Samples>> = BTreeMap::new();
        for (start, samples) in intervals {
            by_start.entry(start).or_default().push(samples);
        }
        for (start, of_parts) in by_start {
            let Samples { links, buffers } = Samples::join(of_parts, pool);
            recorder.links(Time::from_ps(start), &links);
            recorder.buffers(Time::from_ps(start), &buffers);
            pool.give(Samples { links, buffers });
        }
        let mut together: BTreeMap<(Time, LatencyKind), LatencySample> = BTreeMap::new();
        for (start, kind, sample) in latencies {
            together.entry((start, kind)).or_default().join(&sample);
        }
        for ((start, kind), sample) in together {
            recorder.latencies(start, kind, sample);
        }
        if !messages.is_empty() {
            messages.sort_by_key(|&(at, message)| (at, message.to, message.from, message.sequence));
            recorder.messages(&messages.into_iter().map(|(_, message)| message).collect::<Vec<_>>());
        }
        if !stays.is_empty() {
            stays
                .sort_by_key(|&(at, stay)| (at, stay.router, stay.link, stay.vc, stay.source, stay.sequence));
            recorder.stays(&stays.into_iter().map(|(_, stay)| stay).collect::<Vec<_>>());
        }
    }
}

impl Samples {
    pub(crate) fn is_empty(&self) -> bool {
        self.links.is_empty() && self.buffers.is_empty()
    }

    /// The same room with nothing in it.
    fn emptied(mut self) -> Self {
        self.links.clear();
        self.buffers.clear();
        self
    }

    fn join(of_parts: Vec<Self>, pool: &SamplePool) -> Self {
        let mut parts = of_parts.into_iter();
        let mut all = parts.next().unwrap_or_default();
        if parts.len() > 0 {
            for mut part in parts {
                all.links.append(&mut part.links);
                all.buffers.append(&mut part.buffers);
                pool.give(part);
            }
            all.put_in_order();
        }
        all
    }

    /// Sorts by link, and makes one sample of those of the same link: the wires of the interfaces of a node are one. Looks
    /// first whether there is anything to do.
    pub(crate) fn put_in_order(&mut self) {
        let Self { links, buffers } = self;
        if !links.is_sorted_by(|one, next| one.link < next.link) {
            // Sorting what is sorted in runs takes no longer than joining these.
            links.sort_by_key(|sample| sample.link);
            links.dedup_by(|next, first| next.link == first.link && join_links(first, next));
        }
        let key = |sample: &BufferSample| (sample.link, sample.vc);
        if !buffers.is_sorted_by(|one, next| key(one) < key(next)) {
            buffers.sort_by_key(key);
            buffers.dedup_by(|next, first| key(next) == key(first) && join_buffers(first, next));
        }
    }
}

fn join_links(first: &mut LinkSample, next: &LinkSample) -> bool {
    first.bytes += next.bytes;
    if let (Some(first), Some(next)) = (&mut first.packets, next.packets) {
        *first = PacketSample { packets: first.packets + next.packets, busy: first.busy + next.busy };
    }
    true
}

fn join_buffers(first: &mut BufferSample, next: &BufferSample) -> bool {
    first.held += next.held;
    first.most = first.most.max(next.most);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use weir_units::{Duration, LinkId};

    fn link(link: u32, packets: u64, bytes: f64, busy: u64) -> LinkSample {
        let packets = Some(PacketSample { packets, busy: Duration::from_ps(busy) });
        LinkSample { link: LinkId(link), bytes, packets }
    }

    fn buffer(link: u32, vc: u32, held: u64, most: u32) -> BufferSample {
        BufferSample { link: LinkId(link), vc, held: Duration::from_ps(held), most }
    }

    /// There is one sample of each link and of each of its virtual channels, in the order of their numbers, whatever parts and
    /// interfaces have it: sums, and the longest of the queues. The room of the others is kept, empty.
    #[test]
    fn samples_of_parts_and_interfaces_are_joined() {
        let pool = SamplePool::default();
        // Link 5 is that of three interfaces of a node; link 3 has ends in both parts.
        let first = Samples {
            links: vec![link(3, 1, 10.0, 100), link(5, 2, 20.0, 200), link(5, 4, 40.0, 400)],
            buffers: vec![buffer(4, 0, 7, 2), buffer(4, 1, 9, 1), buffer(4, 0, 70, 3), buffer(4, 1, 90, 1)],
        };
        let second = Samples {
            links: vec![link(1, 1, 1.0, 1), link(3, 8, 80.0, 800), link(5, 8, 80.0, 800)],
            buffers: vec![buffer(2, 0, 5, 1), buffer(4, 1, 900, 5)],
        };
        let Samples { links, buffers } = Samples::join(vec![first, second], &pool);
        assert_eq!(links, [link(1, 1, 1.0, 1), link(3, 9, 90.0, 900), link(5, 14, 140.0, 1400)]);
        assert_eq!(buffers, [buffer(2, 0, 5, 1), buffer(4, 0, 77, 3), buffer(4, 1, 999, 5)]);
        assert_eq!(pool.open().len(), 1);
        let room = pool.take();
        assert!(room.is_empty() && room.links.capacity() > 0 && room.buffers.capacity() > 0);
    }

    /// Also in one part, and where equal ones stand beside each other already.
    #[test]
    fn equal_links_are_joined_where_nothing_is_out_of_order() {
        let mut samples = Samples {
            links: vec![link(1, 1, 10.0, 100), link(2, 2, 20.0, 200), link(2, 4, 40.0, 400)],
            buffers: vec![buffer(1, 0, 7, 2), buffer(2, 0, 9, 1), buffer(2, 0, 90, 4)],
        };
        samples.put_in_order();
        assert_eq!(samples.links, [link(1, 1, 10.0, 100), link(2, 6, 60.0, 600)]);
        assert_eq!(samples.buffers, [buffer(1, 0, 7, 2), buffer(2, 0, 99, 4)]);
    }
}

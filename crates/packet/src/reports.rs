//! Reports of parts: samples of intervals, messages and stays, put together by the first part.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use weir_network::LatencyKind;
use weir_network::record::{
    BufferSample, LatencySample, LinkSample, MessageTimes, PacketSample, PacketStay, Recorder,
};
use weir_units::Time;

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

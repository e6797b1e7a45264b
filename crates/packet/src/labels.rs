//! Labels of packets: read at the ends of their way, and by those who ask.
//!
//! At every router counts where a packet goes; what it belongs to and when it was sent counts at the end only. So a slot
//! keeps the number of a packet's *label*, and the label stays where it was written. Each part gives its own numbers; one
//! that is given back is the next to be given, so that few labels are used, and these are near.

use crate::prefetch::{needed, prefetch};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use weir_network::JobRanks;
use weir_units::{NodeId, Rank};

/// Numbers have 31 bits.
pub(crate) const MOST_LABELS: usize = 1 << 31;

/// Data that are written once, when a packet leaves its node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Label {
    /// Its message, less than 2^40; only endpoints know.
    pub(crate) message: u64,
    /// Less than 2^20.
    pub(crate) bytes: u32,
    /// The interface it leaves from, less than 16, and will arrive at.
    pub(crate) nic: u32,
    /// When it started on the injection link, in picoseconds.
    pub(crate) birth: u64,
}

const NIC_BITS: u32 = 4;
const BYTES_BITS: u32 = 20;
pub(crate) const MESSAGE_BITS: u32 = u64::BITS - BYTES_BITS - NIC_BITS;

#[derive(Debug)]
pub(crate) struct Labels<'m> {
    /// By number: message, bytes and interface; birth. Written by the part of the sender before the packet is put
    /// anywhere, and read by those who have got the packet.
    words: &'m [[AtomicU64; 2]],
    per_part: usize,
    /// If single packets are looked at.
    pub(crate) origins: Option<Origins>,
    /// If what time goes into is kept.
    pub(crate) stalls: Option<Stalls>,
    /// If it is asked for whose packets those of jobs wait.
    pub(crate) jobs: Option<JobLabels>,
}

impl<'m> Labels<'m> {
    /// Creates so many labels for each part, in a memory that is [as large as that](Self::words).
    pub(crate) fn new(words: &'m [AtomicU64], per_part: usize) -> Self {
        let (words, _) = words.as_chunks();
        Self { words, per_part, origins: None, stalls: None, jobs: None }
    }

    /// Memory for so many labels, in words of eight bytes.
    pub(crate) fn words(labels: usize) -> usize {
        2 * labels
    }

    pub(crate) fn numbers(&self, part: usize) -> Numbers {
        Numbers { next: (part * self.per_part) as u32, unused: Vec::new() }
    }

    #[inline]
    pub(crate) fn part(&self, number: u32) -> usize {
        number as usize / self.per_part
    }

    #[inline]
    pub(crate) fn write(&self, number: u32, label: Label) {
        let Label { message, bytes, nic, birth } = label;
        debug_assert!(message < 1 << MESSAGE_BITS && bytes < 1 << BYTES_BITS && nic < 1 << NIC_BITS);
        let words = &self.words[number as usize];
        let first = message << (BYTES_BITS + NIC_BITS) | u64::from(bytes << NIC_BITS | nic);
        words[0].store(first, Ordering::Relaxed);
        words[1].store(birth, Ordering::Relaxed);
    }

    /// Asks for a label before it is needed.
    #[inline]
    pub(crate) fn prefetch(&self, number: u32) {
        prefetch(self.words, number as usize);
    }

    #[inline]
    pub(crate) fn read(&self, number: u32) -> Label {
        needed(self.words, number as usize);
        let words = &self.words[number as usize];
        let (first, birth) = (words[0].load(Ordering::Relaxed), words[1].load(Ordering::Relaxed));
        let lower = first as u32;
        let bytes = lower >> NIC_BITS & ((1 << BYTES_BITS) - 1);
        let message = first >> (BYTES_BITS + NIC_BITS);
        Label { message, bytes, nic: lower & ((1 << NIC_BITS) - 1), birth }
    }
}

/// The numbers that one part gives.
#[derive(Debug)]
pub(crate) struct Numbers {
    /// Given back.
    unused: Vec<u32>,
    /// The first that was never given.
    next: u32,
}

impl Numbers {
    /// A number that no packet on its way has. A part has enough, see [`PacketNetwork::labels`](crate::Machine).
    #[inline]
    pub(crate) fn give(&mut self) -> u32 {
        self.unused.pop().unwrap_or_else(|| {
            self.next += 1;
            self.next - 1
        })
    }

    /// A number can be given again.
    #[inline]
    pub(crate) fn take_back(&mut self, number: u32) {
        self.unused.push(number);
    }
}

/// Who a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Origin {
    pub(crate) source: NodeId,
    pub(crate) destination: NodeId,
    /// Its number among the packets of its source.
    pub(crate) sequence: u64,
}

/// Who packets are, by the number of their label. Written like a label, before the packet is put anywhere.
#[derive(Debug)]
pub(crate) struct Origins(Vec<[AtomicU64; 2]>);

impl Origins {
    pub(crate) fn new(labels: usize) -> Self {
        Self((0..labels).map(|_| [const { AtomicU64::new(0) }; 2]).collect())
    }

    pub(crate) fn write(&self, label: u32, origin: Origin) {
        let Origin { source, destination, sequence } = origin;
        let [ends, number] = &self.0[label as usize];
        ends.store(u64::from(source.0) << 32 | u64::from(destination.0), Ordering::Relaxed);
        number.store(sequence, Ordering::Relaxed);
    }

    pub(crate) fn read(&self, label: u32) -> Origin {
        let [ends, number] = &self.0[label as usize];
        let ends = ends.load(Ordering::Relaxed);
        Origin {
            source: NodeId((ends >> 32) as u32),
            destination: NodeId(ends as u32),
            sequence: number.load(Ordering::Relaxed),
        }
    }
}

/// By the number of a packet's label: how long it has stalled so far, in picoseconds, for the account of causes.
///
/// A packet *stalls* from the instant on at which it would have been granted with a credit, a free place in the next buffer,
/// until it is granted. What it has stood at all of its routers, and before that the packets of its message at their
/// interface, goes along with it.
#[derive(Debug)]
pub(crate) struct Stalls(Vec<AtomicU64>);

impl Stalls {
    pub(crate) fn new(labels: usize) -> Self {
        Self((0..labels).map(|_| AtomicU64::new(0)).collect())
    }

    pub(crate) fn write(&self, label: u32, stalled: u64) {
        self.0[label as usize].store(stalled, Ordering::Relaxed);
    }

    /// By the part that has the packet: it has stalled for so long again.
    pub(crate) fn add(&self, label: u32, stalled: u64) {
        // Most packets do not stall, and what they say is far away.
        if stalled > 0 {
            self.write(label, self.read(label) + stalled);
        }
    }

    pub(crate) fn read(&self, label: u32) -> u64 {
        self.0[label as usize].load(Ordering::Relaxed)
    }
}

/// By the number of a packet's label: its job. Written like a label, before the packet is put anywhere.
#[derive(Debug)]
pub(crate) struct JobLabels {
    jobs: Arc<JobRanks>,
    by_label: Vec<AtomicU32>,
}

impl JobLabels {
    pub(crate) fn new(jobs: Arc<JobRanks>, labels: usize) -> Self {
        Self { jobs, by_label: (0..labels).map(|_| AtomicU32::new(0)).collect() }
    }

    /// A packet is of a message of this rank.
    pub(crate) fn write_sender(&self, label: u32, from: Rank) {
        self.write(label, self.jobs.job(from));
    }

    pub(crate) fn write(&self, label: u32, job: u32) {
        self.by_label[label as usize].store(job, Ordering::Relaxed);
    }

    pub(crate) fn read(&self, label: u32) -> u32 {
        self.by_label[label as usize].load(Ordering::Relaxed)
    }
}

/// Since when something has stood without a credit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) struct Stall(Option<u64>);

impl Stall {
    /// There is no credit at an instant, in picoseconds.
    #[inline]
    pub(crate) fn note(&mut self, now: u64) {
        self.0 = Some(self.0.map_or(now, |since| since.min(now)));
    }

    /// It goes on at an instant: how long it has stood.
    #[inline]
    pub(crate) fn end(&mut self, now: u64) -> u64 {
        self.0.take().map_or(0, |since| now - since)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_label_is_read_as_it_was_written(
            message in 0u64..1 << MESSAGE_BITS, birth: u64, bytes in 0u32..1 << 20, nic in 0u32..16,
        ) {
            let words: Vec<AtomicU64> = (0..Labels::words(6)).map(|_| AtomicU64::new(0)).collect();
            let labels = Labels::new(&words, 3);
            let mut numbers = labels.numbers(1);
            let (first, second) = (numbers.give(), numbers.give());
            prop_assert_eq!([first, second].map(|number| labels.part(number)), [1, 1]);
            let label = Label { message, bytes, nic, birth };
            labels.write(second, label);
            prop_assert_eq!(labels.read(second), label);
            numbers.take_back(first);
            prop_assert_eq!(numbers.give(), first);
        }
    }

    /// Looked for at 5, at 3 (of a window before) and at 9; granted at 10. Then at once.
    #[test]
    fn a_stall_begins_with_the_first_look() {
        let mut stall = Stall::default();
        [5, 3, 9].into_iter().for_each(|now| stall.note(now));
        assert_eq!((stall.end(10), stall.end(11)), (7, 0));
        let stalls = Stalls::new(2);
        stalls.write(1, 4);
        stalls.add(1, 7);
        assert_eq!((stalls.read(0), stalls.read(1)), (0, 11));
    }
}

//! Memory that the parts of a process share, and how a machine is cut into parts.

use crate::announced::Announced;
use crate::crossing::{Crossing, Delivery, WakeUp};
use crate::flights::NUMBER_BITS;
use crate::labels::{JobLabels, Labels, MESSAGE_BITS, MOST_LABELS, Origins, Stalls};
use crate::network::PacketNetwork;
use crate::remote::RemoteMail;
use crate::reports::{PartReport, SamplePool};
use crate::slots::Slots;
use memmap2::{MmapMut, MmapOptions};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use weir_network::causes::SoFar;
use weir_network::record::Keep;
use weir_network::{Polling, Print, Requested, RunContext};
use weir_pdes::{Division, Letterbox, Mailbox};
use weir_units::{NodeId, OwnLine};
use zerocopy::{FromBytes, IntoBytes};

/// Memory that all parts of a process read and write. Mailboxes are for these, letterboxes for parts anywhere.
pub(crate) struct Shared<'m> {
    pub(crate) slots: Slots<'m>,
    pub(crate) labels: Labels<'m>,
    /// The announcements of routers, if rules weigh queues of others.
    pub(crate) announced: Announced,
    /// Numbers of labels, on their way back to those who gave them.
    pub(crate) numbers: Mailbox<u32>,
    pub(crate) deliveries: Mailbox<Delivery>,
    pub(crate) calls: Mailbox<WakeUp>,
    /// Interfaces that have credits, and the windows in which they do.
    pub(crate) credits: Mailbox<(u32, u64)>,
    /// Letters between processes.
    pub(crate) crossings: Letterbox<Crossing>,
    /// The reports of parts, for the first one.
    pub(crate) report: Letterbox<PartReport>,
    /// Counts of other processes, for the watch of the first one: messages, bytes, events.
    pub(crate) progress: Letterbox<[u64; 3]>,
    /// Output of ranks, for the first part.
    pub(crate) prints: Letterbox<Print>,
    /// If another processor runs the routers.
    pub(crate) remote: Option<RemoteMail>,
    /// Room for what they report of intervals.
    pub(crate) pool: SamplePool,
    pub(crate) moved: Moved,
    pub(crate) polling: Polling,
    pub(crate) done: Done,
    /// Causes of the time of ranks so far, if the watch is shown them.
    pub(crate) so_far: SoFarByPart,
    pub(crate) division: Division,
    /// The first router of each part, and where the last one ends.
    bounds: Vec<usize>,
    /// By node: the part with its endpoint. Empty if they are all in the first one.
    pub(crate) homes: Vec<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Homes {
    /// Each in the part of its router.
    WithRouters,
    /// All in the first part of the process of their routers.
    First,
}

/// More threads of a process are not used.
const MOST_THREADS: usize = 64;

/// A part with fewer lanes is made faster than a thread begins that could make it.
const LANES_PER_HELPER: usize = 1 << 13;

/// More parts could not be counted in what a label says of a message.
const MOST_PARTS: usize = 1 << (MESSAGE_BITS - NUMBER_BITS);

impl PacketNetwork {
    /// More processes than this cannot run it together. A node with several cables is in one process, and so are all routers that it may
    /// reach by them.
    pub fn most_processes(&self) -> usize {
        if self.cables.is_some() {
            return 1;
        }
        self.routers().min(MOST_PARTS)
    }

    /// The parts that so many threads of this process, one of several, run.
    ///
    /// # Panics
    /// When there are more than [`Self::most_processes`].
    pub(crate) fn division(&self, threads: usize, process: usize, processes: usize) -> Division {
        assert!(processes <= self.most_processes(), "every process has a router");
        let most = (self.routers().min(MOST_PARTS) / processes).min(MOST_THREADS);
        let threads = threads.clamp(1, most).min(MOST_LABELS / self.labels());
        Division::new(process, processes, threads)
    }

    pub(crate) fn division_of(&self, context: &RunContext<'_>) -> Division {
        self.division(context.threads, context.processes.process(), context.processes.processes())
    }

    /// Number of threads beside the calling one that pay when the parts of a process are made.
    pub(crate) fn helpers(&self, division: Division) -> usize {
        let lanes = self.lanes() / division.processes();
        (lanes / LANES_PER_HELPER).min(division.threads()).saturating_sub(1)
    }

    /// The first router of each of so many parts, and where the last one ends: parts of about as many lanes each.
    fn bounds(&self, parts: usize) -> Vec<usize> {
        let (routers, inputs) = (self.routers(), self.inputs.len());
        // Every part has a router at least.
        let mut bounds = vec![0];
        for part in 1..parts {
            let target = (inputs * part).div_ceil(parts) as u32;
            let fair = self.routers.partition_point(|place| place.input < target);
            bounds.push(fair.clamp(bounds[part - 1] + 1, routers - (parts - part)));
        }
        bounds.push(routers);
        bounds
    }

    /// By node: which of so many processes runs its router and its ranks, with so many threads each; and which of the threads of that
    /// process, where ranks are on several.
    pub fn homes(&self, processes: usize, threads: usize) -> Vec<(u32, u32)> {
        let division = self.division(threads, 0, processes);
        let bounds = self.bounds(division.parts());
        let home = |node| {
            let part = part_of(&bounds, self.router_of(node));
            let process = division.process_of(part);
            (process as u32, (part - division.of_process(process).start) as u32)
        };
        (0..self.nodes()).map(NodeId::new).map(home).collect()
    }
}

fn part_of(bounds: &[usize], router: usize) -> usize {
    bounds.partition_point(|&first| first <= router) - 1
}

impl<'m> Shared<'m> {
    /// The memory that a machine needs in a process: for all its lanes, of which those of other processes are not touched, but
    /// for what lies at the border.
    pub(crate) fn memory(network: &PacketNetwork, division: Division) -> Memory {
        let slots = Slots::words(network.places(), network.keeps_lags);
        Memory::new(slots + Labels::words(division.threads() * network.labels()))
    }

    /// Cuts a machine into the parts of a division.
    pub(crate) fn new(
        memory: &'m mut Memory,
        network: &PacketNetwork,
        division: Division,
        homes: Homes,
    ) -> Self {
        let bounds = network.bounds(division.parts());
        let home = |node: usize| {
            let part = part_of(&bounds, network.router_of(NodeId::new(node)));
            match homes {
                Homes::WithRouters => part as u16,
                Homes::First => division.of_process(division.process_of(part)).start as u16,
            }
        };
        let elsewhere = division.processes() > 1 || (homes == Homes::WithRouters && division.threads() > 1);
        let homes = if elsewhere { (0..network.nodes()).map(home).collect() } else { Vec::new() };
        let parts = division.threads();
        let slots = Slots::words(network.places(), network.keeps_lags);
        let (slots, labels) = memory.words().split_at(slots);
        Self {
            slots: Slots::new(slots, &network.rooms, (network.inputs.len(), network.vcs)),
            labels: Labels::new(labels, network.labels()),
            announced: Announced::new(network, division),
            numbers: Mailbox::new(parts),
            deliveries: Mailbox::new(parts),
            calls: Mailbox::new(parts),
            credits: Mailbox::new(parts),
            crossings: Letterbox::new(division),
            report: Letterbox::new(division),
            progress: Letterbox::new(division),
            prints: Letterbox::new(division),
            remote: None,
            pool: SamplePool::default(),
            moved: Moved::default(),
            polling: Polling::new(division),
            done: Done::new(division.threads()),
            so_far: SoFarByPart::default(),
            division,
            bounds,
            homes,
        }
    }

    /// The same, ready for what is requested: single packets, causes, and causes that the watch is shown. Those of other processes are not
    /// known.
    pub(crate) fn ready_for(
        mut self,
        requested: Option<&Requested>,
        context: &RunContext<'_>,
        labels: usize,
    ) -> Self {
        let labels = self.division.threads() * labels;
        let stays = requested.is_some_and(|requested| requested.stays.is_some());
        if context.shows_causes == Keep::Yes && self.division.processes() == 1 {
            let parts = if self.homes.is_empty() { 1 } else { self.division.threads() };
            self.so_far = SoFarByPart::of(parts);
        }
        self.labels.origins = stays.then(|| Origins::new(labels));
        self.labels.jobs = context.jobs.clone().map(|jobs| JobLabels::new(jobs, labels));
        self.labels.stalls = (context.causes == Keep::Yes).then(|| Stalls::new(labels));
        self
    }

    /// Number of parts, in all processes.
    pub(crate) fn parts(&self) -> usize {
        self.division.parts()
    }

    pub(crate) fn routers(&self, part: usize) -> Range<usize> {
        self.bounds[part]..self.bounds[part + 1]
    }

    /// The part with the endpoint of a node.
    #[inline]
    pub(crate) fn home(&self, node: NodeId) -> usize {
        self.homes.get(node.index()).map_or(0, |&part| usize::from(part))
    }

    /// The nodes at home in a part, in the order of their routers there.
    pub(crate) fn nodes(&self, network: &PacketNetwork, part: usize) -> Vec<NodeId> {
        let mut nodes: Vec<_> =
            (0..network.nodes()).map(NodeId::new).filter(|&node| self.home(node) == part).collect();
        nodes.sort_by_key(|&node| network.router_of(node));
        nodes
    }

    pub(crate) fn part_of(&self, router: u32) -> usize {
        part_of(&self.bounds, router as usize)
    }
}

/// Counts of messages, bytes and events for whoever watches, by part: each writes its own in every window.
#[derive(Debug)]
pub(crate) struct Done(Vec<OwnLine<[AtomicU64; 3]>>);

impl Done {
    fn new(parts: usize) -> Self {
        Self(std::iter::repeat_with(OwnLine::default).take(parts).collect())
    }

    fn sum(&self, count: impl Fn(&AtomicU64) -> u64) -> [u64; 3] {
        self.0.iter().fold([0; 3], |sum, OwnLine(counts)| {
            std::array::from_fn(|place| sum[place] + count(&counts[place]))
        })
    }

    /// The counts of all parts together.
    pub(crate) fn load(&self) -> [u64; 3] {
        self.sum(|count| count.load(Ordering::Relaxed))
    }

    /// Takes the counts since the last call.
    pub(crate) fn take(&self) -> [u64; 3] {
        self.sum(|count| count.swap(0, Ordering::Relaxed))
    }

    /// Adds what a part of this process has done in a window.
    pub(crate) fn add(&self, local: usize, done: [u64; 3]) {
        for (count, new) in self.0[local].0.iter().zip(done) {
            if new > 0 {
                count.fetch_add(new, Ordering::Relaxed);
            }
        }
    }
}

/// The windows in which packets move. Others are run only because somebody looks in vain, and how many of these there are
/// may depend on threads.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    /// By parity of the turn: whether anything has moved.
    now: [AtomicBool; 2],
    windows: AtomicU64,
}

impl Moved {
    /// Something has moved in a turn; by any part.
    pub(crate) fn note(&self, turn: u64) {
        let now = &self.now[(turn % 2) as usize];
        // Who writes takes it away from all others, and all note it in most turns.
        if !now.load(Ordering::Relaxed) {
            now.store(true, Ordering::Relaxed);
        }
    }

    /// Returns whether anything has moved here in the turn before this one.
    pub(crate) fn before(&self, turn: u64) -> bool {
        self.now[((turn + 1) % 2) as usize].load(Ordering::Relaxed)
    }

    /// Something has moved in another process in the turn before this one.
    pub(crate) fn note_before(&self, turn: u64) {
        self.note(turn + 1);
    }

    /// Counts the turn before this one; by one part, while no other is in a turn of that parity.
    pub(crate) fn count(&self, turn: u64) {
        let moved = self.now[(1 - turn % 2) as usize].swap(false, Ordering::Relaxed);
        self.windows.fetch_add(u64::from(moved), Ordering::Relaxed);
    }

    /// Goes on from so many windows before.
    pub(crate) fn go_on_after(&self, windows: u64) {
        self.windows.store(windows, Ordering::Relaxed);
    }

    /// Number of windows; when all is over.
    pub(crate) fn windows(&self) -> u64 {
        let last = self.now.iter().filter(|moved| moved.load(Ordering::Relaxed)).count();
        self.windows.load(Ordering::Relaxed) + last as u64
    }
}

/// Answers of the parts of a process. They answer in windows that may not be the same: it is only shown.
#[derive(Debug, Default)]
pub(crate) struct SoFarByPart {
    /// Number of questions; none, if it is not to be shown.
    asked: AtomicU64,
    parts: Vec<OfPart>,
}

/// Number of answers of a part, and its last one.
#[derive(Debug, Default)]
struct OfPart {
    answered: AtomicU64,
    last: Mutex<SoFar>,
}

impl SoFarByPart {
    /// To be shown, of the first so many parts: those with ranks.
    pub(crate) fn of(parts: usize) -> Self {
        Self { parts: std::iter::repeat_with(OfPart::default).take(parts).collect(), ..Self::default() }
    }

    pub(crate) const fn is_on(&self) -> bool {
        !self.parts.is_empty()
    }

    pub(crate) fn ask(&self) {
        self.asked.fetch_add(1, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn answer(&self, part: usize, sum: impl FnOnce() -> SoFar) {
        let asked = self.asked.load(Ordering::Relaxed);
        if let Some(part) = self.parts.get(part)
            && part.answered.load(Ordering::Relaxed) != asked
        {
            *part.last.lock().unwrap_or_else(PoisonError::into_inner) = sum();
            part.answered.store(asked, Ordering::Release);
        }
    }

    /// The last answers of all parts, if each has answered.
    pub(crate) fn all(&self) -> Option<SoFar> {
        let mut all = SoFar::default();
        for part in &self.parts {
            if part.answered.load(Ordering::Acquire) == 0 {
                return None;
            }
            all.join(&part.last.lock().unwrap_or_else(PoisonError::into_inner));
        }
        self.is_on().then_some(all)
    }
}

/// Words, all zero in the beginning. What is never used is never taken from the system.
///
/// A run touches its slots all over, so with pages of 4 KiB nearly every access would wait for the translation of its
/// address: on 65,536 nodes that is a fifth to a third of the time. So the system is asked for huge pages.
pub(crate) enum Memory {
    Pages(MmapMut),
    /// Where the system gives no pages.
    Words(Vec<u64>),
}

impl Memory {
    /// Reserves so many words. Where the system has no room for them, the allocator is asked: it ends the process as for anything
    /// else that there is no memory for.
    pub(crate) fn new(words: usize) -> Self {
        let bytes = (words * size_of::<u64>()).max(1);
        let Ok(memory) = MmapOptions::new().len(bytes).no_reserve_swap().map_anon() else {
            return Self::Words(vec![0; words]);
        };
        // Without huge pages it works as well, only slower.
        #[cfg(target_os = "linux")]
        let _ = memory.advise(memmap2::Advice::HugePage);
        Self::Pages(memory)
    }

    pub(crate) fn words(&mut self) -> &[AtomicU64] {
        let bytes = match self {
            Self::Pages(pages) => &mut pages[..],
            Self::Words(words) => words.as_mut_bytes(),
        };
        let count = bytes.len() / size_of::<u64>();
        let (words, _) = <[AtomicU64]>::mut_from_prefix_with_elems(bytes, count)
            .expect("pages and words begin at a multiple of eight bytes");
        words
    }
}

#[cfg(test)]
mod tests;

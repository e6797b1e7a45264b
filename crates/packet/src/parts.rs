//! A machine cut into parts, one for each thread, and what they share.

use crate::StuckChannel;
use crate::labels::{Labels, MOST_LABELS};
use crate::memory::Memory;
use crate::meters::Interval;
use crate::network::PacketNetwork;
use crate::origins::Origins;
use crate::prefetch::begin_window;
use crate::routers::{Call, Delivery, Routers, Sink};
use crate::series::{PartReport, Reporter, Samples, Spare, report_mail, report_rest};
use crate::slots::Slots;
use crate::stuck::find_circle;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration as WallTime, Instant};
use weir_network::record::Pairs;
use weir_network::{Calendar, Limits, Progress, Recorder, Requested, Watch, interrupted_by};
use weir_pdes::{Mailbox, Next, Part, Window};
use weir_units::{Bytes, NodeId, Time};

/// What all parts read and write.
pub(crate) struct Shared<'m> {
    pub(crate) slots: Slots<'m>,
    pub(crate) labels: Labels<'m>,
    /// Numbers of labels, on their way back to those who gave them.
    pub(crate) numbers: Mailbox<u32>,
    pub(crate) deliveries: Mailbox<Delivery>,
    pub(crate) calls: Mailbox<Call>,
    /// Interfaces that have credits, and the windows in which they do.
    pub(crate) credits: Mailbox<(u32, u64)>,
    /// The reports of parts, for the first one.
    pub(crate) report: Mailbox<PartReport>,
    /// Room for what they report of intervals.
    pub(crate) spare: Spare,
    pub(crate) moved: Moved,
    pub(crate) polling: Polling,
    /// If single packets are looked at.
    pub(crate) origins: Option<Origins>,
    pub(crate) done: Done,
    /// The first router of each part, and where the last one ends.
    bounds: Vec<usize>,
    /// By node: the part with its endpoint. Empty if they are all in the first one.
    homes: Vec<u8>,
}

/// Where the endpoints are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Homes {
    /// Each in the part of its router.
    WithRouters,
    /// All in the first part.
    First,
}

/// More threads could not be counted in a byte.
const MOST_PARTS: usize = 64;

/// How many parts of a machine so many threads run.
fn parts(network: &PacketNetwork, threads: usize) -> usize {
    threads.clamp(1, network.routers().min(MOST_PARTS)).min(MOST_LABELS / network.labels())
}

impl<'m> Shared<'m> {
    /// The memory that a machine needs.
    pub(crate) fn memory(network: &PacketNetwork, threads: usize) -> Memory {
        let slots = Slots::words(network.lanes(), network.depth, !network.alike);
        Memory::new(slots + Labels::words(parts(network, threads) * network.labels()))
    }

    /// Cuts a machine into at most so many parts of about as many lanes each.
    pub(crate) fn new(memory: &'m mut Memory, network: &PacketNetwork, threads: usize, homes: Homes) -> Self {
        let (routers, parts) = (network.routers(), parts(network, threads));
        let inputs = network.inputs.len();
        // Every part has a router at least.
        let mut bounds = vec![0];
        for part in 1..parts {
            let target = (inputs * part).div_ceil(parts) as u32;
            let fair = network.routers.partition_point(|place| place.input < target);
            bounds.push(fair.clamp(bounds[part - 1] + 1, routers - (parts - part)));
        }
        bounds.push(routers);
        let part_of = |router: usize| (bounds.partition_point(|&first| first <= router) - 1) as u8;
        let homes = match homes {
            Homes::WithRouters if parts > 1 => {
                (0..network.nodes()).map(|node| part_of(network.router_of(NodeId::new(node)))).collect()
            }
            _ => Vec::new(),
        };
        let slots = Slots::words(network.lanes(), network.depth, !network.alike);
        let (slots, labels) = memory.words().split_at(slots);
        Self {
            slots: Slots::new(slots, network.lanes(), network.depth),
            labels: Labels::new(labels, network.labels()),
            numbers: Mailbox::new(parts),
            deliveries: Mailbox::new(parts),
            calls: Mailbox::new(parts),
            credits: Mailbox::new(parts),
            report: Mailbox::new(parts),
            spare: Spare::default(),
            moved: Moved::default(),
            polling: Polling::new(parts),
            origins: None,
            done: Done::default(),
            bounds,
            homes,
        }
    }

    /// The same, ready for what is requested.
    pub(crate) fn ready_for(self, requested: Option<&Requested>, network: &PacketNetwork) -> Self {
        let labels = self.parts() * network.labels();
        let stays = requested.is_some_and(|requested| requested.stays.is_some());
        Self { origins: stays.then(|| Origins::new(labels)), ..self }
    }

    pub(crate) fn parts(&self) -> usize {
        self.bounds.len() - 1
    }

    /// The routers of a part.
    pub(crate) fn routers(&self, part: usize) -> Range<usize> {
        self.bounds[part]..self.bounds[part + 1]
    }

    /// The part with the endpoint of a node.
    #[inline]
    pub(crate) fn home(&self, node: NodeId) -> usize {
        self.homes.get(node.index()).map_or(0, |&part| usize::from(part))
    }

    /// The part of a router.
    pub(crate) fn part_of(&self, router: u32) -> usize {
        self.bounds.partition_point(|&first| first <= router as usize) - 1
    }
}

/// The part on the calling thread: shows how far the run is, and ends it when it has taken too long.
struct Watched<'a, 'b, 'r, E> {
    worker: &'a mut Worker<'b, E>,
    watch: Watch<'a>,
    recorder: Option<&'r mut dyn Recorder>,
    limits: Limits,
    started: Instant,
    looks: Looks,
    /// Why it was ended.
    limit: Option<String>,
}

/// What a run leaves, beside what is counted.
pub(crate) struct Left {
    /// The limit of the clock on the wall that ended it.
    pub(crate) limit: Option<String>,
    /// In how many windows packets moved.
    pub(crate) windows: u64,
    /// How many threads have run it.
    pub(crate) parts: usize,
    /// If packets are left that nothing will move: channels that wait for each other. Empty if it is the nodes that wait.
    pub(crate) stuck: Option<Vec<StuckChannel>>,
}

/// Runs all parts to the end.
pub(crate) fn run_all<E: Endpoints, O: Endpoints + Send>(
    network: &PacketNetwork,
    shared: &Shared<'_>,
    here: &mut Worker<'_, E>,
    others: &mut [Worker<'_, O>],
    limits: Limits,
    watch: Watch<'_>,
    recorder: Option<&mut dyn Recorder>,
) -> Left {
    let (started, looks) = (Instant::now(), Looks::default());
    let mut watched = Watched { worker: here, watch, recorder, limits, started, looks, limit: None };
    let turns = weir_pdes::run(network.width, &mut watched, others);
    let Watched { worker: here, recorder, limit, .. } = watched;
    if let Some(recorder) = recorder {
        let rest: Vec<PartReport> =
            std::iter::once(here.rest()).chain(others.iter_mut().map(Worker::rest)).collect();
        let pairs = here.endpoints.pairs().into_iter();
        let pairs = pairs.chain(others.iter_mut().filter_map(|other| other.endpoints.pairs()));
        let pairs = pairs.reduce(|mut all, other| {
            all.join(other);
            all
        });
        report_rest(shared, turns, rest.into_iter(), pairs, recorder);
    }
    let routers = || std::iter::once(&here.routers).chain(others.iter().map(|other| &other.routers));
    let in_buffers: i64 = routers().map(Routers::balance).sum();
    let at_nodes = here.endpoints.has_packets() || others.iter().any(|other| other.endpoints.has_packets());
    let stuck = (in_buffers != 0 || at_nodes).then(|| find_circle(network, shared, routers()));
    Left { limit, windows: shared.moved.windows(), parts: shared.parts(), stuck }
}

/// When to look at the clock on the wall: after so many windows that it costs nothing, and so few that a limit holds also
/// where a window takes long.
struct Looks {
    last: Instant,
    /// After this turn, and after how many more behind it.
    next: u64,
    every: u64,
}

impl Default for Looks {
    fn default() -> Self {
        Self { last: Instant::now(), next: 0, every: 1 }
    }
}

impl Looks {
    const MOST: u64 = 256;
    const OFTEN: WallTime = WallTime::from_millis(50);

    /// Whether to look after this turn.
    fn are_due(&mut self, turn: u64) -> bool {
        if turn < self.next {
            return false;
        }
        let now = Instant::now();
        let quick = now.duration_since(self.last) < Self::OFTEN;
        self.every = if quick { (2 * self.every).min(Self::MOST) } else { (self.every / 4).max(1) };
        (self.last, self.next) = (now, turn + self.every);
        true
    }
}

impl<E: Endpoints> Part for Watched<'_, '_, '_, E> {
    fn run(&mut self, window: Window) {
        if let Some(recorder) = &mut self.recorder {
            report_mail(self.worker.routers.shared, window.turn, *recorder);
            if recorder.has_failed() {
                self.limit = Some("the results cannot be written".into());
            }
        }
        self.worker.run(window);
        if self.looks.are_due(window.turn) || interrupted_by().is_some() {
            let done = &self.worker.routers.shared.done;
            let [messages, bytes, events] =
                [&done.messages, &done.bytes, &done.events].map(|count| count.load(Ordering::Relaxed));
            (self.watch)(Progress { now: window.start, messages, bytes: Bytes(bytes), events, stage: None });
            self.limit = self.limit.take().or_else(|| self.limits.wall_is_over(self.started));
        }
    }

    fn next(&mut self, from: u64) -> Next {
        if self.limit.is_some() { Next::Stop } else { self.worker.next(from) }
    }
}

/// What all parts have done together, for whoever watches.
#[derive(Debug, Default)]
pub(crate) struct Done {
    pub(crate) messages: AtomicU64,
    pub(crate) bytes: AtomicU64,
    pub(crate) events: AtomicU64,
}

impl Done {
    /// Adds what a part has done in a window.
    pub(crate) fn add(&self, messages: u64, bytes: u64, events: u64) {
        for (count, new) in [(&self.messages, messages), (&self.bytes, bytes), (&self.events, events)] {
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
        self.now[(turn % 2) as usize].store(true, Ordering::Relaxed);
    }

    /// Counts the turn before this one; by one part, while no other is in a turn of that parity.
    fn count(&self, turn: u64) {
        let moved = self.now[(1 - turn % 2) as usize].swap(false, Ordering::Relaxed);
        self.windows.fetch_add(u64::from(moved), Ordering::Relaxed);
    }

    /// How many there were; when all is over.
    fn windows(&self) -> u64 {
        let last = self.now.iter().filter(|moved| moved.load(Ordering::Relaxed)).count();
        self.windows.load(Ordering::Relaxed) + last as u64
    }
}

/// Whether ranks do nothing but poll in vain: what each part has said at the end of a turn, read in the next one. A part
/// alone does not know whether others have something to do; and so all decide alike, however many there are.
#[derive(Debug)]
pub(crate) struct Polling {
    /// By parity of the turn, by part: the instant of its last event, and of the last one that was no poll; [`BUSY`] while
    /// it has other things to do or messages on their way.
    said: [Vec<[AtomicU64; 2]>; 2],
}

const BUSY: u64 = u64::MAX;

impl Polling {
    fn new(parts: usize) -> Self {
        let said = || (0..parts).map(|_| Default::default()).collect();
        Self { said: [said(), said()] }
    }

    /// What a part says at the end of a turn: if it is idle, when its last event was, and its last one that was no poll.
    pub(crate) fn say(&self, turn: u64, part: usize, idle: Option<(Time, Time)>) {
        let [last, last_work] = &self.said[(turn % 2) as usize][part];
        let (event, work) = idle.map_or((0, BUSY), |(event, work)| (event.as_ps(), work.as_ps()));
        if work != BUSY || last_work.load(Ordering::Relaxed) != BUSY {
            last.store(event, Ordering::Relaxed);
            last_work.store(work, Ordering::Relaxed);
        }
    }

    /// Whether by the end of the turn before this one nothing but polls had happened for [`Calendar::PATIENCE`], on all
    /// parts, of which one asks.
    pub(crate) fn is_in_vain(&self, turn: u64, part: usize) -> bool {
        let said = &self.said[(1 - turn % 2) as usize];
        if said[part][1].load(Ordering::Relaxed) == BUSY {
            return false;
        }
        let latest =
            |which: usize| said.iter().map(|said| said[which].load(Ordering::Relaxed)).max().unwrap_or(0);
        latest(0).saturating_sub(latest(1)) > Calendar::<()>::PATIENCE.as_ps()
    }
}

/// What is at the nodes of a part: it sends packets into the injection links and takes those from the ejection links.
pub(crate) trait Endpoints: Sink {
    /// Runs one window of all nodes.
    fn run(&mut self, window: &Window, routers: &mut Routers<'_>);

    /// What they need after it.
    fn next(&mut self, from: u64) -> Next;

    /// Whether programs have handed over packets that have not left.
    fn has_packets(&self) -> bool;

    /// Closes the counters of an interval.
    fn close(&mut self, samples: &mut Samples);

    /// Begins another interval, when the one before it is closed.
    fn begin(&mut self, interval: Interval);

    /// The first instant after the interval at which something that is known will happen.
    fn first_later(&self) -> Option<u64>;

    /// Takes the latencies of the intervals that are over at an instant.
    fn close_latencies(&mut self, until: Time, report: &mut PartReport);

    /// Takes what is reported one by one.
    fn report(&mut self, report: &mut PartReport);

    /// When all is over: takes what is left.
    fn report_rest(&mut self, report: &mut PartReport);

    /// When all is over: takes the pairs of ranks, if they were requested.
    fn pairs(&mut self) -> Option<Pairs>;
}

/// One thread's share of a machine.
pub(crate) struct Worker<'a, E> {
    pub(crate) part: usize,
    pub(crate) routers: Routers<'a>,
    pub(crate) endpoints: E,
    /// If anything is to be reported while the run goes on.
    pub(crate) reporter: Option<Reporter>,
}

impl<E: Endpoints> Part for Worker<'_, E> {
    fn run(&mut self, window: Window) {
        begin_window();
        self.close_intervals(&window);
        let Self { part, routers, endpoints, .. } = self;
        let shared = routers.shared;
        if *part == 0 {
            shared.moved.count(window.turn);
        }
        shared.deliveries.take(window.turn, *part, |_, delivery| endpoints.deliver(delivery));
        shared.credits.take(window.turn, *part, |_, (nic, due)| endpoints.credit(nic, due));
        endpoints.run(&window, routers);
        routers.run(&window, endpoints);
        self.report(&window);
    }

    fn next(&mut self, from: u64) -> Next {
        match (self.endpoints.next(from), self.routers.next(from)) {
            (Next::Window(first), Some(second)) => Next::Window(first.min(second)),
            (Next::Nothing, Some(number)) => Next::Window(number),
            (next, _) => next,
        }
    }
}

#[cfg(test)]
mod tests;

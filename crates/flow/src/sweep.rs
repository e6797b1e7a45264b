//! Mode F as paper 002 runs it: seven steps over all nodes or all links, one after the other, in parallel.
//!
//! ```text
//!   step 1  make message lists     nodes   each idle node takes its next message; none left anywhere: the end
//!   step 2  clear counters         links
//!   step 3  count flows            nodes   each flow adds one to the counter of each link on its route
//!   step 4  share links            links   capacity / counter
//!   step 5  find times             nodes   the least share on the route, and what remains of the message at that rate
//!   step 6  find least time        nodes   the first that finishes, or whose wait is over
//!   step 7  advance                nodes   by that time, or by the resolution if it is longer
//! ```
//!
//! Each thread does its part of the nodes and of the links; all of the loop is one parallel region, with a barrier
//! where a step needs what other threads did in the one before (paper 002, section 2.3). The counters are whole
//! numbers, and everything else of a node is computed by one thread alone, so the result does not depend on the number
//! of threads.
//!
//! The cost of a cycle is proportional to the machine, whatever changes. The engine of this crate ([`Flow`](crate::Flow)
//! with [`Sharing::SinglePass`](crate::Sharing::SinglePass)) has the same model without the sweep and without barriers;
//! one thread of it needs less than one thread of this, and far less where few flows change at a time. The sweep is here
//! to repeat the paper's measurements, to compare, and for machines with cores to spare.
//!
//! # Model
//! The model is that of the engine, ties and resolution included; but a message goes whenever its node is ready, and no node waits
//! for messages. A route is looked up when a message becomes active, not again in every cycle.

use crate::finish::Progress;
use crate::{BarrierWait, ThreadBarrier};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::{Duration as WallTime, Instant};
use weir_network::{Limits, Progress as Report, Watch};
use weir_topology::Topology;
use weir_units::{Bytes, Duration, LinkId, NodeId, Time, mix};

/// The steps, in their order.
pub const STEPS: [&str; 7] = [
    "make message lists",
    "clear counters",
    "count flows",
    "share links",
    "find times",
    "find least time",
    "advance",
];

/// The parallel sweep.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// Number of threads, at least 1.
    pub threads: usize,
    /// The way in which they wait for each other.
    pub waiting: BarrierWait,
    /// `Resolu` of paper 000.
    pub resolution: Duration,
}

/// A message of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sending {
    /// Where it goes; another node.
    pub to: NodeId,
    /// The length of the message, in bytes.
    pub bytes: Bytes,
    /// Time for which the node waits first, from the departure of the message before.
    pub wait: Duration,
}

/// Result of a run.
#[derive(Clone, Debug)]
pub struct SweepEnded {
    /// When the last message had arrived, or the limit that ended the run.
    pub until: Time,
    /// Which limit ended the run before all messages were sent, if one did.
    pub limit: Option<String>,
    /// Number of times that the steps were repeated.
    pub cycles: u64,
    /// Messages sent.
    pub messages: u64,
    /// Their bytes.
    pub bytes: Bytes,
    /// Sum over the messages of their sender, number and departure, mixed.
    pub digest: u64,
    /// Per link: bytes of the messages that were sent to their end.
    pub link_bytes: Vec<f64>,
    /// Per link: the most flows at one time.
    pub link_share: Vec<u32>,
    /// Times of each thread.
    pub times: Vec<StepTimes>,
}

/// Time of one thread in the steps, in the order of [`STEPS`].
#[derive(Clone, Copy, Debug, Default)]
pub struct StepTimes {
    /// At work.
    pub work: [WallTime; STEPS.len()],
    /// At the barrier behind the step; zero where there is none.
    pub wait: [WallTime; STEPS.len()],
}

/// State of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Its next message may go.
    Ready,
    /// Its message may go at this instant.
    Waiting(Time),
    Sending,
    /// It has no more messages.
    Done,
}

/// A node, served by one thread.
#[derive(Debug)]
struct Node {
    phase: Phase,
    /// Number of its next or active message.
    index: u64,
    message: Sending,
    progress: Progress,
    route: Vec<LinkId>,
}

/// Memory that threads share. What is written in one step is read behind a barrier, so no access needs an order of its own.
struct Shared {
    barrier: ThreadBarrier,
    counters: Vec<AtomicU32>,
    /// Bits of what each flow gets, in bytes per second.
    shares: Vec<AtomicU64>,
    most: Vec<AtomicU32>,
    link_bytes: Vec<AtomicU64>,
    /// For even and odd cycles: while one is in use the other is cleared.
    busy_nodes: [AtomicU64; 2],
    next_instant: [AtomicU64; 2],
    /// For the progress report.
    messages: AtomicU64,
    bytes: AtomicU64,
    stop: AtomicBool,
}

/// One thread's part.
struct Worker<'a, S> {
    shared: &'a Shared,
    topology: &'a Topology,
    sends: &'a S,
    nodes: &'a mut [Node],
    first_node: usize,
    links: Range<usize>,
    resolution: Duration,
    limits: Limits,
    now: Time,
    /// Even or odd.
    turn: usize,
    ended: Part,
}

/// Contribution of one thread to the result.
#[derive(Clone, Copy, Default)]
struct Part {
    cycles: u64,
    messages: u64,
    bytes: Bytes,
    digest: u64,
    until: Time,
    times: StepTimes,
}

impl Sweep {
    /// Runs to the end: `sends(node, i)` is message number `i` of a node, `None` behind its last.
    ///
    /// # Panics
    /// When a message goes to its own node or to one that does not exist, or when there are no threads.
    pub fn run<S>(&self, topology: &Topology, sends: &S, limits: Limits, watch: Watch<'_>) -> SweepEnded
    where
        S: Fn(NodeId, u64) -> Option<Sending> + Sync,
    {
        assert!(self.threads > 0, "a sweep needs a thread");
        let links = topology.links();
        let shared = Shared::new(ThreadBarrier::new(self.waiting, self.threads), links);
        let mut nodes: Vec<Node> = (0..topology.nodes()).map(|_| Node::new()).collect();
        let per_thread = nodes.len().div_ceil(self.threads).max(1);
        let mut chunks = nodes.chunks_mut(per_thread);
        let mut workers: Vec<Worker<'_, S>> = (0..self.threads)
            .map(|thread| Worker {
                shared: &shared,
                topology,
                sends,
                nodes: chunks.next().unwrap_or_default(),
                first_node: thread * per_thread,
                links: part_of(links, thread, self.threads),
                resolution: self.resolution,
                limits,
                now: Time::ZERO,
                turn: 0,
                ended: Part::default(),
            })
            .collect();
        let first = workers.remove(0);
        let (parts, limit) = std::thread::scope(|scope| {
            let others: Vec<_> =
                workers.into_iter().map(|worker| scope.spawn(move || worker.run(|_| None).0)).collect();
            let started = Instant::now();
            let (part, limit) = first.run(|progress| {
                watch(progress);
                limits.wall_is_over(started)
            });
            let others = others.into_iter().map(|other| other.join().expect("a worker does not panic"));
            (std::iter::once(part).chain(others).collect::<Vec<_>>(), limit)
        });
        shared.result(&parts, limit, limits)
    }
}

fn part_of(links: usize, thread: usize, threads: usize) -> Range<usize> {
    links * thread / threads..links * (thread + 1) / threads
}

impl<S: Fn(NodeId, u64) -> Option<Sending> + Sync> Worker<'_, S> {
    /// The loop of paper 002, section 2.2. `look` is asked in every cycle whether a limit ends the run.
    fn run(mut self, mut look: impl FnMut(Report) -> Option<String>) -> (Part, Option<String>) {
        loop {
            self.step(0, Self::make_message_lists);
            self.wait(0);
            if self.shared.busy_nodes[self.turn].load(Ordering::Relaxed) == 0 {
                return (self.ended, None);
            }
            self.step(1, Self::clear_counters);
            self.wait(1);
            self.step(2, Self::count_flows);
            self.wait(2);
            self.step(3, Self::share_links);
            self.wait(3);
            self.step(4, Self::find_times);
            self.step(5, Self::find_least_time);
            let limit = look(self.report());
            if limit.is_some() {
                self.shared.stop.store(true, Ordering::Relaxed);
            }
            self.wait(5);
            let next = self.next_instant();
            let limit = limit.or_else(|| {
                if next > self.limits.simulated {
                    self.ended.until = self.ended.until.max(self.limits.simulated);
                }
                self.limits.simulated_is_over(next)
            });
            if limit.is_some() || self.shared.stop.load(Ordering::Relaxed) {
                return (self.ended, limit);
            }
            self.step(6, |worker| worker.advance(next));
        }
    }

    fn step(&mut self, number: usize, work: impl FnOnce(&mut Self)) {
        let started = Instant::now();
        work(self);
        self.ended.times.work[number] += started.elapsed();
    }

    fn wait(&mut self, behind_step: usize) {
        let started = Instant::now();
        self.shared.barrier.wait();
        self.ended.times.wait[behind_step] += started.elapsed();
    }

    fn report(&self) -> Report {
        let messages = self.shared.messages.load(Ordering::Relaxed);
        let bytes = self.shared.bytes.load(Ordering::Relaxed);
        Report { now: self.now, messages, bytes: Bytes(bytes), events: messages, stage: None, causes: None }
    }

    fn make_message_lists(&mut self) {
        let mut busy = 0;
        for (place, node) in self.nodes.iter_mut().enumerate() {
            let id = NodeId::new(self.first_node + place);
            node.take_message(id, self.now, self.topology, self.sends, &mut self.ended);
            busy += u64::from(node.phase != Phase::Done);
        }
        self.shared.busy_nodes[self.turn].fetch_add(busy, Ordering::Relaxed);
    }

    fn clear_counters(&mut self) {
        for counter in &self.shared.counters[self.links.clone()] {
            counter.store(0, Ordering::Relaxed);
        }
        if self.first_node == 0 {
            self.shared.busy_nodes[1 - self.turn].store(0, Ordering::Relaxed);
            self.shared.next_instant[1 - self.turn].store(u64::MAX, Ordering::Relaxed);
        }
    }

    fn count_flows(&mut self) {
        for node in self.nodes.iter().filter(|node| node.phase == Phase::Sending) {
            for link in &node.route {
                self.shared.counters[link.index()].fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    fn share_links(&mut self) {
        let Shared { counters, shares, most, .. } = self.shared;
        for link in self.links.clone() {
            let count = counters[link].load(Ordering::Relaxed);
            if count > 0 {
                let capacity = self.topology.link(LinkId::new(link)).capacity.bytes_per_second();
                shares[link].store((capacity / f64::from(count)).to_bits(), Ordering::Relaxed);
                if count > most[link].load(Ordering::Relaxed) {
                    most[link].store(count, Ordering::Relaxed);
                }
            }
        }
    }

    fn find_times(&mut self) {
        for node in self.nodes.iter_mut().filter(|node| node.phase == Phase::Sending) {
            let share =
                |link: &LinkId| f64::from_bits(self.shared.shares[link.index()].load(Ordering::Relaxed));
            let rate = node.route.iter().map(share).fold(f64::INFINITY, f64::min);
            node.progress.advance(self.now, rate);
        }
    }

    fn find_least_time(&mut self) {
        let instant = |node: &Node| match node.phase {
            Phase::Sending => Some(node.progress.finish().1),
            Phase::Waiting(until) => Some(until.as_ps()),
            Phase::Ready | Phase::Done => None,
        };
        if let Some(least) = self.nodes.iter().filter_map(instant).min() {
            self.shared.next_instant[self.turn].fetch_min(least, Ordering::Relaxed);
        }
    }

    fn next_instant(&self) -> Time {
        let least = Time::from_ps(self.shared.next_instant[self.turn].load(Ordering::Relaxed));
        least.max(self.now + self.resolution)
    }

    fn advance(&mut self, now: Time) {
        let before = (self.ended.messages, self.ended.bytes);
        for (place, node) in self.nodes.iter_mut().enumerate() {
            match node.phase {
                Phase::Sending if node.progress.finish().0 <= now.as_ps() => {
                    for link in &node.route {
                        self.shared.link_bytes[link.index()]
                            .fetch_add(node.message.bytes.0, Ordering::Relaxed);
                    }
                    node.depart(NodeId::new(self.first_node + place), now, self.topology, &mut self.ended);
                }
                Phase::Waiting(until) if until <= now => node.phase = Phase::Ready,
                _ => {}
            }
        }
        self.shared.messages.fetch_add(self.ended.messages - before.0, Ordering::Relaxed);
        self.shared.bytes.fetch_add((self.ended.bytes - before.1).0, Ordering::Relaxed);
        self.now = now;
        self.turn = 1 - self.turn;
        self.ended.cycles += 1;
    }
}

impl Node {
    fn new() -> Self {
        let message = Sending { to: NodeId(0), bytes: Bytes::ZERO, wait: Duration::ZERO };
        Self { phase: Phase::Ready, index: 0, message, progress: Progress::default(), route: Vec::new() }
    }

    /// If the node has nothing to do: its next message, or the one whose wait is over, becomes active.
    fn take_message<S>(&mut self, id: NodeId, now: Time, topology: &Topology, sends: &S, ended: &mut Part)
    where
        S: Fn(NodeId, u64) -> Option<Sending>,
    {
        let mut has_waited = self.message.wait > Duration::ZERO;
        while self.phase == Phase::Ready {
            if !has_waited {
                let Some(message) = sends(id, self.index) else {
                    self.phase = Phase::Done;
                    return;
                };
                self.message = message;
                if message.wait > Duration::ZERO {
                    self.phase = Phase::Waiting(now + message.wait);
                    return;
                }
            }
            has_waited = false;
            topology.route(id, self.message.to, &mut self.route);
            assert!(!self.route.is_empty(), "node {id} sends to itself");
            self.phase = Phase::Sending;
            self.progress = Progress::new(self.message.bytes.as_f64(), 0.0, now);
            if self.message.bytes == Bytes::ZERO {
                self.depart(id, now, topology, ended);
            }
        }
    }

    /// The last byte of the active message has left.
    fn depart(&mut self, id: NodeId, now: Time, topology: &Topology, ended: &mut Part) {
        let latency = |link: &LinkId| topology.link(*link).latency;
        let latency = self.route.iter().map(latency).fold(Duration::ZERO, |sum, latency| sum + latency);
        ended.messages += 1;
        ended.bytes += self.message.bytes;
        let words = mix(u64::from(id.0)) ^ mix(self.index).rotate_left(17) ^ now.as_ps();
        ended.digest = ended.digest.wrapping_add(mix(words));
        ended.until = ended.until.max(now + latency);
        self.message.wait = Duration::ZERO;
        self.index += 1;
        self.phase = Phase::Ready;
    }
}

impl Shared {
    fn new(barrier: ThreadBarrier, links: usize) -> Self {
        let zeros = || (0..links).map(|_| AtomicU32::new(0)).collect();
        let long_zeros = || (0..links).map(|_| AtomicU64::new(0)).collect();
        Self {
            barrier,
            counters: zeros(),
            shares: long_zeros(),
            most: zeros(),
            link_bytes: long_zeros(),
            busy_nodes: [AtomicU64::new(0), AtomicU64::new(0)],
            next_instant: [AtomicU64::new(u64::MAX), AtomicU64::new(u64::MAX)],
            messages: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
            stop: AtomicBool::new(false),
        }
    }

    fn result(self, parts: &[Part], limit: Option<String>, limits: Limits) -> SweepEnded {
        let until = parts.iter().map(|part| part.until).max().unwrap_or(Time::ZERO);
        SweepEnded {
            until: if limit.is_some() { until.min(limits.simulated) } else { until },
            limit,
            cycles: parts.first().map_or(0, |part| part.cycles),
            messages: parts.iter().map(|part| part.messages).sum(),
            bytes: parts.iter().map(|part| part.bytes).sum(),
            digest: parts.iter().fold(0, |sum, part| sum.wrapping_add(part.digest)),
            link_bytes: self.link_bytes.into_iter().map(|bytes| bytes.into_inner() as f64).collect(),
            link_share: self.most.into_iter().map(AtomicU32::into_inner).collect(),
            times: parts.iter().map(|part| part.times).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each link belongs to one thread, and no thread has two more than another.
    #[test]
    fn links_are_divided_among_threads() {
        for threads in 1..9 {
            for links in 0..30 {
                let parts: Vec<_> = (0..threads).map(|thread| part_of(links, thread, threads)).collect();
                assert!(parts.iter().cloned().flatten().eq(0..links), "{links} links: {parts:?}");
                let sizes = || parts.iter().map(Range::len);
                assert!(sizes().max() <= sizes().min().map(|least| least + 1), "{links} links: {parts:?}");
            }
        }
    }
}

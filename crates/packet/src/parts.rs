//! A machine cut into parts, one for each thread of each process, and what those of one process share.

use crate::crossing::Crossing;
use crate::flights::{FlightName, FlightNumbers, NUMBER_BITS};
use crate::labels::{Labels, MESSAGE_BITS, MOST_LABELS};
use crate::memory::Memory;
use crate::meters::Interval;
use crate::network::PacketNetwork;
use crate::origins::Origins;
use crate::prefetch::begin_window;
use crate::routers::{Call, Delivery, Routers, Sink};
use crate::series::{PartReport, Reporter, Samples, Spare};
use crate::slots::Slots;
use crate::so_far::SoFarByPart;
use crate::stalls::Stalls;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use weir_network::record::{Keep, Pairs};
use weir_network::{Polling, Print, Requested};
use weir_pdes::{Division, Letterbox, Mailbox, Next, Part, Window};
use weir_units::{NodeId, Time};

/// What all parts of a process read and write. Mailboxes are for these, letterboxes for parts anywhere.
pub(crate) struct Shared<'m> {
    pub(crate) slots: Slots<'m>,
    pub(crate) labels: Labels<'m>,
    /// Numbers of labels, on their way back to those who gave them.
    pub(crate) numbers: Mailbox<u32>,
    pub(crate) deliveries: Mailbox<Delivery>,
    pub(crate) calls: Mailbox<Call>,
    /// Interfaces that have credits, and the windows in which they do.
    pub(crate) credits: Mailbox<(u32, u64)>,
    /// What passes the borders of processes.
    pub(crate) crossings: Letterbox<Crossing>,
    /// The reports of parts, for the first one.
    pub(crate) report: Letterbox<PartReport>,
    /// What other processes have done, for the watch of the first one: messages, bytes, events.
    pub(crate) progress: Letterbox<[u64; 3]>,
    /// What ranks print, for the first part.
    pub(crate) prints: Letterbox<Print>,
    /// Room for what they report of intervals.
    pub(crate) spare: Spare,
    pub(crate) moved: Moved,
    pub(crate) polling: Polling,
    /// If single packets are looked at.
    pub(crate) origins: Option<Origins>,
    /// If what time goes into is kept.
    pub(crate) stalls: Option<Stalls>,
    pub(crate) done: Done,
    /// What the time of ranks went into so far, if the watch is shown that.
    pub(crate) so_far: SoFarByPart,
    pub(crate) division: Division,
    /// The first router of each part, and where the last one ends.
    bounds: Vec<usize>,
    /// By node: the part with its endpoint. Empty if they are all in the first one.
    pub(crate) homes: Vec<u16>,
}

/// Where the endpoints are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Homes {
    /// Each in the part of its router.
    WithRouters,
    /// All in the first part of the process of their routers.
    First,
}

/// More threads of a process are not used.
const MOST_THREADS: usize = 64;

/// More parts could not be counted in what a label says of a message.
const MOST_PARTS: usize = 1 << (MESSAGE_BITS - NUMBER_BITS);

impl PacketNetwork {
    /// More processes than this cannot run it together. A node with several cables is in one process, and so are all routers that it may
    /// reach by them.
    #[must_use]
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

    /// By node: which of so many processes runs its router and its ranks, with so many threads each.
    #[must_use]
    pub fn homes(&self, processes: usize, threads: usize) -> Vec<u32> {
        let division = self.division(threads, 0, processes);
        let bounds = self.bounds(division.parts());
        let process = |node| division.process_of(part_of(&bounds, self.router_of(node))) as u32;
        (0..self.nodes()).map(NodeId::new).map(process).collect()
    }
}

/// The part of a router.
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
            numbers: Mailbox::new(parts),
            deliveries: Mailbox::new(parts),
            calls: Mailbox::new(parts),
            credits: Mailbox::new(parts),
            crossings: Letterbox::new(division),
            report: Letterbox::new(division),
            progress: Letterbox::new(division),
            prints: Letterbox::new(division),
            spare: Spare::default(),
            moved: Moved::default(),
            polling: Polling::new(division),
            origins: None,
            stalls: None,
            done: Done::default(),
            so_far: SoFarByPart::default(),
            division,
            bounds,
            homes,
        }
    }

    /// The same, ready for what is requested.
    pub(crate) fn ready_for(self, requested: Option<&Requested>, network: &PacketNetwork) -> Self {
        let labels = self.division.threads() * network.labels();
        let stays = requested.is_some_and(|requested| requested.stays.is_some());
        Self { origins: stays.then(|| Origins::new(labels)), ..self }
    }

    /// The same, where what the time of ranks goes into is kept.
    pub(crate) fn keeping_causes(self, causes: Keep, network: &PacketNetwork) -> Self {
        let labels = self.division.threads() * network.labels();
        Self { stalls: (causes == Keep::Yes).then(|| Stalls::new(labels)), ..self }
    }

    /// The same, where the watch is shown what the time of ranks went into so far. That of other processes is not known.
    pub(crate) fn showing_causes(self, shows: Keep) -> Self {
        if shows == Keep::No || self.division.processes() > 1 {
            return self;
        }
        let parts = if self.homes.is_empty() { 1 } else { self.division.threads() };
        Self { so_far: SoFarByPart::of(parts), ..self }
    }

    /// How many parts there are, in all processes.
    pub(crate) fn parts(&self) -> usize {
        self.division.parts()
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

    /// The nodes at home in a part, in the order of their routers there.
    pub(crate) fn nodes(&self, network: &PacketNetwork, part: usize) -> Vec<NodeId> {
        let mut nodes: Vec<_> =
            (0..network.nodes()).map(NodeId::new).filter(|&node| self.home(node) == part).collect();
        nodes.sort_by_key(|&node| network.router_of(node));
        nodes
    }

    /// The part of a router.
    pub(crate) fn part_of(&self, router: u32) -> usize {
        part_of(&self.bounds, router as usize)
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
    pub(crate) fn load(&self) -> [u64; 3] {
        [&self.messages, &self.bytes, &self.events].map(|count| count.load(Ordering::Relaxed))
    }

    /// What has been done since the last call.
    pub(crate) fn take(&self) -> [u64; 3] {
        [&self.messages, &self.bytes, &self.events].map(|count| count.swap(0, Ordering::Relaxed))
    }

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

    /// Whether anything has moved here in the turn before this one.
    pub(crate) fn before(&self, turn: u64) -> bool {
        self.now[((turn + 1) % 2) as usize].load(Ordering::Relaxed)
    }

    /// Something has moved in another process in the turn before this one.
    pub(crate) fn note_before(&self, turn: u64) {
        self.note(turn + 1);
    }

    /// Counts the turn before this one; by one part, while no other is in a turn of that parity.
    fn count(&self, turn: u64) {
        let moved = self.now[(1 - turn % 2) as usize].swap(false, Ordering::Relaxed);
        self.windows.fetch_add(u64::from(moved), Ordering::Relaxed);
    }

    /// So many were counted before this run went on.
    pub(crate) fn go_on_after(&self, windows: u64) {
        self.windows.store(windows, Ordering::Relaxed);
    }

    /// How many there were; when all is over.
    pub(crate) fn windows(&self) -> u64 {
        let last = self.now.iter().filter(|moved| moved.load(Ordering::Relaxed)).count();
        self.windows.load(Ordering::Relaxed) + last as u64
    }
}

/// What is at the nodes of a part: it sends packets into the injection links and takes those from the ejection links.
pub(crate) trait Endpoints: Sink {
    /// Runs one window of all nodes.
    fn run(&mut self, window: &Window, routers: &mut Routers<'_>);

    /// What they need after it.
    fn next(&mut self, from: u64) -> Next;

    /// Whether anything here waits for its turn to be sent.
    fn waits(&self) -> bool;

    /// The machine has become another one: interfaces open at this instant, which is not before the window.
    fn change(&mut self, opens: u64, window: &Window);

    /// Whether programs have handed over packets that have not left, and when the last one has left an interface.
    fn remains(&self) -> (bool, Time);

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

    /// When all is over: takes what remains.
    fn report_rest(&mut self, report: &mut PartReport);

    /// When all is over: takes the pairs of ranks, if they were requested.
    fn pairs(&mut self) -> Option<Pairs>;

    /// Takes the mail for a window before it is run.
    fn take_mail(&mut self, window: &Window);

    /// Whether something has ended the run.
    fn is_over(&self) -> bool;

    /// What is here before a window, when the mail for it has been taken: messages on their way to this part, and the rest.
    fn save(&mut self) -> (Vec<FlightName>, Vec<u8>);

    /// Takes over what belongs to this part of what all parts of then have kept, with new numbers of flights; `None` if that cannot be
    /// read.
    fn restore(
        &mut self,
        saved: &[(&[FlightName], &[u8])],
        numbers: &FlightNumbers,
        window: &Window,
    ) -> Option<()>;
}

/// One thread's share of a machine.
pub(crate) struct Worker<'a, E> {
    pub(crate) part: usize,
    pub(crate) routers: Routers<'a>,
    pub(crate) endpoints: E,
    /// If anything is to be reported while the run goes on.
    pub(crate) reporter: Option<Reporter>,
    /// When interfaces have opened last, because the machine has changed, in picoseconds.
    pub(crate) opens: u64,
}

/// Takes what routers of other parts have sent endpoints.
fn take_packets(shared: &Shared<'_>, endpoints: &mut impl Endpoints, window: &Window, local: usize) {
    shared.deliveries.take(window.turn, local, |_, delivery| endpoints.deliver(delivery));
    shared.credits.take(window.turn, local, |_, (nic, due)| endpoints.credit(nic, due));
}

impl<E: Endpoints> Worker<'_, E> {
    /// Takes all mail for a window before it is run.
    pub(crate) fn take_mail(&mut self, window: &Window) {
        let Self { part, routers, endpoints, .. } = self;
        let shared = routers.shared;
        take_packets(shared, endpoints, window, shared.division.local(*part));
        endpoints.take_mail(window);
        routers.take_mail(window);
    }
}

impl<E: Endpoints> Part for Worker<'_, E> {
    fn run(&mut self, window: Window) {
        begin_window();
        self.close_intervals(&window);
        let Self { part, routers, endpoints, .. } = self;
        let shared = routers.shared;
        let local = shared.division.local(*part);
        if local == 0 {
            shared.moved.count(window.turn);
        }
        take_packets(shared, endpoints, &window, local);
        endpoints.run(&window, routers);
        routers.run(&window, endpoints);
        self.report(&window);
    }

    fn next(&mut self, from: u64) -> Next {
        let next = match (self.endpoints.next(from), self.routers.next(from)) {
            (Next::Window(first), Some(second)) => Next::Window(first.min(second)),
            (Next::Nothing, Some(number)) => Next::Window(number),
            (next, _) => next,
        };
        match (next, self.routers.change_to_come()) {
            // The window of the change is run, so that the run stands still behind it.
            (Next::Window(number), Some(due)) => Next::Window(number.min(due.max(from))),
            (next, _) => next,
        }
    }
}

#[cfg(test)]
mod tests;

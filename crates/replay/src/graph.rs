//! A rank that carries out a graph of work: its tasks begin when those that they require have ended or begun.
//!
//! ```text
//!   tasks of the rank, in the order of their numbers
//!   ... ended ... | window: wait for others, ready, under way | not read yet ...
//! ```
//! Tasks are read when one of them may be ready: when there is one that waits for none, or for tasks that have ended, see
//! [`Tasks::unread_wait_for`]; and as long as no more than [`GraphSetting::window`] of them wait for others, and [`MOST_QUEUED`] for their
//! stream. A task that lasts while many behind it end is put aside, so that the window goes on. So a rank needs memory for its window and for
//! what is under way, however long its graph is.

use crate::setting::{Setting, Sources};
use crate::slots::{Slot, Slots, State, Waits};
use crate::started::{Ground, Known, Started};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use weir_message::{Actions, Body, MpiError, Process, RequestId, Result};
use weir_network::causes::Ledger;
use weir_network::{Event, Peer, Program, Waiting};
use weir_operations::{Operation, Task, Tasks};
use weir_units::Rank;

/// Parameters of a graph beside its tasks.
#[derive(Clone, Debug)]
pub struct GraphSetting {
    /// Costs, collectives and interfaces; of sources and ways nothing is taken.
    pub replay: Setting,
    /// The number of tasks of a rank that are read although they wait for others, at least 1. A task beyond them begins later than its requirements
    /// allow if it could overtake all of these.
    pub window: usize,
}

/// The most computations of a rank that are read and ready, but wait for others of their stream.
const MOST_QUEUED: usize = 1 << 16;

struct Shared {
    tasks: Mutex<Box<dyn Tasks + Send>>,
    ground: Ground,
    /// See [`GraphSetting::window`].
    window: usize,
}

/// A rank that carries out its graph of work.
pub struct GraphReplay {
    shared: Arc<Shared>,
    process: Process,
    slots: Slots,
    /// One more than the largest number of a task that has ended.
    ended: u64,
    /// Tasks in the window that wait for others.
    blocked: usize,
    /// The ends for which the tasks wait that are not read yet, see [`Tasks::unread_wait_for`].
    unread_wait_for: Option<u64>,
    has_more: bool,
    ready: BinaryHeap<Reverse<u64>>,
    /// Tasks that are ready while their stream is busy, of all streams.
    queued: usize,
    /// Its streams that have had tasks, by their numbers.
    streams: Vec<Stream>,
    /// The tasks under way, by the number of their request.
    requests: Vec<u64>,
    /// Computations under way, with the token of the timer that ends each, which increases.
    timers: VecDeque<(u64, u64)>,
    tokens: u64,
    known: Known,
    is_over: bool,
}

struct Stream {
    number: u32,
    /// The last task that was read.
    last: Option<u64>,
    is_busy: bool,
    /// Computations that are ready while another is under way.
    queue: BinaryHeap<Reverse<u64>>,
}

impl GraphReplay {
    /// All ranks of a graph whose communicators, beside the world, are those of `profile`.
    pub fn all(
        tasks: Box<dyn Tasks + Send>,
        communicators: &weir_formats::profile::Communicators,
        setting: GraphSetting,
    ) -> Vec<Self> {
        let size = tasks.ranks();
        let GraphSetting { replay, window } = setting;
        let ground = Ground::new(communicators, Setting { sources: Sources::Recorded, ..replay });
        let shared = Arc::new(Shared { tasks: Mutex::new(tasks), ground, window });
        let rank = |rank| Self {
            process: Process::new(rank, size, Arc::clone(&shared.ground.setting.costs)),
            shared: Arc::clone(&shared),
            slots: Slots::default(),
            ended: 0,
            blocked: 0,
            unread_wait_for: None,
            has_more: true,
            ready: BinaryHeap::new(),
            queued: 0,
            streams: Vec::new(),
            requests: Vec::new(),
            timers: VecDeque::new(),
            tokens: 0,
            known: Known::default(),
            is_over: false,
        };
        (0..size).map(Rank::new).map(rank).collect()
    }

    /// Number of tasks that have ended and that no later one can wait for any more.
    pub fn done(&self) -> u64 {
        self.slots.ended()
    }

    /// A stream, which is there from now on.
    fn stream(&mut self, number: u32) -> &mut Stream {
        let place = match self.streams.binary_search_by_key(&number, |stream| stream.number) {
            Ok(place) => place,
            Err(place) => {
                let streams = self.streams.len() + 1;
                make_room(&mut self.streams, streams);
                let stream = Stream { number, last: None, is_busy: false, queue: BinaryHeap::new() };
                self.streams.insert(place, stream);
                place
            }
        };
        &mut self.streams[place]
    }

    /// Reads tasks until none of those behind can be ready, or as many wait as there is room for.
    fn read(&mut self) -> std::result::Result<(), String> {
        let rank = self.process.rank().index();
        while self.has_more
            && self.blocked < self.shared.window
            && self.ready.len() + self.queued < MOST_QUEUED
        {
            if self.unread_wait_for.is_some_and(|from| self.ended <= from) {
                break;
            }
            let mut tasks = self.shared.tasks.lock().unwrap_or_else(PoisonError::into_inner);
            let next = tasks.next(rank)?;
            self.unread_wait_for = tasks.unread_wait_for(rank);
            drop(tasks);
            let Some(Task { operation, stream, requires }) = next else {
                self.has_more = false;
                break;
            };
            let number = self.slots.next();
            let last = self.stream(stream).last.replace(number);
            let missing = match &requires {
                None => last.map_or(0, |last| self.wait_for(number, last, State::Ended)),
                Some(requires) => {
                    let ended = requires.ended.iter().map(|&other| (other, State::Ended));
                    let begun = requires.begun.iter().map(|&other| (other, State::Begun));
                    ended.chain(begun).map(|(other, state)| self.wait_for(number, other, state)).sum()
                }
            };
            self.slots.push(Slot {
                operation,
                stream,
                missing,
                state: State::Waits,
                waits: None,
                also_wait: Vec::new(),
            });
            match missing {
                0 => self.ready.push(Reverse(number)),
                _ => self.blocked += 1,
            }
        }
        Ok(())
    }

    /// Has a task wait until another one is in a state; returns 1, or 0 if it is.
    fn wait_for(&mut self, number: u64, other: u64, until: State) -> u32 {
        match self.slots.get_mut(other) {
            Some(slot) if slot.state < until => {
                let waits = Waits { number, until };
                match slot.waits {
                    None => slot.waits = Some(waits),
                    Some(_) => slot.also_wait.push(waits),
                }
                1
            }
            _ => 0,
        }
    }

    /// A task in the window is in a state: one thing fewer is waited for by those that wait for that.
    fn reach(&mut self, number: u64, state: State) {
        let slot = self.slots.get_mut(number).expect("a task that is not over is in the window");
        slot.state = state;
        let first = slot.waits.take_if(|waits| waits.until == state);
        // Most tasks are awaited by one other: then there is no list.
        let others = if slot.also_wait.is_empty() {
            Vec::new()
        } else {
            slot.also_wait.extract_if(.., |waits| waits.until == state).collect()
        };
        for Waits { number, .. } in first.into_iter().chain(others) {
            let slot = self.slots.get_mut(number).expect("who waits is in the window");
            slot.missing -= 1;
            if slot.missing == 0 {
                self.blocked -= 1;
                self.ready.push(Reverse(number));
            }
        }
    }

    /// A task has ended.
    fn end(&mut self, number: u64) {
        self.reach(number, State::Ended);
        self.ended = self.ended.max(number + 1);
        self.slots.end(number);
    }

    /// Begins a task that is ready.
    fn begin(&mut self, number: u64, actions: &mut Actions) -> Result<()> {
        let Slot { operation, stream, .. } =
            self.slots.get(number).expect("a task that is ready is in the window");
        let stream = *stream;
        if let Operation::Compute { .. } = operation {
            let stream = self.stream(stream);
            if stream.is_busy {
                stream.queue.push(Reverse(number));
                self.queued += 1;
                return Ok(());
            }
        }
        self.reach(number, State::Begun);
        let slot = self.slots.get(number).expect("a task that begins has not ended");
        let request = match &slot.operation {
            &Operation::Compute { time } => {
                let until = match stream {
                    0 => {
                        self.process.wake(actions.now());
                        self.process.compute(time);
                        self.process.clock()
                    }
                    _ => actions.now() + time,
                };
                if until == actions.now() {
                    None
                } else {
                    self.stream(stream).is_busy = true;
                    self.tokens += 1;
                    actions.set_timer(until, self.tokens);
                    if self.timers.capacity() == 0 {
                        self.timers.reserve_exact(1);
                    }
                    self.timers.push_back((self.tokens, number));
                    return Ok(());
                }
            }
            other => match self.known.start(&mut self.process, &self.shared.ground, other, actions)? {
                Started::Under(id) => Some(id),
                Started::Over => None,
                Started::Not => {
                    return Err(MpiError::Other(format!("{} cannot be a task of a graph", other.name())));
                }
            },
        };
        match request {
            None => self.end(number),
            Some(id) => {
                let place = id.0 as usize;
                if self.requests.len() <= place {
                    make_room(&mut self.requests, place + 1);
                    self.requests.resize(place + 1, u64::MAX);
                }
                self.requests[place] = number;
                self.process.release(id)?;
            }
        }
        Ok(())
    }

    /// Does what there is to do.
    fn go_on(&mut self, actions: &mut Actions) {
        if let Err(why) = self.try_to_go_on(actions) {
            self.is_over = true;
            return actions.stop(why);
        }
        let has_ended = !self.has_more && self.slots.is_empty();
        if has_ended && !self.is_over {
            self.is_over = true;
            // The run comes up to the rank's clock.
            if self.process.clock() > actions.now() {
                self.tokens += 1;
                actions.set_timer(self.process.clock(), self.tokens);
            }
        }
    }

    fn try_to_go_on(&mut self, actions: &mut Actions) -> std::result::Result<(), String> {
        loop {
            while let Some(id) = self.process.next_released() {
                let completion = self.process.finish(id).map_err(|error| error.to_string())?;
                let number = self.requests[id.0 as usize];
                if let Some(error) = completion.status.error {
                    return Err(format!("{}: {error}", self.in_words(number)));
                }
                self.end(number);
            }
            self.read()?;
            let Some(Reverse(number)) = self.ready.pop() else { return Ok(()) };
            self.begin(number, actions).map_err(|error| format!("{}: {error}", self.in_words(number)))?;
        }
    }

    /// A computation is over, if the timer was of one.
    fn end_computation(&mut self, token: u64) -> bool {
        let place = self.timers.binary_search_by_key(&token, |(known, _)| *known);
        let Some((_, number)) = place.ok().and_then(|place| self.timers.remove(place)) else { return false };
        let stream = self.slots.get(number).expect("it is under way").stream;
        let stream = self.stream(stream);
        stream.is_busy = false;
        if let Some(next) = stream.queue.pop() {
            self.queued -= 1;
            self.ready.push(next);
        }
        self.end(number);
        true
    }

    /// A task in the window, for people: `recv (task 7)`.
    fn in_words(&self, number: u64) -> String {
        let name = self.slots.get(number).map_or("", |slot| slot.operation.name());
        format!("{name} (task {number})")
    }

    /// The requests under way.
    fn under_way(&self) -> impl Iterator<Item = RequestId> + '_ {
        let is_under_way =
            |number: u64| self.slots.get(number).is_some_and(|slot| slot.state == State::Begun);
        (0..)
            .zip(&self.requests)
            .filter(move |(_, number)| is_under_way(**number))
            .map(|(id, _)| RequestId(id))
    }
}

/// Makes room for so many entries in a list that has one in most ranks: there may be a million of them, and a list of itself begins with
/// room for four.
fn make_room<T>(list: &mut Vec<T>, entries: usize) {
    if entries > list.capacity() {
        list.reserve_exact(entries.max(2 * list.len()) - list.len());
    }
}

impl Program for GraphReplay {
    type Body = Body;

    fn react(&mut self, event: Event<Body>, actions: &mut Actions) {
        self.process.begin_event(actions);
        match event {
            Event::Start => {}
            Event::Arrived(message) => self.process.arrived(actions, message),
            Event::Departed { sequence } => self.process.departed(actions, sequence),
            Event::Timer { token } => {
                if !self.end_computation(token) {
                    return;
                }
            }
        }
        self.go_on(actions);
    }

    fn is_over(&self) -> bool {
        self.is_over
    }

    fn ledger(&mut self) -> Option<&mut Option<Box<Ledger>>> {
        Some(self.process.ledger())
    }

    fn waiting(&self) -> Option<Waiting> {
        if self.is_over {
            return None;
        }
        let ids: Vec<RequestId> = self.under_way().collect();
        let (peer, mut details) =
            if ids.is_empty() { (Peer::Any, Vec::new()) } else { self.process.explain(&ids) };
        let first = ids.first().map(|id| self.requests[id.0 as usize]);
        let call = first.map_or_else(|| "task".into(), |number| self.in_words(number));
        if self.has_more && self.blocked >= self.shared.window {
            let waiting = format!("{} tasks, and no more are read before one of them begins", self.blocked);
            details.push(("window", waiting));
        }
        Some(Waiting { rank: self.process.rank(), call, peer, details })
    }
}

/// The window that a graph of so many ranks has room for: a few million tasks over all ranks, and 4 of each at least.
pub fn window_of(ranks: usize) -> usize {
    const ALL: usize = 4 << 20;
    (ALL / ranks.max(1)).clamp(4, 1 << 16)
}

//! One rank of a C program: its coroutine, its process, and what its C functions keep for it.

pub(crate) mod context;
pub(crate) mod crew;
pub(crate) mod errors;
mod meter;
pub(crate) mod mpi_call;
pub(crate) mod objects;
pub(crate) mod program;

use crate::c_library::PrivateLibc;
use crate::calls::abi;
use crate::calls::call_site::Origins;
use crate::mpi::datatypes::types::Types;
use crate::mpi::requests::delivery::{Delivery, Generalized};
use crate::process::processor_time;
use crate::rank::crew::Crew;
use crate::rank::meter::Meter;
use crate::rank::objects::{Numbered, Objects};
use crate::skeleton::counts::{ClockCalls, Samples};
use crate::world::options::Compute;
use crate::world::{Verify, World};
use std::collections::BTreeMap;
use std::ffi::c_int;
use std::rc::Rc;
use std::sync::Arc;
use weir_message::window::Until;
use weir_message::{AwaitedMessage, Body, CommunicatorId, Envelope, Group, Process, RequestId, Selector};
use weir_network::{Actions, Event, Peer, Waiting};
use weir_units::{Duration, Time};

/// Where a rank stands between `MPI_Init` and `MPI_Finalize`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Phase {
    Before,
    Initialized,
    Finalized,
}

#[derive(Debug)]
pub(crate) enum Blocked {
    /// Nothing: it runs, or has not started.
    No,
    One(RequestId),
    /// All of these requests; those before `next` are complete.
    All {
        requests: Vec<RequestId>,
        next: usize,
    },
    For(Awaited),
    /// The receiver's word whether it lets this send go.
    Cancel(RequestId),
    Until(u64),
    /// A timer, or any change since; the rank looks whether something is there.
    Poll {
        token: u64,
        since: u64,
        polled: Awaited,
    },
}

#[derive(Debug)]
pub(crate) enum Awaited {
    /// One of these.
    Requests(Vec<RequestId>),
    Message {
        communicator: CommunicatorId,
        selector: Selector,
    },
    Window {
        window: CommunicatorId,
        until: Until,
    },
    /// That others change the memory of a window.
    Change {
        window: CommunicatorId,
    },
}

impl Blocked {
    /// Returns true if this request is waited for. Linear in the requests that are not known to be complete.
    fn is_for(&self, id: RequestId) -> bool {
        match self {
            Self::One(awaited) | Self::Cancel(awaited) => *awaited == id,
            Self::All { requests, next } => requests[*next..].contains(&id),
            Self::For(Awaited::Requests(requests))
            | Self::Poll { polled: Awaited::Requests(requests), .. } => requests.contains(&id),
            Self::No | Self::For(_) | Self::Until(_) | Self::Poll { .. } => false,
        }
    }

    /// Returns true if it waits for a message that no receive has asked for.
    fn looks_for(&self, envelope: &Envelope) -> bool {
        match self {
            Self::For(Awaited::Message { selector, .. })
            | Self::Poll { polled: Awaited::Message { selector, .. }, .. } => selector.takes(envelope),
            _ => false,
        }
    }
}

/// Reaction to a mistake in a call on a communicator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ErrorHandler {
    /// `MPI_ERRORS_ARE_FATAL`: the run ends.
    Fatal,
    /// `MPI_ERRORS_ABORT`: the run ends, too.
    Abort,
    /// `MPI_ERRORS_RETURN`: the function returns the error code.
    Return,
    /// The program's function with this number is called, and the function returns the error code.
    Call(usize),
}

/// State of the call that is being made. Where all threads of a rank may call, each has its own.
pub(crate) struct Calling {
    pub(crate) blocked: Blocked,
    /// The MPI function called last.
    pub(crate) call: &'static str,
    /// Time that the rank slept after its last vain look, if it has looked in vain.
    pub(crate) poll_interval: Option<Duration>,
    /// True while an operation of the program is carried out.
    pub(crate) combines: bool,
    /// Number of times that the program has read a clock since its last MPI call.
    pub(crate) clock_reads: u32,
    /// The time that it read last, and how often it has read that.
    pub(crate) last_read: (Time, u32),
}

impl Default for Calling {
    fn default() -> Self {
        Self {
            blocked: Blocked::No,
            call: Rank::BEFORE_ANY_CALL,
            poll_interval: None,
            combines: false,
            clock_reads: 0,
            last_read: (Time::ZERO, 0),
        }
    }
}

/// State of a rank, for the C functions that it calls.
pub(crate) struct Rank {
    pub(crate) process: Process,
    pub(crate) world: Rc<World>,
    pub(crate) phase: Phase,
    /// Level of threads that the program has got: one of the standard's numbers.
    pub(crate) thread_level: c_int,
    crew: Option<Arc<Crew>>,
    /// True if all of them may call MPI.
    pub(crate) is_open_to_threads: bool,
    pub(crate) calling: Calling,
    /// The call by which it leaves, if not by the end of `main`.
    pub(crate) left_by: Option<String>,
    pub(crate) is_interrupted: bool,
    pub(crate) compute_meter: Meter,
    /// Where its clock calls add up, if its program has that.
    pub(crate) clock_calls: Option<ClockCalls>,
    pub(crate) samples: Samples,
    pub(crate) types: Types,
    pub(crate) groups: Numbered<Group>,
    pub(crate) libc: PrivateLibc,
    objects: Option<Box<Objects>>,
    pub(crate) open_sessions: usize,
    /// Where requests have begun, if what remains of them is to be reported.
    pub(crate) origins: Option<Box<Origins>>,
    /// Error handlers of communicators; they are fatal where there is none.
    error_handlers: BTreeMap<CommunicatorId, ErrorHandler>,
    /// Deliveries of the data of requests, by request.
    deliveries: Vec<Delivery>,
    ends: Vec<(u64, RequestId)>,
    tokens: u64,
}

impl Rank {
    /// Name that stands for the function called last before there is one.
    pub(crate) const BEFORE_ANY_CALL: &str = "main";

    pub(crate) fn new(world: &Rc<World>, process: Process) -> Self {
        let clock_calls = world.clock_calls(process.rank());
        Self {
            process,
            world: Rc::clone(world),
            phase: Phase::Before,
            thread_level: abi::MPI_THREAD_SINGLE,
            crew: None,
            is_open_to_threads: false,
            calling: Calling::default(),
            left_by: None,
            is_interrupted: false,
            compute_meter: Meter::default(),
            clock_calls,
            samples: Samples::default(),
            types: Types::default(),
            groups: Numbered::default(),
            libc: PrivateLibc::default(),
            objects: None,
            open_sessions: 0,
            origins: (world.options.verify == Verify::Yes).then(Box::default),
            error_handlers: BTreeMap::new(),
            deliveries: Vec::new(),
            ends: Vec::new(),
            tokens: 0,
        }
    }

    /// Takes in an event; whether it can go on. `serve` does what others have asked of its memory.
    fn take_in(
        &mut self,
        event: Event<Body>,
        actions: &mut Actions<Body>,
        serve: fn(&mut Self, &mut Actions<Body>),
    ) -> bool {
        self.process.begin_event(actions);
        match event {
            Event::Start => return true,
            Event::Arrived(message) => {
                if actions.are_noted() {
                    self.note_waiting(&message.body, actions);
                }
                self.process.arrived(actions, message);
                serve(self, actions);
            }
            Event::Departed { sequence } => self.process.departed(actions, sequence),
            Event::Timer { token } => match self.ended_by(token) {
                Some(id) => self.process.end_outside(actions, id),
                None => return self.is_awake(token, actions),
            },
        }
        if let Some(crew) = self.open_crew() {
            return crew.can_go_on(self);
        }
        // The rank itself calls a function of its program.
        self.process.has_combinations() || self.is_ready()
    }

    /// Notes how long the rank has waited for a message that is about to arrive: since its clock stands still, if it
    /// waits for what the message is part of.
    fn note_waiting(&self, body: &Body, actions: &mut Actions<Body>) {
        let Some(meant) = self.process.meant(body) else { return };
        let waits_for_it = |blocked: &Blocked| match &meant {
            AwaitedMessage::Request(id) => blocked.is_for(*id),
            AwaitedMessage::Unmatched(envelope) => blocked.looks_for(envelope),
        };
        let waits = match self.open_crew() {
            Some(crew) => crew.any_waits(waits_for_it),
            None => waits_for_it(&self.calling.blocked),
        };
        let waited = if waits { actions.now().since(self.process.clock()) } else { Duration::ZERO };
        actions.note_waited(waited);
    }

    /// Returns true if this timer is the one it waits for.
    fn is_awake(&self, token: u64, actions: &mut Actions<Body>) -> bool {
        let is_awaited = match (self.open_crew(), &self.calling.blocked) {
            (Some(crew), _) => crew.timer(token),
            (None, Blocked::Until(until) | Blocked::Poll { token: until, .. }) => *until == token,
            (None, _) => false,
        };
        if !is_awaited {
            actions.ignore();
        }
        is_awaited
    }

    pub(crate) fn crew(&mut self) -> &Arc<Crew> {
        let (rank, costs, compute) =
            (self.process.rank(), Arc::clone(&self.world.options.costs), self.world.options.compute);
        self.crew.get_or_insert_with(|| Crew::new(rank, costs, compute))
    }

    /// Its threads, if all of them may call MPI.
    fn open_crew(&self) -> Option<Arc<Crew>> {
        self.crew.as_ref().filter(|_| self.is_open_to_threads).map(Arc::clone)
    }

    pub(crate) fn waiting(&self) -> Waiting {
        match self.open_crew() {
            Some(crew) => crew.waiting(self),
            None => self.explain(&self.calling.blocked, self.calling.call),
        }
    }

    /// Explains for what `blocked` in a call waits.
    fn explain(&self, blocked: &Blocked, call: &str) -> Waiting {
        let process = &self.process;
        let (peer, details) = match blocked {
            Blocked::All { requests, .. } => process.explain(requests),
            Blocked::One(id) | Blocked::Cancel(id) => process.explain(&[*id]),
            Blocked::For(awaited) | Blocked::Poll { polled: awaited, .. } => match awaited {
                Awaited::Requests(requests) => process.explain(requests),
                Awaited::Message { communicator, selector } => {
                    process.explain_probe(*communicator, selector.source, selector.tag)
                }
                Awaited::Window { window, until } => process.explain_window(*window, *until),
                Awaited::Change { window } => process.explain_change(*window),
            },
            Blocked::No | Blocked::Until(_) => (Peer::Any, vec![]),
        };
        Waiting { rank: process.rank(), call: call.into(), peer, details }
    }

    /// Ends a request for something beside messages at an instant.
    pub(crate) fn end_at(&mut self, actions: &mut Actions<Body>, at: Time, id: RequestId) {
        if at <= actions.now() {
            self.process.end_outside(actions, id);
        } else {
            let token = self.next_token();
            actions.set_timer(at, token);
            self.ends.push((token, id));
        }
    }

    /// The request that a timer ends, if it is such a timer.
    fn ended_by(&mut self, token: u64) -> Option<RequestId> {
        let place = self.ends.iter().position(|&(known, _)| known == token)?;
        Some(self.ends.swap_remove(place).1)
    }

    pub(crate) fn next_token(&mut self) -> u64 {
        self.tokens += 1;
        self.tokens
    }

    /// Returns true if the rank waits for nothing that is not there.
    pub(crate) fn is_ready(&mut self) -> bool {
        let process = &self.process;
        // A request that does not exist is an error that the waiting call will find.
        let complete = |id: &RequestId| !process.is_open(*id);
        match &mut self.calling.blocked {
            Blocked::No => true,
            Blocked::One(id) => complete(id),
            Blocked::All { requests, next } => {
                while requests.get(*next).is_some_and(complete) {
                    *next += 1;
                }
                *next == requests.len()
            }
            Blocked::For(Awaited::Requests(requests)) => requests.iter().any(complete),
            Blocked::For(Awaited::Message { selector, .. }) => process.probe(selector).is_some(),
            Blocked::Cancel(id) => !process.awaits_clearance(*id),
            Blocked::For(Awaited::Window { window, until }) => process.window_is_ready(*window, *until),
            Blocked::For(Awaited::Change { .. }) | Blocked::Until(_) => false,
            Blocked::Poll { since, .. } => process.changes() != *since,
        }
    }

    pub(crate) fn set_delivery(&mut self, id: RequestId, delivery: Delivery) {
        let index = id.0 as usize;
        if self.deliveries.len() <= index {
            self.deliveries.resize_with(index + 1, Delivery::default);
        }
        self.deliveries[index] = delivery;
    }

    /// The functions of a generalized request, if it is one.
    pub(crate) fn generalized(&self, id: RequestId) -> Option<Rc<Generalized>> {
        match self.deliveries.get(id.0 as usize) {
            Some(Delivery::Generalized(request)) => Some(Rc::clone(request)),
            _ => None,
        }
    }

    pub(crate) fn take_delivery(&mut self, id: RequestId) -> Delivery {
        self.deliveries.get_mut(id.0 as usize).map(std::mem::take).unwrap_or_default()
    }

    pub(crate) fn has_session(&self) -> bool {
        self.open_sessions > 0
    }

    /// Returns true if MPI may be called: between its beginning and its end, or while a session is open.
    pub(crate) fn may_call(&self) -> bool {
        self.phase == Phase::Initialized || self.has_session()
    }

    /// The phase as the end of the program sees it: an open session must be ended as MPI itself.
    pub(crate) fn phase_at_end(&self) -> Phase {
        if self.has_session() { Phase::Initialized } else { self.phase }
    }

    pub(crate) fn objects(&mut self) -> &mut Objects {
        self.objects.get_or_insert_default()
    }

    /// Returns the program's objects of one kind, if it has ever made any.
    pub(crate) fn known<T: 'static>(&self) -> Option<&T> {
        self.objects.as_ref()?.known()
    }

    pub(crate) fn error_handler(&self, communicator: CommunicatorId) -> ErrorHandler {
        self.error_handlers.get(&communicator).copied().unwrap_or(ErrorHandler::Fatal)
    }

    /// Says what happens to errors on a communicator.
    pub(crate) fn set_error_handler(&mut self, communicator: CommunicatorId, handler: ErrorHandler) {
        if handler == ErrorHandler::Fatal {
            self.error_handlers.remove(&communicator);
        } else {
            self.error_handlers.insert(communicator, handler);
        }
    }

    /// A new communicator treats errors as the one it was made from.
    pub(crate) fn inherit_errors(&mut self, from: CommunicatorId, to: Option<CommunicatorId>) {
        if let Some(to) = to {
            self.set_error_handler(to, self.error_handler(from));
        }
    }
}

impl Rank {
    /// The program's own work is interrupted, or over: its clock goes on by what it and its clock calls have taken.
    ///
    /// # Model
    /// Where it is measured, the processor time (`CLOCK_THREAD_CPUTIME_ID`) that a rank spends between two calls of MPI, times
    /// a factor, is added to its clock when it calls. Time inside of MPI functions, where other ranks run, is not the rank's;
    /// nor is what measuring costs: one reading of the clock per interval, and the clock calls of a skeleton within it.
    /// Measured times vary from run to run; so do simulated times and digests then.
    #[inline]
    pub(crate) fn charge_own_work(&mut self) {
        self.take_clock_calls();
        if let Compute::Measured(factor) = self.world.options.compute
            && !self.is_open_to_threads
        {
            self.charge_at_factor(factor);
        }
    }

    /// Charges what the program has worked, times a factor.
    #[cold]
    pub(crate) fn charge_at_factor(&mut self, factor: f64) {
        let now = processor_time();
        self.take_clock_calls();
        let taken = self.compute_meter.taken(now, &self.world);
        self.compute_meter = Meter::since(now, &self.world);
        let charged = Duration::from_secs_f64(taken.as_secs_f64() * factor);
        self.process.compute(charged.unwrap_or(Duration::ZERO));
    }

    #[inline]
    pub(crate) fn own_work_goes_on(&mut self) {
        if self.world.options.compute != Compute::None {
            self.compute_meter.restart(&self.world);
        }
    }
}

//! A rank that does what a profile says.

mod rare;
mod waiting;

use crate::setting::{Setting, Times};
use crate::started::{Ground, Known, Started};
use std::sync::Arc;
pub(crate) use waiting::looks;
use waiting::{NEVER, ended_by};
use weir_formats::profile::Profile;
use weir_message::window::Until;
use weir_message::{
    Actions, Body, BufferOf, CommunicatorId, MpiError, Process, RequestId, Result, Selector, SendChoices,
};
use weir_network::causes::Ledger;
use weir_network::{Event as NetworkEvent, Program, SendOptions, Waiting};
use weir_operations::{Mode, Operation, Step, Wildcards};
use weir_units::{Rank, Time};

struct Shared {
    profile: Arc<Profile>,
    ground: Ground,
}

/// A rank that does what a profile says.
pub struct Replay {
    /// Data of all ranks. Each has a count of its own for it: one count would go from thread to thread at every event.
    #[allow(clippy::redundant_allocation)] // the allocation has the rank's own count
    shared: Arc<Arc<Shared>>,
    process: Process,
    next: usize,
    state: ReplayState,
    /// When the step under way began.
    begun: Time,
    /// Number of things that must have happened to the rank to end its look in vain, or [`NEVER`].
    awaited: u64,
    /// The requests of the profile, by number.
    requests: Vec<RequestId>,
    known: Known,
    rare: Option<Box<rare::Rare>>,
    tokens: u64,
    times: Vec<(Time, Time)>,
    /// Number of times that it has done all its events.
    rounds: u64,
    /// True if it has waited in this round.
    has_waited: bool,
}

#[derive(Debug)]
enum ReplayState {
    /// Its next step.
    Next,
    /// It lets time come up to its clock, before the step goes on.
    CatchUp(u64),
    /// It sleeps until an instant, as long as nothing wakes it.
    Sleep { until: Time, token: u64 },
    /// It waits for what the step has started.
    One(RequestId),
    /// It waits for requests of the step; those before this place are complete.
    Several(usize),
    /// It waits for a message.
    Probe(CommunicatorId, Selector),
    /// It waits for the receiver's word whether it lets a send go.
    Cancel(RequestId),
    /// It waits at a window.
    Window(CommunicatorId, Until),
    /// It is at its end; the engine still has to come up to its clock.
    Ending(u64),
    /// Nothing any more.
    Over,
}

impl Replay {
    /// All ranks of a profile, in rank order.
    pub fn all(profile: Arc<Profile>, setting: Setting) -> Vec<Self> {
        let size = profile.ranks();
        let ground = Ground::new(&profile.communicators, setting);
        let buffered = |steps: &[Step]| {
            steps.iter().any(|step| matches!(step.operation, Operation::Send { mode: Mode::Buffered, .. }))
        };
        let shared = Arc::new(Shared { profile, ground });
        let rank = |rank| {
            let mut process = Process::new(rank, size, Arc::clone(&shared.ground.setting.costs));
            if buffered(shared.profile.steps(rank)) {
                process.attach_buffer(BufferOf::Process, None).expect("a new process has no buffer");
            }
            Self {
                shared: Arc::new(Arc::clone(&shared)),
                process,
                next: 0,
                state: ReplayState::Next,
                begun: Time::ZERO,
                awaited: NEVER,
                requests: Vec::new(),
                known: Known::default(),
                rare: None,
                tokens: 0,
                times: Vec::new(),
                rounds: 0,
                has_waited: false,
            }
        };
        (0..size).map(Rank::new).map(rank).collect()
    }

    /// Which rank it is.
    pub const fn rank(&self) -> Rank {
        self.process.rank()
    }

    /// Beginning and end of each step that is over, if they are kept.
    pub fn times(&self) -> &[(Time, Time)] {
        &self.times
    }

    /// Number of steps that are over.
    pub fn done(&self) -> usize {
        self.next
    }

    /// Returns whether what the rank waits for is there.
    fn is_ready(&mut self, step: Option<&Step>, now: Time) -> bool {
        let process = &self.process;
        let complete = |id| process.is_complete(id).unwrap_or(true);
        match &mut self.state {
            ReplayState::Next => true,
            ReplayState::Sleep { until, .. } => now >= *until && process.changes() >= self.awaited,
            ReplayState::One(id) => complete(*id),
            ReplayState::Several(place) => {
                let awaited = &ended_by(step)[*place..];
                let is_there = |&&RequestId(number): &&RequestId| complete(self.requests[number as usize]);
                let there = awaited.iter().take_while(is_there).count();
                *place += there;
                there == awaited.len()
            }
            ReplayState::Probe(_, selector) => process.probe(selector).is_some(),
            ReplayState::Cancel(id) => !process.awaits_clearance(*id),
            ReplayState::Window(id, until) => process.window_is_ready(*id, *until),
            ReplayState::CatchUp(_) | ReplayState::Ending(_) | ReplayState::Over => false,
        }
    }

    /// Does what there is to do, until the rank has to wait.
    fn go_on(&mut self, actions: &mut Actions) {
        let shared = Arc::clone(&self.shared);
        let steps = shared.profile.steps(self.process.rank());
        if !self.is_ready(steps.get(self.next), actions.now()) {
            return;
        }
        self.wake(actions);
        loop {
            let Some(step) = steps.get(self.next) else {
                if self.begins_again() {
                    continue;
                }
                return self.end(actions);
            };
            let went_on = match self.state {
                ReplayState::Next => self.begin(step, actions),
                _ => self.finish(step, actions),
            };
            if let Err(error) = went_on {
                self.state = ReplayState::Over;
                return self.stop(step, &error, actions);
            }
            if !matches!(self.state, ReplayState::Next) && !self.is_ready(Some(step), actions.now()) {
                self.has_waited = true;
                return;
            }
        }
    }

    fn stop(&self, step: &Step, error: &MpiError, actions: &mut Actions) {
        actions.stop(format!("event {} of its profile, {}: {error}", self.next, step.operation.name()));
    }

    /// Comes to a step.
    fn begin(&mut self, step: &Step, actions: &mut Actions) -> Result<()> {
        self.process.compute(step.compute);
        self.begun = self.process.clock();
        self.process.begin_call(step.operation.name(), "").map_err(MpiError::Other)?;
        match &step.operation {
            Operation::Poll { after, .. } => {
                self.awaited = after.map_or(NEVER, |after| self.process.changes().saturating_add(after));
                self.catch_up(actions, step)
            }
            operation if looks(operation) => self.catch_up(actions, step),
            _ => {
                if let Some(ways) = &self.shared.ground.setting.ways {
                    let ways = Arc::clone(ways);
                    self.take_way(&ways);
                }
                self.start(step, actions)
            }
        }
    }

    /// Lets the engine come up to the rank's clock, if it is behind.
    fn catch_up(&mut self, actions: &mut Actions, step: &Step) -> Result<()> {
        let clock = self.process.clock();
        if clock <= actions.now() {
            return self.go_on_after(step, actions);
        }
        self.tokens += 1;
        actions.set_timer(clock, self.tokens);
        self.state = ReplayState::CatchUp(self.tokens);
        Ok(())
    }

    /// Time has come up to the rank's clock.
    fn go_on_after(&mut self, step: &Step, actions: &mut Actions) -> Result<()> {
        match step.operation {
            Operation::Poll { time, .. } => {
                self.sleep(self.begun + time, actions);
                Ok(())
            }
            _ => self.start(step, actions),
        }
    }

    /// The rank goes on after it has slept.
    fn wake(&mut self, actions: &Actions) {
        if self.process.has_released() {
            self.finish_released();
        }
        self.process.wake(actions.now());
    }

    /// Messages go the way of the next step from now on.
    #[cold]
    fn take_way(&mut self, ways: &[Vec<SendOptions>]) {
        let of_rank = ways.get(self.process.rank().index());
        let way = of_rank.and_then(|ways| ways.get(self.next)).cloned().unwrap_or_default();
        if self.process.choices().way != way {
            self.process.choose(SendChoices { way, ..self.process.choices() });
        }
    }

    /// Starts what the step starts, or waits for what there is to wait for.
    fn start(&mut self, step: &Step, actions: &mut Actions) -> Result<()> {
        let operation = &step.operation;
        match self.known.start(&mut self.process, &self.shared.ground, operation, actions)? {
            Started::Under(id) => self.started(id, operation.request()),
            Started::Over => match operation.request() {
                None => self.over(),
                Some(request) => {
                    let id = self.process.completed();
                    self.keep(request, id);
                }
            },
            Started::Not => self.start_other(operation, actions)?,
        }
        Ok(())
    }

    /// Starts what is neither a message nor a collective nor an access.
    fn start_other(&mut self, operation: &Operation, actions: &mut Actions) -> Result<()> {
        match operation {
            Operation::Release { request } => {
                let id = self.requests[request.0 as usize];
                self.process.release(id)?;
                self.finish_released();
                self.over();
            }
            Operation::Flush => {
                let id = self.process.flush_buffer(BufferOf::Process)?;
                self.state = ReplayState::One(id);
            }
            Operation::Compute { time } => {
                self.process.compute(*time);
                self.over();
            }
            Operation::End => self.over(),
            Operation::Wait { .. } => self.state = ReplayState::Several(0),
            Operation::Probe { from, communicator, .. } => {
                let (source, tag) = self.shared.ground.asked(*from);
                let id = self.communicator(*communicator)?;
                match from.asked {
                    Wildcards::Nobody => self.over(),
                    _ => self.state = ReplayState::Probe(id, self.process.selector(id, source, tag)?),
                }
            }
            rare => self.start_rare(rare, actions)?,
        }
        Ok(())
    }

    /// Something goes on under this request; without a number of its own the step waits for it.
    fn started(&mut self, id: RequestId, request: Option<RequestId>) {
        match request {
            Some(request) => self.keep(request, id),
            None => self.state = ReplayState::One(id),
        }
    }

    fn keep(&mut self, RequestId(number): RequestId, id: RequestId) {
        let place = number as usize;
        if self.requests.len() <= place {
            self.requests.resize(place + 1, RequestId(u32::MAX));
        }
        self.requests[place] = id;
        self.over();
    }

    /// Goes on when the step need not wait any more.
    fn finish(&mut self, step: &Step, actions: &mut Actions) -> Result<()> {
        match std::mem::replace(&mut self.state, ReplayState::Next) {
            ReplayState::CatchUp(_) => return self.go_on_after(step, actions),
            ReplayState::One(id) => self.end_request(step, id)?,
            ReplayState::Several(_) => {
                if let Operation::Wait { requests, .. } = &step.operation {
                    for &RequestId(number) in requests.as_slice() {
                        self.end_request(step, self.requests[number as usize])?;
                    }
                }
            }
            ReplayState::Probe(_, selector) => self.take_message(step, &selector),
            ReplayState::Window(window, _) => {
                if let Operation::Window { operation, .. } = &step.operation {
                    self.process.end_at_window(actions, window, operation)?;
                }
            }
            ReplayState::Sleep { .. }
            | ReplayState::Cancel(_)
            | ReplayState::Next
            | ReplayState::Ending(_)
            | ReplayState::Over => {}
        }
        self.over();
        Ok(())
    }

    /// Ends a request. A program that was logged has gone on after its mistakes; of other profiles that is not known.
    fn end_request(&mut self, step: &Step, id: RequestId) -> Result<()> {
        let completion = self.process.finish(id)?;
        completion.status.error.filter(|_| step.took.is_none()).map_or(Ok(()), |error| Err(*error))
    }

    /// Ends requests that were given up and are complete now.
    fn finish_released(&mut self) {
        while let Some(id) = self.process.next_released() {
            // There is nowhere to report a mistake to.
            _ = self.process.finish(id);
        }
    }

    fn over(&mut self) {
        if self.shared.ground.setting.times == Times::Kept {
            self.times.push((self.begun, self.process.clock()));
        }
        // An observer that asks for the end does so again when the next step begins.
        _ = self.process.end_call();
        self.state = ReplayState::Next;
        self.next += 1;
    }

    /// The message layer's name of a communicator.
    #[inline]
    fn communicator(&mut self, number: u32) -> Result<CommunicatorId> {
        self.known.communicator(&mut self.process, &self.shared.ground, number)
    }
}

impl Program for Replay {
    type Body = Body;

    fn react(&mut self, step: NetworkEvent<Body>, actions: &mut Actions) {
        self.process.begin_event(actions);
        match step {
            NetworkEvent::Start => {}
            NetworkEvent::Arrived(message) => {
                self.note_waiting(&message.body, actions);
                self.process.arrived(actions, message);
                self.serve(actions);
            }
            NetworkEvent::Departed { sequence } => self.process.departed(actions, sequence),
            NetworkEvent::Timer { token } => match self.state {
                ReplayState::Ending(end) if end == token => return self.state = ReplayState::Over,
                ReplayState::CatchUp(awaited) if awaited == token => {
                    let shared = Arc::clone(&self.shared);
                    let step = &shared.profile.steps(self.process.rank())[self.next];
                    self.wake(actions);
                    if let Err(error) = self.go_on_after(step, actions) {
                        return self.stop(step, &error, actions);
                    }
                }
                ReplayState::Sleep { until, token: awaited } if awaited == token => {
                    self.end_sleep(until, actions)
                }
                _ => {
                    if !self.ends_access(token, actions) {
                        return actions.ignore();
                    }
                }
            },
        }
        self.go_on(actions);
    }

    fn is_over(&self) -> bool {
        matches!(self.state, ReplayState::Over)
    }

    fn ledger(&mut self) -> Option<&mut Option<Box<Ledger>>> {
        Some(self.process.ledger())
    }

    fn waiting(&self) -> Option<Waiting> {
        self.who_is_awaited()
    }
}

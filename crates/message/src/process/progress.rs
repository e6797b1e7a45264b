//! Progress of collectives: each round sends, receives, and when all is there, computes.
//!
//! A function of the program is called by the owner of the process, since it may call the library:
//!
//! ```text
//!   arrived, start_collective: the round has all it needs ----> has_combinations
//!   next_combination ----> Combination::carry_out (calls the program) ----> combined: the next round
//! ```

use super::sending::{Outgoing, control_message};
use super::{Process, agreement};
use crate::matching::Unexpected;
use crate::observer::Taken;
use crate::request::{About, Owner, Request, Running, State};
use crate::{
    ANY_SOURCE, ANY_TAG, Actions, Body, Combining, CommunicatorId, Completion, Data, Envelope, Meeting, Mode,
    MpiError, Reduction, RequestId, Result, Selector, Status,
};
use std::ops::Range;
use weir_collectives::{Call, Function, Plan, Round, Side, Step};
use weir_network::causes::{Cause, Sending};
use weir_operations::{Collective, Operation};
use weir_units::{Bytes, Rank, Time, mix};

/// Operands of a collective whose operation is a function of the program.
pub struct Combination {
    request: RequestId,
    running: Box<Running>,
}

impl Combination {
    /// Calls the function.
    pub fn carry_out(&mut self) {
        self.running.finish_round();
    }
}

impl Process {
    /// A number for a collective that will be started later, and perhaps often: that of the collectives which the other
    /// ranks of the communicator have made room for at the same place (MPI 5.0, section 6.13).
    pub fn reserve_collective(&mut self, communicator: CommunicatorId) -> Result<u32> {
        let comm = self.communicator_mut(communicator)?;
        comm.reserved += 1;
        Ok(comm.reserved)
    }

    /// Starts this rank's part of a collective: the plan's schedule over `workspace`. It is complete when all rounds are; its
    /// completion carries the workspace.
    ///
    /// # Errors
    /// When there is no such communicator, or others have called another collective in its place.
    pub fn start_collective(
        &mut self,
        actions: &mut Actions,
        communicator: CommunicatorId,
        meeting: Meeting,
        plan: &Plan,
        workspace: impl Into<Data>,
        reduction: Reduction,
    ) -> Result<RequestId> {
        self.begin(actions.now());
        let comm = self.communicator_mut(communicator)?;
        let tag = match meeting {
            Meeting::InOrder => {
                comm.collectives += 1;
                agreement::tag_in_order(comm.collectives)
            }
            Meeting::Reserved(number) => agreement::tag_of_reserved(number),
        };
        let context = plan.call.mark(mix(comm.context));
        let envelope = Envelope { context, source: comm.place().rank as u32, tag };
        let group = comm.everybody().clone();
        self.check_agreement(&envelope)?;
        let combining = reduction.as_ref().map_or(Combining::default(), |combine| combine.combining());
        let running = Box::new(Running {
            schedule: plan.schedule.clone(),
            workspace: workspace.into(),
            round: Round::default(),
            outstanding: 0,
            has_waited: false,
            error: None,
            envelope,
            group,
            communicator,
            combining,
            vector: Bytes(plan.input.len().max(plan.result.len()) as u64),
            reduction,
            rounds_begun: 0,
        });
        let about = About { communicator, peer: ANY_SOURCE, tag: ANY_TAG };
        let state = State::Leaving;
        let id = self.requests.add(Request { state, owner: Owner::Program, about });
        self.begun.begin(envelope, id);
        self.spend(self.costs.of_beginning(plan), Cause::StartUp);
        self.advance(actions, id, running);
        self.observe(|| {
            let collective = Box::new(Collective { combines: combining, ..plan.collective.clone() });
            let persistent = if let Meeting::Reserved(number) = meeting { Some(number) } else { None };
            Operation::Collective { collective, communicator: communicator.0, persistent, request: Some(id) }
        });
        Ok(id)
    }

    /// Returns whether [`Self::next_combination`] has one.
    #[inline]
    pub fn has_combinations(&self) -> bool {
        self.rare.as_ref().is_some_and(|rare| !rare.combinations.is_empty())
    }

    /// Operands for a function of the program. They are to be [handed back](Self::combined) before anything else happens to
    /// this process.
    pub fn next_combination(&mut self) -> Option<Combination> {
        while let Some(id) = self.rare.as_mut()?.combinations.pop_front() {
            // A collective that has failed in the meantime has nothing to combine.
            if let Some(Request { state: State::Collective(running), .. }) = self.requests.get_mut(id)
                && let Some(running) = running.take()
            {
                return Some(Combination { request: id, running });
            }
        }
        None
    }

    /// The function has been called: the collective goes on.
    pub fn combined(&mut self, actions: &mut Actions, combination: Combination) {
        let Combination { request, running } = combination;
        self.advance(actions, request, running);
    }

    /// A message of a collective is through since `at`; what it has brought goes to a place in the workspace, if it is one that was
    /// received: then there was room for so much.
    #[inline]
    pub(super) fn part_is_through(
        &mut self,
        actions: &mut Actions,
        (id, place, room): (RequestId, usize, Option<u64>),
        at: Time,
        (from, data): (Option<Rank>, &Data),
        error: Option<Box<MpiError>>,
    ) {
        let has_waited = actions.now() > self.clock;
        self.wait_for_completion(at);
        let running = match self.requests.get_mut(id) {
            Some(Request { state: State::Collective(running), .. }) => running.take(),
            _ => None,
        };
        let mut running =
            running.expect("parts belong to collectives, which live until all their rounds are over");
        running.outstanding -= 1;
        running.has_waited |= has_waited;
        if room.is_some() {
            self.pay_for_part(&running, from, data);
        }
        let wrong = room.and_then(|room| running.wrong_length(data.length(), room));
        if running.error.is_none() {
            running.error = error.or(wrong);
        }
        running.workspace.put(place, data.bytes());
        if running.outstanding == 0 && std::mem::take(&mut running.has_waited) && !running.is_of_interfaces()
        {
            self.spend(self.costs.wait, Cause::StartUp);
        }
        self.advance(actions, id, running);
    }

    /// Goes on with a collective as far as it can: each round sends, receives, and when all is there, computes.
    fn advance(&mut self, actions: &mut Actions, id: RequestId, mut running: Box<Running>) {
        while running.outstanding == 0 {
            // Nothing is left of it when a function of the program has combined.
            if !running.is_of_interfaces() {
                self.spend(
                    self.costs.of_steps(&running.round.then, running.combining, running.vector),
                    Cause::StartUp,
                );
            }
            if running.is_for_owner() {
                self.rare().combinations.push_back(id);
                break;
            }
            running.finish_round();
            if !running.next_round() {
                let status = Status { error: running.error, ..Status::empty() };
                let completion = Completion { status, data: running.workspace, from: None };
                let at = self.clock;
                self.begun.end(id);
                self.complete(actions, id, at, completion);
                return;
            }
            self.start_round(actions, id, &mut running);
        }
        let request = self.requests.get_mut(id).expect("a collective lives until all its rounds are over");
        match &mut request.state {
            State::Collective(place) => *place = Some(running),
            state => *state = State::Collective(Some(running)),
        }
    }

    fn start_round(&mut self, actions: &mut Actions, id: RequestId, running: &mut Running) {
        let communicator = running.communicator;
        let Envelope { context, tag, .. } = running.envelope;
        for transfer in &running.round.sends {
            let to = running.group.member(transfer.peer).expect("schedules name members");
            let range = transfer.range.clone();
            // What has failed here is to fail at those, too, who would get the wrong data.
            let range = if running.passes_failure_on() { range.start..range.start } else { range };
            let data = running.workspace.part(range);
            if running.is_of_interfaces() {
                // The processor has no part in it.
                let (bytes, body) = (data.length(), Body::Eager { envelope: running.envelope, data });
                let sequence = actions.send(control_message(self.clock, to, body));
                self.account_for_send(actions);
                self.observe_post(to, sequence, bytes);
                continue;
            }
            let about = About { communicator, peer: transfer.peer as i32, tag };
            let owner = Owner::Collective { request: id, at: 0 };
            let out = Outgoing { mode: Mode::Standard, envelope: running.envelope, to, data, owner, about };
            self.rail = transfer.rail;
            let request = self.start_send(actions, out);
            running.outstanding += usize::from(request.is_some());
        }
        self.rail = None;
        for transfer in &running.round.receives {
            let selector = Selector { context, source: transfer.peer as i32, tag };
            let about = About { communicator, peer: transfer.peer as i32, tag };
            let (room, posted) = (transfer.range.len() as u64, self.clock);
            let owner = Owner::Collective { request: id, at: transfer.range.start };
            match self.matching.take_unexpected(&selector) {
                // What has come already needs no request.
                Some(Unexpected { at, from, sequence, body: Body::Eager { data, .. }, .. }) => {
                    let matched = self.clock.max(at);
                    actions.note_taken(from, sequence, matched);
                    let bytes = data.length();
                    self.observe_take(matched, Taken { from, sequence, bytes, request: id });
                    self.wait_for_completion(at);
                    let longer = self.of_match(&running.envelope, from, bytes, at < posted);
                    self.spend(longer, Cause::StartUp);
                    self.pay_for_part(running, Some(from), &data);
                    running.error = running.error.take().or(running.wrong_length(bytes, room));
                    let fits = data.bytes().len().min(transfer.range.len());
                    running.workspace.put(transfer.range.start, &data.bytes()[..fits]);
                }
                Some(message) => {
                    running.outstanding += 1;
                    let part = self.add_receive(room, owner, about);
                    self.take(actions, part, message, Sending::Late);
                }
                None => {
                    running.outstanding += 1;
                    let part = self.add_receive(room, owner, about);
                    self.post(actions, selector, part);
                }
            }
        }
    }
}

impl Running {
    pub(super) fn is_of_interfaces(&self) -> bool {
        Call::is_by_interfaces(self.envelope.context)
    }

    /// Sets up the next round; false if there is none.
    fn next_round(&mut self) -> bool {
        self.round.clear();
        if self.rounds_begun == self.schedule.rounds() {
            return false;
        }
        self.schedule.round(self.rounds_begun, &mut self.round);
        self.rounds_begun += 1;
        true
    }

    /// The error if a message has another length than was due: the ranks give different counts. Where each block has
    /// a count of its own, or a rank gets the blocks of all, programs give more room than they need, and other libraries
    /// let them.
    fn wrong_length(&self, message: u64, due: u64) -> Option<Box<MpiError>> {
        if message > due {
            return Some(Box::new(MpiError::Truncate { message, buffer: due }));
        }
        let what = || {
            format!("a message of {message} bytes came where {due} were due: the ranks give different counts")
        };
        (message < due && self.is_exact()).then(|| Box::new(MpiError::Other(what())))
    }

    /// Returns whether every message must have just the length that is due.
    fn is_exact(&self) -> bool {
        use Function::{Allreduce, Bcast, Exscan, Reduce, Scan};
        let function = Call::marked(self.envelope.context).map(Call::function);
        matches!(function, Some(Bcast | Reduce | Allreduce | Scan | Exscan))
    }

    /// Returns whether the messages of this rank are empty from now on, by which others see that it has failed.
    fn passes_failure_on(&self) -> bool {
        self.error.is_some() && self.is_exact()
    }

    /// Returns whether the owner of the process computes the round: a function of the program combines.
    fn is_for_owner(&self) -> bool {
        self.reduction.as_ref().is_some_and(|combine| combine.is_of_program())
            && matches!(self.workspace, Data::Bytes(_))
            && self.round.then.iter().any(|step| matches!(step, Step::Reduce { .. }))
    }

    fn finish_round(&mut self) {
        let Data::Bytes(workspace) = &mut self.workspace else { return };
        for step in self.round.then.drain(..) {
            match step {
                Step::Copy { from, to } => workspace.copy_within(from, to),
                Step::Reduce { from, into, side } => {
                    let combine =
                        self.reduction.as_deref().expect("a schedule with reductions has an operation");
                    if side == Side::Left || combine.commutes() {
                        let (operand, place) = apart(workspace, from, into);
                        combine.combine(operand, place);
                    } else {
                        let (place, mut operand) = (into..into + from.len(), workspace[from].to_vec());
                        combine.combine(&workspace[place.clone()], &mut operand);
                        workspace[place].copy_from_slice(&operand);
                    }
                }
            }
        }
    }
}

/// The bytes of `from`, and as many from `into` on.
///
/// # Panics
/// When they overlap.
fn apart(workspace: &mut [u8], from: Range<usize>, into: usize) -> (&[u8], &mut [u8]) {
    let length = from.len();
    if from.end <= into {
        let (low, high) = workspace.split_at_mut(into);
        (&low[from], &mut high[..length])
    } else {
        let (low, high) = workspace.split_at_mut(from.start);
        (&high[..length], &mut low[into..into + length])
    }
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running")
            .field("rounds_begun", &self.rounds_begun)
            .field("outstanding", &self.outstanding)
            .finish()
    }
}

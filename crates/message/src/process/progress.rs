//! Progress of collectives: each round sends, receives, and when all is there, computes.

use super::{Outgoing, Process};
use crate::collective::{Plan, Reduction, Running};
use crate::matching::Unexpected;
use crate::observer::{Deed, Taken};
use crate::request::{About, Owner, Request, State};
use crate::{
    ANY_SOURCE, ANY_TAG, Body, CommunicatorId, Completion, Data, Envelope, Mode, MpiError, RequestId, Status,
    Wanted,
};
use std::rc::Rc;
use weir_network::Actions;
use weir_units::mix;

impl Process {
    /// Starts this rank's part of a collective: the plan's schedule over `workspace`. It is complete when all rounds are; its
    /// completion carries the workspace.
    ///
    /// # Errors
    /// When there is no such communicator, or others have called another collective in its place.
    pub fn start_collective(
        &mut self,
        actions: &mut Actions<Body>,
        communicator: CommunicatorId,
        plan: &Plan,
        workspace: impl Into<Data>,
        reduction: Reduction,
    ) -> Result<RequestId, MpiError> {
        self.wake(actions.now());
        let comm = self.communicator_mut(communicator)?;
        comm.collectives += 1;
        let tag = (comm.collectives & 0x7fff_ffff) as i32;
        let context = plan.call.mark(mix(comm.context));
        let envelope = Envelope { context, source: comm.place().rank as u32, tag };
        let group = comm.everybody().clone();
        self.check_agreement(&envelope)?;
        let schedule = Rc::clone(&plan.schedule);
        let running =
            Box::new(Running::new(schedule, workspace.into(), reduction, envelope, group, communicator));
        let about = About { communicator, peer: ANY_SOURCE, tag: ANY_TAG };
        let state = State::Leaving;
        let id = self.requests.add(Request { state, owner: Owner::Program, about });
        self.begun.begin(envelope, id);
        self.advance(actions, id, running);
        if self.is_observed() {
            let communicator = self.communicator(communicator)?;
            self.observe(Deed::Collective { communicator, plan, request: id });
        }
        Ok(id)
    }

    /// A message of a collective is through; what it has brought goes to `place` in the workspace.
    pub(super) fn part_is_through(
        &mut self,
        actions: &mut Actions<Body>,
        id: RequestId,
        place: usize,
        part: Completion,
    ) {
        let request = self.requests.get_mut(id).expect("a collective lives until all its rounds are over");
        let State::Collective(mut running) = std::mem::replace(&mut request.state, State::Leaving) else {
            unreachable!("parts belong to collectives")
        };
        running.outstanding -= 1;
        running.error = running.error.or(part.status.error);
        running.workspace.put(place, part.data.bytes());
        self.advance(actions, id, running);
    }

    /// Goes on with a collective as far as it can: each round sends, receives, and when all is there, computes.
    fn advance(&mut self, actions: &mut Actions<Body>, id: RequestId, mut running: Box<Running>) {
        while running.outstanding == 0 {
            running.finish_round();
            if !running.next_round() {
                let status = Status { error: running.error, ..Status::empty() };
                let completion = Completion { status, data: running.workspace };
                let at = self.clock;
                self.begun.end(id);
                self.complete(actions, id, at, completion);
                return;
            }
            self.start_round(actions, id, &mut running);
        }
        let request = self.requests.get_mut(id).expect("a collective lives until all its rounds are over");
        request.state = State::Collective(running);
    }

    fn start_round(&mut self, actions: &mut Actions<Body>, id: RequestId, running: &mut Running) {
        let communicator = running.communicator;
        let Envelope { context, tag, .. } = running.envelope;
        for transfer in &running.round.sends {
            let to = running.group.member(transfer.peer).expect("schedules name members");
            let data = running.workspace.part(transfer.range.clone());
            let about = About { communicator, peer: transfer.peer as i32, tag };
            let owner = Owner::Collective { request: id, at: 0 };
            let out = Outgoing { mode: Mode::Standard, envelope: running.envelope, to, data, owner, about };
            let request = self.start_send(actions, out);
            running.outstanding += usize::from(request.is_some());
        }
        for transfer in &running.round.receives {
            let wanted = Wanted { context, source: transfer.peer as i32, tag };
            let about = About { communicator, peer: transfer.peer as i32, tag };
            let (capacity, posted) = (transfer.range.len() as u64, self.clock);
            let state = State::Receiving { capacity, posted, envelope: None };
            let owner = Owner::Collective { request: id, at: transfer.range.start };
            let part = self.requests.add(Request { state, owner, about });
            match self.matching.post(wanted, part) {
                Some(Unexpected { at, from, sequence, body: Body::Eager { data, .. }, .. }) => {
                    let matched = self.clock.max(at);
                    actions.note_matched(from, sequence, matched);
                    let bytes = data.length();
                    self.observe_take(matched, Taken { from, sequence, bytes, request: part });
                    self.requests.remove(part);
                    self.wake(at);
                    self.clock += self.costs.overhead;
                    let (message, buffer) = (data.length(), transfer.range.len() as u64);
                    if message > buffer {
                        running.error = Some(MpiError::Truncate { message, buffer });
                    }
                    let fits = data.bytes().len().min(transfer.range.len());
                    running.workspace.put(transfer.range.start, &data.bytes()[..fits]);
                }
                Some(message) => {
                    running.outstanding += 1;
                    self.take(actions, part, message);
                }
                None => running.outstanding += 1,
            }
        }
    }
}

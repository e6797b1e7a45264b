//! Requests: queries of a program about them, and their ends; those that are over when several others are, those for something beside messages,
//! and those that are not to be carried out.

use super::Process;
use super::receiving::{cancelled, received};
use super::sending::{CONTROL_BYTES, Outgoing, sent};
use crate::request::{About, CombinedRequest, Owner, Request, State};
use crate::{
    Actions, Body, CommunicatorId, Completion, Data, Envelope, Mode, MpiError, Observation, RequestId, Result,
};
use weir_network::causes::Cause;
use weir_operations::Operation;
use weir_units::Time;

/// A message out and a message in, neither of which waits for the other.
#[derive(Clone, Debug)]
pub struct Exchange {
    /// To which rank.
    pub to: i32,
    /// With which tag.
    pub send_tag: i32,
    /// The data of the message out.
    pub data: Data,
    /// From which rank, or a wildcard.
    pub from: i32,
    /// With which tag, or a wildcard.
    pub receive_tag: i32,
    /// Room for so many bytes.
    pub capacity: u64,
}

/// The purpose of a message that comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AwaitedMessage<'a> {
    /// This request of the program: a receive that takes it, a send that it clears, a collective of which it is a part.
    Request(RequestId),
    /// No receive that is posted; a probe may look for it.
    Unmatched(&'a Envelope),
}

impl Process {
    /// The rank begins a call now in which the library makes progress.
    pub(super) fn begin(&mut self, now: Time) {
        self.wake(now);
        self.makes_progress();
    }

    /// A receive that is posted now.
    pub(super) fn add_receive(&mut self, capacity: u64, owner: Owner, about: About) -> RequestId {
        let state = State::Receiving { capacity, posted: self.clock, envelope: None };
        self.requests.add(Request { state, owner, about })
    }

    /// A request of the program that is complete now.
    pub(super) fn add_complete(&mut self, completion: Completion, about: About) -> RequestId {
        let state = State::Complete { at: self.clock, completion };
        self.requests.add(Request { state, owner: Owner::Program, about })
    }

    /// Returns whether a request is complete.
    pub fn is_complete(&self, id: RequestId) -> Result<bool> {
        match self.requests.get(id) {
            Some(request) => Ok(matches!(request.state, State::Complete { .. })),
            None => Err(MpiError::Request),
        }
    }

    /// Returns whether there is such a request, and it is not complete.
    #[inline]
    pub fn is_open(&self, id: RequestId) -> bool {
        self.requests.get(id).is_some_and(|request| !matches!(request.state, State::Complete { .. }))
    }

    /// The result of a complete request, without ending it; `None` if it is not complete.
    pub fn completion(&self, id: RequestId) -> Result<Option<&Completion>> {
        let request = self.requests.get(id).ok_or(MpiError::Request)?;
        Ok(if let State::Complete { completion, .. } = &request.state { Some(completion) } else { None })
    }

    /// Ends a complete request: the rank has seen its completion, which costs the overhead of a received message.
    pub fn finish(&mut self, id: RequestId) -> Result<Completion> {
        let (at, completion) = match self.requests.take_completion(id) {
            Some(taken) => taken,
            None if self.requests.get(id).is_none() => return Err(MpiError::Request),
            None => return Err(MpiError::Other("the request is not complete".into())),
        };
        self.finished(id, at, &completion);
        Ok(completion)
    }

    /// The rank has seen that a request is complete since `at`.
    pub(super) fn finished(&mut self, id: RequestId, at: Time, completion: &Completion) {
        self.wait_for_completion(at);
        self.makes_progress();
        if completion.status.source >= 0 {
            self.pay_for_receive(completion.from, &completion.data);
        }
        self.notice(Observation::Finished(id, &completion.status));
    }

    /// A request that is complete, for sends that were complete at once.
    pub fn completed(&mut self) -> RequestId {
        let id = self.add_complete(Completion::empty(), About::NOBODY);
        self.notice(Observation::Completed(id));
        id
    }

    /// The program gives up this request, which goes on: [`Self::next_released`] names it when it is complete.
    pub fn release(&mut self, id: RequestId) -> Result<()> {
        if self.is_complete(id)? {
            self.released.push_back(id);
        } else if let Some(request) = self.requests.get_mut(id) {
            request.owner = Owner::None;
        }
        self.observe(|| Operation::Release { request: id });
        Ok(())
    }

    /// Returns whether [`Self::next_released`] names one.
    #[inline]
    pub fn has_released(&self) -> bool {
        !self.released.is_empty()
    }

    /// A complete request that the program has given up, each once, in the order of completion. What it has received
    /// still goes where the program asked for; then it is to be finished.
    pub fn next_released(&mut self) -> Option<RequestId> {
        self.released.pop_front()
    }

    pub(super) fn parts_left(&self, id: RequestId) -> usize {
        match self.requests.get(id).map(|request| &request.state) {
            Some(State::Combined(whole)) => whole.parts,
            _ => 0,
        }
    }

    /// Starts a send and a receive whose one request is complete when both are; it carries what was received. With a mistake nothing is started.
    pub fn exchange(
        &mut self,
        actions: &mut Actions,
        communicator: CommunicatorId,
        exchange: Exchange,
    ) -> Result<RequestId> {
        let Exchange { to, send_tag, data, from, receive_tag, capacity } = exchange;
        let selector = self.check_receive(communicator, from, receive_tag)?;
        let world = self.check_send(communicator, to, send_tag)?;
        let comm = self.communicator(communicator)?;
        let envelope = Envelope { context: comm.context, source: comm.rank, tag: send_tag };
        let bytes = data.length();
        self.begin(actions.now());
        let about = About { communicator, peer: from, tag: receive_tag };
        let whole = self.start_whole(2, about);
        let owner = Owner::Part(whole);
        match selector {
            Some(selector) => _ = self.start_receive(actions, selector, capacity, owner, about),
            None => self.part_of_whole_is_over(actions, whole, self.clock, Some(Completion::of_nobody())),
        }
        self.observe(|| received(communicator, (from, receive_tag), capacity, whole));
        let is_sent = world.and_then(|to| {
            let about = About { communicator, peer: exchange.to, tag: send_tag };
            let mode = Mode::Standard;
            self.start_send(actions, Outgoing { mode, envelope, to, data, owner, about })
        });
        if is_sent.is_none() {
            self.part_of_whole_is_over(actions, whole, self.clock, None);
        }
        self.observe(|| sent(Mode::Standard, communicator, (to, send_tag), bytes, Some(whole)));
        Ok(whole)
    }

    /// A request that is over when so many parts are.
    pub(super) fn start_whole(&mut self, parts: usize, about: About) -> RequestId {
        let result = Completion::empty();
        if parts == 0 {
            return self.add_complete(result, about);
        }
        let state = State::Combined(Box::new(CombinedRequest { parts, result }));
        self.requests.add(Request { state, owner: Owner::Program, about })
    }

    /// A part is over since `at`; one that has received something leaves it to the whole.
    pub(super) fn part_of_whole_is_over(
        &mut self,
        actions: &mut Actions,
        whole: RequestId,
        at: Time,
        received: Option<Completion>,
    ) {
        let request = self.requests.get_mut(whole).expect("a request lives until its parts are over");
        let State::Combined(open) = &mut request.state else {
            unreachable!("a request with parts waits for them")
        };
        if let Some(received) = received {
            open.result = received;
        }
        open.parts -= 1;
        if open.parts == 0 {
            let completion = std::mem::replace(&mut open.result, Completion::empty());
            self.complete(actions, whole, at, completion);
        }
    }

    /// A request that is complete when [`Self::end_outside`] says so; its completion is known now.
    pub fn start_outside(&mut self, completion: Completion) -> RequestId {
        let state = State::Outside(completion);
        self.requests.add(Request { state, owner: Owner::Program, about: About::NOBODY })
    }

    /// Ends request `id` now.
    ///
    /// # Panics
    /// When it is not a request that [`Self::start_outside`] has made and that has not ended.
    pub fn end_outside(&mut self, actions: &mut Actions, id: RequestId) {
        let request = self.requests.get_mut(id).expect("such a request lives until it is ended");
        let State::Outside(completion) = std::mem::replace(&mut request.state, State::Leaving) else {
            unreachable!("it is ended once")
        };
        self.complete(actions, id, actions.now(), completion);
    }

    /// A request that is complete when [`Self::fulfil`] says so.
    pub fn open(&mut self) -> RequestId {
        let id =
            self.requests.add(Request { state: State::Open, owner: Owner::Program, about: About::NOBODY });
        self.observe(|| Operation::Open { request: id });
        id
    }

    /// Completes a request of [`Self::open`].
    pub fn fulfil(&mut self, actions: &mut Actions, id: RequestId) -> Result<()> {
        let Some(Request { state: State::Open, .. }) = self.requests.get(id) else {
            return Err(MpiError::Request);
        };
        self.complete(actions, id, self.clock, Completion::empty());
        self.observe(|| Operation::Fulfil { request: id });
        Ok(())
    }

    /// Withdraws a receive if no message has come for it, or a send by rendezvous if no receive has taken it: the
    /// receiver is asked, so the send is complete a while later. Other requests go on (MPI 5.0, section 3.8.4, allows
    /// it to succeed or not).
    pub fn cancel(&mut self, actions: &mut Actions, id: RequestId) -> Result<()> {
        self.wake(actions.now());
        self.observe(|| Operation::Cancel { request: id });
        let request = self.requests.get(id).ok_or(MpiError::Request)?;
        match request.state {
            State::AwaitsClearance { to, .. } => {
                self.spend(self.send_time(to, CONTROL_BYTES), Cause::StartUp);
                self.control(actions, self.clock, to, Body::Withdraw { send: id.0 });
                self.account_for_send(actions);
            }
            State::Receiving { .. } if self.matching.cancel(id) => {
                let completion = Completion { status: cancelled(), ..Completion::empty() };
                self.complete(actions, id, self.clock, completion);
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns whether this is a send by rendezvous that no receive has taken yet, as far as its rank knows.
    pub fn awaits_clearance(&self, id: RequestId) -> bool {
        self.requests.get(id).is_some_and(|request| matches!(request.state, State::AwaitsClearance { .. }))
    }

    /// The purpose of a message that is about to [arrive](Self::arrived); `None` for those of windows and of other
    /// protocols of their own.
    pub fn meant<'a>(&self, body: &'a Body) -> Option<AwaitedMessage<'a>> {
        match body {
            Body::Eager { envelope, .. } | Body::RequestToSend { envelope, .. } => {
                let taker = self.matching.taker(envelope);
                Some(taker.map_or(AwaitedMessage::Unmatched(envelope), |id| {
                    AwaitedMessage::Request(self.whole_of(id))
                }))
            }
            Body::ClearToSend { send, .. } => Some(AwaitedMessage::Request(self.whole_of(RequestId(*send)))),
            Body::Data { receive, .. } => Some(AwaitedMessage::Request(self.whole_of(RequestId(*receive)))),
            Body::Ready(body) => self.meant(body),
            Body::Window(_) | Body::Withdraw { .. } | Body::Withdrawn { .. } => None,
        }
    }

    /// The request that a program knows, of which this one is a part, or which it is itself.
    pub(crate) fn whole_of(&self, id: RequestId) -> RequestId {
        match self.requests.get(id).map(|request| request.owner) {
            Some(
                Owner::Part(whole)
                | Owner::Partition(whole)
                | Owner::Full(whole)
                | Owner::Collective { request: whole, .. },
            ) => self.whole_of(whole),
            Some(Owner::Program | Owner::None | Owner::Kept | Owner::Buffered { .. }) | None => id,
        }
    }
}

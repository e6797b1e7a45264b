//! Receives: posted, matched with what comes or has come, complete. A matched probe takes a message out of the queue when it finds it, and it is
//! received later, by that name alone (MPI 5.0, section 3.8.2).

use super::Process;
use super::sending::control_message;
use crate::matching::Unexpected;
use crate::observer::{Taken, asked, found};
use crate::request::{About, Owner, Request, State};
use crate::{
    ANY_SOURCE, ANY_TAG, Actions, Body, CommunicatorId, Completion, Data, Envelope, Far, MessageId, MpiError,
    Overhead, PROC_NULL, RequestId, Result, Selector, Status,
};
use weir_collectives::Call;
use weir_network::causes::Sending;
use weir_operations::{Operation, PollFirst};
use weir_units::{Bytes, Duration, Rank, Time};

/// A receive that its rank waits for at once.
pub enum Receiving {
    /// The message had come already: the receive is over, and has needed no request.
    Over(Completion),
    /// The request of one that goes on, or is complete.
    Goes(RequestId),
}

/// A receive for the observer.
pub(super) fn received(
    communicator: CommunicatorId,
    (source, tag): (i32, i32),
    bytes: u64,
    request: RequestId,
) -> Operation {
    let (from, request) = (asked(source, tag), Some(request));
    Operation::Receive { from, bytes, communicator: communicator.0, request }
}

impl Process {
    /// Starts a receive into a buffer of `capacity` bytes.
    pub fn receive(
        &mut self,
        actions: &mut Actions,
        communicator: CommunicatorId,
        source: i32,
        tag: i32,
        capacity: u64,
    ) -> Result<RequestId> {
        let about = About { communicator, peer: source, tag };
        self.begin(actions.now());
        let request = match self.check_receive(communicator, source, tag)? {
            None => self.received_from_nobody(about),
            Some(selector) => self.start_receive(actions, selector, capacity, Owner::Program, about),
        };
        self.observe(|| received(communicator, (source, tag), capacity, request));
        Ok(request)
    }

    /// Receives as [`Self::receive`] does, for a rank that does nothing before it has the message: what has come already it gets here, as
    /// [`Self::finish`] would give it.
    pub fn receive_blocking(
        &mut self,
        actions: &mut Actions,
        communicator: CommunicatorId,
        (source, tag): (i32, i32),
        capacity: u64,
    ) -> Result<Receiving> {
        let about = About { communicator, peer: source, tag };
        self.begin(actions.now());
        let operation = |request| received(communicator, (source, tag), capacity, request);
        let request = match self.check_receive(communicator, source, tag)? {
            None => self.received_from_nobody(about),
            Some(selector) => match self.matching.take_unexpected(&selector) {
                Some(message) if matches!(message.body, Body::Eager { .. }) => {
                    let request = self.requests.next_number();
                    let (at, completion) = self.take_whole(actions, message, capacity, request);
                    self.observe(|| operation(request));
                    self.finished(request, at, &completion);
                    return Ok(Receiving::Over(completion));
                }
                Some(message) => {
                    let id = self.add_receive(capacity, Owner::Program, about);
                    self.take(actions, id, message, Sending::Late);
                    id
                }
                None => {
                    let id = self.add_receive(capacity, Owner::Program, about);
                    self.post(actions, selector, id);
                    id
                }
            },
        };
        self.observe(|| operation(request));
        Ok(Receiving::Goes(request))
    }

    /// A whole message that has come is received now, into room for so many bytes: since when it is there, and what has come. The request
    /// is the one that a receive which waits would have.
    fn take_whole(
        &mut self,
        actions: &mut Actions,
        message: Unexpected,
        capacity: u64,
        request: RequestId,
    ) -> (Time, Completion) {
        let bytes = message.bytes();
        let Unexpected { envelope, from, sequence, at, body } = message;
        let Body::Eager { data, .. } = body else { unreachable!("it is a whole message") };
        self.sees(at);
        let matched = at.max(self.clock);
        let longer = self.of_match(&envelope, from, bytes, at < self.clock);
        actions.note_taken(from, sequence, matched);
        self.observe_take(matched, Taken { from, sequence, bytes, request });
        self.changes += 1;
        (matched + longer, whole(envelope, capacity, from, data))
    }

    /// Checks the arguments of a receive, and returns the messages that it takes; `None` if it is from nobody.
    #[inline]
    pub fn check_receive(&self, id: CommunicatorId, source: i32, tag: i32) -> Result<Option<Selector>> {
        if source == PROC_NULL {
            return self.communicator(id).map(|_| None);
        }
        self.selector(id, source, tag).map(Some)
    }

    /// The messages that a receive or a probe with these arguments takes.
    pub fn selector(&self, communicator: CommunicatorId, source: i32, tag: i32) -> Result<Selector> {
        let comm = self.communicator(communicator)?;
        if tag < 0 && tag != ANY_TAG {
            return Err(MpiError::Tag(tag));
        }
        if source != ANY_SOURCE {
            comm.world_rank(source)?;
        }
        Ok(Selector { context: comm.context, source, tag })
    }

    pub(super) fn start_receive(
        &mut self,
        actions: &mut Actions,
        selector: Selector,
        capacity: u64,
        owner: Owner,
        about: About,
    ) -> RequestId {
        let id = self.add_receive(capacity, owner, about);
        match self.matching.take_unexpected(&selector) {
            Some(message) => _ = self.take(actions, id, message, Sending::Late),
            None => self.post(actions, selector, id),
        }
        id
    }

    /// A receive waits for its message.
    pub(super) fn post(&mut self, actions: &Actions, selector: Selector, id: RequestId) {
        self.matching.post(selector, id);
        self.account_for_posting(actions, id);
    }

    /// Receive `id` and a message have found each other, at the later one of the instants at which the receive was posted and
    /// the message came; the clearance, if one is needed, goes as soon as both are ready for it and the rank sees that. Where the receive is a partition, returns of which
    /// request, and how long the message is.
    pub(super) fn take(
        &mut self,
        actions: &mut Actions,
        id: RequestId,
        message: Unexpected,
        clearance: Sending,
    ) -> Option<(RequestId, u64)> {
        let bytes = message.bytes();
        let Unexpected { envelope, from, sequence, at, body } = message;
        let seen = self.sees(at);
        let Some(Request { state: State::Receiving { capacity, posted, envelope: place }, owner, .. }) =
            self.requests.get_mut(id)
        else {
            unreachable!("only receives are matched")
        };
        let came_before = at < *posted;
        let (matched, seen) = (at.max(*posted), seen.max(*posted));
        *place = Some(envelope);
        let (capacity, owner) = (*capacity, *owner);
        let partition = if let Owner::Partition(whole) = owner { Some((whole, bytes)) } else { None };
        let longer = self.of_match(&envelope, from, bytes, came_before);
        actions.note_taken(from, sequence, matched);
        self.observe_take(matched, Taken { from, sequence, bytes, request: id });
        match body {
            Body::Eager { data, .. } => match owner {
                // Most messages of collectives fit, and need no completion.
                Owner::Collective { request, at: place } if bytes <= capacity => {
                    self.changes += 1;
                    self.requests.remove(id);
                    let part = (request, place, Some(capacity));
                    self.part_is_through(actions, part, matched + longer, (Some(from), &data), None);
                }
                _ => self.complete(actions, id, matched + longer, whole(envelope, capacity, from, data)),
            },
            Body::RequestToSend { send, .. } => {
                let body = Body::ClearToSend { send, receive: id.0 };
                let at = seen + longer + self.rendezvous_time(from, Bytes(bytes));
                actions.reply(control_message(at, from, body), self.chosen_way(), sequence);
                self.account_for(actions, clearance);
            }
            _ => unreachable!("only messages and requests to send are matched"),
        }
        partition
    }

    /// The additional time to match a message, which may have come early, over that of one that was awaited from a near partner.
    pub(super) fn of_match(&mut self, envelope: &Envelope, from: Rank, bytes: u64, early: bool) -> Duration {
        if Call::is_by_interfaces(envelope.context) {
            return Duration::ZERO;
        }
        let bytes = Bytes(bytes);
        let unexpected = if early { self.costs.unexpected.of(bytes) } else { Duration::ZERO };
        unexpected + self.of_distance(from, bytes, |far| &far.receive)
    }

    /// The additional time of a message, on one side, because the other rank is no near partner.
    #[inline]
    pub(super) fn of_distance(&mut self, other: Rank, bytes: Bytes, side: fn(&Far) -> &Overhead) -> Duration {
        let Some(far) = &self.costs.far else { return Duration::ZERO };
        if self.partners.is_near(other, far.near) { Duration::ZERO } else { side(far).of(bytes) }
    }

    /// A message or a request to send has come: a receive takes it, or it is kept.
    pub(super) fn matched(&mut self, actions: &mut Actions, message: Unexpected) {
        match self.matching.take_posted(&message.envelope) {
            Some(id) => {
                let by_message = Sending::Reply(Some(id.0));
                if let Some((whole, bytes)) = self.take(actions, id, message, by_message) {
                    self.post_partitions(actions, whole, Some(bytes));
                }
            }
            None => {
                actions.note_kept(message.from, message.sequence);
                self.keep(actions, message);
            }
        }
    }

    #[cold]
    pub(super) fn ready_arrived(&mut self, actions: &mut Actions, from: Rank, sequence: u64, body: Body) {
        let (Body::Eager { envelope, .. } | Body::RequestToSend { envelope, .. }) = body else {
            unreachable!("ready messages are messages or requests to send")
        };
        let at = actions.now();
        let taker = self.matching.taker(&envelope).and_then(|id| self.requests.get(id));
        if let Some(Request { state: State::Receiving { posted, .. }, .. }) = taker
            && *posted <= at
        {
            self.matched(actions, Unexpected { envelope, from, sequence, at, body });
            return;
        }
        let name = self.communicator_name(envelope.context);
        actions.stop(format!(
            "rank {from} sent to it in ready mode (MPI_Rsend or the like, tag {tag} in {name}), but it had posted no \
             receive for the message",
            tag = envelope.tag
        ));
    }

    /// The data of receive `id`, which a rank has sent, are there since `at`.
    pub(super) fn received(&mut self, actions: &mut Actions, id: RequestId, at: Time, sent: (Rank, Data)) {
        let request = self.requests.get(id).expect("a receive lives until its data are there");
        let State::Receiving { capacity, envelope: Some(envelope), .. } = request.state else {
            unreachable!("data come for receives that have taken an envelope")
        };
        let (from, data) = sent;
        self.complete(actions, id, at, whole(envelope, capacity, from, data));
    }

    #[cold]
    pub(super) fn received_from_nobody(&mut self, about: About) -> RequestId {
        self.add_complete(Completion::of_nobody(), about)
    }

    /// The first message that a receive with these wishes would take now: its status.
    pub fn probe(&self, selector: &Selector) -> Option<Status> {
        self.matching.probe(selector).map(Unexpected::status)
    }

    /// Takes the message that a receive with these wishes would take now out of the queue: its name and its status.
    pub fn match_message(&mut self, selector: &Selector) -> Option<(MessageId, Status)> {
        let message = self.matching.take_unexpected(selector)?;
        self.makes_progress();
        let status = message.status();
        let messages = &mut self.rare().matched;
        let free = messages.iter().position(Option::is_none).unwrap_or_else(|| {
            messages.push(None);
            messages.len() - 1
        });
        let context = message.envelope.context;
        messages[free] = Some(message);
        let message = MessageId(free as u32);
        if self.is_observed()
            && let Some(id) = self.communicator_of(context)
        {
            let from = found(asked(selector.source, selector.tag), &status);
            let (communicator, look) = (id.0, PollFirst::No);
            self.observe(|| Operation::Match { from, communicator, look, message: RequestId(message.0) });
        }
        Some((message, status))
    }

    /// Starts to receive a message found before, into a buffer with this room in bytes.
    ///
    /// # Errors
    /// `MPI_ERR_REQUEST` when there is no such message (MPI 5.0 has no class of its own for it).
    pub fn receive_matched(&mut self, actions: &mut Actions, id: MessageId, room: u64) -> Result<RequestId> {
        let (name, capacity) = (RequestId(id.0), room);
        let known = self.rare().matched.get_mut(id.0 as usize).and_then(Option::take);
        let message = known.ok_or(MpiError::Request)?;
        self.begin(actions.now());
        let communicator = self.communicator_of(message.envelope.context).unwrap_or(CommunicatorId::WORLD);
        let about = About { communicator, peer: message.envelope.source as i32, tag: message.envelope.tag };
        let id = self.add_receive(capacity, Owner::Program, about);
        self.take(actions, id, message, Sending::Late);
        let request = Some(id);
        self.observe(|| Operation::ReceiveMatched { message: name, bytes: capacity, request });
        Ok(id)
    }

    /// A receive of the message of nobody, which is complete.
    pub fn receive_nothing(&mut self) -> RequestId {
        let request = self.received_from_nobody(About::NOBODY);
        self.observe(|| received(CommunicatorId::WORLD, (PROC_NULL, ANY_TAG), 0, request));
        request
    }
}

/// The result of a receive that has room for so many bytes: the data, as far as they fit.
fn whole(envelope: Envelope, capacity: u64, from: Rank, data: Data) -> Completion {
    let message = data.length();
    let error = (message > capacity).then(|| Box::new(MpiError::Truncate { message, buffer: capacity }));
    let data = if error.is_some() { data.limited(capacity) } else { data };
    let Envelope { source, tag, .. } = envelope;
    let status = Status { source: source as i32, tag, bytes: data.length(), cancelled: false, error };
    Completion { status, data, from: Some(from) }
}

pub(super) fn cancelled() -> Status {
    Status { cancelled: true, ..Status::empty() }
}

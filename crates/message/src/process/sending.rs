//! Sends: eager, or by a request that the receiver clears; and choices of a program for the messages it sends, beyond MPI: the extensions of paper
//! 003, section 4.1.

use super::Process;
use super::eager_run::Admission;
use crate::request::{About, Owner, Request, State};
use crate::{
    Actions, Body, Communicator, CommunicatorId, Completion, Copying, Data, Envelope, Mode, MpiError,
    PROC_NULL, Protocol, RequestId, Result, SendChoices,
};
use weir_network::causes::Cause;
use weir_network::{Class, Notice, Send, SendOptions};
use weir_operations::Operation;
use weir_units::{Bytes, Rank, Time};

/// A message about to be sent.
pub(super) struct Outgoing {
    pub(super) mode: Mode,
    pub(super) envelope: Envelope,
    pub(super) to: Rank,
    pub(super) data: Data,
    pub(super) owner: Owner,
    pub(super) about: About,
}

/// Bytes of a request to send or a clearance: they carry no data, and their headers are not modeled.
pub(super) const CONTROL_BYTES: Bytes = Bytes::ZERO;

impl Process {
    /// Starts a send. `None`: it is complete already (eager, buffered, or to nobody).
    pub fn send(
        &mut self,
        actions: &mut Actions,
        mode: Mode,
        communicator: CommunicatorId,
        to: i32,
        tag: i32,
        data: impl Into<Data>,
    ) -> Result<Option<RequestId>> {
        let comm = self.communicator(communicator)?;
        let data = data.into();
        let bytes = data.length();
        let Some(world) = receiver(comm, to, tag)? else {
            self.observe(|| sent(mode, communicator, (to, tag), bytes, None));
            return Ok(None);
        };
        let envelope = Envelope { context: comm.context, source: comm.rank, tag };
        let about = About { communicator, peer: to, tag };
        self.begin(actions.now());
        let owner = match mode {
            Mode::Buffered => self.take_room(communicator, data.length())?,
            _ => Owner::Program,
        };
        let out = Outgoing { mode, envelope, to: world, data, owner, about };
        let request = self.start_send(actions, out).filter(|_| mode != Mode::Buffered);
        self.observe(|| sent(mode, communicator, (to, tag), bytes, request));
        Ok(request)
    }

    /// Checks the arguments of a send, and returns the rank of the world to which it goes; `None` for nobody.
    pub fn check_send(&self, communicator: CommunicatorId, to: i32, tag: i32) -> Result<Option<Rank>> {
        receiver(self.communicator(communicator)?, to, tag)
    }

    pub(super) fn start_send(&mut self, actions: &mut Actions, out: Outgoing) -> Option<RequestId> {
        let bytes = Bytes(out.data.length());
        let longer = self.of_distance(out.to, bytes, |far| &far.send);
        self.spend(longer, Cause::StartUp);
        if out.mode != Mode::Standard || bytes > self.eager_limit(out.to) || !self.is_plain() {
            return self.start_other_send(actions, out);
        }
        let admission = self.admission(out.to);
        if admission != Admission::Eager {
            return self.ask_before_more(actions, out, admission, Copies::None);
        }
        let Outgoing { envelope, to, data, .. } = out;
        self.spend(self.handing_time(to, Copies::One, bytes), Cause::StartUp);
        let body = Body::Eager { envelope, data };
        let (at, class) = (self.hand_over(to, Some(bytes)), Class::Data);
        let sequence = actions.send(Send { at, to, bytes, class, notice: Notice::None, body });
        self.account_for_send(actions);
        self.observe_post(to, sequence, bytes.0);
        None
    }

    /// The protocol of one more short message to a rank. A rank cannot run ahead of itself.
    fn admission(&mut self, to: Rank) -> Admission {
        if to == self.rank {
            return Admission::Eager;
        }
        self.eager_run.admit(to, self.costs.eager_messages)
    }

    /// Sends a short message by rendezvous, because of those before it. `None`: its sender goes on at once.
    #[cold]
    fn ask_before_more(
        &mut self,
        actions: &mut Actions,
        out: Outgoing,
        admission: Admission,
        copies: Copies,
    ) -> Option<RequestId> {
        let to = out.to;
        match (admission, out.owner) {
            // The program does not wait for what is in its buffer.
            (Admission::Ahead, Owner::Buffered { .. }) => {
                let id = self.ask_to_send(actions, out, copies);
                self.eager_run.asks(to, id.0);
                Some(id)
            }
            (Admission::Ahead, _) => {
                let out = Outgoing { owner: Owner::Kept, ..out };
                let id = self.ask_to_send(actions, out, Copies::One);
                self.eager_run.asks(to, id.0);
                None
            }
            (Admission::Full, Owner::Program | Owner::Part(_) | Owner::Collective { .. }) => {
                let Outgoing { owner, about, .. } = out;
                let waits = self.requests.add(Request { state: State::Open, owner, about });
                self.ask_to_send(actions, Outgoing { owner: Owner::Full(waits), ..out }, copies);
                Some(waits)
            }
            _ => Some(self.ask_to_send(actions, out, copies)),
        }
    }

    /// The receiver has asked for the data of a send: they go.
    pub(super) fn cleared(&mut self, actions: &mut Actions, id: RequestId, receive: u32) {
        let request = self.requests.get_mut(id).expect("a send lives until its data have left");
        let State::AwaitsClearance { to, data, way } = std::mem::replace(&mut request.state, State::Leaving)
        else {
            unreachable!("a send is cleared once, while it waits for that")
        };
        let bytes = Bytes(data.length());
        let body = Body::Data { receive, data };
        // A rank that has sent to itself and sees the send complete may ask for the message at once.
        let notice = if to == self.rank { Notice::None } else { Notice::Departed };
        let (at, class) = (self.sees(actions.now()), Class::UnorderedData);
        let sequence = actions.send_by(Send { at, to, bytes, class, notice, body }, way);
        self.account_for_reply(actions);
        self.leaving.push_back((sequence, id));
        if self.eager_run.is_cleared(to, id.0) {
            self.let_senders_go_on(actions, to);
        }
    }

    /// The receiver has come to the message that had gone ahead: who waits because the run was full does not any longer, and
    /// its data are kept.
    #[cold]
    fn let_senders_go_on(&mut self, actions: &mut Actions, receiver: Rank) {
        let is_behind = |request: &Request| {
            let waits = matches!(request.state, State::AwaitsClearance { to, .. } if to == receiver);
            waits && matches!(request.owner, Owner::Full(_))
        };
        let mut waiting = Vec::new();
        for id in self.requests.which(is_behind) {
            let request = self.requests.get_mut(id).expect("it has just been found");
            if let Owner::Full(waits) = std::mem::replace(&mut request.owner, Owner::Kept) {
                waiting.push(waits);
            }
        }
        if !waiting.is_empty() {
            self.eager_run.goes_on(receiver);
        }
        let at = self.sees(actions.now());
        for waits in waiting {
            self.complete(actions, waits, at, Completion::empty());
        }
    }

    /// A send that is not the usual short one.
    #[inline(never)]
    fn start_other_send(&mut self, actions: &mut Actions, out: Outgoing) -> Option<RequestId> {
        let bytes = Bytes(out.data.length());
        let choices = self.choices.as_deref();
        let (protocol, copying) =
            choices.map_or_else(Default::default, |choices| (choices.protocol, choices.copying));
        let mode = out.mode;
        let copies =
            |automatic| if mode == Mode::Buffered { Copies::One } else { Copies::chosen(copying, automatic) };
        let eager = mode != Mode::Synchronous && is_eager(protocol, self.eager_limit(out.to), bytes);
        if !eager {
            return Some(self.ask_to_send(actions, out, copies(Copies::None)));
        }
        let admission = self.admission(out.to);
        if admission != Admission::Eager {
            return self.ask_before_more(actions, out, admission, copies(Copies::None));
        }
        let copies = copies(Copies::One);
        let Outgoing { envelope, to, data, owner, about, .. } = out;
        self.spend(self.handing_time(to, copies, bytes), Cause::StartUp);
        let body = promised(mode, Body::Eager { envelope, data });
        let (at, class, way) = (self.hand_over(to, Some(bytes)), Class::Data, self.chosen_way());
        let is_over = mode != Mode::Buffered && copies == Copies::One;
        let notice = if is_over { Notice::None } else { Notice::Departed };
        let sequence = actions.send_by(Send { at, to, bytes, class, notice, body }, way);
        self.account_for_send(actions);
        self.observe_post(to, sequence, bytes.0);
        if is_over {
            return None;
        }
        let id = self.requests.add(Request { state: State::Leaving, owner, about });
        self.leaving.push_back((sequence, id));
        Some(id)
    }

    /// Starts a send by rendezvous: the data go when the receiver has asked for them.
    #[inline(never)]
    pub(super) fn ask_to_send(&mut self, actions: &mut Actions, out: Outgoing, copies: Copies) -> RequestId {
        let Outgoing { mode, envelope, to, data, owner, about } = out;
        let length = data.length();
        self.spend(self.handing_time(to, copies, Bytes(length)), Cause::StartUp);
        let way = self.chosen_way();
        let state = State::AwaitsClearance { to, data, way: way.clone() };
        let id = self.requests.add(Request { state, owner, about });
        let body = promised(mode, Body::RequestToSend { envelope, bytes: length, send: id.0 });
        let at = self.hand_over(to, None);
        let sequence = actions.send_by(control_message(at, to, body), way);
        self.account_for_send(actions);
        self.observe_post(to, sequence, length);
        id
    }

    pub(super) fn chosen_way(&self) -> Option<Box<SendOptions>> {
        if self.is_plain() {
            return None;
        }
        let way = self.choices.as_ref().map(|choices| choices.way.clone()).unwrap_or_default();
        let way = way.with_rail(self.rail);
        (!way.is_default()).then(|| Box::new(way))
    }

    fn is_plain(&self) -> bool {
        self.choices.is_none() && self.rail.is_none()
    }

    /// Sends a message of a protocol. Whoever calls it accounts for it.
    pub(super) fn control(&self, actions: &mut Actions, at: Time, to: Rank, body: Body) {
        actions.send_by(control_message(at, to, body), self.chosen_way());
    }

    /// Chooses for this rank's messages from now on: those of the program and those of its collectives.
    pub fn choose(&mut self, choices: SendChoices) {
        self.choices = (choices != SendChoices::default()).then(|| Box::new(choices));
        self.observe(|| Operation::Choose(Box::new(self.choices().choices())));
    }

    /// The last choices.
    pub fn choices(&self) -> SendChoices {
        self.choices.as_deref().cloned().unwrap_or_default()
    }
}

/// A send for the observer.
pub(super) fn sent(
    mode: Mode,
    communicator: CommunicatorId,
    (to, tag): (i32, i32),
    bytes: u64,
    request: Option<RequestId>,
) -> Operation {
    let (to, communicator) = (u32::try_from(to).ok(), communicator.0);
    Operation::Send { mode, to, tag, bytes, communicator, request }
}

pub(super) fn control_message(at: Time, to: Rank, body: Body) -> Send<Body> {
    Send { at, to, bytes: CONTROL_BYTES, class: Class::Control, notice: Notice::None, body }
}

/// The rank of the world that a send goes to; `None` for nobody.
pub(super) fn receiver(comm: &Communicator, to: i32, tag: i32) -> Result<Option<Rank>> {
    if tag < 0 {
        return Err(MpiError::Tag(tag));
    }
    if to == PROC_NULL { Ok(None) } else { comm.world_rank(to).map(Some) }
}

/// A message or a request to send, in ready mode one that must find its receive posted.
pub(super) fn promised(mode: Mode, body: Body) -> Body {
    if mode == Mode::Ready { Body::Ready(Box::new(body)) } else { body }
}

/// The same for one message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Copies {
    None,
    One,
}

/// Returns whether a message of so many bytes goes without asking where [`Protocol::Auto`] does up to a limit.
pub(crate) fn is_eager(protocol: Protocol, limit: Bytes, bytes: Bytes) -> bool {
    match protocol {
        Protocol::Auto => bytes <= limit,
        Protocol::Eager => true,
        Protocol::Rendezvous => false,
    }
}

impl Copies {
    /// Copies of a message where this is chosen; `automatic` where nothing is.
    pub(crate) fn chosen(copying: Copying, automatic: Self) -> Self {
        match copying {
            Copying::Auto => automatic,
            Copying::ZeroCopy => Self::None,
            Copying::OneCopy => Self::One,
        }
    }
}

//! Requests that are over when several others are: a send and a receive under one request.

use super::Process;
use super::sending::Outgoing;
use crate::observer::Deed;
use crate::request::{About, Owner, Request, State};
use crate::{Body, CommunicatorId, Completion, Data, Envelope, Mode, MpiError, RequestId, Status};
use weir_network::Actions;
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

/// A request with parts.
#[derive(Debug)]
pub(crate) struct CombinedRequest {
    /// Number of parts that are not over.
    pub(super) parts: usize,
    result: Completion,
}

impl Process {
    pub(super) fn parts_left(&self, id: RequestId) -> usize {
        match self.requests.get(id).map(|request| &request.state) {
            Some(State::Combined(whole)) => whole.parts,
            _ => 0,
        }
    }

    /// Starts a send and a receive whose one request is complete when both are; it carries what was received.
    ///
    /// # Errors
    /// When communicator, rank or tag are not valid. Nothing is started then.
    pub fn exchange(
        &mut self,
        actions: &mut Actions<Body>,
        communicator: CommunicatorId,
        exchange: Exchange,
    ) -> Result<RequestId, MpiError> {
        let Exchange { to, send_tag, data, from, receive_tag, capacity } = exchange;
        let selector = self.check_receive(communicator, from, receive_tag)?;
        let world = self.check_send(communicator, to, send_tag)?;
        let comm = self.communicator(communicator)?;
        let envelope = Envelope { context: comm.context, source: comm.rank, tag: send_tag };
        let (to_rank, bytes) = (to, data.length());
        self.wake(actions.now());
        self.makes_progress();
        let whole = self.start_whole(2, About { communicator, peer: from, tag: receive_tag });
        let owner = Owner::Part(whole);
        match selector {
            Some(selector) => {
                let about = About { communicator, peer: from, tag: receive_tag };
                self.start_receive(actions, selector, capacity, owner, about);
            }
            None => {
                let nothing = Completion { status: Status::of_null_process(), ..Completion::empty() };
                self.part_of_whole_is_over(actions, whole, self.clock, Some(nothing));
            }
        }
        let sent = world.and_then(|to| {
            let about = About { communicator, peer: exchange.to, tag: send_tag };
            let mode = Mode::Standard;
            self.start_send(actions, Outgoing { mode, envelope, to, data, owner, about })
        });
        if sent.is_none() {
            self.part_of_whole_is_over(actions, whole, self.clock, None);
        }
        let (to, source, request) = (to_rank, from, whole);
        self.observe_on(communicator, |communicator| Deed::Exchange {
            communicator,
            to,
            send_tag,
            bytes,
            source,
            receive_tag,
            capacity,
            request,
        });
        Ok(whole)
    }

    /// A request that is over when so many parts are.
    pub(super) fn start_whole(&mut self, parts: usize, about: About) -> RequestId {
        let result = Completion::empty();
        let state = match parts {
            0 => State::Complete { at: self.clock, completion: result },
            _ => State::Combined(Box::new(CombinedRequest { parts, result })),
        };
        self.requests.add(Request { state, owner: Owner::Program, about })
    }

    /// A part is over since `at`; one that has received something leaves it to the whole.
    pub(super) fn part_of_whole_is_over(
        &mut self,
        actions: &mut Actions<Body>,
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
}

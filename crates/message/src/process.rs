//! One rank: its sends and receives, its two protocols, its requests. Its communicators, the progress of its
//! collectives, its windows and the explanation of its waiting are in the files below this one.

mod accounting;
mod agreement;
mod awaited;
mod between;
mod buffered;
mod cancelling;
mod communicators;
mod computing;
mod eager_run;
mod epochs;
mod explanation;
mod left_over;
mod matched;
mod matched_by;
mod neighbours;
mod one_sided;
mod outside;
mod partitioned;
mod partners;
mod progress;
mod requests;
mod sending;
#[cfg(test)]
mod tests;
mod whole;

pub use awaited::AwaitedMessage;
pub use between::MergeOrder;
pub use buffered::BufferOf;
pub use left_over::{Fate, OpenRequest};
pub use matched::MessageId;
pub(crate) use partitioned::Gathering;
pub use partitioned::PartitionChannel;
pub use progress::{Combination, Meeting};
pub(crate) use whole::CombinedRequest;
pub use whole::Exchange;

pub use one_sided::{Asker, Ending, MemoryWork, Started};

use crate::collective::Call;
use crate::matching::{Matching, Unexpected};
use crate::observer::{Deed, Observed, Taken};
use crate::request::{About, Owner, Request, Requests, State};
use crate::{ANY_SOURCE, ANY_TAG, Data, PROC_NULL, ProgressRule, SendChoices};
use crate::{
    Body, Communicator, CommunicatorId, Completion, Costs, Envelope, Group, MpiError, RequestId, Selector,
    Status,
};
use matched_by::MatchedBy;
use one_sided::OneSided;
use sending::control_message;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use weir_network::causes::Ledger;
use weir_network::{Actions, Message};
use weir_units::{Bytes, Duration, Rank, Time};

/// The mode of a send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Eager up to the eager limit, else rendezvous.
    Standard,
    /// Complete when the receiver has begun to receive: always rendezvous.
    Synchronous,
    /// Complete at once, however long: the data are copied into a buffer that the program has attached
    /// ([`Process::attach_buffer`]), and sent from there as a standard send.
    Buffered,
    /// The standard mode, but a message that finds no receive posted ends the run: the program is wrong.
    Ready,
}

/// A rank of a message-passing program.
#[derive(Debug)]
pub struct Process {
    rank: Rank,
    clock: Time,
    costs: Arc<Costs>,
    /// Not before this the node gets the rank's next message.
    next_message: Time,
    /// Where several interfaces take turns: from when on each gets another message, the one whose turn it is first.
    next_by_turn: VecDeque<Time>,
    /// The same for the next one to a rank of its own, where those have a gap of theirs.
    next_local: Time,
    communicators: Vec<Option<Communicator>>,
    freed_communicators: u32,
    requests: Requests,
    begun: agreement::Begun,
    matching: Matching,
    /// Rendezvous data on their way out of the node: number of the message, and the request that ends with it.
    leaving: VecDeque<(u64, RequestId)>,
    changes: u64,
    /// Communicators made by their members alone: a number for each kind, and how many there have been.
    made_among: BTreeMap<u64, u64>,
    rare: Option<Box<Rare>>,
    /// Choices for messages, if not the default.
    choices: Option<Box<SendChoices>>,
    rail: Option<u16>,
    eager_run: eager_run::EagerRun,
    partners: partners::Partners,
    /// All that it has computed, where nothing is said of its work.
    computed: Duration,
    /// Where progress needs calls: when the rank computes.
    computing: Option<Box<computing::Computing>>,
    /// If what time goes into is kept.
    ledger: Option<Box<Ledger>>,
    pub(crate) observer: Observed,
}

/// State that few programs use, behind one pointer.
#[derive(Debug, Default)]
struct Rare {
    /// Messages taken out of the queue by matched probes.
    matched: Vec<Option<Unexpected>>,
    buffers: Vec<buffered::SendBuffer>,
    /// Partitioned operations: a number for each kind, and how many there have been.
    partitioned: Vec<(u64, u64)>,
    combinations: VecDeque<RequestId>,
    released: VecDeque<RequestId>,
    one_sided: OneSided,
}

impl Process {
    /// Rank `rank` of a world of `size`, at time zero, with the communicators world and self.
    #[must_use]
    pub fn new(rank: Rank, size: usize, costs: impl Into<Arc<Costs>>) -> Self {
        let world = Communicator::new(0, Group::world(size as u32), rank.0, "MPI_COMM_WORLD".into());
        let own = Communicator::new(2, Group::new(&[rank]), 0, "MPI_COMM_SELF".into());
        let costs = costs.into();
        let computing = (costs.progress != ProgressRule::Always).then(Box::default);
        Self {
            rank,
            clock: Time::ZERO,
            costs,
            next_message: Time::ZERO,
            next_by_turn: VecDeque::new(),
            next_local: Time::ZERO,
            communicators: vec![Some(world), Some(own)],
            freed_communicators: 0,
            requests: Requests::default(),
            begun: agreement::Begun::default(),
            matching: Matching::default(),
            leaving: VecDeque::new(),
            changes: 0,
            made_among: BTreeMap::new(),
            rare: None,
            choices: None,
            rail: None,
            eager_run: eager_run::EagerRun::default(),
            partners: partners::Partners::default(),
            computed: Duration::ZERO,
            computing,
            ledger: None,
            observer: Observed::default(),
        }
    }

    /// This rank in the world.
    #[must_use]
    pub const fn rank(&self) -> Rank {
        self.rank
    }

    /// The rank's own clock: never behind the events it has seen, and ahead of them by the processor time it has
    /// spent since.
    #[must_use]
    pub const fn clock(&self) -> Time {
        self.clock
    }

    /// Grows with everything that may end somebody's waiting: a message that arrives, a request that completes.
    #[must_use]
    pub const fn changes(&self) -> u64 {
        self.changes
    }

    /// The number of messages that have arrived and that no receive has matched.
    #[must_use]
    pub fn unexpected(&self) -> usize {
        self.matching.unexpected()
    }

    /// Starts a receive into a buffer of `capacity` bytes.
    ///
    /// # Errors
    /// When communicator, rank or tag are not valid.
    pub fn receive(
        &mut self,
        actions: &mut Actions<Body>,
        communicator: CommunicatorId,
        source: i32,
        tag: i32,
        capacity: u64,
    ) -> Result<RequestId, MpiError> {
        let about = About { communicator, peer: source, tag };
        self.wake(actions.now());
        self.makes_progress();
        let request = match self.check_receive(communicator, source, tag)? {
            None => self.received_from_nobody(about),
            Some(selector) => self.start_receive(actions, selector, capacity, Owner::Program, about),
        };
        self.observe_on(communicator, |communicator| Deed::Receive {
            communicator,
            source,
            tag,
            capacity,
            request,
        });
        Ok(request)
    }

    /// Checks the arguments of a receive, and returns the messages that it takes; `None` if it is from nobody.
    ///
    /// # Errors
    /// When communicator, rank or tag are not valid.
    #[inline]
    pub fn check_receive(
        &self,
        communicator: CommunicatorId,
        source: i32,
        tag: i32,
    ) -> Result<Option<Selector>, MpiError> {
        if source == PROC_NULL {
            return self.communicator(communicator).map(|_| None);
        }
        self.selector(communicator, source, tag).map(Some)
    }

    /// The messages that a receive or a probe with these arguments takes.
    ///
    /// # Errors
    /// When communicator, rank or tag are not valid.
    pub fn selector(
        &self,
        communicator: CommunicatorId,
        source: i32,
        tag: i32,
    ) -> Result<Selector, MpiError> {
        let comm = self.communicator(communicator)?;
        if tag < 0 && tag != ANY_TAG {
            return Err(MpiError::Tag(tag));
        }
        if source != ANY_SOURCE {
            comm.world_rank(source)?;
        }
        Ok(Selector { context: comm.context, source, tag })
    }

    fn start_receive(
        &mut self,
        actions: &mut Actions<Body>,
        selector: Selector,
        capacity: u64,
        owner: Owner,
        about: About,
    ) -> RequestId {
        let state = State::Receiving { capacity, posted: self.clock, envelope: None };
        let id = self.requests.add(Request { state, owner, about });
        match self.matching.post(selector, id) {
            Some(message) => _ = self.take(actions, id, message, MatchedBy::Receive),
            None => self.account_for_posting(actions, id),
        }
        id
    }

    /// Receive `id` and a message have found each other, at the later one of the instants at which the receive was posted and
    /// the message came; the clearance, if one is needed, goes as soon as both are ready for it and the rank sees that. Where the receive is a partition, returns of which
    /// request, and how long the message is.
    fn take(
        &mut self,
        actions: &mut Actions<Body>,
        id: RequestId,
        message: Unexpected,
        found: MatchedBy,
    ) -> Option<(RequestId, u64)> {
        let bytes = message.bytes();
        let Unexpected { envelope, from, sequence, at, body } = message;
        let seen = self.sees(at);
        let Some(Request { state: State::Receiving { posted, envelope: place, .. }, owner, .. }) =
            self.requests.get_mut(id)
        else {
            unreachable!("only receives are matched")
        };
        let came_before = at < *posted;
        let (matched, seen) = (at.max(*posted), seen.max(*posted));
        *place = Some(envelope);
        let partition = if let Owner::Partition(whole) = *owner { Some((whole, bytes)) } else { None };
        let longer = self.of_match(&envelope, from, bytes, came_before);
        actions.note_taken(from, sequence, matched);
        self.observe_take(matched, Taken { from, sequence, bytes, request: id });
        match body {
            Body::Eager { data, .. } => {
                self.received(actions, id, matched + longer, (from, data));
            }
            Body::RequestToSend { send, .. } => {
                let clearance = Body::ClearToSend { send, receive: id.0 };
                let at = seen + longer + self.rendezvous_time(from);
                actions.reply(control_message(at, from, clearance), self.chosen_way(), sequence);
                self.account_for_clearance(actions, id, found);
            }
            _ => unreachable!("only messages and requests to send are matched"),
        }
        partition
    }

    /// The additional time to match a message over that of one that was awaited from a near partner.
    fn of_match(&mut self, envelope: &Envelope, from: Rank, bytes: u64, came_before: bool) -> Duration {
        if Call::is_by_interfaces(envelope.context) {
            return Duration::ZERO;
        }
        let unexpected = if came_before { self.costs.unexpected } else { Duration::ZERO };
        unexpected + self.of_distance(from, Bytes(bytes))
    }

    /// The additional time of a message because the other rank is no near partner.
    #[inline]
    fn of_distance(&mut self, other: Rank, bytes: Bytes) -> Duration {
        let Some(far) = &self.costs.far else { return Duration::ZERO };
        if self.partners.is_near(other, far.near) { Duration::ZERO } else { far.time.of(bytes) }
    }

    /// A message has come from the network.
    pub fn arrived(&mut self, actions: &mut Actions<Body>, message: Message<Body>) {
        let now = actions.now();
        self.changes += 1;
        // A rank that is suspended is in a call.
        self.makes_progress();
        match message.body {
            Body::Eager { envelope, .. } | Body::RequestToSend { envelope, .. } => {
                let Message { from, sequence, body, .. } = message;
                let unexpected = Unexpected { envelope, from, sequence, at: now, body };
                self.matched(actions, unexpected);
            }
            Body::ClearToSend { send, receive } => self.cleared(actions, RequestId(send), receive),
            Body::Data { receive, data } => {
                self.received(actions, RequestId(receive), now, (message.from, data));
                if message.from == self.rank {
                    self.departed(actions, message.sequence);
                }
            }
            Body::Window(said) => self.window_message(actions, message.from, *said),
            Body::Ready(body) => self.ready_arrived(actions, message.from, message.sequence, *body),
            Body::Withdraw { send } => {
                if self.matching.withdraw(message.from, send) {
                    let at = self.sees(now);
                    self.control(actions, at, message.from, Body::Withdrawn { send });
                    self.account_for_reply(actions);
                }
            }
            Body::Withdrawn { send } => {
                let completion = Completion { status: cancelled(), ..Completion::empty() };
                self.complete(actions, RequestId(send), now, completion);
            }
        }
    }

    /// A message or a request to send has come: a receive takes it, or it is kept.
    fn matched(&mut self, actions: &mut Actions<Body>, message: Unexpected) {
        match self.matching.take_posted(&message.envelope) {
            Some(id) => {
                if let Some((whole, bytes)) = self.take(actions, id, message, MatchedBy::Message) {
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
    fn ready_arrived(&mut self, actions: &mut Actions<Body>, from: Rank, sequence: u64, body: Body) {
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

    /// A message of this rank has left its node.
    pub fn departed(&mut self, actions: &mut Actions<Body>, sequence: u64) {
        self.makes_progress();
        if let Some(index) = self.leaving.iter().position(|&(left, _)| left == sequence)
            && let Some((_, id)) = self.leaving.remove(index)
        {
            return self.complete(actions, id, actions.now(), Completion::empty());
        }
        self.access_departed(actions, sequence);
    }

    /// The data of receive `id`, which a rank has sent, are there since `at`.
    fn received(&mut self, actions: &mut Actions<Body>, id: RequestId, at: Time, (from, data): (Rank, Data)) {
        let request = self.requests.get(id).expect("a receive lives until its data are there");
        let State::Receiving { capacity, envelope: Some(envelope), .. } = request.state else {
            unreachable!("data come for receives that have taken an envelope")
        };
        let message = data.length();
        let error = (message > capacity).then(|| Box::new(MpiError::Truncate { message, buffer: capacity }));
        let data = if error.is_some() { data.limited(capacity) } else { data };
        let status = Status {
            source: envelope.source as i32,
            tag: envelope.tag,
            bytes: data.length(),
            cancelled: false,
            error,
        };
        self.complete(actions, id, at, Completion { status, data, from: Some(from) });
    }

    fn complete(&mut self, actions: &mut Actions<Body>, id: RequestId, at: Time, completion: Completion) {
        self.changes += 1;
        let request = self.requests.get_mut(id).expect("a request lives until it is complete");
        match request.owner {
            Owner::Program => request.state = State::Complete { at, completion },
            Owner::None => {
                request.state = State::Complete { at, completion };
                self.rare().released.push_back(id);
            }
            Owner::Part(whole) => {
                let was_receive = matches!(request.state, State::Receiving { .. });
                self.requests.remove(id);
                self.part_of_whole_is_over(actions, whole, at, was_receive.then_some(completion));
            }
            Owner::Partition(whole) => {
                self.requests.remove(id);
                self.partition_is_there(actions, whole, at, completion);
            }
            Owner::Kept => _ = self.requests.remove(id),
            Owner::Full(waits) => {
                self.requests.remove(id);
                self.complete(actions, waits, at, completion);
            }
            Owner::Buffered { of, number } => {
                self.requests.remove(id);
                self.room_is_free(actions, of, number, at);
            }
            Owner::Collective { request: collective, at: place } => {
                let room = match request.state {
                    State::Receiving { capacity, .. } => Some(capacity),
                    _ => None,
                };
                self.requests.remove(id);
                self.wait_for_completion(at);
                self.part_is_through(actions, collective, (place, room), completion);
            }
        }
    }

    #[cold]
    fn received_from_nobody(&mut self, about: About) -> RequestId {
        let completion = Completion { status: Status::of_null_process(), ..Completion::empty() };
        let state = State::Complete { at: self.clock, completion };
        self.requests.add(Request { state, owner: Owner::Program, about })
    }

    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    /// The first message that a receive with these wishes would take now: its status.
    #[must_use]
    pub fn probe(&self, selector: &Selector) -> Option<Status> {
        self.matching.probe(selector).map(Unexpected::status)
    }
}

/// The status of what has been withdrawn.
fn cancelled() -> Status {
    Status { cancelled: true, ..Status::empty() }
}

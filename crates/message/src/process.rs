//! One rank: its state, and its events. Its sends and receives, its requests, its communicators, the progress of its collectives, its windows and
//! the explanation of its waiting are in the files below this one.

mod accounting;
mod agreement;
mod at_windows;
mod buffered;
mod communicators;
mod computing;
mod eager_run;
mod epochs;
mod explanation;
mod observing;
mod one_sided;
mod partitioned;
mod progress;
mod receiving;
mod requests;
mod sending;
#[cfg(test)]
mod tests;

pub use communicators::MergeOrder;
pub use explanation::{Details, Explained, Fate, OpenRequest};
pub use one_sided::{Asker, Ending, MemoryWork, Started};
pub use progress::Combination;
pub use receiving::Receiving;
pub use requests::{AwaitedMessage, Exchange};

use crate::matching::{Matching, Unexpected};
use crate::observer::Observed;
use crate::request::{Owner, Request, Requests, State};
use crate::{Actions, Body, Communicator, Completion, Costs, Group, ProgressRule, RequestId, SendChoices};
use one_sided::OneSided;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use weir_network::Message;
use weir_network::causes::Ledger;
use weir_units::{Duration, Rank, Time};

/// A rank of a message-passing program.
///
/// # Errors
/// A function that is given a communicator, a window, a request, a rank or a tag fails where there is no such, one for the members of a group
/// where this rank is none, one that begins an epoch of a window or reaches into it where another epoch is in the way, one that ends something
/// where it has not begun, and one that checks something where it is not so. What else can be wrong is said at each.
#[derive(Debug)]
pub struct Process {
    rank: Rank,
    clock: Time,
    costs: Arc<Costs>,
    /// Not before this the node gets the rank's next message.
    next_message: Time,
    /// When the interface has the last eager message that it has fetched, so that none overtakes another.
    fetched: Time,
    /// Not before this it gets the next one to a rank of its own, where those have a gap of theirs.
    next_local: Time,
    communicators: Vec<Option<Communicator>>,
    freed_communicators: u32,
    requests: Requests,
    begun: agreement::Begun,
    matching: Matching,
    /// Rendezvous data on their way out of the node: number of the message, and the request that ends with it.
    leaving: VecDeque<(u64, RequestId)>,
    changes: u64,
    /// Requests that the program has given up, and that are complete.
    released: VecDeque<RequestId>,
    rare: Option<Box<Rare>>,
    /// Choices for messages, if not the default.
    choices: Option<Box<SendChoices>>,
    rail: Option<u16>,
    eager_run: eager_run::EagerRun,
    partners: accounting::Partners,
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
    /// Where several interfaces take turns: from when on each gets another message, the one whose turn it is first.
    next_by_turn: VecDeque<Time>,
    /// Communicators made by their members alone: a number for each kind, and how many there have been.
    made_among: BTreeMap<u64, u64>,
    /// Messages taken out of the queue by matched probes.
    matched: Vec<Option<Unexpected>>,
    buffers: Vec<buffered::SendBuffer>,
    /// Partitioned operations: a number for each kind, and how many there have been.
    partitioned: Vec<(u64, u64)>,
    combinations: VecDeque<RequestId>,
    one_sided: OneSided,
}

impl Process {
    /// Rank `rank` of a world of `size`, at time zero, with the communicators world and self.
    pub fn new(rank: Rank, size: usize, costs: impl Into<Arc<Costs>>) -> Self {
        Self::in_world(rank, Group::world(size as u32), costs)
    }

    /// The same rank where `MPI_COMM_WORLD` has these members, as that of one of several jobs.
    ///
    /// # Panics
    /// When the rank is no member.
    pub fn in_world(rank: Rank, world: Group, costs: impl Into<Arc<Costs>>) -> Self {
        let own_rank = world.rank_of(rank).expect("a rank is a member of its world");
        let world = Communicator::new(0, world, own_rank, "MPI_COMM_WORLD");
        let own = Communicator::new(2, Group::new(&[rank]), 0, "MPI_COMM_SELF");
        let costs = costs.into();
        let computing = (costs.progress != ProgressRule::Always).then(Box::default);
        Self {
            rank,
            clock: Time::ZERO,
            costs,
            next_message: Time::ZERO,
            fetched: Time::ZERO,
            next_local: Time::ZERO,
            communicators: vec![Some(world), Some(own)],
            freed_communicators: 0,
            requests: Requests::default(),
            begun: agreement::Begun::default(),
            matching: Matching::default(),
            leaving: VecDeque::new(),
            changes: 0,
            released: VecDeque::new(),
            rare: None,
            choices: None,
            rail: None,
            eager_run: eager_run::EagerRun::default(),
            partners: accounting::Partners::default(),
            computed: Duration::ZERO,
            computing,
            ledger: None,
            observer: Observed::default(),
        }
    }

    /// This rank in the world.
    pub const fn rank(&self) -> Rank {
        self.rank
    }

    /// The rank's own clock: never behind the events it has seen, and ahead of them by the processor time it has
    /// spent since.
    pub const fn clock(&self) -> Time {
        self.clock
    }

    /// Grows with everything that may end somebody's waiting: a message that arrives, a request that completes.
    pub const fn changes(&self) -> u64 {
        self.changes
    }

    /// The number of messages that have arrived and that no receive has matched.
    pub fn unexpected(&self) -> usize {
        self.matching.unexpected()
    }

    /// A message has come from the network.
    pub fn arrived(&mut self, actions: &mut Actions, message: Message<Body>) {
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
                let completion = Completion { status: receiving::cancelled(), ..Completion::empty() };
                self.complete(actions, RequestId(send), now, completion);
            }
        }
    }

    /// A message of this rank has left its node.
    pub fn departed(&mut self, actions: &mut Actions, sequence: u64) {
        self.makes_progress();
        if let Some(index) = self.leaving.iter().position(|&(left, _)| left == sequence)
            && let Some((_, id)) = self.leaving.remove(index)
        {
            return self.complete(actions, id, actions.now(), Completion::empty());
        }
        self.access_departed(actions, sequence);
    }

    #[inline]
    fn complete(&mut self, actions: &mut Actions, id: RequestId, at: Time, completion: Completion) {
        self.changes += 1;
        let request = self.requests.get_mut(id).expect("a request lives until it is complete");
        let owner = request.owner;
        if let Owner::Program | Owner::None = owner {
            request.state = State::Complete { at, completion };
            if owner == Owner::None {
                self.released.push_back(id);
            }
            return;
        }
        self.complete_part(actions, id, at, completion);
    }

    /// The same for one that belongs to the library.
    fn complete_part(&mut self, actions: &mut Actions, id: RequestId, at: Time, completion: Completion) {
        let Some(Request { owner, state, .. }) = self.requests.remove(id) else {
            unreachable!("a request lives until it is complete")
        };
        let room = if let State::Receiving { capacity, .. } = state { Some(capacity) } else { None };
        match owner {
            Owner::Part(whole) => self.part_of_whole_is_over(actions, whole, at, room.map(|_| completion)),
            Owner::Partition(whole) => self.partition_is_there(actions, whole, at, completion),
            Owner::Full(waits) => self.complete(actions, waits, at, completion),
            Owner::Buffered { of, number } => self.room_is_free(actions, of, number, at),
            Owner::Collective { request, at: place } => {
                let Completion { status, data, from } = completion;
                self.part_is_through(actions, (request, place, room), at, (from, &data), status.error);
            }
            Owner::Program | Owner::None | Owner::Kept => {}
        }
    }

    fn rare(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }
}

//! Requests: operations under way.

use crate::{BufferOf, Combining, CommunicatorId, Data, Envelope, Group, MpiError, Reduction};
use std::ops::Range;
use weir_collectives::{Round, Schedule};
use weir_network::SendOptions;
use weir_operations::RequestId;
use weir_units::{Bytes, Rank, Time};

/// Status of a finished receive (a finished send has no sender, no tag, no bytes).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// Rank of the sender in the communicator.
    pub source: i32,
    /// The tag.
    pub tag: i32,
    /// Bytes received.
    pub bytes: u64,
    /// Set if it was cancelled.
    pub cancelled: bool,
    /// The error, if there was one.
    pub error: Option<Box<MpiError>>,
}

impl Status {
    /// The standard's empty status (MPI 5.0, section 3.7.3).
    pub const fn empty() -> Self {
        Self { source: crate::ANY_SOURCE, tag: crate::ANY_TAG, bytes: 0, cancelled: false, error: None }
    }

    /// The status of a receive from nobody.
    pub fn of_null_process() -> Self {
        Self { source: crate::PROC_NULL, ..Self::empty() }
    }
}

/// The result of a finished request.
#[derive(Clone, Debug)]
pub struct Completion {
    /// Status of the message.
    pub status: Status,
    /// Data received, not longer than the buffer; of a collective: its workspace.
    pub data: Data,
    /// Who has sent them; `None` if there is not one rank that has.
    pub from: Option<Rank>,
}

impl Completion {
    pub(crate) fn empty() -> Self {
        Self { status: Status::empty(), data: Data::default(), from: None }
    }

    pub(crate) fn of_nobody() -> Self {
        Self { status: Status::of_null_process(), ..Self::empty() }
    }
}

#[derive(Debug)]
pub(crate) enum State {
    /// Waits for the receiver's clearance; the data go then.
    AwaitsClearance { to: Rank, data: Data, way: Option<Box<SendOptions>> },
    /// The data are on their way out of the node.
    Leaving,
    /// Waits for a message, or for its data. It is posted by the rank's own clock, which may be ahead of the network.
    Receiving { capacity: u64, posted: Time, envelope: Option<crate::Envelope> },
    /// A collective.
    Collective(Box<Running>),
    /// Something beside messages that ends at an instant of its own, such as an access to a file.
    Outside(Completion),
    /// Over when the program says so.
    Open,
    /// Over when so many others are, which are its parts; what a part that receives has brought is its own.
    Combined(Box<CombinedRequest>),
    /// A partitioned receive.
    Gathering(Box<Gathering>),
    /// Over, since this instant.
    Complete { at: Time, completion: Completion },
}

/// Whose request it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The program's own.
    Program,
    /// Freed by the program: it goes when it is complete.
    None,
    /// The library's: a send whose sender has gone on. It goes when it is complete.
    Kept,
    /// A send behind a full run of eager messages: the request of its sender, which may be complete before.
    Full(RequestId),
    /// Part of a collective: its request, and where received data go in its workspace.
    Collective { request: RequestId, at: usize },
    /// Part of another request.
    Part(RequestId),
    /// A partition of a partitioned receive.
    Partition(RequestId),
    /// A message in a buffer that the program has attached: whose buffer, and the message's number in it.
    Buffered { of: BufferOf, number: u32 },
}

#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) state: State,
    pub(crate) owner: Owner,
    pub(crate) about: About,
}

/// For explanations: who is on the other side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct About {
    /// The communicator that the other side's rank belongs to.
    pub(crate) communicator: crate::CommunicatorId,
    /// Rank in the communicator or a wildcard.
    pub(crate) peer: i32,
    pub(crate) tag: i32,
}

impl About {
    pub(crate) const NOBODY: Self =
        Self { communicator: CommunicatorId::WORLD, peer: crate::PROC_NULL, tag: crate::ANY_TAG };
}

/// Things with numbers; numbers of those that are gone are used again.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    slots: Vec<Option<T>>,
    free: Vec<u32>,
}

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { slots: Vec::new(), free: Vec::new() }
    }
}

impl<T> Slab<T> {
    pub(crate) fn add(&mut self, thing: T) -> u32 {
        if let Some(number) = self.free.pop() {
            self.slots[number as usize] = Some(thing);
            return number;
        }
        // Most ranks have one or two at a time, and a vector begins with room for four of 104 bytes.
        if self.slots.len() == self.slots.capacity() {
            self.slots.reserve_exact(self.slots.len().max(1));
        }
        self.slots.push(Some(thing));
        u32::try_from(self.slots.len() - 1).expect("there are fewer than 2^32")
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.slots.get_mut(number as usize)?.as_mut()
    }

    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        let thing = self.slots.get_mut(number as usize)?.take()?;
        self.free.push(number);
        Some(thing)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Requests(Slab<Request>);

impl Requests {
    pub(crate) fn add(&mut self, request: Request) -> RequestId {
        RequestId(self.0.add(request))
    }

    pub(crate) fn get(&self, id: RequestId) -> Option<&Request> {
        self.0.slots.get(id.0 as usize)?.as_ref()
    }

    pub(crate) fn get_mut(&mut self, id: RequestId) -> Option<&mut Request> {
        self.0.get_mut(id.0)
    }

    pub(crate) fn numbered(&self) -> impl Iterator<Item = (RequestId, &Request)> {
        (0..).zip(&self.0.slots).filter_map(|(number, slot)| Some((RequestId(number), slot.as_ref()?)))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Request> {
        self.0.slots.iter().flatten()
    }

    /// The numbers of requests that are like this.
    pub(crate) fn which(&self, is_it: impl Fn(&Request) -> bool) -> Vec<RequestId> {
        self.numbered().filter(|(_, request)| is_it(request)).map(|(id, _)| id).collect()
    }

    /// Ends a request if it is complete; since when it was, and what it leaves.
    #[inline]
    pub(crate) fn take_completion(&mut self, id: RequestId) -> Option<(Time, Completion)> {
        let slot = self.0.slots.get_mut(id.0 as usize)?;
        let Some(Request { state: State::Complete { at, completion }, .. }) = slot else { return None };
        let taken = (*at, std::mem::replace(completion, Completion::empty()));
        *slot = None;
        self.0.free.push(id.0);
        Some(taken)
    }

    pub(crate) fn remove(&mut self, id: RequestId) -> Option<Request> {
        self.0.remove(id.0)
    }
}

#[derive(Debug)]
pub(crate) struct CombinedRequest {
    /// Number of parts that are not over.
    pub(crate) parts: usize,
    pub(crate) result: Completion,
}

/// A collective under way at one rank.
pub(crate) struct Running {
    pub(crate) schedule: Schedule,
    pub(crate) workspace: Data,
    pub(crate) round: Round,
    pub(crate) outstanding: usize,
    /// In this round.
    pub(crate) has_waited: bool,
    /// A message was longer than the room for it: ranks do not agree on how much there is.
    pub(crate) error: Option<Box<MpiError>>,
    pub(crate) envelope: Envelope,
    pub(crate) group: Group,
    pub(crate) communicator: CommunicatorId,
    pub(crate) combining: Combining,
    /// Bytes of the vector that is reduced.
    pub(crate) vector: Bytes,
    pub(crate) reduction: Reduction,
    pub(crate) rounds_begun: usize,
}

/// One side of a partitioned operation, which is started any number of times.
#[derive(Clone, Copy, Debug)]
pub struct PartitionChannel {
    pub(crate) context: u64,
    /// Its number among the sides that its rank has made, from 0.
    pub(crate) number: u32,
    /// This rank in the communicator.
    pub(crate) own: u32,
    /// The other side in the world; `None` for nobody.
    pub(crate) peer: Option<Rank>,
    pub(crate) about: About,
}

/// A partitioned receive under way.
#[derive(Debug)]
pub(crate) struct Gathering {
    pub(crate) channel: PartitionChannel,
    pub(crate) data: Data,
    /// Bytes that messages have been matched for.
    pub(crate) promised: u64,
    /// The bytes that have come: ranges that do not overlap.
    pub(crate) there: Vec<Range<usize>>,
    pub(crate) error: Option<MpiError>,
}

//! Requests: operations under way.

use crate::{BufferOf, Combining, CommunicatorId, Data, Envelope, Group, MpiError, Reduction};
use smallvec::SmallVec;
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
    /// A collective; nothing while it goes on.
    Collective(Option<Box<Running>>),
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

/// Things with numbers; numbers of those that are gone are used again, the last one first. Most ranks have one or two at a time, which lie in
/// the rank itself: where many ranks take turns, each place elsewhere in memory is one more to wait for.
#[derive(Debug)]
pub(crate) struct Slab<T> {
    slots: SmallVec<[Slot<T>; 2]>,
    /// The number that is used next, or [`NONE`].
    free: u32,
}

#[derive(Debug)]
enum Slot<T> {
    Taken(T),
    /// The number that is used after this one, or [`NONE`].
    Free(u32),
}

const NONE: u32 = u32::MAX;

impl<T> Default for Slab<T> {
    fn default() -> Self {
        Self { slots: SmallVec::new(), free: NONE }
    }
}

impl<T> Slab<T> {
    pub(crate) fn add(&mut self, thing: T) -> u32 {
        let number = self.free;
        match self.slots.get_mut(number as usize) {
            Some(slot) => {
                if let Slot::Free(next) = std::mem::replace(slot, Slot::Taken(thing)) {
                    self.free = next;
                }
                number
            }
            None => {
                self.slots.push(Slot::Taken(thing));
                u32::try_from(self.slots.len() - 1).expect("there are fewer than 2^32")
            }
        }
    }

    /// The number of the next thing.
    pub(crate) fn next_number(&self) -> u32 {
        if self.free == NONE { self.slots.len() as u32 } else { self.free }
    }

    pub(crate) fn get(&self, number: u32) -> Option<&T> {
        self.slots.get(number as usize)?.thing()
    }

    pub(crate) fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        match self.slots.get_mut(number as usize)? {
            Slot::Taken(thing) => Some(thing),
            Slot::Free(_) => None,
        }
    }

    pub(crate) fn remove(&mut self, number: u32) -> Option<T> {
        let slot = self.slots.get_mut(number as usize)?;
        match std::mem::replace(slot, Slot::Free(self.free)) {
            Slot::Taken(thing) => {
                self.free = number;
                Some(thing)
            }
            free => {
                *slot = free;
                None
            }
        }
    }
}

impl<T> Slot<T> {
    fn thing(&self) -> Option<&T> {
        if let Self::Taken(thing) = self { Some(thing) } else { None }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Requests(Slab<Request>);

impl Requests {
    pub(crate) fn add(&mut self, request: Request) -> RequestId {
        RequestId(self.0.add(request))
    }

    pub(crate) fn next_number(&self) -> RequestId {
        RequestId(self.0.next_number())
    }

    pub(crate) fn get(&self, id: RequestId) -> Option<&Request> {
        self.0.get(id.0)
    }

    pub(crate) fn get_mut(&mut self, id: RequestId) -> Option<&mut Request> {
        self.0.get_mut(id.0)
    }

    pub(crate) fn numbered(&self) -> impl Iterator<Item = (RequestId, &Request)> {
        (0..).zip(&self.0.slots).filter_map(|(number, slot)| Some((RequestId(number), slot.thing()?)))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Request> {
        self.0.slots.iter().filter_map(Slot::thing)
    }

    /// The numbers of requests that are like this.
    pub(crate) fn which(&self, is_it: impl Fn(&Request) -> bool) -> Vec<RequestId> {
        self.numbered().filter(|(_, request)| is_it(request)).map(|(id, _)| id).collect()
    }

    /// Ends a request if it is complete; since when it was, and what it leaves.
    #[inline]
    pub(crate) fn take_completion(&mut self, id: RequestId) -> Option<(Time, Completion)> {
        if !matches!(self.0.get(id.0), Some(Request { state: State::Complete { .. }, .. })) {
            return None;
        }
        match self.0.remove(id.0) {
            Some(Request { state: State::Complete { at, completion }, .. }) => Some((at, completion)),
            _ => unreachable!("it has just been found"),
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A place for a request is no larger than the request, and its number is used again, the last one first.
    #[test]
    fn places_are_small_and_used_again() {
        assert_eq!(size_of::<Slot<Request>>(), size_of::<Request>());
        let mut slab = Slab::default();
        let numbers: Vec<u32> = "abcd".chars().map(|letter| slab.add(letter)).collect();
        assert_eq!(numbers, [0, 1, 2, 3]);
        assert_eq!([2, 0, 2].map(|number| slab.remove(number)), [Some('c'), Some('a'), None]);
        assert_eq!((slab.get(0), slab.get(1), slab.get(4)), (None, Some(&'b'), None));
        assert_eq!(["e", "f", "g"].map(|text| slab.add(text.chars().next().unwrap())), [0, 2, 4]);
    }
}

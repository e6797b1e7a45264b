//! The fields of operations: one list for each kind, which all that write and read operations walk along.

use crate::{
    AfterFence, Asks, Choices, Collective, Combining, Conflicts, Function, LengthCells, Lock, Operation,
    Over, PollFirst, ReceiveSource, RequestId, Requests, Root, WindowOperation,
};
use weir_units::Duration;

/// Success, or what is wrong with a field.
pub type Fallible = Result<(), String>;

/// The column of a table in which a number stands that has no column of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // the names of the columns
pub enum Place {
    Peer,
    Bytes,
    Request,
}

/// Writes the fields of an operation, or reads them into it, in the order in which [`Operation::fields`] names them. In the text
/// form fields without a word stand first, and the others behind words; in a table each has a column.
///
/// # Errors
/// When something is wrong with a field that is read. Writing fails where a medium fails.
pub trait Fields {
    /// Says whether fields are read: an operation that is only written stays as it is.
    const READS: bool;

    /// A rank that gets or sends; `None`: nobody.
    fn peer(&mut self, rank: &mut Option<u32>) -> Fallible;

    /// A rank that is reached into.
    fn target(&mut self, rank: &mut u32) -> Fallible;

    /// The same, or all where it is left out.
    fn target_or_all(&mut self, rank: &mut Option<u32>) -> Fallible {
        self.peer(rank)
    }

    /// From whom a message is taken; whoever reads takes the words of [`Self::found`] here, too.
    fn source(&mut self, from: &mut ReceiveSource) -> Fallible;

    /// The tag that is asked for, and who and which it was in place of wildcards: `tag`, `from`, `tagged`.
    fn found(&mut self, _: &mut ReceiveSource) -> Fallible {
        Ok(())
    }

    /// A number of bytes.
    fn bytes(&mut self, bytes: &mut u64) -> Fallible;

    /// A number, behind its word if it has one, in this column; `needs` says in an error what it is.
    fn number(&mut self, word: &'static str, place: Place, number: &mut u32, needs: &str) -> Fallible;

    /// The tag of a message that is sent: `tag`.
    fn tag(&mut self, tag: &mut i32) -> Fallible;

    /// A word that is there or not.
    fn flag(&mut self, word: &'static str, set: bool) -> Result<bool, String>;

    /// A request.
    fn request(&mut self, request: &mut RequestId) -> Fallible;

    /// Requests.
    fn requests(&mut self, requests: &mut Requests) -> Fallible;

    /// The request under which the operation goes on: `request`.
    fn started(&mut self, request: &mut RequestId) -> Fallible {
        self.request(request)
    }

    /// A time, behind its word if it has one.
    fn time(&mut self, word: &'static str, time: &mut Duration) -> Fallible;

    /// The number of the thing at which a look in vain ended: `after`.
    fn after(&mut self, after: &mut Option<u64>) -> Fallible;

    /// The ranks of a group: `ranks`.
    fn ranks(&mut self, ranks: &mut Box<[u32]>) -> Fallible;

    /// Bytes and blocks of a collective.
    fn lengths(&mut self, function: Function, cells: &mut LengthCells) -> Fallible;

    /// The root of a collective: `root`.
    fn root(&mut self, root: &mut Root) -> Fallible;

    /// Elements of a collective, operation and type of which may be known: `element`, `ordered`, `op`, `type`.
    fn combining(&mut self, collective: &mut Collective, cells: &mut LengthCells) -> Fallible;

    /// The number of a persistent collective: `tag`.
    fn persistent(&mut self, number: &mut Option<u32>) -> Fallible;

    /// Choices: `protocol`, `copy`, `nic`, `gap`.
    fn choices(&mut self, choices: &mut Choices) -> Fallible;

    /// The number of a communicator: `comm`.
    fn communicator(&mut self, communicator: &mut u32) -> Fallible;

    /// One of two values, of which the second has a word.
    fn either<T: Copy + PartialEq>(&mut self, word: &'static str, value: &mut T, two: [T; 2]) -> Fallible {
        let set = self.flag(word, *value == two[1])?;
        *value = two[usize::from(set)];
        Ok(())
    }

    /// The request of an operation that goes on, if it does.
    fn goes_on(&mut self, request: &mut Option<RequestId>) -> Fallible {
        request.as_mut().map_or(Ok(()), |request| self.started(request))
    }
}

impl Operation {
    /// Walks along the fields.
    ///
    /// # Errors
    /// Those of `f`, and lengths that do not fit a collective.
    pub fn fields<F: Fields>(&mut self, f: &mut F) -> Fallible {
        match self {
            Self::Send { to, tag, bytes, communicator, request, .. } => {
                f.peer(to)?;
                f.bytes(bytes)?;
                f.tag(tag)?;
                f.communicator(communicator)?;
                f.goes_on(request)
            }
            Self::Receive { from, bytes, communicator, request } => {
                f.source(from)?;
                f.bytes(bytes)?;
                f.found(from)?;
                f.communicator(communicator)?;
                f.goes_on(request)
            }
            Self::Probe { from, communicator, look } => {
                looked_for(f, from, look)?;
                f.communicator(communicator)
            }
            Self::Match { from, communicator, look, message } => {
                looked_for(f, from, look)?;
                f.communicator(communicator)?;
                f.started(message)
            }
            Self::Wait { requests, .. } | Self::See { requests } => f.requests(requests),
            Self::Release { request }
            | Self::Cancel { request }
            | Self::Open { request }
            | Self::Fulfil { request } => f.request(request),
            Self::Poll { time, after } => {
                f.time("", time)?;
                f.after(after)
            }
            Self::Compute { time } => f.time("", time),
            Self::End | Self::Flush => Ok(()),
            Self::Collective { collective, communicator, persistent, request } => {
                collective.fields(f)?;
                f.persistent(persistent)?;
                f.communicator(communicator)?;
                f.goes_on(request)
            }
            Self::ReceiveMatched { message, bytes, request } => {
                f.request(message)?;
                *request = request.map(|_| *message);
                f.bytes(bytes)
            }
            Self::File { bytes, lasts, request, .. } => {
                f.bytes(bytes)?;
                f.time("lasts", lasts)?;
                f.goes_on(request)
            }
            Self::Access { target, bytes, communicator, request, .. } => {
                f.target(target)?;
                f.bytes(bytes)?;
                f.communicator(communicator)?;
                f.goes_on(request)
            }
            Self::Window { communicator, operation } => {
                operation.fields(f)?;
                f.communicator(communicator)
            }
            Self::Channel { .. }
            | Self::StartSend { .. }
            | Self::StartReceive { .. }
            | Self::Ready { .. } => self.fields_of_partitions(f),
            Self::Choose(choices) => f.choices(choices),
        }
    }
}

impl Operation {
    fn fields_of_partitions(&mut self, f: &mut impl Fields) -> Fallible {
        match self {
            Self::Channel { channel, peer, tag, communicator, .. } => {
                f.peer(peer)?;
                f.number("channel", Place::Request, channel, "a channel (in a table: as request)")?;
                f.tag(tag)?;
                f.communicator(communicator)
            }
            Self::StartSend { channel, partitions, request } => {
                f.number("", Place::Peer, channel, CHANNEL)?;
                f.number("partitions", Place::Bytes, partitions, "a number of partitions")?;
                f.started(request)
            }
            Self::StartReceive { channel, bytes, request } => {
                f.number("", Place::Peer, channel, CHANNEL)?;
                f.bytes(bytes)?;
                f.started(request)
            }
            Self::Ready { request, number, bytes } => {
                f.request(request)?;
                f.bytes(bytes)?;
                f.number("partition", Place::Peer, number, "a partition (in a table: as peer)")
            }
            _ => Ok(()),
        }
    }
}

const CHANNEL: &str = "the number of its channel (in a table: as peer)";

fn looked_for(f: &mut impl Fields, from: &mut ReceiveSource, look: &mut PollFirst) -> Fallible {
    f.source(from)?;
    f.found(from)?;
    f.either("looks", look, [PollFirst::No, PollFirst::Yes])
}

impl Collective {
    fn fields<F: Fields>(&mut self, f: &mut F) -> Fallible {
        let mut cells = LengthCells::of(&self.lengths);
        f.lengths(self.function, &mut cells)?;
        if self.function.has_root() {
            f.root(&mut self.root)?;
        }
        f.combining(self, &mut cells)?;
        if F::READS {
            if self.combines != Combining::default() && !self.function.combines() {
                return Err(format!(
                    "{} combines nothing: it has no operation and no type",
                    self.function.word()
                ));
            }
            self.lengths = cells.lengths(self.function)?;
        }
        Ok(())
    }
}

impl WindowOperation {
    fn fields(&mut self, f: &mut impl Fields) -> Fallible {
        const CONFLICTS: [Conflicts; 2] = [Conflicts::Possible, Conflicts::RuledOut];
        match self {
            Self::Flush { rank, over } => {
                f.target_or_all(rank)?;
                f.either("local", over, [Over::There, Over::Here])
            }
            Self::Fence { after } => {
                f.either("nosucceed", after, [AfterFence::Accesses, AfterFence::Nothing])
            }
            Self::Post { group, conflicts } | Self::Start { group, conflicts } => {
                f.either("nocheck", conflicts, CONFLICTS)?;
                f.ranks(group)
            }
            Self::Wait { look } => f.either("looks", look, [PollFirst::No, PollFirst::Yes]),
            Self::Lock { rank, lock, conflicts } => {
                f.target(rank)?;
                f.either("exclusive", lock, [Lock::Shared, Lock::Exclusive])?;
                f.either("nocheck", conflicts, CONFLICTS)
            }
            Self::Unlock { rank } => f.target(rank),
            Self::LockAll { asks, conflicts } => {
                f.either("nocheck", conflicts, CONFLICTS)?;
                f.either("at-once", asks, [Asks::WhenReached, Asks::AtOnce])
            }
            Self::Open | Self::Close | Self::Complete | Self::UnlockAll => Ok(()),
        }
    }
}

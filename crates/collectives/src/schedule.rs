//! A rank's part of a collective, round by round; and what goes in a round: the data of all ranks as blocks, one for each, and a message as
//! segments.

use std::ops::Range;
use std::sync::Arc;
use weir_operations::Lengths;

/// The part of one rank in a collective: a formula that fills in each round, so that nothing is stored per round. Cheap to clone.
#[derive(Clone)]
pub struct Schedule {
    rounds: usize,
    round: Arc<Formula>,
    memory: Option<MemoryBlocks>,
    touched: Option<MemoryBlocks>,
}

/// Adds the messages and steps of a round to one that is empty.
type Formula = dyn Fn(usize, &mut Round) + Send + Sync;

/// Bytes of up to three blocks of memory; those that are not there have none.
pub type MemoryBlocks = [usize; 3];

impl Schedule {
    /// A schedule of `rounds` rounds; `round` adds its messages and steps to a round that is empty.
    pub(super) fn new(rounds: usize, round: impl Fn(usize, &mut Round) + Send + Sync + 'static) -> Self {
        Self { rounds, round: Arc::new(round), memory: None, touched: None }
    }

    /// The same with the memory that the library which has the algorithm makes for it in each call.
    pub(super) fn with_memory(self, blocks: MemoryBlocks) -> Self {
        Self { memory: Some(blocks), ..self }
    }

    /// The same, where not each byte of its memory is touched once. A block that operands are copied into and that is sent from counts twice:
    /// its pages are made, and the interface gets to know them. What only comes in counts once, as far as anything comes.
    pub(super) fn touching(self, blocks: MemoryBlocks) -> Self {
        Self { touched: Some(blocks), ..self }
    }

    /// The number of rounds of this rank.
    pub const fn rounds(&self) -> usize {
        self.rounds
    }

    /// Adds the messages and steps of round `index` to `round`, which is empty.
    pub fn round(&self, index: usize, round: &mut Round) {
        (self.round)(index, round);
    }

    /// Memory that the library which has the algorithm makes for it at this rank in each call, block by block; `None`: one block, of the
    /// bytes that the workspace has beyond the caller's buffers.
    pub const fn memory(&self) -> Option<MemoryBlocks> {
        self.memory
    }

    /// Bytes of each block of [`Self::memory`] that are touched; `None`: all, once.
    pub const fn touched(&self) -> Option<MemoryBlocks> {
        self.touched
    }

    /// This one, and `next` when it is through. The memory is that of the first that has some: what follows a reduction makes none.
    pub(super) fn then(self, next: Self) -> Self {
        let (rounds, all) = (self.rounds, self.rounds + next.rounds);
        let of_memory = if self.memory.is_some() { &self } else { &next };
        let (memory, touched) = (of_memory.memory, of_memory.touched);
        if next.rounds == 0 {
            return Self { memory, touched, ..self };
        }
        let in_turn = move |index: usize, round: &mut Round| match index.checked_sub(rounds) {
            None => self.round(index, round),
            Some(index) => next.round(index, round),
        };
        Self { memory, touched, ..Self::new(all, in_turn) }
    }

    pub(super) fn beside(self, other: Self) -> Self {
        Self::new(self.rounds.max(other.rounds), move |index, round| {
            for schedule in [&self, &other].into_iter().filter(|schedule| index < schedule.rounds) {
                schedule.round(index, round);
            }
        })
    }

    /// The same schedule backwards: it receives what this one sends and sends what this one receives, round by round. So a gather by the
    /// root alone becomes a scatter by the root alone, with the same workspace.
    pub(super) fn backwards(self) -> Self {
        Self::new(self.rounds, move |index, round| {
            self.round(index, round);
            std::mem::swap(&mut round.sends, &mut round.receives);
        })
    }

    /// The same schedule for ranks with other numbers.
    pub(super) fn renumbered(self, number: impl Fn(usize) -> usize + Send + Sync + 'static) -> Self {
        Self::new(self.rounds, move |index, round| {
            self.round(index, round);
            for transfer in round.sends.iter_mut().chain(&mut round.receives) {
                transfer.peer = number(transfer.peer as usize) as u32;
            }
        })
    }
}

/// A message of a round: a range of the workspace, to or from a rank of the communicator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Rank in the communicator.
    pub peer: u32,
    /// Bytes of the workspace.
    pub range: Range<usize>,
    /// The rail (an interface among several) of a send, if it has one.
    pub rail: Option<u16>,
}

/// A computation at the end of a round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The range `from` is combined into the bytes at `into`, as the operand that stands on `side`.
    Reduce {
        /// The operand that came.
        from: Range<usize>,
        /// Start of the bytes that become the result.
        into: usize,
        /// Place of the operand that came.
        side: Side,
    },
    /// The range `from` is copied to the bytes at `to`.
    Copy {
        /// The bytes that are copied.
        from: Range<usize>,
        /// Start of the bytes that they replace.
        to: usize,
    },
}

/// Side of the operator on which an operand stands; matters for operations that do not commute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// It comes from lower ranks.
    Left,
    /// It comes from higher ranks.
    Right,
}

/// One round of one rank. Sends read the workspace as it is when the round begins.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Messages that are sent.
    pub sends: Vec<Transfer>,
    /// Messages that are received.
    pub receives: Vec<Transfer>,
    /// Steps that are computed when all messages are through, in this order.
    pub then: Vec<Step>,
}

impl Round {
    /// Empties the round, and keeps its memory for the next one.
    pub fn clear(&mut self) {
        self.sends.clear();
        self.receives.clear();
        self.then.clear();
    }

    pub(super) fn send(&mut self, peer: usize, range: Range<usize>) {
        self.sends.push(Transfer { peer: peer as u32, range, rail: None });
    }

    pub(super) fn send_on(&mut self, rail: u16, peer: usize, range: Range<usize>) {
        self.sends.push(Transfer { peer: peer as u32, range, rail: Some(rail) });
    }

    /// Sends a part that goes around one of several rings by the rail of this ring.
    pub(super) fn send_around(&mut self, (ring, rings): (usize, usize), peer: usize, range: Range<usize>) {
        match rings {
            1 => self.send(peer, range),
            _ => self.send_on(ring as u16, peer, range),
        }
    }

    pub(super) fn receive(&mut self, peer: usize, range: Range<usize>) {
        self.receives.push(Transfer { peer: peer as u32, range, rail: None });
    }

    /// Sends one range to `peer` and receives the other from it.
    pub(super) fn exchange(&mut self, peer: usize, out: Range<usize>, into: Range<usize>) {
        self.send(peer, out);
        self.receive(peer, into);
    }

    /// Receives an operand into `room` and combines it into the bytes at `into`.
    pub(super) fn receive_operand(&mut self, peer: usize, room: Range<usize>, into: usize, side: Side) {
        self.receive(peer, room.clone());
        self.reduce(room, into, side);
    }

    pub(super) fn copy(&mut self, from: Range<usize>, to: usize) {
        if !from.is_empty() && from.start != to {
            self.then.push(Step::Copy { from, to });
        }
    }

    pub(super) fn reduce(&mut self, from: Range<usize>, into: usize, side: Side) {
        self.then.push(Step::Reduce { from, into, side });
    }
}

/// The place of a rank in a communicator.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The rank.
    pub rank: usize,
    /// The number of ranks.
    pub size: usize,
}

impl Place {
    /// The rank so many places on, around the end.
    pub(super) fn after(self, distance: usize) -> usize {
        (self.rank + distance) % self.size
    }

    /// The rank so many places back, around the beginning.
    pub(super) fn before(self, distance: usize) -> usize {
        (self.rank + self.size - distance % self.size) % self.size
    }

    pub(super) fn relative_to(self, root: usize) -> Self {
        Self { rank: (self.rank + self.size - root) % self.size, size: self.size }
    }
}

/// The side of an operand that comes from member `other` of those who combine, at member `own`.
pub(super) const fn side_of(other: usize, own: usize) -> Side {
    if other < own { Side::Left } else { Side::Right }
}

/// The part of a range, of whole elements, that goes around one of so many rings.
pub(super) fn strand(range: &Range<usize>, extent: usize, (ring, rings): (usize, usize)) -> Range<usize> {
    let elements = range.len().checked_div(extent).unwrap_or(0);
    shifted(Blocks::Shares { count: rings, elements, extent }.range(ring), range.start)
}

pub(super) const fn shifted(range: Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// Rounds of an algorithm that doubles a distance until it reaches `size`: the logarithm rounded up.
pub(super) const fn doublings(size: usize) -> usize {
    size.next_power_of_two().trailing_zeros() as usize
}

/// Lengths of the blocks of all ranks, one behind the other.
#[derive(Clone, Debug)]
pub enum Blocks {
    /// All of the same length.
    Even {
        /// The number of blocks.
        count: usize,
        /// Bytes of each.
        bytes: usize,
    },
    /// Whole elements, as evenly as can be: block `r` begins at element `r * elements / count`.
    Shares {
        /// The number of blocks.
        count: usize,
        /// Elements of all blocks.
        elements: usize,
        /// Bytes of an element.
        extent: usize,
    },
    /// Each of its own length: block `r` is `starts[r]..starts[r + 1]`.
    Uneven(Arc<[usize]>),
}

impl Blocks {
    /// Blocks of these lengths in bytes.
    pub fn uneven(lengths: impl IntoIterator<Item = usize>) -> Self {
        let mut starts = vec![0];
        let mut end = 0;
        starts.extend(lengths.into_iter().map(|length| {
            end += length;
            end
        }));
        Self::Uneven(starts.into())
    }

    /// Where the block of a rank is.
    pub fn range(&self, rank: usize) -> Range<usize> {
        self.ranges(rank..rank + 1)
    }

    /// Where the blocks of consecutive ranks are.
    pub fn ranges(&self, ranks: Range<usize>) -> Range<usize> {
        let start = |rank: usize| match self {
            Self::Even { bytes, .. } => rank * bytes,
            Self::Shares { count, elements, extent } => rank * elements / count * extent,
            Self::Uneven(starts) => starts[rank],
        };
        start(ranks.start)..start(ranks.end)
    }

    /// Bytes of the block of a rank.
    pub fn length(&self, rank: usize) -> usize {
        self.range(rank).len()
    }

    /// Number of blocks.
    pub fn count(&self) -> usize {
        match self {
            Self::Even { count, .. } | Self::Shares { count, .. } => *count,
            Self::Uneven(starts) => starts.len() - 1,
        }
    }

    /// The bytes of the first so many blocks, one after the other.
    pub(super) fn each(&self, count: usize) -> impl Iterator<Item = u64> {
        (0..count).map(|block| self.length(block) as u64)
    }

    /// The bytes of all; one number where all are equal.
    pub(super) fn listed(&self) -> Box<[u64]> {
        let count = self.count();
        let equal = match self {
            Self::Even { .. } => true,
            _ => (1..count).all(|block| self.length(block) == self.length(0)),
        };
        self.each(if equal { count.min(1) } else { count }).collect()
    }

    /// The lengths that a rank knows of blocks: the root knows all of them, any other rank its own.
    pub(super) fn known(&self, is_root: bool, rank: usize) -> Lengths {
        if is_root { Lengths::Blocks(self.listed()) } else { Lengths::Bytes(self.length(rank) as u64) }
    }

    /// Bytes of all blocks.
    pub fn total(&self) -> usize {
        match self {
            Self::Even { count, bytes } => count * bytes,
            Self::Shares { elements, extent, .. } => elements * extent,
            Self::Uneven(starts) => starts.last().copied().unwrap_or(0),
        }
    }
}

/// The segments of a message in the workspace: all of one length but the last, which may be shorter.
#[derive(Clone, Debug)]
pub(super) struct Segments {
    whole: Range<usize>,
    /// Bytes of each but the last; at least 1.
    each: usize,
}

impl Segments {
    /// Segments of up to so many bytes of this range; `None`: the range is one segment.
    pub(super) fn new(whole: Range<usize>, segment: Option<usize>) -> Self {
        let each = segment.unwrap_or(whole.len()).max(1);
        Self { whole, each }
    }

    /// Segments of whole elements of `extent` bytes, at least one each.
    pub(super) fn of_elements(elements: usize, extent: usize, segment: Option<usize>) -> Self {
        Self::of_part(0..elements * extent, extent, segment)
    }

    /// The same of a range that is made of whole elements.
    pub(super) fn of_part(part: Range<usize>, extent: usize, segment: Option<usize>) -> Self {
        let whole = |bytes: usize| (bytes / extent.max(1)).max(1) * extent;
        Self::new(part, segment.map(whole))
    }

    pub(super) fn whole(&self) -> Range<usize> {
        self.whole.clone()
    }

    /// Number of segments: one where there are no bytes, since a message is sent all the same.
    pub(super) fn count(&self) -> usize {
        self.whole.len().div_ceil(self.each).max(1)
    }

    /// The segment whose turn it is in a step, if the first has its turn in step `first`.
    pub(super) fn in_step(&self, step: usize, first: usize) -> Option<Range<usize>> {
        let index = step.checked_sub(first).filter(|&index| index < self.count())?;
        Some(self.range(index))
    }

    pub(super) fn range(&self, index: usize) -> Range<usize> {
        let at = |number: usize| (self.whole.start + number * self.each).min(self.whole.end);
        at(index)..at(index + 1)
    }

    pub(super) fn longest(&self) -> usize {
        self.each.min(self.whole.len())
    }
}

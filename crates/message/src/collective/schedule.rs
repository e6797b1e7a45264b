//! A rank's part of a collective, round by round.

use super::Blocks;
use std::ops::Range;
use std::rc::Rc;

/// The part of one rank in a collective: a formula that fills in each round, so that nothing is stored per round. Cheap to clone.
#[derive(Clone)]
pub struct Schedule {
    rounds: usize,
    round: Rc<Formula>,
    memory: Option<MemoryBlocks>,
}

/// Adds the messages and steps of a round to one that is empty.
type Formula = dyn Fn(usize, &mut Round);

/// Bytes of up to three blocks of memory; those that are not there have none.
pub type MemoryBlocks = [usize; 3];

impl Schedule {
    /// A schedule of `rounds` rounds; `round` adds its messages and steps to a round that is empty.
    pub(super) fn new(rounds: usize, round: impl Fn(usize, &mut Round) + 'static) -> Self {
        Self { rounds, round: Rc::new(round), memory: None }
    }

    /// The same with the memory that the library which has the algorithm makes for it in each call.
    pub(super) fn with_memory(self, blocks: MemoryBlocks) -> Self {
        Self { memory: Some(blocks), ..self }
    }

    /// The number of rounds of this rank.
    #[must_use]
    pub const fn rounds(&self) -> usize {
        self.rounds
    }

    /// Adds the messages and steps of round `index` to `round`, which is empty.
    pub fn round(&self, index: usize, round: &mut Round) {
        (self.round)(index, round);
    }

    /// Memory that the library which has the algorithm makes for it at this rank in each call, block by block; `None`: one block, of the
    /// bytes that the workspace has beyond the caller's buffers.
    #[must_use]
    pub const fn memory(&self) -> Option<MemoryBlocks> {
        self.memory
    }

    /// This one, and `next` when it is through. The memory is that of the first that has some: what follows a reduction makes none.
    pub(super) fn then(self, next: Self) -> Self {
        let (rounds, all, memory) = (self.rounds, self.rounds + next.rounds, self.memory.or(next.memory));
        if next.rounds == 0 {
            return Self { memory, ..self };
        }
        let in_turn = move |index: usize, round: &mut Round| match index.checked_sub(rounds) {
            None => self.round(index, round),
            Some(index) => next.round(index, round),
        };
        Self { memory, ..Self::new(all, in_turn) }
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
    pub(super) fn renumbered(self, number: impl Fn(usize) -> usize + 'static) -> Self {
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
    /// The [rail](weir_network::Way::with_rail) of a send, if it has one.
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
    pub(crate) fn clear(&mut self) {
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

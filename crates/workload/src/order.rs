//! The order of a rank: what it sends and what it awaits, entry by entry; and what is known of a pattern before it runs.

use crate::{Gap, Uniform};
use std::fmt;
use std::sync::Arc;
use weir_units::{Bytes, Duration, Rank};

/// One entry of a rank's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Send a message, and go on when it has left.
    Send {
        /// The rank that receives.
        to: Rank,
        /// Size of the message.
        bytes: Bytes,
        /// The wait before it, from the instant the entry is at the head of the queue.
        wait: Duration,
    },
    /// Send a message, and go on at once.
    Post {
        /// The rank that receives.
        to: Rank,
        /// Size of the message.
        bytes: Bytes,
        /// The wait before it, from the instant the entry is at the head of the queue. The entry behind it does not
        /// wait.
        wait: Duration,
    },
    /// Go on when the next message of this sender has arrived.
    Await {
        /// The rank that sends.
        from: Rank,
    },
    /// Go on after so much time.
    Pause {
        /// The time.
        time: Duration,
    },
}

impl Entry {
    /// A message that is sent without waiting.
    pub const fn send(to: Rank, bytes: Bytes) -> Self {
        Self::Send { to, bytes, wait: Duration::ZERO }
    }

    /// The message that it sends, if it sends one: to whom, and how long it is.
    pub const fn message(self) -> Option<(Rank, Bytes)> {
        match self {
            Self::Send { to, bytes, .. } | Self::Post { to, bytes, .. } => Some((to, bytes)),
            Self::Await { .. } | Self::Pause { .. } => None,
        }
    }

    /// The other rank that it names, if it names one.
    pub const fn peer(self) -> Option<Rank> {
        match self {
            Self::Send { to: peer, .. } | Self::Post { to: peer, .. } | Self::Await { from: peer } => {
                Some(peer)
            }
            Self::Pause { .. } => None,
        }
    }

    /// Its name where a rank stands in it.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Send { .. } | Self::Post { .. } => "send to",
            Self::Await { .. } => "await message",
            Self::Pause { .. } => "pause",
        }
    }
}

/// Repetition of the entries of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Period {
    /// Number of entries before the first that comes again.
    pub before: u64,
    /// After how many each comes again, 1 at least. The end may cut the last period off.
    pub entries: u64,
}

impl Period {
    /// From the first entry on; `None` of no entries.
    pub(crate) fn of(entries: u64) -> Option<Self> {
        (entries > 0).then_some(Self { before: 0, entries })
    }
}

/// The number of an entry among the so many of each round; `None`: it is in none of the so many rounds.
pub(crate) const fn in_round(index: u64, entries: u64, rounds: u64) -> Option<u64> {
    if entries == 0 || index / entries >= rounds { None } else { Some(index % entries) }
}

/// The operations of every rank, entry by entry. Entries are computed, so that a pattern of N^2 messages needs no list of them.
pub trait Sequence: Send + Sync {
    /// Entry number `index`, from zero, of a rank; `None` behind the last. A pure function.
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry>;

    /// The gap behind each packet of the message of an entry; `None`: as the machine says. Only the packet engine has
    /// packets, see [`SendOptions`](weir_network::SendOptions). A pure function.
    fn gap(&self, rank: Rank, index: u64) -> Option<Gap> {
        self.within()?.gap(rank, index)
    }

    /// The repetition of the entries of a rank, which are the same but for times; `None` where they do not, or where no formula says so.
    /// A pure function.
    fn period(&self, rank: Rank) -> Option<Period> {
        self.within()?.period(rank)
    }

    /// Number of entries of a rank. O(log n) looks.
    fn entries(&self, rank: Rank) -> u64 {
        let is_there = |index: u64| self.entry(rank, index).is_some();
        let mut behind = 1;
        while is_there(behind - 1) {
            behind *= 2;
        }
        let (mut there, mut behind) = (behind / 2, behind - 1);
        // Entries before `there` are there; `behind` is not.
        while there < behind {
            let middle = there + (behind - there) / 2;
            if is_there(middle) { there = middle + 1 } else { behind = middle }
        }
        there
    }

    /// Number of ranks.
    fn ranks(&self) -> usize {
        within(self.within()).ranks()
    }

    /// Returns whether there may be an [`Entry::Await`]. If not, queues need not remember who has sent. An order that says
    /// `false` although it awaits will lose messages and deadlock.
    fn awaits(&self) -> bool {
        self.within().is_none_or(|within| within.awaits())
    }

    /// Returns whether there is nothing but [`Entry::Send`]: ranks send one message after the other, whatever others do.
    fn only_sends(&self) -> bool {
        self.within().map_or_else(|| !self.awaits(), |within| within.only_sends())
    }

    /// Returns whether a rank computes: pauses, or waits before it sends.
    fn computes(&self) -> bool {
        self.within().is_some_and(|within| within.computes())
    }

    /// The pattern that this one is made of, if it is made of one: it answers what this one does not answer itself.
    fn within(&self) -> Option<&dyn Totals> {
        None
    }
}

fn within(pattern: Option<&dyn Totals>) -> &dyn Totals {
    pattern.expect("a pattern that is not made of another one answers itself")
}

/// A pattern whose messages are counted by a formula.
pub trait Totals: Sequence + fmt::Debug {
    /// Messages of all ranks together; saturates.
    fn messages(&self) -> u64 {
        within(self.within()).messages()
    }

    /// Bytes of all messages together; saturates.
    fn bytes_total(&self) -> Bytes {
        within(self.within()).bytes_total()
    }

    /// The pattern as displacements on a cyclic grid of ranks, if in each of its steps every rank sends a message of
    /// the same size to the rank displaced by the same vector.
    fn uniform(&self) -> Option<Uniform> {
        None
    }

    /// Returns whether every rank sends a message of the same size to every other one, and nothing else.
    fn is_all_to_all(&self) -> bool {
        false
    }

    /// At least the bytes of all messages together, in constant time; saturates.
    fn bytes_at_most(&self) -> Bytes {
        self.within().map_or_else(|| self.bytes_total(), |within| within.bytes_at_most())
    }

    /// Returns whether messages and bytes can be counted at all.
    ///
    /// # Errors
    /// When there are 2^64 - 1 messages or bytes, or more.
    fn check_totals(&self) -> Result<(), WorkloadError> {
        let (key, what, hint) = if self.messages() == u64::MAX {
            ("messages", "too many messages", "all ranks together can send at most 2^64 - 1 messages")
        } else if self.bytes_at_most().0 == u64::MAX {
            (
                "message_size",
                "sizes that overflow: all messages together are too large",
                "all messages together can have at most 2^64 - 1 bytes",
            )
        } else {
            return Ok(());
        };
        Err(WorkloadError::new(key, what, hint))
    }
}

/// One of the patterns that a scenario can name, or one that is made of others. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Pattern(pub Arc<dyn Totals>);

impl Sequence for Pattern {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        self.0.entry(rank, index)
    }

    fn within(&self) -> Option<&dyn Totals> {
        Some(&*self.0)
    }
}

impl Totals for Pattern {
    fn uniform(&self) -> Option<Uniform> {
        self.0.uniform()
    }

    fn is_all_to_all(&self) -> bool {
        self.0.is_all_to_all()
    }
}

/// The step of a rank between two of its sends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Steps {
    /// Each step is a send, then the receipt of the message that belongs to the same step, as in the loop of MPICH's
    /// all-to-all.
    Synchronised,
    /// Nothing: the next send follows when the last has left.
    #[default]
    FreeRunning,
}

/// The two halves of a synchronised step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Half {
    Send,
    Await,
}

impl Steps {
    /// Entries per step.
    pub(crate) const fn entries(self) -> u64 {
        match self {
            Self::Synchronised => 2,
            Self::FreeRunning => 1,
        }
    }

    /// The step an entry belongs to, from zero, and which half of it the entry is.
    pub(crate) const fn place(self, index: u64) -> (u64, Half) {
        match self {
            Self::FreeRunning => (index, Half::Send),
            Self::Synchronised if index.is_multiple_of(2) => (index / 2, Half::Send),
            Self::Synchronised => (index / 2, Half::Await),
        }
    }
}

/// One thing that is wrong with a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkloadError {
    /// The key of the description that is wrong.
    pub key: &'static str,
    /// The mistake.
    pub what: String,
    /// A remedy.
    pub hint: &'static str,
}

impl WorkloadError {
    pub(crate) fn new(key: &'static str, what: impl Into<String>, hint: &'static str) -> Self {
        Self { key, what: what.into(), hint }
    }

    /// A grid with another number of places than there are ranks.
    pub(crate) fn grid_size(grid: &[u32], ranks: usize) -> Self {
        let product: u128 = grid.iter().map(|&size| u128::from(size)).fold(1, u128::saturating_mul);
        let what = format!("a grid of {grid:?} has {product} places, but there are {ranks} ranks");
        Self::new("grid", what, "the product of its sizes must be the number of ranks")
    }

    /// A random order of so many ranks that there is no memory for it.
    pub fn no_memory(ranks: usize) -> Self {
        let what = format!("there is no memory for a random order of {ranks} ranks");
        Self::new("ranks", what, "take fewer ranks")
    }
}

/// Checks that there is a root of this number.
pub(crate) fn root_of(ranks: usize, root: Rank) -> Result<Rank, WorkloadError> {
    let what = || format!("there is no rank {root} among {ranks} ranks");
    let none = || WorkloadError::new("root", what(), "ranks are counted from 0");
    if root.index() < ranks { Ok(root) } else { Err(none()) }
}

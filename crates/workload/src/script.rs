//! Script: the entries of every rank written out.

use crate::{Entry, Gap, Sequence, Totals, WorkloadError};
use weir_units::{Bytes, Duration, Rank};

/// An explicit list of entries per rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    entries: Vec<Vec<Entry>>,
    /// By rank and entry; of no rank where the machine says all gaps.
    gaps: Vec<Vec<Option<Gap>>>,
    awaits: bool,
    only_sends: bool,
}

impl Script {
    /// The entries of rank `r` are `entries[r]`.
    ///
    /// # Errors
    /// All entries that name a rank that does not exist, in the order of ranks and entries.
    pub fn new(entries: Vec<Vec<Entry>>) -> Result<Self, Vec<WorkloadError>> {
        let ranks = entries.len();
        let all = entries.iter().enumerate().flat_map(|(rank, list)| {
            let numbered = list.iter().enumerate();
            numbered.map(move |(i, &entry)| (Rank::new(rank), i, entry))
        });
        let (mut awaits, mut only_sends) = (false, true);
        let mut mistakes = Vec::new();
        for (rank, entry, what) in all {
            awaits |= matches!(what, Entry::Await { .. });
            only_sends &= matches!(what, Entry::Send { .. });
            if let Some(peer) = what.peer()
                && peer.index() >= ranks
            {
                let what = format!(
                    "entry {entry} of rank {rank} names rank {peer}, but there are only {ranks} ranks"
                );
                mistakes.push(WorkloadError::new("entries", what, "ranks are counted from 0"));
            }
        }
        let script = Self { entries, gaps: Vec::new(), awaits, only_sends };
        if mistakes.is_empty() { Ok(script) } else { Err(mistakes) }
    }

    /// The same with gaps: that of entry `i` of rank `r` is `gaps[r][i]`, `None` where the machine says it or the list of
    /// a rank is shorter.
    #[must_use]
    pub fn with_gaps(self, gaps: Vec<Vec<Option<Gap>>>) -> Self {
        let has_gaps = gaps.iter().flatten().any(Option::is_some);
        Self { gaps: if has_gaps { gaps } else { Vec::new() }, ..self }
    }

    /// Returns whether a message has a gap of its own.
    pub fn has_gaps(&self) -> bool {
        !self.gaps.is_empty()
    }

    /// The sizes of all messages.
    fn sizes(&self) -> impl Iterator<Item = Bytes> + '_ {
        self.entries.iter().flatten().filter_map(|entry| Some(entry.message()?.1))
    }
}

impl Sequence for Script {
    fn entry(&self, rank: Rank, index: u64) -> Option<Entry> {
        self.entries[rank.index()].get(usize::try_from(index).ok()?).copied()
    }

    fn ranks(&self) -> usize {
        self.entries.len()
    }

    fn awaits(&self) -> bool {
        self.awaits
    }

    fn only_sends(&self) -> bool {
        self.only_sends
    }

    /// O(entries).
    fn computes(&self) -> bool {
        self.entries.iter().flatten().any(|entry| match entry {
            Entry::Send { wait: time, .. } | Entry::Post { wait: time, .. } | Entry::Pause { time } => {
                *time > Duration::ZERO
            }
            Entry::Await { .. } => false,
        })
    }

    fn gap(&self, rank: Rank, index: u64) -> Option<Gap> {
        *self.gaps.get(rank.index())?.get(usize::try_from(index).ok()?)?
    }
}

impl Totals for Script {
    /// Messages of all ranks together. O(entries).
    fn messages(&self) -> u64 {
        self.sizes().count() as u64
    }

    /// Bytes of all messages together; saturates. O(entries).
    fn bytes_total(&self) -> Bytes {
        Bytes(self.sizes().fold(0, |sum, bytes| sum.saturating_add(bytes.0)))
    }
}

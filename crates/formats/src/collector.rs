//! Puts entries into the order of their ranks, and checks what can be checked of them.

use crate::{MistakePlace, Mistakes, PatternFile, ReadError, quantity};
use weir_units::{Bytes, Rank};
use weir_workload::{Entry, Gap, Script};

/// The most ranks that a file of operations has: the empty lists of more would fill the memory.
pub const MOST_RANKS: u32 = 1 << 24;

/// The number of ranks that a text says, if there can be so many.
pub(crate) fn ranks_in(text: &str) -> Option<u32> {
    let ranks = quantity::whole(text).and_then(|ranks| u32::try_from(ranks).ok());
    ranks.filter(|ranks| (1..=MOST_RANKS).contains(ranks))
}

/// The entries of a file so far.
#[derive(Debug, Default)]
pub(crate) struct Collector {
    pub(crate) title: String,
    pub(crate) mistakes: Mistakes,
    ranks: Option<u32>,
    lists: Vec<Vec<Entry>>,
    /// By rank and entry; a list is shorter where its last entries have none.
    gaps: Vec<Vec<Option<Gap>>>,
    /// The numbers of a rank's entries, if they have some, and their places.
    numbers: Vec<Vec<(u64, MistakePlace)>>,
    bytes: u64,
}

/// An entry as it stands in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Its place among those of its rank, if the file says it.
    pub(crate) number: Option<u64>,
    pub(crate) entry: Entry,
    pub(crate) gap: Option<Gap>,
}

impl Collector {
    /// Number of ranks, from 1 to [`MOST_RANKS`]; to be called once, before the first entry.
    pub(crate) fn set_ranks(&mut self, ranks: u32) {
        self.ranks = Some(ranks);
        self.lists.resize_with(ranks as usize, Vec::new);
        self.gaps.resize_with(ranks as usize, Vec::new);
        self.numbers.resize_with(ranks as usize, Vec::new);
    }

    /// Returns whether a number is that of a rank; if not, that is a mistake. All are where it is not known how many there are.
    pub(crate) fn rank(&mut self, number: u64, place: MistakePlace, text: &str) -> Option<Rank> {
        let ranks = u64::from(self.ranks.unwrap_or(u32::MAX));
        if number < ranks {
            return Some(Rank(u32::try_from(number).expect("there are less than 2^32 ranks")));
        }
        let what = format!("there is no rank {number}: the file has {ranks} ranks, counted from 0");
        self.mistakes.add(place, text, what);
        None
    }

    /// Adds an entry behind those of its rank, or at the place that its number says.
    pub(crate) fn add(&mut self, rank: Rank, row: Row, place: MistakePlace, text: &str) {
        let Row { number, entry, gap } = row;
        if entry.peer() == Some(rank) {
            self.mistakes.add(place, text, format!("rank {rank} cannot exchange messages with itself"));
        }
        if let Some((_, Bytes(bytes))) = entry.message() {
            match self.bytes.checked_add(bytes) {
                Some(sum) => self.bytes = sum,
                None => {
                    let what = "sizes that overflow: the messages up to here have 2^64 bytes or more";
                    self.mistakes.add(place, text, what);
                }
            }
        }
        if self.ranks.is_none() {
            return;
        }
        let (list, numbers) = (&mut self.lists[rank.index()], &mut self.numbers[rank.index()]);
        match number {
            Some(number) if numbers.len() == list.len() => numbers.push((number, place)),
            None if numbers.is_empty() => {}
            Some(_) | None => {
                let what =
                    format!("either all entries of a rank have an order or none; rank {rank} has both");
                self.mistakes.add(place, text, what);
                return;
            }
        }
        if gap.is_some() {
            let gaps = &mut self.gaps[rank.index()];
            gaps.resize(list.len(), None);
            gaps.push(gap);
        }
        list.push(entry);
    }

    /// The pattern, if nothing is wrong with it.
    pub(crate) fn finish(mut self) -> Result<PatternFile, ReadError> {
        for (rank, numbers) in self.numbers.iter_mut().enumerate() {
            let list = &mut self.lists[rank];
            if numbers.windows(2).all(|pair| pair[0].0 < pair[1].0) {
                list.shrink_to_fit();
                *numbers = Vec::new();
                continue;
            }
            let gaps = &mut self.gaps[rank];
            gaps.resize(list.len(), None);
            let rows = std::mem::take(list).into_iter().zip(std::mem::take(gaps));
            let mut sorted: Vec<_> = std::mem::take(numbers).into_iter().zip(rows).collect();
            sorted.sort_by_key(|&(number, _)| number);
            for pair in sorted.windows(2) {
                let (((number, first), _), ((same, second), _)) = (pair[0], pair[1]);
                if number == same {
                    let what = format!("rank {rank} has an entry of order {number} already, in {first}");
                    self.mistakes.add(second, "", what);
                }
            }
            (*list, *gaps) = sorted.into_iter().map(|(_, row)| row).unzip();
        }
        if !self.mistakes.is_empty() {
            return Err(ReadError::Mistakes(self.mistakes.sorted()));
        }
        let script = Script::new(self.lists).expect("every peer has been checked").with_gaps(self.gaps);
        Ok(PatternFile { title: self.title, script })
    }
}

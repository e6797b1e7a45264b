//! Records of ranks about their messages while events are delivered.

use super::{Keep, MessageTimes, Requested};
use crate::Message;
use crate::actions::Note;
use std::collections::{BTreeMap, VecDeque};
use weir_units::{Bytes, Duration, Rank, Time};

/// Records about the messages of some ranks.
#[derive(Debug, Default)]
pub(crate) struct MessageRecords {
    /// Messages of which nothing more will be known, with when that was known.
    pub(crate) messages: Option<Vec<(Time, MessageTimes)>>,
    /// The message of the event that is being delivered.
    arriving: Option<MessageTimes>,
    /// Messages that have come and that their ranks have not taken, by receiver, sender and number.
    pub(crate) kept: BTreeMap<(Rank, Rank, u64), MessageTimes>,
    pub(crate) pairs: Option<Pairs>,
    pub(crate) latencies: Option<LatencySeries>,
}

impl MessageRecords {
    pub(crate) fn new(requested: &Requested) -> Self {
        Self {
            messages: (requested.messages == Keep::Yes).then(Vec::new),
            pairs: (requested.pairs == Keep::Yes).then(Pairs::default),
            latencies: requested.of_latencies().map(LatencySeries::new),
            ..Self::default()
        }
    }

    pub(crate) fn arrived<B>(&mut self, now: Time, message: &Message<B>) {
        let &Message { from, to, sequence, bytes, class, posted, started, .. } = message;
        if class.is_data() {
            if let Some(pairs) = &mut self.pairs {
                pairs.add(from, to, bytes);
            }
            if let Some(latencies) = &mut self.latencies {
                latencies.add(now, now.since(posted));
            }
        }
        if self.messages.is_some() {
            self.arriving = Some(MessageTimes {
                from,
                to,
                sequence,
                bytes,
                class,
                posted,
                started,
                arrived: now,
                taken: None,
                waited: None,
            });
        }
    }

    /// Takes the notes of a rank in its reaction to the event at `now`.
    pub(crate) fn noted(&mut self, now: Time, to: Rank, notes: &mut Vec<Note>) {
        let Some(messages) = &mut self.messages else { return };
        let is =
            |message: &MessageTimes, from, sequence| (message.from, message.sequence) == (from, sequence);
        for note in notes.drain(..) {
            match note {
                Note::Kept { from, sequence } => {
                    let arriving = self.arriving.take_if(|message| is(message, from, sequence));
                    self.kept.extend(arriving.map(|message| ((to, from, sequence), message)));
                }
                Note::Waited(waited) => {
                    if let Some(message) = &mut self.arriving {
                        message.waited = Some(waited);
                    }
                }
                Note::Taken { from, sequence, at } => {
                    let arriving = self.arriving.take_if(|message| is(message, from, sequence));
                    let message = arriving.or_else(|| self.kept.remove(&(to, from, sequence)));
                    messages
                        .extend(message.map(|message| (now, MessageTimes { taken: Some(at), ..message })));
                }
            }
        }
        messages.extend(self.arriving.take().map(|message| (now, message)));
    }
}

/// The latencies of an interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct LatencySample {
    /// Number of latencies.
    pub count: u64,
    /// All together, in picoseconds; no more than 2^64 - 1.
    pub sum: u64,
    /// The longest.
    pub most: Duration,
}

impl LatencySample {
    /// Adds those of another one.
    pub fn join(&mut self, other: &Self) {
        self.count += other.count;
        self.sum = self.sum.saturating_add(other.sum);
        self.most = self.most.max(other.most);
    }
}

/// Latencies by the interval in which they end.
#[derive(Clone, Debug)]
pub struct LatencySeries {
    interval: u64,
    /// The number of the first interval that has not been taken.
    first: u64,
    samples: VecDeque<LatencySample>,
}

impl LatencySeries {
    /// Nothing yet.
    ///
    /// # Panics
    /// When the interval is zero.
    pub fn new(interval: Duration) -> Self {
        assert!(interval > Duration::ZERO, "an interval takes time");
        Self { interval: interval.as_ps(), first: 0, samples: VecDeque::new() }
    }

    /// Adds a latency that ends at an instant.
    ///
    /// # Panics
    /// When the interval of that instant has been taken.
    pub fn add(&mut self, at: Time, latency: Duration) {
        let place = (at.as_ps() / self.interval - self.first) as usize;
        if place >= self.samples.len() {
            self.samples.resize(place + 1, LatencySample::default());
        }
        let sample = LatencySample { count: 1, sum: latency.as_ps(), most: latency };
        self.samples[place].join(&sample);
    }

    /// Takes out the intervals that end at an instant or before, each with its beginning, and at [`Time::MAX`] all; those
    /// without anything are left out.
    pub fn take(&mut self, until: Time) -> Vec<(Time, LatencySample)> {
        let end = match until {
            Time::MAX => self.first + self.samples.len() as u64,
            until => until.as_ps() / self.interval,
        };
        let count =
            usize::try_from(end.saturating_sub(self.first)).unwrap_or(usize::MAX).min(self.samples.len());
        let (first, interval) = (self.first, self.interval);
        let taken = (first..).zip(self.samples.drain(..count)).filter(|(_, sample)| sample.count > 0);
        let taken = taken.map(|(number, sample)| (Time::from_ps(number * interval), sample)).collect();
        self.first = self.first.max(end);
        taken
    }
}

/// Messages and bytes of class data, by sender and receiver. When there are more pairs than [`Pairs::MOST`], ranks are put
/// together in blocks, each twice as large as before: so many ranks with neighboring numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Pairs {
    /// Ranks of a block, as a power of two.
    shift: u32,
    cells: BTreeMap<(u32, u32), Cell>,
}

/// Messages of one block of ranks to another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Cell {
    /// Messages that have arrived.
    pub messages: u64,
    /// Their bytes.
    pub bytes: Bytes,
}

impl Pairs {
    /// The most pairs that are counted one by one.
    pub const MOST: usize = 1 << 20;

    /// A message has arrived. O(log pairs).
    pub fn add(&mut self, from: Rank, to: Rank, bytes: Bytes) {
        self.put((from.0 >> self.shift, to.0 >> self.shift), Cell { messages: 1, bytes });
    }

    fn put(&mut self, key: (u32, u32), cell: Cell) {
        let own = self.cells.entry(key).or_default();
        own.messages += cell.messages;
        own.bytes += cell.bytes;
        while self.cells.len() > Self::MOST {
            self.coarsen(self.shift + 1);
        }
    }

    fn coarsen(&mut self, shift: u32) {
        let by = shift - self.shift;
        self.shift = shift;
        for ((from, to), cell) in std::mem::take(&mut self.cells) {
            let own = self.cells.entry((from >> by, to >> by)).or_default();
            own.messages += cell.messages;
            own.bytes += cell.bytes;
        }
    }

    /// Adds those of another part of the ranks. How they are put together does not depend on the parts: blocks are as small
    /// as they can be for all pairs.
    pub fn join(&mut self, mut other: Self) {
        let shift = self.shift.max(other.shift);
        self.coarsen(shift);
        other.coarsen(shift);
        for ((from, to), cell) in other.cells {
            // A block may have become larger since.
            let by = self.shift - shift;
            self.put((from >> by, to >> by), cell);
        }
    }

    /// Those of all parts of the ranks; `None` if no part has any.
    pub fn joined(parts: impl IntoIterator<Item = Self>) -> Option<Self> {
        parts.into_iter().reduce(|mut all, other| {
            all.join(other);
            all
        })
    }

    /// Number of ranks of a block, a power of two.
    pub fn ranks_per_block(&self) -> u64 {
        1 << self.shift
    }

    /// The pairs of blocks that have exchanged something: sender, receiver and what, in ascending order.
    pub fn cells(&self) -> impl Iterator<Item = (u32, u32, Cell)> + '_ {
        self.cells.iter().map(|(&(from, to), &cell)| (from, to, cell))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latencies_belong_to_the_interval_in_which_they_end() {
        let (ps, time) = (Duration::from_ps, Time::from_ps);
        let mut series = LatencySeries::new(ps(10));
        for (at, latency) in [(25, 5), (9, 4), (20, 7), (31, 1)] {
            series.add(time(at), ps(latency));
        }
        let sample = |count, sum, most| LatencySample { count, sum, most: ps(most) };
        assert_eq!(series.take(time(29)), [(time(0), sample(1, 4, 4))]);
        assert_eq!(series.take(time(30)), [(time(20), sample(2, 12, 7))]);
        assert_eq!(series.take(time(30)), []);
        series.add(time(30), ps(2));
        assert_eq!(series.take(Time::MAX), [(time(30), sample(2, 3, 2))]);
        series.add(time(1000), ps(3));
        assert_eq!(series.take(Time::MAX), [(time(1000), sample(1, 3, 3))]);
    }

    /// 2^11 ranks, of which each sends to 2^9 + 2: a few pairs more than the most. So blocks have two ranks, and 2^10 of them send
    /// to 2^8 + 1 each. It makes no difference whether one or two halves have counted them.
    #[test]
    fn blocks_are_as_small_as_they_can_be() {
        let (mut all, mut halves) = (Pairs::default(), [Pairs::default(), Pairs::default()]);
        for from in 0..1 << 11 {
            for to in 0..(1 << 9) + 2 {
                all.add(Rank(from), Rank(to), Bytes(3));
                halves[from as usize % 2].add(Rank(from), Rank(to), Bytes(3));
            }
        }
        assert_eq!((all.ranks_per_block(), all.cells().count()), (2, 257 << 10));
        assert!(all.cells().all(|(_, _, cell)| cell == Cell { messages: 4, bytes: Bytes(12) }));
        let [mut first, second] = halves;
        assert_eq!(first.ranks_per_block(), 1);
        first.join(second);
        assert_eq!(first, all);
    }

    /// Blocks of 2 ranks and blocks of 8, put together either way: blocks of 8.
    #[test]
    fn parts_with_other_blocks_add_up() {
        let of = |shift| {
            let mut part = Pairs { shift, ..Pairs::default() };
            (0..32).for_each(|rank| part.add(Rank(rank), Rank(31), Bytes(5)));
            part
        };
        let expected: Vec<_> =
            (0..4).map(|from| (from, 3, Cell { messages: 16, bytes: Bytes(80) })).collect();
        for (one, other) in [(1, 3), (3, 1)] {
            let mut joined = of(one);
            joined.join(of(other));
            assert_eq!((joined.ranks_per_block(), joined.cells().collect()), (8, expected.clone()));
        }
    }
}

//! When which flow finishes: the smallest finish time at any time, and all that are due.

use weir_units::Time;

const NONE: u64 = u64::MAX;

/// Finish times by slot, in picoseconds.
///
/// A flow has two: `at`, when its last byte leaves, and `from`, from when on it may count as finished if something
/// happens then. `from` is kept in a tree whose every place is the smallest of eight below it, so that a change costs
/// O(log slots) and those due are found without looking at the others.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub(crate) struct Finishes {
    at: Vec<u64>,
    /// From the leaves up to a single block.
    levels: Vec<Vec<[u64; 8]>>,
    /// Number of flows in the tree.
    in_tree: usize,
    /// A flow that is the only one, and its `from`: it need not be in the tree.
    alone: Option<(usize, u64)>,
    #[serde(skip)]
    due: Vec<u32>,
    /// Until when `due` has all slots, if no flow has changed since it was collected.
    #[serde(skip)]
    collected: Option<u64>,
}

impl Finishes {
    pub(crate) fn new(slots: usize) -> Self {
        let mut levels = Vec::new();
        let mut width = slots;
        loop {
            width = width.div_ceil(8).max(1);
            levels.push(vec![[NONE; 8]; width]);
            if width == 1 {
                break;
            }
        }
        let (in_tree, alone) = (0, None);
        Self { at: vec![NONE; slots], levels, in_tree, alone, due: Vec::new(), collected: None }
    }

    /// Adds a slot, behind all others. O(1), amortized.
    pub(crate) fn add_slot(&mut self) {
        let slot = self.at.len();
        self.at.push(NONE);
        if slot < 8 * self.levels[0].len() {
            return;
        }
        let mut grown = Self::new(2 * slot);
        for (slot, &from) in self.levels[0].as_flattened().iter().enumerate() {
            grown.put_into_tree(slot, from);
        }
        self.levels = grown.levels;
    }

    /// Sets when a slot's flow finishes, `from < at`. O(log slots).
    pub(crate) fn set(&mut self, slot: usize, from: u64, at: u64) {
        debug_assert!(from < at);
        self.at[slot] = at;
        self.put(slot, from);
    }

    /// The slot has no flow any more. O(log slots).
    pub(crate) fn clear(&mut self, slot: usize) {
        self.put(slot, NONE);
    }

    /// The smallest finish time (not `from`). O(log slots) unless many are nearly alike.
    pub(crate) fn first(&mut self) -> Option<u64> {
        if self.in_tree == 0 {
            self.collect(u64::MAX);
            return self.alone.map(|(slot, _)| self.at[slot]);
        }
        let mut place = 0;
        for blocks in self.levels.iter().rev() {
            let block = &blocks[place];
            place = place * 8 + up_to(block, smallest(block)).trailing_zeros() as usize;
        }
        // A flow that finishes earlier has a smaller `from` than this one's finish.
        self.collect(self.at[place]);
        self.due.iter().map(|&slot| self.at[slot as usize]).min()
    }

    /// The slots with `from <= now`, ascending.
    pub(crate) fn due(&mut self, now: u64) -> &[u32] {
        let Self { due, levels, alone, .. } = self;
        if self.collected.is_some_and(|until| now <= until) {
            match alone {
                Some((_, from)) => due.retain(|_| *from <= now),
                None => due.retain(|&slot| levels[0][slot as usize / 8][slot as usize % 8] <= now),
            }
            self.collected = Some(now);
        } else {
            self.collect(now);
        }
        &self.due
    }

    fn put(&mut self, slot: usize, from: u64) {
        self.collected = None;
        if self.in_tree == 0 {
            match self.alone.take() {
                Some((alone, before)) if alone != slot => {
                    if from == NONE {
                        self.alone = Some((alone, before));
                        return;
                    }
                    self.put_into_tree(alone, before);
                }
                _ => {
                    self.alone = (from != NONE).then_some((slot, from));
                    return;
                }
            }
        }
        self.put_into_tree(slot, from);
    }

    fn put_into_tree(&mut self, slot: usize, from: u64) {
        let before = self.levels[0][slot / 8][slot % 8];
        self.in_tree = self.in_tree + usize::from(from != NONE) - usize::from(before != NONE);
        let (mut place, mut smallest) = (slot, from);
        for blocks in &mut self.levels {
            let block = &mut blocks[place / 8];
            if block[place % 8] == smallest {
                return;
            }
            block[place % 8] = smallest;
            smallest = self::smallest(block);
            place /= 8;
        }
    }

    fn collect(&mut self, until: u64) {
        self.due.clear();
        self.due.extend(self.alone.filter(|&(_, from)| from <= until).map(|(slot, _)| slot as u32));
        if self.in_tree > 0 {
            descend(&self.levels, 0, until.min(NONE - 1), &mut self.due);
        }
        self.collected = Some(until);
    }
}

/// Adds the slots below block `place` of the topmost of `levels` that have a value up to `until`.
fn descend(levels: &[Vec<[u64; 8]>], place: usize, until: u64, found: &mut Vec<u32>) {
    let Some((top, below)) = levels.split_last() else {
        found.push(place as u32);
        return;
    };
    let mut children = up_to(&top[place], until);
    while children > 0 {
        descend(below, place * 8 + children.trailing_zeros() as usize, until, found);
        children &= children - 1;
    }
}

// Which of the eight it is cannot be foreseen: no branches.

fn smallest(block: &[u64; 8]) -> u64 {
    let [a, b, c, d, e, f, g, h] = *block;
    (a.min(b).min(c.min(d))).min(e.min(f).min(g.min(h)))
}

/// The places with values up to `value`, as bits.
fn up_to(block: &[u64; 8], value: u64) -> u32 {
    let bit = |place: usize| u32::from(block[place] <= value) << place;
    (0..8).fold(0, |bits, place| bits | bit(place))
}

/// A finish time is rounded up to the next picosecond, but for an excess below this part of the whole message's time
/// (and below half a picosecond): that much is rounding of the rates.
const ROUNDING: f64 = 1e-12;

/// Progress of a flow. An amount is bytes times 1e12, so that an amount over a rate is in picoseconds.
#[derive(Clone, Copy, Debug, Default, serde::Serialize, serde::Deserialize)]
pub(crate) struct Progress {
    pub(crate) whole: f64,
    pub(crate) remaining: f64,
    /// Bytes per second since `since`; zero before the first sharing.
    pub(crate) rate: f64,
    /// The simulated time, in picoseconds, from which `remaining` and `rate` count.
    pub(crate) since: u64,
}

const AMOUNT_PER_BYTE: f64 = 1e12;

impl Progress {
    /// A flow may count as finished when at most this part of its message remains (and when a picosecond remains).
    pub(crate) const NOTHING: f64 = 1e-9;

    /// All of a message of so many bytes remains.
    pub(crate) fn new(bytes: f64, rate: f64, now: Time) -> Self {
        let whole = bytes * AMOUNT_PER_BYTE;
        Self { whole, remaining: whole, rate, since: now.as_ps() }
    }

    /// Size of the message.
    pub(crate) fn whole_bytes(&self) -> f64 {
        self.whole / AMOUNT_PER_BYTE
    }

    /// Bytes that have left until the flow was last brought up to date.
    pub(crate) fn bytes_sent(&self) -> f64 {
        (self.whole - self.remaining.max(0.0)) / AMOUNT_PER_BYTE
    }

    /// Bytes that will have left at a later instant if nothing changes.
    pub(crate) fn bytes_sent_at(&self, at: Time) -> f64 {
        let remaining = self.remaining - self.rate * (at.as_ps() - self.since) as f64;
        (self.whole - remaining.max(0.0)) / AMOUNT_PER_BYTE
    }

    /// Takes off what has left since the rate last changed.
    pub(crate) fn advance(&mut self, now: Time, rate: f64) {
        self.remaining -= self.rate * (now.as_ps() - self.since) as f64;
        self.since = now.as_ps();
        self.rate = rate;
    }

    /// From when on the flow may count as finished, and when it finishes at this rate.
    pub(crate) fn finish(&self) -> (u64, u64) {
        let whole_time = self.whole / self.rate;
        let remaining_time = self.remaining / self.rate - (ROUNDING * whole_time).min(0.5);
        let window = (Self::NOTHING * whole_time).max(1.0);
        let at = self.since.saturating_add(ceil(remaining_time).max(1));
        let from = self.since.saturating_add(ceil(remaining_time - window));
        (from.min(at - 1), at)
    }
}

/// The next integer; 0 for negative numbers, 2^64 - 1 for those beyond.
fn ceil(x: f64) -> u64 {
    let floor = x as u64;
    floor.saturating_add(u64::from((floor as f64) < x))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn beyond_representable_time() {
        let mut finishes = Finishes::new(1);
        finishes.set(0, u64::MAX - 1, u64::MAX);
        assert_eq!(finishes.first(), Some(u64::MAX));
    }

    /// Slots that are added while others have flows are as slots that have been there from the beginning.
    #[test]
    fn slots_are_added() {
        let (mut grown, mut whole) = (Finishes::new(1), Finishes::new(200));
        for slot in 0..200 {
            if slot > 0 {
                grown.add_slot();
            }
            let from = (slot as u64 * 37) % 101;
            grown.set(slot, from, from + 5);
            whole.set(slot, from, from + 5);
        }
        assert_eq!(grown.first(), whole.first());
        for now in [0, 3, 50, 101] {
            assert_eq!(grown.due(now), whole.due(now));
        }
    }

    proptest! {
        /// The tree knows what a list knows.
        #[test]
        fn tree_equals_list(
            slots in 1usize..200,
            calls in prop::collection::vec((any::<prop::sample::Index>(), 0u64..50, 0u64..9), 1..100),
            now in 0u64..60,
        ) {
            let mut finishes = Finishes::new(slots);
            let mut list: Vec<Option<(u64, u64)>> = vec![None; slots];
            for (slot, from, window) in calls {
                let slot = slot.index(slots);
                list[slot] = (window > 0).then_some((from, from + window));
                match list[slot] {
                    Some((from, at)) => finishes.set(slot, from, at),
                    None => finishes.clear(slot),
                }
            }
            prop_assert_eq!(finishes.first(), list.iter().flatten().map(|&(_, at)| at).min());
            let due = |slot: &u32| list[*slot as usize].is_some_and(|(from, _)| from <= now);
            let expected: Vec<u32> = (0..slots as u32).filter(due).collect();
            prop_assert_eq!(finishes.due(now), expected);
        }
    }

    /// The instant of the end, in picoseconds, for `remaining` of `whole` bytes at `rate` bytes per second from instant 1000 on.
    #[track_caller]
    fn check_finish(whole: f64, remaining: f64, rate: f64, expected: (u64, u64)) {
        let progress = Progress {
            whole: whole * AMOUNT_PER_BYTE,
            remaining: remaining * AMOUNT_PER_BYTE,
            rate,
            since: 1000,
        };
        assert_eq!(progress.finish(), expected);
    }

    #[test]
    fn finish_times_are_rounded_up() {
        check_finish(20.0, 20.0, 1e12, (1019, 1020)); // 20 ps
        check_finish(20.0, 19.5, 1e12, (1019, 1020)); // 19.5 ps
        check_finish(20.0, 19.0, 1e12, (1018, 1019));
        check_finish(1.0, 1.0, 3e12, (1000, 1001)); // at least one picosecond
        check_finish(1.0, 0.0, 1.0, (1000, 1001)); // even if nothing remains
        check_finish(1.0, 1.0, 1.0 / 3.0, (3_000_000_000_000 - 2000, 3_000_000_001_000)); // 3 s, whatever 1/3 rounds to
        check_finish(1e9, 1e9, 1e-9, (u64::MAX - 1, u64::MAX)); // longer than time is
    }
}

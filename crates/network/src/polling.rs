//! When ranks of several parts look for something in vain.

use crate::Calendar;
use std::sync::atomic::{AtomicU64, Ordering};
use weir_pdes::Division;
use weir_units::Time;

/// Detects ranks that do nothing but poll in vain: what each part has said at the end of a turn is read in the next one. A part
/// alone does not know whether others have something to do; and so all decide alike, however many there are.
#[derive(Debug)]
pub struct Polling {
    /// By parity of the turn, by part: the instant of its last event, and of the last one that was no poll; [`BUSY`] while
    /// it has other things to do or messages on their way.
    said: [Vec<[AtomicU64; 2]>; 2],
    /// By parity of the turn: the latest of each that other processes have said.
    elsewhere: [[AtomicU64; 2]; 2],
    first: usize,
}

const BUSY: u64 = u64::MAX;

impl Polling {
    /// Before the first turn.
    pub fn new(division: Division) -> Self {
        let said = || division.here().map(|_| Default::default()).collect();
        Self { said: [said(), said()], elsewhere: Default::default(), first: division.here().start }
    }

    /// A part says at the end of a turn: if it is idle, when its last event was, and its last one that was no poll.
    pub fn say(&self, turn: u64, part: usize, idle: Option<(Time, Time)>) {
        let [last, last_work] = &self.said[(turn % 2) as usize][part - self.first];
        let (event, work) = idle.map_or((0, BUSY), |(event, work)| (event.as_ps(), work.as_ps()));
        if work != BUSY || last_work.load(Ordering::Relaxed) != BUSY {
            last.store(event, Ordering::Relaxed);
            last_work.store(work, Ordering::Relaxed);
        }
    }

    /// Returns whether by the end of the turn before this one nothing but polls had happened for [`Calendar::PATIENCE`], on all
    /// parts, of which one asks.
    pub fn is_in_vain(&self, turn: u64, part: usize) -> bool {
        let parity = (1 - turn % 2) as usize;
        if self.said[parity][part - self.first][1].load(Ordering::Relaxed) == BUSY {
            return false;
        }
        let [event, work] = self.latest(parity);
        event.saturating_sub(work) > Calendar::<()>::PATIENCE.as_ps()
    }

    /// The latest of what all parts have said in turns of a parity.
    fn latest(&self, parity: usize) -> [u64; 2] {
        [0, 1].map(|which: usize| {
            let said = self.said[parity].iter().chain([&self.elsewhere[parity]]);
            said.map(|said| said[which].load(Ordering::Relaxed)).max().unwrap_or(0)
        })
    }

    /// The latest instants of this process in the turn before this one, for other processes. [`Self::note_before`]
    /// follows.
    pub fn before(&self, turn: u64) -> [u64; 2] {
        let parity = (1 - turn % 2) as usize;
        self.elsewhere[parity].iter().for_each(|latest| latest.store(0, Ordering::Relaxed));
        self.latest(parity)
    }

    /// The latest that all processes have said in the turn before this one.
    pub fn note_before(&self, turn: u64, latest: [u64; 2]) {
        let parity = (1 - turn % 2) as usize;
        for (place, latest) in self.elsewhere[parity].iter().zip(latest) {
            place.store(latest, Ordering::Relaxed);
        }
    }
}

//! Who goes first among packets that could go at the same instant.

use super::router::{Due, Router};
use crate::Arbiter;
use crate::slots::BIRTH_MASK;

impl Router<'_, '_> {
    /// The place of the lane that goes first of those ready at an instant: outputs in the order of their numbers, and within an output
    /// as the arbiter says. A lane that turns out to have no credit loses its place, and it is chosen again among the rest;
    /// so only packets with a credit take part.
    pub(super) fn break_tie(&self, due: &[Due], ready: u64) -> usize {
        let tied = due.iter().enumerate().filter(|(_, due)| due.ready == ready);
        let key = |due: &Due| {
            let lane = usize::from(due.lane);
            (self.lanes[lane].output, self.rank(lane, ready), lane)
        };
        let first = tied.min_by_key(|(_, due)| key(due));
        first.expect("a tie is between lanes").0
    }

    /// What the arbiter goes by; the least goes first.
    fn rank(&self, lane: usize, ready: u64) -> u64 {
        let state = &self.lanes[lane];
        match self.machine.arbiter {
            Arbiter::RoundRobin => {
                let last = usize::from(self.outputs[usize::from(state.output)].last);
                let lanes = self.lanes.len();
                ((lane + lanes - last - 1) % lanes) as u64
            }
            Arbiter::OldestFirst => {
                let slots = self.slots;
                let birth = slots.packet(slots.place(self.first_lane + lane as u32, state.head)).birth();
                // Ticks wrap around, and every packet was born before now: the smallest distance to the tick after now,
                // counted forwards, is that of the oldest.
                let next = (ready >> self.machine.tick) + 1;
                birth.wrapping_sub(next) & BIRTH_MASK
            }
            Arbiter::FixedPriority => lane as u64,
        }
    }
}

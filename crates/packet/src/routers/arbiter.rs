//! Who goes first among packets that could go at the same instant.

use super::router::{Due, Router};
use crate::Arbiter;
use crate::slots::BIRTH_MASK;

impl Router<'_, '_> {
    /// The place of the lane that goes first of those ready at an instant: outputs in the order of their numbers, and within
    /// an output as the arbiter says. A lane that turns out to have no credit loses its place, and it is chosen again among
    /// the rest; so only packets with a credit take part.
    pub(super) fn break_tie(&self, due: &[Due], ready: u64) -> usize {
        let (mut first, mut least) = (0, (u16::MAX, u64::MAX, u16::MAX));
        for (place, due) in due.iter().enumerate().filter(|(_, due)| due.ready == ready) {
            if due.output <= least.0 {
                let turn = (due.output, self.turn(due), due.lane);
                if turn < least {
                    (first, least) = (place, turn);
                }
            }
        }
        first
    }

    /// What the arbiter goes by; the least goes first.
    fn turn(&self, due: &Due) -> u64 {
        let lane = usize::from(due.lane);
        match self.machine.arbiter {
            Arbiter::RoundRobin => {
                let last = usize::from(self.outputs[usize::from(due.output)].last);
                (if lane > last { lane } else { lane + self.lanes.len() }) as u64
            }
            Arbiter::OldestFirst => {
                let place = self.slots.place(self.first_lane + u32::from(due.lane), self.lanes[lane].head);
                // Ticks wrap around, and every packet was born before now: the smallest distance to the tick after now,
                // counted forwards, is that of the oldest.
                let next = (due.ready >> self.machine.tick) + 1;
                self.slots.packet(place).birth().wrapping_sub(next) & BIRTH_MASK
            }
            Arbiter::FixedPriority => lane as u64,
        }
    }
}

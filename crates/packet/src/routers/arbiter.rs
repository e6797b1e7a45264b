//! Who goes first among packets that could go at the same instant.

use super::bits;
use super::router::Router;
use crate::Arbiter;
use crate::slots::BIRTH_MASK;

impl Router<'_, '_> {
    /// The lane that goes first of those ready at an instant: outputs in the order of their numbers, and within an output
    /// as the arbiter says. A lane that turns out to have no credit loses its place, and it is chosen again among the rest;
    /// so only packets with a credit take part.
    pub(super) fn break_tie(&self, ready: u64) -> usize {
        let lanes = self
            .filled
            .iter()
            .enumerate()
            .flat_map(|(word, &filled)| bits(filled).map(move |bit| word * 64 + bit as usize));
        let tied = lanes.filter(|&lane| self.lanes[lane].ready == ready);
        let first = tied.min_by_key(|&lane| (self.lanes[lane].output, self.rank(lane), lane));
        first.expect("a tie is between lanes")
    }

    /// What the arbiter goes by; the least goes first.
    fn rank(&self, lane: usize) -> u64 {
        let state = &self.lanes[lane];
        match self.machine.arbiter {
            Arbiter::RoundRobin => {
                let last = usize::from(self.ports[usize::from(state.output)].last);
                let lanes = self.lanes.len();
                ((lane + lanes - last - 1) % lanes) as u64
            }
            Arbiter::OldestFirst => {
                let slots = &self.shared.slots;
                let birth = slots.packet(slots.place(self.first_lane + lane as u32, state.head)).birth;
                // Ticks wrap around, and every packet was born before now: the smallest distance to the tick after now,
                // counted forwards, is that of the oldest.
                let next = (state.ready >> self.machine.tick) + 1;
                birth.wrapping_sub(next) & BIRTH_MASK
            }
            Arbiter::FixedPriority => lane as u64,
        }
    }
}

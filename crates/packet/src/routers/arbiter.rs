//! Who goes first among packets that could go at the same instant.

use super::router::{Due, Router};
use crate::Arbiter;

/// How the turn of a lane at an output is found: the least goes first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns {
    /// For round robin: one more than the lane granted last.
    begin: u16,
    mask: u16,
}

impl Turns {
    /// The turns at an output that granted this lane last.
    #[inline(always)]
    pub(super) fn new(arbiter: Arbiter, last: u16) -> Self {
        match arbiter {
            Arbiter::RoundRobin => Self { begin: last.wrapping_add(1), mask: u16::MAX },
            Arbiter::FixedPriority => Self { begin: 0, mask: u16::MAX },
            // That depends on the packets: see `oldest`.
            Arbiter::OldestFirst => Self { begin: 0, mask: 0 },
        }
    }

    /// The turn of a lane: with round robin lanes below the first one come after all others.
    #[inline(always)]
    pub(super) fn of(self, lane: u16) -> u16 {
        lane.wrapping_sub(self.begin) & self.mask
    }
}

impl Router<'_, '_> {
    /// The place of the packet that started first, of all that could go at the same instant to the same output as the one
    /// at this place; among equals that of the lowest lane.
    pub(super) fn oldest(&self, due: &[Due], place: usize) -> usize {
        let birth = |due: &Due| self.labels.read(due.packet.label()).birth;
        let rivals = due.iter().enumerate().filter(|(_, rival)| rival.key == due[place].key);
        rivals.min_by_key(|(_, rival)| (birth(rival), rival.lane)).map_or(place, |(place, _)| place)
    }
}

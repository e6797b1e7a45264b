//! Flows that share links before others: those of the lowest level first, those of the next one what these leave, and so on. All is filled from
//! scratch at each change.

use super::MaxMin;
use crate::progressive_filling::filling_by_level;

impl MaxMin {
    /// Gives each slot a level.
    pub(crate) fn set_levels(&mut self, level: impl Fn(usize) -> u8) {
        self.levels = (0..self.flows.len()).map(level).collect();
    }

    pub(crate) fn set_level(&mut self, slot: usize, level: u8) {
        self.levels[slot] = level;
    }

    /// Fills all from scratch, if flows have levels. Returns the number of relaxations for which that counts.
    #[inline]
    pub(super) fn fill_by_level(&mut self) -> u64 {
        if self.levels.is_empty() { 0 } else { self.fill_levels() }
    }

    fn fill_levels(&mut self) -> u64 {
        self.queue.clear();
        let filled = filling_by_level(&self.crossings, &self.levels);
        for (link, level) in self.crossings.links.iter_mut().zip(filled.levels) {
            (link.queued, link.share) = (false, level);
        }
        for (slot, rate) in filled.rates.into_iter().enumerate() {
            self.flows[slot].lowest = rate;
            self.mark(slot);
        }
        1
    }
}

//! One schedule after another.

use super::{MemoryBlocks, Round, Schedule};
use std::rc::Rc;

pub(super) struct Sequence(pub(super) Rc<dyn Schedule>, pub(super) Rc<dyn Schedule>);

impl Schedule for Sequence {
    fn rounds(&self) -> usize {
        self.0.rounds() + self.1.rounds()
    }

    fn round(&self, index: usize, round: &mut Round) {
        match index.checked_sub(self.0.rounds()) {
            None => self.0.round(index, round),
            Some(index) => self.1.round(index, round),
        }
    }

    /// What follows a reduction makes none.
    fn blocks(&self) -> Option<MemoryBlocks> {
        self.0.blocks().or_else(|| self.1.blocks())
    }
}

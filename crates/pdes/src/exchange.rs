//! Mail of all letterboxes of a process when the processes meet.

use crate::{Gathering, Letters};

/// The letterboxes of a process.
pub struct Exchange<'s> {
    boxes: Vec<&'s dyn Letters>,
    /// By process; empty between two meetings.
    letters: Vec<Vec<u8>>,
}

impl<'s> Exchange<'s> {
    /// These boxes, in an order that is the same in all of so many processes.
    #[must_use]
    pub fn new(boxes: Vec<&'s dyn Letters>, processes: usize) -> Self {
        Self { boxes, letters: vec![Vec::new(); processes] }
    }

    /// Meets the others: what was put into the boxes for them before can be taken out there. `words` as in
    /// [`Transport::meet`](crate::Transport::meet). `None` if another process is lost.
    pub fn meet(&mut self, gathering: &mut Gathering<'_>, words: &mut [u64]) -> Option<()> {
        let Self { boxes, letters } = self;
        for (number, letterbox) in (0..).zip(&*boxes) {
            gathering.counts.mail += letterbox.write(number, letters);
        }
        gathering.meet(words, letters, |letter| read(boxes, letter))
    }
}

/// Puts what is in a letter into the boxes; `None` if it is not what these boxes have written.
fn read(boxes: &[&dyn Letters], letter: &[u8]) -> Option<()> {
    let mut rest = letter;
    while let Some((&number, behind)) = rest.split_first() {
        rest = boxes.get(usize::from(number))?.read(behind).ok()?;
    }
    Some(())
}

//! Interfaces in a checkpoint.

use super::{Nic, Nics};
use weir_pdes::Activity;

/// Interfaces, and the tails of all of them.
pub(crate) type SavedNics = (Vec<Nic>, Vec<u16>);

impl Nics {
    pub(crate) fn place(&self, number: u32) -> Option<usize> {
        let place = self.place_of.get(number as usize).filter(|&&place| place != u32::MAX);
        place.map(|&place| place as usize)
    }

    /// No interface is awake in any window to come.
    pub(crate) fn sleep(&mut self) {
        self.activity = Activity::new(self.nics.len());
    }

    pub(crate) fn save(&self) -> SavedNics {
        (self.nics.clone(), self.tails.clone())
    }

    /// Takes over the state of these interfaces. They are awake in the window with this number.
    pub(crate) fn restore(&mut self, (nics, tails): SavedNics, window: u64) -> Option<()> {
        let vcs = tails.len().checked_div(nics.len()).unwrap_or(0);
        for (nic, saved) in nics.into_iter().zip(tails.chunks(vcs.max(1))) {
            let Some(place) = self.place(nic.number) else { continue };
            self.tails.get_mut(place * vcs..)?.get_mut(..vcs)?.copy_from_slice(saved);
            self.nics[place] = nic;
            self.activity.wake(place as u32, window);
        }
        Some(())
    }
}

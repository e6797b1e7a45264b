//! Interfaces in a checkpoint.

use super::{Nic, Nics};
use crate::stalls::Stall;
use serde::{Deserialize, Serialize};
use weir_pdes::Activity;

/// An interface.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SavedNic {
    number: u32,
    free: u64,
    packets: u64,
    bytes: u64,
    busy: u64,
    waited: u64,
    stall: Stall,
    last_vc: u16,
    tails: Vec<u16>,
}

impl Nics {
    /// The number of the interface at a place.
    pub(crate) fn number(&self, place: usize) -> u32 {
        self.nics[place].number
    }

    /// The place of the interface with a number, if it is one of these.
    pub(crate) fn place(&self, number: u32) -> Option<usize> {
        let place = self.place_of.get(number as usize).filter(|&&place| place != u32::MAX);
        place.map(|&place| place as usize)
    }

    /// None of them is awake in any window to come.
    pub(crate) fn sleep(&mut self) {
        self.activity = Activity::new(self.nics.len());
    }

    pub(crate) fn save(&self) -> Vec<SavedNic> {
        let vcs = self.tails.len().checked_div(self.nics.len()).unwrap_or(0);
        let saved = |(nic, tails): (&Nic, &[u16])| {
            let &Nic { free, packets, bytes, busy, waited, stall, number, last_vc, .. } = nic;
            let tails = tails.to_vec();
            SavedNic { number, free, packets, bytes, busy, waited, stall, last_vc, tails }
        };
        self.nics.iter().zip(self.tails.chunks(vcs.max(1))).map(saved).collect()
    }

    /// Takes over what these interfaces were then. They are awake in the window with this number.
    pub(crate) fn restore(&mut self, saved: &[SavedNic], window: u64) -> Option<()> {
        for saved in saved {
            let Some(place) = self.place(saved.number) else { continue };
            let tails = self.tails.get_mut(place * saved.tails.len()..)?.get_mut(..saved.tails.len())?;
            tails.copy_from_slice(&saved.tails);
            let &SavedNic { free, packets, bytes, busy, waited, stall, last_vc, .. } = saved;
            let nic = &mut self.nics[place];
            *nic = Nic { free, packets, bytes, busy, waited, stall, last_vc, ..nic.clone() };
            self.activity.wake(place as u32, window);
        }
        Some(())
    }
}

//! Prefix reductions.

use super::Plan;
use crate::collective::arguments::{Arguments, Lengths};
use crate::collective::call::{Call, Function};
use crate::collective::choice::{Choice, Scan};
use crate::collective::selection::Situation;
use crate::collective::{Place, Schedule, scan_linear, scan_recursive_doubling};
use std::rc::Rc;

impl Plan {
    /// Each gets the combination of the data of the ranks up to itself.
    #[must_use]
    pub fn scan(choice: &Choice, place: Place, bytes: usize) -> Self {
        let schedule: Rc<dyn Schedule> = match choice.scan {
            Scan::Auto => {
                let call = Situation::moving(place.size, bytes);
                return Self::scan(&choice.decided::<Scan>(&call), place, bytes);
            }
            Scan::RecursiveDoubling => Rc::new(scan_recursive_doubling::RecursiveDoubling { place, bytes }),
            Scan::Linear => Rc::new(scan_linear::Linear { place, bytes }),
        };
        Self {
            call: Call::new(Function::Scan),
            arguments: Arguments::new(Lengths::Bytes(bytes)),
            schedule,
            workspace: 3 * bytes,
            input: 0..bytes,
            result: 0..bytes,
        }
    }

    /// Each gets the combination of the data of the ranks before itself; rank 0 gets nothing.
    #[must_use]
    pub fn exscan(choice: &Choice, place: Place, bytes: usize) -> Self {
        let result = if place.rank == 0 { 0..0 } else { 2 * bytes..3 * bytes };
        Self { call: Call::new(Function::Exscan), result, ..Self::scan(choice, place, bytes) }
    }
}

//! Barriers.

use super::Plan;
use crate::collective::arguments::{Arguments, Lengths};
use crate::collective::call::{Call, Function};
use crate::collective::choice::{Barrier, Choice};
use crate::collective::{Place, barrier_dissemination};
use std::rc::Rc;

impl Plan {
    /// No rank goes on before all have come.
    #[must_use]
    pub fn barrier(choice: &Choice, place: Place) -> Self {
        let schedule = match choice.barrier {
            Barrier::Auto | Barrier::Dissemination => Rc::new(barrier_dissemination::Dissemination { place }),
        };
        let (call, arguments) = (Call::new(Function::Barrier), Arguments::new(Lengths::None));
        Self { call, arguments, schedule, workspace: 0, input: 0..0, result: 0..0 }
    }
}

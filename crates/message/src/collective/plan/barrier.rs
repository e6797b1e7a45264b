//! Barriers.

use super::Plan;
use crate::collective::arguments::{Arguments, Lengths};
use crate::collective::call::{Call, Function};
use crate::collective::choice::{Barrier, Choice};
use crate::collective::hardware::{Hardware, Task};
use crate::collective::selection::Situation;
use crate::collective::{
    Place, Schedule, barrier_dissemination, barrier_double_ring, barrier_linear, barrier_recursive_doubling,
};
use std::rc::Rc;

impl Plan {
    /// No rank goes on before all have come.
    #[must_use]
    pub fn barrier(choice: &Choice, place: Place) -> Self {
        let schedule: Rc<dyn Schedule> = match choice.barrier {
            Barrier::Auto => {
                let call = Situation::unknown(place.size);
                return Self::barrier(&choice.decided::<Barrier>(&call), place);
            }
            Barrier::Dissemination => Rc::new(barrier_dissemination::Dissemination { place }),
            Barrier::RecursiveDoubling => Rc::new(barrier_recursive_doubling::RecursiveDoubling { place }),
            Barrier::DoubleRing => Rc::new(barrier_double_ring::DoubleRing { place }),
            Barrier::Linear => Rc::new(barrier_linear::Linear { place }),
            Barrier::Hardware => match Hardware::new(&choice.grid, place, 0, Task::Combine) {
                Some(hardware) => Rc::new(hardware),
                None => return Self::barrier(&choice.without_hardware(), place),
            },
        };
        let call = Call::new(Function::Barrier);
        let call = if choice.barrier == Barrier::Hardware { call.by_interfaces() } else { call };
        let arguments = Arguments::new(Lengths::None);
        Self { call, arguments, schedule, workspace: 0, input: 0..0, result: 0..0 }
    }
}

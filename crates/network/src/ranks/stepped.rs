//! Pauses of a run that a program outside steps.

use super::{Programs, Ranks, State};
use crate::{EventKind, Output, Program, Stepper, WAKE};
use weir_units::{Rank, Time};

impl<P: Program> Ranks<'_, P> {
    /// When the next pause is due at the earliest; never where no program steps the run.
    #[inline]
    pub fn next_pause(&self) -> Time {
        let stepper = if self.is_stepped { self.programs.stepper() } else { None };
        stepper.filter(|stepper| !stepper.is_over()).map_or(Time::MAX, Stepper::until)
    }

    /// Called before the event at `next`, or where none is left: pauses where time is not to pass so far, and hands timers of ranks that are
    /// woken to `put`. Returns whether the engine has to look again what comes next.
    #[inline]
    pub fn pause_before(&mut self, next: Option<Time>, put: impl FnMut(Rank, Output<P::Body>)) -> bool {
        self.is_stepped && self.pause_or_wake(next, put)
    }

    #[inline(never)]
    fn pause_or_wake(&mut self, next: Option<Time>, mut put: impl FnMut(Rank, Output<P::Body>)) -> bool {
        if self.must_end() {
            return false;
        }
        let Self { programs, states, limit, now, .. } = self;
        let Some(stepper) = programs.stepper() else { return false };
        if !stepper.is_over() {
            let has_woken = wake(stepper, programs, states, &mut put);
            if has_woken || next.is_some_and(|next| next <= stepper.until()) {
                return has_woken;
            }
            stepper.pause(*now, next.is_none());
            if wake(stepper, programs, states, &mut put) {
                return true;
            }
        }
        if stepper.is_over() {
            if next.is_none() {
                // The run has come to its own end.
                return false;
            }
            *limit = Some("the program that steps the run has ended it".to_owned());
        }
        true
    }
}

/// Hands the timers of all ranks that are to be woken to `put`; returns whether there are any.
fn wake<P: Program>(
    stepper: &dyn Stepper,
    programs: &Programs<'_, P>,
    states: &mut [State],
    put: &mut impl FnMut(Rank, Output<P::Body>),
) -> bool {
    let mut has_woken = false;
    while let Some((rank, at)) = stepper.next_woken() {
        let number = &mut states[programs.place(rank)].next_timer;
        put(rank, Output::Timer(at, EventKind::Timer, *number, WAKE));
        *number += 1;
        has_woken = true;
    }
    has_woken
}

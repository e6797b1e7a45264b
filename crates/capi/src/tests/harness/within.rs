//! Ranks that run a function of this process where others run the `main` of a loaded program: for tests.
//!
//! Nothing of the process is taken over: such a world has no globals to put in place, and its ranks print where the process
//! prints. So any number of them may live at once, each on the thread that drives its ranks.

use super::{Place, World, WorldOptions};
use crate::world::output::Output;
use std::ffi::c_void;
use std::rc::Rc;
use weir_coroutine::{Arena, Coroutine};
use weir_units::Rank;

/// The function that all ranks run, with its data.
pub(super) struct Within {
    main: Rc<dyn Fn(Rank) -> i32>,
    pub(super) output: Output,
    arena: Rc<Arena>,
}

impl Within {
    /// A coroutine that runs the function as this rank.
    pub(super) fn coroutine(&self, rank: Rank, place: usize) -> Coroutine {
        let main = Rc::clone(&self.main);
        Coroutine::new(&self.arena, place, move || main(rank))
    }
}

impl World {
    /// A world whose ranks run `main`. The program and its arguments of the options are names only. The last function combines
    /// values of C's `long double`, as the one in `crates/compiler/runtime/long_double.c` does.
    pub(crate) fn within(
        options: WorldOptions,
        main: Rc<dyn Fn(Rank) -> i32>,
        long_double: *mut c_void,
    ) -> Rc<Self> {
        let arena = Arena::new(options.ranks, options.stack_size).expect("address space for stacks");
        let within = Within { main, output: Output::of_process(options.ranks), arena };
        Self::new(options, Place::Within(within), long_double, None)
    }
}

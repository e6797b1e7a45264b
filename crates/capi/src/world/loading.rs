//! Loading the program, once, and connecting it with all that its ranks call.

use super::{Loaded, Place, World, WorldError, WorldOptions};
use crate::c_library::{leaving, libc_calls, own_threads};
use crate::process::process_world::ProcessWorld;
use crate::table;
use crate::world::output::Output;
use std::cell::RefCell;
use std::rc::Rc;
use weir_coroutine::{Arena, Globals, GlobalsOptions, LoadError, LoadedProgram, Threads, Way, guarded};

/// How globals are kept, as the environment has it: for tests, and for debuggers, which know the program as it was loaded.
fn way() -> Way {
    match std::env::var("WEIR_GLOBALS").as_deref() {
        Ok("in-place") => Way::InPlace,
        Ok("instances") => Way::Instances,
        _ => Way::Fitting,
    }
}

impl World {
    /// Loads the program, the only one of this process.
    ///
    /// # Errors
    /// When it cannot be loaded, was not built by `weir cc`, or there is no memory.
    pub fn load(options: WorldOptions, process: ProcessWorld) -> Result<Rc<Self>, WorldError> {
        let path = options.program.clone();
        leaving::watch_exit();
        // A damaged file may break the system's loader.
        guarded(|| Self::load_trusting(options, process)).unwrap_or_else(|crash| {
            leaving::loader_is_broken();
            Err(LoadError::Damaged { path, crash }.into())
        })
    }

    fn load_trusting(options: WorldOptions, process: ProcessWorld) -> Result<Rc<Self>, WorldError> {
        let program = LoadedProgram::load(&options.program)?;
        table::connect(&program, &options.program)?;
        own_threads::take_over(&program)
            .map_err(|source| WorldError::Memory { ranks: options.ranks_here(), source })?;
        // An older runtime has no function around `main`.
        let start = program.symbol("weir_start").or_else(|_| program.symbol("main"))?;
        let at_exit = program.symbol("weir_at_exit").ok();
        // A program of an older `weir cc` has others, and its clock calls come one by one.
        let sums = program.symbol("weir_clock_sums_").ok();
        let rows = ["weir_clock_call_row", "weir_instruction_call_row"].map(|name| program.symbol(name).ok());
        let clock_calls = match (sums, rows) {
            (Some(sums), [Some(of_time), Some(of_instructions)]) => Some([sums, of_time, of_instructions]),
            _ => None,
        };
        let long_double = program.symbol("weir_long_double_combine")?;
        let ranks = options.ranks_here();
        let no_memory = |source| WorldError::Memory { ranks, source };
        // The variables of getopt belong to the C library, and each rank parses its own arguments.
        let getopt = libc_calls::getopt_variables();
        let shared = table::slots(&program)?;
        let globals = GlobalsOptions { ranks, way: way(), more: &getopt, shared };
        // SAFETY: the program is kept loaded by the world, and runs on the thread that drives the ranks. The
        // variables are the C library's.
        let globals = unsafe { Globals::new(&program, &globals) }.map_err(no_memory)?;
        if let Some(why) =
            globals.why_in_place().filter(|_| ranks > 1 && program.threads() == Threads::OfLibraries)
        {
            return Err(WorldError::Threads { program: options.program, ranks, why: why.into() });
        }
        let arena = Arena::new(ranks, options.stack_size).map_err(no_memory)?;
        if program.threads() != Threads::None {
            // Threads may have addresses of variables of `main`, and they run on when the run is over.
            std::mem::forget(Rc::clone(&arena));
        }
        let (globals, output) = (RefCell::new(globals), Output::take_over(ranks, options.here.is_some()));
        let place = Place::Here(Box::new(Loaded {
            start,
            at_exit,
            clock_calls,
            globals,
            output,
            arena,
            _process: process,
            program,
        }));
        Ok(Self::new(options, place, long_double))
    }
}

//! Loading the programs, each once, and connecting it with all that its ranks call.

use super::{Loaded, LoadedOne, Place, World, WorldError, WorldOptions};
use crate::c_library::{leaving, libc_calls, own_threads};
use crate::process::ProcessWorld;
use crate::table;
use crate::world::output::Output;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::Ordering;
use weir_coroutine::{Arena, Globals, LoadError, LoadedProgram, ProgramOfRanks, Threads, Way, guarded};

/// Way of keeping globals from the environment: for tests, and for debuggers, which know the program as it was loaded.
fn way() -> Way {
    match std::env::var("WEIR_GLOBALS").as_deref() {
        Ok("in-place") => Way::InPlace,
        Ok("instances") => Way::Instances,
        _ => Way::Fitting,
    }
}

impl World {
    /// Loads the programs, the only ones of this process.
    ///
    /// # Errors
    /// When one cannot be loaded, was not built by `weir cc`, or there is no memory.
    pub fn load(options: WorldOptions, process: ProcessWorld) -> Result<Rc<Self>, WorldError> {
        leaving::watch_exit();
        let mut programs: Vec<(LoadedProgram, LoadedOne)> = Vec::new();
        for path in options.programs.iter().map(|program| program.path.clone()) {
            // A damaged file may break the system's loader.
            let own = path.clone();
            let loaded = guarded(move || LoadedOne::load(&own)).unwrap_or_else(|crash| {
                leaving::LOADER_IS_BROKEN.store(true, Ordering::Relaxed);
                Err(LoadError::Damaged { path, crash }.into())
            });
            programs.push(loaded?);
        }
        Self::of_programs(options, process, programs)
    }

    fn of_programs(
        options: WorldOptions,
        process: ProcessWorld,
        programs: Vec<(LoadedProgram, LoadedOne)>,
    ) -> Result<Rc<Self>, WorldError> {
        let ranks = options.ranks_here();
        let no_memory = |source| {
            WorldError::Refused(format!("no memory for the stacks or globals of {ranks} ranks: {source}"))
        };
        for (program, _) in &programs {
            own_threads::take_over(program).map_err(&no_memory)?;
        }
        let long_double = programs[0].0.symbol("weir_long_double_combine")?;
        // The variables of getopt belong to the C library, and each rank parses its own arguments.
        let getopt = libc_calls::getopt_variables();
        let of_ranks = programs.iter().zip(options.ranks_of_programs());
        let of_ranks = of_ranks.map(|((program, _), ranks)| {
            Ok(ProgramOfRanks { program, ranks, shared: table::slots(program)? })
        });
        let of_ranks: Vec<ProgramOfRanks<'_>> = of_ranks.collect::<Result<_, WorldError>>()?;
        // SAFETY: the programs are kept loaded by the world, and run on the thread that drives the ranks. The
        // variables are the C library's.
        let globals = unsafe { Globals::new(&of_ranks, way(), &getopt) }.map_err(&no_memory)?;
        let threads = programs.iter().map(|(program, _)| program.threads()).max().unwrap_or(Threads::None);
        if let Some(why) = globals.why_in_place().filter(|_| ranks > 1 && threads == Threads::OfLibraries) {
            let program = programs.iter().find(|(program, _)| program.threads() == threads);
            let program = program.map_or_else(PathBuf::new, |(program, _)| program.path().to_owned());
            return Err(WorldError::Refused(format!(
                "{}: its libraries make threads (OpenMP, or std::thread), which need an instance of the program for each of \
                 {ranks} ranks, but here {why}",
                program.display()
            )));
        }
        let arena = Arena::new(ranks, options.stack_size).map_err(&no_memory)?;
        if threads != Threads::None {
            // Threads may have addresses of variables of `main`, and they run on when the run is over.
            std::mem::forget(Rc::clone(&arena));
        }
        let (globals, output) = (RefCell::new(globals), Output::take_over(ranks, options.here.is_some()));
        let place = Place::Here(Box::new(Loaded { globals, output, arena, _process: process, programs }));
        Ok(Self::new(options, place, long_double))
    }
}

impl LoadedOne {
    fn load(path: &Path) -> Result<(LoadedProgram, Self), WorldError> {
        let program = LoadedProgram::load(path)?;
        table::connect(&program, path)?;
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
        Ok((program, Self { start, at_exit, clock_calls }))
    }
}

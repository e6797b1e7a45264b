//! Loading the programs, each once, and connecting it with all that its ranks call.

use super::{Loaded, LoadedOne, LoadedPrograms, Place, World, WorldError, WorldOptions};
use crate::c_library::{leaving, libc_calls, own_threads};
use crate::calls::call_site;
use crate::process::ProcessWorld;
use crate::table;
use crate::world::output::Output;
use crate::world::threads::OfThread;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
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
        let programs = LoadedPrograms::load(&options, process)?;
        Self::of_programs(options, Arc::new(programs))
    }

    /// The world of these programs, whose ranks one thread runs.
    ///
    /// # Errors
    /// When there is no memory, or the programs make threads that would not see the globals of their rank.
    pub fn of_programs(options: WorldOptions, programs: Arc<LoadedPrograms>) -> Result<Rc<Self>, WorldError> {
        let ranks = options.ranks_here();
        let no_memory = |source| no_memory(ranks, source);
        // The variables of getopt belong to the C library, and each rank parses its own arguments.
        let getopt = libc_calls::getopt_variables();
        let of_ranks = programs.of_ranks(&options)?;
        // SAFETY: the programs are kept loaded by the world, and run on the thread that drives the ranks. The
        // variables are the C library's.
        let globals = unsafe { Globals::new(&of_ranks, way(), &getopt) }.map_err(no_memory)?;
        let threads =
            programs.all.iter().map(|(program, _)| program.threads()).max().unwrap_or(Threads::None);
        if let Some(why) = globals.why_in_place().filter(|_| ranks > 1 && threads == Threads::OfLibraries) {
            let program = programs.all.iter().find(|(program, _)| program.threads() == threads);
            let program = program.map_or_else(PathBuf::new, |(program, _)| program.path().to_owned());
            return Err(WorldError::Refused(format!(
                "{}: its libraries make threads (OpenMP, or std::thread), which need an instance of the program for each of \
                 {ranks} ranks, but here {why}",
                program.display()
            )));
        }
        let arena = Arena::new(ranks, options.stack_size).map_err(no_memory)?;
        if threads != Threads::None {
            // Threads may have addresses of variables of `main`, and they run on when the run is over.
            std::mem::forget(Rc::clone(&arena));
        }
        let (globals, output) = (RefCell::new(globals), Output::take_over(ranks, options.here.is_some()));
        let long_double = programs.all[0].0.symbol("weir_long_double_combine")?;
        let place = Place::Here(Box::new(Loaded { globals, output, arena, programs }));
        Ok(Self::new(options, place, long_double, None))
    }

    /// The world of the ranks of one of several threads, of `all` ranks of this process.
    ///
    /// # Errors
    /// When there is no memory, or the programs cannot be had once more.
    pub(crate) fn of_thread(
        options: WorldOptions,
        programs: &Arc<LoadedPrograms>,
        output: Output,
        thread: OfThread,
        all: usize,
    ) -> Result<Rc<Self>, WorldError> {
        let of_ranks = programs.of_ranks(&options)?;
        // SAFETY: the programs are kept loaded by the world, make no threads, and each world is used by one thread at a time.
        let globals = unsafe { Globals::of_thread(&of_ranks, way(), all) }.map_err(WorldError::Refused)?;
        for (number, (program, _)) in programs.all.iter().enumerate() {
            let slot = table::call_site_slot(program)?;
            for address in slot.into_iter().flat_map(|slot| globals.addresses(number, slot)) {
                // SAFETY: a slot of an instance of the program that no one else uses yet.
                unsafe { *(address as *mut *mut usize) = call_site::noted_by(thread.lane) };
            }
        }
        let ranks = options.ranks_here();
        let arena = Arena::new(ranks, options.stack_size).map_err(|source| no_memory(ranks, source))?;
        let long_double = programs.all[0].0.symbol("weir_long_double_combine")?;
        let long_double = globals.address(0, long_double as usize) as *mut _;
        let (globals, programs) = (RefCell::new(globals), Arc::clone(programs));
        let place = Place::Here(Box::new(Loaded { globals, output, arena, programs }));
        Ok(Self::new(options, place, long_double, Some(thread)))
    }
}

fn no_memory(ranks: usize, source: std::io::Error) -> WorldError {
    WorldError::Refused(format!("no memory for the stacks or globals of {ranks} ranks: {source}"))
}

impl LoadedPrograms {
    /// Loads the programs of a world, the only ones of this process.
    ///
    /// # Errors
    /// When one cannot be loaded, or was not built by `weir cc`.
    pub fn load(options: &WorldOptions, process: ProcessWorld) -> Result<Self, WorldError> {
        leaving::watch_exit();
        let mut all: Vec<(LoadedProgram, LoadedOne)> = Vec::new();
        for path in options.programs.iter().map(|program| program.path.clone()) {
            // A damaged file may break the system's loader.
            let own = path.clone();
            let loaded = guarded(move || LoadedOne::load(&own)).unwrap_or_else(|crash| {
                leaving::LOADER_IS_BROKEN.store(true, Ordering::Relaxed);
                Err(LoadError::Damaged { path, crash }.into())
            });
            all.push(loaded?);
        }
        for (program, _) in &all {
            own_threads::take_over(program).map_err(|source| no_memory(options.ranks_here(), source))?;
        }
        Ok(Self { _process: process, all })
    }

    /// The programs with how many of the ranks of `options` run them.
    fn of_ranks(&self, options: &WorldOptions) -> Result<Vec<ProgramOfRanks<'_>>, WorldError> {
        let programs = self.all.iter().map(|(program, _)| program).zip(options.ranks_of_programs());
        let of_ranks = programs
            .map(|(program, ranks)| Ok(ProgramOfRanks { program, ranks, shared: table::slots(program)? }));
        of_ranks.collect()
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

//! Worlds of ranks that several threads run: one for each thread, with the ranks that are there.
//!
//! A world and all that belongs to it (ranks, stacks, globals, counts) is used by one thread at a time. The engine has all its ranks in one
//! part of the machine; between two windows another thread may take the part over, while the ranks are suspended. What worlds share has locks.
//!
//! # Which programs
//! A program runs on several threads if nothing that it does depends on the order of ranks beyond what messages say, and nothing that
//! it calls is for one thread. So it makes no threads, has no variables of threads (`errno` is one), comes with no library of its own, and uses
//! none of [`FOR_ONE_THREAD`].

use crate::c_library::for_threads;
use crate::mpi::collectives::TogetherAgreements;
use crate::process::MOST_LANES;
use crate::rank::program::RankProgram;
use crate::world::output::Output;
use crate::world::threads::OfThread;
use crate::world::{LoadedPrograms, World, WorldError, WorldOptions};
use std::any::Any;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use weir_coroutine::Threads;
use weir_message::{Body, Cartesian};
use weir_network::causes::Ledger;
use weir_network::{Actions, Console, Event, Limits, Outcome, Print, Program, Waiting};
use weir_units::{Rank, Time};

/// Names of symbols that only ranks on one thread can use: functions of MPI that need to know what other ranks have done at the same instant, or after
/// which mistakes do not end the run; variables and functions of the C library that are not for several threads; and those by which
/// what a program prints would not come in the order of ranks.
const FOR_ONE_THREAD: [&str; 61] = [
    "__errno_location",
    "MPI_File_open",
    "MPI_File_delete",
    "MPI_Publish_name",
    "MPI_Unpublish_name",
    "MPI_Lookup_name",
    "MPI_Open_port",
    "MPI_Comm_accept",
    "MPI_Comm_connect",
    "MPI_Comm_join",
    "MPI_Comm_spawn",
    "MPI_Comm_spawn_multiple",
    "MPI_Comm_set_errhandler",
    "MPI_Errhandler_set",
    "MPI_Comm_create_from_group",
    "MPI_Intercomm_create_from_groups",
    "MPI_Session_init",
    "MPI_T_init_thread",
    "weir_sample_begin",
    "__wrap_getopt",
    "__wrap_getopt_long",
    "__wrap_getopt_long_only",
    "__wrap_freopen",
    "__wrap_freopen64",
    "__wrap_gethostbyname",
    "optarg",
    "optind",
    "opterr",
    "optopt",
    "setvbuf",
    "setbuf",
    "setlinebuf",
    "write",
    "writev",
    "dprintf",
    "vdprintf",
    "setlocale",
    "setenv",
    "putenv",
    "unsetenv",
    "clearenv",
    "signal",
    "sigaction",
    "dlopen",
    "getpwuid",
    "getpwnam",
    "getgrgid",
    "getgrnam",
    "getlogin",
    "ttyname",
    "hcreate",
    "ecvt",
    "fcvt",
    "strerror",
    "strsignal",
    "tmpnam",
    "signgam",
    "seed48",
    "lcong48",
    "erand48",
    "setstate",
];

/// Libraries of the system that any number of threads may use.
const LIBRARIES: [&str; 8] = [
    "libc.so.",
    "libm.so.",
    "libmvec.so.",
    "libgcc_s.so.",
    "libpthread.so.",
    "libdl.so.",
    "librt.so.",
    "libquadmath.so.",
];

impl LoadedPrograms {
    /// Why one thread has to run all ranks; `None` if several may.
    pub fn why_one_thread(&self) -> Option<String> {
        for (program, _) in &self.all {
            let name = program.path().display();
            if program.threads() != Threads::None {
                return Some(format!("{name} makes threads of its own"));
            }
            let is_known = |library: &&String| LIBRARIES.iter().any(|known| library.starts_with(known));
            if let Some(library) = program.libraries().iter().find(|library| !is_known(library)) {
                return Some(format!("{name} uses the library {library}"));
            }
            if let Some(used) = program.first_used(&FOR_ONE_THREAD) {
                return Some(format!("{name} uses {}", used.trim_start_matches("__wrap_")));
            }
        }
        None
    }
}

/// The worlds of ranks on several threads.
pub struct ThreadedWorld {
    worlds: Vec<Rc<World>>,
    agreements: Arc<Mutex<TogetherAgreements>>,
}

impl ThreadedWorld {
    /// Worlds of programs of which [`LoadedPrograms::why_one_thread`] says nothing, by thread those of these ranks; of all, unless the ranks
    /// `are_divided` among several processes.
    ///
    /// # Errors
    /// When there is no memory, or the programs cannot be had once for each thread.
    pub fn new(
        options: &WorldOptions,
        programs: &Arc<LoadedPrograms>,
        ranks: Vec<Vec<Rank>>,
        are_divided: bool,
    ) -> Result<Self, WorldError> {
        let all: usize = ranks.iter().map(Vec::len).sum();
        for (program, _) in &programs.all {
            for_threads::take_over(program).map_err(|error| WorldError::Refused(error.to_string()))?;
        }
        let outputs = Output::take_over_for_threads(&ranks.iter().map(Vec::len).collect::<Vec<_>>());
        let agreements = Arc::<Mutex<TogetherAgreements>>::default();
        let mut worlds = Vec::new();
        for ((lane, here), output) in ranks.into_iter().enumerate().zip(outputs) {
            let options = WorldOptions { here: Some(here), ..options.clone() };
            let thread = OfThread {
                lane: lane % MOST_LANES,
                is_divided: are_divided,
                together: Arc::clone(&agreements) as Arc<dyn Any + Send + Sync>,
            };
            worlds.push(World::of_thread(options, programs, output, thread, all)?);
        }
        Ok(Self { worlds, agreements })
    }

    /// All ranks of this process, in rank order.
    pub fn ranks(&self) -> Vec<RankOfThread> {
        let mut ranks: Vec<RankOfThread> =
            self.worlds.iter().flat_map(World::ranks).map(RankOfThread).collect();
        ranks.sort_by_key(|rank| rank.0.number());
        ranks
    }

    /// Each of them; when the run is over, they say what has become of their ranks.
    pub fn worlds(&self) -> &[Rc<World>] {
        &self.worlds
    }

    /// Looks from outside at the ranks of each thread until the result is dropped: see [`World::watched`].
    pub fn watched(&self, limits: Limits) -> Vec<impl Drop + use<>> {
        self.worlds.iter().map(|world| world.watched(limits)).collect()
    }

    /// The grids that the program has made of its ranks: see [`World::grids`].
    pub fn grids(&self) -> Vec<Cartesian> {
        self.worlds.iter().flat_map(|world| world.grids()).collect()
    }

    /// The run is over, and ended at this instant: how, and when, if ranks have not agreed on a collective. The rank whose mistake that was
    /// may be another one than the one that has found it.
    pub fn end(&self, outcome: Outcome, at: Time) -> (Outcome, Time) {
        let Outcome::Aborted { why, .. } = &outcome else { return (outcome, at) };
        match self.agreements.lock().unwrap_or_else(PoisonError::into_inner).verdict(why) {
            Some(verdict) => (Outcome::Aborted { rank: verdict.rank, why: verdict.why }, verdict.moment.at),
            None => (outcome, at),
        }
    }
}

impl Console for ThreadedWorld {
    fn take(&self) -> Vec<Print> {
        self.worlds.iter().flat_map(|world| world.take()).collect()
    }

    fn rest(&self) -> Vec<Print> {
        self.worlds.iter().flat_map(|world| world.rest()).collect()
    }

    fn show(&self, text: &[u8]) {
        self.worlds[0].show(text);
    }
}

/// A rank of a world of several: like [`RankProgram`], and may go to another thread with all ranks of its world.
pub struct RankOfThread(RankProgram);

// SAFETY: a rank refers to its world, and to nothing of other worlds that has no lock. The engine has all ranks of a world in one part, which
// one thread runs at a time, and whoever has made them uses them when the run is over.
unsafe impl Send for RankOfThread {}

impl RankOfThread {
    /// The rank, when the run is over.
    pub fn program(&self) -> &RankProgram {
        &self.0
    }
}

impl Program for RankOfThread {
    type Body = Body;

    fn react(&mut self, event: Event<Body>, actions: &mut Actions<Body>) {
        self.0.rank.world.come_to_thread();
        self.0.react(event, actions);
    }

    fn is_over(&self) -> bool {
        self.0.is_over()
    }

    fn ledger(&mut self) -> Option<&mut Option<Box<Ledger>>> {
        self.0.ledger()
    }

    fn waiting(&self) -> Option<Waiting> {
        self.0.waiting()
    }
}

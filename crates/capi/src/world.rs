//! The programs that ranks run, each loaded once.

mod loading;
pub(crate) mod nodes;
pub(crate) mod options;
pub(crate) mod output;
pub(crate) mod threads;
#[cfg(any(test, feature = "harness"))]
#[path = "tests/harness/within.rs"]
mod within;

use crate::process::kept_memory::KeptMemory;
use crate::process::turns::{Turns, Watcher};
use crate::process::{self, ProcessWorld, stdio};
use crate::rank::objects::Objects;
use crate::skeleton::counts::{ClockCalls, Skeleton};
use crate::world::nodes::Nodes;
use crate::world::output::Output;
use crate::world::threads::OfThread;
pub use options::{Observer, ProcessorNames, ProgramToRun, Verify, WorldError, WorldOptions};
use std::cell::{Cell, OnceCell, RefCell, RefMut};
use std::collections::BTreeMap;
use std::ffi::{CString, OsString, c_char, c_int, c_long, c_void};
use std::path::{Path, PathBuf};
use std::ptr;
use std::rc::Rc;
use std::sync::{Arc, Weak};
use weir_coroutine::{Arena, Coroutine, Globals, LoadedProgram, ThreadLocals, Threads};
use weir_message::window::Layout;
use weir_message::{Cartesian, Graph, Process, VirtualTopology};
use weir_network::{Console, Limits, Moment, Print, SkeletonCounts};
use weir_units::{Duration, Rank};

/// C's `main`
type Main = extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;

const MOST_GRIDS: usize = 4;

/// Loaded programs and what all ranks share.
pub struct World {
    pub(crate) options: WorldOptions,
    /// By rank: its place among those of this process, if that has not all of them.
    places: Option<Vec<u32>>,
    place: Place,
    /// Combines values of C's `long double`.
    pub(crate) long_double: *mut c_void,
    pub(crate) turns: Arc<Turns>,
    pub(crate) without_mpi: Cell<usize>,
    /// The first few grids that were made of all ranks in their order.
    grids: RefCell<Vec<Cartesian>>,
    /// Clock calls and named blocks.
    pub(crate) skeleton: Skeleton,
    reading_cost: OnceCell<Duration>,
    exit_codes: RefCell<Vec<(Moment, Rank, i32)>>,
    /// If ranks are on several threads, of which each has a world: its place among them, and what they share.
    thread: Option<OfThread>,
    /// The rank that has called `getopt` last.
    pub(crate) getopt: Cell<Option<Rank>>,
    /// Made when somebody asks.
    nodes: OnceCell<Nodes>,
    pub(crate) names: RefCell<BTreeMap<String, String>>,
    last_graph: RefCell<Weak<VirtualTopology>>,
    /// Objects that functions of MPI keep for all ranks.
    shared: RefCell<Objects>,
    /// Goes back to the system when everything else is gone.
    _kept_memory: KeptMemory,
}

impl Console for World {
    fn take(&self) -> Vec<Print> {
        self.output().take()
    }

    fn rest(&self) -> Vec<Print> {
        self.output().rest(|place| self.options.here.as_ref().map_or(Rank::new(place), |here| here[place]))
    }

    fn show(&self, text: &[u8]) {
        self.output().show(text);
    }
}

enum Place {
    Here(Box<Loaded>),
    /// Each in a process of its own, and this is that of one; with the folder in which they keep what they share.
    Apart(PathBuf),
    /// All in this process, where no program is loaded.
    #[cfg(any(test, feature = "harness"))]
    Within(within::Within),
}

/// The programs in this process, and what all ranks share.
struct Loaded {
    globals: RefCell<Globals>,
    output: Output,
    arena: Rc<Arena>,
    /// Kept last: their code runs as long as anything else lives.
    programs: Arc<LoadedPrograms>,
}

/// The programs in this process, each loaded once.
pub struct LoadedPrograms {
    /// No other call loads programs into this process.
    _process: ProcessWorld,
    pub(crate) all: Vec<(LoadedProgram, LoadedOne)>,
}

// SAFETY: addresses of functions and variables, which stay what they are as long as the process.
unsafe impl Send for LoadedPrograms {}
// SAFETY: as above.
unsafe impl Sync for LoadedPrograms {}

pub(crate) struct LoadedOne {
    /// Functions and variables of its runtime, where the loader has put them; each rank has its own.
    start: *mut c_void,
    at_exit: Option<*mut c_void>,
    clock_calls: Option<[*mut c_void; 3]>,
}

unsafe extern "C" {
    static environ: *mut *mut c_char;
}

impl Loaded {
    fn program(&self, place: usize) -> &LoadedOne {
        &self.programs.all[self.globals.borrow().program_of(place)].1
    }

    /// Returns the rank's own copy of an address of the program as it was loaded.
    fn own(&self, place: usize, of_program: *mut c_void) -> *mut c_void {
        self.globals.borrow().address(place, of_program as usize) as *mut c_void
    }
}

impl World {
    /// The world of a rank that is a process of its own.
    pub(crate) fn of_process(options: WorldOptions, long_double: *mut c_void, shared: PathBuf) -> Rc<Self> {
        Self::new(options, Place::Apart(shared), long_double, None)
    }

    fn new(
        options: WorldOptions,
        place: Place,
        long_double: *mut c_void,
        thread: Option<OfThread>,
    ) -> Rc<Self> {
        let places = options.here.as_ref().map(|here| {
            let mut places = vec![u32::MAX; options.ranks];
            (0..).zip(here).for_each(|(place, rank)| places[rank.index()] = place);
            places
        });
        Rc::new(Self {
            options,
            places,
            place,
            long_double,
            turns: Arc::default(),
            without_mpi: Cell::new(0),
            grids: RefCell::default(),
            skeleton: Skeleton::default(),
            reading_cost: OnceCell::new(),
            exit_codes: RefCell::default(),
            thread,
            getopt: Cell::new(None),
            nodes: OnceCell::new(),
            names: RefCell::default(),
            last_graph: RefCell::default(),
            shared: RefCell::default(),
            _kept_memory: KeptMemory::begin(),
        })
    }

    /// Returns true if ranks are processes of their own.
    pub(crate) fn is_child(&self) -> bool {
        matches!(self.place, Place::Apart(_))
    }

    /// Who the ranks are that share no memory with others, if there are such.
    pub(crate) fn who_is_elsewhere(&self) -> Option<&'static str> {
        match (&self.place, &self.places) {
            (Place::Apart(_), _) => Some("ranks that are processes of their own"),
            (_, Some(_)) if self.is_divided() => Some("ranks that several processes run together"),
            (_, Some(_) | None) => None,
        }
    }

    /// The folder in which ranks that are processes keep what they share, if this is one of them. One of them runs at a time.
    pub(crate) fn shared_folder(&self) -> Option<&Path> {
        if let Place::Apart(folder) = &self.place { Some(folder) } else { None }
    }

    /// Returns true if several processes have its ranks.
    pub(crate) fn is_divided(&self) -> bool {
        self.places.is_some() && self.thread.as_ref().is_none_or(|thread| thread.is_divided)
    }

    /// The place of a rank of this process among these.
    #[inline]
    fn place(&self, rank: Rank) -> usize {
        self.places.as_ref().map_or(rank.index(), |places| places[rank.index()] as usize)
    }

    /// The ranks of this process, in ascending order.
    pub(crate) fn ranks_here(&self) -> impl Iterator<Item = Rank> {
        let of = |place| self.options.here.as_ref().map_or(Rank::new(place), |here| here[place]);
        (0..self.options.ranks_here()).map(of)
    }

    fn loaded(&self) -> &Loaded {
        let Place::Here(loaded) = &self.place else {
            unreachable!("only coroutines need the loaded program")
        };
        loaded
    }

    /// The rank of this number, as messages know it.
    pub(crate) fn process(&self, rank: Rank) -> Process {
        let process = Process::in_world(rank, self.options.job_of(rank), Arc::clone(&self.options.costs));
        match &self.options.observer {
            Some(Observer(observer)) => process.observed_by(Arc::clone(observer)),
            None => process,
        }
    }

    /// MPI functions called so far.
    pub fn mpi_calls(&self) -> u64 {
        self.turns.calls()
    }

    /// Times a rank was resumed so far.
    pub fn context_switches(&self) -> u64 {
        self.turns.turns()
    }

    /// Returns the sums of clock calls and sampled blocks; `None` if the program has none.
    pub fn skeleton(&self) -> Option<SkeletonCounts> {
        self.skeleton.counts()
    }

    /// Ranks that ended with something other than 0, in the order of ending, and at which events.
    pub fn exit_codes(&self) -> Vec<(Moment, Rank, i32)> {
        self.exit_codes.borrow().clone()
    }

    /// The program of a rank: its number, itself, its arguments, and how many ranks run it.
    pub(crate) fn program_of(&self, rank: Rank) -> (usize, &ProgramToRun) {
        (self.options.number_of_program(rank), self.options.program_of(rank))
    }

    pub(crate) fn clock_calls(&self, rank: Rank) -> Option<ClockCalls> {
        let Place::Here(loaded) = &self.place else { return None };
        let place = self.place(rank);
        let [sums, rows @ ..] =
            loaded.program(place).clock_calls?.map(|of_program| loaded.own(place, of_program));
        // SAFETY: the runtime's functions.
        let rows = rows.map(|row| unsafe { std::mem::transmute::<*mut c_void, extern "C" fn(c_long)>(row) });
        Some(ClockCalls { sums: sums.cast(), rows })
    }

    pub(crate) fn reading_cost(&self) -> Duration {
        *self.reading_cost.get_or_init(process::reading_cost)
    }

    /// The nodes that ranks are on. Ranks are together whose nodes have one name.
    pub(crate) fn nodes(&self) -> &Nodes {
        self.nodes.get_or_init(|| Nodes::of(&self.options))
    }

    pub(crate) fn on_same_node(&self, rank: Rank) -> Rc<[Rank]> {
        Rc::clone(self.nodes().ranks_beside(rank))
    }

    /// A graph that all ranks of a communicator describe, kept once.
    pub(crate) fn share_graph(&self, graph: Graph) -> Arc<VirtualTopology> {
        let graph = VirtualTopology::Graph(graph);
        let mut last = self.last_graph.borrow_mut();
        if let Some(known) = last.upgrade().filter(|known| **known == graph) {
            return known;
        }
        let new = Arc::new(graph);
        *last = Arc::downgrade(&new);
        new
    }

    /// Returns the object of one kind that functions of MPI keep for all ranks; `new` makes it.
    pub(crate) fn shared<T: 'static>(&self, new: impl FnOnce(&WorldOptions) -> T) -> RefMut<'_, T> {
        RefMut::map(self.shared.borrow_mut(), |shared| shared.begun_with(|| new(&self.options)))
    }

    /// Looks from outside at the ranks, which the calling thread runs, until the result is dropped.
    pub fn watched(&self, limits: Limits) -> impl Drop + use<> {
        Watcher::begin(&self.turns, limits)
    }

    /// Number of ranks that have ended without a call of MPI.
    pub fn without_mpi(&self) -> usize {
        self.without_mpi.get()
    }

    /// The grids that the program has made of its ranks in their order, from rank 0 on; those of the same sides once, and no more than a
    /// few.
    pub fn grids(&self) -> Vec<Cartesian> {
        self.grids.borrow().clone()
    }

    pub(crate) fn note_grid(&self, grid: &Cartesian) {
        let mut grids = self.grids.borrow_mut();
        if grids.len() < MOST_GRIDS && !grids.contains(grid) {
            grids.push(grid.clone());
        }
    }

    pub(crate) fn note_exit_code(&self, moment: Moment, rank: Rank, code: i32) {
        if code != 0 {
            self.exit_codes.borrow_mut().push((moment, rank, code));
        }
    }

    pub(crate) fn output(&self) -> &Output {
        #[cfg(any(test, feature = "harness"))]
        if let Place::Within(within) = &self.place {
            return &within.output;
        }
        &self.loaded().output
    }

    /// From now on this rank prints, at an event of this moment.
    #[inline]
    pub(crate) fn resume_output(&self, rank: Rank, moment: impl FnOnce() -> Moment) {
        self.output().resume(self.place(rank));
        if self.places.is_some() {
            self.output().at_event(moment());
        }
    }

    pub(crate) fn flush_output(&self) {
        match &self.place {
            Place::Here(loaded) => loaded.output.flush(),
            Place::Apart(_) => stdio::flush(),
            #[cfg(any(test, feature = "harness"))]
            Place::Within(_) => stdio::flush(),
        }
    }

    /// Why ranks share the addresses of their globals, if they do.
    pub(crate) fn why_in_place(&self) -> Option<String> {
        let Place::Here(loaded) = &self.place else { return None };
        loaded.globals.borrow().why_in_place().map(Into::into)
    }

    /// Puts the globals of this rank in place. In a process of its own they are.
    pub(crate) fn activate(&self, rank: Rank) {
        if let Place::Here(loaded) = &self.place {
            loaded.globals.borrow_mut().activate(self.place(rank));
        }
    }

    /// Thread-local variables of a rank whose turn it is, for a thread of its own.
    pub(crate) fn thread_locals(&self, rank: Rank) -> ThreadLocals {
        let Place::Here(loaded) = &self.place else { return ThreadLocals::default() };
        loaded.globals.borrow().thread_locals(self.place(rank))
    }

    /// Returns true if all threads of a rank can have its globals, and may call MPI. Those of a program that makes none can.
    pub(crate) fn may_call_from_threads(&self) -> bool {
        matches!(self.place, Place::Here(_)) && (!self.makes_threads() || self.why_no_threads().is_none())
    }

    /// Returns true if the program makes threads, as far as its file says.
    pub(crate) fn makes_threads(&self) -> bool {
        let Place::Here(loaded) = &self.place else { return false };
        loaded.programs.all.iter().any(|(program, _)| program.threads() != Threads::None)
    }

    /// Returns the function to be called at the end of a rank, when that is not the end of `main`.
    pub(crate) fn at_exit(&self, rank: Rank) -> Option<extern "C" fn()> {
        let Place::Here(loaded) = &self.place else { return None };
        let place = self.place(rank);
        let function = loaded.own(place, loaded.program(place).at_exit?);
        // SAFETY: the runtime's function.
        Some(unsafe { std::mem::transmute::<*mut c_void, extern "C" fn()>(function) })
    }

    /// Makes sure that memory of a rank, laid out like this from an address on, is what is there.
    pub(crate) fn reach(&self, rank: Rank, address: usize, layout: &Layout) {
        let Some((lower, upper)) = layout.bounds() else { return };
        let start = (address as i128 + lower) as usize;
        let Place::Here(loaded) = &self.place else { return };
        let mut globals = loaded.globals.borrow_mut();
        if globals.overlap(start, (upper - lower) as usize) {
            globals.activate(self.place(rank));
        }
    }

    /// A coroutine that runs the program with arguments of its own.
    pub(crate) fn coroutine(&self, rank: Rank) -> Coroutine {
        #[cfg(any(test, feature = "harness"))]
        if let Place::Within(within) = &self.place {
            return within.coroutine(rank, self.place(rank));
        }
        let (loaded, place) = (self.loaded(), self.place(rank));
        let start = loaded.own(place, loaded.program(place).start);
        // SAFETY: C's main, or a function like it; surplus arguments do no harm in C's calling convention.
        let start = unsafe { std::mem::transmute::<*mut c_void, Main>(start) };
        let ProgramToRun { path, args, .. } = self.options.program_of(rank);
        let strings: Vec<CString> = std::iter::once(path.as_os_str())
            .chain(args.iter().map(OsString::as_os_str))
            .map(weir_coroutine::program::c_string)
            .collect();
        Coroutine::new(&loaded.arena, place, move || {
            let mut argv: Vec<*mut c_char> = strings.into_iter().map(CString::into_raw).collect();
            let argc = argv.len() as c_int;
            argv.push(ptr::null_mut());
            // The program may keep pointers to its arguments as long as it likes.
            let argv = Box::leak(argv.into_boxed_slice());
            // SAFETY: the environment is that of the simulator.
            start(argc, argv.as_mut_ptr(), unsafe { environ })
        })
    }

    /// An object that the worlds of all threads have, if there are several, and no other process has ranks.
    #[inline]
    pub(crate) fn together<T: 'static>(&self) -> Option<&T> {
        self.thread.as_ref().filter(|thread| !thread.is_divided)?.together.downcast_ref()
    }

    /// The calling thread is about to run a rank of this world, which another one may have run before.
    #[inline]
    pub(crate) fn come_to_thread(&self) {
        if let Some(thread) = &self.thread {
            self.turns.run_on(weir_coroutine::come_to_thread());
            process::set_lane(thread.lane);
        }
    }
}

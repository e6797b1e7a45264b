//! The simulated machine of a test, a run on it, and how that ended.

use super::{MPI_COMM_SELF, MPI_COMM_WORLD, errors_return, mpi};
use crate::rank::context::Context;
use crate::rank::program::{RankProgram, Remnant};
use crate::world::options::Compute;
use crate::world::{ProcessorNames, ProgramToRun, Verify, World, WorldOptions};
use std::any::Any;
use std::cell::RefCell;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::rc::Rc;
use std::sync::Arc;
use weir_collectives::Choice;
use weir_coroutine::StackSize;
use weir_message::storage::StorageModel;
use weir_message::{Costs, Interfaces, Moved};
use weir_network::harness::Recorded;
use weir_network::record::{Keep, MessageTimes, Requested};
use weir_network::{Ended, Ideal, Limits, Outcome, Placement, RunContext, Waiting};
use weir_units::{Bandwidth, Bytes, Duration, NodeId, Rank};

/// Ranks, where they are, and what things cost.
pub struct Machine {
    /// Costs, algorithms, disks and observers.
    pub options: WorldOptions,
    /// The network between the nodes.
    pub network: Ideal,
    /// Which rank is on which node.
    pub placement: Placement,
    /// When to give up.
    pub limits: Limits,
    /// True if the times of messages are kept.
    pub messages: Keep,
}

/// Names nodes by their numbers.
struct Nodes(Placement);

impl ProcessorNames for Nodes {
    fn name(&self, rank: Rank) -> String {
        format!("node{}", self.0.node(rank).index())
    }
}

/// Combines nothing: tests of `long double` need a C compiler.
extern "C" fn no_long_doubles(_: i32, _: i32, _: i64, _: *const c_void, _: *mut c_void) -> i32 {
    1
}

impl Machine {
    /// The given number of ranks, each on a node of its own, where nothing takes time.
    pub fn free(ranks: usize) -> Self {
        let placement = Placement::one_per_node(ranks);
        let options = WorldOptions {
            programs: vec![ProgramToRun { path: "a test".into(), args: Vec::new(), ranks }],
            ranks,
            jobs: Vec::new(),
            here: None,
            stack_size: StackSize(512 << 10),
            costs: Arc::default(),
            choice: Choice::default(),
            storage: None,
            moved: Moved::Data,
            compute: Compute::None,
            instruction_time: None,
            interfaces: Interfaces::PLAIN,
            processor_names: Arc::new(Nodes(placement.clone())),
            verify: Verify::No,
            observer: None,
        };
        let (network, limits, messages) = (Ideal::default(), Limits::default(), Keep::No);
        Self { options, network, placement, limits, messages }
    }

    /// With one disk, on which an access takes 500 ns, and a byte 1 ns.
    #[must_use]
    pub fn with_a_disk(mut self) -> Self {
        self.options.storage = Some(StorageModel {
            servers: 1,
            bandwidth: Bandwidth::new(1e9),
            latency: Duration::from_ns(500),
            stripe: Bytes(1 << 20),
        });
        self
    }

    /// The machine whose times the [module](super) describes.
    pub fn timed(ranks: usize) -> Self {
        let mut machine = Machine::free(ranks);
        machine.options.costs = Costs {
            memory_bandwidth: Bandwidth::new(2e9),
            eager_limit: Bytes(64),
            ..Costs::of_overhead(Duration::from_ns(10))
        }
        .into();
        machine.network.latency = Duration::from_ns(1000);
        machine.network.bandwidth = Bandwidth::new(1e9);
        machine
    }

    /// The ranks are on these nodes.
    pub fn on_nodes(mut self, nodes: &[usize]) -> Self {
        assert_eq!(nodes.len(), self.options.ranks);
        self.placement = Placement::new(nodes.iter().copied().map(NodeId::new).collect());
        self.options.processor_names = Arc::new(Nodes(self.placement.clone()));
        self
    }

    /// Runs this function on every rank, with the number of the rank.
    pub fn run(self, main: impl Fn(usize) -> i32 + 'static) -> Ran {
        self.run_boxed(Box::new(main))
    }

    /// Compiled once for all tests.
    fn run_boxed(self, main: Box<dyn Fn(usize) -> i32>) -> Ran {
        let failure: Rc<RefCell<Option<Box<dyn Any + Send>>>> = Rc::default();
        let noted = Rc::clone(&failure);
        // A panic must not unwind through the frames of the coroutine.
        let main = move |rank: Rank| match catch_unwind(AssertUnwindSafe(|| main(rank.index()))) {
            Ok(code) => code,
            Err(payload) => {
                noted.borrow_mut().get_or_insert(payload);
                Context::get().expect("a rank is running").fail("the test has failed".into())
            }
        };
        let world = World::within(self.options, Rc::new(main), no_long_doubles as *mut c_void);
        let mut ranks = world.ranks();
        let requested = Requested { messages: self.messages, ..Requested::default() };
        let mut kept = Recorded { requested, ..Recorded::default() };
        let context = RunContext::new(&self.placement).limits(self.limits).recorder(Some(&mut kept));
        let has_wall = self.limits.wall != Limits::default().wall;
        let _watch = has_wall.then(|| world.watched(self.limits));
        let ended = self.network.run(&mut ranks, context);
        if let Some(payload) = failure.take() {
            resume_unwind(payload);
        }
        Ran { ended, world, ranks, messages: kept.messages }
    }

    /// Runs this function on every rank between `MPI_Init` and `MPI_Finalize`; errors are returned to it.
    pub fn run_mpi(self, main: impl Fn(usize) + 'static) -> Ran {
        self.run_mpi_boxed(Box::new(main))
    }

    /// Likewise. It must finish.
    pub fn finishes(self, main: impl Fn(usize) + 'static) -> Ran {
        self.run_mpi(main).finished()
    }

    fn run_mpi_boxed(self, main: Box<dyn Fn(usize)>) -> Ran {
        self.run(move |rank| {
            mpi!(Init, 0, 0);
            errors_return(MPI_COMM_WORLD);
            errors_return(MPI_COMM_SELF);
            main(rank);
            mpi!(Finalize);
            0
        })
    }
}

/// Runs a function on every rank, where nothing takes time. It must finish.
pub fn run(ranks: usize, main: impl Fn(usize) + 'static) -> Ran {
    Machine::free(ranks).finishes(main)
}

/// Runs a function on every rank of the machine of [`Machine::timed`]. It must finish.
pub fn timed(ranks: usize, main: impl Fn(usize) + 'static) -> Ran {
    Machine::timed(ranks).finishes(main)
}

/// A run that is over.
pub struct Ran {
    /// Outcome that the engine reports.
    pub ended: Ended,
    /// The state that the ranks shared.
    pub world: Rc<World>,
    /// The times of its messages, if they were to be kept.
    pub messages: Vec<MessageTimes>,
    ranks: Vec<RankProgram>,
}

impl Ran {
    /// It has finished.
    pub fn finished(self) -> Self {
        assert_eq!(self.ended.outcome, Outcome::Finished);
        self
    }

    /// It has ended itself: the rank that did, and what it did.
    pub fn aborted(&self) -> (usize, &str) {
        match &self.ended.outcome {
            Outcome::Aborted { rank, why } => (rank.index(), why),
            other => panic!("it did not end itself: {other:?}"),
        }
    }

    /// Nothing happens any more, and these wait.
    pub fn deadlock(&self) -> &[Waiting] {
        match &self.ended.outcome {
            Outcome::Deadlock(waiting) => waiting,
            other => panic!("no deadlock: {other:?}"),
        }
    }

    /// The instant of the last event, in nanoseconds.
    pub fn at(&self) -> u64 {
        let ps = self.ended.at.as_ps();
        assert_eq!(ps % 1000, 0, "{ps} ps are no whole nanoseconds");
        ps / 1000
    }

    /// Remnants of a rank.
    pub fn remnants(&self, rank: usize) -> Vec<Remnant> {
        self.ranks[rank].remnants()
    }
}

//! In the process of a rank: its part of the conversation with the simulator.

use super::{FromRank, Link, PROTOCOL, Progress, SOCKET, Standing, Startup, ToRank};
use crate::c_library::leaving;
use crate::process::{self, stdio};
use crate::rank::Rank;
use crate::rank::context::{self, Context, Lent, OwnProcess};
use crate::world::{ProcessorNames, ProgramToRun, Verify, World, WorldOptions};
use std::cell::Cell;
use std::ffi::c_void;
use std::os::fd::{FromRawFd, RawFd};
use std::os::unix::net::UnixStream;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};
use weir_coroutine::StackSize;
use weir_message::{Body, Process};
use weir_network::{Actions, Event};
use weir_units::Time;

/// The reduction of `long double`; null where ranks are no processes of their own, and once there is a rank.
static LONG_DOUBLE: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// Says that this process may be that of a rank: its first call of MPI looks for the simulator. `long_double` is the
/// function `weir_long_double_combine` of `crates/compiler/runtime/long_double.c`.
pub fn enable(long_double: *mut c_void) {
    LONG_DOUBLE.store(long_double, Ordering::Release);
    context::OWN_PROCESS.get_or_init(|| OwnProcess { attach, wait, fail });
}

thread_local! {
    /// The rank's end of the socket, on the thread that is the rank.
    static LINK: Cell<Option<&'static Link>> = const { Cell::new(None) };
}

/// The process and its end of the socket, for threads that are not the rank.
static SOCKET_OF: OnceLock<(u32, RawFd)> = OnceLock::new();

struct Nodes(Vec<String>);

impl ProcessorNames for Nodes {
    fn name(&self, rank: weir_units::Rank) -> String {
        self.0[rank.index()].clone()
    }
}

/// Makes the calling thread the rank of this process, if the simulator has started it as one; whether it has.
/// Without a simulator an MPI program says so, and ends.
fn attach() -> bool {
    let long_double = LONG_DOUBLE.swap(ptr::null_mut(), Ordering::AcqRel);
    if long_double.is_null() {
        return false;
    }
    let number = std::env::var(SOCKET).ok().and_then(|text| text.parse().ok());
    let Some(number) = number else {
        stdio::error_line(
            "error: this program uses the MPI library of weir, and was not started by it: weir mpirun -n RANKS PROGRAM",
        );
        std::process::exit(1)
    };
    // SAFETY: the simulator has opened it for this process; a process that this one starts does not get it.
    let stream = unsafe {
        libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC);
        UnixStream::from_raw_fd(number)
    };
    let link = Link::new(stream);
    let startup = match link.receive() {
        Ok(ToRank::Startup(startup)) if startup.protocol == PROTOCOL => startup,
        _ => {
            stdio::error_line("error: weir and its library libmpi_abi.so.1 are of different versions");
            std::process::exit(1)
        }
    };
    let Startup { rank, costs, choice, moved, compute, interfaces, programs, nodes, shared, .. } = *startup;
    let costs = Arc::new(costs);
    let options = WorldOptions {
        programs: programs
            .into_iter()
            .map(|(path, args, ranks)| ProgramToRun { path: path.into(), args, ranks })
            .collect(),
        ranks: nodes.len(),
        jobs: Vec::new(),
        here: None,
        stack_size: StackSize(0),
        costs: Arc::clone(&costs),
        choice,
        moved,
        compute,
        instruction_time: None,
        interfaces,
        processor_names: Arc::new(Nodes(nodes)),
        storage: None,
        verify: Verify::No,
        observer: None,
    };
    let ranks = options.ranks;
    leaving::watch_forks();
    _ = SOCKET_OF.set((std::process::id(), number));
    let world = World::of_process(options, long_double, shared.into());
    let rank = Box::new(Rank::new(&world, Process::new(rank, ranks, costs)));
    let actions = Box::new(Actions::elsewhere(Time::ZERO, rank.process.rank(), 0));
    context::begin_turn(Lent::of(Box::leak(rank), Box::leak(actions)));
    LINK.set(Some(Box::leak(Box::new(link))));
    if let Some((mut context, link)) = running() {
        take_in(link, &mut context, |_, _, event| matches!(event, Event::Start));
        context.rank().own_work_goes_on();
    }
    // SAFETY: a function for the end of the process.
    unsafe { libc::atexit(leaves) };
    true
}

/// Takes in events until one lets the rank go on.
fn take_in(
    link: &Link,
    context: &mut Context,
    goes_on: impl Fn(&mut Rank, &mut Actions<Body>, Event<Body>) -> bool,
) {
    loop {
        match link.receive().unwrap_or_else(|_| end_process()) {
            ToRank::Event { now, next_sequence, event } => {
                let (rank, actions) = context.both();
                *actions = Actions::elsewhere(now, rank.process.rank(), next_sequence);
                if goes_on(rank, actions, event) {
                    return;
                }
                say(link, &FromRank::Waits(progress(context)));
            }
            ToRank::Explain => say(link, &FromRank::Explained(context.rank().waiting())),
            ToRank::Startup(_) => end_process(),
        }
    }
}

fn say(link: &Link, what: &FromRank) {
    if link.send(what).is_err() {
        end_process();
    }
}

/// The run is over for all ranks. What the program has printed comes out; nothing else happens.
fn end_process() -> ! {
    stdio::flush();
    stdio::end_at_once(1)
}

fn progress(context: &mut Context) -> Progress {
    let answers = context.actions().take();
    let rank = context.rank();
    let (clock, phase, calls) = (rank.process.clock(), rank.phase_at_end(), rank.world.mpi_calls());
    Progress { answers, standing: Standing { clock, phase, call: rank.calling.call.into(), calls } }
}

/// The rank of this process, and its end of the socket.
fn running() -> Option<(Context, &'static Link)> {
    Some((Context::get()?, LINK.get()?))
}

fn wait(context: &mut Context) {
    let link = LINK.get().expect("only ranks that are processes wait here");
    say(link, &FromRank::Waits(progress(context)));
    take_in(link, context, |rank, actions, event| rank.take(event, actions));
}

/// Reports to the simulator why the run ends, and ends the process, if that is one of a rank.
fn fail(why: String) {
    if let Some(&(process, number)) = SOCKET_OF.get()
        && process == std::process::id()
    {
        // SAFETY: the socket is open for as long as the process runs.
        let link = Link::new(unsafe { UnixStream::from_raw_fd(number) });
        stdio::flush();
        _ = link.send(&FromRank::Fails(why));
        end_process()
    }
}

/// Reports to the simulator that the process ends; called when it does.
extern "C" fn leaves() {
    // A process that this one has forked is no rank.
    if let Some((mut context, link)) = running()
        && !process::is_forked()
    {
        say(link, &FromRank::Leaves(progress(&mut context)));
    }
}

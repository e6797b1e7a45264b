//! Windows: memory of the program that other ranks may reach into (MPI 5.0, chapter 12).
//!
//! Who may do what at which moment is in [`weir_message::window`]; here are the memory, the C functions, and what else
//! hangs on a window. A window has a communicator of its own, which no other messages meet, and its handle is that
//! communicator's: error handlers, attributes and hints of windows are kept as those of communicators.

pub(crate) mod access;
pub(crate) mod making;
pub(crate) mod memory;

use crate::mpi::collectives;
use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::prelude::*;
use crate::rank::{Awaited, Blocked};
pub(crate) use making::attribute;
use memory::{Flavor, Memory, Part};
use std::collections::BTreeMap;
use weir_collectives::Plan;
use weir_message::PROC_NULL;
use weir_message::window::{AfterFence, Conflicts, Lock, Until};
use weir_operations::{Asks, Over, PollFirst, WindowOperation};
use weir_units::Rank;

/// A window of the running rank: its own memory.
pub(crate) struct Window {
    pub(crate) id: CommunicatorId,
    /// Nothing, if memory is attached.
    part: Part,
    flavor: Flavor,
    pub(crate) name: String,
    attached: Vec<(usize, usize)>,
    /// Values of the attributes that every window has; programs hold pointers to them.
    shown: Box<Shown>,
    /// Keeps the memory that the library has made.
    _memory: Memory,
}

/// `MPI_WIN_SIZE`, `MPI_WIN_DISP_UNIT`, `MPI_WIN_CREATE_FLAVOR`, `MPI_WIN_MODEL`.
struct Shown {
    size: isize,
    unit: c_int,
    flavor: c_int,
    model: c_int,
}

#[derive(Default)]
pub(crate) struct Windows {
    pub(crate) all: Vec<Window>,
    /// Where accesses put what they fetch, by number.
    results: BTreeMap<u32, Buffer>,
    /// Number of times that the program has synchronised for nothing since anything happened.
    vain: u32,
    seen: u64,
}

impl Windows {
    fn find(&mut self, id: CommunicatorId) -> Option<&mut Window> {
        self.all.iter_mut().find(|window| window.id == id)
    }
}

pub(crate) fn id(context: &mut Context, win: Handle) -> Result<CommunicatorId> {
    let index = abi::own_index(win).and_then(|index| u32::try_from(index).ok()).ok_or(MpiError::Window)?;
    let id = CommunicatorId(index);
    context.rank().process.is_window(id).map(|()| id)
}

arguments! { Handle => WindowId: |context, _, given| id(context, given).map(Self); }

pub(crate) fn object(context: &mut Context, id: CommunicatorId) -> Result<&mut Window> {
    context.of::<Windows>().find(id).ok_or(MpiError::Window)
}

fn wait(context: &mut Context, window: CommunicatorId, until: Until) {
    if !context.rank().process.window_is_ready(window, until) {
        context.wait(Blocked::For(Awaited::Window { window, until }));
    }
}

/// Carries out an operation at a window, and waits where it has to.
fn carry_out(context: &mut Context, window: CommunicatorId, operation: &WindowOperation) -> Done {
    let (rank, actions) = context.both();
    if let Some(until) = rank.process.begin_at_window(actions, window, operation)? {
        wait(context, window, until);
    }
    let (rank, actions) = context.both();
    rank.process.end_at_window(actions, window, operation)
}

/// Waits at a window for something that no operation at the window follows, and says so to who watches.
fn settled(context: &mut Context, window: CommunicatorId, until: Until) {
    wait(context, window, until);
    let process = &context.rank().process;
    match until {
        Until::Done(target) => process.observe_flush(window, target, Over::There),
        Until::DoneHere(target) => process.observe_flush(window, target, Over::Here),
        Until::Granted | Until::Posted | Until::Completed => {}
    }
}

/// Waits at a window for accesses that may all be over. A program that synchronizes over and over though there is
/// nothing to wait for looks at its memory in a loop: for a change that others make, so time is made to pass.
fn settle(context: &mut Context, window: CommunicatorId, until: Until) -> Done {
    const FREE: u32 = 16;
    settled(context, window, until);
    let changes = context.rank().process.changes();
    let windows = context.of::<Windows>();
    windows.vain = if windows.seen == changes { windows.vain + 1 } else { 0 };
    windows.seen = changes;
    if windows.vain > FREE {
        context.poll(Awaited::Change { window }, |_| Ok(None::<()>))?;
    }
    Ok(())
}

fn barrier(context: &mut Context, window: CommunicatorId) -> Done {
    let place = collectives::place(context, window)?;
    let plan = Plan::barrier(&context.rank().world.options.choice, place);
    collectives::run(context, window, &plan, None, |_| ()).map(|_| ())
}

/// Refuses promises of a program that are none of these.
fn promised(given: c_int, known: c_int) -> Result<Conflicts> {
    if given & !known != 0 {
        return Err(MpiError::Assertion(given));
    }
    Ok(if given & MPI_MODE_NOCHECK == 0 { Conflicts::Possible } else { Conflicts::RuledOut })
}

/// Returns the mistake at a target since the last synchronization.
fn outcome(context: &mut Context, window: CommunicatorId) -> Done {
    context.rank().process.window_outcome(window)
}

pub(crate) fn win_fence(context: &mut Context, promises: c_int, WindowId(window): WindowId) -> Done {
    promised(promises, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED)?;
    context.rank().process.begin_fence(window)?;
    settled(context, window, Until::Done(None));
    barrier(context, window)?;
    let nothing = promises & MPI_MODE_NOSUCCEED != 0;
    let after = if nothing { AfterFence::Nothing } else { AfterFence::Accesses };
    carry_out(context, window, &WindowOperation::Fence { after })?;
    outcome(context, window)
}

pub(crate) fn win_post(context: &mut Context, args: WinPost) -> Done {
    let conflicts = promised(args.assert, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT)?;
    let group = context.rank().process.ranks_at(args.win.0, &args.group)?;
    carry_out(context, args.win.0, &WindowOperation::Post { group, conflicts })
}

pub(crate) fn win_start(context: &mut Context, args: WinStart) -> Done {
    let conflicts = promised(args.assert, MPI_MODE_NOCHECK)?;
    let group = context.rank().process.ranks_at(args.win.0, &args.group)?;
    carry_out(context, args.win.0, &WindowOperation::Start { group, conflicts })
}

pub(crate) fn win_complete(context: &mut Context, WindowId(window): WindowId) -> Done {
    carry_out(context, window, &WindowOperation::Complete)?;
    outcome(context, window)
}

pub(crate) fn win_wait(context: &mut Context, WindowId(window): WindowId) -> Done {
    carry_out(context, window, &WindowOperation::Wait { look: PollFirst::No })
}

pub(crate) fn win_test(context: &mut Context, WindowId(window): WindowId, flag: Out<c_int>) -> Done {
    context.rank().process.is_exposed(window)?;
    let until = Until::Completed;
    let look =
        |context: &mut Context| Ok(context.rank().process.window_is_ready(window, until).then_some(()));
    let over = context.poll(Awaited::Window { window, until }, look)?.is_some();
    if over {
        context.rank().process.end_exposure(window)?;
    }
    flag.give(c_int::from(over))
}

pub(crate) fn win_lock(context: &mut Context, args: WinLock) -> Done {
    let lock = match args.lock {
        MPI_LOCK_EXCLUSIVE => Lock::Exclusive,
        MPI_LOCK_SHARED => Lock::Shared,
        _ => return Err(MpiError::LockType(args.lock)),
    };
    let conflicts = promised(args.promises, MPI_MODE_NOCHECK)?;
    if args.rank == PROC_NULL {
        return Ok(());
    }
    carry_out(context, args.win.0, &WindowOperation::Lock { rank: args.rank as u32, lock, conflicts })
}

pub(crate) fn win_unlock(context: &mut Context, rank: c_int, WindowId(window): WindowId) -> Done {
    if rank == PROC_NULL {
        return Ok(());
    }
    carry_out(context, window, &WindowOperation::Unlock { rank: rank as u32 })?;
    outcome(context, window)
}

pub(crate) fn win_lock_all(context: &mut Context, promises: c_int, WindowId(window): WindowId) -> Done {
    let conflicts = promised(promises, MPI_MODE_NOCHECK)?;
    // Where ranks read and write each other's memory by themselves, the locks have to be there at once.
    let asks = match object(context, window)?.flavor {
        Flavor::Shared => Asks::AtOnce,
        _ => Asks::WhenReached,
    };
    carry_out(context, window, &WindowOperation::LockAll { asks, conflicts })
}

pub(crate) fn win_unlock_all(context: &mut Context, WindowId(window): WindowId) -> Done {
    carry_out(context, window, &WindowOperation::UnlockAll)?;
    outcome(context, window)
}

/// Waits until what the rank has done to one other or to all of them is over.
fn flush(
    context: &mut Context,
    window: CommunicatorId,
    rank: Option<c_int>,
    until: impl FnOnce(Option<Rank>) -> Until,
) -> Done {
    if rank == Some(PROC_NULL) {
        return Ok(());
    }
    let target = context.rank().process.may_flush(window, rank)?;
    settle(context, window, until(target))?;
    outcome(context, window)
}

pub(crate) fn win_flush(context: &mut Context, rank: c_int, WindowId(window): WindowId) -> Done {
    flush(context, window, Some(rank), Until::Done)
}

pub(crate) fn win_flush_all(context: &mut Context, WindowId(window): WindowId) -> Done {
    flush(context, window, None, Until::Done)
}

pub(crate) fn win_flush_local(context: &mut Context, rank: c_int, WindowId(window): WindowId) -> Done {
    flush(context, window, Some(rank), Until::DoneHere)
}

pub(crate) fn win_flush_local_all(context: &mut Context, WindowId(window): WindowId) -> Done {
    flush(context, window, None, Until::DoneHere)
}

pub(crate) fn win_sync(context: &mut Context, WindowId(window): WindowId) -> Done {
    // The two copies of the standard's model are one; what has come by now is seen.
    context.catch_up();
    settle(context, window, Until::Granted)
}

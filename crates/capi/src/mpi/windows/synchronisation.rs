//! When accesses may be made, and when they are over.

use super::memory::Flavour;
use super::{barrier, object, settle, settled, wait};
use crate::mpi::communicators::groups;
use crate::mpi::prelude::*;
use crate::mpi::windows::WindowId;
use crate::rank::Awaited;
use weir_message::PROC_NULL;
use weir_message::window::{AfterFence, Conflicts, Lock, Until};
use weir_units::Rank;

/// Refuses promises of a program that are none of these.
fn promised(given: c_int, known: c_int) -> Result<Conflicts> {
    if given & !known != 0 {
        return Err(MpiError::Assertion(given));
    }
    Ok(if given & MPI_MODE_NOCHECK == 0 { Conflicts::Possible } else { Conflicts::RuledOut })
}

/// Returns the mistake at a target since the last synchronisation.
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
    context.rank().process.end_fence(window, after)?;
    outcome(context, window)
}

pub(crate) fn win_post(
    context: &mut Context,
    group: Handle,
    promises: c_int,
    WindowId(window): WindowId,
) -> Done {
    let conflicts = promised(promises, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT)?;
    let group = groups::get(context, group)?;
    let (rank, actions) = context.both();
    rank.process.post_window(actions, window, &group, conflicts)
}

pub(crate) fn win_start(
    context: &mut Context,
    group: Handle,
    promises: c_int,
    WindowId(window): WindowId,
) -> Done {
    let conflicts = promised(promises, MPI_MODE_NOCHECK)?;
    let group = groups::get(context, group)?;
    context.rank().process.start_window(window, group, conflicts)?;
    wait(context, window, Until::Posted);
    Ok(())
}

pub(crate) fn win_complete(context: &mut Context, WindowId(window): WindowId) -> Done {
    context.rank().process.may_complete(window)?;
    wait(context, window, Until::Done(None));
    let (rank, actions) = context.both();
    rank.process.complete_window(actions, window)?;
    outcome(context, window)
}

pub(crate) fn win_wait(context: &mut Context, WindowId(window): WindowId) -> Done {
    context.rank().process.is_exposed(window)?;
    wait(context, window, Until::Completed);
    context.rank().process.end_exposure(window)
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

pub(crate) fn win_lock(
    context: &mut Context,
    kind: c_int,
    rank: c_int,
    promises: c_int,
    WindowId(window): WindowId,
) -> Done {
    let lock = match kind {
        MPI_LOCK_EXCLUSIVE => Lock::Exclusive,
        MPI_LOCK_SHARED => Lock::Shared,
        _ => return Err(MpiError::LockType(kind)),
    };
    let conflicts = promised(promises, MPI_MODE_NOCHECK)?;
    if rank == PROC_NULL {
        return Ok(());
    }
    let (own, actions) = context.both();
    own.process.lock_window(actions, window, rank, lock, conflicts)?;
    wait(context, window, Until::Granted);
    Ok(())
}

pub(crate) fn win_unlock(context: &mut Context, rank: c_int, WindowId(window): WindowId) -> Done {
    if rank == PROC_NULL {
        return Ok(());
    }
    let target = context.rank().process.may_unlock(window, rank)?;
    wait(context, window, Until::Done(Some(target)));
    let (own, actions) = context.both();
    own.process.unlock_window(actions, window, rank)?;
    outcome(context, window)
}

pub(crate) fn win_lock_all(context: &mut Context, promises: c_int, WindowId(window): WindowId) -> Done {
    let conflicts = promised(promises, MPI_MODE_NOCHECK)?;
    // Where ranks read and write each other's memory by themselves, the locks have to be there at once.
    let members: Vec<Rank> = match object(context, window)?.flavour {
        Flavour::Shared => context.rank().process.communicator(window)?.group.members().collect(),
        _ => Vec::new(),
    };
    let (rank, actions) = context.both();
    rank.process.lock_all(actions, window, &members, conflicts)?;
    wait(context, window, Until::Granted);
    Ok(())
}

pub(crate) fn win_unlock_all(context: &mut Context, WindowId(window): WindowId) -> Done {
    context.rank().process.may_unlock_all(window)?;
    wait(context, window, Until::Done(None));
    let (rank, actions) = context.both();
    rank.process.unlock_all(actions, window)?;
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

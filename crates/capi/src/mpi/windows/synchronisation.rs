//! When accesses may be made, and when they are over.

use super::memory::Flavour;
use super::{barrier, id, object, settle, settled, wait};
use crate::calls::abi::Handle;
use crate::calls::output_arguments::give;
use crate::mpi::communicators::groups;
use crate::rank::Polled;
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use std::ffi::c_int;
use weir_message::window::{AfterFence, Conflicts, Lock, Until};
use weir_message::{CommunicatorId, MpiError, PROC_NULL};
use weir_units::Rank;

const LOCK_EXCLUSIVE: c_int = 301;
const LOCK_SHARED: c_int = 302;
const MODE_NOCHECK: c_int = 1024;
const MODE_NOPRECEDE: c_int = 2048;
const MODE_NOPUT: c_int = 4096;
const MODE_NOSTORE: c_int = 8192;
const MODE_NOSUCCEED: c_int = 16384;

/// What a program promises must be among these.
fn promised(given: c_int, known: c_int) -> Result<Conflicts, MpiError> {
    if given & !known != 0 {
        return Err(MpiError::Assertion(given));
    }
    Ok(if given & MODE_NOCHECK == 0 { Conflicts::Possible } else { Conflicts::RuledOut })
}

/// What has gone wrong at targets since the last synchronisation.
fn outcome(context: &mut Context, window: CommunicatorId) -> Result<(), MpiError> {
    context.rank().process.window_outcome(window)
}

pub(crate) unsafe extern "C" fn win_fence(promises: c_int, win: Handle) -> c_int {
    call("MPI_Win_fence", win, |context| {
        let window = id(context, win)?;
        promised(promises, MODE_NOSTORE | MODE_NOPUT | MODE_NOPRECEDE | MODE_NOSUCCEED)?;
        context.rank().process.begin_fence(window)?;
        settled(context, window, Until::Done(None));
        barrier(context, window)?;
        let nothing = promises & MODE_NOSUCCEED != 0;
        let after = if nothing { AfterFence::Nothing } else { AfterFence::Accesses };
        context.rank().process.end_fence(window, after)?;
        outcome(context, window)
    })
}

pub(crate) unsafe extern "C" fn win_post(group: Handle, promises: c_int, win: Handle) -> c_int {
    call("MPI_Win_post", win, |context| {
        let window = id(context, win)?;
        let conflicts = promised(promises, MODE_NOCHECK | MODE_NOSTORE | MODE_NOPUT)?;
        let group = groups::get(context, group)?;
        let (rank, actions) = context.both();
        rank.process.post_window(actions, window, &group, conflicts)
    })
}

pub(crate) unsafe extern "C" fn win_start(group: Handle, promises: c_int, win: Handle) -> c_int {
    call("MPI_Win_start", win, |context| {
        let window = id(context, win)?;
        let conflicts = promised(promises, MODE_NOCHECK)?;
        let group = groups::get(context, group)?;
        context.rank().process.start_window(window, group, conflicts)?;
        wait(context, window, Until::Posted);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn win_complete(win: Handle) -> c_int {
    call("MPI_Win_complete", win, |context| {
        let window = id(context, win)?;
        context.rank().process.may_complete(window)?;
        wait(context, window, Until::Done(None));
        let (rank, actions) = context.both();
        rank.process.complete_window(actions, window)?;
        outcome(context, window)
    })
}

pub(crate) unsafe extern "C" fn win_wait(win: Handle) -> c_int {
    call("MPI_Win_wait", win, |context| {
        let window = id(context, win)?;
        context.rank().process.is_exposed(window)?;
        wait(context, window, Until::Completed);
        context.rank().process.end_exposure(window)
    })
}

pub(crate) unsafe extern "C" fn win_test(win: Handle, flag: *mut c_int) -> c_int {
    call("MPI_Win_test", win, |context| {
        let window = id(context, win)?;
        context.rank().process.is_exposed(window)?;
        let until = Until::Completed;
        let look =
            |context: &mut Context| Ok(context.rank().process.window_is_ready(window, until).then_some(()));
        let over = context.poll(Polled::Window { window, until }, look)?.is_some();
        if over {
            context.rank().process.end_exposure(window)?;
        }
        give(flag, "flag", c_int::from(over))
    })
}

pub(crate) unsafe extern "C" fn win_lock(kind: c_int, rank: c_int, promises: c_int, win: Handle) -> c_int {
    call("MPI_Win_lock", win, |context| {
        let window = id(context, win)?;
        let lock = match kind {
            LOCK_EXCLUSIVE => Lock::Exclusive,
            LOCK_SHARED => Lock::Shared,
            _ => return Err(MpiError::LockType(kind)),
        };
        let conflicts = promised(promises, MODE_NOCHECK)?;
        if rank == PROC_NULL {
            return Ok(());
        }
        let (own, actions) = context.both();
        own.process.lock_window(actions, window, rank, lock, conflicts)?;
        wait(context, window, Until::Granted);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn win_unlock(rank: c_int, win: Handle) -> c_int {
    call("MPI_Win_unlock", win, |context| {
        let window = id(context, win)?;
        if rank == PROC_NULL {
            return Ok(());
        }
        let target = context.rank().process.may_unlock(window, rank)?;
        wait(context, window, Until::Done(Some(target)));
        let (own, actions) = context.both();
        own.process.unlock_window(actions, window, rank)?;
        outcome(context, window)
    })
}

pub(crate) unsafe extern "C" fn win_lock_all(promises: c_int, win: Handle) -> c_int {
    call("MPI_Win_lock_all", win, |context| {
        let window = id(context, win)?;
        let conflicts = promised(promises, MODE_NOCHECK)?;
        // Where ranks read and write each other's memory by themselves, the locks have to be there at once.
        let members: Vec<Rank> = match object(context, window)?.flavour {
            Flavour::Shared => context.rank().process.communicator(window)?.group.members().collect(),
            _ => Vec::new(),
        };
        let (rank, actions) = context.both();
        rank.process.lock_all(actions, window, &members, conflicts)?;
        wait(context, window, Until::Granted);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn win_unlock_all(win: Handle) -> c_int {
    call("MPI_Win_unlock_all", win, |context| {
        let window = id(context, win)?;
        context.rank().process.may_unlock_all(window)?;
        wait(context, window, Until::Done(None));
        let (rank, actions) = context.both();
        rank.process.unlock_all(actions, window)?;
        outcome(context, window)
    })
}

/// The flushes: of one rank or of all, of what is to be done there or here.
fn flush(
    name: &'static str,
    win: Handle,
    rank: Option<c_int>,
    until: impl FnOnce(Option<Rank>) -> Until,
) -> c_int {
    call(name, win, |context| {
        let window = id(context, win)?;
        if rank == Some(PROC_NULL) {
            return Ok(());
        }
        let target = context.rank().process.may_flush(window, rank)?;
        settle(context, window, until(target))?;
        outcome(context, window)
    })
}

pub(crate) unsafe extern "C" fn win_flush(rank: c_int, win: Handle) -> c_int {
    flush("MPI_Win_flush", win, Some(rank), Until::Done)
}

pub(crate) unsafe extern "C" fn win_flush_all(win: Handle) -> c_int {
    flush("MPI_Win_flush_all", win, None, Until::Done)
}

pub(crate) unsafe extern "C" fn win_flush_local(rank: c_int, win: Handle) -> c_int {
    flush("MPI_Win_flush_local", win, Some(rank), Until::DoneHere)
}

pub(crate) unsafe extern "C" fn win_flush_local_all(win: Handle) -> c_int {
    flush("MPI_Win_flush_local_all", win, None, Until::DoneHere)
}

pub(crate) unsafe extern "C" fn win_sync(win: Handle) -> c_int {
    call("MPI_Win_sync", win, |context| {
        let window = id(context, win)?;
        // The two copies of the standard's model are one; what has come by now is seen.
        context.catch_up();
        settle(context, window, Until::Granted)
    })
}

//! Windows: memory of the program that other ranks may reach into (MPI 5.0, chapter 12).
//!
//! Who may do what at which moment is in [`weir_message::window`]; here are the memory, the C functions, and what else
//! hangs on a window. A window has a communicator of its own, which no other messages meet, and its handle is that
//! communicator's: error handlers, attributes and hints of windows are kept as those of communicators.

pub(crate) mod access;
pub(crate) mod making;
pub(crate) mod memory;
pub(crate) mod synchronisation;

use crate::mpi::collectives;
use crate::mpi::datatypes::buffer::Buffer;
use crate::mpi::prelude::*;
use crate::rank::{Awaited, Blocked};
pub(crate) use making::attribute;
use memory::{Flavour, Memory};
use weir_message::WindowDeed;
use weir_message::collective::Plan;
use weir_message::window::Until;

/// A window of the running rank: its own memory.
pub(crate) struct Window {
    pub(crate) id: CommunicatorId,
    /// Address, bytes, and bytes that a displacement counts by. Nothing, if memory is attached.
    base: usize,
    size: usize,
    unit: usize,
    flavour: Flavour,
    pub(crate) name: String,
    /// Memory of a dynamic window: addresses and lengths.
    attached: Vec<(usize, usize)>,
    /// Values of the attributes that every window has; programs hold pointers to them.
    shown: Box<Shown>,
    /// Keeps the memory that the library has made.
    _memory: Option<Memory>,
}

/// `MPI_WIN_SIZE`, `MPI_WIN_DISP_UNIT`, `MPI_WIN_CREATE_FLAVOR`, `MPI_WIN_MODEL`.
struct Shown {
    size: isize,
    unit: c_int,
    flavour: c_int,
    model: c_int,
}

#[derive(Default)]
pub(crate) struct Windows {
    all: Vec<Window>,
    /// Where accesses put what they fetch, by number.
    results: Vec<Option<Buffer>>,
    /// Number of times that the program has synchronised for nothing since anything happened.
    vain: u32,
    seen: u64,
}

impl Windows {
    pub(crate) fn left(&self) -> usize {
        self.all.len()
    }

    fn find(&mut self, id: CommunicatorId) -> Option<&mut Window> {
        self.all.iter_mut().find(|window| window.id == id)
    }

    fn keep_result(&mut self, operation: u32, buffer: Buffer) {
        let index = operation as usize;
        if self.results.len() <= index {
            self.results.resize_with(index + 1, || None);
        }
        self.results[index] = Some(buffer);
    }

    fn take_result(&mut self, operation: u32) -> Option<Buffer> {
        self.results.get_mut(operation as usize).and_then(Option::take)
    }
}

/// The window behind a handle of the running rank.
pub(crate) fn id(context: &mut Context, win: Handle) -> Result<CommunicatorId> {
    let index = abi::own_index(win).and_then(|index| u32::try_from(index).ok()).ok_or(MpiError::Window)?;
    let id = CommunicatorId(index);
    context.rank().process.is_window(id).map(|()| id)
}

/// A window of the running rank, as an argument.
#[derive(Clone, Copy)]
pub(crate) struct WindowId(CommunicatorId);

impl Argument<Handle> for WindowId {
    fn of(context: &mut Context, _: &str, given: Handle) -> Result<Self> {
        id(context, given).map(Self)
    }
}

pub(crate) fn object(context: &mut Context, id: CommunicatorId) -> Result<&mut Window> {
    context.of::<Windows>().find(id).ok_or(MpiError::Window)
}

fn wait(context: &mut Context, window: CommunicatorId, until: Until) {
    if !context.rank().process.window_is_ready(window, until) {
        context.wait(Blocked::For(Awaited::Window { window, until }));
    }
}

/// Waits at a window for something that no step of the window's follows, and says so to who watches.
fn settled(context: &mut Context, window: CommunicatorId, until: Until) {
    wait(context, window, until);
    context.rank().process.observe_window(window, WindowDeed::Wait(until));
}

/// Waits at a window for accesses that may all be over. A program that synchronises over and over though there is
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

/// A barrier of all ranks of a window.
fn barrier(context: &mut Context, window: CommunicatorId) -> Done {
    let place = collectives::place(context, window)?;
    let plan = Plan::barrier(&context.rank().world.options.choice, place);
    collectives::run(context, window, &plan, None, |_| ()).map(|_| ())
}

//! Making windows, and ending them.

use super::memory::{Flavour, Memory, zeroed};
use super::shared::{Part, Parts};
use super::{Shown, Window, barrier, id, object, settled, windows};
use crate::calls::abi::{self, Handle, WIN_NULL};
use crate::calls::output_arguments::{give, out};
use crate::mpi::attributes;
use crate::mpi::collectives;
use crate::mpi::datatypes::sections::whole;
use crate::mpi::info;
use crate::rank::context::Context;
use crate::rank::mpi_call::call;
use std::ffi::{c_int, c_void};
use std::ptr;
use std::rc::Rc;
use weir_message::collective::Plan;
use weir_message::window::Until;
use weir_message::{CommunicatorId, MpiError, PROC_NULL};
use weir_units::Rank;

const MODEL_UNIFIED: c_int = 321;

/// What a program says of the memory of a window.
#[derive(Clone, Copy)]
struct Asked {
    size: usize,
    unit: usize,
}

impl Asked {
    fn new(size: isize, unit: isize) -> Result<Self, MpiError> {
        let bytes = usize::try_from(size).map_err(|_| MpiError::Size(size as i64))?;
        let positive = usize::try_from(unit).ok().filter(|&unit| unit > 0);
        let unit =
            positive.ok_or_else(|| MpiError::Displacement(format!("the unit {unit} is not positive")))?;
        Ok(Self { size: bytes, unit })
    }
}

/// Opens a window with these hints, which may be none.
fn open(context: &mut Context, comm: Handle, hints: Handle) -> Result<CommunicatorId, MpiError> {
    let comm = abi::communicator(comm)?;
    context.rank().process.communicator(comm)?;
    let hints = info::given(context, hints)?;
    let made = context.rank().process.open_window(comm)?;
    if let Some(hints) = hints {
        info::add_hints(context, made, &hints);
    }
    Ok(made)
}

/// Keeps what others will reach.
fn keep(
    context: &mut Context,
    id: CommunicatorId,
    flavour: Flavour,
    (base, asked): (usize, Asked),
    memory: Option<Memory>,
) {
    let Asked { size, unit } = asked;
    let shown = Box::new(Shown {
        size: size as isize,
        unit: unit as c_int,
        flavour: flavour.value(),
        model: MODEL_UNIFIED,
    });
    let window = Window {
        id,
        base,
        size,
        unit,
        flavour,
        name: String::new(),
        attached: Vec::new(),
        shown,
        _memory: memory,
    };
    windows(context).all.push(window);
}

fn create(
    name: &'static str,
    base: *mut c_void,
    (size, unit): (isize, isize),
    hints: Handle,
    comm: Handle,
    win: *mut Handle,
) -> c_int {
    call(name, comm, |context| {
        let asked = Asked::new(size, unit)?;
        let win = out(win, "win")?;
        if base.is_null() && size > 0 {
            return Err(MpiError::Base(format!("a null pointer for a window of {size} bytes")));
        }
        let base = whole(base)?;
        let id = open(context, comm, hints)?;
        keep(context, id, Flavour::Create, (base as usize, asked), None);
        // No rank may reach in before all have a window.
        barrier(context, id)?;
        win.set(abi::communicator_handle(Some(id)));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn win_create(
    base: *mut c_void,
    size: isize,
    unit: c_int,
    info: Handle,
    comm: Handle,
    win: *mut Handle,
) -> c_int {
    create("MPI_Win_create", base, (size, unit as isize), info, comm, win)
}

pub(crate) unsafe extern "C" fn win_create_c(
    base: *mut c_void,
    size: isize,
    unit: isize,
    info: Handle,
    comm: Handle,
    win: *mut Handle,
) -> c_int {
    create("MPI_Win_create_c", base, (size, unit), info, comm, win)
}

fn allocate(
    name: &'static str,
    (size, unit): (isize, isize),
    hints: Handle,
    comm: Handle,
    base: *mut *mut c_void,
    win: *mut Handle,
) -> c_int {
    call(name, comm, |context| {
        let asked = Asked::new(size, unit)?;
        let win = out(win, "win")?;
        let base = out(base, "baseptr")?;
        let mut memory = zeroed(asked.size)?;
        let id = open(context, comm, hints)?;
        let address = memory.as_mut_ptr() as usize;
        let part = Part { address, size: asked.size, unit: asked.unit };
        let (rank, number) = whose(context, id)?;
        context.rank().world.shared_memory().add(number, rank, part);
        keep(context, id, Flavour::Allocate, (address, asked), Some(Memory::Own(memory)));
        barrier(context, id)?;
        base.set(address as *mut c_void);
        win.set(abi::communicator_handle(Some(id)));
        Ok(())
    })
}

/// The running rank, and the number that all know its window by.
fn whose(context: &mut Context, id: CommunicatorId) -> Result<(Rank, u64), MpiError> {
    let process = &context.rank().process;
    Ok((process.rank(), process.window_context(id)?))
}

pub(crate) unsafe extern "C" fn win_allocate(
    size: isize,
    unit: c_int,
    info: Handle,
    comm: Handle,
    base: *mut *mut c_void,
    win: *mut Handle,
) -> c_int {
    allocate("MPI_Win_allocate", (size, unit as isize), info, comm, base, win)
}

pub(crate) unsafe extern "C" fn win_allocate_c(
    size: isize,
    unit: isize,
    info: Handle,
    comm: Handle,
    base: *mut *mut c_void,
    win: *mut Handle,
) -> c_int {
    allocate("MPI_Win_allocate_c", (size, unit), info, comm, base, win)
}

/// Whether all ranks of a communicator are on one node.
fn on_one_node(context: &mut Context, comm: Handle) -> Result<(), MpiError> {
    let members = context.rank().process.communicator(abi::communicator(comm)?)?.group.clone();
    let rank = context.rank();
    let near = rank.world.on_same_node(rank.process.rank());
    if context.rank().world.is_apart() && members.size() > 1 {
        return Err(MpiError::RmaShared("ranks that are processes of their own share no memory".into()));
    }
    match members.members().find(|member| near.binary_search(member).is_err()) {
        None => Ok(()),
        Some(far) => Err(MpiError::RmaShared(format!("rank {far} of the world is on another node"))),
    }
}

fn allocate_shared(
    name: &'static str,
    (size, unit): (isize, isize),
    hints: Handle,
    comm: Handle,
    base: *mut *mut c_void,
    win: *mut Handle,
) -> c_int {
    call(name, comm, |context| {
        let asked = Asked::new(size, unit)?;
        let win = out(win, "win")?;
        let base = out(base, "baseptr")?;
        on_one_node(context, comm)?;
        let apart = info::value(context, hints, c"alloc_shared_noncontig")?;
        let parts = if apart.is_some_and(|value| value.as_c_str() == c"true") {
            Parts::Apart
        } else {
            Parts::Contiguous
        };
        let id = open(context, comm, hints)?;
        // Everybody has to know everybody's size; when it does, everybody has opened the window.
        let place = collectives::place(context, id)?;
        let plan = Plan::allgather(context.rank().world.choice(), place, 16);
        let own = [asked.size.to_ne_bytes(), asked.unit.to_ne_bytes()].concat();
        let all = collectives::run(context, id, &plan, None, |into| into.copy_from_slice(&own))?;
        let word = |bytes: &[u8]| usize::from_ne_bytes(bytes.try_into().unwrap_or_default());
        let sizes: Vec<(usize, usize)> =
            all.chunks_exact(16).map(|entry| (word(&entry[..8]), word(&entry[8..]))).collect();
        let (rank, number) = whose(context, id)?;
        let segment = context.rank().world.shared_memory().segment(number, &sizes, parts)?;
        let part = segment.parts[place.rank];
        context.rank().world.shared_memory().add(number, rank, part);
        keep(context, id, Flavour::Shared, (part.address, asked), Some(Memory::Shared(Rc::clone(&segment))));
        barrier(context, id)?;
        base.set(part.address as *mut c_void);
        win.set(abi::communicator_handle(Some(id)));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn win_allocate_shared(
    size: isize,
    unit: c_int,
    info: Handle,
    comm: Handle,
    base: *mut *mut c_void,
    win: *mut Handle,
) -> c_int {
    allocate_shared("MPI_Win_allocate_shared", (size, unit as isize), info, comm, base, win)
}

pub(crate) unsafe extern "C" fn win_allocate_shared_c(
    size: isize,
    unit: isize,
    info: Handle,
    comm: Handle,
    base: *mut *mut c_void,
    win: *mut Handle,
) -> c_int {
    allocate_shared("MPI_Win_allocate_shared_c", (size, unit), info, comm, base, win)
}

/// The memory of a rank of a window that the running rank can reach by itself; `None`: there is none. The null process
/// stands for the first rank that has any.
fn reachable(context: &mut Context, id: CommunicatorId, rank: c_int) -> Result<Option<Part>, MpiError> {
    let window = object(context, id)?;
    if window.flavour == Flavour::Dynamic {
        return Err(MpiError::RmaFlavour("a dynamic window has no memory of its own".into()));
    }
    let own = context.rank();
    let (process, world) = (&own.process, &own.world);
    let number = process.window_context(id)?;
    let near = world.on_same_node(process.rank());
    let find = |member: Rank| {
        let on_node = near.binary_search(&member).is_ok();
        on_node.then(|| world.shared_memory().find(number, member)).flatten()
    };
    if rank == PROC_NULL {
        let group = &process.communicator(id)?.group;
        return Ok(group.members().filter_map(find).find(|part| part.size > 0));
    }
    Ok(find(process.window_rank(id, rank)?))
}

fn shared_query(
    name: &'static str,
    win: Handle,
    rank: c_int,
    size: *mut isize,
    base: *mut *mut c_void,
    give_unit: impl FnOnce(usize) -> Result<(), MpiError>,
) -> c_int {
    call(name, win, |context| {
        let id = id(context, win)?;
        let part = reachable(context, id, rank)?.unwrap_or(Part { address: 0, size: 0, unit: 0 });
        give(size, "size", part.size as isize)?;
        give(base, "baseptr", part.address as *mut c_void)?;
        give_unit(part.unit)
    })
}

pub(crate) unsafe extern "C" fn win_shared_query(
    win: Handle,
    rank: c_int,
    size: *mut isize,
    unit: *mut c_int,
    base: *mut *mut c_void,
) -> c_int {
    shared_query("MPI_Win_shared_query", win, rank, size, base, |found| {
        give(unit, "disp_unit", found as c_int)
    })
}

pub(crate) unsafe extern "C" fn win_shared_query_c(
    win: Handle,
    rank: c_int,
    size: *mut isize,
    unit: *mut isize,
    base: *mut *mut c_void,
) -> c_int {
    shared_query("MPI_Win_shared_query_c", win, rank, size, base, |found| {
        give(unit, "disp_unit", found as isize)
    })
}

pub(crate) unsafe extern "C" fn win_create_dynamic(hints: Handle, comm: Handle, win: *mut Handle) -> c_int {
    call("MPI_Win_create_dynamic", comm, |context| {
        let win = out(win, "win")?;
        let id = open(context, comm, hints)?;
        keep(context, id, Flavour::Dynamic, (0, Asked { size: 0, unit: 1 }), None);
        barrier(context, id)?;
        win.set(abi::communicator_handle(Some(id)));
        Ok(())
    })
}

/// The window behind a handle, if memory can be attached to it.
fn dynamic(context: &mut Context, win: Handle) -> Result<&mut Window, MpiError> {
    let id = id(context, win)?;
    let window = object(context, id)?;
    match window.flavour {
        Flavour::Dynamic => Ok(window),
        _ => Err(MpiError::RmaFlavour("not a window of MPI_Win_create_dynamic".into())),
    }
}

pub(crate) unsafe extern "C" fn win_attach(win: Handle, base: *mut c_void, size: isize) -> c_int {
    call("MPI_Win_attach", win, |context| {
        let window = dynamic(context, win)?;
        let length = usize::try_from(size).map_err(|_| MpiError::Size(size as i64))?;
        let start = whole(base)? as usize;
        if start == 0 && length > 0 {
            return Err(MpiError::Base(format!("a null pointer for {size} bytes")));
        }
        let end = start.checked_add(length).ok_or(MpiError::Size(size as i64))?;
        if window.attached.iter().any(|&(from, bytes)| start < from + bytes && from < end || start == from) {
            return Err(MpiError::RmaAttach("part of the memory is attached already".into()));
        }
        window.attached.push((start, length));
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn win_detach(win: Handle, base: *const c_void) -> c_int {
    call("MPI_Win_detach", win, |context| {
        let window = dynamic(context, win)?;
        let found = window.attached.iter().position(|&(start, _)| start == base as usize);
        let index = found.ok_or_else(|| MpiError::RmaAttach("no memory is attached there".into()))?;
        window.attached.remove(index);
        Ok(())
    })
}

pub(crate) unsafe extern "C" fn win_free(win: *mut Handle) -> c_int {
    // SAFETY: the program's variable.
    let handle = if win.is_null() { ptr::null_mut() } else { unsafe { *win } };
    call("MPI_Win_free", handle, |context| {
        let id = id(context, handle)?;
        context.rank().process.may_close_window(id)?;
        attributes::delete_all(context, id)?;
        settled(context, id, Until::Done(None));
        // Others may still be about to reach in.
        barrier(context, id)?;
        let outcome = context.rank().process.window_outcome(id);
        let (rank, number) = whose(context, id)?;
        context.rank().world.shared_memory().remove(number, rank);
        context.rank().process.close_window(id)?;
        windows(context).all.retain(|window| window.id != id);
        info::forget(context, id);
        give(win, "win", abi::predefined(WIN_NULL))?;
        outcome
    })
}

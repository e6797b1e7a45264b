//! Making windows, and ending them.

use crate::mpi::attributes::Holder;
use crate::mpi::datatypes::pieces::whole;
use crate::mpi::prelude::*;
use crate::mpi::windows::memory::{Flavor, Memory, Part, Parts, zeroed};
use crate::mpi::windows::{Shown, Window, Windows, barrier, id, object, settled};
use crate::mpi::{attributes, collectives, info};
use std::rc::Rc;
use weir_collectives::Plan;
use weir_message::PROC_NULL;
use weir_message::window::Until;
use weir_units::Rank;

/// The memory that a program requests for a window, which lies nowhere yet.
fn requested(size: isize, unit: i64) -> Result<Part> {
    let bytes = usize::try_from(size).map_err(|_| MpiError::Size(size as i64))?;
    let positive = usize::try_from(unit).ok().filter(|&unit| unit > 0);
    let unit = positive.ok_or_else(|| MpiError::Displacement(format!("the unit {unit} is not positive")))?;
    Ok(Part { address: 0, size: bytes, unit })
}

/// Opens a window with these hints, which may be none.
fn open(context: &mut Context, comm: CommunicatorId, hints: Handle) -> Result<CommunicatorId> {
    context.communicator(comm)?;
    let hints = info::hints(context, hints)?;
    let made = context.rank().process.open_window(comm)?;
    info::add_hints(context, made, &hints);
    Ok(made)
}

/// Keeps a window; its handle. No rank may reach in before all have it.
fn keep(
    context: &mut Context,
    id: CommunicatorId,
    flavor: Flavor,
    part: Part,
    memory: Memory,
) -> Result<Handle> {
    let Part { size, unit, .. } = part;
    let (size, unit, model) = (size as isize, unit as c_int, MPI_WIN_UNIFIED);
    let shown = Box::new(Shown { size, unit, flavor: flavor as c_int, model });
    let (name, attached) = (String::new(), Vec::new());
    context.of::<Windows>().all.push(Window { id, part, flavor, name, attached, shown, _memory: memory });
    barrier(context, id)?;
    Ok(abi::communicator_handle(Some(id)))
}

pub(crate) fn win_create(context: &mut Context, args: WinCreate) -> Done {
    let asked = requested(args.size, args.unit)?;
    if args.base.is_null() && args.size > 0 {
        return Err(MpiError::Base(format!("a null pointer for a window of {} bytes", args.size)));
    }
    let part = Part { address: whole(args.base)? as usize, ..asked };
    let id = open(context, args.comm, args.info)?;
    args.win.give(keep(context, id, Flavor::Create, part, Memory::OfProgram)?)
}

pub(crate) fn win_allocate(context: &mut Context, args: WinAllocate) -> Done {
    let asked = requested(args.size, args.unit)?;
    let mut memory = zeroed(asked.size)?;
    let id = open(context, args.comm, args.info)?;
    let part = Part { address: memory.as_mut_ptr() as usize, ..asked };
    let (rank, number) = whose(context, id)?;
    context.rank().world.shared_memory().allocated.insert((number, rank), part);
    args.win.set(keep(context, id, Flavor::Allocate, part, Memory::Own(memory))?);
    args.base_address.give(part.address as *mut c_void)
}

/// The running rank, and the number that all know its window by.
fn whose(context: &mut Context, id: CommunicatorId) -> Result<(Rank, u64)> {
    let process = &context.rank().process;
    Ok((process.rank(), process.window_context(id)?))
}

/// Refuses a communicator whose ranks are not all on one node.
fn on_one_node(context: &mut Context, comm: CommunicatorId) -> Done {
    let members = context.communicator(comm)?.group.clone();
    let rank = context.rank();
    let near = rank.world.on_same_node(rank.process.rank());
    if context.rank().world.is_child() && members.size() > 1 {
        return Err(MpiError::RmaShared("ranks that are processes of their own share no memory".into()));
    }
    match members.members().find(|member| near.binary_search(member).is_err()) {
        None => Ok(()),
        Some(far) => Err(MpiError::RmaShared(format!("rank {far} of the world is on another node"))),
    }
}

pub(crate) fn win_allocate_shared(context: &mut Context, args: WinAllocateShared) -> Done {
    let asked = requested(args.size, args.disp_unit)?;
    on_one_node(context, args.comm)?;
    let apart = info::value(context, args.info, c"alloc_shared_noncontig")?;
    let parts =
        if apart.is_some_and(|value| value.as_c_str() == c"true") { Parts::Apart } else { Parts::Contiguous };
    let id = open(context, args.comm, args.info)?;
    // Everybody has to know everybody's size; when it does, everybody has opened the window.
    let place = collectives::place(context, id)?;
    let plan = Plan::allgather(&context.rank().world.options.choice, place, 16);
    let own = [asked.size.to_ne_bytes(), asked.unit.to_ne_bytes()].concat();
    let all = collectives::run(context, id, &plan, None, |into| into.copy_from_slice(&own))?;
    let word = |bytes: &[u8]| usize::from_ne_bytes(bytes.try_into().unwrap_or_default());
    let sizes: Vec<(usize, usize)> =
        all.chunks_exact(16).map(|entry| (word(&entry[..8]), word(&entry[8..]))).collect();
    let (rank, number) = whose(context, id)?;
    let segment = context.rank().world.shared_memory().segment(number, &sizes, parts)?;
    let part = segment.parts[place.rank];
    context.rank().world.shared_memory().allocated.insert((number, rank), part);
    let memory = Memory::Shared(Rc::clone(&segment));
    args.win.set(keep(context, id, Flavor::Shared, part, memory)?);
    args.baseptr.give(part.address as *mut c_void)
}

/// The memory of a rank of a window that the running rank can reach by itself; `None`: there is none. The null process
/// stands for the first rank that has any.
fn reachable(context: &mut Context, id: CommunicatorId, rank: c_int) -> Result<Option<Part>> {
    let window = object(context, id)?;
    if window.flavor == Flavor::Dynamic {
        return Err(MpiError::RmaFlavour("a dynamic window has no memory of its own".into()));
    }
    let own = context.rank();
    let (process, world) = (&own.process, &own.world);
    let number = process.window_context(id)?;
    let near = world.on_same_node(process.rank());
    let find = |member: Rank| {
        let on_node = near.binary_search(&member).is_ok();
        on_node.then(|| world.shared_memory().allocated.get(&(number, member)).copied()).flatten()
    };
    if rank == PROC_NULL {
        let group = &process.communicator(id)?.group;
        return Ok(group.members().filter_map(find).find(|part| part.size > 0));
    }
    Ok(find(process.window_rank(id, rank)?))
}

pub(crate) fn win_shared_query(context: &mut Context, args: WinSharedQuery) -> Done {
    let part = reachable(context, args.win.0, args.rank)?.unwrap_or(Part { address: 0, size: 0, unit: 0 });
    args.size.set(part.size as isize);
    args.baseptr.set(part.address as *mut c_void);
    args.disp_unit.give(Some(part.unit))
}

pub(crate) fn win_create_dynamic(context: &mut Context, args: WinCreateDynamic) -> Done {
    let id = open(context, args.comm, args.info)?;
    let nothing = Part { address: 0, size: 0, unit: 1 };
    args.win.give(keep(context, id, Flavor::Dynamic, nothing, Memory::OfProgram)?)
}

/// A window, if memory can be attached to it.
fn dynamic(context: &mut Context, WindowId(id): WindowId) -> Result<&mut Window> {
    let window = object(context, id)?;
    match window.flavor {
        Flavor::Dynamic => Ok(window),
        _ => Err(MpiError::RmaFlavour("not a window of MPI_Win_create_dynamic".into())),
    }
}

pub(crate) fn win_attach(context: &mut Context, win: WindowId, base: *mut c_void, size: isize) -> Done {
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
}

pub(crate) fn win_detach(context: &mut Context, win: WindowId, base: *const c_void) -> Done {
    let window = dynamic(context, win)?;
    let found = window.attached.iter().position(|&(start, _)| start == base as usize);
    let index = found.ok_or_else(|| MpiError::RmaAttach("no memory is attached there".into()))?;
    window.attached.remove(index);
    Ok(())
}

pub(crate) fn win_free(context: &mut Context, win: *mut Handle) -> Done {
    let win = Out::of(win).ok_or(MpiError::Window)?;
    let id = id(context, win.get())?;
    context.rank().process.may_close_window(id)?;
    attributes::delete_all(context, Holder::Communicator(id))?;
    settled(context, id, Until::Done(None));
    // Others may still be about to reach in.
    barrier(context, id)?;
    let outcome = context.rank().process.window_outcome(id);
    let (rank, number) = whose(context, id)?;
    context.rank().world.shared_memory().allocated.remove(&(number, rank));
    context.rank().process.close_window(id)?;
    context.of::<Windows>().all.retain(|window| window.id != id);
    info::forget(context, id);
    win.set(abi::predefined(MPI_WIN_NULL));
    outcome
}

/// An attribute that every window has: its base, or where the value lies.
pub(crate) fn attribute(
    context: &mut Context,
    id: CommunicatorId,
    key: c_int,
) -> Result<Option<*mut c_void>> {
    let window = object(context, id)?;
    let shown = &mut window.shown;
    Ok(Some(match key {
        MPI_WIN_BASE => window.part.address as *mut c_void,
        MPI_WIN_SIZE => (&raw mut shown.size).cast(),
        MPI_WIN_DISP_UNIT => (&raw mut shown.unit).cast(),
        MPI_WIN_CREATE_FLAVOR => (&raw mut shown.flavor).cast(),
        MPI_WIN_MODEL => (&raw mut shown.model).cast(),
        _ => return Ok(None),
    }))
}
